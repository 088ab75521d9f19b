"""The stub: demo sites and the main job."""

from typing import Final

from tests.promises import R, Requirement

DEMO: Final[tuple[Requirement, ...]] = (
    R("STUB-01", "design 4", "An authentic, allowed command is carried out"),
    R("STUB-02", "design 4", "A command line with any flipped byte is refused and nothing happens"),
    R("STUB-03", "security B2", "The host alone refuses what the policy does not allow"),
    R("STUB-04", "security B8", "An approval is used once, and only for the act and element it was given for"),
    R("STUB-05", "design 4", "A repeated command is refused and a gap ends the session"),
    R("STUB-06", "design 5", "A standing grant covers exactly its skill, action and origin"),
    R("STUB-20", "design 4", "Every command gets its one answer, whatever the page or the driver does"),
    R("STUB-21", "design 4", "A person's terminal that breaks is a no, and leaves a question unanswered"),
    R("STUB-22", "design 4", "More than 16 commands under way are refused"),
    R("STUB-23", "security H14", "A person is asked at most ten times by one task, and sixteen things wait at once"),
    R("STUB-24", "design 4", "After shutdown nothing acts on a page any more"),
    R("STUB-25", "security", "Text of a page or of sgclaw cannot control the terminal or forge a line of a prompt"),
    R("STUB-26", "users", "A task after sgclaw's end fails at once, and one that cannot be sent costs only itself"),
    R("STUB-27", "users", "What is wrong in a command is found before a browser starts: one typed error, exit 2"),
    R("STUB-28", "users", "A stdout that takes nothing, a closed stderr and Ctrl-C end in order, without a traceback"),
    R("STUB-29", "users", "A session that sgclaw refuses is told with the meaning of its code and where to look"),
    R("STUB-30", "users", "A browser started by sgclaw run says in which folder files are kept"),
    R("STUB-31", "users", "A skill that puts its data into no words of its own gets them shown to the person"),
    R(
        "STUB-34",
        "design 4",
        "A command's time counts from its reading; one whose turn comes too late is not carried out",
    ),
    R("STUB-33", "security B2", "A sgclaw that reads nothing cannot keep its host from ending"),
    R("STUB-32", "users", "sgclaw run tells a refused session once: by sgclaw, which knows the reason"),
    R("DEMO-01", "users", "The exported file holds exactly the site's rows for what the user said"),
    R("DEMO-02", "users", "A person who is not signed in is told so"),
    R("DEMO-03", "users 44", "A refused, cut off or impossible export is a failure, never a file"),
    R("DEMO-04", "users 43", "A page that never loads ends at the task's deadline"),
    R("DEMO-05", "users 68", "A browser killed in mid-task ends the task and leaves no half-written file"),
    R("DEMO-06", "users 68", "Killing the whole browser side leaves no process behind"),
    R("DEMO-07", "users", "The demo command shows progress and ends with one JSON object"),
    R("SITES-01", "users 74", "The demo ledger is deterministic and balanced; a bad month or department is refused"),
    R("SITES-02", "users 72", "Exported rows equal the ledger, and the bytes repeat"),
    R(
        "SITES-03",
        "users 75",
        "Without a session everything leads to the login; the login never leads elsewhere; input is escaped",
    ),
    R("SITES-04", "users 75", "The paged report and the department search serve the ledger"),
    R("SITES-05", "users 75", "An export is an asynchronous job with progress, a message and a proper file name"),
    R("SITES-06", "users 74", "Every fault knob does what it says, and a reset undoes all"),
    R("SITES-07", "design 9", "Chromium reaches only the demo names and accepts only the pinned key"),
    R("SITES-08", "users 74", "The sites end within 2 s whatever the peers do, and write nothing to stdout"),
    R("SITES-09", "users 75", "A person in Chromium filters, exports and downloads exactly the filtered rows"),
    R("SITES-10", "spec 000 3.1", "Filters commit visibly; stale outcomes, failures and expiry show on the page"),
)
