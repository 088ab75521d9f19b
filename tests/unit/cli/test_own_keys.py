"""Signing and revoking as the person who owns the keys: nothing is written that would lock them out, and every step
that is printed leads on.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from sgclaw.cli.exits import Exit
from sgclaw.skills.ed25519 import DEV_KEY_ID, SecretKey, key_text, parse_secret_key, render_public_key
from sgclaw.skills.signing import Release
from tests.unit.cli.home import NOW, ROOT, Home
from tests.unit.cli.test_key_papers import NEXT, error, key_file, papers, pin, revoke, rotate, sign, use
from tests.unit.cli.test_key_papers import ROOT as ROOT_KEY
from tests.unit.skills.folder import ATTACKER, GOOD, script

DEV_KEY = ROOT / "keys" / "DEV-ONLY-skill-signing.key"
GOOD_ID, NEXT_ID = GOOD.public.key_id, NEXT.public.key_id


def keys_finding(home: Home, *options: str) -> dict[str, str]:
    home.run("doctor", "--json", *options)
    rows = cast("list[dict[str, str]]", home.json()["checks"])
    return next(row for row in rows if row["name"] == "签名公钥")


# --- what signing refuses ---------------------------------------------------------------------------------------------


def _retire(home: Home) -> str:
    rotate(home)
    return f"请用 --key 给出接替的密钥，编号 {NEXT_ID}"


def _retire_twice(home: Home) -> str:
    rotate(home)
    rotate(home, NEXT, ATTACKER)
    return f"请用 --key 给出接替的密钥，编号 {ATTACKER.public.key_id}"


def _revoke(home: Home) -> str:
    pin(home, key_text(GOOD.public), key_text(NEXT.public), f"root:{key_text(ROOT_KEY.public)}")
    revoke(home, GOOD)
    return f"请用 --key 给出有效的密钥，编号 {NEXT_ID}"


def _unpin(home: Home) -> str:
    home.trust(NEXT)
    return (
        f"请用 --key 给出有效的密钥，编号 {NEXT_ID}；要让本机信任它，把它的公钥加到 {home.settings.trust_root}；"
        "只给别的机器签名时加 --for-other-machine"
    )


def _unpin_all(home: Home) -> str:
    home.settings.trust_root.unlink()
    return "请管理员核对信任的公钥文件（没有另设 trust_root 时是 keys/skill_verify.pub）与发布方的公钥"


@pytest.mark.requirement("SKILL-75")
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_retire, "KEY_RETIRED"),
        (_retire_twice, "KEY_RETIRED"),
        (_revoke, "KEY_REVOKED"),
        (_unpin, "UNKNOWN_KEY"),
        (_unpin_all, "BAD_KEY"),
    ],
)
def test_sign_writes_nothing_with_a_key_that_this_machine_would_refuse_and_names_another(
    home: Home, spoil: Callable[[Home], str], reason: str
) -> None:
    step, before = spoil(home), home.settings.registry.read_bytes()
    assert sign(home, GOOD, "--json") == Exit.REFUSED
    told = error(home)
    assert (told["code"], told["next_step"]) == ("REGISTRY_REFUSED", step)
    assert cast("dict[str, object]", told["facts"])["reason"] == reason
    assert home.settings.registry.read_bytes() == before


@pytest.mark.requirement("SKILL-75")
def test_the_key_that_sign_names_signs(home: Home) -> None:
    rotate(home)
    sign(home, GOOD)
    named = re.findall(r"[0-9a-f]{16}", home.err.splitlines()[-1])
    assert named == [NEXT_ID]
    assert sign(home, NEXT) == Exit.OK
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-75")
def test_sign_refuses_in_production_what_production_would_refuse(home: Home) -> None:
    home.with_settings(production=True)
    before = home.settings.registry.read_bytes()
    assert sign(home, GOOD, "--json") == Exit.REFUSED
    assert cast("dict[str, object]", error(home)["facts"])["reason"] == "EXPOSED_TRUST_ROOT"
    assert home.settings.registry.read_bytes() == before


@pytest.mark.requirement("SKILL-75")
def test_a_registry_of_the_last_serial_is_said_with_the_way_on(home: Home) -> None:
    content = home.settings.registry.read_bytes().replace(b'"serial": 7', b'"serial": 9007199254740991')
    home.settings.registry.write_bytes(content)
    assert sign(home, GOOD) == Exit.USAGE
    assert "请删除 registry.json 后再签名" in home.err
    assert home.settings.registry.read_bytes() == content
    home.settings.registry.unlink()
    assert sign(home, GOOD) == Exit.OK
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-75")
def test_sign_names_the_skill_that_went_back_and_the_version_it_needs(home: Home) -> None:
    use(home)
    home.skills.write("custom/my-skill.js", script("my-skill", version="0.9.0"))
    assert sign(home, GOOD, "--json") == Exit.REFUSED
    told = error(home)
    assert told["message"] == "custom/my-skill.js：比本机用过的版本旧"
    assert str(told["next_step"]).endswith("请把 @version 改得比 1.0.0 大，再签名")


@pytest.mark.requirement("SKILL-75")
def test_a_skill_that_is_switched_off_here_is_signed_all_the_same(home: Home) -> None:
    home.run("skill", "disable", "my-skill")
    assert sign(home, GOOD, "--json") == Exit.OK
    assert home.json()["skills"] == ["my-skill", "order-list"]
    assert use(home) == ["order-list"]


# --- signing for another machine --------------------------------------------------------------------------------------


@pytest.mark.requirement("SKILL-76")
@pytest.mark.parametrize("spoil", [_unpin, _unpin_all])
def test_for_another_machine_a_key_signs_that_this_one_does_not_trust_and_that_is_said(
    home: Home, spoil: Callable[[Home], str]
) -> None:
    spoil(home)
    assert sign(home, GOOD, "--for-other-machine") == Exit.OK
    assert home.err.startswith("警告：按 --for-other-machine 签名，本机会拒绝这份清单：")
    home.trust(GOOD)
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-76")
@pytest.mark.parametrize("spoil", [_retire, _revoke])
def test_what_travels_with_the_registry_is_refused_for_every_machine(home: Home, spoil: Callable[[Home], str]) -> None:
    spoil(home)
    before = home.settings.registry.read_bytes()
    assert sign(home, GOOD, "--for-other-machine") == Exit.REFUSED
    assert home.settings.registry.read_bytes() == before


@pytest.mark.requirement("SKILL-76")
def test_the_development_key_is_refused_in_production_for_every_machine(home: Home) -> None:
    home.with_settings(production=True)
    assert home.run("skill", "sign", "--key", str(DEV_KEY), "--for-other-machine", "--json") == Exit.REFUSED
    assert cast("dict[str, object]", error(home)["facts"])["reason"] == "DEV_KEY_IN_PRODUCTION"


# --- key files --------------------------------------------------------------------------------------------------------

_FORM = "私钥文件里恰好有一行 ed25519-secret: 加 64 位小写十六进制，其余的行以 # 开头"


def _file(content: bytes) -> Callable[[Path], None]:
    return lambda path: void(path.write_bytes(content))


def void(_: object) -> None:
    """For a call that is made for what it does."""


KEY_FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (lambda _: None, "读不到私钥文件 {path}：文件不存在"),
    "a folder": (Path.mkdir, "读不到私钥文件 {path}：是目录，不是文件"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "读不到私钥文件 {path}：文件不存在"),
    "large": (_file(b"#" * 65_537), "读不到私钥文件 {path}：超过 65,536 字节"),
    "endless": (lambda path: path.symlink_to("/dev/zero"), "读不到私钥文件 {path}：是管道或设备，不是普通文件"),
    "a pipe that nobody fills": (os.mkfifo, "读不到私钥文件 {path}：是管道或设备，不是普通文件"),
    "empty": (_file(b"\n"), "不是私钥文件 {path}：文件是空的"),
    "a public key": (_file(render_public_key(GOOD.public, "x")), "不是私钥文件 {path}：里面是公钥，签名要用私钥"),
    "a trust root": (
        _file(f"{key_text(GOOD.public)}\nroot:{key_text(NEXT.public)}\n".encode()),
        "不是私钥文件 {path}：里面是公钥，签名要用私钥",
    ),
    "binary": (_file(bytes(range(256))), "不是私钥文件 {path}：" + _FORM),
    "two keys": (_file(f"ed25519-secret:{'0' * 64}\n".encode() * 2), "不是私钥文件 {path}：" + _FORM),
}
COMMANDS = {
    "sign": ("skill", "sign", "--key", "{bad}"),
    "old": ("keys", "rotate", "--old", "{bad}", "--new", "{good}"),
    "new": ("keys", "rotate", "--old", "{good}", "--new", "{bad}"),
    "root": ("keys", "revoke", GOOD_ID, "--root", "{bad}"),
}


@pytest.mark.requirement("SKILL-77")
@pytest.mark.parametrize("name", KEY_FILES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_key_file_is_named_with_what_it_is(home: Home, name: str, command: str) -> None:
    make, cause = KEY_FILES[name]
    path = home.folder / "bad.key"
    make(path)
    before = home.settings.registry.read_bytes()
    words = [word.format(bad=path, good=key_file(home, "good", GOOD)) for word in COMMANDS[command]]
    assert home.run(*words, "--json") == Exit.USAGE
    assert error(home) == {
        "code": "BAD_USAGE",
        "message": cause.format(path=path),
        "next_step": "请给出私钥文件（.key）；还没有密钥时，用 sgclaw keys new 名称 --out 目录 生成",
        "facts": {"path": str(path)},
    }
    assert home.settings.registry.read_bytes() == before
    assert papers(home) == []


# --- revoking ---------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("SKILL-36")
def test_a_revocation_that_leaves_no_key_is_not_written_and_its_way_out_leads_out(home: Home) -> None:
    assert revoke(home, GOOD, root=GOOD) == Exit.USAGE
    told = error(home)
    assert told["message"] == f"吊销后没有一把密钥可用，本机会拒绝全部技能（公钥文件 {home.settings.trust_root}）"
    assert str(told["next_step"]).startswith("请先让另一把密钥受信任：用 sgclaw keys new")
    assert use(home) == ["order-list", "my-skill"]
    new = _follow_the_way_out(home)
    assert revoke(home, GOOD, root=GOOD) == Exit.OK
    assert home.json()["in_force"] == [new]
    assert use(home) == ["order-list", "my-skill"]


def _follow_the_way_out(home: Home) -> str:
    """A new key, its public line added to the trust root, everything signed by it; returns its id."""
    out = home.folder / "new"
    assert home.run("keys", "new", "mine", "--out", str(out), "--json") == Exit.OK
    new = str(home.json()["key_id"])
    with home.settings.trust_root.open("ab") as trust_root:
        trust_root.write((out / "mine.pub").read_bytes())
    assert home.run("skill", "sign", "--key", str(out / "mine.key")) == Exit.OK
    return new


@pytest.mark.requirement("SKILL-36")
def test_a_rotated_root_that_revokes_itself_would_leave_no_key(home: Home) -> None:
    rotate(home)
    sign(home, NEXT)
    assert revoke(home, GOOD, root=GOOD) == Exit.USAGE
    assert use(home) == ["order-list", "my-skill"]


@pytest.mark.requirement("SKILL-36")
def test_a_forced_lockout_is_said_and_the_step_that_is_printed_leads_out(home: Home) -> None:
    root = key_file(home, "root", GOOD)
    assert home.run("keys", "revoke", GOOD_ID, "--root", root, "--force") == Exit.OK
    assert home.err.startswith("警告：吊销后没有一把密钥可用，本机会拒绝全部技能")
    step = home.out.splitlines()[-1]
    assert step.startswith("下一步：请用 sgclaw keys new 名称 --out 目录 生成新密钥，把公钥那一行加到")
    assert use(home) == []
    finding = keys_finding(home)
    assert finding["verdict"] == "fail"
    assert finding["found"] == f"没有一把有效的密钥，全部技能都会被拒绝；不再有效：{GOOD_ID}（已吊销）"
    assert finding["mend"] in step
    assert sign(home, GOOD) == Exit.REFUSED
    assert finding["mend"] in home.err
    _follow_the_way_out(home)
    assert use(home) == ["order-list", "my-skill"]
    assert keys_finding(home)["verdict"] == "ok"


@pytest.mark.requirement("SKILL-36")
def test_a_key_that_nobody_here_has_seen_is_not_revoked_without_force(home: Home) -> None:
    unseen = ATTACKER.public.key_id
    assert revoke(home, ATTACKER, root=GOOD) == Exit.USAGE
    assert error(home)["message"] == f"本机没有见过编号 {unseen} 的密钥"
    assert error(home)["facts"] == {"unseen": [unseen]}
    assert revoke(home, ATTACKER, root=GOOD, options=["--force"]) == Exit.OK
    assert home.json()["warnings"] == [f"本机没有见过编号 {unseen} 的密钥"]
    assert use(home) == ["order-list", "my-skill"]


def _in_the_registry(home: Home, key: SecretKey) -> None:
    home.skills.key = key
    home.skills.sign(Release(serial=8, updated_at=NOW, expires=NOW.replace(year=2036)))


def _in_the_marks(home: Home, key: SecretKey) -> None:
    pin(home, key_text(GOOD.public), key_text(key.public))
    _in_the_registry(home, key)
    use(home)
    _in_the_registry(home, GOOD)
    pin(home, key_text(GOOD.public))


def _in_the_chain(home: Home, key: SecretKey) -> None:
    rotate(home, GOOD, NEXT)
    rotate(home, NEXT, key)
    pin(home, key_text(GOOD.public), f"root:{key_text(GOOD.public)}", key_text(ROOT_KEY.public))


def _in_the_list(home: Home, key: SecretKey) -> None:
    revoke(home, key, root=GOOD, options=["--force"])


@pytest.mark.requirement("SKILL-36")
@pytest.mark.parametrize("place", [_in_the_registry, _in_the_marks, _in_the_chain, _in_the_list])
def test_a_key_that_was_seen_anywhere_here_is_known(home: Home, place: Callable[[Home, SecretKey], None]) -> None:
    place(home, ATTACKER)
    assert revoke(home, ATTACKER, root=GOOD) == Exit.OK
    assert ATTACKER.public.key_id in cast("list[str]", home.json()["revoked"])


@pytest.mark.requirement("SKILL-36")
def test_without_a_readable_registry_the_other_places_count(home: Home) -> None:
    home.settings.registry.write_bytes(b"{")
    pin(home, key_text(GOOD.public), key_text(NEXT.public))
    assert revoke(home, NEXT, root=GOOD) == Exit.OK


# --- doctor -----------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("SKILL-37")
def test_doctor_lists_the_keys_in_force_and_those_that_fell(home: Home) -> None:
    assert keys_finding(home)["found"] == f"有效的密钥 1 把：{GOOD_ID}"
    rotate(home)
    assert keys_finding(home)["found"] == f"有效的密钥 1 把：{NEXT_ID}；不再有效：{GOOD_ID}（已轮换）"


@pytest.mark.requirement("SKILL-37")
def test_doctor_warns_of_the_development_key_only_while_it_is_in_force(home: Home) -> None:
    dev = parse_secret_key(DEV_KEY.read_bytes())
    home.trust(dev)
    finding = keys_finding(home)
    assert finding["verdict"] == "warn"
    assert finding["found"].startswith(f"有效的密钥 1 把：{DEV_KEY_ID}；")
    rotate(home, dev, NEXT)
    sign(home, NEXT)
    finding = keys_finding(home)
    assert (finding["verdict"], finding["mend"]) == ("ok", "")
    assert finding["found"] == f"有效的密钥 1 把：{NEXT_ID}；不再有效：{DEV_KEY_ID}（已轮换）"
    assert keys_finding(home, "--production")["verdict"] == "fail"


@pytest.mark.requirement("SKILL-37")
def test_doctor_names_the_file_that_keeps_it_from_knowing_the_keys(home: Home) -> None:
    home.settings.trust_root.write_text("nothing\n")
    finding = keys_finding(home)
    assert (finding["verdict"], finding["found"]) == (
        "fail",
        f"读不到公钥，或密钥文件的格式不对：{home.settings.trust_root}",
    )
