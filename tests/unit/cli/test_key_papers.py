"""`sgclaw keys rotate | revoke`, `sgclaw skill disable | enable`, and what signing knows of what was seen."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sgclaw.cli.exits import Exit
from sgclaw.config import load_settings
from sgclaw.errors import ConfigError
from sgclaw.skills.catalogue import open_set
from sgclaw.skills.ed25519 import SecretKey, key_text
from tests.unit.cli.home import ROOT as ROOT_FOLDER
from tests.unit.cli.home import Home
from tests.unit.skills.folder import ATTACKER, GOOD, script

NEXT = SecretKey(b"test key: next".ljust(32, b"."))
ROOT = SecretKey(b"test key: root".ljust(32, b"."))


def key_file(home: Home, name: str, key: SecretKey) -> str:
    path = home.folder / f"{name}.key"
    path.write_text(f"ed25519-{'secret'}:{key.seed.hex()}\n")
    path.chmod(0o600)
    return str(path)


def rotate(home: Home, old: SecretKey = GOOD, new: SecretKey = NEXT) -> int:
    return home.run(
        "keys", "rotate", "--old", key_file(home, "old", old), "--new", key_file(home, "new", new), "--json"
    )


def revoke(home: Home, *keys: SecretKey, root: SecretKey = ROOT, options: Sequence[str] = ("--json",)) -> int:
    ids = [key.public.key_id for key in keys]
    return home.run("keys", "revoke", "--root", key_file(home, "root", root), *{"--json", *options}, *ids)


def sign(home: Home, key: SecretKey, *options: str) -> int:
    return home.run("skill", "sign", "--key", key_file(home, "sign", key), *options)


def use(home: Home) -> list[str]:
    """The names that a session would load, and their marks kept."""
    catalogue = open_set(home.settings, home.now, production=home.settings.production, advances=True)
    return list(catalogue.skills)


def error(home: Home) -> dict[str, object]:
    found = home.json()["error"]
    assert isinstance(found, dict)
    return found


def pin(home: Home, *lines: str) -> None:
    home.settings.trust_root.write_text("\n".join(lines) + "\n")


def papers(home: Home) -> list[str]:
    keys = home.settings.home / "keys"
    return sorted(path.name for path in keys.glob("*.json"))


@pytest.mark.requirement("SKILL-33")
def test_after_rotate_the_new_key_signs_and_the_pinned_file_stays(home: Home) -> None:
    assert rotate(home) == Exit.OK
    file = home.settings.home / "keys" / "rotations.json"
    assert home.json() == {"old": GOOD.public.key_id, "new": NEXT.public.key_id, "file": str(file)}
    assert home.run("skill", "list", "--json") == Exit.REFUSED
    assert sign(home, NEXT) == Exit.OK
    assert home.err == ""
    assert use(home) == ["order-list", "my-skill"]
    assert sign(home, GOOD) == Exit.REFUSED
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-33")
def test_rotate_says_what_to_do_next(home: Home) -> None:
    old, new = key_file(home, "old", GOOD), key_file(home, "new", NEXT)
    assert home.run("keys", "rotate", "--old", old, "--new", new) == Exit.OK
    assert home.out.splitlines()[-1] == f"下一步：sgclaw skill sign --key {new}，再把该文件和 registry.json 一起分发"


@pytest.mark.requirement("SKILL-33")
@pytest.mark.parametrize(
    ("old", "new", "problem", "told"),
    [
        (ATTACKER, NEXT, "OLD_KEY", "旧密钥现在不受信任，或已经轮换过"),
        (GOOD, GOOD, "NEW_KEY", "新密钥已经在用或用过，不能再接替"),
        (NEXT, ATTACKER, "OLD_KEY", "旧密钥现在不受信任，或已经轮换过"),
    ],
)
def test_a_rotation_that_nobody_would_follow_is_not_written(
    home: Home, old: SecretKey, new: SecretKey, problem: str, told: str
) -> None:
    assert rotate(home, old, new) == Exit.USAGE
    assert error(home) == {
        "code": "BAD_USAGE",
        "message": f"这份轮换不会生效，没有写入：{told}",
        "next_step": f"请核对所用的密钥，现在有效的是：{GOOD.public.key_id}；"
        "规则见 docs/skills.md 的 Rotation and revocation 一节",
        "facts": {"problem": problem},
    }
    assert papers(home) == []


@pytest.mark.requirement("SKILL-34")
def test_revoke_names_the_successor_of_a_rotated_key_by_itself(home: Home) -> None:
    pin(home, key_text(GOOD.public), f"root:{key_text(ROOT.public)}")
    rotate(home)
    sign(home, NEXT)
    assert revoke(home, GOOD) == Exit.OK
    new_id = NEXT.public.key_id
    assert home.json() == {
        "revoked": [GOOD.public.key_id],
        "serial": 1,
        "file": str(home.settings.home / "keys" / "revocations.json"),
        "in_force": [new_id],
        "next_step": f"用仍有效的密钥重新签名：sgclaw skill sign --key 私钥，编号 {new_id}",
        "warnings": [],
    }
    assert use(home) == ["order-list", "my-skill"]
    assert revoke(home, ATTACKER, options=["--force"]) == Exit.OK
    assert home.json()["revoked"] == [GOOD.public.key_id, ATTACKER.public.key_id]
    assert sign(home, GOOD) == Exit.REFUSED
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-34")
def test_revoke_says_what_to_do_next(home: Home) -> None:
    pin(home, key_text(GOOD.public), key_text(NEXT.public))
    root, old_id, new_id = key_file(home, "root", GOOD), GOOD.public.key_id, NEXT.public.key_id
    assert home.run("keys", "revoke", "--root", root, old_id) == Exit.OK
    file = home.settings.home / "keys" / "revocations.json"
    step = f"用仍有效的密钥重新签名：sgclaw skill sign --key 私钥，编号 {new_id}"
    assert home.out.splitlines() == [
        f"已吊销 {old_id}，名单序号 1，写入 {file}",
        f"下一步：{step}，再把该文件和 registry.json 一起分发",
    ]
    assert sign(home, NEXT) == Exit.OK
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-34")
def test_a_list_that_nobody_would_heed_is_not_written(home: Home) -> None:
    pin(home, key_text(GOOD.public), f"root:{key_text(ROOT.public)}")
    assert revoke(home, GOOD, root=GOOD) == Exit.USAGE
    assert error(home)["facts"] == {"problem": "UNKNOWN_KEY"}
    assert error(home)["message"] == "这份吊销不会生效，没有写入：签名的密钥不是本机信任的根密钥"
    assert home.run("keys", "revoke", "--root", key_file(home, "root", ROOT), "--json", "not-an-id") == Exit.USAGE
    assert papers(home) == []


@pytest.mark.requirement("SKILL-34")
def test_a_rotation_by_a_revoked_key_is_not_written(home: Home) -> None:
    pin(home, key_text(GOOD.public), f"root:{key_text(ROOT.public)}")
    revoke(home, GOOD, options=["--force"])
    assert rotate(home) == Exit.USAGE
    assert error(home)["facts"] == {"problem": "KEY_REVOKED"}
    revoke(home, NEXT, options=["--force"])
    assert rotate(home, GOOD, NEXT) == Exit.USAGE


@pytest.mark.requirement("SKILL-34")
def test_a_rotation_to_a_revoked_key_is_not_written(home: Home) -> None:
    pin(home, key_text(GOOD.public), f"root:{key_text(ROOT.public)}")
    revoke(home, NEXT, options=["--force"])
    assert rotate(home) == Exit.USAGE
    assert error(home)["facts"] == {"problem": "KEY_REVOKED"}
    assert error(home)["message"] == "这份轮换不会生效，没有写入：旧密钥或新密钥已被吊销"


@pytest.mark.requirement("SKILL-33")
@pytest.mark.parametrize("name", ["rotations.json", "revocations.json"])
def test_a_paper_that_cannot_be_read_is_not_written_over(home: Home, name: str) -> None:
    path = home.settings.home / "keys" / name
    path.write_text("mine")
    assert (rotate(home) if name == "rotations.json" else revoke(home, ATTACKER, root=GOOD)) == Exit.USAGE
    assert path.read_text() == "mine"
    assert str(error(home)["message"]).endswith("：不是合法的 JSON")


@pytest.mark.requirement("SKILL-33")
def test_list_and_verify_tell_of_a_paper_without_effect(home: Home) -> None:
    (home.settings.home / "keys" / "rotations.json").write_text("{}")
    assert home.run("skill", "list") == Exit.OK
    assert home.err.startswith("注意：密钥轮换声明不成立，没有生效：字段不对（keys/rotations.json）。")
    assert home.run("skill", "verify", "--json") == Exit.OK
    notices = home.json()["notices"]
    assert isinstance(notices, list)
    (notice,) = notices
    assert (notice["reason"], notice["facts"]["problem"]) == ("BAD_ROTATION", "BAD_FIELDS")
    assert sign(home, GOOD) == Exit.OK
    assert "密钥轮换声明不成立，没有生效：字段不对" in home.err


# --- disable, enable --------------------------------------------------------------------------------------------------


@pytest.mark.requirement("SKILL-57")
def test_a_disabled_skill_is_shown_as_such_until_it_is_enabled(home: Home) -> None:
    before = home.settings.registry.read_bytes()
    assert home.run("skill", "disable", "order-list", "--json") == Exit.OK
    assert home.json() == {"name": "order-list", "switched_off": True, "changed": True}
    assert use(home) == ["my-skill"]
    home.run("skill", "list")
    assert home.out.splitlines()[-1].split() == ["order-list", "—", "本机停用", "—", "该技能已在本机停用"]
    assert home.run("skill", "verify", "order-list") == Exit.REFUSED
    assert home.run("skill", "disable", "order-list") == Exit.OK
    assert home.out == "没有变化：order-list 已经在本机停用\n"
    assert home.run("skill", "enable", "order-list") == Exit.OK
    assert home.out == "已取消在本机的停用：order-list\n"
    assert home.run("skill", "enable", "order-list") == Exit.OK
    assert home.out == "没有变化：order-list 没有在本机停用\n"
    assert use(home) == ["order-list", "my-skill"]
    assert home.settings.registry.read_bytes() == before


@pytest.mark.requirement("SKILL-57")
def test_a_name_that_nobody_knows_is_not_switched(home: Home) -> None:
    assert home.run("skill", "disable", "ordre-list") == Exit.FAILED
    assert not home.settings.skills_state.exists()


@pytest.mark.requirement("SKILL-57")
def test_a_refused_skill_can_be_disabled(home: Home) -> None:
    home.skills.write("custom/my-skill.js", script("my-skill") + "\n")
    assert home.run("skill", "disable", "my-skill") == Exit.OK
    assert home.out == "已在本机停用：my-skill\n"


# --- signing and what was seen ----------------------------------------------------------------------------------------


@pytest.mark.requirement("SKILL-22")
def test_sign_goes_beyond_the_serial_that_was_used_here(home: Home) -> None:
    old = home.settings.registry.read_bytes()
    sign(home, GOOD, "--serial", "41")
    use(home)
    home.settings.registry.write_bytes(old)
    assert home.run("skill", "verify", "--json") == Exit.REFUSED
    assert sign(home, GOOD, "--serial", "9", "--json") == Exit.USAGE
    assert sign(home, GOOD, "--json") == Exit.OK
    assert home.json()["serial"] == 42
    home.settings.registry.unlink()
    assert sign(home, GOOD, "--json") == Exit.OK
    assert home.json()["serial"] == 42
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-22")
@pytest.mark.parametrize(
    ("source", "reason"),
    [(script("my-skill") + "// other\n", "VERSION_REUSED"), (script("my-skill", version="0.9.0"), "ROLLBACK")],
)
def test_sign_refuses_what_this_machine_would_refuse_for_what_it_has_seen(home: Home, source: str, reason: str) -> None:
    use(home)
    before = home.settings.registry.read_bytes()
    home.skills.write("custom/my-skill.js", source)
    assert sign(home, GOOD, "--json") == Exit.REFUSED
    facts = error(home)["facts"]
    assert isinstance(facts, dict)
    assert facts["reason"] == reason
    assert home.settings.registry.read_bytes() == before
    home.skills.write("custom/my-skill.js", script("my-skill", version="1.0.1"))
    assert sign(home, GOOD) == Exit.OK
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-24")
def test_sign_refuses_when_the_marks_cannot_be_read_and_names_their_file(home: Home) -> None:
    use(home)
    (marks,) = home.settings.skills_state.glob("marks-*.json")
    marks.write_text("{")
    assert sign(home, GOOD) == Exit.REFUSED
    assert f"可删除 {marks} 重新开始" in home.err
    assert home.run("skill", "verify", "--json") == Exit.REFUSED
    marks.unlink()
    assert home.run("skill", "verify", "--json") == Exit.OK


# --- production -------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("SKILL-35")
def test_the_trust_root_is_where_the_settings_say(tmp_path: Path) -> None:
    elsewhere = tmp_path / "etc" / "skills.pub"
    settings = load_settings({"HOME": str(tmp_path), "SGCLAW_TRUST_ROOT": str(elsewhere)})
    assert settings.trust_root == elsewhere
    assert load_settings({"HOME": str(tmp_path)}).trust_root == ROOT_FOLDER / "keys" / "skill_verify.pub"
    with pytest.raises(ConfigError):
        load_settings({"HOME": str(tmp_path), "SGCLAW_TRUST_ROOT": "keys/skills.pub"})


@pytest.mark.requirement("SKILL-35")
def test_production_wants_the_trust_root_elsewhere(home: Home) -> None:
    home.with_settings(production=True)
    assert home.run("skill", "list", "--json") == Exit.REFUSED
    facts = error(home)["facts"]
    assert facts == {"reason": "EXPOSED_TRUST_ROOT", "file": str(home.settings.trust_root), "problem": "INSIDE"}
    elsewhere: Path = home.folder / "etc" / "skills.pub"
    elsewhere.parent.mkdir(mode=0o755)
    elsewhere.write_bytes(home.settings.trust_root.read_bytes())
    elsewhere.chmod(0o644)
    home.with_settings(pinned=elsewhere)
    assert home.run("skill", "verify", "--json") == Exit.OK
    elsewhere.chmod(0o666)
    assert home.run("skill", "verify", "--json") == Exit.REFUSED
