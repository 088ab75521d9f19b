import threading
from collections.abc import Sequence

import pytest

from sgclaw.audit.outbox import MAX_HELD_BYTES, Outbox
from tests.unit.audit.support import SECONDS

NEVER_S = 3_600.0


class Taken:
    """What the queue's thread handed over."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.came = threading.Event()

    def __call__(self, items: Sequence[int]) -> None:
        self.batches.append(list(items))
        self.came.set()


@pytest.mark.requirement("AUDIT-17")
def test_items_gather_until_somebody_is_in_a_hurry() -> None:
    taken = Taken()
    outbox: Outbox[int] = Outbox("test", taken, NEVER_S)
    for number in range(100):
        assert outbox.put(number, 1)
    assert taken.batches == []
    assert outbox.flush(SECONDS)
    assert taken.batches == [list(range(100))]
    outbox.put(100, 1)
    assert outbox.flush(SECONDS)
    assert taken.batches[1:] == [[100]]


@pytest.mark.requirement("AUDIT-17")
def test_a_queue_that_is_half_full_does_not_gather_any_longer() -> None:
    taken = Taken()
    outbox: Outbox[int] = Outbox("test", taken, NEVER_S)
    outbox.put(1, MAX_HELD_BYTES // 2)
    outbox.put(2, 1)
    assert taken.came.wait(SECONDS)
    assert outbox.flush(SECONDS)
    assert [number for batch in taken.batches for number in batch] == [1, 2]


@pytest.mark.requirement("AUDIT-17")
def test_a_full_queue_takes_nothing_more_until_it_is_emptied() -> None:
    taken = Taken()
    outbox: Outbox[int] = Outbox("test", taken, NEVER_S)
    assert not outbox.put(1, MAX_HELD_BYTES + 1)
    assert outbox.put(2, MAX_HELD_BYTES // 2)
    assert not outbox.put(3, MAX_HELD_BYTES)
    assert outbox.flush(SECONDS)
    assert outbox.put(4, MAX_HELD_BYTES // 2)
    assert outbox.flush(SECONDS)
    assert taken.batches == [[2], [4]]
