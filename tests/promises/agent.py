"""The agent: how it thinks, acts, proves, stops, and what it never does."""

from typing import Final

from tests.promises import R, Requirement

AGENT: Final[tuple[Requirement, ...]] = (
    R(
        "AGT-01",
        "spec/000 2.4",
        "A run moves through the states of one table; a transition it does not have is an error",
    ),
    R(
        "AGT-02",
        "design 8",
        "However a run ends, its result says outcome, reason, evidence, files, steps and what it used",
    ),
    R("AGT-03", "spec/000 5.3", "An answer that is no JSON or calls nothing is asked for anew twice, then ends typed"),
    R(
        "AGT-04",
        "spec/000 5.3",
        "An unknown tool or action and bad parameters go back with what is wrong and near names",
    ),
    R(
        "AGT-05",
        "spec/000 5.3, attacks I37",
        "An act that names no domain is for where the task took the page, not for where it is",
    ),
    R(
        "AGT-06",
        "design 8",
        "Calls of one answer are carried out in order, to the first that fails or finds another page",
    ),
    R(
        "AGT-07",
        "users 39",
        "Models without tool calling work in schema-bound text; what they write for JSON is read kindly",
    ),
    R(
        "AGT-08",
        "users 14",
        "The same call with the same result is warned of at 3 and stopped at 5; 3 idle acts are told",
    ),
    R("AGT-09", "design 8", "Three failures in a row pause the run for 30 s; one more ends it with the last cause"),
    R("AGT-10", "design 8", "Only reads, and reversible acts that were surely not begun, are tried again, three times"),
    R("AGT-11", "users 41, design 8", "After an unknown outcome nothing is changed any more, and the end says so"),
    R(
        "AGT-12",
        "design 8",
        "Steps, tokens, cost, time and questions are limited; a wait for a person stops every clock",
    ),
    R("AGT-13", "design 8", "Nothing is changed before the success criterion was stated"),
    R("AGT-14", "design 10", "A provider that fails in any way gives a typed end, with what was used for it"),
    R("AGT-15", "users 5", "A reference of another version of the page is answered with the page as it is now"),
    R(
        "AGT-16",
        "users 40, design 8",
        "A write is complete only with evidence of the rank its risk needs, seen after it and not before",
    ),
    R("AGT-17", "design 8", "A number in the final words or data that nobody read is sent back once, then left out"),
    R("AGT-18", "design 8", "A deed in the final words that is not in the trace makes the run unverified"),
    R(
        "AGT-19",
        "security A1",
        "The scope is fixed by the user's words and the policy; a person widens it, never beyond the policy",
    ),
    R(
        "AGT-20",
        "security A2, B16",
        "What was read on one origin reaches another only after a person saw the exact text",
    ),
    R(
        "AGT-21",
        "security A4",
        "Addresses that carry what was read elsewhere, or another address, are shown before they are opened",
    ),
    R(
        "AGT-22",
        "design 8",
        "Every step is in a trace for its owner alone, from which a run goes on without doing an act twice",
    ),
    R("AGT-23", "users 37", "A cancel is heard within a second wherever the run is, and what was used is still told"),
    R(
        "AGT-24",
        "users 45, 47",
        "A person who does not answer or says no ends it typed, and is not asked the same again",
    ),
    R("AGT-40", "attacks, always", "What the task's own rules refuse has a record with trace, origin, act and reason"),
    R("AGT-25", "attacks I13", "The final words are Chinese and hold nothing that loads or leads anywhere"),
    R(
        "AGT-26",
        "spec/000 5.4",
        "Tools are made from the action table; pages are read in parts, changes and numbered pictures",
    ),
    R("AGT-27", "design 6, 11", "Skills are found, read and run by name; memory is data, and its absence is said"),
    R(
        "AGT-28",
        "security A3",
        "Every request begins with the iron rules; page text stands in labelled blocks of results only",
    ),
    R("AGT-29", "users 45", "After a pause or take-over the page is looked at again before anything is done"),
    R(
        "AGT-30",
        "security B15",
        "A model that does what a page says causes nothing outside policy, scope and a person's word",
    ),
    R(
        "AGT-31",
        "design 2, 10",
        "A task no skill fits goes to the agent where a model is configured, else it is NO_MODEL",
    ),
    R("AGT-32", "spec 5.3", "What a model writes is JSON or nothing: no value that could not be written down passes"),
    R("AGT-33", "design 8", "Texts made to keep us busy are read in bounded time"),
    R("AGT-34", "design 8", "The trace consists of whole lines whatever its disk does, and any other file is refused"),
    R("AGT-35", "design 13", "A stop in the middle of an act leaves it in doubt; nobody is told that it was not done"),
    R("AGT-36", "security B16", "A value passes in no code, no nesting, no recollection and no choice a person picks"),
    R("AGT-37", "security B16", "What a person lets go they are shown whole; what is too long to be read is not sent"),
    R("AGT-38", "security B9", "Nobody is asked for a secret, and no question leads out of the task"),
    R("AGT-39", "design 8", "What a skill did before it failed stands in the trace and wants its proof"),
    R(
        "AGT-41",
        "design 8, 15",
        "What a fixed task of ten steps takes in tokens is recorded and does not grow unnoticed",
    ),
    R(
        "AGT-42",
        "design 8, 15",
        "A task of sixty steps stays within the usual limits, with the iron rules in each of its requests",
    ),
    R("AGT-43", "design 8", "What a look at a page shows can be quoted under the number of that look"),
    R(
        "AGT-44",
        "design 10",
        "Without a model and a network skills are found and run, and what needs thinking is NO_MODEL",
    ),
    R("AGT-45", "design 10", "The loop works with a real small model behind a server that speaks OpenAI's dialect"),
)
