"""The task board: plans, cards, evidence, reviews, and who carries them."""

from typing import Final

from tests.promises import R, Requirement

PLANNING: Final[tuple[Requirement, ...]] = (
    R("PLAN-01", "design 8", "A card changes its status by one table; every other change is a typed refusal"),
    R("PLAN-02", "design 8", "Dependencies on unknown cards, cycles and repeated ids are refused"),
    R("PLAN-03", "design 8, spec/003 3", "Nobody reviews their own; a verdict that is not approved says what mends it"),
    R("PLAN-04", "design 8", "A board that was saved as JSON is loaded as the same board"),
    R("PLAN-05", "design 8", "The planner decides whether a task stays one loop, and says why"),
    R("PLAN-06", "design 8", "A wrong answer goes back with the schema error, at most twice; then it is MODEL_FAILED"),
    R("PLAN-07", "spec/003 3", "Every plan has risk_control, before acting, and final_review, after everything"),
    R("PLAN-08", "design 8", "The success criterion of a card is stated before it runs"),
    R("PLAN-09", "design 8", "Facts too weak for the risk prove nothing, whatever the actor says; the person decides"),
    R("PLAN-10", "spec/003 3", "Low risk is approved automatically, standard by one review, high by a debate of two"),
    R("PLAN-11", "spec/003 3", "The actor answers ACCEPT, REJECT or PARTIAL, and a table says what follows"),
    R("PLAN-12", "design 8, spec/003 3", "At the limit of rounds the person decides; silence is no consent"),
    R("PLAN-13", "design 8", "A card that depends on others starts when they are done, with their hand-offs"),
    R(
        "PLAN-14",
        "design 13",
        "After a crash or a cancel no card is done twice; one of unknown outcome waits for the person",
    ),
    R("PLAN-15", "design 8", "One budget is shared by all roles and stops the plan before the next call"),
    R("PLAN-16", "design 8", "Cards behind a failed one are blocked, and the plan is not called completed"),
    R("PLAN-17", "spec/003 3", "The final review opens further rounds up to a limit, guarded like the first"),
    R(
        "PLAN-19",
        "design 8",
        "A small instruction is known by a table of signs and costs no extra call; others are planned",
    ),
    R(
        "PLAN-20",
        "design 8",
        "A card runs in the agent's loop, with its criterion, hand-offs and the scope of the task",
    ),
    R("PLAN-21", "design 8", "Limits and usage are the whole task's: planner, reviewers and loops count together"),
    R(
        "PLAN-22",
        "design 14",
        "What one card read is known again in every other: the data-flow rule holds across cards",
    ),
    R(
        "PLAN-23",
        "design 8",
        "Evidence too weak for the loop is too weak for the board; the summary says what is not done",
    ),
    R("PLAN-24", "design 13", "Plan, moves, reviews and escalations stand in the ledger and in the live view"),
    R(
        "PLAN-25",
        "design 13",
        "A board is a file of its owner's; the same task within a day goes on, a stopped one does not",
    ),
    R("PLAN-18", "spec/003 1", "Every row of the role matrix renders from its example values"),
)
