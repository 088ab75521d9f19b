"""Language models: what is sent, how long is waited, what comes back."""

from typing import Final

from tests.promises import R, Requirement

LLM: Final[tuple[Requirement, ...]] = (
    R("LLM-01", "design 10", "Claude and every server like OpenAI's give one reply, last, with deltas before it"),
    R(
        "LLM-02",
        "design 10",
        "Parallel calls come out as several calls, malformed arguments and invented names as they came",
    ),
    R("LLM-03", "spec/000 5.1", "Network errors, 5xx and 429 are tried again after 1, 2 and 4 s, at most three times"),
    R("LLM-04", "spec/000 5.1", "A refused key and a refused request are told at once and never tried again"),
    R("LLM-05", "design 10", "A longer retry-after is waited for within bounds; beyond them the call ends at once"),
    R(
        "LLM-06",
        "spec/000 5.1",
        "Silence before the first token, between tokens and over the whole call ends in its own error",
    ),
    R("LLM-07", "design 10", "An answer that breaks off is asked for anew as a whole and never half delivered"),
    R("LLM-08", "users 37", "Cancelling or leaving a call closes its connection"),
    R(
        "LLM-09",
        "security B19",
        "Every text of a message is redacted before it is sent; sealed thoughts go unchanged or not at all",
    ),
    R(
        "LLM-10",
        "security B19",
        "A model is asked only at listed hosts, by https except on this machine and where listed",
    ),
    R("LLM-11", "security B19", "Redirects, proxies and headers of the environment change nothing about a request"),
    R("LLM-12", "security B19", "The key and the provider's own words are in no error, log or repr"),
    R(
        "LLM-13",
        "spec/000 5.1",
        "Usage and cost are told after every call, broken-off tries included; without a price no cost",
    ),
    R("LLM-14", "design 10", "Importing the room and making a model load no package of a provider"),
    R(
        "LLM-15",
        "design 10",
        "What stays the same is marked for the provider's cache; thoughts go back with their seals",
    ),
    R(
        "LLM-16",
        "design 10",
        "A scripted model recites a scenario file, checks what it is told, and fails as the file says",
    ),
    R("LLM-17", "design 10", "Settings of the model come from file and environment; a bad one is named with its place"),
    R("LLM-18", "design 10", "A model without tool calling is asked for JSON of a schema"),
    R(
        "LLM-19",
        "security B19",
        "An answer without end, a compressed one and what is no answer are refused before they fill the memory",
    ),
    R(
        "LLM-20",
        "design 10",
        "Each side speaks once in a turn; the system speaks once, first; marks for the cache stay",
    ),
    R(
        "LLM-21",
        "design 10",
        "A conversation that another model began, or wrote badly, is sent in a form each provider takes",
    ),
    R(
        "LLM-22",
        "spec/000 7.3",
        "Each call leaves one record: outcome, tries, usage, cost, digests of what was said; no words",
    ),
    R("LLM-23", "design 8", "The window is told in the tokens we count, with a margin for the provider's own"),
)
