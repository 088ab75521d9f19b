"""How a session begins."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Final

from browser_host_stub.conformance.kit import SETTLE_S, Kit
from browser_host_stub.conformance.table import Rows
from browser_host_stub.conformance.verdict import expect
from sgclaw.errors import BadPolicyError
from sgclaw.policy.model import parse_policy
from sgclaw.protocol import PROTOCOL
from sgclaw.protocol.messages import Bye, Ready
from sgclaw.protocol.signing import KEY_BYTES

HELLO: Final = Rows("hello")
_WORST_KINDS: Final = 16
"""Different bytes that 32 random ones have at least, but for one time in 10^9 runs."""


@HELLO.add("init", "第一行是 init：协议名、trace_id、32 字节密钥", "2, 10")
async def _init(kit: Kit) -> None:
    init = kit.init
    expect(init.protocol == PROTOCOL, f"protocol 应是 {PROTOCOL}，实际是 {init.protocol[:40]}")
    key = base64.urlsafe_b64decode(init.session_key.rstrip("=") + "=")
    expect(len(key) == KEY_BYTES, "session_key 不是 32 字节")
    expect(len(set(key)) >= _WORST_KINDS, "session_key 看起来不是随机的")
    today = datetime.now(UTC).date()
    days = {f"{today + timedelta(days=shift):%Y%m%d}" for shift in (-1, 0, 1)}
    expect(init.trace_id.split("-")[1] in days, f"trace_id 不含当天日期：{init.trace_id}")


@HELLO.add("policy", "init 的策略就是给定的策略，并且可用", "2, 7")
async def _policy(kit: Kit) -> None:
    try:
        policy = parse_policy(kit.init.policy)
    except BadPolicyError as error:
        expect(False, error.cause)
        return
    expect(
        {str(origin) for origin in policy.origins} == {origin.base for origin in kit.site.listed}, "来源与给定的不同"
    )


@HELLO.add("quiet", "ready 之前除了 init 什么都不发送", "2", fresh=True)
async def _quiet(kit: Kit) -> None:
    kit.peer.write(b"")
    await kit.peer.closed(SETTLE_S)
    expect(not kit.peer.seen.raw, "ready 之前发送了别的行")
    expect(kit.peer.alive, "没有等 ready 就退出了")


@HELLO.add("first", "ready 之前的操作以 BAD_STATE 拒绝，不执行", "5, 13", fresh=True)
async def _first(kit: Kit) -> None:
    sent = kit.prepare("navigate", url=kit.site.a.url("/other"))
    await kit.refuse(sent.line, "BAD_STATE")
    expect("/other" not in kit.site.visits(kit.site.a), "ready 之前打开了网页")


@HELLO.add("digest", "策略摘要不符的 ready：结束会话，不执行操作", "2", fresh=True)
async def _digest(kit: Kit) -> None:
    kit.site.forget()
    kit.say(Ready(protocol=PROTOCOL, version="0.1.0", policy_sha256="0" * 64))
    kit.send("navigate", url=kit.site.a.url("/other"))
    expect(await kit.peer.closed(kit.timeout), "策略摘要不符，会话仍在继续")
    expect("/other" not in kit.site.visits(kit.site.a), "策略摘要不符，仍打开了网页")


@HELLO.add("bye", "代替 ready 的 bye：关闭管道", "2, 14", fresh=True)
async def _bye(kit: Kit) -> None:
    kit.say(Bye(reason="LEDGER_BROKEN"))
    expect(await kit.peer.closed(kit.timeout), "收到 bye 后没有关闭管道")


@HELLO.add("ready", "ready 之后会话可用", "2")
async def _ready(kit: Kit) -> None:
    await kit.ok("listPages")


@HELLO.add("again", "第二个 ready 以 BAD_STATE 拒绝，会话继续", "13")
async def _again(kit: Kit) -> None:
    ready = Ready(protocol=PROTOCOL, version="0.1.0", policy_sha256=kit.policy_sha256)
    await kit.refuse(kit.pen.message(ready), "BAD_STATE")
    await kit.ok("listPages")
