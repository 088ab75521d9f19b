"""Host: acting, sessions, crashes."""

from typing import Final

from tests.promises import R, Requirement

HOST: Final[tuple[Requirement, ...]] = (
    R("HOST-01", "design 2", "An act reaches the page and comes back with its natural value"),
    R("HOST-02", "design 14", "Every act is recorded before it is sent; what cannot be recorded is not sent"),
    R("HOST-03", "design 5", "What a host refuses arrives as its typed error with a next step"),
    R("HOST-04", "design 14", "Policy refuses before anything is sent"),
    R("HOST-05", "design 4", "The host refuses pages and redirects outside the listed origins, without their content"),
    R("HOST-06", "design 4", "An approval covers exactly one act, shown with its real label"),
    R("HOST-07", "design 4", "Lost, altered, repeated and late answers change nothing"),
    R("HOST-08", "users 41", "A changing act without an answer has an unknown outcome and is not sent again"),
    R("HOST-09", "users 37", "Cancelling an act cancels it at the host"),
    R("HOST-10", "design 4", "A paused task starts no further act"),
    R("HOST-11", "design 6", "A skill acts only on its own domains and with its own actions"),
    R("HOST-12", "users", "What fails names act, target and a fitting next step in Chinese, never what was typed"),
    R("HOST-13", "design 14", "What may be irreversible is in the ledger on the disk before it is sent"),
    R(
        "HOST-14",
        "design 13",
        "An act that was sent and whose end cannot be recorded is in doubt, never told as not done",
    ),
    R("HOST-20", "design 4", "A session begins with a usable init and a readable policy, or not at all"),
    R("HOST-21", "design 4", "A ping is answered while an act is pending"),
    R("HOST-22", "design 4", "A bad line is refused by code, recorded as a digest, and the session goes on"),
    R("HOST-23", "design 4", "Three bad codes, a second init, an oversize line or a gap end the session"),
    R("HOST-24", "design 4", "End of file fails what is outstanding and ends the session"),
    R("HOST-25", "design 4", "A question gets the person's answer, or none at its deadline"),
    R("HOST-26", "security P107", "A host that does not read cannot stop the reading loop"),
    R("HOST-27", "design 4", "A page event is logged; of a page on an unlisted origin only its id is"),
    R(
        "HOST-28",
        "security L2",
        "The host keeps each ledger's newest head and gives it back; a ledger without it is refused",
    ),
    R(
        "HOST-29",
        "design 14",
        "Every line of the pipe leaves a record of kind, number, length, digest and outcome alone",
    ),
    R("HOST-30", "design 4", "Stray output of the process and its children never reaches the wire"),
    R("HOST-31", "design 4", "No file takes the number of a standard stream that was closed"),
    R("HOST-40", "security B9, B20", "No secret of words, inputs or pages leaves by a message, a log or a record"),
    R("HOST-41", "security H5", "The session key is in no file and no message, in no form"),
    R("CRASH-01", "users 68", "Killing sgclaw at any moment leaves no process and a ledger that verifies"),
    R("CRASH-02", "security B13", "Killing the sandbox worker fails the task, and the next one runs"),
    R("CRASH-03", "users 43", "A browser that dies in mid-command ends the task with its cause"),
    R("CRASH-04", "design 4", "A host that hangs up ends sgclaw and its children within two seconds"),
    R("CRASH-05", "security B3", "Children hold their own three pipes and no environment"),
    R("CRASH-06", "users 68", "SIGTERM ends the session in order; Ctrl-C is left to the browser"),
    R("CRASH-07", "design 4", "sgclaw ends with its parent, even when another process holds its pipe open"),
    R("START-01", "design 15", "A ready process has loaded no model client, numpy, CLI toolkit or dictionary"),
)
