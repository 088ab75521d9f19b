from dataclasses import asdict
from datetime import datetime, timedelta

import pytest

from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.record_files import RecordFiles
from sgclaw.audit.records import records
from sgclaw.audit.trace import TraceHolder
from sgclaw.cli.exits import Exit
from sgclaw.ports import Record, RecordKind
from tests.unit.cli.home import NOW, Home

FIRST, SECOND = "sgclaw-20260330-00000001", "sgclaw-20260331-00000002"


class Clock:
    """A clock that a test moves."""

    def __init__(self, now: datetime) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture
def ledger(home: Home) -> FileLedger:
    """Two sessions, a day apart, each with one task."""
    clock = Clock(NOW - timedelta(days=1))
    made = FileLedger(home.settings.audit_dir, clock)
    for trace, outcome in ((FIRST, "completed"), (SECOND, "failed")):
        made.append(Record("task_submitted", trace, "sgclaw", "t1", {"instruction": "导出订单清单", "source": "cli"}))
        made.append(Record("task_finished", trace, "sgclaw", "t1", {"outcome": outcome, "duration_ms": 1200}))
        clock.at = NOW
    made.close()
    return made


@pytest.mark.requirement("CLI-30")
@pytest.mark.usefixtures("ledger")
def test_show_tells_the_story_of_one_session(home: Home) -> None:
    assert home.run("audit", "show", FIRST) == Exit.OK
    first, second = home.out.splitlines()
    assert "提交任务「导出订单清单」" in first
    assert "任务完成，用时 1.2 秒" in second


@pytest.mark.requirement("CLI-30")
@pytest.mark.usefixtures("ledger")
def test_show_as_json_gives_the_raw_records(home: Home) -> None:
    assert home.run("audit", "show", SECOND, "--json") == Exit.OK
    stored = [asdict(record) for record in records(home.settings.audit_dir) if record.trace_id == SECOND]
    assert home.json() == {"trace_id": SECOND, "records": stored, "problem": None}
    assert home.err == ""


@pytest.mark.requirement("CLI-31")
@pytest.mark.usefixtures("ledger")
def test_an_unknown_trace_is_an_error_that_offers_the_nearest(home: Home) -> None:
    assert home.run("audit", "show", SECOND[:-1] + "3", "--json") == Exit.FAILED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["code"] == "TRACE_NOT_FOUND"
    assert error["facts"]["nearest"] == [SECOND]
    assert error["facts"]["recent"] == [SECOND, FIRST]


@pytest.mark.requirement("CLI-31")
def test_without_a_ledger_nothing_is_found_and_nothing_is_made(home: Home) -> None:
    assert home.run("audit", "show", FIRST) == Exit.FAILED
    assert home.run("audit", "list") == Exit.OK
    assert not home.settings.state_dir.exists()


READING = (("show", FIRST), ("show", FIRST, "--class", "pipe"), ("list",))


@pytest.mark.requirement("AUDIT-30")
@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize("words", READING)
def test_who_reads_one_session_hears_that_a_record_of_another_was_changed(home: Home, words: tuple[str, ...]) -> None:
    assert home.run("audit", *words) == Exit.OK
    sound = home.out
    assert home.err == ""
    segment = home.settings.audit_dir / "ledger-20260331.jsonl"
    segment.write_bytes(segment.read_bytes().replace(b'"t1"', b'"t2"'))
    assert home.run("audit", *words) == Exit.OK
    assert home.out == sound
    assert home.err == (
        f"注意：账本没有通过校验：审计账本第 3 条记录被修改过（{segment.name}）。以上内容仅供参考，"
        "请运行 sgclaw audit verify\n"
    )
    assert home.run("audit", *words, "--json") == Exit.OK
    problem = home.json()["problem"]
    assert isinstance(problem, dict)
    assert (problem["code"], problem["facts"]["n"]) == ("LEDGER_BROKEN", 3)


@pytest.mark.requirement("AUDIT-30")
@pytest.mark.usefixtures("ledger")
def test_who_reads_a_ledger_whose_head_cannot_be_opened_hears_that_it_was_not_checked(home: Home) -> None:
    head = home.settings.audit_dir / "ledger.head"
    head.unlink()
    head.symlink_to(head.with_name("ledger-20260331.jsonl"))
    assert home.run("audit", "show", FIRST) == Exit.OK
    problem = "审计账本文件夹里有一项不是普通文件，不属于这本账（ledger.head）"
    assert home.err.startswith(f"注意：账本没有通过校验：{problem}")


