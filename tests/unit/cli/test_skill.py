import hashlib

import pytest

from sgclaw.cli.exits import Exit
from sgclaw.skills.ed25519 import DEV_KEY_ID, parse_secret_key
from tests.unit.cli.home import ORDERS, ROOT, Home
from tests.unit.skills.folder import GOOD, script

DEV_KEY = ROOT / "keys" / "DEV-ONLY-skill-signing.key"
SHA256 = hashlib.sha256(ORDERS.encode()).hexdigest()


def _spoil(home: Home) -> None:
    home.skills.write("custom/my-skill.js", script("my-skill") + "\n")


def _refused(document: dict[str, object]) -> list[tuple[object, object]]:
    entries = document["refused"]
    assert isinstance(entries, list)
    return [(entry["name"], entry["reason"]) for entry in entries]


# --- list, show, verify ---------------------------------------------------------------------------------------------


@pytest.mark.requirement("CLI-10")
def test_list_shows_usable_and_refused_skills(home: Home) -> None:
    _spoil(home)
    assert home.run("skill", "list") == Exit.OK
    assert [line.split() for line in home.out.splitlines()] == [
        ["名称", "版本", "状态", "域名", "说明"],
        ["order-list", "1.2.0", "可用", "erp.example.com", "导出订单清单"],
        ["my-skill", "—", "已拒绝：HASH_MISMATCH", "—", "技能文件与签名时不一致"],
    ]


@pytest.mark.requirement("CLI-10")
def test_list_as_json_is_one_object(home: Home) -> None:
    _spoil(home)
    assert home.run("skill", "list", "--json") == Exit.OK
    document = home.json()
    assert document["skills"] == [
        {
            "name": "order-list",
            "version": "1.2.0",
            "kind": "script",
            "description": "导出订单清单",
            "state": "usable",
            "domains": ["erp.example.com"],
            "sha256": SHA256,
            "key_id": GOOD.public.key_id,
        }
    ]
    assert _refused(document) == [("my-skill", "HASH_MISMATCH")]


def test_an_empty_catalogue_says_what_to_do(home: Home) -> None:
    for file in ("builtin/order-list.js", "custom/my-skill.js"):
        (home.settings.skills_root / file).unlink()
    home.skills.sign()
    home.run("skill", "list")
    assert "sgclaw skill sign" in home.out


@pytest.mark.requirement("CLI-11")
def test_a_refused_registry_ends_list_with_4(home: Home) -> None:
    home.settings.registry.write_bytes(home.settings.registry.read_bytes().replace(b'"serial": 7', b'"serial": 8'))
    assert home.run("skill", "list", "--json") == Exit.REFUSED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["facts"]["reason"]) == ("REGISTRY_REFUSED", "BAD_SIGNATURE")


@pytest.mark.requirement("CLI-12")
def test_show_tells_header_inputs_powers_and_signature(home: Home) -> None:
    assert home.run("skill", "show", "order-list") == Exit.OK
    assert "名称：order-list@1.2.0" in home.out
    assert f"sha256：{SHA256}" in home.out
    assert f"签名密钥：{GOOD.public.key_id}" in home.out
    rows = [line.split() for line in home.out.splitlines()[-2:]]
    assert rows == [["month", "string", "是", "月份"], ["rows", "integer", "否", "10", "行数"]]
    home.run("skill", "show", "order-list@1.2.0", "--json")
    document = home.json()
    assert (document["name"], document["sha256"], document["key_id"]) == ("order-list", SHA256, GOOD.public.key_id)


@pytest.mark.requirement("CLI-12")
@pytest.mark.parametrize(
    ("name", "code"), [("no-such", Exit.FAILED), ("order-list@9.9.9", Exit.FAILED), ("my-skill", Exit.REFUSED)]
)
def test_show_of_a_missing_or_refused_skill_says_why(home: Home, name: str, code: Exit) -> None:
    _spoil(home)
    assert home.run("skill", "show", name) == code


@pytest.mark.requirement("CLI-13")
def test_verify_judges_every_entry_and_exits_with_4_when_one_is_refused(home: Home) -> None:
    assert home.run("skill", "verify") == Exit.OK
    assert home.out.splitlines()[-1] == "2 个通过，0 个被拒绝"
    _spoil(home)
    assert home.run("skill", "verify", "--json") == Exit.REFUSED
    document = home.json()
    assert document["ok"] is False
    assert _refused(document) == [("my-skill", "HASH_MISMATCH")]
    home.run("skill", "verify")
    assert home.out.splitlines()[2].split()[:3] == ["拒绝", "my-skill", "HASH_MISMATCH"]


