"""The kit that drives any host through the protocol."""

from typing import Final

from tests.promises import R, Requirement

CONFORMANCE: Final[tuple[Requirement, ...]] = (
    R("CONF-01", "design 16", "The kit judges any host started by a command, and the stub passes its quick groups"),
    R("CONF-02", "design 16", "The table, the JSON and the exit code say which rows passed, failed or were not judged"),
    R("CONF-03", "design 16", "A broken host fails in the rows of its breakage and nowhere else"),
    R("CONF-04", "design 16", "A host that does not start, hangs or dies costs its row, never the kit"),
    R("CONF-05", "design 16", "A row whose groundwork failed is not judged and does not count as passed"),
    R("CONF-06", "design 16", "docs/conformance.md lists every row, every action has one, and names find them"),
)