@pytest.mark.requirement("AUDIT-31")
@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize("name", ["audit", "evidence"])
def test_the_ledgers_own_folder_named_as_state_folder_is_answered_with_the_folder_to_name(
    home: Home, name: str
) -> None:
    folder = home.settings.audit_dir.rename(home.settings.audit_dir.parent / name)
    hint = f"--state-dir {folder.parent}" if name == "audit" else "放进名为 audit 的文件夹"
    for words in (("verify",), ("verify", "--head", f"1:{'0' * 64}"), ("show", FIRST)):
        assert home.run("--state-dir", str(folder), "audit", *words, "--json") == Exit.FAILED
        error = home.json()["error"]
        assert isinstance(error, dict)
        assert error["code"] == ("TRACE_NOT_FOUND" if words[0] == "show" else "NO_LEDGER")
        assert hint in error["next_step"]
    assert home.run("--state-dir", str(folder), "audit", "list") == Exit.OK
    assert hint in home.out


@pytest.mark.requirement("CLI-32")
@pytest.mark.usefixtures("ledger")
def test_list_shows_the_latest_sessions_first(home: Home) -> None:
    assert home.run("audit", "list", "--json") == Exit.OK
    assert home.json() == {
        "traces": [
            {
                "trace_id": SECOND,
                "started": "2026-03-31T08:00:00.000Z",
                "instruction": "导出订单清单",
                "outcome": "failed",
                "records": 2,
            },
            {
                "trace_id": FIRST,
                "started": "2026-03-30T08:00:00.000Z",
                "instruction": "导出订单清单",
                "outcome": "completed",
                "records": 2,
            },
        ],
        "problem": None,
    }
    home.run("audit", "list", "--limit", "1")
    assert [line.split() for line in home.out.splitlines()[1:]] == [
        [SECOND, "2026-03-31T08:00:00", "失败", "导出订单清单"]
    ]


@pytest.mark.requirement("CLI-33")
@pytest.mark.usefixtures("ledger")
def test_verify_tells_count_head_and_segments(home: Home) -> None:
    *_, last = records(home.settings.audit_dir)
    assert home.run("audit", "verify", "--json") == Exit.OK
    assert home.json() == {
        "ok": True,
        "count": 4,
        "head": last.hash,
        "segments": 2,
        "torn_bytes": 0,
        "classes": [],
        "beyond": 0,
    }
    assert home.run("audit", "verify", "--head", f"4:{last.hash}") == Exit.OK
    assert f"账本头：4:{last.hash}" in home.out


@pytest.mark.requirement("CLI-33")
@pytest.mark.usefixtures("ledger")
def test_verify_names_the_first_bad_record_and_exits_with_4(home: Home) -> None:
    segment = home.settings.audit_dir / "ledger-20260331.jsonl"
    segment.write_bytes(segment.read_bytes().replace(b'"failed"', b'"passed"'))
    assert home.run("audit", "verify", "--json") == Exit.REFUSED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["facts"] == {"n": 4, "file": segment.name, "what": "edited"}


@pytest.mark.requirement("CLI-33")
@pytest.mark.usefixtures("ledger")
def test_verify_compares_with_a_head_kept_elsewhere(home: Home) -> None:
    assert home.run("audit", "verify", "--head", f"4:{'0' * 64}") == Exit.REFUSED
    assert "第 4 条记录与给出的账本头不符" in home.err
    assert home.run("audit", "verify", "--head", f"9:{'0' * 64}") == Exit.REFUSED
    assert "账本只有 4 条记录，给出的账本头说有 9 条" in home.err


@pytest.mark.requirement("CLI-34")
@pytest.mark.usefixtures("ledger")
def test_state_dir_points_every_command_to_another_ledger(home: Home) -> None:
    before = home.settings
    home.with_settings(state_dir=home.folder / "elsewhere")
    assert home.run("audit", "show", FIRST) == Exit.FAILED
    assert home.run("--state-dir", str(before.state_dir), "audit", "show", FIRST) == Exit.OK


@pytest.mark.requirement("CLI-64")
@pytest.mark.parametrize("made", [False, True])
def test_where_there_is_no_ledger_verify_says_so_and_does_not_call_it_broken(home: Home, made: bool) -> None:
    if made:
        home.settings.audit_dir.mkdir(parents=True)
    assert home.run("audit", "verify", "--json") == Exit.FAILED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["facts"]) == ("NO_LEDGER", {"ledger": str(home.settings.audit_dir)})


