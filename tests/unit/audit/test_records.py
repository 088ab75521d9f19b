from datetime import timedelta
from pathlib import Path

import pytest

from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.records import records, story, task_records
from sgclaw.errors import LedgerBrokenError
from sgclaw.ports import Record
from tests.unit.audit.support import MORNING, TRACE, HandClock, ledger_of, record, segment

OTHER = "sgclaw-20260304-00000000"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    clock = HandClock()
    ledger = FileLedger(tmp_path / "ledger", clock)
    for day in (-3, -1, 0, 1):
        clock.time = MORNING + timedelta(days=day)
        ledger.append(Record("command", TRACE, "agent", '任务"1', {"day": day}))
        ledger.append(Record("command", OTHER, "agent", "t-2", {"day": day, "mentions": TRACE}))
    return tmp_path / "ledger"


@pytest.mark.requirement("AUDIT-11")
def test_a_story_is_the_records_of_one_session_in_order(directory: Path) -> None:
    told = story(directory, TRACE)
    # The session's own day is the third: what lies more than a day before it cannot be its.
    assert [(entry.trace_id, entry.data["day"]) for entry in told] == [(TRACE, -1), (TRACE, 0), (TRACE, 1)]
    assert story(directory, "sgclaw-20260303-ffffffff") == []
    assert story(directory, "no trace id") == []


@pytest.mark.requirement("AUDIT-11")
def test_records_of_a_task_are_found_by_its_id_whatever_its_characters(directory: Path) -> None:
    assert [entry.data["day"] for entry in task_records(directory, '任务"1')] == [-3, -1, 0, 1]
    assert task_records(directory, "t-3") == []


@pytest.mark.requirement("AUDIT-11")
def test_all_records_are_read_from_a_day_on(directory: Path) -> None:
    assert [entry.n for entry in records(directory)] == list(range(1, 9))
    assert [entry.n for entry in records(directory, first_day="20260303")] == [5, 6, 7, 8]


@pytest.mark.requirement("AUDIT-11")
def test_a_line_being_written_is_left_out_and_a_spoiled_one_is_reported(tmp_path: Path) -> None:
    directory = ledger_of(tmp_path / "ledger", 3)
    with segment(directory).open("ab") as stream:
        stream.write(b'{"actor":"ag')
    assert [entry.n for entry in records(directory)] == [1, 2, 3]
    segment(directory).write_bytes(segment(directory).read_bytes().replace(b'"n":2', b'"n":"2"'))
    with pytest.raises(LedgerBrokenError) as broken:
        list(records(directory))
    assert broken.value.facts == {"n": 2, "file": "ledger-20260303.jsonl", "what": "edited"}


@pytest.mark.requirement("AUDIT-11")
def test_reading_sees_what_a_running_writer_has_appended(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    for number in range(1, 4):
        ledger.append(record(number))
        assert [entry.data["seq"] for entry in story(tmp_path / "ledger", TRACE)] == list(range(1, number + 1))
