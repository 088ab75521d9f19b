"""A short session with a published test key: the worked example of the protocol page, byte for byte."""

import hashlib
import hmac
import json
from dataclasses import dataclass

from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.channel import Channel, encode_init
from sgclaw.protocol.messages import Command, Init, Ping, Ready, Response, SubmitTask, TaskCompleted
from sgclaw.protocol.parts import HostInfo
from sgclaw.protocol.signing import Role, derive_key

TEST_ONLY_KEY = bytes(range(32))
KEY_TEXT = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
TRACE = "sgclaw-20260303-0a1b2c3d"
DOMAIN = "erp.example.com"
POLICY = '{"version":1,"origins":["https://erp.example.com"]}'


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the example, without its newline."""

    sender: Role
    text: str
    mac: str = ""


def keys() -> dict[Role, str]:
    """The derived keys in hex."""
    return {role: derive_key(TEST_ONLY_KEY, TRACE, role).hex() for role in Role}


def derivation() -> list[tuple[str, str]]:
    """Everything that goes into the two keys, step by step."""
    salt = TRACE.encode()
    rows = [
        ("session key (32 bytes)", TEST_ONLY_KEY.hex()),
        ("the same in `init.session_key`", KEY_TEXT),
        ("trace id", TRACE),
        (f"salt ({len(salt)} bytes)", salt.hex()),
        ("prk = HMAC-SHA256(salt, session key)", hmac.digest(salt, TEST_ONLY_KEY, "sha256").hex()),
    ]
    for role, key in keys().items():
        info = f"{PROTOCOL} {role.value}"
        rows += [(f"info of the {role.value} key", info), ("info + 01", (info.encode() + b"\x01").hex())]
        rows.append((f"{role.value} key = HMAC-SHA256(prk, info + 01)", key))
    return [(what, f"`{text}`") for what, text in rows]


def signed_ping() -> list[tuple[str, str]]:
    """One line and how it is signed."""
    line = Channel(Role.HOST, TEST_ONLY_KEY, TRACE).seal(Ping(id="1")).removesuffix(b"\n")
    part, mac = line[:-76], line[-67:-3].decode()
    return [
        ("the message with `security`", f"`{part.decode()}}}}}`"),
        (f"what is signed ({len(part)} bytes)", f"`{part.decode()}`"),
        ("the same in hex", f"`{part.hex()}`"),
        ("HMAC-SHA256(host key, that)", f"`{mac}`"),
        (f"the line ({len(line)} bytes, then `0x0A`)", f"`{line.decode()}`"),
    ]


def full_policy() -> str:
    """A policy document with everything a host may write in it."""
    return json.dumps(
        {
            "version": 1,
            "origins": ["https://erp.example.com", "http://10.1.2.3:8080"],
            "denied_actions": ["upload"],
            "irreversible_labels": ["提交", "审批", "删除", "支付"],
            "grants": [{"skill": "erp-monthly-report", "action": "download", "origin": "https://erp.example.com"}],
        },
        ensure_ascii=False,
        indent=2,
    )


def session() -> list[Line]:
    """init, ready, a task, one command and its response, the end of the task."""
    host, agent = Channel(Role.HOST, TEST_ONLY_KEY, TRACE), Channel(Role.AGENT, TEST_ONLY_KEY, TRACE)
    command_line, command_mac = agent.seal_command(_command(), DOMAIN)
    ready = Ready(protocol=PROTOCOL, version="0.1.0", policy_sha256=hashlib.sha256(POLICY.encode()).hexdigest())
    task = SubmitTask(task_id="t1", instruction="导出本月合规报表")
    response = Response(seq=1, success=True, data={"clicked": True})
    done = TaskCompleted(task_id="t1", outcome="completed", summary="已点击“导出”", steps=1)
    return [
        _line(Role.HOST, encode_init(_init())),
        _line(Role.AGENT, agent.seal(ready)),
        _line(Role.HOST, host.seal(task)),
        Line(Role.AGENT, command_line.decode().rstrip("\n"), command_mac),
        _line(Role.HOST, host.seal_response(response, command_mac)),
        _line(Role.AGENT, agent.seal(done)),
    ]


def _line(sender: Role, line: bytes) -> Line:
    return Line(sender, line.decode().rstrip("\n"))


def _init() -> Init:
    host = HostInfo(name="SuperRPA", version="1.0.0")
    return Init(protocol=PROTOCOL, trace_id=TRACE, session_key=KEY_TEXT, host=host, policy=POLICY)


def _command() -> Command:
    params = {"selector": "#export"}
    return Command(seq=1, action="click", params=params, task_id="t1", page="p1", deadline_ms=10_000)