@pytest.mark.requirement("CLI-64")
def test_a_ledger_that_a_head_kept_elsewhere_speaks_of_is_missing(home: Home) -> None:
    assert home.run("audit", "verify", "--head", f"4:{'0' * 64}") == Exit.REFUSED


@pytest.mark.requirement("CLI-64")
@pytest.mark.usefixtures("ledger")
def test_a_ledger_whose_head_is_gone_is_broken(home: Home) -> None:
    (home.settings.audit_dir / "ledger.head").unlink()
    assert home.run("audit", "verify") == Exit.REFUSED


@pytest.mark.requirement("CLI-32")
def test_more_days_than_the_calendar_has_are_a_usage_error(home: Home) -> None:
    assert home.run("audit", "list", "--days", "999999999") == Exit.USAGE
    assert home.run("audit", "list", "--days", "36500") == Exit.OK


@pytest.fixture
def kept(home: Home) -> None:
    """Two sessions, a day apart, each with its records."""
    clock = Clock(NOW - timedelta(days=1))
    made = FileLedger(home.settings.audit_dir, clock)
    for trace in (FIRST, SECOND):
        files = RecordFiles(home.settings.audit_dir, made, clock, TraceHolder(trace))
        files.maintain()
        made.append(Record("session_ended", trace, "sgclaw", data={"reason": "eof"}))
        files.write(RecordKind.PIPE, {"direction": "out", "type": "command", "seq": 1, "action": "click"})
        files.write(RecordKind.PIPE, {"direction": "in", "type": "response", "seq": 1, "success": True})
        files.commit()
        files.close()
        clock.at = NOW
    made.close()


@pytest.mark.requirement("AUDIT-27")
@pytest.mark.usefixtures("kept")
def test_show_with_a_class_prints_its_records_of_the_session(home: Home) -> None:
    assert home.run("audit", "show", SECOND, "--class", "pipe") == Exit.OK
    assert [line.split("  ", 1)[1] for line in home.out.splitlines()] == [
        "发出 command seq=1 click",
        "收到 response seq=1，成功",
    ]
    assert home.run("audit", "show", FIRST, "--class", "pipe", "--json") == Exit.OK
    base = {"timestamp": "2026-03-30T08:00:00.000Z", "trace_id": FIRST}
    assert home.json() == {
        "trace_id": FIRST,
        "class": "pipe",
        "records": [
            {**base, "direction": "out", "type": "command", "seq": 1, "action": "click"},
            {**base, "direction": "in", "type": "response", "seq": 1, "success": True},
        ],
        "problem": None,
    }


@pytest.mark.requirement("AUDIT-27")
@pytest.mark.usefixtures("kept")
def test_show_says_when_a_session_has_no_records_of_a_class(home: Home) -> None:
    assert home.run("audit", "show", FIRST, "--class", "llm") == Exit.OK
    assert home.out == f"{FIRST} 没有模型调用记录；这类记录保留 90 天\n"
    assert home.run("audit", "show", FIRST[:-1] + "9", "--class", "llm", "--json") == Exit.FAILED
    assert home.run("audit", "show", FIRST, "--class", "other") == Exit.USAGE


@pytest.mark.requirement("AUDIT-27")
@pytest.mark.usefixtures("kept")
def test_verify_reports_each_class(home: Home) -> None:
    assert home.run("audit", "verify") == Exit.OK
    assert "通信记录：2 个分段，已登记 4 条" in home.out.splitlines()
    assert home.run("audit", "verify", "--json") == Exit.OK
    assert home.json()["classes"] == [{"kind": "pipe", "segments": 2, "records": 4, "open_bytes": 0, "dropped": 0}]


@pytest.mark.requirement("AUDIT-27")
@pytest.mark.usefixtures("kept")
def test_verify_names_a_record_file_that_is_not_what_the_ledger_says_and_exits_with_4(home: Home) -> None:
    path = home.settings.audit_dir / "pipe-20260330.jsonl"
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"click", b"hover"))
    assert home.run("audit", "verify", "--json") == Exit.REFUSED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert error["facts"] == {"n": 2, "file": path.name, "what": "edited"}


@pytest.mark.requirement("AUDIT-27")
@pytest.mark.usefixtures("kept")
def test_list_names_sessions_with_records_as_before(home: Home) -> None:
    assert home.run("audit", "list", "--json") == Exit.OK
    traces = home.json()["traces"]
    assert isinstance(traces, list)
    assert [(each["trace_id"], each["records"]) for each in traces] == [(SECOND, 1), (FIRST, 1)]
