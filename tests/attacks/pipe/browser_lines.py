"""Plays the lines of a case to the browser's end alone, and says what became of each."""

from __future__ import annotations

import itertools
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sgclaw.protocol.limits import APPROVAL_SECONDS, MAX_LINE_FROM_AGENT
from sgclaw.protocol.messages import FROM_AGENT
from tests.attacks.corpus import Case
from tests.attacks.pipe.agent_words import agent_body
from tests.attacks.pipe.browser import BrowserEnd
from tests.attacks.pipe.raw import CUTS, Limits, as_is, generated
from tests.attacks.pipe.signs import VALID, Json, compact
from tests.attacks.pipe.verdicts import DECODING, REFUSING, Outcome

Data = Mapping[str, Any]
_MODIFIERS: Final = frozenset({"sign", "repeat", "no_newline", "then", "note", "one_write", *CUTS})
_YES: Final = ("yes", True, "approved")
_NO: Final = ("no", False, "rejected", "denied")


@dataclass
class Exchange:
    """One case against one host session."""

    end: BrowserEnd
    case: Case
    done: list[tuple[str, str]] = field(default_factory=list)
    """What may have been performed: every command that was accepted."""
    sent: int = 0

    @property
    def limits(self) -> Limits:
        must = self.case.data["must"]
        return Limits(MAX_LINE_FROM_AGENT, str(must.get("error")), str(must["verdict"]) == "accept")

    async def play(self, lines: Iterable[Data]) -> list[Outcome]:
        """Send the lines; nothing but what was accepted reaches the page."""
        before = list(self.end.acts)
        outcomes = [outcome for line in lines for outcome in await self._one(line)]
        assert self.end.acts == before + self.done
        return outcomes

    async def _one(self, line: Data) -> list[Outcome]:
        found = next(((name, do) for pattern, do in KINDS for name in line if re.fullmatch(pattern, name)), None)
        unknown = set(line) - _MODIFIERS - {found[0] if found else None}
        if found is None or unknown:
            raise AssertionError(f"the adapter does not know this kind of line: {sorted(line)}")
        outcomes = await found[1](self, {**line, "value": line[found[0]]})
        if line.get("then") == "close":
            await self.end.link.close()
            outcomes = [Outcome(closed=await self.end.read() is None)]
        return outcomes

    async def put(self, data: bytes, *, answered: bool = True) -> Outcome:
        if self.end.closed:
            return Outcome(closed=True)
        self.sent += 1
        return await self.end.put(data, answered=answered)

    def accepted(self, body: Json) -> None:
        """A command was carried out."""
        self.done.append((str(body["action"]), str(body["params"].get("selector") or "")))
        if body.get("action") == "type":
            element = self.end.driver.pages["p1"].elements[body["params"]["selector"]]
            assert element.value == body["params"]["text"], "the text did not arrive as it was sent"


async def _message(run: Exchange, line: Data) -> list[Outcome]:
    return [await _say(run, line["msg"], str(line.get("sign", "none"))) for _ in range(line.get("repeat", 1))]


async def _say(run: Exchange, message: Data, sign: str) -> Outcome:
    end = run.end
    body = agent_body(message, run.case, end.next)
    if not isinstance(message.get("security", {}), dict):
        return await run.put(compact({**body, "security": message["security"]}) + b"\n")
    security = dict(message.get("security", {}))
    security.pop("hmac", None)
    domain = security.pop("expected_domain", None)
    if body.get("type") != "command":
        security.setdefault("n", end.n)
    sealed = end.line(body, domain=domain, sign=sign, **security)
    is_command, seq = body.get("type") == "command", body.get("seq")
    answered = is_command or sign != VALID or body.get("type") not in FROM_AGENT
    outcome = await run.put(sealed, answered=answered)
    numbered = type(seq) is int and seq == end.next and domain is not None
    if _took_number(outcome, sign):
        end.next += is_command and numbered
        end.n += not is_command
    if outcome.codes == ("NOT_IMPLEMENTED",) and "%vault:" in str(body.get("params")):
        outcome = Outcome(("NO_VAULT",), closed=outcome.closed)  # refused before anything was done
    if not outcome.refused and is_command:
        run.accepted(body)
    assert set(outcome.codes) <= REFUSING, outcome
    return outcome


