"""What the system promises, one row a promise: the manifest behind `@pytest.mark.requirement("ROOM-NN")`.

A gate keeps both directions: every row here has a test that carries its id, and every id a test carries has a row.

Adding a promise: append a row to its room with the next free number, then mark the test. Numbers are never reused.
A promise that cannot be kept yet says why in `deferred` and has no test; one that we keep differently from its source
names the decision in `diverges`.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise. `behaviour` is a sentence about what can be observed from outside."""

    id: str
    source: str
    behaviour: str
    deferred: str = ""
    diverges: str = ""


R = Requirement

GATES: Final = (
    R("GATE-01", "design 3", "No file has more than 400 lines, no function more than 50"),
    R("GATE-02", "design 3", "Only sgclaw/config.py reads the environment"),
    R("GATE-03", "design 3", "Every folder of tests/unit mirrors a room of a package that exists"),
    R("GATE-04", "design 3", "Every promise of this table has a test, and every marked test a promise"),
    R("GATE-05", "design 16", "Every dependency has a reason in docs/dependencies.md and nothing else is listed there"),
    R("GATE-06", "design 16", "constraints.txt pins exactly what an installation with all extras brings"),
    R(
        "GATE-07",
        "design 14",
        "No secret key outside a file whose name says DEV-ONLY, no machine path, no package host",
    ),
    R("GATE-08", "design 3", "README.md and README.zh-CN.md have the same outline and the same code blocks"),
    R("GATE-09", "design 3", "No setting and no comment loosens complexity, parameters, broad excepts or strict types"),
)

DEV: Final = (
    R("DEV-01", "design 3", "./dev installs once, stays offline afterwards, and installs again when the lists change"),
    R("DEV-02", "users", "Without a usable Python ./dev says what to install and leaves nothing half made"),
    R("DEV-03", "users", "./dev installs missing Debian packages and names them, or says why it cannot"),
    R("DEV-04", "design 3", "./dev test and ./dev lint fail when anything in them fails"),
)

REQUIREMENTS: Final = (*GATES, *DEV)
