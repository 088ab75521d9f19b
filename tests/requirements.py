"""What the system promises, one row a promise: the manifest behind `@pytest.mark.requirement("ROOM-NN")`.

A gate keeps both directions: every row here has a test that carries its id, and every id a test carries has a row.

Adding a promise: append a row to its room with the next free number, then mark the test. Numbers are never reused.
A promise that cannot be kept yet says why in `deferred` and has no test; one that we keep differently from its source
names the decision in `diverges`.
"""

from typing import Final

from tests.promises import R, Requirement
from tests.promises.acts import ACTS
from tests.promises.agent import AGENT
from tests.promises.attacks import ATTACKS
from tests.promises.audit import AUDIT
from tests.promises.chromium import CHROMIUM
from tests.promises.conformance import CONFORMANCE
from tests.promises.context import CONTEXT
from tests.promises.demo import DEMO
from tests.promises.fuzz import FUZZ
from tests.promises.gateway import GATEWAY
from tests.promises.host import HOST
from tests.promises.llm import LLM
from tests.promises.mishaps import MISHAPS
from tests.promises.perception import PERCEPTION
from tests.promises.planning import PLANNING
from tests.promises.policy import POLICY
from tests.promises.sandbox import SANDBOX
from tests.promises.sites import SITES
from tests.promises.skills import SKILLS
from tests.promises.snapshot import SNAPSHOT
from tests.promises.thinking import THINKING
from tests.promises.toolbox import TOOLBOX
from tests.promises.widgets import WIDGETS
from tests.promises.wire import WIRE

__all__ = ["REQUIREMENTS", "Requirement"]

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

PROTOCOL: Final = (
    R("PROTO-01", "design 4", "Any bytes give one JSON object or a typed refusal, and nothing else"),
    R("PROTO-02", "design 4, security H10", "Every kind of malformed line is refused with its own code"),
    R(
        "PROTO-03",
        "design 4",
        "What is sent decodes to the same value; what the peer would refuse fails where it is made",
    ),
    R("PROTO-04", "security B1", "A hostile line costs time and memory in proportion to its length"),
    R("PROTO-05", "design 4", "Only 0x0A ends a line, and how bytes are cut into chunks changes nothing"),
    R("PROTO-06", "design 4", "A line over its cap is refused as soon as the cap is passed"),
    R("PROTO-07", "design 4", "Each direction of each session has a key of its own, by HKDF-SHA256 of the session key"),
    R("PROTO-08", "design 4, security B4", "A line with any changed byte is refused"),
    R("PROTO-09", "design 4", "Only the exact suffix with the sender's own key in this session signs a line"),
    R("PROTO-10", "design 4", "Signed lines are reproducible byte by byte and open to what was sealed"),
    R(
        "PROTO-11",
        "design 4, security H6",
        "A repeated number is refused, a gap ends the session, each direction counts alone",
    ),
    R("PROTO-12", "design 4", "A bad MAC does not consume the number; authentic lines with bad content do"),
    R("PROTO-13", "design 4, security H8", "Three bad MACs, a bad first line or a second init end the session"),
    R(
        "PROTO-14",
        "design 4",
        "Messages are closed: wrong direction, unknown fields and values of another kind are refused",
    ),
    R(
        "PROTO-15",
        "design 4",
        "A command names its domain, a response the MAC of its command, and security nothing else",
    ),
    R("PROTO-16", "design 4", "A line that cannot be sent leaves no gap in the numbers"),
    R("PROTO-17", "design 4, security H7", "A command takes exactly one response, in time; every other one is refused"),
    R("PROTO-18", "design 4", "A message out of its phase is refused, by one table"),
    R("PROTO-19", "design 5", "The action table is exactly the design's; nothing in it runs page script"),
    R("PROTO-20", "design 5", "Parameters that do not fit are refused by field, without quoting values"),
    R("PROTO-21", "design 5", "Positional arguments of a skill become named parameters by the table"),
    R("PROTO-22", "design 5", "A command's deadline covers the wait its parameters ask for"),
    R("PROTO-23", "design 4", "At most 16 commands are in flight"),
    R("PROTO-24", "design 4", "Every message and result comes out of the wire as it went in"),
    R("PROTO-25", "design 5", "Every error has a Chinese next step; codes of the host become typed errors"),
    R("PROTO-26", "users", "Every act is told to a person in one Chinese line"),
)

DOCS: Final = (
    R("DOCS-01", "design 4", "Generated documents say what the code says"),
    R("DOCS-02", "design 4", "A check lists every stale document, fails, and writes nothing"),
    R("DOCS-03", "users", "The protocol page's own program accepts its worked example and refuses every changed byte"),
    R("DOCS-04", "users", "The pages name every message, action, code and rule, and their links lead somewhere"),
    R("DOCS-05", "design 4", "The JSON Schemas accept what the code accepts and refuse unknown fields"),
    R("DOCS-06", "users", "The page of skills lists every action with arguments and result, and every limit of a run"),
    R("DOCS-07", "users", "The pages for authors name only selectors that the demo site has"),
)

