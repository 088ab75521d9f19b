"""Every action of the table, judged by what the page told the site."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from browser_host_stub.conformance.kit import How, Kit
from browser_host_stub.conformance.site import FILE
from browser_host_stub.conformance.table import Check, Rows
from browser_host_stub.conformance.verdict import UnmetError, expect
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.results import Downloaded, Pages, Screenshot, Table

ACTS: Final = Rows("act")


async def _page(kit: Kit) -> None:
    await kit.open("/acts")


async def _click(kit: Kit) -> None:
    await _page(kit)
    expect((await kit.ok("click", selector="#plain"))["clicked"] is True, "clicked 不是 true")
    expect((await kit.did("plain")).startswith("true"), "页面收到的不是真实的鼠标事件")
    await kit.ok("click", selector="#context", button="right")
    await kit.did("context")
    await kit.ok("click", selector="#double", count=2)
    await kit.did("double")
    await kit.ok("click", selector="#link")
    expect(await kit.text("#title") == "另一页", "点击链接的回应早于下一个文档")


async def _type(kit: Kit) -> None:
    await _page(kit)
    data = await kit.ok("type", selector="#name", text="李四🙂")
    expect(data.get("value") == "李四🙂", f"读回的值是 {str(data.get('value'))[:40]}")
    await kit.ok("type", selector="#name", text="五", clear=False, submit=True)
    expect(await kit.did("changed") == "李四🙂五", "页面得到的文字不对")


async def _clear(kit: Kit) -> None:
    await _page(kit)
    await kit.ok("clear", selector="#name")
    expect(await kit.text("#name") == "", "输入框没有清空")


async def _navigate(kit: Kit) -> None:
    data = await kit.ok("navigate", url=kit.site.a.url("/other?x=1"))
    expect(data["url"] == kit.site.a.url("/other?x=1"), "url 不是到达的地址")
    expect(data.get("status") == 200, "status 不是 200")
    missing = await kit.ok("navigate", url=kit.site.a.url("/missing"))
    expect(missing.get("status") == 404, "HTTP 错误应作为结果（404）返回")


async def _get_text(kit: Kit) -> None:
    await _page(kit)
    expect(await kit.text("#title") == "一致性检查", "文字不对")
    expect(await kit.text("#name") == "旧值", "输入框的文字应是它的值")


async def _get_html(kit: Kit) -> None:
    await _page(kit)
    html = str((await kit.ok("getHtml", selector="#table"))["html"])
    expect(html.startswith("<table") and "张三" in html, "不是元素的外层 HTML")


async def _wait(kit: Kit) -> None:
    await kit.open("/late")
    await kit.ok("waitForSelector", selector="#late")
    for state in ("attached", "visible"):
        await kit.ok("waitForSelector", selector="#plain", state=state)
    for state in ("hidden", "detached"):
        await kit.ok("waitForSelector", selector="#never", state=state)
        await kit.refused("TIMEOUT", "waitForSelector", selector="#plain", state=state, timeout_ms=300)


async def _screenshot(kit: Kit) -> None:
    await _page(kit)
    shots = [
        kit.result(Screenshot, await kit.call("pageScreenshot", How(deadline_ms=30_000), **params)).artifact
        for params in ({}, {"full_page": True}, {"selector": "#table"})
    ]
    expect(all(shot.mime == "image/png" and shot.size > 100 for shot in shots), "不是 PNG 图片")
    expect(len({shot.id for shot in shots}) == len(shots), "文件编号重复")


async def _select(kit: Kit) -> None:
    await _page(kit)
    data = await kit.ok("select", selector="#month", value="二月")
    expect(data["value"] == "2", "value 不是选中项的值")
    expect(await kit.did("month") == "2", "页面没有收到选择")
    expect((await kit.ok("select", selector="#month", value="3"))["value"] == "3", "按值选择不对")


async def _scroll(kit: Kit) -> None:
    await _page(kit)
    expect((await kit.ok("scrollTo", y=500))["y"] == 500, "没有滚动到坐标")
    expect(int(str((await kit.ok("scrollTo", selector="#bottom"))["y"])) > 500, "没有滚动到元素")


async def _snapshot(kit: Kit) -> None:
    await _page(kit)
    data = await kit.ok("getAomSnapshot")
    expect(data["nodes"] and data["blank"] is False, "快照是空的")


async def _storage_set(kit: Kit) -> None:
    await _page(kit)
    expect((await kit.ok("storageSet", key="city", value="上海"))["stored"] is True, "stored 不是 true")


async def _storage_get(kit: Kit) -> None:
    await _page(kit)
    await kit.ok("storageSet", key="city", value="北京")
    expect((await kit.ok("storageGet", key="city")).get("value") == "北京", "读到的不是写入的值")
    expect((await kit.ok("storageGet", key="no-such-key")).get("value") is None, "没有的项应缺少 value")


async def _spawn(kit: Kit) -> None:
    await _page(kit)
    data = await kit.ok("zombieSpawn", How(domain=kit.site.b.host), url=kit.site.b.url("/other"))
    expect(data["url"] == kit.site.b.url("/other"), "url 不是到达的地址")
    page = str(data["page"])
    expect(await kit.text("#title", How(page=page, domain=kit.site.b.host)) == "另一页", "新页面不能用编号操作")
    expect(await kit.text("#title") == "一致性检查", "新页面成了默认页面")
    await kit.ok("zombieKill", page=page)


async def _kill(kit: Kit) -> None:
    await _page(kit)
    page = str((await kit.ok("zombieSpawn", url=kit.site.a.url("/other")))["page"])
    expect((await kit.ok("zombieKill", page=page))["closed"] is True, "closed 不是 true")
    await kit.refused("PAGE_GONE", "getText", How(page=page), selector="#title")


async def _credentials(kit: Kit, action: str, params: dict[str, object]) -> None:
    await _page(kit)
    response = await kit.call(action, How(task=f"t-{action}"), **params)
    if response.success:
        raise UnmetError(f"{action} 没有问人就执行了")
    kit.failure("NOT_IMPLEMENTED NEEDS_APPROVAL", action, response)


async def _login(kit: Kit) -> None:
    await _credentials(kit, "login", {"site": kit.site.a.host, "credential": "%vault:kit.user%"})


async def _logout(kit: Kit) -> None:
    await _credentials(kit, "logout", {"site": kit.site.a.host})


async def _clear_storage(kit: Kit) -> None:
    await _page(kit)
    await kit.ok("storageSet", key="kept", value="在")
    await kit.asks("clearStorage", How(task="t-storage"))
    expect((await kit.ok("storageGet", key="kept")).get("value") == "在", "没有问人就清空了存储")


async def _hover(kit: Kit) -> None:
    await _page(kit)
    await kit.ok("hover", selector="#menu")
    expect(await kit.did("hover") == "true", "页面收到的不是真实的鼠标事件")


async def _press(kit: Kit) -> None:
    await _page(kit)
    await kit.ok("press", selector="#keyed", key="a")
    expect(await kit.did("key") == "true a", "页面收到的不是真实的按键")


async def _check(kit: Kit) -> None:
    await _page(kit)
    expect((await kit.ok("check", selector="#agree"))["checked"] is True, "没有勾上")
    expect(await kit.did("agree") == "true", "页面没有收到勾选")
    await kit.ok("check", selector="#agree")
    expect((await kit.ok("check", selector="#agree", checked=False))["checked"] is False, "没有取消勾选")
    expect(kit.site.times("agree") == 2, "已勾选的框又被点了一次")


async def _upload(kit: Kit) -> None:
    await _page(kit)
    artifact = kit.result(Downloaded, await kit.call("download", selector="#file")).artifact
    data = await kit.ok("upload", selector="#upload", file=artifact.id)
    expect(data["size"] == len(FILE), "size 不是文件的字节数")
    expect(await kit.did("upload") == f"{data['name']} {len(FILE.decode())}", "页面得到的文件不对")
    await kit.refused("NOT_FOUND BAD_PARAMS ACTION_FAILED", "upload", selector="#upload", file="no-such-file")


async def _download(kit: Kit) -> None:
    await _page(kit)
    artifact = kit.result(Downloaded, await kit.call("download", selector="#file")).artifact
    expect(artifact.size == len(FILE), "size 不是整个文件的字节数")
    expect(artifact.sha256 == hashlib.sha256(FILE).hexdigest(), "sha256 不是整个文件的摘要")
    expect(re.fullmatch(r"report[^/\\]*\.csv", artifact.name), f"文件名是 {artifact.name}")


async def _history(kit: Kit) -> None:
    await _page(kit)
    await kit.ok("click", selector="#link")


async def _back(kit: Kit) -> None:
    await _history(kit)
    expect((await kit.ok("goBack"))["url"] == kit.site.a.url("/acts"), "没有后退")


async def _forward(kit: Kit) -> None:
    await _history(kit)
    await kit.ok("goBack")
    expect((await kit.ok("goForward"))["url"] == kit.site.a.url("/other"), "没有前进")


async def _reload(kit: Kit) -> None:
    await _page(kit)
    expect((await kit.ok("reload"))["url"] == kit.site.a.url("/acts"), "地址变了")
    expect(kit.site.visits(kit.site.a).count("/acts") == 1, "没有重新请求页面")


async def _list(kit: Kit) -> None:
    page = await kit.open("/acts")
    pages = kit.result(Pages, await kit.call("listPages")).pages
    expect([item.url for item in pages if item.id == page] == [kit.site.a.url("/acts")], "没有列出默认页面")


async def _switch(kit: Kit) -> None:
    page = await kit.open("/acts")
    await kit.ok("click", selector="#opener")
    opened = await _opened(kit, page)
    expect(await kit.text("#title") == "一致性检查", "新窗口成了默认页面")
    await kit.ok("waitForSelector", How(page=opened), selector="#title")
    expect((await kit.ok("switchPage", page=opened))["url"] == kit.site.a.url("/other"), "url 不是切换到的页面")
    expect(await kit.text("#title") == "另一页", "默认页面没有切换")
    await kit.ok("closePage", page=opened)
    expect(await kit.text("#title") == "一致性检查", "关闭后默认页面应是打开它的页面")


async def _opened(kit: Kit, opener: str) -> str:
    pages = kit.result(Pages, await kit.call("listPages")).pages
    opened = [page.id for page in pages if page.id != opener and page.url == kit.site.a.url("/other")]
    expect(opened, "listPages 没有列出新窗口")
    return opened[-1]


async def _close(kit: Kit) -> None:
    page = await kit.open("/acts")
    await kit.ok("click", selector="#opener")
    opened = await _opened(kit, page)
    expect((await kit.ok("closePage", page=opened))["closed"] is True, "closed 不是 true")
    await kit.refused("PAGE_GONE", "getText", How(page=opened), selector="#title")


async def _dialog(kit: Kit) -> None:
    await _page(kit)
    await kit.ok("click", selector="#alert")
    data = await kit.ok("handleDialog", accept=True)
    expect(data.get("message") == "继续浏览吗？", "message 不是对话框的文字")
    expect(await kit.did("answer") == "true", "页面得到的回答不对")


async def _query(kit: Kit) -> None:
    await _page(kit)
    facts: tuple[tuple[str, dict[str, object], object], ...] = (
        ("exists", {"selector": "#plain"}, True),
        ("exists", {"selector": "#never"}, False),
        ("count", {"selector": "#month option"}, 3),
        ("count", {"selector": "#never"}, 0),
        ("visible", {"selector": "#plain"}, True),
        ("enabled", {"selector": "#plain"}, True),
        ("value", {"selector": "#name"}, "旧值"),
        ("attribute", {"selector": "#link", "name": "href"}, "/other"),
        ("url", {}, kit.site.a.url("/acts")),
        ("title", {}, "acts"),
    )
    for fact, params, value in facts:
        data = await kit.ok("query", fact=fact, **params)
        expect(data.get("value") == value, f"{fact} 应是 {value}，实际是 {str(data.get('value'))[:60]}")


async def _table(kit: Kit) -> None:
    await _page(kit)
    table = kit.result(Table, await kit.call("extractTable", selector="#table"))
    expect(table.columns == ("姓名", "金额"), "列名不对")
    expect(table.rows == (("张三", "12.50"), ("李四", "7.00")), "行不对")
    expect(table.row_count == 2 and table.complete, "行数或 complete 不对")
    cut = kit.result(Table, await kit.call("extractTable", selector="#table", max_rows=1))
    expect(len(cut.rows) == 1 and not cut.complete, "只取一行时 complete 应是 false")


_CHECKS: Final[dict[str, Check]] = {
    "click": _click,
    "type": _type,
    "navigate": _navigate,
    "getText": _get_text,
    "getHtml": _get_html,
    "waitForSelector": _wait,
    "pageScreenshot": _screenshot,
    "select": _select,
    "scrollTo": _scroll,
    "getAomSnapshot": _snapshot,
    "storageSet": _storage_set,
    "storageGet": _storage_get,
    "zombieSpawn": _spawn,
    "zombieKill": _kill,
    "login": _login,
    "logout": _logout,
    "clearStorage": _clear_storage,
    "hover": _hover,
    "press": _press,
    "check": _check,
    "clear": _clear,
    "upload": _upload,
    "download": _download,
    "goBack": _back,
    "goForward": _forward,
    "reload": _reload,
    "listPages": _list,
    "switchPage": _switch,
    "closePage": _close,
    "handleDialog": _dialog,
    "query": _query,
    "extractTable": _table,
}
"""How each action is judged; one that is added to the table without a row here fails the import."""

for _name in ACTIONS:
    ACTS.add(_name, f"{_name}：{ACTIONS[_name].description}", "11")(_CHECKS[_name])
