"""What a model is told: token counts, layers, roles, templates, untrusted text, history."""

from typing import Final

from tests.promises import R, Requirement

CONTEXT: Final[tuple[Requirement, ...]] = (
    R(
        "CTX-01",
        "design 8",
        "Tokens are counted offline by a lazily loaded tokenizer, else by a bound that is never less",
    ),
    R(
        "CTX-02",
        "design 8",
        "Each layer keeps its budget, and L0, L1, L2 and recall together keep 4,096, whatever comes in",
    ),
    R("CTX-03", "design 8", "The iron rules are whole and first in every request"),
    R("CTX-04", "design 8, spec/003 1", "Each role is told exactly the components of its row of the matrix"),
    R(
        "CTX-05",
        "spec/003 3",
        "final_review and risk_control cannot be taken out of the templates of planner and delegate",
    ),
    R("CTX-06", "design 8", "Templates that are missing, empty, malformed or over a budget are refused by name"),
    R("CTX-07", "design 8, spec/003 4", "Each fact of the templates stands in one layer and one file"),
    R(
        "CTX-08",
        "design 14",
        "Text of pages, memory and models comes as an escaped block with its origin, never as system",
    ),
    R("CTX-09", "design 8, 11", "The recall slot holds the top 3 and at most 5 sure experiences that share a tag"),
    R("CTX-10", "design 8, spec/003 3", "A hand-off has 50 to 500 characters"),
    R("CTX-11", "design 8, spec/000 2.3", "What is over a budget is cut oldest and lowest first, and counted"),
    R("CTX-12", "spec/000 2.3", "The instruction goes to the model word for word"),
    R("CTX-13", "spec/000 2.3", "The last 5 steps stay whole, down to 2 above 80 %; older ones become a line each"),
    R(
        "CTX-14",
        "spec/000 2.3",
        "A request never takes more than the window less 4,096; what cannot fit is BUDGET_EXCEEDED",
    ),
    R("CTX-15", "spec/000 2.3", "A call and its result are never parted"),
    R("CTX-16", "spec/000 2.3", "Words of pages are in no compressed step, and compressing needs no model"),
    R("CTX-17", "design 10", "Marks for prompt caching stand only where later requests begin the same"),
    R(
        "CTX-18",
        "users",
        "sgclaw prompt show tells what any role would see, layer by layer, with counts; no model is asked",
    ),
    R("CTX-19", "users", "The prompt of each role reads exactly as the file that was reviewed"),
)
