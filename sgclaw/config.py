"""The only reader of the environment and of the settings file.

Order, later wins: defaults, `settings.toml` in the configuration folder (or the file named by `SGCLAW_SETTINGS`),
environment. Command lines override single values on top of this.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sgclaw.errors import ConfigError
from sgclaw.llm import settings as llm
from sgclaw.skills.files import RefusedFileError, read_named
from sgclaw.toolbox import settings as toolbox

if sys.platform != "win32":
    import pwd


_ENVIRONMENT = "环境变量"
_INIT = "init"
_HEADER = re.compile(r"\s*\[\s*([A-Za-z0-9_.\s-]+?)\s*\]")
_PLACE = re.compile(r"\(at line ([0-9]+),")
_NO_MODEL = llm.ModelSettings()
_NO_TOOLS = toolbox.ToolboxSettings()


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything configurable. Paths are absolute.

    `home` holds `registry.json`, `skills/` and `keys/`; `state_dir` holds the ledger and everything written at run
    time; `host_command` starts a host for the command line; `production` refuses development keys, and a trust root
    that whoever can write skills could replace; `pinned` names a trust root other than the one in `home`; `model` says
    which language model is asked, and `model_key` is its key, empty when there is none; `toolbox` names MCP servers.
    """

    state_dir: Path
    home: Path
    host_command: tuple[str, ...]
    production: bool = False
    pinned: Path | None = None
    model: llm.ModelSettings = _NO_MODEL
    model_key: str = field(default="", repr=False)
    toolbox: toolbox.ToolboxSettings = _NO_TOOLS

    @property
    def skills_root(self) -> Path:
        return self.home / "skills"

    @property
    def registry(self) -> Path:
        return self.home / "registry.json"

    @property
    def trust_root(self) -> Path:
        return self.pinned or self.home / "keys" / "skill_verify.pub"

    @property
    def skills_state(self) -> Path:
        return self.state_dir / "skills"

    @property
    def tool_pins(self) -> Path:
        return self.toolbox.pins or self.state_dir / "toolbox" / "pins.json"

    @property
    def audit_dir(self) -> Path:
        return self.state_dir / "audit"


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings; raises `BAD_CONFIG` naming the file and key. `environment` None is the process's own.

    `~` in a path is the user's home folder. Folders in the environment that are not absolute count as not given.
    """
    env = os.environ if environment is None else environment
    path, said_in_file = _settings_file(env)
    from_env: dict[str, object] = {key: env[_variable(key)] for key in _SETTERS if env.get(_variable(key))}
    # A user without a home folder is no problem as long as nothing has to lie there.
    named = "state_dir" in said_in_file or "state_dir" in from_env
    install = Path(__file__).resolve().parent.parent
    host = (sys.executable, "-m", "browser_host_stub", "host")
    settings = Settings(Path() if named else _default_state_dir(env), install, host)
    for values, source in ((said_in_file, str(path)), (from_env, _ENVIRONMENT)):
        settings = _apply(settings, _at_home(values, env, source), source)
    if (unfit := llm.unfit(settings.model)) is not None:
        raise _unusable(_ENVIRONMENT if path is None or f"model.{unfit}" in from_env else str(path), f"model.{unfit}")
    if not all(
        llm.is_permitted(each.url, settings.toolbox.hosts) for each in settings.toolbox.servers.values() if each.url
    ):
        raise _unusable(str(path), "mcp.servers")
    inherited = {name: env[name] for name in toolbox.INHERITED if env.get(name)}
    key = env.get(settings.model.key.removeprefix("env:"), "")
    return replace(settings, model_key=key, toolbox=replace(settings.toolbox, inherited=inherited))


def _variable(key: str) -> str:
    """The variable of the environment for a setting."""
    return f"SGCLAW_{key.upper().replace('.', '_')}"


def child_environment(settings: Settings) -> dict[str, str]:
    """The environment for a program that we start: our own without the variable that holds the key of the model."""
    return {name: value for name, value in os.environ.items() if name not in _key_variables(settings.model)}


def _key_variables(model: llm.ModelSettings) -> frozenset[str]:
    """The one that is named, and the usual one: a key that is in both must not stay in either."""
    return frozenset(key.removeprefix("env:") for key in (model.key, _NO_MODEL.key))


def with_state_dir(settings: Settings, state_dir: str | None) -> Settings:
    """The settings with the state folder a host named in `init`, if it named one: an absolute path, taken as it is."""
    return settings if state_dir is None else _apply(settings, {"state_dir": state_dir}, _INIT)


def _settings_file(env: Mapping[str, str]) -> tuple[Path | None, Mapping[str, object]]:
    """The settings file and what it says; nothing when there is none and none was asked for."""
    if "SGCLAW_SETTINGS" in env:
        path = Path(env["SGCLAW_SETTINGS"])
        return path, _read(path)
    folder = _folder(env, "APPDATA", "XDG_CONFIG_HOME")
    home = _home_dir(env)
    if folder is None and home is None:
        return None, {}
    path = (folder or Path(home or "", ".config")) / "sgclaw" / "settings.toml"
    return path, _read(path, optional=True)


def _read(path: Path, *, optional: bool = False) -> Mapping[str, object]:
    try:
        return _dotted(tomllib.loads(read_named(path).decode("utf-8")))
    except tomllib.TOMLDecodeError as error:
        where = _PLACE.search(str(error))
        line = int(where[1]) if where else None  # an end that comes too early has none
        told = f"设置文件 {path} " + (f"第 {line} 行" if line else "的末尾") + "不是正确的 TOML"
        next_step = "请改正该处；文本要放在引号里，键和值之间是等号"
        raise ConfigError(told, next_step=next_step, facts={"file": str(path), "line": line}) from None
    # ValueError: not UTF-8, not TOML, not a path; RefusedFileError: a pipe, a device, more than a file of settings has
    except (OSError, ValueError, RecursionError, RefusedFileError) as error:
        if optional and isinstance(error, FileNotFoundError | NotADirectoryError):
            return {}
        raise ConfigError(
            f"读不了设置文件 {path}",
            next_step="请改正该文件（UTF-8 编码的 TOML），或用 SGCLAW_SETTINGS 指定另一个文件",
            facts={"file": str(path), "why": type(error).__name__},
        ) from None


def _dotted(said: dict[str, object]) -> Mapping[str, object]:
    """The settings with those of the tables `[model]` and `[mcp]` as `model.…` and `mcp.…`."""
    dotted: dict[str, object] = {}
    for name, value in said.items():
        if name in _TABLES and isinstance(value, dict):
            dotted.update({f"{name}.{key}": inner for key, inner in value.items()})
        else:
            dotted[name] = value
    return dotted


def _default_state_dir(env: Mapping[str, str]) -> Path:
    folder, home = _folder(env, "LOCALAPPDATA", "XDG_STATE_HOME"), _home_dir(env)
    if folder is None and home is None:
        raise ConfigError(
            "不知道账本该放在哪里：没有 HOME，系统里也没有当前用户的主目录",
            next_step="请设置 HOME，或用 SGCLAW_STATE_DIR 指定状态目录",
            facts={"key": "state_dir"},
        )
    return (folder or Path(home or "", ".local", "state")) / "sgclaw"


def _folder(env: Mapping[str, str], *names: str) -> Path | None:
    """The first of these variables that names an absolute folder. A relative one would move with the caller."""
    return next((Path(env[name]) for name in names if Path(env.get(name, "")).is_absolute()), None)


def _home_dir(env: Mapping[str, str]) -> Path | None:
    """The user's own folder, by the environment or else by the system; None when neither knows one."""
    named = _folder(env, "HOME", "USERPROFILE")
    if named is not None or sys.platform == "win32":
        return named
    try:
        recorded = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return None
    return recorded if recorded.is_absolute() else None


