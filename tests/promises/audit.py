"""Audit and redaction."""

from typing import Final

from tests.promises import R, Requirement

AUDIT: Final[tuple[Requirement, ...]] = (
    R("AUDIT-01", "security L1", "A record is one canonical JSON line, chained by SHA-256"),
    R("AUDIT-02", "security L3", "The chain links daily segments; a clock set back is harmless"),
    R(
        "AUDIT-03",
        "security B21",
        "Folders are 0700 and files 0600; wider ones are refused with the command that mends them",
    ),
    R("AUDIT-04", "security B20", "Data is redacted; long text and large data become digests"),
    R("AUDIT-05", "design 13", "Threads and processes share one chain"),
    R("AUDIT-06", "security B21", "kill -9 loses nothing confirmed; a torn line is moved aside and recorded"),
    R("AUDIT-07", "security B20", "A shortened, missing or foreign file stops the writer"),
    R(
        "AUDIT-08",
        "security L4",
        "A full or read-only disk is a typed error; whole records stay and later appends work",
    ),
    R("AUDIT-09", "security B20", "Every edit, deletion, swap and truncation of each record is found and named"),
    R("AUDIT-10", "security L2", "A rollback of everything is found with the host's head"),
    R("AUDIT-11", "spec 000 7.3", "Records are read back by trace or task"),
    R("AUDIT-12", "spec 000 7.1", "Trace ids have one form"),
    R("AUDIT-13", "spec 000 7.2", "The log is one redacted JSON line an event and survives a lost reader"),
    R("AUDIT-14", "design 1", "The story of a trace reads as Chinese sentences"),
    R("AUDIT-15", "security P107", "A log reader that does not keep up costs lines, never the caller or the exit"),
    R("AUDIT-16", "design 14", "Operation, pipe and LLM records lie in daily UTC files, one redacted JSON line each"),
    R("AUDIT-17", "design 14", "Keeping a record never waits or fails; the ledger says how many were lost"),
    R(
        "AUDIT-18",
        "design 14",
        "The ledger commits to each record file: at the end of a session, and when its day is over",
    ),
    R("AUDIT-19", "design 14", "Processes share record files by whole lines, and a complete file never changes"),
    R(
        "AUDIT-20",
        "security B20",
        "Every change to a committed record file, to a commitment and to the head is found and named",
    ),
    R(
        "AUDIT-21",
        "spec 000 7.3",
        "Record files are dropped whole after 90, 30 and 90 days; the ledger says so and stays",
    ),
    R("AUDIT-22", "design 14", "A clock set forward or back by years does not empty the folder"),
    R("AUDIT-23", "security L2", "A ledger tells whether it holds the head that the host kept"),
    R("AUDIT-24", "design 14", "A synced record is forced to the disk before append returns, or not written"),
    R("AUDIT-25", "security L4", "A stopped process that holds the lock costs half a second once, then a typed error"),
    R("AUDIT-26", "security L4", "A folder that was deleted stops the writer"),
    R("AUDIT-27", "spec 000 7.3", "audit show prints the records of a class, audit verify reports each class"),
    R(
        "AUDIT-28",
        "users",
        "The story says what a person was asked and by which rule; an act never sent has no number",
    ),
    R("AUDIT-29", "users", "A head that does not fit is told as that, not as a changed record"),
    R("AUDIT-30", "users", "Whoever reads a session of a ledger that is not sound is warned, whichever record is bad"),
    R("AUDIT-31", "users", "The ledger's own folder named as state folder is answered with the folder to name"),
    R("AUDIT-32", "security B20", "Records behind the head are told as such, and never taken in without a record"),
    R("AUDIT-33", "security B21", "What has the name of a file of ours and is no regular file is refused, never read"),
    R(
        "AUDIT-34",
        "security B20",
        "Commitments and deletions that contradict each other or the calendar are found and named",
    ),
    R("REDACT-01", "security B20", "Credentials and personal numbers leave hints"),
    R("REDACT-02", "users", "Business data stays as it is"),
    R("REDACT-03", "users", "Values under secret names, in form fields and as keys are taken out"),
    R("REDACT-04", "security B20", "Any value is accepted, nesting is bounded"),
    R("REDACT-05", "security B20", "Hostile text costs linear work"),
    R("REDACT-06", "security B20", "Redacting an ordinary text twice changes nothing more"),
)
