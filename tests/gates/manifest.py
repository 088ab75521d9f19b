"""Compares the promises of tests/requirements.py with the ids that tests carry."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tests.requirements import Requirement

_ID: Final = re.compile(r"[A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*-\d{2,}")


class NotLiteralError(ValueError):
    """A marker whose ids are computed: nobody could find the test of a promise by searching for its id."""


def marked_ids(source: str) -> Iterator[str]:
    """The ids of every `pytest.mark.requirement(...)` in a source: decorators, `pytestmark`, `pytest.param`."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.requirement")):
            continue
        if not node.args or node.keywords:
            raise NotLiteralError(f"line {node.lineno}: requirement() takes one or more ids")
        for argument in node.args:
            if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                raise NotLiteralError(f"line {node.lineno}: write the id as a string literal")
            yield argument.value


def faults_of_table(rows: Sequence[Requirement]) -> list[str]:
    """What is wrong with the rows themselves: shape of ids, repeats, empty columns, a source that is no sentence."""
    found = []
    seen: set[str] = set()
    for row in rows:
        if not _ID.fullmatch(row.id):
            found.append(f"{row.id}: an id looks like ROOM-01")
        if row.id in seen:
            found.append(f"{row.id}: this id is already taken")
        seen.add(row.id)
        if not row.source.strip() or not row.behaviour.strip():
            found.append(f"{row.id}: source and behaviour are needed")
        if row.behaviour.endswith("."):
            found.append(f"{row.id}: behaviours end without a full stop")
    return found


def differences(rows: Sequence[Requirement], used: Mapping[str, Sequence[str]]) -> list[str]:
    """Promises without a test, deferred ones that have one, and ids of tests that promise nothing.

    `used` maps an id to the files whose tests carry it.
    """
    known = {row.id: row for row in rows}
    found = [f"{id_}: no test carries this id" for id_, row in known.items() if not row.deferred and id_ not in used]
    found += [
        f"{id_}: deferred, yet tested in {used[id_][0]}" for id_, row in known.items() if row.deferred and id_ in used
    ]
    found += [
        f"{id_}: used in {files[0]}, missing in tests/requirements.py"
        for id_, files in used.items()
        if id_ not in known
    ]
    return found
