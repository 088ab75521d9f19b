"""Settings: where they come from and how bad ones are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sgclaw.config import child_environment, load_settings, with_state_dir
from sgclaw.errors import ConfigError
from tests.gates.repository import ROOT


def settings_file(folder: Path, text: str) -> dict[str, str]:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return {"SGCLAW_SETTINGS": str(path), "HOME": str(folder)}


@pytest.mark.requirement("CONFIG-01")
def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path)})
    assert settings.state_dir == tmp_path / ".local" / "state" / "sgclaw"
    assert settings.registry.exists()
    assert settings.production is False
    assert settings.host_command[1:] == ("-m", "browser_host_stub", "host")


@pytest.mark.requirement("CONFIG-01")
def test_the_environment_wins_over_the_file_and_init_over_both(tmp_path: Path) -> None:
    text = f'state_dir = "{tmp_path}/file"\nproduction = true\nhost_command = ["a", "b c"]\nhome = "{tmp_path}/home"\n'
    env = settings_file(tmp_path, text)
    settings = load_settings(env)
    assert (settings.state_dir, settings.production, settings.host_command, settings.home) == (
        tmp_path / "file",
        True,
        ("a", "b c"),
        tmp_path / "home",
    )
    later = load_settings({**env, "SGCLAW_STATE_DIR": str(tmp_path / "env"), "SGCLAW_HOST_COMMAND": "x 'y z'"})
    assert (later.state_dir, later.host_command) == (tmp_path / "env", ("x", "y z"))
    assert with_state_dir(later, str(tmp_path / "init")).state_dir == tmp_path / "init"
    assert with_state_dir(later, None) == later


@pytest.mark.requirement("CONFIG-02")
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("unknown = 1", "unknown"),
        ('state_dir = "relative"', "state_dir"),
        ("state_dir = 7", "state_dir"),
        ('production = "maybe"', "production"),
        ("host_command = []", "host_command"),
        ("host_command = [1]", "host_command"),
    ],
)
def test_a_bad_setting_names_its_key(text: str, key: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(settings_file(tmp_path, text))
    assert refused.value.facts["key"] == key
    assert "sgclaw doctor" not in refused.value.next_step


@pytest.mark.requirement("CONFIG-02")
def test_a_bad_variable_of_the_environment_is_named_with_what_it_may_be(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings({"HOME": str(tmp_path), "SGCLAW_PRODUCTION": "ja"})
    assert "SGCLAW_PRODUCTION" in refused.value.cause
    assert refused.value.facts == {"key": "production", "allowed": "1、true、yes、0、false、no"}


@pytest.mark.requirement("CONFIG-02")
@pytest.mark.parametrize("content", [b"= broken", b"\xff\xfe"])
def test_an_unreadable_file_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as refused:
        load_settings({"SGCLAW_SETTINGS": str(path)})
    assert refused.value.facts["file"] == str(path)


@pytest.mark.requirement("CONFIG-02")
def test_a_settings_file_that_was_named_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        load_settings({"SGCLAW_SETTINGS": str(tmp_path / "missing.toml")})


@pytest.mark.requirement("CONFIG-02")
@pytest.mark.parametrize("value", ["~nobody-has-this-name/x", "~\0/x"])
def test_the_home_folder_of_nobody_names_its_key(value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings({"HOME": str(tmp_path), "SGCLAW_STATE_DIR": value})
    assert refused.value.facts["key"] == "state_dir"


@pytest.mark.requirement("CONFIG-02")
def test_a_settings_file_that_nests_without_end_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(settings_file(tmp_path, "host_command = " + "[" * 100_000))
    assert refused.value.facts["file"] == str(tmp_path / "settings.toml")


@pytest.mark.requirement("CONFIG-02")
@pytest.mark.parametrize("state_dir", ["~nobody-has-this-name/x", "~", "~/x", "relative/x", "", "/tmp/\0x"])
def test_a_host_names_its_state_folder_in_full(state_dir: str, tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path)})
    with pytest.raises(ConfigError) as refused:
        with_state_dir(settings, state_dir)
    assert refused.value.facts["key"] == "state_dir"


@pytest.mark.requirement("CONFIG-03")
def test_a_tilde_is_the_home_of_the_environment_that_was_given(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert load_settings({**env, "SGCLAW_STATE_DIR": "~"}).state_dir == tmp_path
    assert load_settings({**env, "SGCLAW_STATE_DIR": "~/a/b"}).state_dir == tmp_path / "a" / "b"
    assert load_settings(settings_file(tmp_path, 'home = "~/skills"')).home == tmp_path / "skills"


@pytest.mark.requirement("CONFIG-03")
@pytest.mark.skipif(sys.platform == "win32", reason="there, only the environment knows the home folder")
@pytest.mark.parametrize("env", [{}, {"HOME": ""}, {"HOME": "here"}, {"HOME": "", "XDG_STATE_HOME": "here"}])
def test_without_a_usable_home_the_ledger_goes_to_the_users_home_and_never_to_the_current_folder(
    env: dict[str, str],
) -> None:
    import pwd

    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert load_settings(env).state_dir == home / ".local" / "state" / "sgclaw"


@pytest.mark.requirement("CONFIG-03")
def test_absolute_folders_of_the_environment_are_used(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "s"), "XDG_CONFIG_HOME": str(tmp_path / "c")}
    (tmp_path / "c" / "sgclaw").mkdir(parents=True)
    (tmp_path / "c" / "sgclaw" / "settings.toml").write_text("production = true\n", encoding="utf-8")
    settings = load_settings(env)
    assert (settings.state_dir, settings.production) == (tmp_path / "s" / "sgclaw", True)


NAMELESS = """
import os
from sgclaw.config import load_settings
from sgclaw.errors import ConfigError
os.setuid(4_000_000)
print(load_settings({"SGCLAW_STATE_DIR": "/s"}).state_dir)
try:
    load_settings({})
except ConfigError as error:
    print(error.facts["key"])
"""


@pytest.mark.requirement("CONFIG-03")
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can become nobody at all")
def test_a_user_without_any_home_must_name_the_state_folder() -> None:
    done = subprocess.run((sys.executable, "-c", NAMELESS), cwd=ROOT, capture_output=True, timeout=30, check=True)
    assert done.stdout.split() == [b"/s", b"state_dir"]


@pytest.mark.requirement("CONFIG-02")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("production = true\nhome = /srv\n", 2),
        ("\n\n[model]\nprovider = claude\n", 4),
        ('production = false\n[model]\nprovider = "gemini"\n', 3),
        ('model.provider = "openai"\nmodel.name = 7\n', 2),
        ('[model]\nprovider = "openai"\n[model.prices.m]\ninput = -1\noutput = 1\ncurrency = "USD"\n', 3),
        ("production = false\nprodction = true\n", 2),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_line(text: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(settings_file(tmp_path, text))
    assert (refused.value.facts["file"], refused.value.facts["line"]) == (str(tmp_path / "settings.toml"), line)
    assert f"第 {line} 行" in refused.value.cause


@pytest.mark.requirement("LLM-12")
def test_a_program_that_is_started_gets_the_environment_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SGCLAW_MODEL_KEY", "env:MINE")
    for name in ("MINE", "SGCLAW_API_KEY"):
        monkeypatch.setenv(name, "sk-secret")
    settings = load_settings()
    assert settings.model_key == "sk-secret"
    given = child_environment(settings)
    assert "sk-secret" not in given.values()
    assert given["HOME"] == str(tmp_path)
