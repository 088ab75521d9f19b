"""Settings: where they come from and how bad ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgclaw.config import load_settings, with_state_dir
from sgclaw.errors import ConfigError


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
