"""What each `op` of the corpus does: one table. An op that is not in it fails its case."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from tests.attacks.corpus import Data
from tests.attacks.registry import disk, entries, keys
from tests.attacks.registry.world import World

Op = Callable[[World, Data], None]

OPS: Final[Mapping[str, Op]] = {**entries.OPS, **disk.OPS, **keys.OPS}

_SAME: Final[Mapping[str, str]] = {
    **dict.fromkeys(("delete", "drop", "strip", "omit", "unset", "without", "withdraw"), "remove"),
    **dict.fromkeys(("dir", "folder"), "directory"),
    **dict.fromkeys(("skill", "skills"), "entry"),
    **dict.fromkeys(("copy", "clone", "twin", "double", "repeat"), "duplicate"),
    **dict.fromkeys(("prefix", "before"), "prepend"),
    **dict.fromkeys(("suffix", "after", "extend"), "append"),
    **dict.fromkeys(("convert", "encode", "recode", "transcode"), "reencode"),
    **dict.fromkeys(("reformat", "reindent", "respace", "minify", "prettify", "pretty"), "reformat"),
    **dict.fromkeys(("sig", "signatures"), "signature"),
    **dict.fromkeys(("re-sign", "sign"), "resign"),
    **dict.fromkeys(("rollback", "older", "previous"), "old"),
    **dict.fromkeys(("override", "overwrite", "substitute"), "replace"),
    **dict.fromkeys(("pad", "grow", "huge", "large", "big"), "oversize"),
}
"""A word in the name of an op → the word that this adapter has for it."""
_EMPTY: Final = (
    {"set", "make", "change", "edit", "the", "a", "do", "from", "of", "in", "on"},
    {"file", "source", "script", "use", "to", "all", "key", "keys", "with", "by"},
)
"""Words of a name that may be missing; the second kind only when the name is not known with them."""

_SINGULAR: Final = {
    "values": "value",
    "names": "name",
    "files": "file",
    "paths": "path",
    "texts": "text",
    "kinds": "kind",
    "keys": "key",
    "hex": "hex",
    "hexes": "hex",
    "sizes": "size",
    "versions": "version",
    "fields": "field",
    "encodings": "encoding",
    "domains_list": "domains",
    "skills": "skill",
    "lines": "line",
    "targets": "target",
    "variants": "kind",
}


class UnknownOpError(Exception):
    """The adapter has no word for what the case does."""


def variants(case: Data) -> Iterator[list[Data]]:
    """The lists of ops a case stands for: an `…_each` op is done once for each of its values."""
    return (list(ops) for ops in itertools.product(*(_each(op) for op in case["mutate"])))


def apply(world: World, op: Data) -> None:
    """Do one op; raises `UnknownOpError`."""
    done = OPS.get(op["op"]) or _by_words(op["op"])
    if done is None:
        raise UnknownOpError(f"the adapter has no op {op['op']!r}: {dict(op)}")
    done(world, op)


def _by_words(name: str) -> Op | None:
    """The op that is called by the same words in another order, or by others of their meaning."""
    for empty in (_EMPTY[0], _EMPTY[0] | _EMPTY[1]):
        wanted = _words(name, empty)
        found = next((op for known, op in OPS.items() if wanted and _words(known, empty) == wanted), None)
        if found is not None:
            return found
    return None


def _words(name: str, empty: set[str]) -> frozenset[str]:
    words = {_SAME.get(word, word) for word in re.split(r"[_\s]+", name.lower()) if word not in empty}
    return frozenset(words - empty)


def _each(op: Data) -> list[Data]:
    if op["op"] == "pin_key" and re.search(r" ?[/,] ?", str(op.get("value", ""))):
        return [{**op, "value": value.strip()} for value in re.split(r"[/,]", op["value"])]
    if not op["op"].endswith("_each"):
        return [op]
    lists = [key for key in op if key in _SINGULAR and isinstance(op[key], list)]
    lists = lists if len(lists) == 1 else [key for key in ("values", "value") if isinstance(op.get(key), list)][:1]
    if len(lists) != 1:
        raise UnknownOpError(f"{op['op']!r} names no one list of values: {dict(op)}")
    (many,) = lists
    kept = {key: value for key, value in op.items() if key != many}
    name = op["op"].removesuffix("_each")
    return [{**kept, "op": name, **_one(_SINGULAR.get(many, many), value)} for value in op[many]]


def _one(key: str, value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) and key != "value" else {key: value}
