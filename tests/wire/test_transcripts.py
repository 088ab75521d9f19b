"""The golden sessions, replayed by both channels and both real sessions. A change of the wire shows here as a diff."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sgclaw.errors import FATAL_WIRE_CODES, ActionCode, WireCode, WireError
from sgclaw.ports import Observed
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST
from sgclaw.protocol.signing import Role
from tests.wire.agent_side import AgentSide, code_of
from tests.wire.compare import KEPT_FACTS, comparable
from tests.wire.ends import Outgoing, approval_of, deliver, ends_of
from tests.wire.host_side import HostSide
from tests.wire.make import FILES
from tests.wire.transcript import FOLDER, SUFFIX, Transcript, stored

ALL = stored()
ENTRIES = [entry for transcript in ALL.values() for entry in transcript.entries]
WITH_AGENT = [name for name, transcript in ALL.items() if transcript.agent == "session"]
WITH_HOST = [name for name, transcript in ALL.items() if transcript.host == "session"]
NOT_SHOWN = {WireCode.TOO_LARGE, WireCode.TOO_MANY_REFUSED}
"""Refusals that take hundreds of thousands of values, or a hundred lines; the unit tests have them."""


# --- what the files hold --------------------------------------------------------------------------------------------


@pytest.mark.requirement("WIRE-01")
def test_the_folder_holds_the_generated_transcripts_and_no_others() -> None:
    assert {f"tests/wire/{path.name}" for path in FOLDER.glob(f"*{SUFFIX}")} == set(FILES)
    assert [name for name, text in FILES.items() if (FOLDER / Path(name).name).read_bytes() != text().encode()] == []


@pytest.mark.parametrize("name", ALL)
def test_a_transcript_on_disk_is_what_it_was_in_memory(name: str) -> None:
    assert Transcript.load(ALL[name].dump()) == ALL[name]


@pytest.mark.requirement("WIRE-02")
def test_every_message_of_both_directions_is_shown() -> None:
    for role, table in ((Role.HOST, FROM_HOST), (Role.AGENT, FROM_AGENT)):
        shown = {entry.kind for entry in ENTRIES if entry.sender is role and entry.refused is None}
        assert set(table) - shown == set()


@pytest.mark.requirement("WIRE-02")
def test_every_action_is_shown_as_a_command_with_a_response_that_succeeds() -> None:
    done = set()
    for transcript in ALL.values():
        bodies = [entry.body for entry in transcript.entries if entry.kind in ("command", "response")]
        answered = {body["seq"] for body in bodies if body.get("success") is True}
        done |= {body["action"] for body in bodies if body["type"] == "command" and body["seq"] in answered}
    assert set(ACTIONS) - done == set()


@pytest.mark.requirement("WIRE-02")
def test_every_code_of_a_host_and_every_refusal_of_a_line_is_shown() -> None:
    errors = {entry.body["error"]["code"] for entry in ENTRIES if entry.kind == "response" and "error" in entry.body}
    assert {*(code.value for code in ActionCode), "POLICY_DENIED", "NEEDS_APPROVAL", "NEEDS_HUMAN"} - errors == set()
    refused = {entry.refused for entry in ENTRIES if entry.refused}
    assert refused == {code.value for code in set(WireCode) - NOT_SHOWN}


@pytest.mark.requirement("WIRE-02")
def test_refused_lines_are_fatal_exactly_when_the_table_says_so() -> None:
    fatal = {(entry.refused, entry.fatal) for entry in ENTRIES if entry.refused}
    assert {code for code, ends in fatal if ends} == {str(code) for code in FATAL_WIRE_CODES - NOT_SHOWN}
    assert {code for code, ends in fatal if not ends} & FATAL_WIRE_CODES == set()


# --- replayed by channels -------------------------------------------------------------------------------------------


@pytest.mark.requirement("WIRE-03")
@pytest.mark.parametrize("name", ALL)
def test_each_channel_makes_its_lines_byte_for_byte_and_judges_the_others(name: str) -> None:
    ends = ends_of(ALL[name])
    for entry in ALL[name].entries:
        if entry.eof:
            continue
        if entry.by_hand:
            ends[entry.sender].skip(entry.line)
        else:
            assert ends[entry.sender].seal(Outgoing.of(entry.line, entry.sender)) == entry.whole
        got = deliver(ends, entry)
        if isinstance(got, WireError):
            assert (got.code, got.fatal) == (entry.refused, entry.fatal)
        else:
            assert entry.refused is None or entry.session_only
            assert got == Outgoing.of(entry.line, entry.sender).message


# --- replayed by sessions -------------------------------------------------------------------------------------------


@pytest.mark.requirement("WIRE-04")
@pytest.mark.parametrize("name", WITH_AGENT)
async def test_sgclaws_session_answers_a_host_with_the_golden_lines(name: str, tmp_path: Path) -> None:
    became = await AgentSide(ALL[name], tmp_path).replay()
    assert {seq: _told(result) for seq, result in became.items()} == _expected(ALL[name])


def _told(result: Observed | BaseException) -> object:
    return result.data if isinstance(result, Observed) else code_of(result)


def _expected(transcript: Transcript) -> dict[int, object]:
    """What each act gives its caller, by the seq of its first command: the data of the response that counts."""
    bodies = [entry.body for entry in transcript.entries if entry.kind in ("command", "response", "cancel_command")]
    responses = {body["seq"]: body for body in bodies if body["type"] == "response" and body.get("seq")}
    cancelled = {body["seq"] for body in bodies if body["type"] == "cancel_command"}
    again = {body["approval_id"]: body["seq"] for body in bodies if body.get("approval_id")}
    expected: dict[int, object] = {}
    for body in bodies:
        if body["type"] != "command" or body.get("approval_id"):
            continue
        seq = body["seq"]
        response = responses.get(seq)
        response = responses.get(again.get(approval_of(response or {}), seq))
        if seq in cancelled:
            expected[seq] = "CancelledError"
        elif response is None:
            expected[seq] = "HOST_GONE"
        else:
            expected[seq] = response["data"] if response["success"] else response["error"]["code"]
    return expected


@pytest.mark.requirement("WIRE-05")
@pytest.mark.parametrize("name", WITH_HOST)
async def test_the_stubs_session_answers_sgclaw_with_the_golden_lines(name: str, tmp_path: Path) -> None:
    await HostSide(ALL[name], tmp_path).replay()


# --- compared with another implementation of the host ---------------------------------------------------------------

HOST_LINES = [
    entry.body
    for name in WITH_HOST
    for entry in ALL[name].entries
    if entry.sender is Role.HOST and not entry.eof and not entry.by_hand
]


@pytest.mark.requirement("WIRE-10")
def test_another_hosts_texts_facts_order_and_macs_are_its_own() -> None:
    for body in HOST_LINES:
        changed = json.loads(json.dumps(body, sort_keys=True))
        changed.get("security", {})["hmac"] = "0" * 64
        if body["type"] == "protocol_error":
            changed["message"] = "mine"
        if body["type"] == "response" and not body["success"]:
            facts = {key: value for key, value in body["error"]["facts"].items() if key in KEPT_FACTS}
            changed["error"] |= {"message": "mine", "facts": {**facts, "mine": 1}}
        assert comparable(changed) == comparable(body)


@pytest.mark.requirement("WIRE-10")
@pytest.mark.parametrize(
    "path", [("seq",), ("success",), ("data",), ("page",), ("error", "code"), ("security", "n"), ("security", "re")]
)
def test_what_a_response_says_must_be_as_it_is_there(path: tuple[str, ...]) -> None:
    found = [body for body in HOST_LINES if body["type"] == "response" and path[0] in body]
    assert found
    for body in found:
        changed = json.loads(json.dumps(body))
        holder = changed if len(path) == 1 else changed[path[0]]
        holder[path[-1]] = "another"
        assert comparable(changed) != comparable(body)


@pytest.mark.requirement("WIRE-10")
@pytest.mark.parametrize(
    ("code", "golden", "made", "is_equal"),
    [
        ("POLICY_DENIED", {"rule": "origin.unlisted"}, {"rule": "url.form"}, False),
        ("POLICY_DENIED", {"rule": "approval.unknown"}, {"rule": "approval.mine"}, True),
        ("POLICY_DENIED", {"rule": "approval.unknown"}, {"rule": "origin.unlisted"}, False),
        ("NEEDS_APPROVAL", {"rule": "approval.label"}, {"rule": "approval.irreversible"}, False),
        ("NEEDS_APPROVAL", {"approval_id": "ap-1"}, {"approval_id": "ap-2"}, False),
        ("BAD_PARAMS", {"problems": [{"field": "force"}]}, {}, True),
    ],
)
def test_of_the_facts_of_an_error_rule_and_approval_id_count(
    code: str, golden: dict[str, object], made: dict[str, object], is_equal: bool
) -> None:
    bodies = [{"type": "response", "seq": 1, "error": {"code": code, "facts": facts}} for facts in (golden, made)]
    assert (comparable(bodies[0]) == comparable(bodies[1])) is is_equal


@pytest.mark.requirement("WIRE-04", "WIRE-05")
def test_every_transcript_is_replayed_by_a_real_session() -> None:
    assert set(WITH_AGENT) | set(WITH_HOST) == set(ALL)
    assert len(set(WITH_AGENT) & set(WITH_HOST)) > 10


@pytest.mark.requirement("WIRE-04")
async def test_a_session_that_says_anything_else_is_found(tmp_path: Path) -> None:
    changed = Transcript.load(
        ALL["01-handshake"].dump().replace('\\"pong\\",\\"id\\":\\"1\\"', '\\"pong\\",\\"id\\":\\"2\\"')
    )
    assert json.loads(changed.dump().splitlines()[0]) == json.loads(ALL["01-handshake"].dump().splitlines()[0])
    with pytest.raises(AssertionError):
        await AgentSide(changed, tmp_path).replay()
