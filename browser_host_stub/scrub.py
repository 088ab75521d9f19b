"""What a page's storage holds, without secrets: the same in every browser of the stub."""

from __future__ import annotations

import re

from sgclaw.redact import redact

_ONE_HINT = re.compile("\u2039[^\u2039\u203a]*\u203a")


def stored_value(key: str, value: str | None) -> str | None:
    """The item as it may be told: None when its name or its whole content is a secret, secrets inside it replaced."""
    if value is None:
        return None
    told = redact({key: value})
    scrubbed = next(iter(told.values())) if isinstance(told, dict) else None
    if not isinstance(scrubbed, str) or (scrubbed != value and _ONE_HINT.fullmatch(scrubbed)):
        return None
    return scrubbed
