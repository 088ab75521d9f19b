"""Random input and mutants."""

from typing import Final

from tests.promises import R, Requirement

FUZZ: Final[tuple[Requirement, ...]] = (
    R("FUZZ-01", "security B1", "Every fuzz target holds for its seeds and for altered seeds in the ordinary suite"),
    R(
        "FUZZ-02",
        "security B1",
        "The fuzzer reports its executions; an input that breaks a promise is told, kept and can be run again",
    ),
    R("FUZZ-03", "security B4", "Of 200 random valid messages with one field altered, none is accepted"),
    R("FUZZ-04", "security B4", "A signed line with any one bit flipped is refused"),
    R("FUZZ-05", "security B4", "Signed lines cut, joined, repeated or reordered are refused"),
    R(
        "FUZZ-06",
        "security B1",
        "Random lines to either end of a live session are refused without an echo of any of them",
    ),
    R("FUZZ-07", "design 4", "Every random valid message comes out of the wire as it went in"),
    R("FUZZ-08", "users", "What is refused on the wire is told whole: code, cause and facts"),
    R("FUZZ-09", "style 5", "What the other tests of a room leave out of its trust core is held here"),
)
