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
}


class UnknownOpError(Exception):
    """The adapter has no word for what the case does."""


def variants(case: Data) -> Iterator[list[Data]]:
    """The lists of ops a case stands for: an `…_each` op is done once for each of its values."""
    return (list(ops) for ops in itertools.product(*(_each(op) for op in case["mutate"])))


def apply(world: World, op: Data) -> None:
    """Do one op; raises `UnknownOpError`."""
    done = OPS.get(op["op"])
    if done is None:
        raise UnknownOpError(f"the adapter has no op {op['op']!r}: {dict(op)}")
    done(world, op)


def _each(op: Data) -> list[Data]:
    if op["op"] == "pin_key" and re.search(r" ?[/,] ?", str(op.get("value", ""))):
        return [{**op, "value": value.strip()} for value in re.split(r"[/,]", op["value"])]
    if not op["op"].endswith("_each"):
        return [op]
    lists = [key for key in op if key in _SINGULAR and isinstance(op[key], list)]
    if len(lists) != 1:
        raise UnknownOpError(f"{op['op']!r} names no one list of values: {dict(op)}")
    (many,) = lists
    kept = {key: value for key, value in op.items() if key != many}
    return [{**kept, "op": op["op"].removesuffix("_each"), **_one(_SINGULAR[many], value)} for value in op[many]]


def _one(key: str, value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) and key != "value" else {key: value}
