"""The only reader of the environment and of the settings file.

Order, later wins: defaults, `settings.toml` in the configuration folder (or the file named by `SGCLAW_SETTINGS`),
environment. Command lines override single values on top of this.
"""

from __future__ import annotations

import os
import shlex
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sgclaw.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything configurable. Paths are absolute.

    `home` holds `registry.json`, `skills/` and `keys/`; `state_dir` holds the ledger and everything written at run
    time; `host_command` starts a host for the command line; `production` refuses development keys.
    """

    state_dir: Path
    home: Path
    host_command: tuple[str, ...]
    production: bool = False

    @property
    def skills_root(self) -> Path:
        return self.home / "skills"

    @property
    def registry(self) -> Path:
        return self.home / "registry.json"

    @property
    def trust_root(self) -> Path:
        return self.home / "keys" / "skill_verify.pub"

    @property
    def audit_dir(self) -> Path:
        return self.state_dir / "audit"


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings; raises `BAD_CONFIG` naming the file and key. `environment` None is the process's own."""
    env = os.environ if environment is None else environment
    settings = _defaults(env)
    path = Path(env["SGCLAW_SETTINGS"]) if "SGCLAW_SETTINGS" in env else _config_dir(env) / "settings.toml"
    if path.exists() or "SGCLAW_SETTINGS" in env:
        settings = _apply(settings, _read(path), str(path))
    from_env: dict[str, object] = {
        key: env[f"SGCLAW_{key.upper()}"] for key in _SETTERS if env.get(f"SGCLAW_{key.upper()}")
    }
    return _apply(settings, from_env, "环境变量")


def with_state_dir(settings: Settings, state_dir: str | None) -> Settings:
    """The settings with the state folder a host named in `init`, if it named one."""
    return settings if state_dir is None else _apply(settings, {"state_dir": state_dir}, "init")


def _home_dir(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or env.get("USERPROFILE") or ".").absolute()


def _config_dir(env: Mapping[str, str]) -> Path:
    base = env.get("APPDATA") or env.get("XDG_CONFIG_HOME")
    return (Path(base) if base else _home_dir(env) / ".config") / "sgclaw"


def _defaults(env: Mapping[str, str]) -> Settings:
    base = env.get("LOCALAPPDATA") or env.get("XDG_STATE_HOME")
    state = (Path(base) if base else _home_dir(env) / ".local" / "state") / "sgclaw"
    home = Path(__file__).resolve().parent.parent
    return Settings(state, home, (sys.executable, "-m", "browser_host_stub", "host"))


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"读不了设置文件 {path}", facts={"file": str(path), "why": type(error).__name__}) from None


def _apply(settings: Settings, values: Mapping[str, object], source: str) -> Settings:
    for key, value in values.items():
        setter = _SETTERS.get(key)
        if setter is None:
            raise ConfigError(f"{source} 中有不认识的设置 {key}", facts={"key": key, "known": list(_SETTERS)})
        try:
            settings = setter(settings, value)
        except (KeyError, ValueError):
            raise ConfigError(f"{source} 中的设置 {key} 不可用", facts={"key": key}) from None
    return settings


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(value)
    path = Path(value).expanduser()
    if not path.is_absolute():
        raise ValueError(value)
    return path


def _command(value: object) -> tuple[str, ...]:
    words = tuple(shlex.split(value)) if isinstance(value, str) else tuple(value) if isinstance(value, list) else ()
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError(value)
    return words


def _flag(value: object) -> bool:
    flags = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    return value if isinstance(value, bool) else flags[str(value).lower()]


_SETTERS: Mapping[str, Callable[[Settings, object], Settings]] = {
    "state_dir": lambda settings, value: replace(settings, state_dir=_path(value)),
    "home": lambda settings, value: replace(settings, home=_path(value)),
    "host_command": lambda settings, value: replace(settings, host_command=_command(value)),
    "production": lambda settings, value: replace(settings, production=_flag(value)),
}