def _took_number(outcome: Outcome, sign: str) -> bool:
    """A refusal by policy, and of an authentic line's content, uses the number up; a bad code does not."""
    return sign == VALID and not set(outcome.codes) & (DECODING | {"REPLAYED", "BAD_HMAC"})


async def _bytes(run: Exchange, line: Data) -> list[Outcome]:
    ending = b"" if line.get("no_newline") else b"\n"
    found: list[Outcome] = []
    for data in [*as_is(line, run.end.keys, run.limits)] * int(line.get("repeat", 1)):
        pieces = data.removesuffix(ending).count(b"\n") + 1
        first = await run.put(data.removesuffix(ending) + ending, answered=bool(ending))
        rest = [await run.end._outcome() for _ in range(pieces - 1)]
        found += [first, *rest]
    return [found[-1] if all(outcome.refused for outcome in found) else Outcome(closed=run.end.closed)]


async def _generated(run: Exchange, line: Data) -> list[Outcome]:
    gen = line.get("gen", {})
    if re.match(r"\$C(?:OM)?M(?:AN)?D", str(gen.get("prefix", ""))):
        text = str(gen["repeat"]) * run.limits.grown(int(gen["count"]), len(str(gen["repeat"]).encode()), 0)
        params = {"selector": "#btn", "text": text}
        security = {"expected_domain": "erp.example.com"}
        message = {"type": "command", "seq": "$NEXT", "action": "type", "params": params, "security": security}
        return [await _say(run, message, VALID)]
    return [await run.put(b"".join(generated(line, run.limits)) + b"\n")]


async def _page_moves(run: Exchange, line: Data) -> list[Outcome]:
    """The page is on another origin by now, with the same elements."""
    page = run.end.driver.pages["p1"]
    page.url = f"{str(line['value']).rstrip('/')}/"
    page.version += 1
    return []


async def _frame_moves(run: Exchange, line: Data) -> list[Outcome]:
    """Every element is in a frame of another origin."""
    for element in run.end.driver.pages["p1"].elements.values():
        element.frame = f"{str(line['value']).rstrip('/')}/"
    return []


async def _redirects(run: Exchange, line: Data) -> list[Outcome]:
    """An address leads elsewhere."""
    spec = line["value"]
    run.end.driver.redirects.update(spec if isinstance(spec, dict) else dict(itertools.pairwise(spec)))
    return []


async def _confirm(run: Exchange, line: Data) -> list[Outcome]:
    """The person decides about what is held; any other id, and silence, decide nothing."""
    confirm = line["value"]
    if confirm.get("id", "cfm-1") == "cfm-1" and confirm.get("answer") in (*_YES, *_NO):
        await run.end.decide(yes=confirm["answer"] in _YES)
    for name, value in confirm.items():
        if re.search(r"age|after|late|delay|seconds|_s$", name):
            run.end.age(float(value))
    return []


async def _wait(run: Exchange, line: Data) -> list[Outcome]:
    """Time passes for what is held: the seconds that are named, or more than an approval lives."""
    number = re.search(r"\d+", str(line["value"]))
    run.end.age(float(number[0]) if number else APPROVAL_SECONDS + 1)
    return []


async def _closes(run: Exchange, _line: Data) -> list[Outcome]:
    await run.end.link.close()
    return [Outcome(closed=await run.end.read() is None)]


async def _together(run: Exchange, line: Data) -> list[Outcome]:
    """Several lines in one write: the cases' words for lines that come at once. Each is judged by itself."""
    members = [item if set(item) & {"msg", "text", "b64", "hex"} else {"msg": item} for item in line["value"]]
    return [outcome for item in members for outcome in await run._one({"sign": line.get("sign", "none"), **item})]


Kind = Callable[[Exchange, Data], Awaitable[list[Outcome]]]
KINDS: Final[tuple[tuple[str, Kind], ...]] = (
    ("msg", _message),
    ("b64|hex|text", _bytes),
    ("gen|genkeys", _generated),
    ("page_origin|page_url|page_moves|tab_origin|navigated_to|origin_now", _page_moves),
    (".*frame.*", _frame_moves),
    ("redirects?", _redirects),
    ("confirm", _confirm),
    ("(wait|sleep|delay).*|.*clock.*|.*_timeout", _wait),
    ("then|close|eof", _closes),
    ("msgs|messages|joine?d?|batch|together|group|one_write|lines|parallel|race|at_once", _together),
)
"""Name of a kind of line → what is done."""
