"""What the repository itself ships: its registry, its trust root, its documentation."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sgclaw.skills.catalogue import Catalogue, Terms
from sgclaw.skills.ed25519 import DEV_KEY_ID, parse_secret_key
from sgclaw.skills.files import list_scripts, read_trust_root
from sgclaw.skills.header import TAGS
from sgclaw.skills.reasons import WORDS, Reason
from sgclaw.skills.schema import FORMATS, KEYWORDS
from sgclaw.skills.signing import sign_skill
from tests.unit.skills.folder import GOOD

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.requirement("SKILL-80")
def test_every_shipped_skill_is_signed_and_loads() -> None:
    keys = read_trust_root(ROOT / "keys" / "skill_verify.pub")
    catalogue = Catalogue(ROOT / "skills", ROOT / "registry.json", Terms(keys, datetime.now(UTC)))
    assert list(catalogue.refused) == []
    loaded = [f"builtin/{name}.js" for name in catalogue.skills]
    builtin = {file for file in list_scripts(ROOT / "skills") if file.startswith("builtin/")}
    assert builtin
    assert builtin <= set(loaded)


@pytest.mark.requirement("SKILL-55")
def test_the_development_key_is_the_one_that_production_knows() -> None:
    secret = parse_secret_key((ROOT / "keys" / "DEV-ONLY-skill-signing.key").read_bytes())
    assert secret.public.key_id == DEV_KEY_ID


@pytest.mark.requirement("SKILL-81")
def test_the_documentation_names_every_reason_tag_and_keyword() -> None:
    page = (ROOT / "docs" / "skills.md").read_text(encoding="utf-8")
    wanted = [f"`{word}`" for word in (*Reason, *(f"@{tag}" for tag in TAGS), *KEYWORDS, *FORMATS)]
    assert [word for word in wanted if word not in page] == []


@pytest.mark.requirement("SKILL-81")
def test_the_documented_first_skill_can_be_signed() -> None:
    page = (ROOT / "docs" / "skills.md").read_text(encoding="utf-8")
    source = page.split("```javascript\n")[1].split("```")[0]
    assert sign_skill(GOOD, "custom/erp-total.js", source.encode()).name == "erp-total"


def test_every_reason_has_words_for_the_user() -> None:
    assert set(WORDS) == set(Reason)
