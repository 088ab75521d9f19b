"""Which skill with which inputs: the router, and the person where the router has a question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from sgclaw.errors import CancelledTaskError, NoModelError, SkillRefusedError
from sgclaw.gateway.router import Answered, AskInput, AskWhich, NoRoute, Router, RouteRequest, RunSkill
from sgclaw.gateway.task import Task
from sgclaw.gateway.unanswered import unanswered
from sgclaw.ports import Clock, JsonObject, Ledger, Person, Record
from sgclaw.skills.catalogue import Catalogue
from sgclaw.skills.inputs import check_inputs
from sgclaw.skills.manifest import Manifest
from sgclaw.skills.reasons import Reason
from sgclaw.skills.trust import VerifiedSkill

MAX_QUESTIONS = 5
MOST_OFF_NAMED = 3

PersonHook = Callable[[bool], None]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A skill and checked inputs; `understood` says which words of the user each input came from."""

    skill: VerifiedSkill
    inputs: JsonObject
    understood: Sequence[Mapping[str, object]]


class Chooser:
    """Chooses for one session. The catalogue is read, and words are loaded, on first use."""

    def __init__(
        self, trace_id: str, catalogue: Callable[[], Catalogue], person: Person, ledger: Ledger, clock: Clock
    ) -> None:
        self._trace_id, self._open = trace_id, catalogue
        self._person, self._ledger, self._clock = person, ledger, clock
        self._router: Router | None = None

    async def choose(self, task: Task, on_person: PersonHook) -> Chosen:
        """Route the task, asking at most `MAX_QUESTIONS` questions.

        Raises `NO_MODEL` when nothing fits, `NEEDS_HUMAN` when a question stays open, `BAD_INPUTS`, or why the
        wanted skill is refused.
        """
        request = task.request
        catalogue, router = await asyncio.to_thread(self._prepared)
        if request.skill is not None:
            self._wanted(request.skill)
        if catalogue.registry_error is not None:
            raise catalogue.registry_error
        answers: list[Answered] = []
        for _ in range(MAX_QUESTIONS + 1):
            route = router.route(
                RouteRequest(
                    instruction=request.instruction,
                    today=self._today(),
                    skill=request.skill.partition("@")[0] if request.skill else None,
                    inputs=request.inputs,
                    answers=tuple(answers),
                )
            )
            if isinstance(route, RunSkill):
                return self._chosen(route)
            if isinstance(route, NoRoute):
                raise self._nothing_fits(route) if route.wanted else CancelledTaskError(route.reason)
            answers.append(await self._ask(task, route, on_person))
        raise unanswered("问了多次仍不能确定要做什么", answers[-1].asked, self._manifests())

    def _prepared(self) -> tuple[Catalogue, Router]:
        """In a thread: the first time, every skill is verified and a dictionary is read."""
        catalogue = self._open()
        if self._router is None:
            self._router = Router([skill.manifest for skill in catalogue.skills.values()])
        return catalogue, self._router

    def _today(self) -> date:
        """The user's day: words like 上月 mean the calendar on their wall, not UTC's."""
        return self._clock.now().astimezone().date()

    def _chosen(self, route: RunSkill) -> Chosen:
        skill = self._wanted(route.name)
        understood = [
            {"field": item.field, "value": item.value, "source_text": item.source_text} for item in route.understood
        ]
        return Chosen(skill, check_inputs(skill.manifest, route.inputs), understood)

    async def _ask(self, task: Task, route: AskInput | AskWhich, on_person: PersonHook) -> Answered:
        question = route.question
        self._record(task, "question_asked", {"text": question.text, "choices": list(question.choices)})
        on_person(True)
        try:
            text = await self._person.ask(task.id, question)
        finally:
            on_person(False)
        self._record(task, "question_answered", {"text": text} if text is not None else {"timeout": True})
        if text is None:
            raise unanswered(f"需要您回答「{question.text}」", route, self._manifests())
        return Answered(route, text)

    def _manifests(self) -> Mapping[str, Manifest]:
        return {name: skill.manifest for name, skill in self._open().skills.items()}

    def _wanted(self, name_or_ref: str) -> VerifiedSkill:
        try:
            return self._open().get(name_or_ref)
        except SkillRefusedError as error:
            step = _step_of(error.facts.get("reason"), error.facts.get("name"), error.next_step)
            raise SkillRefusedError(error.cause, next_step=step, facts=error.facts) from None

    def _nothing_fits(self, route: NoRoute) -> NoModelError | SkillRefusedError:
        catalogue = self._open()
        refused = [{"name": item.name, "reason": item.reason, "cause": item.cause} for item in catalogue.refused]
        facts: JsonObject = {"suggestions": list(route.suggestions), "refused": refused}
        if refused and not catalogue.skills:
            first = catalogue.refused[0]
            facts |= {"reason": first.reason, "name": first.name}
            step = _step_of(first.reason, first.name, first.next_step)
            return SkillRefusedError(f"技能 {first.name} 不能执行：{first.cause}", next_step=step, facts=facts)
        hint = f"；您可以这样说：{'、'.join(route.suggestions)}" if route.suggestions else ""
        off = [item for item in catalogue.refused if item.reason in _OFF]
        blocked = f"；有 {len(refused) - len(off)} 个技能被拒绝加载" if len(refused) > len(off) else ""
        disabled = "".join(f"；{item.name}：{item.cause}" for item in off[:MOST_OFF_NAMED])
        steps = [f"{item.name}：{_step_of(item.reason, item.name, item.next_step)}" for item in off[:MOST_OFF_NAMED]]
        cause = f"{route.reason}，也没有配置大模型来处理{hint}{disabled}{blocked}"
        return NoModelError(cause, next_step="；".join([NoModelError.default_next_step, *steps]), facts=facts)

    def _record(self, task: Task, event: str, data: JsonObject) -> None:
        self._ledger.append(Record(event, self._trace_id, "sgclaw", task.id, data))


_OFF: Final = frozenset({Reason.DISABLED.value, Reason.SWITCHED_OFF.value})
"""Reasons of a skill that is in order and somebody does not want used: whoever asks for it should hear of that."""


def _step_of(reason: object, name: object, step: str) -> str:
    """What to do about a refused skill, ready to type where one command takes the refusal back."""
    return f"如需使用，请执行 sgclaw skill enable {name}" if reason == Reason.SWITCHED_OFF.value else step
