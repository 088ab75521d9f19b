"""When an act that failed may be tried again by itself: reads and reversible acts that were surely not done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from sgclaw.errors import ActionCode, ActionError
from sgclaw.ports import Act, Browser, Observed
from sgclaw.protocol.actions import Risk, spec_of

TRIES: Final = 3
PAUSES: Final = (0.3, 1.0, 2.0)
"""Seconds before each further try."""

_READS_AGAIN: Final = frozenset({ActionCode.TIMEOUT.value, ActionCode.DETACHED_TARGET.value})
_NOT_DONE: Final = frozenset({ActionCode.DETACHED_TARGET.value})
"""Codes that say an act had not begun."""

Sleep = Callable[[float], Awaitable[object]]


def may_try_again(action: str, error: ActionError) -> bool:
    """Whether the same act may be sent once more. Never when its outcome is unknown."""
    spec = spec_of(action)
    if spec.risk in (Risk.READ, Risk.SENSITIVE):
        return error.code in _READS_AGAIN
    return spec.risk is Risk.REVERSIBLE and error.code in _NOT_DONE


async def act_surely(browser: Browser, act: Act, sleep: Sleep) -> Observed:
    """Carry out an act; what may be tried again is, at most three times."""
    for pause in PAUSES:
        try:
            return await browser.act(act)
        except ActionError as error:
            if not may_try_again(act.action, error):
                raise
        await sleep(pause)
    return await browser.act(act)
