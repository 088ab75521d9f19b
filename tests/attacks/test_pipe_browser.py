"""The lines a hostile sgclaw might send: the browser's end alone carries out what is right and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.corpus import Case
from tests.attacks.pipe.agent_words import selectors_of
from tests.attacks.pipe.browser import browser_end, site_of
from tests.attacks.pipe.browser_lines import Exchange
from tests.attacks.pipe.sessions import sessions_of
from tests.attacks.pipe.verdicts import REFUSING, Outcome, check

SUITE = "pipe-lines"


def concerns(case: Case) -> bool:
    return bool(case.data["to"] == "browser")


@pytest.mark.requirement("ATTACK-07", "ATTACK-08", "ATTACK-09")
async def test_the_browser_alone_deals_with_the_lines_of_sgclaw_as_it_must(attack: Case, tmp_path: Path) -> None:
    outcomes: list[Outcome] = []
    for lines in sessions_of(attack):
        async with browser_end(tmp_path, attack.data["state"], site=site_of(selectors_of(attack))) as end:
            run = Exchange(end, attack)
            outcomes += await run.play(lines)
            assert set(end.host.refusals) <= REFUSING | {"NOT_IMPLEMENTED"}  # what the vault of this host would judge
            assert len(end.host.refusals) <= run.sent + (attack.data["state"] == "confirming")
            if not end.closed:
                await _still_serves(end_of=run)
    check(attack.data["must"], outcomes)


async def _still_serves(end_of: Exchange) -> None:
    """On a page of its own origin again, the next right command is taken: at once when no number was used up."""
    end, case = end_of.end, end_of.case
    if case.data["state"] == "fresh":
        await end.get_ready()
    page = end.driver.pages["p1"]
    page.url = "https://erp.example.com/"
    for element in page.elements.values():
        element.frame = None
    used_up = await end.still_serves(end_of.sent)
    if "command 8 is accepted" in str(case.data["must"].get("after")):
        assert (used_up, end.next) == (0, 9)