def _at_home(values: Mapping[str, object], env: Mapping[str, str], source: str) -> Mapping[str, object]:
    """The same with `~` and `~somebody` in paths replaced."""
    return {key: _expanded(value, env, (source, key)) if key in _PATHS else value for key, value in values.items()}


def _expanded(value: object, env: Mapping[str, str], place: tuple[str, str]) -> object:
    if not isinstance(value, str) or not value.startswith("~"):
        return value
    user, _, rest = value.partition("/")
    try:
        home = _home_dir(env) if user == "~" else Path(user).expanduser()
    except (RuntimeError, ValueError):  # nobody has this name; nobody could
        home = None
    if home is None:
        raise _unusable(*place)
    return str(home / rest)


def _unusable(source: str, key: str) -> ConfigError:
    place, facts = _place(key, source)
    named = f"环境变量 {_variable(key)} " if source == _ENVIRONMENT else f"{place}的设置 {key} "
    allowed = _ALLOWED[key]
    return ConfigError(
        f"{named}不可用，可用的值：{allowed}",
        next_step=f"请改正或去掉{named.rstrip()}",
        facts={"key": key, "allowed": allowed, **facts},
    )


def _place(key: str, source: str) -> tuple[str, dict[str, object]]:
    """Where a setting stands, in words and as facts; the latter for files only."""
    if source in (_ENVIRONMENT, _INIT):
        return f"{source} 中", {}
    line = _line_of(key, source)
    return f"{source} 第 {line} 行" if line else f"{source} 中", {"file": source, "line": line}


