"""The board's rules."""

from __future__ import annotations

import json
from itertools import product

import pytest

from sgclaw.agent.planning.board import TRANSITIONS, MemoryBoard, Response, Review, Status, check_cards, loaded
from sgclaw.agent.planning.evidence import Rank, suffices
from sgclaw.context.assemble import assemble
from sgclaw.context.matrix import MATRIX
from sgclaw.context.samples import REFERENCES, TRACE_ID, sample
from sgclaw.errors import BadInputsError, BoardRefusedError
from tests.unit.agent.planning.room import NOTE, SEEN, board_with, card_of


@pytest.mark.requirement("PLAN-01")
@pytest.mark.parametrize(("before", "after"), list(product(Status, Status)))
def test_a_status_changes_by_the_table_or_is_refused(before: Status, after: Status) -> None:
    card = card_of(status=before)
    if after in TRANSITIONS[before]:
        assert card.to(after).status is after
        return
    with pytest.raises(BoardRefusedError) as refused:
        card.to(after)
    assert refused.value.facts == {"reason": "illegal_transition", "card": "export", "from": before, "to": after}


@pytest.mark.requirement("PLAN-01")
def test_nothing_that_may_have_been_done_becomes_pending_again() -> None:
    assert [status for status in TRANSITIONS if Status.PENDING in TRANSITIONS[status]] == ["claimed", "blocked"]


@pytest.mark.requirement("PLAN-02")
@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ((card_of("a", depends_on=("b",)), card_of("b", depends_on=("a",))), "cycle"),
        ((card_of("a", depends_on=("a",)),), "cycle"),
        ((card_of("a", depends_on=("z",)),), "unknown_dependency"),
        ((card_of("a"), card_of("a")), "repeated_id"),
    ],
)
def test_a_board_that_can_never_be_done_is_refused(cards: tuple[object, ...], reason: str) -> None:
    board = board_with().model_copy(update={"cards": cards})
    with pytest.raises(BoardRefusedError) as refused:
        check_cards(board)
    assert refused.value.facts["reason"] == reason


@pytest.mark.requirement("PLAN-03")
def test_nobody_reviews_their_own_and_advice_is_owed() -> None:
    card = card_of(status="review", actor="executor")
    with pytest.raises(BoardRefusedError) as own:
        card.reviewed(Review(author="executor", verdict="approved", notes="好"))
    with pytest.raises(BoardRefusedError) as bare:
        card.reviewed(Review(author="reviewer-1", verdict="rejected", notes="不好"))
    with pytest.raises(BoardRefusedError) as early:
        card_of().reviewed(Review(author="reviewer-1", verdict="approved", notes="好"))
    reasons = [each.value.facts["reason"] for each in (own, bare, early)]
    assert reasons == ["own_review", "no_advice", "not_in_review"]


@pytest.mark.requirement("PLAN-11")
def test_an_answer_goes_to_a_review_and_gives_its_reason() -> None:
    card = card_of(status="review", actor="executor")
    said = Response(author="executor", answer="REJECT")
    with pytest.raises(BoardRefusedError) as nothing:
        card.answered(said)
    card = card.reviewed(Review(author="reviewer-1", verdict="rejected", notes="不好", advice="重写"))
    with pytest.raises(BoardRefusedError) as bare:
        card.answered(said)
    assert [each.value.facts["reason"] for each in (nothing, bare)] == ["nothing_to_answer", "no_reason"]


@pytest.mark.requirement("PLAN-08")
def test_a_card_without_a_criterion_does_not_start_and_without_an_output_is_not_reviewed() -> None:
    with pytest.raises(BoardRefusedError, match="没有成功标准"):
        card_of().claimed("executor").started()
    working = card_of(criterion="128 行").claimed("executor").started()
    with pytest.raises(BoardRefusedError, match="没有产出"):
        working.handed_in((), NOTE)
    with pytest.raises(BadInputsError):
        working.handed_in(("文件",), "太短")


@pytest.mark.requirement("PLAN-04")
def test_a_saved_board_is_loaded_as_the_same_board() -> None:
    card = card_of(criterion="128 行", facts=(SEEN,)).claimed("executor").started().handed_in(("文件",), NOTE)
    board = board_with(card.reviewed(Review(author="reviewer-1", verdict="approved", notes="好")), card_of("b"))
    keeper = MemoryBoard()
    keeper.save("t-1", json.loads(json.dumps(board.saved())))
    kept = keeper.load("t-1")
    assert kept is not None
    assert loaded(kept) == board
    assert keeper.load("t-2") is None


@pytest.mark.requirement("PLAN-09")
def test_each_risk_has_a_least_rank() -> None:
    toast, dom = (SEEN.model_copy(update={"rank": rank}) for rank in (Rank.TOAST, Rank.DOM))
    assert [suffices((toast,), risk) for risk in ("low", "standard", "high")] == [False, False, False]
    assert [suffices((toast, dom), risk) for risk in ("low", "standard", "high")] == [True, True, False]
    assert suffices((SEEN,), "high")


@pytest.mark.requirement("PLAN-18")
@pytest.mark.parametrize("role", list(MATRIX))
def test_every_role_renders_its_example(role: str) -> None:
    shown = assemble(role, sample(role), TRACE_ID, REFERENCES)
    assert [layer.tokens <= layer.budget for layer in shown.layers] == [True] * 5
    told = "\n".join(message.text for message in shown.messages)
    for phase in ("final_review", "risk_control"):
        assert (phase in told) == (role in ("planner", "delegate"))
    assert ("任务列表或讨论" in told) == (role in ("claim", "mention", "discussion"))
