"""The attack suites."""

from typing import Final

from tests.promises import R, Requirement

ATTACKS: Final[tuple[Requirement, ...]] = (
    R(
        "ATTACK-01",
        "security B1",
        "A real sgclaw refuses every malformed line by code, and a right code changes nothing",
    ),
    R("ATTACK-02", "security B4", "Forged, repeated, late and unasked answers are dropped and the task goes its way"),
    R("ATTACK-03", "security L1", "A refused line has one record with its reason and digest, never its content"),
    R(
        "ATTACK-04",
        "security H5",
        "The session key is in no output, file, environment or argument, and in no core file",
    ),
    R(
        "ATTACK-05",
        "security B1",
        "Huge, endless and countless lines, and a browser that does not read, cost bounded memory",
    ),
    R(
        "ATTACK-06",
        "security B6",
        "The content of a page outside the policy reaches no skill, although the browser sent it",
    ),
    R("ATTACK-07", "security B2", "The browser's end alone carries out right commands and nothing else"),
    R("ATTACK-08", "security B8", "An approval counts once, for what was asked, and only when the browser gave it"),
    R("ATTACK-09", "design 4", "A line with a wrong code uses no number up: the right command is taken next"),
    R("ATTACK-10", "security B5", "Both sides give the same verdict on every address"),
    R(
        "ATTACK-11",
        "security B6",
        "Redirects, frames, forms and scripts do not lead a page, or its content, off the list",
    ),
    R("ATTACK-30", "security B15", "An agent that obeys every page does nothing beyond policy, task and person"),
    R("ATTACK-31", "security B2", "The browser's end alone refuses what an obeying agent sends, or asks about it"),
    R("ATTACK-32", "attacks", "A step, verdict or expectation that no adapter knows fails its case"),
    R("ATTACK-33", "security B15", "A fooled agent has no bad effect, tells no lie of it, and still does the task"),
    R("ATTACK-34", "security B14", "No page text is our own voice, nothing unseen is read, values stay where they are"),
    R("ATTACK-40", "security B11-B13", "Every attack script ends as the corpus demands, by facts seen from outside"),
    R("ATTACK-41", "security B11", "No script, rule, word or field of the script corpus goes unread"),
    R("ATTACK-42", "security S7", "A script acts on its own domains with its own actions, whatever its parameters say"),
    R("ATTACK-43", "security B13", "A run has one ending in the ledger, and sgclaw answers pings while it lasts"),
    R("ATTACK-20", "security B10", "Of a tampered set exactly the sound skills load, and each refusal says why"),
    R("ATTACK-21", "security B10", "Loading starts nothing, runs no byte of a skill, ends in time and never throws"),
)
