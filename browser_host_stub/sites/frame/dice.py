"""Repeatable chance for the figures and names of the demo sites.

Only `Random.random()` is used, the one method whose sequence Python promises to keep, so that figures quoted in tests
and documents stay true. The names are put together by chance: nobody is meant.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeVar

_FAMILY = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢"
_GIVEN = "安邦晨川达恩帆歌涵佳凯澜茗宁沛琪然珊彤微熙妍泽舟博初端方观和嘉楷励明念平齐瑞思庭文向逸之"
_T = TypeVar("_T")


class Dice:
    """A sequence of choices that is the same on every machine for the same seed."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - repeatable demo figures, nothing secret

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, choices: Sequence[_T]) -> _T:
        """One of the choices."""
        return choices[self.integer(0, len(choices) - 1)]

    def money(self, low: int, high: int) -> Decimal:
        """An amount from `low` to `high` yuan, with two decimals."""
        return (Decimal(self.integer(low * 100, high * 100)) / 100).quantize(Decimal("0.01"))

    def shuffled(self, choices: Sequence[_T]) -> list[_T]:
        """All choices in another order."""
        rest = list(choices)
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in choices]

    def person(self) -> str:
        """A made-up name."""
        return self.pick(_FAMILY) + "".join(self.pick(_GIVEN) for _ in range(self.integer(1, 2)))
