"""Money of the demo sites: integer cents inside, yuan with two decimals where people read."""

from __future__ import annotations


def yuan(cents: int) -> str:
    """An amount as people read it: `1,280.50`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"
