"""Addresses that look like listed ones: sgclaw's copy of the policy and the browser agree, and both are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgclaw.policy.model import parse_policy, policy_document
from tests.attacks.corpus import Case
from tests.attacks.pipe.domains import Row, browser_allows, kind_of

SUITE = "pipe-domains"


@pytest.mark.requirement("ATTACK-10", "ATTACK-11", "POLICY-02", "POLICY-03")
async def test_both_sides_give_the_same_and_the_right_verdict(attack: Case, tmp_path: Path) -> None:
    row = Row(attack)
    says = kind_of(row).says(parse_policy(policy_document(list(row.origins))), row)
    does = await browser_allows(row, tmp_path)
    assert says == does
    if "may be refused" not in str(attack.data.get("variant")) or says:
        assert says == attack.data["allow"]