@pytest.mark.requirement("CLI-13")
def test_verify_of_one_skill_is_not_bothered_by_another(home: Home) -> None:
    _spoil(home)
    assert home.run("skill", "verify", "order-list") == Exit.OK
    assert home.run("skill", "verify", "my-skill") == Exit.REFUSED
    assert home.run("skill", "verify", "no-such") == Exit.FAILED


@pytest.mark.requirement("CLI-13")
def test_verify_of_a_refused_registry_names_it(home: Home) -> None:
    home.settings.registry.write_bytes(b"{}")
    assert home.run("skill", "verify") == Exit.REFUSED
    assert home.out.splitlines()[1].split()[:3] == ["拒绝", "registry.json", "BAD_REGISTRY"]


@pytest.mark.requirement("CLI-19")
def test_a_script_that_is_not_signed_is_shown_with_signing_as_the_next_step(home: Home) -> None:
    home.skills.write("custom/new-one.js", script("new-one"))
    assert home.run("skill", "list") == Exit.OK
    assert home.out.splitlines()[-1].split() == ["new-one", "—", "未签名", "—", "技能文件还没有签名"]
    assert home.run("skill", "verify") == Exit.REFUSED
    row, end = home.out.splitlines()[-2:]
    assert row.split()[:3] == ["未签名", "new-one", "UNSIGNED"]
    assert "sgclaw skill sign" in row
    assert end == "2 个通过，0 个被拒绝，1 个未签名"
    assert home.run("skill", "show", "new-one", "--json") == Exit.REFUSED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["facts"]["reason"] == "UNSIGNED"


# --- sign -----------------------------------------------------------------------------------------------------------


def _sign_with(home: Home, *options: str) -> int:
    key = home.folder / "mine.key"
    key.write_text(f"ed25519-{'secret'}:{GOOD.seed.hex()}\n")
    key.chmod(0o600)
    return home.run("skill", "sign", "--key", str(key), *options)


@pytest.mark.requirement("CLI-14")
def test_sign_makes_changed_skills_usable_again_under_the_next_serial(home: Home) -> None:
    _spoil(home)
    assert _sign_with(home, "--json") == Exit.OK
    document = home.json()
    assert document == {
        "registry": str(home.settings.registry),
        "serial": 8,
        "expires": "2027-03-31T08:00:00Z",
        "key_id": GOOD.public.key_id,
        "skills": ["my-skill", "order-list"],
        "warnings": [],
    }
    assert home.run("skill", "verify") == Exit.OK
    assert not list(home.settings.home.glob(".*"))


@pytest.mark.requirement("CLI-14")
def test_sign_keeps_a_switched_off_skill_off(home: Home) -> None:
    from sgclaw.skills.signing import build_registry
    from tests.unit.skills.folder import RELEASE

    content = build_registry(home.settings.skills_root, GOOD, RELEASE, disabled={"my-skill"})
    home.settings.registry.write_bytes(content)
    _sign_with(home)
    home.run("skill", "verify", "--json")
    assert _refused(home.json()) == [("my-skill", "DISABLED")]


@pytest.mark.requirement("CLI-15")
@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--serial", "7"], "BAD_USAGE"),
        (["--expires", "2026-03-30"], "BAD_USAGE"),
        (["--expires", "next year"], "BAD_USAGE"),
    ],
)
def test_sign_refuses_what_loading_would_refuse(home: Home, options: list[str], code: str) -> None:
    before = home.settings.registry.read_bytes()
    assert _sign_with(home, *options, "--json") == Exit.USAGE
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["code"] == code
    assert home.settings.registry.read_bytes() == before


@pytest.mark.requirement("CLI-15")
def test_sign_writes_nothing_when_a_script_is_refused(home: Home) -> None:
    before = home.settings.registry.read_bytes()
    home.skills.write("custom/broken.js", "// no header")
    assert _sign_with(home) == Exit.FAILED
    assert home.settings.registry.read_bytes() == before
    assert not list(home.settings.home.glob(".*"))


