from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.record_files import Maintained
from sgclaw.audit.segments import Commitment, Extent, Segment, is_believed, is_past, shifted
from sgclaw.audit.verify import verify
from sgclaw.ports import Record, RecordKind
from tests.unit.audit.support import MORNING, SECONDS, TRACE, HandClock, files_of, keep_day, record, told_by_ledger


def used(directory: Path, clock: HandClock, days: Iterable[int]) -> None:
    """A process of its own on each of these days, counted from `MORNING`: one record of each class, then its end."""
    for day in days:
        clock.time = MORNING + timedelta(days=day)
        ledger = FileLedger(directory, clock)
        ledger.append(record(day))
        files = files_of(directory, clock, ledger)
        files.maintain()
        for kind in RecordKind:
            keep_day(files, 1, kind)
        files.commit()
        files.close()
        ledger.close()


def names(directory: Path, kind: str) -> list[str]:
    return sorted(path.name[len(kind) + 1 : -6] for path in directory.glob(f"{kind}-*.jsonl"))


def maintained_on(directory: Path, clock: HandClock, day: int) -> Maintained:
    clock.time = MORNING + timedelta(days=day)
    files = files_of(directory, clock)
    try:
        return files.maintain()
    finally:
        files.close()


@pytest.mark.requirement("AUDIT-21")
def test_files_are_dropped_whole_when_their_class_has_had_its_time(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 1, 28, 29, 30))
    assert maintained_on(directory, clock, 30) == Maintained()
    assert maintained_on(directory, clock, 31) == Maintained(committed=3, dropped=1)
    assert names(directory, "pipe") == ["20260304", "20260331", "20260401", "20260402"]
    used(directory, clock, (87, 88, 89))
    assert maintained_on(directory, clock, 91) == Maintained(committed=3, dropped=2)
    assert names(directory, "pipe") == ["20260529", "20260530", "20260531"]
    assert names(directory, "llm") == names(directory, "operation")
    assert names(directory, "llm")[0] == "20260304"
    dropped = told_by_ledger(directory, "segment_dropped")
    assert [(each["class"], each["day"], each["reason"]) for each in dropped][:2] == [
        ("pipe", "20260303", "retention"),
        ("pipe", "20260304", "retention"),
    ]
    counts = {each.kind: (each.segments, each.dropped) for each in verify(directory).classes}
    assert counts == {"operation": (7, 1), "pipe": (3, 5), "llm": (7, 1)}


@pytest.mark.requirement("AUDIT-21")
def test_the_ledger_itself_is_kept(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 398, 399, 400))
    maintained_on(directory, clock, 401)
    assert names(directory, "ledger")[0] == "20260303"


@pytest.mark.requirement("AUDIT-21")
def test_a_file_that_differs_from_its_commitment_is_evidence_and_stays(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 1, 2, 3))
    path = directory / "pipe-20260303.jsonl"
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"click", b"hover"))
    found = maintained_on(directory, clock, 35)
    assert found == Maintained(committed=3, dropped=3, differing=("pipe-20260303.jsonl",))
    assert path.exists()


@pytest.mark.requirement("AUDIT-21")
def test_a_process_killed_between_saying_and_deleting_deletes_the_next_time(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 1, 2, 3))
    [said] = [
        each
        for each in told_by_ledger(directory, "segment_committed")
        if each["complete"] and (each["class"], each["day"]) == ("pipe", "20260303")
    ]
    clock.time = MORNING + timedelta(days=31)
    FileLedger(directory, clock).append(
        Record("segment_dropped", TRACE, "ledger", data={**said, "reason": "retention"})
    )
    verify(directory)
    assert maintained_on(directory, clock, 31) == Maintained(committed=3, dropped=1)
    assert "20260303" not in names(directory, "pipe")
    assert len(told_by_ledger(directory, "segment_dropped")) == 1
    verify(directory)


@pytest.mark.requirement("AUDIT-22")
def test_a_day_whose_file_was_dropped_is_not_begun_anew(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 1, 2, 3, 32))
    assert names(directory, "pipe") == ["20260305", "20260306", "20260404"]
    used(directory, clock, (0, 1))
    assert names(directory, "pipe") == ["20260305", "20260306", "20260307", "20260308", "20260404"]
    used(directory, clock, (33,))
    verify(directory)


@pytest.mark.requirement("AUDIT-22")
def test_a_day_met_again_after_a_clock_that_was_ahead_is_not_begun_anew(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 100, 1, 2, 3, 40))
    assert "20260611" not in names(directory, "pipe")  # day 100, committed to on day 1
    used(directory, clock, (98, 99, 100, 101, 102))
    assert [day for day in names(directory, "pipe") if day > "20260608"] == [
        "20260609",
        "20260610",
        "20260612",
        "20260613",
    ]
    verify(directory)


