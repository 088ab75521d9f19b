"""The raw, unsigned lines of the shared attack cases, where that folder lies beside the repository."""

import base64
import json
from typing import Any

import pytest

from sgclaw.errors import WireCode, WireError
from sgclaw.protocol.channel import Channel
from sgclaw.protocol.framing import LineFramer
from sgclaw.protocol.limits import MAX_LINE_FROM_HOST
from tests.gates.repository import ROOT
from tests.unit.protocol.samples import opened

_SHARED = ROOT.parent / "shared" / "attacks" / "pipe-lines.json"
_CASES: list[dict[str, Any]] = json.loads(_SHARED.read_text("utf-8"))["cases"] if _SHARED.exists() else []

_CODES = {
    "E_ENCODING": {WireCode.BAD_ENCODING},
    "E_PARSE": {WireCode.BAD_JSON, WireCode.BAD_NUMBER},
    "E_NUMBER": {WireCode.BAD_NUMBER},
    "E_DUP_KEY": {WireCode.DUPLICATE_KEY},
    "E_DEPTH": {WireCode.TOO_DEEP},
    "E_TOO_LARGE": {WireCode.TOO_LARGE},
    "E_TYPE": {WireCode.BAD_HMAC},  # unsigned: the signature is judged before the type
    "E_TOO_LONG": {WireCode.LINE_TOO_LONG},
}


def _bytes(line: dict[str, Any]) -> bytes:
    if "b64" in line:
        return base64.b64decode(line["b64"])
    if "gen" in line:
        gen = line["gen"]
        count = min(gen["count"], MAX_LINE_FROM_HOST)
        return f"{gen['prefix']}{gen['repeat'] * count}{gen['suffix']}\n".encode()
    if "genkeys" in line:
        head, tail = line["genkeys"]["wrap"]
        keys = ",".join(f'"k{number}":0' for number in range(line["genkeys"]["count"]))
        return f"{head}{keys}{tail}\n".encode()
    return f"{line['text']}\n".encode()


_RAW = [
    pytest.param(case["must"], line, id=case["id"])
    for case in _CASES
    for line in case["lines"]
    if {"b64", "text", "gen", "genkeys"} & line.keys() and "$" not in json.dumps(line) and not line.get("no_newline")
]


def _refusal(agent: Channel, received: bytes) -> WireError:
    with pytest.raises(WireError) as caught:
        agent.receive(received)
    return caught.value


def _refusals(chunk: bytes) -> list[WireError]:
    """What became of every line in the chunk; a line that is accepted fails the test."""
    _, agent = opened()
    refusals: list[WireError] = []
    try:
        for received in LineFramer(MAX_LINE_FROM_HOST).feed(chunk):
            refusals.append(_refusal(agent, received))  # noqa: PERF401 - what came before an oversize line stays
    except WireError as error:
        refusals.append(error)
    return refusals


@pytest.mark.skipif(not _RAW, reason="the shared attack cases are not beside the repository")
@pytest.mark.parametrize(("must", "line"), _RAW)
def test_no_raw_line_is_accepted_and_only_an_oversize_one_ends_the_session(
    must: dict[str, Any], line: dict[str, Any]
) -> None:
    refusals = _refusals(_bytes(line))
    assert {error.code for error in refusals} <= _CODES[must.get("error", "E_PARSE")]
    assert [error.fatal for error in refusals] == [must["verdict"] == "fatal"] * len(refusals)
    assert refusals
