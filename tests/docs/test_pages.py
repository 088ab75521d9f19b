import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from browser_host_stub.approvals import facts_of
from browser_host_stub.driver import Located
from browser_host_stub.ends import _REFUSALS as REFUSED_SESSIONS
from sgclaw.errors import ActionCode, WireCode
from sgclaw.policy.explain import RULES
from sgclaw.policy.labels import IRREVERSIBLE_LABELS, irreversible_word
from sgclaw.policy.model import parse_policy
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST, Command
from sgclaw.protocol.params import NoParams
from sgclaw.protocol.results import PageInfo
from tests.docs.__main__ import main
from tests.docs.errors_page import error_classes, errors_page
from tests.docs.markdown import fields_table, table, type_phrase
from tests.docs.meanings import APPROVAL_FACTS, ENTRY_KEYS, HEADER_KEYS
from tests.docs.meanings_of_actions import ACTION_MEANINGS
from tests.docs.pages import PAGES, stale, write
from tests.docs.protocol_page import UNCOVERED, protocol_page, rule_words
from tests.docs.schemas import models, objects, schema_of
from tests.gates.repository import ROOT
from tests.wire.make import FILES

PAGE = protocol_page()
COMMAND = Command(seq=1, action="reload", params={}, task_id="t1", deadline_ms=1)
LOCATED = Located("reload", NoParams(), PageInfo(id="p1", url="https://erp.example.com/"), None, None, None)
BLOCKS = re.findall(r"^```(\w+)\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
SIGNED_PING = re.findall(r"^\| the line \(.*\) \| `(.*)` \|$", PAGE, re.MULTILINE)
LINES = [text for kind, text in BLOCKS if kind == "json" and text.startswith('{"type"')]
KEYS = dict(re.findall(r"^\| (host|agent) key = .* \| `([0-9a-f]{64})` \|$", PAGE, re.MULTILINE))


@pytest.mark.requirement("DOCS-01")
def test_the_generated_documents_say_what_the_code_says() -> None:
    assert main(["--check"]) == 0


@pytest.mark.requirement("DOCS-02")
def test_a_check_lists_every_stale_file_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], tmp_path) == 1
    assert capsys.readouterr().err.splitlines()[:-1] == [f"stale: {name}" for name in PAGES]
    assert list(tmp_path.iterdir()) == []
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0


@pytest.mark.requirement("DOCS-02")
def test_a_change_by_hand_is_found_and_only_that_file_is_written_again(tmp_path: Path) -> None:
    pages = {"a/one.md": lambda: "one\n", "two.md": lambda: "表\n"}
    assert write(tmp_path, pages) == ["a/one.md", "two.md"]
    untouched = (tmp_path / "a/one.md").stat().st_mtime_ns
    (tmp_path / "two.md").write_bytes("表\r\n".encode())
    assert stale(tmp_path, pages) == ["two.md"]
    assert write(tmp_path, pages) == ["two.md"]
    assert (tmp_path / "two.md").read_bytes() == "表\n".encode()
    assert (tmp_path / "a/one.md").stat().st_mtime_ns == untouched


@pytest.mark.requirement("DOCS-03")
def test_the_pages_own_program_accepts_its_example_and_refuses_every_changed_line() -> None:
    program = next(text for kind, text in BLOCKS if kind == "python")
    signed = [
        (text, "agent" if text.startswith(('{"type":"ready"', '{"type":"command"', '{"type":"task_c')) else "host")
        for text in (*SIGNED_PING, *LINES[1:])
    ]
    checks = f"""
KEY = [derive(bytes(range(32)), "sgclaw-20260303-0a1b2c3d", sender) for sender in ("agent", "host")]
assert [key.hex() for key in KEY] == {[KEYS["agent"], KEYS["host"]]!r}
for text, sender in {signed!r}:
    line, key, other = text.encode(), KEY[sender == "host"], KEY[sender == "agent"]
    assert is_authentic(line, key), text
    assert not is_authentic(line, other), text
    for at in range(len(line)):
        assert not is_authentic(line[:at] + bytes([line[at] ^ 1]) + line[at + 1:], key), (text, at)
"""
    ended = subprocess.run(
        [sys.executable, "-I", "-c", program + checks], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(signed) == 6


@pytest.mark.requirement("DOCS-03")
def test_the_example_shows_a_whole_session_and_a_policy_that_is_accepted() -> None:
    kinds = [json.loads(text)["type"] for text in LINES]
    assert kinds == ["init", "ready", "submit_task", "command", "response", "task_completed"]
    command, response = json.loads(LINES[3]), json.loads(LINES[4])
    assert response["security"]["re"] == command["security"]["hmac"]
    assert parse_policy(json.loads(LINES[0])["policy"]).sha256 == json.loads(LINES[1])["policy_sha256"]
    policy = next(text for kind, text in BLOCKS if kind == "json" and '"grants"' in text)
    assert len(parse_policy(policy).grants) == 1


@pytest.mark.requirement("DOCS-04")
def test_the_page_names_every_message_action_code_and_rule() -> None:
    names = [*FROM_HOST, *FROM_AGENT, *(code.value for code in (*WireCode, *ActionCode)), *rule_words()]
    assert [name for name in names if f"`{name}`" not in PAGE] == []
    assert [name for name in ACTIONS if f"\n#### {name}\n" not in PAGE] == []
    assert ACTION_MEANINGS.keys() == ACTIONS.keys()
    assert {"action.denied", "origin.unlisted", "skill.domain", "url.characters"} <= set(rule_words())


@pytest.mark.requirement("DOCS-04")
def test_the_page_of_errors_has_one_row_for_every_class_with_a_code_of_its_own() -> None:
    rows = [line for line in errors_page().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [cls.code for cls in error_classes()]
    assert "SKILL_REFUSED" in errors_page()


@pytest.mark.requirement("DOCS-04")
def test_every_link_inside_the_page_leads_to_one_heading() -> None:
    headings = [
        re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
        for text in re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL), re.MULTILINE)
    ]
    targets = set(re.findall(r"\]\(#([^)]*)\)", PAGE))
    assert {target: headings.count(target) for target in targets} == dict.fromkeys(targets, 1)


