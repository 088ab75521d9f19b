"""The person at the browser: silence is no, and what is typed too late answers nothing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping

import pytest

from browser_host_stub.people import Asking, People
from browser_host_stub.typed import Typed


class AtTerminal:
    """A person whose words come line by line."""

    def __init__(self, typed: Typed) -> None:
        self._typed = typed

    async def approve(self, facts: Mapping[str, object]) -> bool:
        return await self._typed.next() == "y"

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        return await self._typed.next()


@pytest.mark.requirement("STUB-35")
async def test_silence_is_no_and_the_place_is_free_again() -> None:
    reading, writing = os.pipe()
    people = People(AtTerminal(Typed(reading)), patience_s=0.05)
    assert people.admit(Asking.APPROVAL, "t1")
    async with asyncio.timeout(5):
        assert await people.approve({}) is False
    assert people._waiting == 0
    os.close(writing)
    os.close(reading)


@pytest.mark.requirement("STUB-35")
async def test_a_yes_that_comes_after_the_silence_is_not_taken_for_the_next_question() -> None:
    reading, writing = os.pipe()
    typed = Typed(reading)
    assert await People(AtTerminal(typed), patience_s=0.05).approve({}) is False
    os.write(writing, b"y\n")
    asking = asyncio.ensure_future(People(AtTerminal(typed), patience_s=5.0).approve({}))
    os.write(writing, b"n\n")
    async with asyncio.timeout(5):
        assert await asking is False
    os.write(writing, b"y\n")
    async with asyncio.timeout(5):
        assert await People(AtTerminal(typed), patience_s=5.0).approve({}) is True
    os.close(writing)
    os.close(reading)
