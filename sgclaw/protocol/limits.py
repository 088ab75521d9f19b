"""Caps of the wire protocol. Both sides enforce the same numbers."""

from typing import Final

MIB: Final = 1024 * 1024

MAX_LINE_FROM_AGENT: Final = 1 * MIB
"""Bytes of one line sgclaw → host, newline included."""
MAX_LINE_FROM_HOST: Final = 16 * MIB
"""Bytes of one line host → sgclaw, newline included (screenshots travel as artifacts; snapshots of huge pages do
not)."""
MAX_DEPTH: Final = 64
MAX_VALUES: Final = 200_000
"""Values in one line: bounds the memory one line can cost to about 40 times its bytes."""
MAX_OUTSTANDING: Final = 16
MAX_BAD_HMACS: Final = 3
MAX_REFUSED_IN_A_ROW: Final = 100
"""Refused lines without a good one between them; the next one ends the session, so junk costs bounded records."""
MAX_INT: Final = 2**53 - 1
"""Integers beyond this are not the same number in JavaScript."""
APPROVAL_SECONDS: Final = 120
"""Silence for this long is a no."""
SHUTDOWN_SECONDS: Final = 2.0
"""From end of session to end of process."""
