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
)
