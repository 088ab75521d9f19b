from pathlib import Path

import pytest

from tests.gates.repository import ROOT, files, text_of
from tests.gates.sizes import (
    AGENT_LOOP_LIMIT,
    Function,
    is_script,
    problems_of,
    python_functions,
    script_functions,
)


@pytest.mark.requirement("GATE-01")
def test_every_file_and_function_is_within_its_limit() -> None:
    found: list[str] = []
    for path in files():
        text = text_of(path)
        if text is None or not (path.suffix == ".py" or is_script(path, text)):
            continue
        found += problems_of(str(path.relative_to(ROOT)), text, script=path.suffix != ".py")
    assert found == []


def test_the_agent_loop_stays_small() -> None:
    loop = ROOT / "sgclaw" / "agent" / "loop.py"
    lines = len(loop.read_text(encoding="utf-8").splitlines()) if loop.exists() else 0
    assert lines <= AGENT_LOOP_LIMIT


def test_a_file_of_401_lines_is_reported() -> None:
    assert problems_of("a.py", "x = 1\n" * 401, script=False) == ["a.py: 401 lines, the limit is 400"]
    assert problems_of("a.py", "x = 1\n" * 400, script=False) == []


def test_a_function_of_51_lines_is_reported_with_its_place() -> None:
    source = "x = 1\n\nasync def f():\n" + "    pass\n" * 50
    assert problems_of("a.py", source, script=False) == ["a.py:3: f has 51 lines, the limit is 50"]
    assert problems_of("a.py", source.removesuffix("    pass\n"), script=False) == []


def test_methods_and_nested_functions_are_counted() -> None:
    source = "class A:\n    def m(self):\n        def inner():\n            pass\n        return inner\n"
    assert set(python_functions(source)) == {Function("m", 2, 4), Function("inner", 3, 2)}


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("async function execute(params, browserAction) {", "execute"),
        ("export default function (a) {", "(unnamed)"),
        ("const pick = async (value) => {", "pick"),
        ("    async render(rows) {", "render"),
        ("    total(rows: Row[]): number {", "total"),
        ("setup_python() {", "setup_python"),
    ],
)
def test_a_long_function_of_a_script_is_found(head: str, name: str) -> None:
    indent = " " * (len(head) - len(head.lstrip()))
    source = "\n".join([head, *[indent + "  x();"] * 50, indent + "}", "after();"])
    assert list(script_functions(source)) == [Function(name, 1, 52)]
    assert problems_of("a.js", source, script=True) == [f"a.js:1: {name} has 52 lines, the limit is 50"]


def test_blocks_of_control_words_are_not_functions() -> None:
    source = "if (a) {\n  x();\n}\nfor (const b of c) {\n}\nwhile (d) {\n}\nswitch (e) {\n}\n"
    assert list(script_functions(source)) == []


def test_a_function_that_never_closes_at_its_indentation_runs_to_the_end() -> None:
    assert list(script_functions("function f() {\n  x();\n  }\ny();")) == [Function("f", 1, 4)]


def test_bash_is_known_by_its_first_line() -> None:
    assert is_script(Path("dev"), "#!/usr/bin/env bash\n")
    assert is_script(Path("a.vue"), "")
    assert not is_script(Path("notes"), "# bash\n")
