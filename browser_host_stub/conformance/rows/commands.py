"""Commands in flight: turns, deadlines, cancelling, and the order of checks."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from browser_host_stub.conformance.kit import SETTLE_S, How, Kit
from browser_host_stub.conformance.table import Rows
from browser_host_stub.conformance.verdict import expect
from sgclaw.protocol.limits import MAX_OUTSTANDING
from sgclaw.protocol.messages import CancelCommand, ProtocolError

COMMANDS: Final = Rows("cmd")
_SLACK_S: Final = 2.0
"""What a host may be late by when a deadline passes: two cores may be shared by much else."""


@COMMANDS.add("turns", "同一页面的操作按 seq 顺序逐个执行", "6")
async def _turns(kit: Kit) -> None:
    await kit.open("/late")
    slow = kit.send("click", selector="#late")
    quick = kit.send("click", selector="#plain")
    kit.success("click", await kit.reply(quick))
    expect(kit.site.times("late") == 1, "后一个操作没有等前一个")
    kit.success("click", await kit.reply(slow))


@COMMANDS.add("pages", "不同页面的操作互不等待", "6")
async def _pages(kit: Kit) -> None:
    await kit.open("/late")
    page = str((await kit.ok("zombieSpawn", url=kit.site.a.url("/acts")))["page"])
    slow = kit.send("waitForSelector", selector="#never", timeout_ms=1500)
    await kit.ok("getText", How(page=page), selector="#title")
    expect(kit.peer.response_to(slow.seq) is None, "另一页面的操作等了很久")
    kit.failure("TIMEOUT", "waitForSelector", await kit.reply(slow))
    await kit.ok("zombieKill", page=page)


@COMMANDS.add("sixteen", "第 17 个未完成的操作：TOO_MANY_OUTSTANDING；其余照常回应", "6")
async def _sixteen(kit: Kit) -> None:
    await kit.open("/late")
    first = kit.send("waitForSelector", selector="#late")
    others = [kit.send("query", fact="title") for _ in range(MAX_OUTSTANDING - 1)]
    extra = kit.send("click", selector="#plain")
    kit.failure("TOO_MANY_OUTSTANDING", "click", await kit.reply(extra))
    for sent in (first, *others):
        kit.success(sent.action, await kit.reply(sent))
    kit.undone("plain")


@COMMANDS.add("cancel", "取消的操作：停下，没有回应，会话继续", "6")
async def _cancel(kit: Kit) -> None:
    await kit.open("/late")
    sent = kit.send("click", selector="#late")
    kit.say(CancelCommand(seq=sent.seq))
    await kit.ok("waitForSelector", selector="#late")
    await kit.silent(sent)
    kit.undone("late")


@COMMANDS.add("cancel_unknown", "取消不存在或已回应的操作：忽略", "6")
async def _cancel_unknown(kit: Kit) -> None:
    await kit.ok("listPages")
    since = kit.now
    kit.say(CancelCommand(seq=kit.pen.seq))
    kit.say(CancelCommand(seq=9999))
    await kit.ok("listPages")
    expect(not kit.peer.all_of(ProtocolError, since), "取消被当作错误")


@COMMANDS.add("deadline", "期限：到时自己停下并回应，不会改变什么的操作是 TIMEOUT", "6")
async def _deadline(kit: Kit) -> None:
    await kit.open("/acts")
    begun = time.monotonic()
    await kit.refused("TIMEOUT", "waitForSelector", How(deadline_ms=800), selector="#never")
    expect(time.monotonic() - begun < 0.8 + _SLACK_S, "过了期限很久才回应")


@COMMANDS.add("deadline_target", "找不到元素：最多等期限的一半，之后是 NOT_FOUND", "6")
async def _deadline_target(kit: Kit) -> None:
    await kit.open("/acts")
    begun = time.monotonic()
    await kit.refused("NOT_FOUND", "click", How(deadline_ms=1_500), selector="#never")
    expect(time.monotonic() - begun < 1.5 + _SLACK_S, "过了期限很久才回应")


@COMMANDS.add("deadline_turn", "排队的时间算在期限内：过期的操作不执行", "6")
async def _deadline_turn(kit: Kit) -> None:
    await kit.open("/late")
    slow = kit.send("waitForSelector", selector="#late")
    late = kit.send("click", How(deadline_ms=300), selector="#plain")
    kit.failure("TIMEOUT", "click", await kit.reply(late))
    kit.success("waitForSelector", await kit.reply(slow))
    kit.undone("plain")


@COMMANDS.add("deadline_begun", "会改变状态的操作开始后过期：UNKNOWN_OUTCOME", "6")
async def _deadline_begun(kit: Kit) -> None:
    await kit.open("/errors")
    error = await kit.refused(
        "UNKNOWN_OUTCOME", "download", How(deadline_ms=1_500), selector="#hang", timeout_ms=60_000
    )
    expect(kit.site.visits(kit.site.a).count("/hang") == 1, f"文件没有被请求恰好一次（{error.message[:60]}）")


@COMMANDS.add("later", "过期之后不再执行", "6, 15")
async def _later(kit: Kit) -> None:
    await kit.open("/late")
    await kit.refused("TIMEOUT NOT_FOUND", "click", How(deadline_ms=600), selector="#late")
    await kit.ok("waitForSelector", selector="#late")
    await asyncio.sleep(SETTLE_S)
    kit.undone("late")


@COMMANDS.add("unknown", "表中没有的操作（eval、executeJsInPage）：UNKNOWN_ACTION", "11")
async def _unknown(kit: Kit) -> None:
    for action in ("eval", "executeJsInPage", "runScript"):
        await kit.refused("UNKNOWN_ACTION", action, script="did('eval')")


@COMMANDS.add("params", "不合规的参数：BAD_PARAMS，不执行", "6, 11")
async def _params(kit: Kit) -> None:
    await kit.open("/acts")
    for params in (
        {},
        {"selector": "#plain", "ref": "1:1"},
        {"selector": "#plain", "count": 4},
        {"selector": "#plain", "count": "1"},
        {"selector": "#plain", "force": True},
        {"selector": ""},
    ):
        await kit.refused("BAD_PARAMS", "click", **params)
    await kit.refused("BAD_PARAMS", "press", key="Enter+Enter")
    kit.undone("plain")


@COMMANDS.add("checks", "检查按表中的顺序：操作、参数、页面、来源，然后才是元素", "6")
async def _checks(kit: Kit) -> None:
    await kit.open("/acts")
    nowhere = How(page="no-such-page", domain="unlisted.example")
    await kit.refused("UNKNOWN_ACTION", "eval", nowhere)
    await kit.refused("BAD_PARAMS", "click", nowhere)
    await kit.refused("PAGE_GONE", "click", nowhere, selector="#never")
    await kit.refused("POLICY_DENIED", "pageScreenshot", How(domain="unlisted.example"), selector="#never")


@COMMANDS.add("version", "page 说出现在的地址和版本，主框架每次导航版本都增加", "6")
async def _version(kit: Kit) -> None:
    await kit.open("/acts")
    before = (await kit.call("query", fact="title")).page
    await kit.open("/other")
    after = (await kit.call("query", fact="title")).page
    expect(before is not None and after is not None, "成功的回应没有 page")
    if before is not None and after is not None:
        expect(after.url == kit.site.a.url("/other"), f"page.url 是 {after.url[:100]}")
        expect(after.id == before.id, "默认页面换了编号")
        expect(after.version > before.version, "导航后 version 没有增加")


@COMMANDS.add("reading", "页面忙、对话框打开时仍在读管道", "1, 15")
async def _reading(kit: Kit) -> None:
    await kit.open("/late")
    slow = kit.send("waitForSelector", selector="#late")
    begun = time.monotonic()
    await kit.refused("UNKNOWN_ACTION", "eval", How(page="another"))
    expect(time.monotonic() - begun < 1.0, "等页面时不读管道")
    kit.success("waitForSelector", await kit.reply(slow))