def _line_of(key: str, file: str) -> int | None:
    """The line of the file that sets this key, as far as its text shows; TOML readers do not tell."""
    try:
        lines = read_named(Path(file)).decode("utf-8").splitlines()
    except (OSError, ValueError, RefusedFileError):
        return None
    table = ""
    for number, line in enumerate(lines, 1):
        if header := _HEADER.match(line):
            table = f"{header[1]}."
        written = table if header else f"{table}{line.partition('=')[0].strip()}."
        if written.startswith(f"{key}.") and (header or "=" in line):
            return number
    return None


def _apply(settings: Settings, values: Mapping[str, object], source: str) -> Settings:
    for key, value in values.items():
        setter = _SETTERS.get(key)
        if setter is None:
            place, facts = _place(key, source)
            raise ConfigError(
                f"{place}有不认识的设置 {key}",
                next_step=f"请改正或去掉它；可用的设置：{'、'.join(_SETTERS)}",
                facts={"key": key, "known": list(_SETTERS), **facts},
            )
        try:
            settings = setter(settings, value)
        except (KeyError, ValueError):
            raise _unusable(source, key) from None
    return settings


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(value)
    path = Path(value)
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


_ALLOWED: Mapping[str, str] = {
    "state_dir": "绝对路径",
    "home": "绝对路径",
    "trust_root": "绝对路径",
    "host_command": "一条命令，或由程序和参数组成的列表",
    "production": "1、true、yes、0、false、no",
    **{f"model.{key}": allowed for key, allowed in llm.ALLOWED.items()},
    **{f"mcp.{key}": allowed for key, allowed in toolbox.ALLOWED.items()},
    "mcp.pins": "绝对路径",
}
"""What each setting may be, as the user reads it."""

_PATHS = frozenset({"state_dir", "home", "trust_root", "model.scenario", "mcp.pins"})
_TABLES = frozenset({"model", "mcp"})


def _of_model(setter: llm.Setter) -> Callable[[Settings, object], Settings]:
    return lambda settings, value: replace(settings, model=setter(settings.model, value))


def _of_tools(setter: toolbox.Setter) -> Callable[[Settings, object], Settings]:
    return lambda settings, value: replace(settings, toolbox=setter(settings.toolbox, value))


_SETTERS: Mapping[str, Callable[[Settings, object], Settings]] = {
    "state_dir": lambda settings, value: replace(settings, state_dir=_path(value)),
    "home": lambda settings, value: replace(settings, home=_path(value)),
    "trust_root": lambda settings, value: replace(settings, pinned=_path(value)),
    "host_command": lambda settings, value: replace(settings, host_command=_command(value)),
    "production": lambda settings, value: replace(settings, production=_flag(value)),
    **{f"model.{key}": _of_model(setter) for key, setter in llm.SETTERS.items()},
    **{f"mcp.{key}": _of_tools(setter) for key, setter in toolbox.SETTERS.items()},
    "mcp.pins": lambda settings, value: replace(settings, toolbox=replace(settings.toolbox, pins=_path(value))),
}
