"""The sandbox."""

from typing import Final

from tests.promises import R, Requirement

SANDBOX: Final[tuple[Requirement, ...]] = (
    R("SBX-01", "security B11-B13", "Every case of the script corpus ends as demanded, and the next run is fine"),
    R("SBX-02", "design 7", "The globals are exactly the documented list"),
    R("SBX-03", "security S5", "No path compiles text or imports"),
    R("SBX-04", "security B12", "No stack hook or poisoned prototype reaches the host"),
    R("SBX-05", "spec 000 3.5", "Timers run in order with a delay of at most 30 s, and their exceptions are logged"),
    R("SBX-06", "security B13", "A file that cannot be loaded says so; every way to declare execute works"),
    R("SBX-07", "users", "A script that cannot be loaded is told with the engine's message and line, redacted and cut"),
    R("SBX-08", "users", "A load check answers as a run would, calls no execute and acts on nothing"),
    R("SBX-10", "spec 000 3.1", "Calls of a script become named acts in order"),
    R("SBX-11", "design 4", "A download gives its artifact"),
    R("SBX-12", "design 7", "Refusals reject with code, message and facts"),
    R(
        "SBX-13",
        "design 6",
        "A refusal the script lets through keeps its type; errors that end the task cannot be caught",
    ),
    R("SBX-14", "design 6", "What a script returns or throws becomes its result"),
    R("SBX-15", "security S7", "What is no result ends with its reason"),
    R("SBX-16", "security S3", "Text and numbers cross unchanged"),
    R("SBX-17", "spec 000 3.5", "The console goes to the log with its level"),
    R("SBX-18", "security B12", "Calls nobody waited for are dropped with a warning"),
    R("SBX-19", "security S7", "Unusable inputs are refused before a worker is taken"),
    R("SBX-20", "security S4", "Each limit ends the run with a reason of its own"),
    R("SBX-21", "design 7", "The limit of calls is exact"),
    R("SBX-22", "design 4", "The script's clock stands still during acts and adds up otherwise"),
    R("SBX-23", "security S6", "Nothing leaks from one run into the next"),
    R("SBX-24", "users", "What was logged before a hang is kept"),
    R("SBX-25", "security S4", "The first limit that a script passes ends it and stays the reason"),
    R("SBX-30", "security B3", "A worker has three pipes, an empty environment and a session of its own"),
    R("SBX-31", "security S1", "A worker gives its powers up; code that escaped the engine finds nothing"),
    R("SBX-32", "security B13", "A killed worker is reported as such"),
    R("SBX-33", "security B13", "A stopped worker ends by the wall clock"),
    R("SBX-34", "design 13", "A cancelled run ends only after its worker is dead"),
    R("SBX-35", "design 4", "No worker outlives a killed parent"),
    R("SBX-36", "design 7", "The warm pool refills, replaces the dead, loses none and closes"),
    R("SBX-37", "security B13", "Hostile output of a worker is bounded and ends typed"),
    R("SBX-38", "security 2", "The engine's version and origin are checked"),
)
