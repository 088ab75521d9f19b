import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from sgclaw.errors import RegistryRefusedError, SkillNotFoundError, SkillRefusedError
from sgclaw.skills.ed25519 import PublicKey
from sgclaw.skills.files import read_trust_root
from sgclaw.skills.signing import sign_skill
from tests.unit.skills.folder import ATTACKER, GOOD, NOW, RELEASE, Folder, hash_of, resigned, script

ALL = ["erp-report", "oa-approval", "my-skill"]


@pytest.mark.requirement("SKILL-50")
def test_every_signed_skill_loads(folder: Folder) -> None:
    catalogue = folder.load()
    assert list(catalogue.skills) == ALL
    assert (list(catalogue.refused), catalogue.registry_error) == ([], None)
    assert catalogue.get("oa-approval") is catalogue.get("oa-approval@1.2.0") is catalogue.skills["oa-approval"]


@pytest.mark.requirement("SKILL-51")
def test_one_bad_entry_refuses_only_itself(folder: Folder) -> None:
    folder.write("builtin/erp-report.js", script("erp-report") + " ")
    catalogue = folder.load()
    assert list(catalogue.skills) == ["oa-approval", "my-skill"]
    (refusal,) = catalogue.refused
    assert (refusal.name, refusal.file, refusal.code, refusal.reason, refusal.cause, refusal.next_step) == (
        "erp-report",
        "builtin/erp-report.js",
        "SKILL_REFUSED",
        "HASH_MISMATCH",
        "技能文件与签名时不一致",
        "请从可信来源重新安装技能；如果是您自己修改的，请用 sgclaw skill sign 重新签名",
    )
    assert {"expected", "actual", "name", "file"} <= set(refusal.facts)
    with pytest.raises(SkillRefusedError) as caught:
        catalogue.get("erp-report")
    assert caught.value.facts == refusal.facts


@pytest.mark.requirement("SKILL-51")
def test_swapped_files_are_both_refused(folder: Folder) -> None:
    first, second = folder.root / "builtin/erp-report.js", folder.root / "builtin/oa-approval.js"
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    assert folder.outcome() == (["my-skill"], [("erp-report", "HASH_MISMATCH"), ("oa-approval", "HASH_MISMATCH")])


@pytest.mark.requirement("SKILL-51")
def test_a_bad_header_is_reported_with_its_line(folder: Folder) -> None:
    good = sign_skill(GOOD, "builtin/erp-report.js", script("erp-report").encode())
    bad = script("erp-report", extra=" * @colour red\n").encode()
    folder.write("builtin/erp-report.js", bad)
    folder.sign_entries(resigned(good, hash=hash_of(bad)))
    (refusal,) = folder.load().refused
    assert (refusal.name, refusal.reason, refusal.cause) == (
        "erp-report",
        "BAD_MANIFEST",
        "第 6 行 @colour：没有这个标签",
    )
    assert refusal.facts["line"] == 6


@pytest.mark.requirement("SKILL-51")
def test_a_deleted_file_and_an_unlisted_file_change_nothing_else(folder: Folder) -> None:
    (folder.root / "builtin/oa-approval.js").unlink()
    folder.write("builtin/unlisted.js", script("unlisted"))
    assert folder.outcome() == (["erp-report", "my-skill"], [("oa-approval", "NO_FILE")])


@pytest.mark.requirement("SKILL-59")
def test_a_script_that_is_not_signed_is_told_and_refused_by_name(folder: Folder) -> None:
    folder.write("custom/new-one.js", "this is not even read")
    catalogue = folder.load()
    (item,) = catalogue.unsigned
    assert (item.name, item.file, item.reason, item.cause) == (
        "new-one",
        "custom/new-one.js",
        "UNSIGNED",
        "技能文件还没有签名",
    )
    assert "sgclaw skill sign" in item.next_step
    with pytest.raises(SkillRefusedError) as refused:
        catalogue.get("new-one")
    assert refused.value.facts == {"reason": "UNSIGNED", "name": "new-one", "file": "custom/new-one.js"}
    with pytest.raises(SkillNotFoundError):
        catalogue.get("new-two")


@pytest.mark.requirement("SKILL-59")
def test_an_unsigned_file_of_a_signed_skills_name_changes_nothing_for_that_skill(folder: Folder) -> None:
    folder.write("custom/erp-report.js", script("erp-report"))
    assert folder.load().get("erp-report").manifest.name == "erp-report"


@pytest.mark.requirement("SKILL-59")
def test_without_a_usable_registry_nothing_is_called_unsigned(folder: Folder) -> None:
    folder.registry.unlink()
    assert list(folder.load().unsigned) == []


