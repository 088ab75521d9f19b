"""The files of `templates/`: complete, checked when read, each fact in one place, none of them a list of steps."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from sgclaw.context.texts import FOLDER, UNDELETABLE, load_templates, missing_phases, templates
from sgclaw.errors import ConfigError

FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path / "templates")
    return tmp_path / "templates"


def refused(folder: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_templates(folder)
    return str(caught.value.facts["template"])


@pytest.mark.requirement("CTX-06")
@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert refused(folder) == name


@pytest.mark.requirement("CTX-06")
@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe"])
def test_an_empty_or_undecodable_file_is_named(folder: Path, content: bytes) -> None:
    (folder / "l0.md").write_bytes(content)
    assert refused(folder) == "l0.md"


@pytest.mark.requirement("CTX-06")
def test_an_identity_without_the_trace_id_is_refused(folder: Path) -> None:
    (folder / "l1/identity.md").write_text("你是 sgClaw", "utf-8")
    assert refused(folder) == "l1/identity.md"


@pytest.mark.requirement("CTX-06")
@pytest.mark.parametrize("content", ["{", "{}", "[1]", '[{"id": "x"}]', '[{"name": "x"}]', "null"])
def test_phases_of_another_form_are_refused(folder: Path, content: str) -> None:
    (folder / "l2/phases.json").write_text(content, "utf-8")
    assert refused(folder) == "l2/phases.json"


@pytest.mark.requirement("CTX-05")
@pytest.mark.parametrize("lost", sorted(UNDELETABLE))
@pytest.mark.parametrize("how", ["gone", "removable"])
def test_templates_without_an_undeletable_phase_do_not_load(folder: Path, lost: str, how: str) -> None:
    rows = json.loads((folder / "l2/phases.json").read_text("utf-8"))
    kept = [row for row in rows if row["id"] != lost or how != "gone"]
    changed = [{**row, "removable": True} if row["id"] == lost else row for row in kept]
    (folder / "l2/phases.json").write_text(json.dumps(changed), "utf-8")
    assert refused(folder) == "l2/phases.json"


@pytest.mark.requirement("CTX-05")
def test_a_phase_that_is_there_twice_is_refused(folder: Path) -> None:
    rows = json.loads((folder / "l2/phases.json").read_text("utf-8"))
    (folder / "l2/phases.json").write_text(json.dumps([*rows, rows[0]]), "utf-8")
    assert refused(folder) == "l2/phases.json"


@pytest.mark.requirement("CTX-05")
def test_a_plan_without_them_is_told_what_it_lacks() -> None:
    assert missing_phases(frozenset({"operate", "final_review"})) == ("risk_control",)
    assert missing_phases(frozenset(phase.id for phase in templates().phases)) == ()


# --- one fact, one place ----------------------------------------------------------------------------------------------

HOME = {
    "expected_domain": "l0.md",
    "executeJsInPage": "l0.md",
    "%vault:": "l0.md",
    "trace_id": "l1/identity.md",
    "SuperRPA": "l1/identity.md",
    "waiting_human": "l1/board.md",
    "最多 3 次": "l1/roles/executor.md",
    "50～500": "l2/rules/executor.md",
    "run_skill": "l2/rules/executor.md",
    "approved": "l2/review/protocol.md",
    "PARTIAL": "l2/review/protocol.md",
    "辩论": "l2/review/high.md",
    "final_review": "l2/phases.json",
    "risk_control": "l2/phases.json",
}
"""Facts by a word that betrays them, and the one file that says them."""


@pytest.mark.requirement("CTX-07")
@pytest.mark.parametrize(("word", "home"), HOME.items())
def test_a_fact_stands_in_one_file(word: str, home: str) -> None:
    assert [name for name in FILES if word in (FOLDER / name).read_text("utf-8")] == [home]


@pytest.mark.requirement("CTX-07")
def test_no_sentence_stands_in_two_files() -> None:
    seen: dict[str, str] = {}
    twice = []
    for name in FILES:
        for piece in re.split(r"[。；：\n]", (FOLDER / name).read_text("utf-8")):
            sentence = piece.strip(" -#")
            if len(sentence) >= 10 and seen.setdefault(sentence, name) != name:
                twice.append((sentence, seen[sentence], name))
    assert twice == []


@pytest.mark.requirement("CTX-07")
def test_rules_state_abilities_and_limits_and_number_no_steps() -> None:
    for role, text in templates().rules.items():
        assert "能力：" in text, role
        assert "限制：" in text, role
        assert not re.search(r"^\d+[.、]|第[一二三四五]步|首先|然后", text, re.MULTILINE), role
