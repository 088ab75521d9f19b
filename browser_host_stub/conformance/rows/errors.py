"""Every error code a host can give about an act; none of these acts may have happened."""

from __future__ import annotations

from typing import Final

from browser_host_stub.conformance.kit import How, Kit
from browser_host_stub.conformance.table import Rows, Severity
from browser_host_stub.conformance.verdict import expect

ERRORS: Final = Rows("err")
_SHORT: Final = How(deadline_ms=2_000)


@ERRORS.add("NOT_FOUND", "没有匹配的元素：NOT_FOUND，从不算成功", "6, 12")
async def _not_found(kit: Kit) -> None:
    await kit.open("/errors")
    for action in ("click", "getText", "hover", "check", "clear", "extractTable"):
        await kit.refused("NOT_FOUND", action, How(deadline_ms=2_000), selector="#never")


@ERRORS.add("AMBIGUOUS_TARGET", "匹配多个元素：AMBIGUOUS_TARGET，从不取第一个", "6, 12")
async def _ambiguous(kit: Kit) -> None:
    await kit.open("/errors")
    for action in ("click", "getText"):
        await kit.refused("AMBIGUOUS_TARGET", action, _SHORT, selector=".twin")
    kit.undone("twin")


@ERRORS.add("HIDDEN_TARGET", "看不见的元素：HIDDEN_TARGET", "6, 12")
async def _hidden(kit: Kit) -> None:
    await kit.open("/errors")
    await kit.refused("HIDDEN_TARGET", "click", _SHORT, selector="#hidden")
    kit.undone("hidden")


@ERRORS.add("COVERED_TARGET", "被挡住的元素：COVERED_TARGET，facts.covered_by 说出挡住它的是什么", "6, 12")
async def _covered(kit: Kit) -> None:
    await kit.open("/errors")
    error = await kit.refused("COVERED_TARGET", "click", _SHORT, selector="#under")
    expect("veil" in str((error.facts or {}).get("covered_by")), "facts.covered_by 没有说出遮罩层")
    kit.undone("under")


@ERRORS.add("DISABLED_TARGET", "停用或只读的元素：DISABLED_TARGET", "6, 12")
async def _disabled(kit: Kit) -> None:
    await kit.open("/errors")
    await kit.refused("DISABLED_TARGET", "click", _SHORT, selector="#disabled")
    await kit.refused("DISABLED_TARGET", "type", _SHORT, selector="#fixed", text="改")
    expect(await kit.text("#fixed") == "不变", "只读的输入框被改了")


@ERRORS.add("DETACHED_TARGET", "检查之后被页面移走的元素：DETACHED_TARGET 或 STALE_REF，没有执行", "6, 12")
async def _detached(kit: Kit) -> None:
    await kit.open("/errors")
    await kit.refused("DETACHED_TARGET STALE_REF", "click", _SHORT, selector="#fleeing")
    kit.undone("fleeing")


@ERRORS.add("UNSUPPORTED_WIDGET", "不是这类原生控件：UNSUPPORTED_WIDGET，facts.within 说出是什么", "12")
async def _unsupported(kit: Kit) -> None:
    await kit.open("/errors")
    for action, params in (("select", {"value": "一月"}), ("check", {})):
        error = await kit.refused("UNSUPPORTED_WIDGET", action, _SHORT, selector="#widget", **params)
        within = (error.facts or {}).get("within")
        expect(isinstance(within, list) and within, f"{action} 的错误没有 facts.within")
        expect(isinstance(within, list) and "fake-select" in str(within[0]), f"{action} 的 within 不以元素开头")


@ERRORS.add("STALE_REF", "旧版本页面的 ref：STALE_REF", "6, 12")
async def _stale(kit: Kit) -> None:
    await kit.open("/errors")
    await kit.refused("STALE_REF", "click", _SHORT, ref="0:1")


@ERRORS.add("TIMEOUT", "等不到的状态：TIMEOUT", "12")
async def _timeout(kit: Kit) -> None:
    await kit.open("/errors")
    await kit.refused("TIMEOUT", "waitForSelector", selector="#never", timeout_ms=300)


@ERRORS.add("NAVIGATION_FAILED", "打不开的地址、没有历史可退：NAVIGATION_FAILED", "11, 12")
async def _navigation(kit: Kit) -> None:
    await kit.open("/errors")
    await kit.refused("NAVIGATION_FAILED", "navigate", url=kit.site.a.url("/drop"))
    page = str((await kit.ok("zombieSpawn", url=kit.site.a.url("/other")))["page"])
    await kit.refused("NAVIGATION_FAILED", "goForward", How(page=page))
    await kit.ok("zombieKill", page=page)


@ERRORS.add("DOWNLOAD_FAILED", "文件没有完整到达：DOWNLOAD_FAILED", "12")
async def _download(kit: Kit) -> None:
    await kit.open("/errors")
    await kit.refused("DOWNLOAD_FAILED", "download", selector="#cut", timeout_ms=8_000)


@ERRORS.add("PAGE_GONE", "没有的页面：PAGE_GONE", "6, 12")
async def _gone(kit: Kit) -> None:
    for action, params in (("getText", {"selector": "h1"}), ("reload", {}), ("query", {"fact": "title"})):
        await kit.refused("PAGE_GONE", action, How(page="no-such-page"), **params)
    await kit.refused("PAGE_GONE", "closePage", page="no-such-page")
    await kit.refused("PAGE_GONE", "switchPage", page="no-such-page")


@ERRORS.add("NOT_IMPLEMENTED", "没有保险箱时的凭据引用：NOT_IMPLEMENTED，不原样输入", "6, 12")
async def _vault(kit: Kit) -> None:
    await kit.open("/errors")
    await kit.open("/secrets")
    await kit.refused(
        "NOT_IMPLEMENTED NEEDS_APPROVAL POLICY_DENIED NOT_FOUND", "type", selector="#user", text="%vault:kit.user%"
    )
    expect(await kit.text("#user") == "zhangmin", "凭据引用被原样输入")


@ERRORS.add("busy", "页面忙着不答：在期限内回应，之后页面可以关闭", "6")
async def _busy(kit: Kit) -> None:
    await kit.open("/errors")
    response = await kit.call("click", How(deadline_ms=1_500), selector="#busy")
    if not response.success:
        kit.failure("UNKNOWN_OUTCOME TIMEOUT", "click", response)
    await kit.did("busy")


@ERRORS.add("alternatives", "找不到时给出相近的元素：facts.alternatives，至多 5 个", "12", severity=Severity.SHOULD)
async def _alternatives(kit: Kit) -> None:
    await kit.open("/acts")
    error = await kit.refused("NOT_FOUND", "click", _SHORT, selector="#plane")
    found = (error.facts or {}).get("alternatives")
    expect(isinstance(found, list) and 1 <= len(found) <= 5, "没有 facts.alternatives，或多于 5 个")
