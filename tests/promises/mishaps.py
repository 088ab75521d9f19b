"""What goes wrong while the agent works, from end to end: real process, real SDKs, real Chromium on the demo sites."""

from typing import Final

from tests.promises import R, Requirement

MISHAPS: Final[tuple[Requirement, ...]] = (
    R(
        "MISHAP-01",
        "design 8",
        "A budget of tokens stops a run before the call it has no room for: typed, use told, page as it is",
    ),
    R("MISHAP-02", "design 8", "A toast of success that the site does not bear out leaves the task unverified"),
    R(
        "MISHAP-03",
        "users 45",
        "A session that expires is handed to the person; after the login the task is done, and once",
    ),
    R("MISHAP-04", "users 44", "A dialog in the way is named to the model and closed, and the work is done once"),
    R(
        "MISHAP-05",
        "design 10",
        "A provider that fails, limits or breaks off in a call costs tries; no act is done twice",
    ),
    R(
        "MISHAP-06",
        "design 10",
        "A provider that stays down ends the task typed, with what was used and what was changed before told",
    ),
    R(
        "MISHAP-07",
        "spec/000 5.3",
        "Answers in no form, invented tools and actions go back; right ones are carried out, else it ends typed",
    ),
    R(
        "MISHAP-08",
        "design 9",
        "A page that changes between look and act is looked at anew before anything is done to it",
    ),
    R("MISHAP-09", "spec/000 5.4", "A call repeated without end is warned of, then stopped typed"),
    R("MISHAP-10", "users 45", "A question nobody answers ends the task at its deadline, with the page as it is"),
    R("MISHAP-11", "security B15", "A page that orders an obeying model about gets nothing, and the task is done"),
)
