"""Gateway: routing, search, tasks."""

from typing import Final

from tests.promises import R, Requirement

GATEWAY: Final[tuple[Requirement, ...]] = (
    R("ROUTE-01", "design 13", "A clear order runs with its inputs and says which words they came from"),
    R("ROUTE-02", "design 13", "A missing or unclear input gives one Chinese question"),
    R("ROUTE-03", "design 6", "What a skill does not fully explain, ties and second tasks are asked about, never run"),
    R("ROUTE-04", "design 13", "No order or no skill runs nothing and says what would help"),
    R("ROUTE-05", "design 13", "Chinese periods are found with the grain they were said in"),
    R("ROUTE-06", "design 13", "Invalid or ambiguous values become doubts with choices, never guesses"),
    R("ROUTE-07", "design 13", "The params schema decides what is taken from the text"),
    R(
        "ROUTE-08",
        "users",
        "Answers are taken as words, ordinals or choices; backing out works; unclear ones are asked again",
    ),
    R("ROUTE-09", "design 15", "500 distractors change no run and add none"),
    R("ROUTE-10", "design 13", "An explicit skill skips the choice, explicit inputs win, a no still stops"),
    R("ROUTE-11", "design 6", "Opposites never reach each other's skill"),
    R("ROUTE-12", "design 15", "Nothing heavy is loaded before the first instruction"),
    R("ROUTE-13", "style 5", "Any text gives a route, and no run lacks a required input"),
    R("SEARCH-01", "design 6", "Whole triggers and exact phrases win; unexplained words cost score"),
    R("SEARCH-02", "design 6", "Opposites are left out of search"),
    R("SEARCH-03", "design 6", "Tags, domains and names count; clauses of what a skill is not for do not"),
    R("SEARCH-04", "users", "Misspelt triggers are only ever offered as a question"),
    R("SEARCH-05", "design 6", "Folding and cutting are stable and keep positions"),
    R("TASK-01", "design 2", "A task runs its skill and ends completed with evidence and no model call"),
    R("TASK-02", "design 14", "The ledger tells a task's whole story under one trace id and verifies"),
    R(
        "TASK-03",
        "design 8",
        "A downloaded file is an artifact with its digest; a claimed one leaves the task unverified",
    ),
    R("TASK-04", "design 13", "A failed run says cause and next step, and the next task runs"),
    R("TASK-05", "design 4", "An irreversible act waits for the person and is done only after a yes"),
    R("TASK-06", "design 13", "An act with an unknown outcome leaves the task unverified, whatever the skill reports"),
    R("TASK-07", "users 37", "Cancel reaches a pending act within a second"),
    R("TASK-08", "design 13", "Tasks run one at a time in order, and a full queue refuses with a typed error"),
    R("TASK-09", "design 10", "Without a model, an order that fits no skill says what would help"),
    R("TASK-10", "design 6", "A tampered skill or registry is refused with its reason and nothing of it runs"),
    R("TASK-11", "design 13", "An order the person takes back or forbids ends as stopped, not as a failure"),
    R("TASK-20", "spec 000 2.4", "A task moves only along the table of states"),
    R("TASK-21", "design 4", "Time spent waiting for a person does not count against a deadline"),
    R("TASK-22", "design 8", "Evidence comes from observed acts, ranked, and a claim without it is not believed"),
    R("TASK-23", "style 4", "A bug of ours ends its task with a typed error, and the queue goes on"),
    R(
        "TASK-24",
        "design 13",
        "A queued task that is stopped, by the user or by the session's end, is reported at once",
    ),
    R("TASK-25", "design 13", "Every end is reported in one line, whatever a skill, a page or a host put into it"),
    R(
        "TASK-26",
        "design 14",
        "A ledger that cannot be written stops acts and never silences the report of a task's end",
    ),
    R("TASK-27", "design 4", "A panel request that is not built is answered as such"),
    R("CONFIG-01", "design 3", "Settings come from defaults, file and environment, later ones winning"),
    R("CONFIG-02", "users", "A bad setting is refused with its source and name"),
)
