"""One decision of the policy under the largest document there can be, against one that lists a single origin."""

from __future__ import annotations

import json
import timeit
from typing import Final

from benchmarks.rows import Row, absolute, relative
from sgclaw.policy.decide import Attempt, decide
from sgclaw.policy.model import Policy, parse_policy
from sgclaw.protocol.actions import ACTIONS

ORIGINS: Final = 1_000
LAST: Final = f"https://h{ORIGINS - 1}.example.com"
CALLS: Final = 200
BAR_US: Final = 20.0


def measure(quick: bool) -> list[Row]:
    """Microseconds of judging a click whose label is known."""
    large, small = (_best(policy_of(count), 5 if quick else 50) for count in (ORIGINS, 1))
    what = f"one decision over {ORIGINS:,} origins and as many grants"
    return [
        absolute("policy.decide", what, (large, "µs"), BAR_US),
        relative("policy.growth", f"{what} ÷ over one", (large, small, "µs"), 1.5),
    ]


def policy_of(count: int) -> Policy:
    """A policy of so many origins with a grant for each; the last one is always among them."""
    listed = [f"https://h{ORIGINS - 1 - number}.example.com" for number in range(count)]
    grants = [{"skill": f"s{number}", "action": "click", "origin": origin} for number, origin in enumerate(listed)]
    return parse_policy(json.dumps({"version": 1, "origins": listed, "grants": grants}))


def _best(policy: Policy, repeats: int) -> float:
    attempt = Attempt(ACTIONS["click"], {}, LAST.removeprefix("https://"), committed=LAST, label="已提交 查看")
    return min(timeit.repeat(lambda: decide(policy, attempt), number=CALLS, repeat=repeats)) / CALLS * 1e6
