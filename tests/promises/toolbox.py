"""Tools of MCP servers: which are offered, what reaches a server, what comes back."""

from typing import Final

from tests.promises import R, Requirement

TOOLBOX: Final[tuple[Requirement, ...]] = (
    R("TOOL-01", "security", "Servers are named in the settings, by command or address; both transports give the same"),
    R(
        "TOOL-02",
        "security",
        "A tool is offered only as it was when a person pinned it; a change in the middle takes it away",
    ),
    R(
        "TOOL-03",
        "design 14",
        "A server finds an empty folder and four variables: no key, nothing else of our environment",
    ),
    R("TOOL-04", "design 14", "No vault reference, credential or personal number reaches a server"),
    R("TOOL-05", "security", "No tool of others takes the name of ours or of another server; odd ones stay out"),
    R("TOOL-06", "design 14", "A description is one short line that says whose words it is"),
    R("TOOL-07", "design 14", "A result is text only, redacted, cut, and one block that names its server"),
    R("TOOL-08", "security", "Whatever a server sends is bounded, and what breaks a bound is a typed error"),
    R("TOOL-09", "users", "Every wait for a server has a limit; a broken one takes nothing from the others"),
    R("TOOL-10", "users 37", "A server and what it started are gone within a second of the end or of a cancel"),
    R("TOOL-11", "security", "Sampling, roots and elicitation are refused"),
    R("TOOL-12", "security", "An address must be listed; proxies, other hosts and compressed answers are refused"),
    R("TOOL-13", "users", "mcp pin, mcp list and doctor show every tool with its reason"),
    R("TOOL-14", "design 15", "Importing the room and making a toolbox load nothing of the mcp package"),
    R("TOOL-15", "design 14", "A server dies when sgclaw is killed"),
    R(
        "TOOL-16",
        "design 14",
        "A person sees server, tool and exact arguments before each call, unless the settings say so",
    ),
    R("TOOL-17", "design 14", "What was read on a page goes to a server only after a person saw it, and back likewise"),
    R(
        "TOOL-18",
        "design 14",
        "The ledger has a call before it is made and its answer; words of a server prove nothing",
    ),
    R("TOOL-19", "design 13", "A call of unknown outcome is never repeated, and the task says so however it ends"),
    R("TOOL-20", "users 37", "Servers start when a task thinks and are gone when it ends or is cancelled"),
    R("TOOL-21", "security", "A schema of others is never followed: arguments are held to names and types alone"),
)