@pytest.mark.requirement("WIRE-08")
def test_every_field_of_every_message_action_and_object_says_what_it_means() -> None:
    schemas = {model.__name__: schema_of(model)[0] for model in models()} | objects()
    silent = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, kind in schema.get("properties", {}).items()
        if "const" not in kind and not kind.get("description")
    ]
    assert silent == []


@pytest.mark.requirement("WIRE-08")
def test_the_page_draws_every_exchange_and_names_the_figures_of_the_code() -> None:
    drawings = [text for kind, text in BLOCKS if kind == "mermaid"]
    kinds = {kind for kind in (*FROM_HOST, *FROM_AGENT) if any(kind in text for text in drawings)}
    assert {*FROM_HOST, *FROM_AGENT} - kinds <= {"page_event", "panel_request", "panel_result"}
    assert set(APPROVAL_FACTS) - {"approval_id"} == set(facts_of(COMMAND, "erp.example.com", LOCATED, "x"))


@pytest.mark.requirement("WIRE-11")
def test_the_page_says_every_member_of_a_transcript_and_which_a_host_can_replay() -> None:
    heads, shown = [], set()
    for name in FILES:
        head, *entries = map(json.loads, FILES[name]().splitlines())
        assert list(head) == list(HEADER_KEYS)
        heads.append((Path(name).stem, head["host"]))
        shown |= {key for entry in entries for key in entry}
    assert shown == set(ENTRY_KEYS)
    channel = [name for name, host in heads if host == "channel"]
    assert re.findall(r"^\| \[([\w-]+)\]\(\.\./tests/wire/", PAGE, re.MULTILINE) == channel
    assert f"{len(heads) - len(channel)} of the {len(heads)} files can be replayed" in PAGE


@pytest.mark.requirement("DOCS-04")
def test_the_page_lists_every_rule_that_a_refusal_can_name() -> None:
    assert [rule for rule in RULES if f"`{rule}`" not in PAGE] == []
    assert set(UNCOVERED) <= set(RULES)


@pytest.mark.requirement("DOCS-04")
def test_the_page_says_what_to_show_for_every_session_that_sgclaw_refuses() -> None:
    assert [code for code in REFUSED_SESSIONS if f"| `{code}` | {REFUSED_SESSIONS[code]} |" not in PAGE] == []


@pytest.mark.requirement("DOCS-07")
def test_the_page_of_the_demo_site_names_the_one_control_that_asks() -> None:
    folder = ROOT / "browser_host_stub" / "sites" / "erp" / "static"
    controls = [
        re.sub(r"<[^>]*>", "", text).strip()
        for path in sorted(folder.glob("*.html"))
        for text in re.findall(
            r"<(?:a|button)\b[^>]*>(.*?)</(?:a|button)>", path.read_text(encoding="utf-8"), re.DOTALL
        )
    ]
    asking = [label for label in controls if irreversible_word(label, IRREVERSIBLE_LABELS)]
    page = (ROOT / "docs" / "demo-erp.md").read_text(encoding="utf-8")
    assert asking == ["退出登录"]
    assert f"{asking[0]} at the top right" in page


def test_no_placeholder_is_left_on_the_page() -> None:
    assert not re.search(r"\{[a-z_]+\}", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL))


@pytest.mark.parametrize(
    ("schema", "phrase"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "maxLength": 64}, "string ≤ 64"),
        ({"type": "integer", "minimum": 1}, "integer ≥ 1"),
        ({"type": "integer", "minimum": 0, "maximum": 9}, "integer 0 … 9"),
        ({"enum": ["a", "b"], "type": "string"}, '`"a"`, `"b"`'),
        ({"const": "x"}, '`"x"`'),
        ({"pattern": "^`+$", "type": "string"}, "`` ^`+$ ``"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}, "string or integer"),
        ({"type": "array", "items": {"$ref": "#/$defs/AomNode"}}, "array of [AomNode](#aomnode)"),
        ({"type": "array", "prefixItems": [{"type": "integer"}] * 2}, "array of integer, integer"),
        ({}, "any JSON value"),
    ],
)
def test_a_type_is_said_in_one_phrase(schema: dict[str, object], phrase: str) -> None:
    assert type_phrase(schema) == phrase


def test_a_table_stays_a_table_whatever_its_cells_hold() -> None:
    assert table(("a", "b"), [("x|y", "1\n2")]) == "| a | b |\n| --- | --- |\n| x\\|y | 1 2 |"
    assert fields_table({"properties": {"type": {"const": "ping"}}}) == "No fields."