@pytest.mark.requirement("CLI-17")
@pytest.mark.parametrize(
    ("body", "cause", "line"),
    [
        ("async function execute() {\n  const a = ;\n}\n", "第 9 行 SyntaxError: unexpected token", 9),
        ("async function run() {}\n", "没有 async function execute(params, browserAction)", None),
    ],
)
def test_sign_refuses_a_script_that_does_not_load(home: Home, body: str, cause: str, line: int | None) -> None:
    before = home.settings.registry.read_bytes()
    header = script("broken").partition("async function")[0]
    home.skills.write("custom/broken.js", header + "\n" + body)
    assert _sign_with(home, "--json") == Exit.FAILED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["code"] == "SANDBOX_TERMINATED"
    assert error["message"].startswith("custom/broken.js：脚本无法加载：")
    assert cause in error["message"]
    assert (error["facts"]["file"], error["facts"].get("line")) == ("custom/broken.js", line)
    assert home.settings.registry.read_bytes() == before


@pytest.mark.requirement("CLI-18")
@pytest.mark.parametrize("source", ["// no header\n", script("bad").replace("@domains", "@domain"), "\ufeff"])
def test_sign_names_the_file_that_it_refuses(home: Home, source: str) -> None:
    home.skills.write("custom/bad.js", source)
    assert _sign_with(home, "--json") != Exit.OK
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["message"].startswith("custom/bad.js：")
    assert error["facts"]["file"] == "custom/bad.js"


@pytest.mark.requirement("CLI-15")
def test_an_unreadable_old_registry_needs_an_explicit_serial(home: Home) -> None:
    home.settings.registry.write_bytes(b"{")
    assert _sign_with(home) == Exit.USAGE
    assert _sign_with(home, "--serial", "9", "--json") == Exit.OK
    assert home.json()["serial"] == 9
    home.settings.registry.unlink()
    _sign_with(home, "--json")
    assert home.json()["serial"] == 1


@pytest.mark.requirement("CLI-16")
def test_the_development_key_is_the_default_and_says_so_loudly(home: Home) -> None:
    (home.settings.trust_root.parent / DEV_KEY.name).write_bytes(DEV_KEY.read_bytes())
    home.trust(parse_secret_key(DEV_KEY.read_bytes()))
    assert home.run("skill", "sign") == Exit.OK
    assert "DEV-ONLY" in home.err
    home.run("skill", "show", "order-list", "--json")
    assert home.json()["key_id"] == DEV_KEY_ID


@pytest.mark.requirement("CLI-16")
def test_the_development_key_is_refused_in_production(home: Home) -> None:
    before = home.settings.registry.read_bytes()
    home.with_settings(production=True)
    assert home.run("skill", "sign", "--key", str(DEV_KEY), "--json") == Exit.REFUSED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["facts"]["reason"] == "DEV_KEY_IN_PRODUCTION"
    assert home.settings.registry.read_bytes() == before


def test_sign_warns_of_a_key_that_others_can_read(home: Home) -> None:
    key = home.folder / "mine.key"
    key.write_text(f"ed25519-{'secret'}:{GOOD.seed.hex()}\n")
    key.chmod(0o644)
    assert home.run("skill", "sign", "--key", str(key)) == Exit.OK
    assert "chmod 600" in home.err


# --- keys -----------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("CLI-20")
def test_a_new_key_signs_what_its_public_half_trusts(home: Home) -> None:
    out = home.folder / "new" / "keys"
    assert home.run("keys", "new", "mine", "--out", str(out), "--json") == Exit.OK
    facts = home.json()
    assert (out / "mine.key").stat().st_mode & 0o777 == 0o600
    assert out.stat().st_mode & 0o777 == 0o700
    home.settings.trust_root.write_bytes((out / "mine.pub").read_bytes())
    assert home.run("skill", "sign", "--key", str(out / "mine.key")) == Exit.OK
    assert home.err == ""
    home.run("skill", "show", "order-list", "--json")
    assert home.json()["key_id"] == facts["key_id"]


@pytest.mark.requirement("CLI-20")
@pytest.mark.parametrize("existing", ["mine.key", "mine.pub"])
def test_nothing_that_exists_is_overwritten(home: Home, existing: str) -> None:
    (home.folder / existing).write_text("precious")
    assert home.run("keys", "new", "mine", "--out", str(home.folder)) == Exit.USAGE
    assert (home.folder / existing).read_text() == "precious"
    assert [path.name for path in home.folder.glob("mine.*")] == [existing]


@pytest.mark.requirement("CLI-20")
@pytest.mark.parametrize("name", ["../mine", "", "a b", "a" * 65, "-x"])
def test_a_key_name_is_a_plain_name(home: Home, name: str) -> None:
    assert home.run("keys", "new", "--out", str(home.folder / "keys"), "--", name) == Exit.USAGE
    assert not (home.folder / "keys").exists()