CLI: Final = (
    R("CLI-01", "design 13", "Every command and every option of it is explained in Chinese"),
    R("CLI-02", "design 13", "The help lists every exit code with its meaning, from the one table"),
    R("CLI-03", "users", "A usage error names its cause and where help is, and exits with 2"),
    R("CLI-04", "users", "With --json an error is one JSON object on stdout, whatever caused it"),
    R("CLI-05", "users", "No traceback is shown unless --debug asks for it, and a bug of ours exits with 70"),
    R("CLI-06", "users", "Output is UTF-8 whatever the console's code page is"),
    R("CLI-07", "security", "Text from skills, pages and ledgers cannot control the terminal"),
    R("CLI-08", "design 15", "Looking at skills loads nothing of a running session"),
    R("CLI-10", "design 6", "skill list shows usable skills and refused ones with their reasons"),
    R("CLI-11", "design 6", "A refused registry ends every look at skills with 4"),
    R("CLI-12", "design 6", "skill show tells header, inputs, powers, hash and key, or why the skill is refused"),
    R("CLI-13", "design 6", "skill verify judges every entry and exits with 4 when one is refused"),
    R("CLI-14", "design 6", "skill sign rewrites the registry at once, under the next serial, switched-off skills off"),
    R("CLI-15", "design 6", "skill sign writes nothing that loading would refuse"),
    R("CLI-16", "design 6", "The development key says loudly what it is and does not sign in production"),
    R("CLI-17", "users", "skill sign refuses a script that does not load, and names file, line and message"),
    R("CLI-18", "users", "Whatever keeps a script from being signed is told with its file"),
    R("CLI-19", "users", "skill list and verify show a script that is not signed, with signing as the next step"),
    R("CLI-20", "design 6", "keys new writes a private key of mode 0600 and overwrites nothing"),
    R("CLI-30", "design 14", "audit show tells the whole story of a session, or its raw records"),
    R("CLI-31", "users", "An unknown trace is an error that offers the nearest and the latest ones"),
    R("CLI-32", "users", "audit list shows the latest sessions with their tasks and outcomes"),
    R("CLI-33", "design 14", "audit verify tells the head, or names the first bad record and exits with 4"),
    R("CLI-34", "design 13", "--state-dir points every command to another ledger"),
    R("CLI-40", "users", "doctor looks at everything a run needs and changes nothing"),
    R("CLI-41", "design 6", "doctor warns of the development key, and refuses it for production"),
    R("CLI-43", "users 14", "doctor says whether a model is configured and could be asked; it never prints the key"),
    R("CLI-42", "users", "What is missing comes with the command that mends it, and required things fail the command"),
    R("CLI-50", "design 13", "run --json prints exactly one object of the documented shape, whatever ended the task"),
    R("CLI-51", "users", "A run shows Chinese progress with step numbers, its result, and how to trace it"),
    R("CLI-52", "design 4", "Skill and inputs given as options win over the instruction"),
    R(
        "CLI-53",
        "design 13",
        "Questions are asked on a terminal; without one, or without an answer, the run exits with 3",
    ),
    R("CLI-54", "design 10", "A task that nothing can do, or whose skill is refused, acts on no page and says why"),
    R("CLI-55", "design 4", "A browser that cannot start or leaves ends the run with 6"),
    R("CLI-56", "users", "A task that exceeds --timeout is stopped"),
    R("CLI-57", "design 13", "Ctrl-C stops the task in order, exits with 130 and leaves no process"),
    R("CLI-58", "design 13", "A browser that leaves during a change ends the run with 5: its outcome is unknown"),
    R("CLI-60", "design 13", "Ctrl-C at any moment exits with 130, and with --json as one object"),
    R(
        "CLI-61",
        "style 4",
        "Whatever goes wrong in our own code ends at the process edge: 70, told, without a traceback",
    ),
    R("CLI-62", "users", "Closed or full standard streams are told where they can be and never change an exit code"),
    R("CLI-63", "users", "Words that are no UTF-8 are called that, and each other fault of an order by its own name"),
    R("CLI-64", "users", "A ledger that was never written is not called broken, unless a kept head speaks of it"),
    R("CLI-65", "users", "A skill that puts its data into no words of its own gets them shown to the person"),
    R("CLI-66", "users", "doctor verifies the ledger that every session would refuse to continue"),
    R("CLI-67", "users", "doctor shows a bad setting as a failed check, and checks what needs no settings"),
)

REQUIREMENTS: Final = (
    *GATES,
    *DEV,
    *PROTOCOL,
    *POLICY,
    *DOCS,
    *CLI,
    *SKILLS,
    *SANDBOX,
    *AUDIT,
    *GATEWAY,
    *HOST,
    *LLM,
    *CHROMIUM,
    *DEMO,
    *ATTACKS,
    *WIRE,
    *FUZZ,
    *SNAPSHOT,
    *PERCEPTION,
    *WIDGETS,
    *SITES,
    *CONFORMANCE,
    *CONTEXT,
    *ACTS,
    *TOOLBOX,
    *AGENT,
    *MISHAPS,
    *PLANNING,
    *THINKING,
)
