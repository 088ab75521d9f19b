"""Runs the rows, group by group, each group on a host process of its own, and every wait bounded.

A host that hangs, dies or fails a row costs that row: the next one finds a new process.
"""

from __future__ import annotations

import asyncio
import json
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from browser_host_stub.conformance.always import ALWAYS, Always
from browser_host_stub.conformance.kit import Kit
from browser_host_stub.conformance.peer import Peer
from browser_host_stub.conformance.rows.groups import GROUPS
from browser_host_stub.conformance.site import Site
from browser_host_stub.conformance.table import Group, Row
from browser_host_stub.conformance.verdict import State, UnmetError, Verdict
from browser_host_stub.ends import BadUsageError
from sgclaw.policy.model import policy_document

ROW_S = 90.0
SLOW_ROW_S = 240.0
"""The longest a row may take, whatever its single waits add up to."""
PLACEHOLDERS = ("policy", "origin", "state", "out", "approve")
_MOST_START_FAILURES = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: the host's command with its placeholders, and where its files go."""

    command: str
    out: Path
    timeout: float = 20.0
    only: Sequence[str] = ()
    slow: bool = False

    def words(self, values: dict[str, str]) -> list[str]:
        """The command line with the placeholders filled in; raises `BAD_USAGE`."""
        try:
            words = shlex.split(self.command)
        except ValueError:
            raise BadUsageError("--host-cmd 的引号不成对") from None
        if not words:
            raise BadUsageError("--host-cmd 是空的")
        for name, value in values.items():
            words = [word.replace(f"{{{name}}}", value) for word in words]
        return words


@dataclass(frozen=True, slots=True)
class Report:
    """What became of every row that was asked for, in order, and who the host said it is."""

    verdicts: Sequence[Verdict]
    host: str
    duration_ms: int

    def count(self, state: State) -> int:
        """How many rows ended so."""
        return sum(verdict.state is state for verdict in self.verdicts)

    @property
    def passed(self) -> bool:
        """Whether every row passed."""
        return bool(self.verdicts) and self.count(State.PASSED) == len(self.verdicts)


def chosen(only: Sequence[str], *, slow: bool) -> list[tuple[Group, list[Row]]]:
    """The rows that are asked for, by group or by id; raises `BAD_USAGE` for a name that is neither."""
    known = {group.name for group in GROUPS} | {row.id for group in GROUPS for row in group.rows} | {"always", *ALWAYS}
    unknown = sorted(set(only) - known)
    if unknown:
        raise BadUsageError(f"--only 不认识 {'、'.join(unknown)}", next_step="项目的名称见 docs/conformance.md")
    names = set(only)
    return [
        (group, rows)
        for group in GROUPS
        if (slow or not group.slow or group.name in names)
        and (rows := [row for row in group.rows if not names or names & {group.name, row.id}])
    ]


class Runner:
    """One run. `told` is called with each verdict as it is known."""

    def __init__(self, plan: Plan, site: Site, told: Callable[[Verdict], None]) -> None:
        self._plan, self._site, self._told = plan, site, told
        self._always = Always()
        self._verdicts: dict[str, Verdict] = {}
        self._kit: Kit | None = None
        self._not_started = 0
        self.host = ""

    async def run(self) -> Report:
        """Run what the plan asks for."""
        begun = time.monotonic()
        for group, rows in chosen(self._plan.only, slow=self._plan.slow):
            try:
                for row in rows:
                    self._enter(await self._verdict(group, row))
            finally:
                await self._end()
        self._judge_always()
        return Report(list(self._verdicts.values()), self.host, _since(begun))

    def _enter(self, verdict: Verdict) -> None:
        self._verdicts[verdict.row] = verdict
        self._told(verdict)

    async def _verdict(self, group: Group, row: Row) -> Verdict:
        missing = [name for name in group.needs if self._failed(name)]
        if missing:
            return Verdict(row.id, State.SKIPPED, f"前提 {'、'.join(missing)} 没有通过")
        if self._not_started >= _MOST_START_FAILURES:
            return Verdict(row.id, State.SKIPPED, "被测浏览器端接连没有启动")
        begun = time.monotonic()
        try:
            async with asyncio.timeout(SLOW_ROW_S if group.slow else ROW_S):
                await self._judge(group, row)
        except UnmetError as error:
            why = str(error)
        except TimeoutError:
            why = "整个项目超过了时限"
        else:
            if row.fresh:
                await self._end()
            return Verdict(row.id, State.PASSED, duration_ms=_since(begun))
        await self._end()
        return Verdict(row.id, State.FAILED, why, _since(begun))

    def _failed(self, name: str) -> bool:
        verdict = self._verdicts.get(name)
        return verdict is not None and verdict.state is not State.PASSED

    async def _judge(self, group: Group, row: Row) -> None:
        if row.fresh:
            await self._end()
        if self._kit is None or not self._kit.peer.alive:
            await self._end()
            self._kit = await self._start(group)
            if not row.fresh:
                await self._kit.greet()
        self._site.forget()
        await row.check(self._kit)

    async def _start(self, group: Group) -> Kit:
        watch = self._always.watch(self._site)
        log = self._plan.out / f"host-{group.name}.log"
        self._not_started += 1
        peer = await Peer.start(self._plan.words(self._values(group)), log, watch.look)
        kit = self._kit = Kit(peer, watch, self._site, self._plan.timeout)
        await kit.read_init()
        self._not_started = 0
        self._always.begun(kit.init.session_key.rstrip("="), kit.init.trace_id)
        self.host = f"{kit.init.host.name} {kit.init.host.version}"
        return kit

    def _values(self, group: Group) -> dict[str, str]:
        """What the placeholders stand for; the policy file and the folders are made."""
        origins = [origin.base for origin in self._site.listed]
        document = {**json.loads(policy_document(origins)), **group.policy(origins[0])}
        policy = self._plan.out / f"policy-{group.name}.json"
        policy.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
        state, files = self._plan.out / "state", self._plan.out / "host"
        for folder in (state, files):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        values = (str(policy), origins[0], str(state), str(files), group.approve)
        return dict(zip(PLACEHOLDERS, values, strict=True))

    async def _end(self) -> None:
        """End the host's process, if there is one, and take what its lines were."""
        kit, self._kit = self._kit, None
        if kit is not None:
            await kit.peer.end()
            kit.watch.ended(kit.peer.seen.faults)

    def _judge_always(self) -> None:
        names = set(self._plan.only)
        for name in ALWAYS:
            if names and not names & {"always", name}:
                continue
            why = self._always.breaches.get(name)
            if why is not None:
                self._enter(Verdict(name, State.FAILED, why))
            elif not self._always.lines:
                self._enter(Verdict(name, State.SKIPPED, "没有收到一行合规的消息"))
            else:
                self._enter(Verdict(name, State.PASSED))


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)
