"""Each of 50 records of a class is attacked in each way: 25 in a complete file, 25 in one committed to so far."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sgclaw.audit.chain import EMPTY, HEAD_NAME, HEAD_SIZE, Head, parse, seal, segments
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.records import records
from sgclaw.audit.segments import Segment, told, whole_of
from sgclaw.audit.verify import verify
from sgclaw.audit.verify_segments import VerifiedClass
from sgclaw.errors import LedgerBrokenError
from sgclaw.ports import Record, RecordKind
from tests.unit.audit.attacks import Lines, cut_file, cut_line, delete, duplicate, swap
from tests.unit.audit.support import MORNING, HandClock, files_of, keep_day, lines_of, record, segment

EACH = 25
DAYS = ("pipe-20260303.jsonl", "pipe-20260304.jsonl")

Attack = Callable[[Lines, int], Lines]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    clock = HandClock()
    files = files_of(tmp_path / "audit", clock)
    keep_day(files, EACH)
    clock.time = MORNING + timedelta(days=1)
    keep_day(files, EACH)
    files.commit()
    files.close()
    for path in (tmp_path / "audit").iterdir():
        path.chmod(0o600)  # whoever tampers owns the files
    return tmp_path / "audit"


def refused(directory: Path) -> dict[str, object]:
    with pytest.raises(LedgerBrokenError) as broken:
        verify(directory)
    return dict(broken.value.facts)


def number_of(directory: Path, name: str, *, complete: bool) -> int:
    """The number of the ledger record that commits to a file."""
    [n] = [
        entry.n
        for entry in records(directory)
        if entry.event == "segment_committed"
        and f"{entry.data['class']}-{entry.data['day']}.jsonl" == name
        and entry.data["complete"] is complete
    ]
    return n


def edit(lines: Lines, index: int) -> Lines:
    return [*lines[:index], lines[index].replace(b"click", b"hover"), *lines[index + 1 :]]


def space(lines: Lines, index: int) -> Lines:
    return [*lines[:index], lines[index].replace(b",", b", ", 1), *lines[index + 1 :]]


def insert(lines: Lines, index: int) -> Lines:
    return [*lines[:index], b'{"note":"nothing happened here"}\n', *lines[index:]]


ATTACKS: dict[Attack, set[str]] = {
    edit: {"edited"},
    space: {"edited", "foreign"},
    delete: {"truncated"},
    swap: {"edited"},
    duplicate: {"edited", "foreign"},
    cut_line: {"truncated"},
    cut_file: {"truncated"},
    insert: {"edited", "foreign"},
}


@pytest.mark.requirement("AUDIT-20")
def test_untouched_files_are_sound_and_counted_by_class(directory: Path) -> None:
    assert verify(directory).classes == (VerifiedClass("pipe", 2, 2 * EACH, 0, 0),)


@pytest.mark.requirement("AUDIT-20")
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_every_attack_on_every_committed_record_is_found_and_its_file_is_named(directory: Path, attack: Attack) -> None:
    found = 0
    for name, complete in zip(DAYS, (True, False), strict=True):
        path, n = directory / name, number_of(directory, name, complete=complete)
        content = path.read_bytes()
        lines = content.splitlines(keepends=True)
        for index in range(EACH):
            changed = b"".join(attack(lines, index))
            path.write_bytes(changed)
            if not complete and changed.startswith(content):
                assert attack is duplicate  # a line behind what was committed to is as good as any other
                assert verify(directory).classes[0].open_bytes == len(changed) - len(content)
            else:
                facts = refused(directory)
                assert facts.pop("what") in ATTACKS[attack]
                assert facts == {"n": n, "file": name}
            found += 1
        path.write_bytes(content)
    assert found == 2 * EACH
    verify(directory)


@pytest.mark.requirement("AUDIT-20")
@pytest.mark.parametrize(("name", "complete"), [(DAYS[0], True), (DAYS[1], False)])
def test_a_file_that_was_taken_away_is_missing(directory: Path, name: str, complete: bool) -> None:
    n = number_of(directory, name, complete=complete)
    (directory / name).unlink()
    assert refused(directory) == {"n": n, "file": name, "what": "missing"}


@pytest.mark.requirement("AUDIT-20")
def test_files_exchanged_with_each_other_are_found(directory: Path) -> None:
    first, second = (directory / name for name in DAYS)
    first_content, second_content = first.read_bytes(), second.read_bytes()
    first.write_bytes(second_content)
    second.write_bytes(first_content)
    assert refused(directory)["file"] == DAYS[0]


@pytest.mark.requirement("AUDIT-20")
def test_a_file_that_retention_dropped_while_we_verified_is_not_missing(directory: Path) -> None:
    clock = HandClock(MORNING + timedelta(days=1))
    ledger = FileLedger(directory, clock)
    for day in (1, 2, 3, 40):
        clock.time = MORNING + timedelta(days=day)
        files = files_of(directory, clock, ledger)
        keep_day(files, 1, RecordKind.LLM)
        files.maintain()
        files.close()
    assert [path.name for path in directory.glob("pipe-*")] == []
    pipe = verify(directory).classes[0]
    assert pipe == VerifiedClass("pipe", 0, 0, 0, 2)


@pytest.mark.requirement("AUDIT-20")
def test_every_byte_of_the_head_and_of_every_commitment_counts(directory: Path) -> None:
    head = directory / HEAD_NAME
    places = [(head, range(HEAD_SIZE))]
    for _, path in segments(directory):
        lines = path.read_bytes().splitlines(keepends=True)
        starts = [sum(map(len, lines[:index])) for index in range(len(lines))]
        places += [
            (path, range(start, start + len(line)))
            for start, line in zip(starts, lines, strict=True)
            if b"segment_committed" in line
        ]
    assert len(places) == 3
    tried, unseen = 0, []
    for path, offsets in places:
        content = path.read_bytes()
        for offset in offsets:
            for other in (content[offset] ^ 1, ord("0") if content[offset] != ord("0") else ord("7")):
                path.write_bytes(content[:offset] + bytes([other]) + content[offset + 1 :])
                tried += 1
                with suppress(LedgerBrokenError):
                    verify(directory)
                    unseen.append((path.name, offset, other))
        path.write_bytes(content)
    assert unseen == []
    assert tried == 2 * sum(len(offsets) for _, offsets in places)
    verify(directory)


@pytest.mark.requirement("AUDIT-20")
def test_a_head_of_an_empty_ledger_over_a_full_one_is_found(directory: Path) -> None:
    (directory / HEAD_NAME).write_bytes(EMPTY.encode())
    assert refused(directory) == {"n": 1, "file": "ledger-20260304.jsonl", "what": "foreign"}


@pytest.mark.requirement("AUDIT-20")
@pytest.mark.parametrize("day", ["20260306", "20260304"])
def test_the_day_of_a_head_counts_before_the_day_has_a_record(directory: Path, day: str) -> None:
    head = Head.decode((directory / HEAD_NAME).read_bytes())
    assert head is not None
    (directory / "ledger-20260305.jsonl").touch(0o600)
    rolled = head._replace(day="20260305", size=0)
    (directory / HEAD_NAME).write_bytes(rolled.encode())
    assert verify(directory).count == head.n
    (directory / HEAD_NAME).write_bytes(rolled._replace(day=day).encode())
    if day > rolled.day:
        assert refused(directory) == {"n": head.n, "file": HEAD_NAME, "what": "edited"}
    else:
        with pytest.raises(LedgerBrokenError):
            FileLedger(directory, HandClock(MORNING + timedelta(days=9))).append(record(1))


DAY_BEFORE, DAY = Segment(RecordKind.PIPE, "20260303"), Segment(RecordKind.PIPE, "20260304")


def say(directory: Path, event: str, about: Segment, *, day: int = 1, **more: object) -> int:
    """Let the ledger say of a segment what its file is now, `day` days after `MORNING`; the number of the record."""
    ledger = FileLedger(directory, HandClock(MORNING + timedelta(days=day)))
    ledger.append(Record(event, "", "ledger", data={**told(about, whole_of(directory / about.name)), **more}))
    ledger.close()
    return ledger_length(directory)


def ledger_length(directory: Path) -> int:
    return sum(1 for _ in records(directory))


def foreign(directory: Path, n: int) -> dict[str, object]:
    return {"n": n, "file": segment(directory).name, "what": "foreign"}


@pytest.mark.requirement("AUDIT-34")
@pytest.mark.parametrize(("days", "sound"), [(1, False), (30, False), (31, True)])
def test_a_deletion_said_before_the_file_has_had_its_time_is_refused(directory: Path, days: int, sound: bool) -> None:
    n = say(directory, "segment_dropped", DAY_BEFORE, day=days, reason="retention")
    (directory / DAY_BEFORE.name).unlink()
    if sound:
        assert verify(directory).classes[0].dropped == 1
    else:
        assert refused(directory) == foreign(directory, n)


@pytest.mark.requirement("AUDIT-34")
def test_a_deletion_of_what_was_never_committed_to_as_complete_is_refused(directory: Path) -> None:
    n = say(directory, "segment_dropped", DAY, day=60, reason="retention")
    (directory / DAY.name).unlink()
    assert refused(directory) == foreign(directory, n)


@pytest.mark.requirement("AUDIT-34")
def test_a_deletion_of_something_else_than_was_committed_to_is_refused(directory: Path) -> None:
    path = directory / DAY_BEFORE.name
    path.write_bytes(path.read_bytes().replace(b"click", b"hover"))
    assert refused(directory)["what"] == "edited"
    n = say(directory, "segment_dropped", DAY_BEFORE, day=60, reason="retention")
    assert refused(directory) == foreign(directory, n)


@pytest.mark.requirement("AUDIT-34")
@pytest.mark.parametrize("complete", [True, False])
def test_a_second_commitment_to_a_complete_day_is_refused(directory: Path, complete: bool) -> None:
    n = say(directory, "segment_committed", DAY_BEFORE, complete=complete)
    assert refused(directory) == foreign(directory, n)


@pytest.mark.requirement("AUDIT-34")
def test_a_commitment_to_a_dropped_day_is_refused(directory: Path) -> None:
    say(directory, "segment_dropped", DAY_BEFORE, day=31, reason="retention")
    path = directory / DAY_BEFORE.name
    path.write_bytes(path.read_bytes().replace(b"click", b"hover"))
    n = say(directory, "segment_committed", DAY_BEFORE, day=31, complete=True)
    assert refused(directory) == foreign(directory, n)


@pytest.mark.requirement("AUDIT-34")
def test_a_dropped_file_that_comes_back_as_another_is_refused(directory: Path) -> None:
    n = say(directory, "segment_dropped", DAY_BEFORE, day=31, reason="retention")
    verify(directory)  # said, not done yet
    with (directory / DAY_BEFORE.name).open("ab") as stream:
        stream.write(b"{}\n")
    assert refused(directory) == {"n": n, "file": DAY_BEFORE.name, "what": "foreign"}


@pytest.mark.requirement("AUDIT-34")
def test_a_deletion_dated_behind_the_day_the_ledger_has_reached_is_refused(directory: Path) -> None:
    last = parse(lines_of(directory)[-1])
    assert last is not None
    data = {**told(DAY_BEFORE, whole_of(directory / DAY_BEFORE.name)), "reason": "retention"}
    forged = replace(
        last, n=last.n + 1, prev=last.hash, event="segment_dropped", data=data, time="2027-01-01T00:00:00.000Z"
    )
    with segment(directory).open("ab") as stream:
        stream.write(seal(forged)[0])
    (directory / DAY_BEFORE.name).unlink()
    assert refused(directory) == foreign(directory, last.n + 1)