@pytest.mark.requirement("SKILL-52")
def test_a_refused_registry_refuses_the_set_and_says_so_everywhere(folder: Folder) -> None:
    folder.registry.unlink()
    catalogue = folder.load()
    assert dict(catalogue.skills) == {}
    assert [(each.name, each.file, each.code, each.reason) for each in catalogue.refused] == [
        ("", "registry.json", "REGISTRY_REFUSED", "NO_REGISTRY")
    ]
    with pytest.raises(RegistryRefusedError) as caught:
        catalogue.get("erp-report")
    assert catalogue.registry_error is caught.value


@pytest.mark.requirement("SKILL-52")
def test_an_expired_registry_refuses_the_set(folder: Folder) -> None:
    catalogue = folder.load(RELEASE.expires + timedelta(days=1))
    assert (list(catalogue.skills), [each.reason for each in catalogue.refused]) == ([], ["EXPIRED"])


@pytest.mark.requirement("SKILL-52")
def test_a_weak_pinned_key_is_a_refusal_and_no_crash(folder: Folder) -> None:
    folder.trusted = (GOOD.public, PublicKey(bytes(32)))
    assert folder.outcome() == ([], [("", "WEAK_KEY")])


@pytest.mark.requirement("SKILL-53")
def test_an_unknown_name_or_version_is_not_found(folder: Folder) -> None:
    catalogue = folder.load()
    with pytest.raises(SkillNotFoundError):
        catalogue.get("nobody")
    with pytest.raises(SkillNotFoundError) as caught:
        catalogue.get("oa-approval@1.3.0")
    assert caught.value.facts == {"name": "oa-approval", "version": "1.3.0", "available": "1.2.0"}


@pytest.mark.requirement("SKILL-54")
def test_a_file_replaced_after_verification_has_no_effect(folder: Folder) -> None:
    catalogue = folder.load()
    skill = catalogue.get("erp-report")
    folder.write("builtin/erp-report.js", script("erp-report") + "evil()")
    assert catalogue.get("erp-report").body == skill.body == script("erp-report")
    assert ("erp-report", "HASH_MISMATCH") in folder.outcome()[1]


@pytest.mark.requirement("SKILL-54")
def test_nothing_is_read_before_the_first_question(folder: Folder) -> None:
    catalogue = folder.load()
    folder.write("builtin/late.js", script("late"))
    folder.sign()
    assert "late" in catalogue.skills


@pytest.mark.requirement("SKILL-55")
def test_production_refuses_a_trust_root_that_holds_the_development_key(folder: Folder) -> None:
    shipped = read_trust_root(Path(__file__).resolve().parents[3] / "keys" / "skill_verify.pub")
    folder.trusted = (GOOD.public, *shipped.signing)
    assert list(folder.load().skills) == ALL
    assert [each.reason for each in folder.load(production=True).refused] == ["DEV_KEY_IN_PRODUCTION"]
    folder.trusted = (GOOD.public,)
    assert list(folder.load(production=True).skills) == ALL


@pytest.mark.requirement("SKILL-14")
def test_an_entry_signed_by_someone_else_is_refused_among_good_ones(folder: Folder) -> None:
    entries = [
        sign_skill(ATTACKER, "builtin/erp-report.js", script("erp-report").encode()),
        sign_skill(GOOD, "custom/my-skill.js", script("my-skill").encode()),
    ]
    folder.sign_entries(*entries)
    assert folder.outcome() == (["my-skill"], [("erp-report", "BAD_SIGNATURE")])


@pytest.mark.requirement("SKILL-56")
def test_a_hundred_skills_load_within_a_quarter_second(folder: Folder) -> None:
    for number in range(100):
        folder.write(f"custom/skill-{number}.js", script(f"skill-{number}"))
    folder.sign()
    folder.load().get("erp-report")
    start = time.process_time()
    assert len(folder.load().skills) == 103
    assert time.process_time() - start < 0.25


@pytest.mark.requirement("SKILL-56")
def test_loading_imports_no_validator(folder: Folder) -> None:
    code = (
        "import sys; from pathlib import Path; from datetime import datetime, UTC;"
        "from sgclaw.skills.catalogue import Catalogue, Terms; from sgclaw.skills.ed25519 import PublicKey, TrustRoot;"
        "assert 'nacl' not in sys.modules;"
        f"keys = (PublicKey(bytes.fromhex({GOOD.public.raw.hex()!r})),);"
        f"terms = Terms(TrustRoot(keys, keys), datetime.fromisoformat({NOW.isoformat()!r}));"
        f"c = Catalogue(Path({str(folder.root)!r}), Path({str(folder.registry)!r}), terms);"
        "assert len(c.skills) == 3, c.refused;"
        "print(sorted({'jsonschema', 'rjieba', 'asyncio', 'sqlite3'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


@pytest.mark.requirement("SKILL-51")
@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_a_refusal(folder: Folder) -> None:
    (folder.root / "builtin/erp-report.js").chmod(0)
    assert ("erp-report", "NO_FILE") in folder.outcome()[1]
