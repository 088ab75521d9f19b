"""How complete a snapshot is, and how the page should be looked at."""

from __future__ import annotations

import pytest

from sgclaw.perception.model import View
from sgclaw.perception.tiers import Tier, choose, completeness
from sgclaw.protocol.results import AomNode
from tests.unit.perception.pages import node, page_of

BUTTONS = tuple(node("button", f"操作{n}", ref=n) for n in range(1, 11))
CHART = node("img", "月度图表", ref=90, bounds=(0, 0, 1000, 600))
WHOLE = node("main", "", ref=91, bounds=(0, 0, 1200, 800))


@pytest.mark.requirement("SEE-03")
@pytest.mark.parametrize(
    ("view", "complete", "share"),
    [
        (None, False, 0.0),
        (page_of(*BUTTONS), True, 1.0),
        (page_of(*BUTTONS, total=12), True, 10 / 12),
        (page_of(*BUTTONS[:8], total=10), False, 0.8),
        (page_of(*BUTTONS, cut=True), False, 1.0),
        (page_of(), False, 0.0),
        (page_of(blank=True), True, 1.0),
        (page_of(node("text", "没有可操作的"), total=0), True, 1.0),
        (page_of(node("text", "没有列出"), total=3), False, 0.0),
        (page_of(*BUTTONS, total=5), True, 1.0),
    ],
)
def test_a_snapshot_is_complete_above_eighty_percent_and_never_when_cut(
    view: View | None, complete: bool, share: float
) -> None:
    state = completeness(view)
    assert (state.complete, state.share) == (complete, share)
    assert state.reason


@pytest.mark.requirement("SEE-04")
@pytest.mark.parametrize(
    ("nodes", "total", "pictures", "tier"),
    [
        (BUTTONS, 10, True, Tier.AOM),
        (BUTTONS, 20, True, Tier.SOM),
        (BUTTONS, 20, False, Tier.PERSON),
        ((*BUTTONS, WHOLE, CHART), 10, True, Tier.AOM_SOM),
        ((*BUTTONS, WHOLE, CHART), 10, False, Tier.AOM),
        ((*BUTTONS, WHOLE, node("img", "", ref=92, bounds=(0, 0, 40, 40))), 10, True, Tier.AOM),
        ((WHOLE, CHART), 0, True, Tier.SOM),
        ((*BUTTONS, node("canvas", "", ref=93, bounds=(0, 0, 900, 700)), WHOLE), 10, True, Tier.AOM_SOM),
    ],
)
def test_the_next_look_follows_from_completeness_and_layout(
    nodes: tuple[AomNode, ...], total: int, pictures: bool, tier: Tier
) -> None:
    choice = choose(page_of(*nodes, total=total), pictures=pictures)
    assert choice.tier is tier
    assert choice.reason
