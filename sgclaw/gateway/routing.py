"""From an instruction to a skill and its inputs, without a model: run, ask, or say what would help.

Pure and deterministic: what was asked and answered comes back in `RouteRequest.answers`, and every call decides anew
from everything known. A wrong run is far worse than a question, so running needs all of: every word of the
instruction explained by the skill, what the skill is for said in full, a clear gap to the next skill, every value
used, nothing negated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final

from sgclaw.gateway.answers import Reply, read_answer
from sgclaw.gateway.ask import Cancelled, ask_input, ask_which, plan_of, read_choice, title_of
from sgclaw.gateway.exact import Exact, fill_exact, find_exact
from sgclaw.gateway.routes import Answered, AskInput, AskWhich, NoRoute, Route, RouteRequest, RunSkill, Understood
from sgclaw.gateway.understand.fields import Field, read_fields
from sgclaw.gateway.understand.frame import LEAVES_OUT
from sgclaw.gateway.understand.reading import Reading, read
from sgclaw.gateway.understand.spans import implied_word
from sgclaw.gateway.understand.values import Doubt, Filling, fill, required_now, unused
from sgclaw.ports import Question
from sgclaw.skills.manifest import Manifest
from sgclaw.skills.search import Hit, SkillIndex

RUN_GAP = 0.08
"""What the winner must be ahead by. One distinguishing word among four moves a score by 0.1 or more; less is noise."""
ASK_SCORE = 0.4
"""Below it a skill shares less than the larger half of either side; asking about it would be a guess."""
ASK_NEAR = 0.15
"""Skills this close to the best are offered with it."""
SURE_PHRASE = 5
"""A shorter trigger (月报) also stands inside the names of other things (考勤月报)."""
MOST_OFFERED = 4
MOST_SUGGESTIONS = 3


@dataclass(frozen=True, slots=True)
class _Picked:
    """A skill, and `doubt`: why it should be confirmed first ("" for a clear winner, None when a person chose it)."""

    manifest: Manifest
    doubt: str | None
    exact: Exact | None = None


class RoutingTable:
    """Decides over one catalogue. The index is built, and the dictionary loaded, on the first call."""

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        self._manifests = {manifest.name: manifest for manifest in manifests}

    @cached_property
    def _index(self) -> SkillIndex:
        return SkillIndex(self._manifests.values())

    @cached_property
    def _fields(self) -> dict[str, tuple[Field, ...]]:
        return {name: read_fields(manifest.params) for name, manifest in self._manifests.items()}

    def route(self, request: RouteRequest) -> Route:
        """Decide. Any text gives a route; a `RunSkill` has every input its schema requires."""
        reading = read(request.instruction, request.today, self._index.names_task)
        picked = self._pick(request, reading)
        if not isinstance(picked, _Picked):
            return picked
        fields = self._fields[picked.manifest.name]
        exact = picked.exact
        filling = fill_exact(fields, exact) if exact else fill(fields, reading)
        loose = self._loose_ends(exact.rest if exact else reading, filling) if picked.doubt == "" else None
        doubt = picked.doubt or loose
        if doubt:
            return ask_which([picked.manifest], doubt, self._plan(request, picked.manifest, filling))
        return self._with_inputs(request, picked.manifest, fields, filling)

    # --- which skill ------------------------------------------------------------------------------------------------

    def _pick(self, request: RouteRequest, reading: Reading) -> _Picked | AskWhich | NoRoute:
        if request.skill is not None:
            return self._explicit(request.skill, reading)
        settled = self._answered(request.answers) or self._exact(reading)
        if settled is not None:
            return settled
        if reading.frame.stop:
            return self._none(reading, reading.frame.stop)
        hits = self._search(reading)
        named = self._named_beside(hits, reading)
        if hits and _clear(hits) and not named and not _second_task(hits, reading):
            return _Picked(self._manifests[hits[0].name], _why_ask(reading))
        near = [hit.name for hit in hits if hit.full or hit.score >= max(ASK_SCORE, hits[0].score - ASK_NEAR)]
        near = [*near, *(name for name in named if name not in near)] or self._index.resembling(reading.core)
        if near:
            reason = _why_ask(reading) or (_not_understood(hits[0]) if len(near) == 1 and hits else "")
            return self._confirm(request, near, reading, reason)
        return self._left_out(request, reading) or self._nothing(reading)

    def _left_out(self, request: RouteRequest, reading: Reading) -> AskWhich | None:
        """Asks about an order whose words lie in what it leaves out (导出财务部除外的月报)."""
        frame = reading.frame
        said = "、".join(f"“{reading.said(*place)}”" for place in frame.restrictions)
        if len(frame.blanks) > len(frame.restrictions) or not any(word in said for word in LEAVES_OUT):
            return None
        names = [hit.name for hit in self._index.search(reading.text) if hit.about and hit.full]
        return self._confirm(request, names, reading, f"这个技能用不上{said}") if names else None

    def _confirm(self, request: RouteRequest, names: Sequence[str], reading: Reading, reason: str) -> AskWhich:
        manifests = [self._manifests[name] for name in names[:MOST_OFFERED]]
        filling = fill(self._fields[manifests[0].name], reading)
        return ask_which(manifests, reason, self._plan(request, manifests[0], filling))

    def _plan(self, request: RouteRequest, manifest: Manifest, filling: Filling) -> str:
        """What a yes would run, as far as it is known."""
        values = {name: item.value for name, item in filling.values.items()} | dict(request.inputs)
        return plan_of(manifest, self._fields[manifest.name], values, filling.doubts)

    def _exact(self, reading: Reading) -> _Picked | AskWhich | None:
        exact = find_exact(self._index, reading)
        if exact is None:
            return None
        only = self._manifests[exact.names[0]]
        if len(exact.names) > 1 or not self._index.starts_by(only.name, exact.inner.core):
            return ask_which([self._manifests[name] for name in exact.names[:MOST_OFFERED]])
        return _Picked(only, exact.rest.frame.doubt or "", exact)

    def _named_beside(self, hits: Sequence[Hit], reading: Reading) -> tuple[str, ...]:
        """The skills whose whole trigger the text holds although the words point at another skill."""
        phrase, owners = self._index.longest_phrase(reading.text)
        if not hits or len(phrase) < SURE_PHRASE or reading.frame.blanks or hits[0].name in owners:
            return ()
        allowed = {hit.name for hit in self._index.search(reading.text)}
        return tuple(name for name in owners if name in allowed)

    def _search(self, reading: Reading) -> list[Hit]:
        implied = [word for span in reading.spans if (word := implied_word(span))]
        return [hit for hit in self._index.search(reading.core, implied) if hit.about]

    def _explicit(self, name: str, reading: Reading) -> _Picked | NoRoute:
        manifest = self._manifests.get(name)
        if manifest is None:
            return self._none(reading, f"没有名为 {name} 的技能")
        forbidden = len(reading.frame.blanks) > len(reading.frame.restrictions)
        return self._forbidden(reading) if forbidden else _Picked(manifest, None)

    def _answered(self, answers: Sequence[Answered]) -> _Picked | AskWhich | NoRoute | None:
        which = [answer for answer in answers if isinstance(answer.asked, AskWhich)]
        if not which:
            return None
        asked, text = which[-1].asked, which[-1].text
        name = read_choice(asked, text) if isinstance(asked, AskWhich) else None
        if isinstance(name, Cancelled):
            return NoRoute("已按您的回答取消", self._examples(()), wanted=False)
        if name is None or name not in self._manifests:
            return AskWhich(asked.names, _again(asked.question, text)) if isinstance(asked, AskWhich) else None
        return _Picked(self._manifests[name], None)

    def _loose_ends(self, reading: Reading, filling: Filling) -> str:
        """Values and restrictions of the text that this skill has no input for."""
        loose = unused(reading, filling)
        said = "、".join(f"“{reading.said(*place)}”" for place in loose)
        return f"这个技能用不上{said}" if loose else ""

    # --- with which inputs ------------------------------------------------------------------------------------------

    def _with_inputs(
        self, request: RouteRequest, manifest: Manifest, fields: tuple[Field, ...], filling: Filling
    ) -> Route:
        known = {item.field: item for item in filling.values.values()}
        known |= {name: Understood(name, value, "", "given") for name, value in request.inputs.items()}
        unsettled = {name: doubt for name, doubt in filling.doubts.items() if name not in request.inputs}
        last = self._take_answers(request, fields, known, unsettled)
        if isinstance(last, Cancelled):
            return NoRoute("已按您的回答取消", self._examples((manifest.name,)), wanted=False)
        values = {name: item.value for name, item in known.items()}
        needed = {field.name for field in required_now(fields, values)}
        for field in fields:
            if field.name in known:
                continue
            if field.name in unsettled or (field.name in needed and not field.has_default):
                return _asked(ask_input(manifest, field, unsettled.get(field.name), tuple(known.values())), last)
            if field.name in needed:
                known[field.name] = Understood(field.name, field.schema["default"], "", "default")
        return RunSkill(manifest.name, {name: item.value for name, item in known.items()}, tuple(known.values()))

    def _take_answers(
        self,
        request: RouteRequest,
        fields: tuple[Field, ...],
        known: dict[str, Understood],
        unsettled: dict[str, Doubt],
    ) -> Answered | Cancelled | None:
        """Put answers into `known` and `unsettled`; returns the last one nobody could understand."""
        names = {field.name for field in fields}
        lost: Answered | None = None
        for answer in request.answers:
            asked = answer.asked
            if not isinstance(asked, AskInput) or asked.field not in names:
                continue
            explains = partial(self._index.unexplained, asked.name)
            reply = read_answer(asked, fields, answer.text, request.today, explains)
            if isinstance(reply, Cancelled):
                return reply
            lost = answer if reply is None else None
            if reply is not None:
                _settle(asked.field, reply, known, unsettled)
        return lost

    # --- nothing ----------------------------------------------------------------------------------------------------

    def _nothing(self, reading: Reading) -> NoRoute:
        return self._forbidden(reading) if reading.frame.blanks else self._none(reading, "没有找到能完成这个任务的技能")

    def _forbidden(self, reading: Reading) -> NoRoute:
        return replace(self._none(reading, "您说的是不要做，没有要执行的任务"), wanted=False)

    def _none(self, reading: Reading, reason: str) -> NoRoute:
        return NoRoute(reason, self._examples([hit.name for hit in self._index.search(reading.core)]))

    def _examples(self, nearest: Sequence[str]) -> tuple[str, ...]:
        names = [*nearest, *(name for name in self._manifests if name not in nearest)]
        return tuple(title_of(self._manifests[name]) for name in names[:MOST_SUGGESTIONS])


def _clear(hits: Sequence[Hit]) -> bool:
    first = hits[0]
    alone = len(hits) < 2 or first.score - hits[1].score >= RUN_GAP
    return alone and first.full and not first.unexplained and (first.harmless or not first.verbless)


_AND: Final = re.compile(r"和|与|及|、|并|再|然后|接着|同时|还有|另外|顺便|[,;。]")


def _second_task(hits: Sequence[Hit], reading: Reading) -> bool:
    """Whether another skill's task was said in full too: in words of its own, or joined on by an 和."""
    others = [hit for hit in hits[1:] if hit.full]
    return any(not hit.said <= hits[0].said for hit in others) or (bool(others) and _joins_tasks(reading))


