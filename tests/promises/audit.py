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
    R("REDACT-01", "security B20", "Credentials and personal numbers leave hints"),
    R("REDACT-02", "users", "Business data stays as it is"),
    R("REDACT-03", "users", "Values under secret names, in form fields and as keys are taken out"),
    R("REDACT-04", "security B20", "Any value is accepted, nesting is bounded"),
    R("REDACT-05", "security B20", "Hostile text costs linear work"),
    R("REDACT-06", "security B20", "Redacting twice changes nothing"),
)
