"""Each of 50 records is attacked in each way; the ledger spans a day boundary after record 25."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from sgclaw.audit.chain import GENESIS, HEAD_NAME, Head, parse, seal
from sgclaw.audit.ledger import FileLedger
from sgclaw.audit.verify import Verified, verify
from sgclaw.errors import LedgerBrokenError
from tests.unit.audit.attacks import Lines, cut_file, cut_line, delete, duplicate, swap
from tests.unit.audit.support import MORNING, HandClock, ledger_of, record

COUNT, FIRST_DAY = 50, 25
DAYS = ("ledger-20260303.jsonl", "ledger-20260304.jsonl")

Attack = Callable[[Lines, int], Lines]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    clock = HandClock()
    ledger_of(tmp_path / "ledger", FIRST_DAY, clock)
    clock.time = MORNING + timedelta(days=1)
    return ledger_of(tmp_path / "ledger", COUNT - FIRST_DAY, clock)


def read(directory: Path) -> Lines:
    return [line for name in DAYS for line in (directory / name).read_bytes().splitlines(keepends=True)]


def attacked(directory: Path, attack: Attack, index: int) -> Iterator[None]:
    """The files while the attack holds, and put back after it. The day boundary stays where it was, or near it."""
    before = {name: (directory / name).read_bytes() for name in DAYS}
    whole = attack(read(directory), index)
    first_day = set(before[DAYS[0]].splitlines(keepends=True))
    split = next((at for at in range(FIRST_DAY - 1, len(whole)) if whole[at] not in first_day), len(whole))
    for name, lines in zip(DAYS, (whole[:split], whole[split:]), strict=True):
        (directory / name).write_bytes(b"".join(lines))
    yield
    for name, content in before.items():
        (directory / name).write_bytes(content)


def edit_value(lines: Lines, index: int) -> Lines:
    return [*lines[:index], lines[index].replace(b'"agent"', b'"human"'), *lines[index + 1 :]]


def edit_space(lines: Lines, index: int) -> Lines:
    return [*lines[:index], lines[index].replace(b",", b", ", 1), *lines[index + 1 :]]


def edit_hash(lines: Lines, index: int) -> Lines:
    at = lines[index].index(b'"hash":"') + 8
    digit = b"0" if lines[index][at : at + 1] != b"0" else b"1"
    return [*lines[:index], lines[index][:at] + digit + lines[index][at + 1 :], *lines[index + 1 :]]


def forge(lines: Lines, index: int) -> Lines:
    """Another actor, under a hash that fits the new content."""
    found = parse(lines[index])
    assert found is not None
    return [*lines[:index], seal(replace(found, actor="human"))[0], *lines[index + 1 :]]


def cut_line_and_newline(lines: Lines, index: int) -> Lines:
    return [*lines[:index], lines[index][: len(lines[index]) // 2], *lines[index + 1 :]]


def insert_foreign(lines: Lines, index: int) -> Lines:
    return [*lines[:index], b'{"note":"nothing happened here"}\n', *lines[index:]]


ATTACKS: dict[Attack, set[str]] = {
    edit_value: {"edited"},
    edit_space: {"edited"},
    edit_hash: {"edited"},
    forge: {"edited"},
    delete: {"missing", "truncated"},
    swap: {"swapped"},
    duplicate: {"foreign"},
    cut_line: {"truncated"},
    cut_line_and_newline: {"truncated", "edited"},
    cut_file: {"truncated"},
    insert_foreign: {"foreign"},
}


@pytest.mark.requirement("AUDIT-09")
def test_an_untouched_ledger_is_sound(directory: Path) -> None:
    found = verify(directory)
    assert (found.count, found.segments, found.torn_bytes) == (COUNT, 2, 0)
    last = parse(read(directory)[-1])
    assert last is not None
    assert found == Verified(COUNT, last.hash, 2)
    assert verify(directory, (COUNT, last.hash)) == found
    assert verify(directory, (7, (parse(read(directory)[6]) or last).hash)) == found


@pytest.mark.requirement("AUDIT-09")
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_every_attack_on_every_record_is_found_and_the_first_bad_record_is_named(
    directory: Path, attack: Attack
) -> None:
    found, named = 0, []
    for index in range(COUNT):
        for _ in attacked(directory, attack, index):
            with pytest.raises(LedgerBrokenError) as broken:
                verify(directory)
            found += 1
            assert broken.value.facts["what"] in ATTACKS[attack]
            named.append(broken.value.facts["n"])
    extra = 1 if attack is duplicate else 0
    expected = [index + 1 + extra for index in range(COUNT)]
    if attack is swap:
        expected[-1] = 1  # the last was swapped with the first
    assert (found, named) == (COUNT, expected)


@pytest.mark.requirement("AUDIT-09")
@pytest.mark.parametrize(("name", "n"), [(DAYS[0], 1), (DAYS[1], 26), (HEAD_NAME, 1)])
def test_a_whole_file_that_is_missing_is_found(directory: Path, name: str, n: int) -> None:
    (directory / name).unlink()
    with pytest.raises(LedgerBrokenError) as broken:
        verify(directory)
    named = DAYS[1] if name == DAYS[0] else name  # the gap shows where the next segment begins
    assert broken.value.facts == {"n": n, "file": named, "what": "missing"}


@pytest.mark.requirement("AUDIT-09")
def test_segments_exchanged_with_each_other_are_found(directory: Path) -> None:
    contents = [(directory / name).read_bytes() for name in DAYS]
    for name, content in zip(DAYS, reversed(contents), strict=True):
        (directory / name).write_bytes(content)
    with pytest.raises(LedgerBrokenError) as broken:
        verify(directory)
    assert broken.value.facts == {"n": 1, "file": DAYS[0], "what": "swapped"}


@pytest.mark.requirement("AUDIT-09")
@pytest.mark.parametrize("change", [{"hash": "f" * 64}, {"size": 1}, {"day": "20260303"}, {"n": COUNT + 1}])
def test_an_edited_head_is_found(directory: Path, change: dict[str, str | int]) -> None:
    head = Head.decode((directory / HEAD_NAME).read_bytes())
    assert head is not None
    fields = {**head._asdict(), **change}
    (directory / HEAD_NAME).write_bytes(Head(**fields).encode())
    with pytest.raises(LedgerBrokenError):
        verify(directory)
    (directory / HEAD_NAME).write_bytes(b"not a head\n")
    with pytest.raises(LedgerBrokenError) as broken:
        verify(directory)
    assert broken.value.facts == {"n": 0, "file": HEAD_NAME, "what": "edited"}


@pytest.mark.requirement("AUDIT-10")
@pytest.mark.parametrize("keep", [0, 10, COUNT - 1])
def test_a_rollback_of_files_and_head_together_is_found_with_the_hosts_copy(tmp_path: Path, keep: int) -> None:
    clock = HandClock()
    directory = ledger_of(tmp_path / "ledger", keep, clock)
    snapshot = {path: path.read_bytes() for path in directory.iterdir()}
    ledger_of(directory, COUNT - keep, clock)
    kept_by_host = FileLedger(directory, clock).head()
    for path in directory.iterdir():
        path.write_bytes(snapshot.get(path, b""))
    assert verify(directory).count == keep
    with pytest.raises(LedgerBrokenError) as broken:
        verify(directory, kept_by_host)
    assert (broken.value.facts["n"], broken.value.facts["what"]) == (keep + 1, "truncated")


@pytest.mark.requirement("AUDIT-10")
@pytest.mark.parametrize("kept", [COUNT, 20])
def test_a_ledger_written_anew_is_found_with_the_hosts_copy(directory: Path, tmp_path: Path, kept: int) -> None:
    original = parse(read(directory)[kept - 1])
    assert original is not None
    clock = HandClock(MORNING + timedelta(seconds=1))
    anew = ledger_of(tmp_path / "anew", COUNT, clock)
    assert verify(anew).count == COUNT
    with pytest.raises(LedgerBrokenError) as broken:
        verify(anew, (kept, original.hash))
    assert (broken.value.facts["n"], broken.value.facts["what"]) == (kept, "unlike")


@pytest.mark.requirement("AUDIT-29")
@pytest.mark.parametrize(
    ("kept", "n", "what", "said"),
    [
        ((0, "f" * 64), 0, "unlike", "与给出的账本头不符"),
        ((1, "f" * 64), 1, "unlike", "与给出的账本头不符"),
        ((COUNT, "f" * 64), COUNT, "unlike", "与给出的账本头不符"),
        ((COUNT + 3, "f" * 64), COUNT + 1, "truncated", f"账本只有 {COUNT} 条记录，给出的账本头说有 {COUNT + 3} 条"),
    ],
)
def test_a_head_that_is_not_of_this_ledger_is_told_as_that(
    directory: Path, kept: tuple[int, str], n: int, what: str, said: str
) -> None:
    with pytest.raises(LedgerBrokenError) as broken:
        verify(directory, kept)
    assert (broken.value.facts["n"], broken.value.facts["what"]) == (n, what)
    assert said in broken.value.cause
    assert ("核对给出的账本头" in broken.value.next_step) is (what == "unlike")


@pytest.mark.requirement("AUDIT-29")
def test_a_changed_record_is_told_as_changed_whatever_head_is_given(directory: Path) -> None:
    path = directory / DAYS[0]
    path.write_bytes(path.read_bytes().replace(b'"seq":1}', b'"seq":9}', 1))
    for kept in (None, (1, "f" * 64), (COUNT, "f" * 64), (0, GENESIS)):
        with pytest.raises(LedgerBrokenError) as broken:
            verify(directory, kept)
        assert broken.value.facts == {"n": 1, "file": DAYS[0], "what": "edited"}


@pytest.mark.requirement("AUDIT-30")
def test_a_start_reads_only_the_end_and_the_check_reads_everything(directory: Path) -> None:
    path = directory / DAYS[0]
    path.write_bytes(path.read_bytes().replace(b'"seq":1}', b'"seq":9}', 1))
    ledger = FileLedger(directory, HandClock())
    assert ledger.head()[0] == COUNT
    ledger.close()
    with pytest.raises(LedgerBrokenError):
        verify(directory)


@pytest.mark.requirement("AUDIT-09")
def test_no_ledger_at_all_is_a_missing_one(tmp_path: Path) -> None:
    with pytest.raises(LedgerBrokenError) as broken:
        verify(tmp_path)
    assert broken.value.facts == {"n": 1, "file": HEAD_NAME, "what": "missing"}
    ledger = FileLedger(tmp_path / "ledger", HandClock())
    assert verify(tmp_path / "ledger") == Verified(0, GENESIS, 0)
    ledger.append(record(1))
    assert verify(tmp_path / "ledger").count == 1


@pytest.mark.requirement("AUDIT-09")
def test_verifying_changes_nothing_and_needs_no_right_to_write(directory: Path) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in directory.iterdir()}
    for path in directory.iterdir():
        path.chmod(0o400)
    verify(directory)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in directory.iterdir()} == before


@pytest.mark.requirement("AUDIT-09")
@pytest.mark.parametrize("line", [b"[]", b"{}", orjson.dumps({"n": 1}), b"\xff\xfe", b"x" * 300_000, b"null"])
def test_lines_that_are_no_records_are_reported_not_raised_through(directory: Path, line: bytes) -> None:
    with (directory / DAYS[1]).open("ab") as stream:
        stream.write(line + b"\n")
    with pytest.raises(LedgerBrokenError) as broken:
        verify(directory)
    assert broken.value.facts["n"] == COUNT + 1