def _joins_tasks(reading: Reading) -> bool:
    """Whether an 和 stands anywhere but between two values (2024年和2025年)."""
    starts, ends = {span.start for span in reading.spans}, {span.end for span in reading.spans}
    found = (match.span() for match in _AND.finditer(reading.core))
    return any(start not in ends or end not in starts for start, end in found)


def _not_understood(hit: Hit) -> str:
    return f"没有完全理解“{'、'.join(hit.unexplained)}”" if hit.unexplained else ""


def _why_ask(reading: Reading) -> str:
    """Why even a clear winner is confirmed first; "" when the sentence is a plain order."""
    if len(reading.frame.blanks) > len(reading.frame.restrictions):
        return "话里有“不要”一类的说法"
    return reading.frame.doubt or ""


def _settle(name: str, reply: Reply, known: dict[str, Understood], unsettled: dict[str, Doubt]) -> None:
    """What was said last counts, and explicit inputs before it."""
    if reply.doubt is not None:
        unsettled[name] = reply.doubt
        return
    for field, value in reply.values.items():
        if field not in known or known[field].how != "given":
            known[field] = value
        unsettled.pop(field, None)
    if reply.left_out:
        unsettled.pop(name, None)


def _asked(ask: AskInput, lost: Answered | None) -> AskInput:
    if lost is None or not isinstance(lost.asked, AskInput) or lost.asked.field != ask.field:
        return ask
    return replace(ask, question=_again(ask.question, lost.text))


def _again(question: Question, text: str) -> Question:
    lead = f"没有听懂“{text.strip()[:40]}”。"
    plain = (
        question.text.rsplit("没有听懂", 1)[-1].split("”。", 1)[-1]
        if question.text.startswith("没有听懂")
        else question.text
    )
    return Question(lead + plain, question.choices, question.deadline_s)
