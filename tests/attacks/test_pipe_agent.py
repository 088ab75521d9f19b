"""The lines a browser might send: a real `sgclaw pipe` drops what is wrong, takes what is right, and stays in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.attacks.corpus import Case
from tests.attacks.pipe.agent import agent_end
from tests.attacks.pipe.agent_lines import SAYS, Exchange
from tests.attacks.pipe.always import check_always
from tests.attacks.pipe.browser import browser_end
from tests.attacks.pipe.host_words import seventh_of
from tests.attacks.pipe.sessions import sessions_of
from tests.attacks.pipe.verdicts import Outcome, check
from tests.support.agent import Home

SUITE = "pipe-lines"


def concerns(case: Case) -> bool:
    return bool(case.data["to"] == "agent")


async def invented(text: str, folder: Path) -> Outcome:
    """What the browser says to a command that brings the approval a model speaks of."""
    approval = re.search(r"[A-Za-z_]*id[=:\s]*([A-Za-z0-9_.:-]+)", text)
    async with browser_end(folder, "confirming") as browser:
        params = {"site": "erp.example.com"}
        return await browser.command("logout", params, approval_id=approval[1] if approval else "cfm-1")


@pytest.mark.requirement("ATTACK-01", "ATTACK-02", "ATTACK-03", "ATTACK-04", "ATTACK-05", "ATTACK-06")
async def test_sgclaw_deals_with_the_lines_of_a_browser_as_it_must(attack: Case, tmp_path: Path) -> None:
    outcomes: list[Outcome] = []
    for number, lines in enumerate(sessions_of(attack)):
        home = Home(tmp_path / str(number))
        async with agent_end(home, seventh_of(attack)) as end:
            run = Exchange(end, attack)
            outcomes += await run.play(lines)
            words = [str(line[name]) for line in lines for name in line if re.search(SAYS, name)]
            outcomes += [await invented(said, tmp_path) for said in words]
            outcomes = outcomes or [Outcome(closed=end.closed)]
            await run.conclude()
        check_always(end, run.must_forget)
        assert end.growth <= attack.data.get("max_rss_growth_mb", float("inf"))
        if attack.data["must"].get("error") == "E_BUSY" and not any(outcome.refused for outcome in outcomes):
            # Tasks queue up instead: then the second one must not act before the first one has ended.
            first = end.messages[: end.messages.index(end.report)] if end.report else end.messages
            assert {item["task_id"] for item in first if item["type"] == "command"} == {"t1"}
            return
    check(attack.data["must"], outcomes)
