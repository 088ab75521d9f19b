"""Secrets put in at every door of a real session, and looked for behind every exit."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from browser_host_stub.memory.site import Element
from sgclaw.protocol.channel import dump
from sgclaw.protocol.messages import Command, LogEntry, TaskCompleted
from sgclaw.protocol.signing import KEY_BYTES, Role, derive_key
from sgclaw.redact import hint
from tests.support.agent import TRACE, Home, Running, running, skill

CANARIES: Final[Mapping[str, str]] = {
    "password": "Canary-Pw-7731x",
    "bearer": "canaryBearerToken0123456789abcdef",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLWNhbmFyeS0xMjM0NTY3ODkw",
    "identity": "11010519491231002X",
    "card": "6222021234567890128",
    "mobile": "13812345678",
}
TEXT: Final = (
    f"登录密码：{CANARIES['password']}，Authorization: Bearer {CANARIES['bearer']}，令牌 {CANARIES['jwt']}，"
    f"身份证号 {CANARIES['identity']}，银行卡号 {CANARIES['card']}，手机号 {CANARIES['mobile']}"
)
BODIES: Final[Mapping[str, str]] = {
    "returns": """
        const text = await browserAction('getText', '#secret');
        console.log('读到', text, params.note);
        await browserAction('type', '#name', params.note);
        return { success: true, data: { text, note: params.note, message: text, password: params.password } };""",
    "throws": "throw new Error(await browserAction('getText', '#secret'));",
    "fails": "return { success: false, error: await browserAction('getText', '#secret') };",
    "misses": "await browserAction('click', params.selector);",
    "floods": "console.error(await browserAction('getText', '#secret')); for (;;) console.log(params.note);",
}
HEADER: Final = """ * @params {"type":"object","properties":{"note":{"type":"string"},"password":{"type":"string"},
 *   "selector":{"type":"string"}}}
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    for name, body in BODIES.items():
        made.skills.write(f"builtin/{name}.js", skill(name, body).replace(" */\n", f"{HEADER} */\n", 1))
    made.skills.sign()
    return made


async def ended(run: Running, name: str) -> TaskCompleted:
    run.driver.pages["p1"].elements["#secret"] = Element(text=TEXT)
    inputs = {"note": TEXT, "password": CANARIES["password"], "selector": f"[data-x='{TEXT}']"}
    return await run.hosted.run(f"办一件事，{TEXT}", skill=name, inputs=inputs)


def files_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.name, path.read_bytes()


def found(needles: Mapping[str, bytes], places: Mapping[str, bytes]) -> list[str]:
    return [
        f"{name} in {place}"
        for place, content in places.items()
        for name, needle in needles.items()
        if needle in content
    ]


@pytest.mark.requirement("HOST-40")
@pytest.mark.parametrize("name", BODIES)
async def test_no_secret_leaves_by_a_message_a_log_or_a_record(name: str, home: Home) -> None:
    async with running(home) as run:
        done = await ended(run, name)
    told = [message for message in run.seen if not isinstance(message, Command)]
    places = {f"{message.type} message": json.dumps(dump(message), ensure_ascii=False).encode() for message in told}
    places |= dict(files_below(home.state))
    assert done.outcome == ("completed" if name == "returns" else "failed")
    assert "sgclaw.log" in places
    assert any(place.startswith("ledger-") for place in places)
    assert found({key: value.encode() for key, value in CANARIES.items()}, places) == []


@pytest.mark.requirement("HOST-40")
@pytest.mark.parametrize("act", ["type", "select"])
@pytest.mark.parametrize("selector", ["#password", "#loginPwdInput", "[placeholder='请输入口令']"])
async def test_what_is_put_into_a_secret_field_is_told_to_nobody(home: Home, act: str, selector: str) -> None:
    secret = "Hunter2Plain"
    body = f"""
        await browserAction("{act}", "{selector}", "{secret}");
        await browserAction("{act}", "{selector}", "{secret}").catch(() => null);
        await browserAction("{act}", "#missing-password", "{secret}");"""
    home.add("enters", skill("enters", body, actions=act))
    async with running(home) as run:
        run.driver.pages["p1"].elements[selector] = Element()
        await run.hosted.run("登录系统", skill="enters")
    [first, *_] = [message for message in run.seen if isinstance(message, LogEntry)]
    assert f"“{hint('密码')}”" in first.text
    told = [message for message in run.seen if not isinstance(message, Command)]
    places = {f"{message.type} message": json.dumps(dump(message), ensure_ascii=False).encode() for message in told}
    assert found({"typed": secret.encode()}, places | dict(files_below(home.state))) == []
    assert any(isinstance(message, Command) and secret in str(message.params) for message in run.seen)


@pytest.mark.requirement("HOST-41")
async def test_the_session_key_is_in_no_file_and_no_message(home: Home) -> None:
    key = secrets.token_bytes(KEY_BYTES)
    keys = {"session key": key} | {f"{role} key": derive_key(key, TRACE, role) for role in Role}
    async with running(home, session_key=key) as run:
        await ended(run, "returns")
    places = dict(files_below(home.state))
    places["messages"] = "".join(str(dump(message)) for message in run.seen).encode()
    needles = {
        f"{name} as {form.__name__}": form(key)
        for name, key in keys.items()
        for form in (bytes, bytes_hex, base64.b64encode, base64.urlsafe_b64encode)
    }
    assert found(needles, places) == []


def bytes_hex(key: bytes) -> bytes:
    return key.hex().encode()
