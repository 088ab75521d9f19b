"""Plays the lines of a case to a real sgclaw, and says what became of each. One table: kind of line → what is done."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil

from sgclaw.protocol.limits import MAX_LINE_FROM_HOST
from sgclaw.protocol.signing import KEY_BYTES
from tests.attacks.corpus import Case
from tests.attacks.pipe.agent import (
    APPROVAL,
    TASK,
    AgentEnd,
    all_secrets,
    files_under,
    init_message,
)
from tests.attacks.pipe.host_words import counts, got_from, host_body, init_body
from tests.attacks.pipe.raw import Limits, as_is, generated
from tests.attacks.pipe.signs import VALID, Json, Keys, compact, right_line
from tests.attacks.pipe.verdicts import DECODING, Outcome
from tests.support.ports import eventually

Data = Mapping[str, Any]
_MODIFIERS: Final = frozenset({"sign", "repeat", "dribble_ms", "no_newline", "then"})
_FLOOD = 14_000
"""Questions whose answers, of about 500 bytes, fill sgclaw's write queue and what is behind it."""


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
        kind = next((kind for kind in KINDS if kind in line), None)
        unknown = set(line) - _MODIFIERS - {kind}
        if kind is None or unknown:
            raise AssertionError(f"the adapter does not know this kind of line: {sorted(line)}")
        outcomes = await KINDS[kind](self, line)
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
    with contextlib.suppress(psutil.Error):
        return process.status() != psutil.STATUS_ZOMBIE
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
    end, sign = run.end, str(line.get("sign", "none"))
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
    sealed = end.sealed(body, sign=sign, n=n, **security)
    if "dribble_ms" in line:
        pause_s = min(line["dribble_ms"], 1_000 / len(sealed)) / 1_000
        outcome = await run.put((sealed[at : at + 1] for at in range(len(sealed))), pause_s)
    else:
        outcome = await run.put([sealed])
    if outcome.refused:
        return outcome
    return await run.effect(body)


async def _bytes(run: Exchange, line: Data) -> list[Outcome]:
    if line.get("repeat", 1) > 1:
        (data,) = as_is(line, run.end.keys)
        block = (data + b"\n") * 100
        return [await run.put(block for _ in range(line["repeat"] // 100 + 1))]
    ending = b"" if line.get("no_newline") else b"\n"
    outcomes = [await _raw(run, data.removesuffix(ending) + ending) for data in as_is(line, run.end.keys)]
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
        text = str(gen["repeat"]) * int(gen["count"])
        message = {"seq": 7, "type": "response", "success": True, "data": {"text": text}}
        return [await _say(run, message, {"sign": VALID})]

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


async def _wait(run: Exchange, line: Data) -> list[Outcome]:
    assert line["wait"] == "command_timeout", f"the adapter does not know this wait: {line['wait']}"
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


async def _prints(run: Exchange, line: Data) -> list[Outcome]:
    text = str(line["agent_prints"]).encode()
    os.write(run.end.noise, text)
    await eventually(lambda: b"[all printed]" in run.end.log())
    await run.end.fence()
    assert run.end.log().count(text.strip()) >= 3
    assert text.strip() not in run.end.stdout
    return [Outcome(closed=run.end.closed)]


async def _inspect(run: Exchange, line: Data) -> list[Outcome]:
    for place in line["inspect"]:
        look = next((look for pattern, look in _PLACES if re.search(pattern, place)), None)
        assert look is not None, f"the adapter does not know where to look: {place}"
        for content in look(run.end, place):
            for form in all_secrets(run.end.keys):
                assert form not in content, f"a key is in {place}"
    return [Outcome(closed=run.end.closed)]


def _proc(end: AgentEnd, place: str) -> list[bytes]:
    name = place.rsplit("/", 1)[-1]
    return [Path(f"/proc/{process.pid}/{name}").read_bytes() for process in end.family()]


def _of_children(end: AgentEnd, _place: str) -> list[bytes]:
    found = [_proc(end, f"/proc/PID/{name}") for name in ("environ", "cmdline")]
    return [content for contents in found for content in contents]


def _written(end: AgentEnd, _place: str) -> list[bytes]:
    return [bytes(end.stdout), *(path.read_bytes() for path in files_under(end.home.path))]


def _no_core(end: AgentEnd, place: str) -> list[bytes]:
    """A process that may not write a core file cannot leave the key in one."""
    for process in end.family():
        limits = Path(f"/proc/{process.pid}/limits").read_text("ascii").splitlines()
        (core,) = [line.split()[4:6] for line in limits if line.startswith("Max core file size")]
        assert core == ["0", "0"], f"{place}: core files are not off"
    return []


_PLACES: Final[tuple[tuple[str, Callable[[AgentEnd, str], list[bytes]]], ...]] = (
    (r"crash|core", _no_core),
    (r"child", _of_children),
    (r"^/proc/", _proc),
    (r"environ|argv|cmdline|command line", _of_children),
    (r"log|ledger|file|state|database|db|temp|disk|audit|stdout|stderr", _written),
)
"""Word in the name of a place → what is there."""


async def _unread(run: Exchange, _line: Data) -> list[Outcome]:
    """Nobody reads: answers pile up to the cap and no further, and a cancel is heard all the same."""
    end = run.end
    end.reading.clear()
    for start in range(0, _FLOOD, 500):
        block = bytearray()
        for number in range(start, start + 500):
            question = {"type": "panel_request", "request_id": f"r{number}-".ljust(60, "x"), "method": "x" * 64}
            block += end.sealed(question)
            end.n += 1
        await end.write([bytes(block)])
    await end.write([end.sealed({"type": "cancel_task", "task_id": TASK})])
    end.n += 1
    await eventually(lambda: any(b'"task_finished"' in path.read_bytes() for path in files_under(end.home.audit)))
    end.reading.set()
    run.ends_as = "aborted"
    await end.until(lambda: end.report)  # then there is room for answers again
    await end.fence()
    assert len(end.of("panel_result")) < _FLOOD, "the queue was never full"
    return [Outcome(tuple(code for code, _ in end.refusals()), closed=end.closed)]


async def _model_says(run: Exchange, _line: Data) -> list[Outcome]:
    """A model's words are no message of the browser: without one nothing is sent for the act that is held."""
    await run.end.fence()
    assert not [command for command in run.end.commands.values() if "approval_id" in command]
    return []


Kind = Callable[[Exchange, Data], Awaitable[list[Outcome]]]
KINDS: Final[Mapping[str, Kind]] = {
    "msg": _message,
    "b64": _bytes,
    "hex": _bytes,
    "text": _bytes,
    "gen": _generated,
    "genkeys": _generated,
    "init": _init,
    "after_command": _already_so,
    "wait": _wait,
    "confirm": _confirm,
    "page_origin": _page_moves,
    "agent_prints": _prints,
    "inspect": _inspect,
    "stop_reading_s": _unread,
    "model_says": _model_says,
}
