"""Counts lines of files and functions. The limits are judgements and never rise; what outgrows them is split."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

FILE_LIMIT: Final = 400
FUNCTION_LIMIT: Final = 50
AGENT_LOOP_LIMIT: Final = 150

SCRIPT_SUFFIXES: Final = frozenset({".js", ".mjs", ".ts", ".vue", ".sh"})

# The first line of a named function in JavaScript, TypeScript or bash. Blocks of control words look like methods.
_SCRIPT_START: Final = re.compile(
    r"^(?P<indent>\s*)(?:"
    r"(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\*?\s*(?P<function>\w*)\s*\(.*"
    r"|(?:export\s+)?(?:const|let|var)\s+(?P<arrow>\w+)\s*=\s*(?:async\s*)?(?:\(.*|\w+\s*=>.*|function\b.*)"
    r"|(?:static\s+|async\s+|get\s+|set\s+)*\*?(?!(?:if|for|while|switch|catch|with)\b)(?P<method>[\w#-]+)\s*\(.*\)"
    r"(?:\s*:\s*[^{]+)?"
    r")\s*\{\s*$"
)


class Function(NamedTuple):
    """A function's name, the number of its first line, and how many lines it takes."""

    name: str
    line: int
    length: int


def is_script(path: Path, text: str) -> bool:
    """Whether the file is JavaScript, TypeScript, Vue or bash; bash is known by its first line too."""
    return path.suffix in SCRIPT_SUFFIXES or re.match(r"#!.*\b(?:ba)?sh\b", text) is not None


def python_functions(source: str) -> Iterator[Function]:
    """Every function and method of a Python source, nested ones too; decorators are not counted."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1)


def script_functions(source: str) -> Iterator[Function]:
    """Every named function of a JavaScript, TypeScript or bash source, found by its indentation.

    A function ends at the first later line that starts with `}` at the indentation of its first line. One without
    such a line runs to the end of the file, so bad indentation fails a gate rather than escaping it.
    """
    lines = source.splitlines()
    for number, line in enumerate(lines):
        start = _SCRIPT_START.match(line)
        if start is None:
            continue
        closing = start["indent"] + "}"
        end = next((at for at in range(number + 1, len(lines)) if lines[at].startswith(closing)), len(lines) - 1)
        name = start["function"] or start["arrow"] or start["method"] or "(unnamed)"
        yield Function(name, number + 1, end - number + 1)


def problems_of(name: str, text: str, *, script: bool) -> list[str]:
    """What is too long in one file, each with its place; empty when all is well."""
    found = []
    length = len(text.splitlines())
    if length > FILE_LIMIT:
        found.append(f"{name}: {length} lines, the limit is {FILE_LIMIT}")
    functions = script_functions(text) if script else python_functions(text)
    found += [
        f"{name}:{function.line}: {function.name} has {function.length} lines, the limit is {FUNCTION_LIMIT}"
        for function in functions
        if function.length > FUNCTION_LIMIT
    ]
    return found
