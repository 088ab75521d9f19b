"""From what the page library and Playwright report to typed errors whose cause a user can read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

from playwright.async_api import Error as PlaywrightError

from browser_host_stub.driver import JsonObject
from sgclaw.errors import ActionCode, ActionError

_CAUSES: Mapping[ActionCode, str] = {
    ActionCode.NOT_FOUND: "没有找到目标元素",
    ActionCode.AMBIGUOUS_TARGET: "目标不唯一",
    ActionCode.HIDDEN_TARGET: "目标元素不可见",
    ActionCode.COVERED_TARGET: "目标元素被遮挡",
    ActionCode.DISABLED_TARGET: "目标元素不可用",
    ActionCode.STALE_REF: "目标已不是检查时的元素",
    ActionCode.DETACHED_TARGET: "目标元素已从页面上移除",
    ActionCode.UNSUPPORTED_WIDGET: "目标不是能这样操作的控件",
    ActionCode.BAD_PARAMS: "参数不适合目标元素",
    ActionCode.NOT_IMPLEMENTED: "浏览器端还不支持这样的目标",
    ActionCode.ACTION_FAILED: "操作没有完成",
    ActionCode.UNKNOWN_OUTCOME: "操作的结果不明",
}

_NETWORK: Mapping[str, str] = {
    "ERR_NAME_NOT_RESOLVED": "域名无法解析",
    "ERR_CONNECTION_REFUSED": "服务器拒绝连接",
    "ERR_CONNECTION_RESET": "连接被重置",
    "ERR_CONNECTION_CLOSED": "连接被服务器关闭",
    "ERR_CONNECTION_TIMED_OUT": "连接服务器超时",
    "ERR_TIMED_OUT": "连接服务器超时",
    "ERR_ADDRESS_UNREACHABLE": "服务器地址不可达",
    "ERR_INTERNET_DISCONNECTED": "网络已断开",
    "ERR_EMPTY_RESPONSE": "服务器没有返回内容",
    "ERR_TOO_MANY_REDIRECTS": "重定向次数过多",
    "ERR_ABORTED": "打开被中止（网址可能是下载，或页面阻止了离开）",
    "ERR_CERT_AUTHORITY_INVALID": "网站证书不受信任",
    "ERR_CERT_COMMON_NAME_INVALID": "网站证书与域名不符",
    "ERR_CERT_DATE_INVALID": "网站证书不在有效期内",
    "ERR_SSL_PROTOCOL_ERROR": "安全连接建立失败",
    "ERR_UNSAFE_PORT": "浏览器禁止访问这个端口",
}
_NODE_GONE = "Connection closed while reading from the driver"
_NET_ERROR = re.compile(r"net::(ERR_[A-Z_]+)")


def refusal(reported: Mapping[str, object]) -> ActionError:
    """The error that a `{code, …}` answer of the page library stands for; the rest of it becomes facts."""
    code = ActionCode(str(reported["code"]))
    facts: JsonObject = {name: value for name, value in reported.items() if name != "code"}
    return ActionError(code, _CAUSES[code] + _detail(code, facts), facts=facts)


def _detail(code: ActionCode, facts: Mapping[str, object]) -> str:
    covered_by = facts.get("covered_by")
    if isinstance(covered_by, dict):
        return f"：上面是 {covered_by.get('element')} {covered_by.get('text') or ''}".rstrip()
    if code is ActionCode.AMBIGUOUS_TARGET:
        return f"：匹配了 {facts.get('count')} 个元素"
    return f"：{facts['why']}" if "why" in facts else ""


def page_gone(page_id: str) -> ActionError:
    """The page or the whole browser ended."""
    return ActionError(ActionCode.PAGE_GONE, "页面或浏览器已经关闭", facts={"page": page_id})


def timed_out(action: str, deadline_s: float, facts: Mapping[str, object] | None = None) -> ActionError:
    """The act did not end within its deadline."""
    cause = f"{action} 在 {deadline_s:g} 秒内没有完成"
    return ActionError(ActionCode.TIMEOUT, cause, facts={"deadline_s": deadline_s, **(facts or {})})


def not_implemented(what: str) -> ActionError:
    """This host does not do that yet."""
    return ActionError(ActionCode.NOT_IMPLEMENTED, f"浏览器端还没有实现：{what}", facts={"what": what})


def navigation_failed(error: PlaywrightError, url: str) -> ActionError:
    """A navigation that ended in a network error instead of a page."""
    match = _NET_ERROR.search(error.message)
    word = match[1] if match else "UNKNOWN"
    cause = _NETWORK.get(word, "浏览器报告了错误")
    return ActionError(ActionCode.NAVIGATION_FAILED, f"打开网址失败：{cause}", facts={"cause": word, "url": url[:500]})


def unexpected(action: str, error: PlaywrightError) -> ActionError:
    """Anything else the browser refused; only the first line, which names the call and never page content."""
    first = error.message.splitlines()[0] if error.message else ""
    return ActionError(ActionCode.ACTION_FAILED, f"浏览器没有完成 {action}", facts={"detail": first[:200]})


def report_lost(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """A loop's exception handler that shows every lost error but one.

    Playwright's node dies of the same Ctrl-C as the program, and its last word has no reader.
    """
    if _NODE_GONE not in str(context.get("exception")):
        loop.default_exception_handler(context)
