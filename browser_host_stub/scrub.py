"""What a page's storage holds, without secrets: the same in every browser of the stub."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

from sgclaw.redact import hint_for_stored, redact

_ONE_HINT = re.compile("\u2039[^\u2039\u203a]*\u203a")
_MAX_LAYERS = 4
"""Texts in texts (JSON as a value of JSON, or written for an address) that are opened."""


def stored_value(key: str, value: str | None) -> str | None:
    """The item as it may be told: None when its name or its whole content is a secret, secrets inside it replaced.

    Of a text written for an address (`%7B…`) that holds a secret the plain text is told.
    """
    if value is None or hint_for_stored(key) is not None:
        return None
    told = redact({key: _opened(value, _MAX_LAYERS)})
    scrubbed = next(iter(told.values())) if isinstance(told, dict) else None
    if not isinstance(scrubbed, str) or (scrubbed != value and _ONE_HINT.fullmatch(scrubbed)):
        return None
    return scrubbed


def _opened(value: str, layers: int) -> str:
    """The text with the secrets replaced that only its plain form or its JSON shows."""
    if layers == 0:
        return value
    plain = unquote(value)
    if plain != value:
        scrubbed = redact(_opened(plain, layers - 1))
        return value if scrubbed == plain else str(scrubbed)
    if not value.lstrip().startswith(("{", "[", '"')):
        return value
    try:
        held = json.loads(value)
        told = redact(_inside(held, layers - 1))
    except (ValueError, RecursionError):
        return value  # no JSON: told as the text it is
    return value if told == held else json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _inside(held: object, layers: int) -> object:
    if isinstance(held, str):
        return _opened(held, layers)
    if isinstance(held, list):
        return [_inside(item, layers) for item in held]
    if isinstance(held, dict):
        return {name: _under(name, item, layers) for name, item in held.items()}
    return held


def _under(name: str, item: object, layers: int) -> object:
    mark = hint_for_stored(name) if isinstance(item, str) and item else None
    return mark or _inside(item, layers)