@pytest.mark.requirement("AUDIT-18")
def test_two_processes_that_find_the_same_file_commit_to_it_once(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0,))
    clock.time = MORNING + timedelta(days=1)
    both = [files_of(directory, clock), files_of(directory, clock)]
    with ThreadPoolExecutor(2) as threads:
        found = [each.result(SECONDS) for each in [threads.submit(files.maintain) for files in both]]
    for files in both:
        files.close()
    assert sum(each.committed for each in found) == 3
    whole = [each for each in told_by_ledger(directory, "segment_committed") if each["complete"]]
    assert sorted(str(each["class"]) for each in whole) == ["llm", "operation", "pipe"]
    verify(directory)


@pytest.mark.requirement("AUDIT-22")
def test_a_clock_set_forward_by_years_does_not_empty_the_folder(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 1, 2, 3))
    before = {path.name for path in directory.iterdir()}
    used(directory, clock, (7_000, 7_001))
    assert maintained_on(directory, clock, 7_001) == Maintained(held=12)
    assert before <= {path.name for path in directory.iterdir()}
    # Set right again: the days to come are over for us, work goes on in files of its own day, nothing is reported.
    assert maintained_on(directory, clock, 4) == Maintained(committed=3)
    used(directory, clock, (4, 5, 6))
    assert names(directory, "pipe")[3:7] == ["20260306", "20260307", "20260308", "20260309"]
    verify(directory)
    # The ledger goes on in its newest segment; its records' own days bear the clock out, and retention works.
    used(directory, clock, (35, 36, 37))
    assert "20260303" not in names(directory, "pipe")
    # What was committed to while the clock was wrong has a date to come only: it stays.
    assert [day for day in names(directory, "pipe") if day > "2030"] == ["20450502"]
    verify(directory)


@pytest.mark.requirement("AUDIT-22")
def test_after_three_days_of_use_a_jump_of_the_clock_is_believed(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 1, 2))
    used(directory, clock, (400, 401, 402))
    assert names(directory, "pipe")[0] == "20260303"
    assert maintained_on(directory, clock, 403) == Maintained(committed=3, dropped=9)


@pytest.mark.requirement("AUDIT-22")
def test_a_clock_set_back_by_years_drops_nothing_and_spoils_no_complete_file(tmp_path: Path) -> None:
    directory, clock = tmp_path / "audit", HandClock()
    used(directory, clock, (0, 1, 2, 3))
    before = {path.name: path.read_bytes() for path in directory.glob("pipe-*")}
    used(directory, clock, (-2_000, 1))
    assert {name: (directory / name).read_bytes() for name in before} | before == before | {
        "pipe-20260306.jsonl": (directory / "pipe-20260306.jsonl").read_bytes()
    }
    assert set(before) < {path.name for path in directory.glob("pipe-*")}
    verify(directory)


TODAY = "20260601"


@pytest.mark.requirement("AUDIT-22")
@pytest.mark.parametrize(
    ("written", "believed"),
    [
        ([], False),
        ([TODAY], False),
        (["20260531", "20260530"], False),
        (["20260531", "20260530", TODAY], False),
        (["20260531", "20260501", "20260401"], True),
        (["20260531", "20260501", "20260227"], False),
        (["20260602", "20260603", "20260604"], False),
    ],
)
def test_the_clock_is_believed_after_three_days_of_the_last_93(written: list[str], believed: bool) -> None:
    assert is_believed(TODAY, written) is believed


@pytest.mark.requirement("AUDIT-21")
@pytest.mark.parametrize(
    ("kind", "day", "committed", "past"),
    [
        (RecordKind.PIPE, "20260502", "20260503", False),
        (RecordKind.PIPE, "20260501", "20260502", True),
        (RecordKind.LLM, "20260303", "20260304", False),
        (RecordKind.LLM, "20260302", "20260303", True),
        (RecordKind.OPERATION, "20260302", TODAY, True),
        (RecordKind.PIPE, "20990101", "20260501", True),
        (RecordKind.PIPE, "20990101", "20260502", False),
        (RecordKind.PIPE, "20990101", "20990102", False),
        (RecordKind.PIPE, "99991231", "99991231", False),
    ],
)
def test_a_file_has_had_its_time_after_30_or_90_days(kind: RecordKind, day: str, committed: str, past: bool) -> None:
    whole = Commitment(1, committed, Extent(1, 1, "0" * 64), complete=True)
    assert is_past(Segment(kind, day), whole, TODAY) is past


@pytest.mark.requirement("AUDIT-22")
def test_the_calendar_has_ends(tmp_path: Path) -> None:
    assert (shifted("99991231", 1), shifted("00010101", -1)) == ("99991231", "00010101")
    clock = HandClock(datetime(9999, 12, 31, tzinfo=UTC))
    files = files_of(tmp_path / "audit", clock)
    keep_day(files, 1)
    assert files.maintain() == Maintained()
