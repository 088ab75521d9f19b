"""Plays the lines of a case to a real sgclaw, and says what became of each. One table: kind of line → what is done."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import psutil

from sgclaw.protocol.limits import MAX_LINE_FROM_HOST
from sgclaw.protocol.signing import KEY_BYTES
from tests.attacks.corpus import Case
from tests.attacks.pipe.agent import APPROVAL, TASK, AgentEnd, init_message
from tests.attacks.pipe.agent_process import KINDS as PROCESS_KINDS
from tests.attacks.pipe.agent_process import Kind
from tests.attacks.pipe.host_words import WAITS, counts, got_from, host_body, init_body, pause_of
from tests.attacks.pipe.raw import CUTS, Limits, as_is, cut, generated, may_pass, unsigned
from tests.attacks.pipe.signs import VALID, Json, Keys, compact, right_line
from tests.attacks.pipe.verdicts import DECODING, Outcome
from tests.support.ports import eventually

Data = Mapping[str, Any]
_MODIFIERS: Final = frozenset({"sign", "repeat", "no_newline", "then", "note", "one_write", *CUTS})
SAYS: Final = r"_says$"


@dataclass
class Exchange:
    """One case against one process."""

    end: AgentEnd
    case: Case
    ends_as: str = "completed"
    """How the task must end after all this."""
    got: object = None
    decided: bool = False
    must_forget: set[bytes] = field(default_factory=set)
    """Texts of a denied page, which may be found nowhere afterwards."""

    @property
    def limits(self) -> Limits:
        must = self.case.data["must"]
        return Limits(MAX_LINE_FROM_HOST, str(must.get("error")), str(must["verdict"]) == "accept")

    @property
    def state(self) -> str:
        return str(self.case.data["state"])

    async def play(self, lines: Iterable[Data]) -> list[Outcome]:
        """Reach the state, send the lines, and prove that the session lives or has ended."""
        self.got = self.end.seventh.got
        await self.end.become(self.state)
        measuring = asyncio.create_task(self.end.measure())
        try:
            outcomes = [outcome for line in lines for outcome in await self._one(line)]
        finally:
            measuring.cancel()
            await asyncio.gather(measuring, return_exceptions=True)
        if not self.end.closed and (self.state != "fresh" or self.end.of("ready")):
            started = asyncio.get_running_loop().time()
            await self.end.fence()
            assert asyncio.get_running_loop().time() - started < 1, "a ping took longer than 1 s"
        return outcomes

    async def _one(self, line: Data) -> list[Outcome]:
        found = kind_of(line)
        unknown = set(line) - _MODIFIERS - {found[0] if found else None}
        if found is None or unknown:
            raise AssertionError(f"the adapter does not know this kind of line: {sorted(line)}")
        outcomes = await found[1](self, line)
        if line.get("then") == "close":
            await self.end.hang_up()
            outcomes = [Outcome(closed=True)]
        return outcomes

    # --- sending and judging ----------------------------------------------------------------------------------------

    async def put(self, pieces: Iterable[bytes], pause_s: float = 0) -> Outcome:
        """Send bytes and say what became of them; nothing that is refused makes sgclaw act."""
        before, commands = len(self.end.refusals()), set(self.end.commands)
        await self.end.write(pieces, pause_s)
        await self.dealt_with()
        codes = tuple(code for code, _ in self.end.refusals()[before:])
        if codes or self.end.closed:
            assert set(self.end.commands) == commands, "a refused line made sgclaw act"
        if self.end.closed and not self.end.of("ready"):
            codes += tuple(re.findall(r"^([A-Z_]{4,}): ", self.end.log().decode(), re.MULTILINE))
        return Outcome(codes, closed=self.end.closed)

    async def dealt_with(self) -> None:
        if self.state == "fresh" and not self.end.of("ready"):
            await self.end.until(lambda: self.end.of("ready"), 20)
        if not self.end.closed:
            await self.end.fence()

    async def effect(self, body: Json) -> Outcome:
        """What an accepted message brings about, awaited; a page that sgclaw refuses shows only now."""
        end = self.end
        match body.get("type"):
            case "response" if isinstance(body.get("seq"), int):
                return await self._effect_of_response(body)
            case "approval":
                self.decided = True
                if body.get("approved") is not True:
                    self.ends_as = "failed"
                await end.until(lambda: end.report or any("approval_id" in it for it in end.commands.values()))
            case "cancel_task" if body.get("task_id") == TASK:
                self.ends_as = "aborted"
                await end.until(lambda: end.report, 5)
        return Outcome(closed=end.closed)

    async def _effect_of_response(self, body: Json) -> Outcome:
        end, seq = self.end, int(body["seq"])
        end.settled.add(seq)
        await end.until(lambda: end.report or seq + 1 in end.commands)
        error = (end.report or {}).get("error") or {}
        if error.get("code") == "POLICY_DENIED":
            assert str(error["facts"]["rule"]).startswith("landed."), error
            self.ends_as = "failed"
            self.must_forget |= _texts(body)
            return Outcome((error["code"],))
        if not body.get("success"):
            self.ends_as = "failed"
        elif seq == 7 and isinstance(body.get("data"), dict):
            self.got = got_from(end.seventh.action, body["data"])
        return Outcome(closed=end.closed)

    # --- afterwards -------------------------------------------------------------------------------------------------

    async def conclude(self) -> None:
        """The rest of the task goes its right way, or the process is gone in time."""
        if self.end.closed:
            await self._gone()
        elif self.state in ("task", "confirming"):
            await self._finish()

    async def _gone(self) -> None:
        async with asyncio.timeout(4):
            code = await self.end.process.wait()
        assert code in (0, 1), f"exit code {code}"
        await eventually(lambda: not [child for child in psutil.Process().children(recursive=True) if _is_ours(child)])

    async def _finish(self) -> None:
        end = self.end
        async with asyncio.timeout(15):
            while end.report is None and not end.closed:
                if self.state == "confirming" and not self.decided:
                    self.decided = True
                    await end.say({"type": "approval", "approval_id": APPROVAL, "approved": True})
                for seq in end.waiting:
                    await end.respond(seq, end.answer_to(seq))
                await end.until(lambda: end.report or end.waiting)
        report = end.report
        assert report is not None, "the session ended before the task"
        if self.ends_as == "completed":
            assert (report["outcome"], (report.get("data") or {}).get("got")) == ("completed", self.got), report
        else:
            assert report["outcome"] in {self.ends_as, "unverified"}, report
        assert len(end.of("task_completed")) == 1 or self.case.data["must"].get("error") == "E_BUSY"


def _is_ours(process: psutil.Process) -> bool:
    """Whether it is a living sgclaw or worker: the test's own process may have helpers of the standard library."""
    with contextlib.suppress(psutil.Error):
        named = any("sgclaw" in word for word in process.cmdline())
        return named and process.status() != psutil.STATUS_ZOMBIE
    return False


