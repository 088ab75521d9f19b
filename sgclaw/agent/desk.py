"""What the tools of one run share: the ports, what is known of pages, what was done, and the person's word."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sgclaw.agent.dataflow import Flow, Tracker, shown, strings
from sgclaw.agent.limits import Meter, Spent
from sgclaw.agent.pages import Pages, Sight, origin_text, spoken, texts_by_origin
from sgclaw.agent.scope import ALLOW, REFUSE, widening
from sgclaw.agent.states import Machine
from sgclaw.agent.task import AgentTask, Equipment
from sgclaw.agent.truth import Proofs
from sgclaw.errors import PolicyDeniedError, SgClawError
from sgclaw.policy.origins import Origin
from sgclaw.ports import Observed, Question, Record

_FLOW_DEADLINE_S = 120


class Desk:
    """The shared state of one run. Everything a run knows is here and in the steps of its trace."""

    def __init__(self, task: AgentTask, equipment: Equipment, before: Spent | None = None) -> None:
        self.task, self.equipment = task, equipment
        self.machine = Machine(equipment.told)
        self.meter = Meter(task.limits, equipment.clock, before or Spent())
        self.pages = Pages(equipment.clock, task.page)
        self.tracker = Tracker(task.context.instruction)
        self.proofs = Proofs()
        self.proofs.told(f"{task.context.instruction}\n{equipment.clock.now():%Y-%m-%d}")
        self.criterion = task.context.criterion
        self.browser = equipment.open_browser(self.on_person)
        self.in_doubt: SgClawError | None = None
        """The unknown outcome after which nothing more is changed."""
        self.denied: set[str] = set()
        """Acts a person said no to: they are not asked about twice."""
        self.sent_back = False
        """Whether the final words were sent back once."""
        self.person_decided = False
        self._bound: dict[str, str] = {}
        self._kept: set[tuple[str, str]] = set()

    # --- people -------------------------------------------------------------------------------------------------------

    def on_person(self, begins: bool) -> None:
        """A person decides about an act the host holds: every clock stops, and the act is none to be taken lightly."""
        self.machine.person(begins)
        self.meter.person(begins)
        self.person_decided = True

    @contextmanager
    def _asking(self) -> Iterator[None]:
        self.machine.person(True)
        self.meter.person(True)
        try:
            yield
        finally:
            self.meter.person(False)
            self.machine.person(False)

    async def ask(self, question: Question) -> str | None:
        """The person's answer; None when the deadline passed. What was answered may go anywhere."""
        with self._asking():
            answer = await self.equipment.person.ask(self.task.id, question)
        if answer is not None:
            self.tracker.said(answer)
            self.proofs.told(answer)
        return answer

    async def _allows(self, question: Question) -> bool:
        with self._asking():
            answer = await self.equipment.person.ask(self.task.id, question)
        return answer is not None and answer.strip() == ALLOW

    async def go_on(self) -> bool:
        """Wait while the task is paused or the person has taken over; whether it was."""
        if self.equipment.gate is None:
            return False
        waiting = asyncio.ensure_future(self.equipment.gate.wait())
        self.meter.hold(True)
        try:
            done, _ = await asyncio.wait({waiting}, timeout=0)
            if done:
                return False
            await waiting
        finally:
            self.meter.hold(False)
            waiting.cancel()
        self.pages.forget()
        return True

    # --- scope and data flow ------------------------------------------------------------------------------------------

    async def admit(self, origin: Origin, what: str) -> None:
        """The origin is in the task's scope, or a person lets it in now; else raises `POLICY_DENIED`."""
        scope = self.task.scope
        if not scope.missing(origin):
            return
        allowed = await self._allows(widening(origin, what))
        self.record("scope_widened" if allowed else "scope_kept", {"origin": str(origin), "what": what})
        (scope.widened if allowed else scope.refused).add(origin)
        scope.missing(origin)

    async def release(self, destination: str, text: str) -> None:
        """The text may go to that origin, or a person lets it go after reading it; else raises `POLICY_DENIED`."""
        flow = self.tracker.flow(destination, text)
        if flow is not None and not await self._released(flow):
            raise PolicyDeniedError(
                f"您没有同意把从 {'、'.join(flow.sources)} 读到的内容发给 {destination}，没有发送",
                next_step="不要换个办法发送；如果任务因此做不成，就用 finish 说明",
                facts={"rule": "task.data_flow", "to": destination},
            )

    async def _released(self, flow: Flow) -> bool:
        if (flow.destination, flow.text) in self._kept:
            return False
        origins = "、".join(flow.sources)
        words = f"要把从 {origins} 读到的内容发给 {flow.destination}，是否允许？原文：\n{shown(flow.text)}"
        allowed = await self._allows(Question(words, (ALLOW, REFUSE), _FLOW_DEADLINE_S))
        facts = {"from": list(flow.sources), "to": flow.destination, "characters": len(flow.text)}
        self.record("data_released" if allowed else "data_kept", facts)
        if allowed:
            self.tracker.allow(flow)
        else:
            self._kept.add((flow.destination, flow.text))
        return allowed

    async def relay(self, url: str, target: str) -> None:
        """An address holds another site's address: a person sees it whole before it is opened."""
        words = f"要打开的网址里还有别的网站的地址（{shown(target)}），是否允许？完整网址：\n{shown(url)}"
        if not await self._allows(Question(words, (ALLOW, REFUSE), _FLOW_DEADLINE_S)):
            raise PolicyDeniedError(
                "您没有同意打开这个网址", next_step="请换一种做法", facts={"rule": "task.relay", "to": target[:253]}
            )

    def bound(self, page: str | None) -> str:
        """The host of acts on a page that name none: where the task itself took the page, never where it went."""
        return self._bound.get(page or self.pages.current or "", self.task.scope.main.host)

    def bind(self, page: str, host: str) -> None:
        """The task took this page to that host, or named the host itself."""
        self._bound[page] = host

    # --- what was seen ------------------------------------------------------------------------------------------------

    def took(self, observed: Observed, page: str | None, source: str = "") -> Sight:
        """Take over what a command showed: into the views, the evidence and the origins of values.

        `source` is the origin its result was read on, where it is known to be another than the page's: a frame's.
        """
        self.proofs.did(observed)
        sight = self.pages.took(observed, page)
        origin = self.pages.origin(sight.page.id)
        for where, texts in texts_by_origin(sight.nodes, origin).items():
            self.tracker.read(where, texts)
        # a look shows the whole page: what did not change since the last one is seen again
        view = sight.view if observed.action == "getAomSnapshot" else None
        standing, said = spoken(sight.nodes if view is None else view.nodes)
        if observed.action != "getAomSnapshot":
            standing += list(strings(observed.data))
            self._read(observed, source or origin)
        self.proofs.saw(observed, (sight.page.id, sight.page.version), standing, said)
        return sight

    def _read(self, observed: Observed, origin: str) -> None:
        """A list of pages tells of each page what stands there; every other result is of one origin."""
        pages = observed.data.get("pages")
        if observed.action != "listPages" or not isinstance(pages, list):
            self.tracker.read(origin, strings(observed.data))
            return
        for page in pages:
            told = page if isinstance(page, dict) else {}
            self.tracker.read(origin_text(str(told.get("url", ""))), strings(told))

    def record(self, event: str, data: Mapping[str, object]) -> None:
        """One record of the ledger about a decision of this run."""
        self.equipment.ledger.append(Record(event, self.task.trace_id, "sgclaw", self.task.id, dict(data)))
