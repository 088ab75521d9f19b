"""What a refusal tells those who sign skills themselves, beside the step for those who only receive them."""

import pytest

from sgclaw.errors import RegistryRefusedError, SkillRefusedError
from sgclaw.skills.catalogue import Catalogue, Terms
from sgclaw.skills.ed25519 import TrustRoot
from sgclaw.skills.marks import Marks
from sgclaw.skills.papers import problem_text, told
from sgclaw.skills.reasons import AUTHOR_STEPS, WORDS, Reason, add_author_step, refused_registry, refused_skill
from sgclaw.skills.signing import Release
from tests.unit.skills.folder import GOOD, NOW, RELEASE, Folder, script
from tests.unit.skills.test_keyring import CHAIN, LAST, NEXT, ring

GONE_BACK = "如果是您自己的仓库（例如用 git 退回或重新克隆了）"


def judged(folder: Folder, *, production: bool) -> Catalogue:
    trust = TrustRoot(folder.trusted, folder.trusted)
    return Catalogue(folder.root, folder.registry, Terms(trust, NOW, production, folder.state))


def roll_back(folder: Folder) -> None:
    old = folder.registry.read_bytes()
    folder.sign(Release(serial=8, updated_at=RELEASE.updated_at, expires=RELEASE.expires))
    folder.use().get("erp-report")
    folder.registry.write_bytes(old)


@pytest.mark.requirement("SKILL-26")
def test_an_older_set_says_the_vendors_step_and_the_authors(folder: Folder) -> None:
    roll_back(folder)
    (refusal,) = judged(folder, production=False).refused
    vendor, author = WORDS[Reason.ROLLBACK].next_step, "请执行 sgclaw skill sign，用自己的密钥时加 --key 私钥"
    assert refusal.next_step == f"{vendor}；{GONE_BACK}，{author}"


@pytest.mark.requirement("SKILL-26")
def test_in_production_where_no_signing_key_belongs_only_the_vendors_step_is_said(folder: Folder) -> None:
    roll_back(folder)
    (refusal,) = judged(folder, production=True).refused
    assert refusal.next_step == WORDS[Reason.ROLLBACK].next_step


@pytest.mark.requirement("SKILL-26")
def test_an_older_skill_names_the_version_to_go_beyond(folder: Folder) -> None:
    folder.use().get("erp-report")
    folder.write("builtin/erp-report.js", script("erp-report", version="0.9.0"))
    folder.sign(Release(serial=8, updated_at=RELEASE.updated_at, expires=RELEASE.expires))
    (refusal,) = judged(folder, production=False).refused
    assert refusal.reason == "ROLLBACK"
    vendor, author = WORDS[Reason.ROLLBACK].next_step, "请把 @version 改得比 1.0.0 大，再签名"
    assert refusal.next_step == f"{vendor}；{GONE_BACK}，{author}"


@pytest.mark.requirement("SKILL-26")
@pytest.mark.parametrize("reason", AUTHOR_STEPS[RegistryRefusedError])
def test_every_refused_set_with_a_step_for_authors_names_signing(reason: Reason) -> None:
    error = refused_registry(reason)
    add_author_step(error)
    assert error.next_step.startswith(f"{WORDS[reason].next_step}；如果是您自己的仓库")
    assert "sgclaw skill sign" in error.next_step


@pytest.mark.requirement("SKILL-26")
def test_another_refusal_keeps_its_one_step() -> None:
    for error in (refused_registry(Reason.BAD_JSON), refused_skill(Reason.HASH_MISMATCH)):
        before = error.next_step
        add_author_step(error)
        assert error.next_step == before


@pytest.mark.requirement("SKILL-26")
def test_the_step_after_a_rotation_names_the_command_with_the_new_key() -> None:
    assert "sgclaw skill sign --key 新私钥" in WORDS[Reason.KEY_RETIRED].next_step


@pytest.mark.requirement("SKILL-26")
def test_every_reason_with_a_step_for_authors_is_one_that_its_kind_of_refusal_has() -> None:
    assert set(AUTHOR_STEPS) == {RegistryRefusedError, SkillRefusedError}


@pytest.mark.requirement("SKILL-38")
@pytest.mark.parametrize(
    ("reason", "problem", "text"),
    [
        (Reason.BAD_ROTATION, "FORK", "本机见过旧密钥由另一把密钥接替"),
        (Reason.BAD_ROTATION, "NOT_CANONICAL", "排版被改动过"),
        (Reason.BAD_ROTATION, "DUPLICATE_KEY", "不是合法的 JSON"),
        (Reason.BAD_REVOCATION, "ROLLBACK", "名单的序号比本机见过的小"),
        (Reason.BAD_REVOCATION, "BAD_FIELDS", "字段不对"),
    ],
)
def test_what_is_wrong_with_a_paper_is_a_sentence(reason: Reason, problem: str, text: str) -> None:
    assert problem_text(reason, problem) == text
    notice = told(reason, "keys/x.json", problem, serial=3)
    assert (str(notice), notice.next_step) == (f"{WORDS[reason].cause}：{text}", WORDS[reason].next_step)
    assert notice.facts == {"reason": reason.value, "file": "keys/x.json", "problem": problem, "serial": 3}


@pytest.mark.requirement("SKILL-75")
def test_a_rotated_key_leads_to_the_current_one_or_to_none() -> None:
    good, following, last = (key.public.key_id for key in (GOOD, NEXT, LAST))
    assert [ring(rotations=CHAIN).successor(key_id) for key_id in (good, following, last)] == [last, last, last]
    assert ring(marks=Marks(retired={good: following})).successor(good) is None
    assert ring(marks=Marks(retired={good: following, following: good})).successor(good) is None
    assert ring(marks=Marks(retired={following: good})).successor(following) == good
    with pytest.raises(RegistryRefusedError) as caught:
        ring(rotations=CHAIN).registry_key(good)
    assert caught.value.facts == {"reason": "KEY_RETIRED", "key_id": good, "successor": last, "trusted": [last]}