def _texts(value: object) -> set[bytes]:
    """Every text in a message that is long enough to be recognised."""
    if isinstance(value, str):
        return {value.encode()} if len(value) > 8 else set()
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(_texts, items))


# --- kinds of lines ---------------------------------------------------------------------------------------------------


async def _message(run: Exchange, line: Data) -> list[Outcome]:
    return [await _say(run, line["msg"], line) for _ in range(line.get("repeat", 1))]


async def _say(run: Exchange, message: Data, line: Data) -> Outcome:
    body, sealed = _sealed(run, message, str(line.get("sign", "none")))
    outcome = await run.put(*cut(sealed, line))
    if outcome.refused:
        return outcome
    return await run.effect(body)


def _sealed(run: Exchange, message: Data, sign: str) -> tuple[Json, bytes]:
    """A browser's message as a body of ours, and its line."""
    end = run.end
    body = host_body(message, run.case, end.seventh)
    number = message.get("seq", "$NEXT")
    security: Json = {}
    if counts(body):
        n: Any = end.n if number == "$NEXT" else end.n + number - end.told if type(number) is int else number
        end.told += number == end.told
    else:
        body["seq"] = end.waiting[0] if number == "$NEXT" else number
        security["re"] = end.mac_of(number if isinstance(number, int) else 0)
        n = end.n
    if sign.startswith("re_"):
        security["re"], sign = end.mac_of(6), VALID
    return body, end.sealed(body, sign=sign, n=n, **security)


