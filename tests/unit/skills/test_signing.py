import json

import pytest

from sgclaw.errors import BadManifestError, SkillRefusedError
from sgclaw.skills.ed25519 import DEV_KEY_ID
from sgclaw.skills.registry import canonical, format_time, parse_time
from sgclaw.skills.signing import build_registry, sign_skill
from tests.unit.skills.folder import GOOD, RELEASE, Folder, script


@pytest.mark.requirement("SKILL-70")
def test_the_same_folder_key_and_release_give_the_same_bytes(folder: Folder) -> None:
    assert build_registry(folder.root, GOOD, RELEASE) == build_registry(folder.root, GOOD, RELEASE)


@pytest.mark.requirement("SKILL-70")
def test_a_registry_has_the_documented_fields_in_order(folder: Folder) -> None:
    document = json.loads(build_registry(folder.root, GOOD, RELEASE))
    assert list(document) == ["version", "updated_at", "serial", "expires", "key_id", "skills", "signature"]
    assert [each["file"] for each in document["skills"]] == [
        "builtin/erp-report.js",
        "builtin/oa-approval.js",
        "custom/my-skill.js",
    ]
    assert list(document["skills"][0]) == [
        *("name", "kind", "file", "version", "hash", "domains", "actions", "enabled", "signature")
    ]
    assert (document["serial"], document["expires"]) == (7, "2027-03-01T00:00:00Z")
    assert document["key_id"] == GOOD.public.key_id != DEV_KEY_ID


@pytest.mark.requirement("SKILL-71")
def test_the_signed_statement_is_fixed() -> None:
    source = script("erp-report", extra=" * @actions click\n").encode()
    entry = sign_skill(GOOD, "builtin/erp-report.js", source)
    assert entry.statement() == (
        b'{"capabilities":{"actions":["click"]},"domains":["erp.example.com"],"enabled":true,"file":"builtin/erp-report.js",'
        b'"kind":"script","label":"sgclaw/skill/v1","name":"erp-report","sha256":"'
        + entry.sha256.encode()
        + b'","version":"1.0.0"}'
    )


def test_canonical_bytes_are_sorted_compact_and_raw_utf8() -> None:
    assert canonical({"b": ["报"], "a": {"d": 1, "c": True}}) == '{"a":{"c":true,"d":1},"b":["报"]}'.encode()


def test_a_disabled_skill_stays_listed_and_is_refused(folder: Folder) -> None:
    folder.registry.write_bytes(build_registry(folder.root, GOOD, RELEASE, disabled={"oa-approval"}))
    assert folder.outcome() == (["erp-report", "my-skill"], [("oa-approval", "DISABLED")])


@pytest.mark.requirement("SKILL-72")
def test_what_could_not_be_loaded_is_not_signed(folder: Folder) -> None:
    with pytest.raises(BadManifestError):
        sign_skill(GOOD, "builtin/a.js", b"x")
    with pytest.raises(SkillRefusedError) as hidden:
        sign_skill(GOOD, "builtin/a.js", script("a").encode() + "\u202e".encode())
    with pytest.raises(SkillRefusedError) as path:
        sign_skill(GOOD, "builtin/A.js", script("a").encode())
    folder.write("custom/again.js", script("erp-report"))
    with pytest.raises(SkillRefusedError) as twice:
        build_registry(folder.root, GOOD, RELEASE)
    assert [each.value.facts["reason"] for each in (hidden, path, twice)] == [
        "HIDDEN_CHARACTERS",
        "BAD_PATH",
        "DUPLICATE",
    ]


def test_an_update_with_a_higher_version_loads(folder: Folder) -> None:
    folder.write("builtin/erp-report.js", script("erp-report", version="1.10.0"))
    folder.sign()
    assert folder.load().get("erp-report").manifest.ref == "erp-report@1.10.0"


def test_times_have_one_form() -> None:
    assert format_time(parse_time("2026-03-01T00:00:00Z")) == "2026-03-01T00:00:00Z"
