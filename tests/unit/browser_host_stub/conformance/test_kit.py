import json
import re
import sys
from pathlib import Path

import pytest

from browser_host_stub.conformance.command import conformance
from browser_host_stub.conformance.report import as_json, markdown, table, titles
from browser_host_stub.conformance.rows.groups import GROUPS
from browser_host_stub.conformance.runner import Plan, chosen
from browser_host_stub.conformance.verdict import State
from browser_host_stub.ends import BadUsageError
from browser_host_stub.entry import main
from sgclaw.protocol.actions import ACTIONS

STUB = f"{sys.executable} -m browser_host_stub host --policy {{policy}} --out {{out}} --approve {{approve}}"
QUICK_GROUPS = (("hello", "sign"), ("order", "strict"), ("act",))
DOCUMENT = Path(__file__).parents[4] / "docs" / "conformance.md"


@pytest.mark.requirement("CONF-01")
@pytest.mark.parametrize("groups", QUICK_GROUPS, ids=" ".join)
def test_the_stub_passes_the_quick_groups_by_its_own_command(
    groups: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = [row.id for group in GROUPS if group.name in groups for row in group.rows if not row.fresh]
    words = ["conformance", "--host-cmd", STUB, "--out", str(tmp_path), "--json", "--only", *quick, "always"]
    code = main(words)
    told = json.loads(capsys.readouterr().out)
    failed = {row["id"]: row["why"] for row in told["rows"] if row["state"] != "passed"}
    assert (code, failed) == (0, {})
    assert told == json.loads((tmp_path / "conformance.json").read_text("utf-8"))


DIES = (
    "import base64, json, os, sys, time; policy = open(sys.argv[1]).read();"
    "key = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip('=');"
    "trace = time.strftime('sgclaw-%Y%m%d-') + os.urandom(4).hex();"
    "init = {'type': 'init', 'protocol': 'sgclaw-pipe/1', 'trace_id': trace,"
    " 'session_key': key, 'host': {'name': 'dying', 'version': '1'}, 'policy': policy};"
    "print(json.dumps(init), flush=True)"
)


def dying(then: str) -> str:
    return f'{sys.executable} -c "{DIES};{then}" {{policy}}'


@pytest.mark.requirement("CONF-04")
async def test_a_host_that_does_not_start_costs_two_rows_and_the_rest_is_not_judged(tmp_path: Path) -> None:
    report = await conformance(Plan("/no/such/host", tmp_path, 1.0, ("hello",)))
    states = [verdict.state for verdict in report.verdicts]
    assert states == [State.FAILED] * 2 + [State.SKIPPED] * (len(states) - 2)
    assert not report.passed


@pytest.mark.requirement("CONF-04", "CONF-05")
async def test_a_host_that_dies_after_init_fails_row_by_row_and_what_builds_on_it_is_not_judged(
    tmp_path: Path,
) -> None:
    names = ("hello.init", "hello.ready", "sign.response", "order.used", "cmd.unknown")
    report = await conformance(Plan(dying("pass"), tmp_path, 1.0, names))
    assert [(verdict.row, verdict.state) for verdict in report.verdicts] == [
        ("hello.init", State.PASSED),
        ("hello.ready", State.FAILED),
        ("sign.response", State.FAILED),
        ("order.used", State.SKIPPED),
        ("cmd.unknown", State.SKIPPED),
    ]
    assert report.host == "dying 1"
    assert report.verdicts[-1].why == "前提 sign.response 没有通过"


@pytest.mark.requirement("CONF-04")
async def test_a_host_that_hangs_costs_its_row_and_is_ended(tmp_path: Path) -> None:
    report = await conformance(Plan(dying("time.sleep(60)"), tmp_path, 1.0, ("hello.ready",)))
    assert [verdict.state for verdict in report.verdicts] == [State.FAILED]
    assert "没有等到对 listPages 的回应" in report.verdicts[0].why
    assert report.duration_ms < 30_000


@pytest.mark.requirement("CONF-02")
async def test_the_table_and_the_json_say_the_same(tmp_path: Path) -> None:
    report = await conformance(Plan(dying("pass"), tmp_path, 1.0, ("hello.init", "hello.ready", "always.key")))
    lines = list(table(report))
    assert re.fullmatch(r"项目 +结果 +说明", lines[0])
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["hello.init", "通过"],
        ["hello.ready", "未通过"],
        ["always.key", "未判定"],
    ]
    assert lines[4].startswith("dying 1：共 3 项，通过 1，未通过 1，未判定 1（")
    told = as_json(report)
    assert (told["outcome"], told["passed"], told["failed"], told["skipped"]) == ("failed", 1, 1, 1)


@pytest.mark.requirement("CONF-02")
@pytest.mark.parametrize(
    "words",
    [
        ["conformance"],
        ["conformance", "--host-cmd", ""],
        ["conformance", "--host-cmd", "a 'b"],
        ["conformance", "--host-cmd", "true", "--only", "no-such-row"],
        ["conformance", "--host-cmd", "true", "--timeout", "0"],
        ["host", "--policy", "no-such-file.json"],
    ],
)
def test_words_that_cannot_be_used_end_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("BAD_USAGE：")


@pytest.mark.requirement("CONF-06")
def test_the_document_lists_every_row() -> None:
    assert markdown().strip() in DOCUMENT.read_text("utf-8"), "write report.markdown() into docs/conformance.md"


@pytest.mark.requirement("CONF-06")
def test_every_action_has_a_row_and_no_row_has_the_name_of_another() -> None:
    assert {f"act.{name}" for name in ACTIONS} <= titles().keys()
    names = [row.id for group in GROUPS for row in group.rows]
    assert len(names) == len(set(names))
    assert all(name in titles() for group in GROUPS for name in group.needs)


@pytest.mark.requirement("CONF-06")
def test_names_choose_groups_and_rows_and_slow_groups_only_when_asked() -> None:
    assert [(group.name, [row.id for row in rows]) for group, rows in chosen(("frame", "no.no"), slow=False)] == [
        ("no", ["no.no"]),
        ("frame", ["frame.shadow", "frame.same", "frame.other"]),
    ]
    assert "silent" not in {group.name for group, _ in chosen((), slow=False)}
    assert "silent" in {group.name for group, _ in chosen((), slow=True)}
    with pytest.raises(BadUsageError):
        chosen(("nothing",), slow=False)
