"""The text of `docs/errors.md`: every code a user or an agent can meet."""

import inspect

from sgclaw import errors
from sgclaw.errors import ActionError, SgClawError, WireError
from tests.docs.markdown import code, table

_TABLED = (SgClawError, ActionError, WireError)
_INTRO = """# Error codes

Every error has a code, a Chinese cause, a next step and facts, in this shape on the wire, in `--json` output and in the
audit ledger: `{"code", "message", "next_step", "facts"}`. *Fault* says where to look first: `user` (task, policy or
installation), `peer` (the other end of the pipe) or `ours` (a bug). Codes of single acts on a page and of refused lines
are in [protocol.md](protocol.md#12-codes).

"""


def error_classes() -> list[type[SgClawError]]:
    """The classes with one code each, in the order of the source."""
    found = [item for item in vars(errors).values() if inspect.isclass(item) and issubclass(item, SgClawError)]
    return [cls for cls in found if cls not in _TABLED]


def errors_page() -> str:
    """The whole page."""
    rows = [
        (code(cls.code), inspect.cleandoc(cls.__doc__ or ""), cls.fault.value, cls.default_next_step)
        for cls in error_classes()
    ]
    return _INTRO + table(("code", "meaning", "fault", "next step"), rows) + "\n"
