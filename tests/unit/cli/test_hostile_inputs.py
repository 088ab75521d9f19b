"""Commands on what is no file, no name and no number, and several commands at once on one paper."""

import json
import multiprocessing
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from sgclaw.cli.exits import Exit
from sgclaw.cli.key_papers import LOCK_FILE, add_revocations, alone
from sgclaw.cli.world import World
from sgclaw.config import Settings, load_settings
from sgclaw.errors import ConfigError, UsageProblemError
from sgclaw.protocol.limits import MAX_INT
from sgclaw.skills.ed25519 import SecretKey, key_text, render_secret_key
from sgclaw.skills.state import hold_lock
from tests.unit.cli.home import NOW, Home
from tests.unit.cli.test_key_papers import ROOT, error, pin, revoke, sign, use
from tests.unit.skills.folder import GOOD


@pytest.fixture(params=["pipe", "device", "folder", "large"])
def no_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """What is there and is no file of a sensible size."""
    path = tmp_path / "odd"
    make: dict[str, Callable[[], object]] = {
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "folder": path.mkdir,
        "large": lambda: path.write_bytes(b"# " + b"x" * 2 * 1024 * 1024),
    }
    make[request.param]()
    return path


@pytest.mark.requirement("SKILL-78")
@pytest.mark.parametrize(
    "words",
    [
        ("policy", "show", "--policy", "{}"),
        ("policy", "explain", "--url", "https://erp.example.com/", "--policy", "{}"),
        ("skill", "sign", "--key", "{}"),
        ("keys", "rotate", "--old", "{}", "--new", "{}"),
        ("keys", "revoke", "0123456789abcdef", "--root", "{}"),
    ],
)
def test_a_command_neither_waits_for_nor_swallows_what_is_no_file(
    home: Home, no_file: Path, words: tuple[str, ...]
) -> None:
    code = home.run(*(word.format(no_file) for word in words), "--json")
    assert code in (Exit.USAGE, Exit.FAILED)
    assert str(no_file) in str(error(home)["message"])


@pytest.mark.requirement("SKILL-78")
def test_settings_and_the_trust_root_are_files_too(home: Home, no_file: Path) -> None:
    with pytest.raises(ConfigError):
        load_settings({"SGCLAW_SETTINGS": str(no_file), "HOME": "/nowhere"})
    home.with_settings(pinned=no_file)
    assert home.run("skill", "list", "--json") == Exit.REFUSED


@pytest.mark.requirement("SKILL-57")
@pytest.mark.parametrize("command", ["disable", "enable"])
def test_a_skill_is_switched_by_its_name_whatever_its_version(home: Home, command: str) -> None:
    assert home.run("skill", command, "order-list@1.2.0", "--json") == Exit.USAGE
    assert str(error(home)["next_step"]).endswith(f"sgclaw skill {command} order-list")


@pytest.mark.requirement("SKILL-78")
@pytest.mark.parametrize(
    "change",
    [{"skills": 5}, {"serial": True}, {"serial": MAX_INT}, {"serial": "x"}, {"skills": None}, {"serial": None}],
)
def test_signing_over_a_registry_of_wrong_types_says_what_to_do(home: Home, change: dict[str, object]) -> None:
    document = {**json.loads(home.settings.registry.read_bytes()), **change}
    home.settings.registry.write_text(json.dumps(document))
    assert sign(home, GOOD, "--json") == Exit.USAGE
    assert "--serial" in str(error(home)["next_step"]) or change == {"serial": MAX_INT}


@pytest.mark.requirement("SKILL-25")
def test_signing_on_a_machine_whose_clock_was_ahead_warns_and_the_release_is_used(home: Home) -> None:
    now, ahead = home.now, home.now + timedelta(days=800)
    home.now = ahead
    assert sign(home, GOOD) == Exit.OK
    assert use(home) == ["order-list", "my-skill"]
    home.now = now
    assert sign(home, GOOD) == Exit.OK
    assert f"到过 {ahead:%Y-%m-%d}" in home.err
    assert use(home) == ["order-list", "my-skill"]
    assert sign(home, GOOD) == Exit.OK
    assert home.err == ""


@pytest.mark.requirement("SKILL-34")
def test_a_root_at_the_last_serial_is_told_and_another_root_goes_on(home: Home) -> None:
    from sgclaw.skills.revocation import sign_revocations

    other = SecretKey(b"test key: other root".ljust(32, b"."))
    pin(home, key_text(GOOD.public), *(f"root:{key_text(key.public)}" for key in (ROOT, other)))
    file = home.settings.home / "keys" / "revocations.json"
    file.write_bytes(sign_revocations(ROOT, [], MAX_INT, NOW))
    assert revoke(home, ROOT, root=ROOT) == Exit.USAGE
    assert "最大" in str(error(home)["message"])
    assert revoke(home, ROOT, root=other) == Exit.OK
    assert (home.json()["serial"], home.json()["revoked"]) == (1, [ROOT.public.key_id])


# --- at once ----------------------------------------------------------------------------------------------------------


def _revoke(settings: Settings, key_id: str, root: Path) -> None:
    add_revocations(World(load=lambda: settings, now=lambda: NOW), [key_id], root, force=True)


@pytest.mark.requirement("SKILL-79")
def test_revocations_at_once_are_all_on_the_list(home: Home, tmp_path: Path) -> None:
    pin(home, key_text(GOOD.public), f"root:{key_text(ROOT.public)}")
    root = tmp_path / "root.key"
    root.write_bytes(render_secret_key(ROOT, "test"))
    context = multiprocessing.get_context("spawn")
    key_ids = [f"{number:016x}" for number in range(6)]
    workers = [context.Process(target=_revoke, args=(home.settings, key_id, root)) for key_id in key_ids]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 6
    paper = json.loads((home.settings.home / "keys" / "revocations.json").read_bytes())
    assert sorted(item["key_id"] for item in paper["revoked"]) == key_ids
    assert paper["serial"] == 6


@pytest.mark.requirement("SKILL-79")
def test_a_paper_that_somebody_else_is_extending_is_left_alone(home: Home) -> None:
    held = hold_lock(home.settings.home / "keys" / LOCK_FILE)
    with held, pytest.raises(UsageProblemError) as caught, alone(home.settings, seconds=0.05):
        pytest.fail("both would write")
    assert caught.value.facts == {"folder": str(home.settings.home / "keys")}