async def _together(run: Exchange, line: Data) -> list[Outcome]:
    """Several lines in one write; each is told by the digest that its refusal names."""
    members = next(value for name, value in line.items() if re.search(_GROUPS, name) and isinstance(value, list))
    parts: list[tuple[Json | None, bytes]] = []
    for item in members:
        whole = item if {"msg", "text", "b64", "hex"} & set(item) else {"msg": item, "sign": line.get("sign", "none")}
        if "msg" in whole:
            parts.append(_sealed(run, whole["msg"], str(whole.get("sign", "none"))))
            run.end.n += whole.get("sign") == VALID
        else:
            parts += [(None, data.removesuffix(b"\n") + b"\n") for data in as_is(whole, run.end.keys)]
    before = len(run.end.refusals())
    await run.end.write([b"".join(data for _, data in parts)])
    await run.dealt_with()
    told = run.end.refusals()[before:]
    outcomes: list[Outcome] = []
    for body, data in parts:
        digest = hashlib.sha256(data[:-1]).hexdigest()
        codes = tuple(code for code, of in told if of == digest)
        refused = Outcome(codes, closed=run.end.closed)
        outcomes.append(refused if refused.refused or body is None else await run.effect(body))
    return outcomes


async def _bytes(run: Exchange, line: Data) -> list[Outcome]:
    if line.get("repeat", 1) > 1:
        (data,) = as_is(line, run.end.keys)
        block = (data + b"\n") * 100
        return [await run.put(block for _ in range(line["repeat"] // 100 + 1))]
    # The cases leave the code of a line that may be right to the harness, as for their own signer.
    given = [unsigned(data) for data in as_is(line, run.end.keys)] if may_pass(run.case.data["must"]) else []
    if given and None not in given and "no_newline" not in line:
        return [await _say(run, message, {**line, "sign": VALID}) for message in given if message is not None]
    ending = b"" if line.get("no_newline") else b"\n"
    outcomes = [await _raw(run, data.removesuffix(ending) + ending) for data in as_is(line, run.end.keys, run.limits)]
    whole = all(outcome.refused for outcome in outcomes)
    return [outcomes[-1] if whole else Outcome(closed=run.end.closed)]


async def _raw(run: Exchange, data: bytes) -> Outcome:
    """Send a raw line; one that was refused for what it says is sent once more as an authentic line."""
    if not data.endswith(b"\n"):
        await run.end.write([data])
        return Outcome()
    outcome = await run.put([data])
    pieces = data.count(b"\n")
    assert run.end.closed or len(outcome.codes) in (0, pieces), (data[:200], outcome)
    if run.end.closed or pieces > 1 or not set(outcome.codes) & DECODING or not data.endswith(b"}\n"):
        return outcome
    security = compact({"n": run.end.n, "re": run.end.mac_of(7)})[:-1]
    twin, _ = right_line(data[:-2] + b',"security":' + security, run.end.keys)
    assert await run.put([twin + b"\n"]) == outcome, "a right code made a bad line another one"
    return outcome


async def _generated(run: Exchange, line: Data) -> list[Outcome]:
    gen = line.get("gen", {})
    if str(gen.get("prefix", "")).startswith("$RESP"):
        text = str(gen["repeat"]) * run.limits.grown(int(gen["count"]), len(str(gen["repeat"]).encode()), 0)
        message = {"seq": 7, "type": "response", "success": True, "data": {"text": text}}
        return [await _say(run, message, {"sign": VALID})]
    whole = unsigned(b"".join(generated(line, run.limits))) if may_pass(run.case.data["must"]) else None
    if whole is not None:
        return [await _say(run, whole, {"sign": VALID})]

    def pieces() -> Iterable[bytes]:
        yield from generated(line, run.limits)
        if not line.get("no_newline"):
            yield b"\n"

    return [await run.put(pieces())]


async def _init(run: Exchange, line: Data) -> list[Outcome]:
    body, key, trace_id = init_body(line["init"], init_message(run.end.home))
    if run.state == "fresh" and not run.end.of("ready") and len(key) == KEY_BYTES:
        run.end.keys = Keys(key, trace_id, run.end.keys.role)
    return [await run.put([compact(body) + b"\n"])]


async def _already_so(_run: Exchange, _line: Data) -> list[Outcome]:
    """The state was made for it."""
    return []


async def _closes(run: Exchange, _line: Data) -> list[Outcome]:
    await run.end.hang_up()
    return [Outcome(closed=True)]


async def _wait(run: Exchange, line: Data) -> list[Outcome]:
    """Time passes. When it is more than there is, the command has no answer, or the person's silence is a no."""
    pause_s = pause_of(line)
    if pause_s is not None:
        await asyncio.sleep(pause_s)
        return []
    if run.state == "confirming":
        await _say(run, {"type": "approval", "approval_id": APPROVAL, "approved": False}, {"sign": VALID})
        return []
    await run.end.until(lambda: 7 in run.end.settled, 10)
    await run.end.until(lambda: run.end.report, 10)
    run.ends_as = "failed"
    return []


async def _confirm(run: Exchange, line: Data) -> list[Outcome]:
    confirm = line["confirm"]
    approved = confirm.get("answer") in ("yes", True)
    message = {"type": "approval", "approval_id": confirm.get("id", APPROVAL), "approved": approved}
    await _say(run, message, {"sign": VALID})
    return []


async def _page_moves(run: Exchange, line: Data) -> list[Outcome]:
    page = {"id": "p1", "url": f"{line['page_origin']}/"}
    await _say(run, {"type": "page_event", "event": "navigated", "page": page}, {"sign": VALID})
    return []


async def _model_says(run: Exchange, _line: Data) -> list[Outcome]:
    """A model's words are no message of the browser: without one nothing is sent for the act that is held."""
    await run.end.fence()
    assert not [command for command in run.end.commands.values() if "approval_id" in command]
    return []


KINDS: Final[Mapping[str, Kind]] = {
    "msg": _message,
    "b64": _bytes,
    "hex": _bytes,
    "text": _bytes,
    "gen": _generated,
    "genkeys": _generated,
    "init": _init,
    "after_command": _already_so,
    "confirm": _confirm,
    "page_origin": _page_moves,
    "close": _closes,
    "eof": _closes,
    "then": _already_so,
}
_GROUPS: Final = r"^(msgs|messages|join(ed)?|batch|together|group|one_write|lines|parallel|race|at_once)$"
_NAMED: Final[tuple[tuple[str, Kind], ...]] = (
    *PROCESS_KINDS,
    (SAYS, _model_says),
    (WAITS, _wait),
    (_GROUPS, _together),
)
"""Kinds whose names have more than one form."""


def kind_of(line: Data) -> tuple[str, Kind] | None:
    """The member of a line that says what kind it is, and what is done with it."""
    exact = next(((name, do) for name, do in KINDS.items() if name in line and name != "then"), None)
    if exact is not None:
        return exact
    named = ((name, do) for pattern, do in _NAMED for name in line if re.search(pattern, name))
    return next(named, ("then", _already_so) if "then" in line else None)
