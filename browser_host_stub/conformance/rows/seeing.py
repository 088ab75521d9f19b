"""Frames, snapshots, refs, marks, events and secrets."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Iterator
from typing import Final

from browser_host_stub.conformance.kit import SETTLE_S, How, Kit
from browser_host_stub.conformance.table import Rows
from browser_host_stub.conformance.verdict import UnmetError, expect
from sgclaw.protocol.messages import PageEvent
from sgclaw.protocol.results import AomNode, Screenshot, Snapshot

FRAMES: Final = Rows("frame")
SEEN: Final = Rows("see")
EVENTS: Final = Rows("event")
SECRETS: Final = Rows("secret")
_OPERABLE: Final = frozenset({"button", "link", "textbox", "combobox", "checkbox"})
_SEEN_OPERABLE: Final = 10
"""Elements of `/seen` that a person can operate; one more is disabled."""


# --- frames ---------------------------------------------------------------------------------------------------------


@FRAMES.add("shadow", "` >>> ` 进入打开的影子根", "6")
async def _shadow(kit: Kit) -> None:
    await kit.open("/frames")
    await kit.ok("click", selector="#host >>> #shadow")
    await kit.did("shadow")


@FRAMES.add("same", "` >>> ` 进入同源的框架", "6")
async def _same(kit: Kit) -> None:
    await kit.open("/frames")
    await kit.ok("click", selector="#same >>> #inner")
    await kit.did("inner")
    expect(await kit.text("#same >>> #words") == "内层文字", "框架里的文字不对")


@FRAMES.add("other", "` >>> ` 进入另一个列出来源的框架：点、输入、读", "6")
async def _other(kit: Kit) -> None:
    await kit.open("/frames")
    inside = How(domain=kit.site.b.host)
    await kit.ok("click", inside, selector="#other >>> #inner")
    await kit.did("inner")
    await kit.ok("type", inside, selector="#other >>> #inner-name", text="王五")
    expect(await kit.text("#other >>> #inner-name", inside) == "王五", "没有输入到框架里")


# --- snapshots ------------------------------------------------------------------------------------------------------


def _walk(nodes: Iterable[AomNode]) -> Iterator[AomNode]:
    for node in nodes:
        yield node
        yield from _walk(node.children)


async def _snapshot(kit: Kit, **params: object) -> Snapshot:
    return kit.result(Snapshot, await kit.call("getAomSnapshot", How(deadline_ms=30_000), **params))


def _named(nodes: Iterable[AomNode], name: str) -> AomNode:
    for node in _walk(nodes):
        if name in node.name and (node.ref or node.selector):
            return node
    raise UnmetError(f"快照里没有“{name}”，或它没有 ref 和 selector")


@SEEN.add("operable", "快照列出页面上每个可操作的元素，角色和名称正确", "11")
async def _operable(kit: Kit) -> None:
    await kit.open("/seen")
    nodes = (await _snapshot(kit)).nodes
    for role, name in (
        ("link", "首页"),
        ("textbox", "姓名"),
        ("combobox", "部门"),
        ("checkbox", "同步"),
        ("button", "查找"),
        ("button", "停用"),
    ):
        found = [node for node in _walk(nodes) if node.role == role and node.name == name]
        expect(len(found) == 1, f"应有一个 {role}“{name}”，实际 {len(found)} 个")
    expect(_named(nodes, "同步").checked is True, "勾选状态不对")
    expect(_named(nodes, "停用").disabled is True, "停用状态不对")
    expect(_named(nodes, "姓名").value == "张三", "输入框的值不对")


@SEEN.add("inferred", "没有角色的可点元素：推断出角色并标明", "10, 11")
async def _inferred(kit: Kit) -> None:
    await kit.open("/seen")
    node = _named((await _snapshot(kit)).nodes, "画出来的按钮")
    expect(node.role in {"button", "link"}, f"角色是 {node.role}")
    expect("role" in (node.inferred or ()), "没有标明角色是推断的")


@SEEN.add("total", "interactive_total 与快照里可操作的元素相符", "11")
async def _total(kit: Kit) -> None:
    await kit.open("/seen")
    data = await _snapshot(kit)
    expect(not data.blank, "页面不是空的")
    expect(_SEEN_OPERABLE <= data.interactive_total <= 2 * _SEEN_OPERABLE, f"数出 {data.interactive_total} 个")
    await kit.open("/")
    expect((await _snapshot(kit)).interactive_total == 0, "没有可操作元素的页面不是 0")


@SEEN.add("selectors", "每个 selector 只匹配一个元素，并能操作它", "10")
async def _selectors(kit: Kit) -> None:
    await kit.open("/seen")
    nodes = [node for node in _walk((await _snapshot(kit)).nodes) if node.role in _OPERABLE and node.selector]
    expect(len({node.selector for node in nodes}) == len(nodes) > 0, "selector 有重复，或一个也没有")
    for node in nodes:
        data = await kit.ok("query", fact="count", selector=node.selector)
        expect(data.get("value") == 1, f"{node.selector} 匹配 {data.get('value')} 个元素")
    rows = [node for node in nodes if node.name == "查看"]
    expect(len(rows) == 2, f"应有两个“查看”，实际 {len(rows)} 个")
    await kit.ok("click", selector=rows[1].selector)
    await kit.did("row2")
    kit.undone("row1")


@SEEN.add("refs", "ref 可以操作；页面换了版本后是 STALE_REF", "6, 10")
async def _refs(kit: Kit) -> None:
    await kit.open("/seen")
    node = _named((await _snapshot(kit)).nodes, "查找")
    await kit.ok("click", ref=node.ref)
    await kit.did("find")
    again = _named((await _snapshot(kit)).nodes, "查找")
    expect(again.ref == node.ref, "同一元素在下一个快照里换了 ref")
    await kit.open("/seen")
    await kit.refused("STALE_REF", "click", ref=node.ref)
    kit.undone("find")


@SEEN.add("gone_ref", "元素不在了的 ref：STALE_REF 或 DETACHED_TARGET", "6, 10")
async def _gone_ref(kit: Kit) -> None:
    await kit.open("/seen")
    node = _named((await _snapshot(kit)).nodes, "停用")
    await kit.ok("click", selector="#more")
    await kit.refused("STALE_REF DETACHED_TARGET", "click", How(deadline_ms=2_000), ref=node.ref)


@SEEN.add("full", "detail: full 带有 identity：标签、编号、位置", "10, 11")
async def _full(kit: Kit) -> None:
    await kit.open("/seen")
    identity = _named((await _snapshot(kit, detail="full")).nodes, "查找").identity
    expect(identity is not None, "没有 identity")
    if identity is not None:
        expect(identity.tag == "button" and identity.id == "find", "identity 的标签或编号不对")
        expect(identity.xpath, "identity 没有 xpath")


@SEEN.add("cut", "max_nodes 达到时 cut 为 true", "11")
async def _cut(kit: Kit) -> None:
    await kit.open("/seen")
    expect((await _snapshot(kit, max_nodes=3)).cut, "快照被截断，cut 却不是 true")


@SEEN.add("frames", "快照包含列出来源的框架，未列出的只有 iframe 节点和 origin", "7, 10")
async def _frames(kit: Kit) -> None:
    await kit.open("/frames")
    nodes = list(_walk((await _snapshot(kit)).nodes))
    expect(sum(node.name == "内层" and node.role == "button" for node in nodes) == 2, "两个列出来源的框架应各有“内层”")
    foreign = [node for node in nodes if node.origin == kit.site.c.base]
    expect(len(foreign) == 1, "没有未列出来源的 iframe 节点，或没有 origin")
    expect(not foreign[0].children, "读出了未列出来源的框架的内容")
    expect(not any("外部" in node.name for node in nodes), "快照里有未列出来源的文字")


@SEEN.add("observe_full", "observe: full：回应带 aom_snapshot 和 aom_facts", "6")
async def _observe_full(kit: Kit) -> None:
    await kit.open("/seen")
    response = await kit.call("click", How(observe="full"), selector="#more")
    expect(response.aom_snapshot and response.aom_facts is not None, "没有 aom_snapshot 或 aom_facts")
    node = _named(response.aom_snapshot or (), "新来的")
    await kit.ok("click", ref=node.ref)
    await kit.did("fresh")


@SEEN.add("observe_diff", "observe: diff：只有新的和变了的节点，removed 是不在了的 ref", "6, 10")
async def _observe_diff(kit: Kit) -> None:
    await kit.open("/seen")
    before = _named((await kit.call("query", How(observe="full"), fact="title")).aom_snapshot or (), "停用")
    response = await kit.call("click", How(observe="diff"), selector="#more")
    nodes = response.aom_snapshot or ()
    _named(nodes, "新来的")
    expect(not any(node.children for node in nodes), "diff 的节点不应有 children")
    expect(not any("首页" in node.name for node in nodes), "diff 里有没变的节点")
    removed = response.aom_facts.removed if response.aom_facts else None
    expect(removed is not None and before.ref in removed, "removed 没有说出不在了的 ref")


@SEEN.add("observe_none", "observe: none：没有快照", "6")
async def _observe_none(kit: Kit) -> None:
    await kit.open("/seen")
    response = await kit.call("click", selector="#find")
    expect(response.aom_snapshot is None and response.aom_facts is None, "没有要求快照，却带了快照")


@SEEN.add("marks", "som_overlay：编号从小到大不重复，ref 可以操作", "10, 11")
async def _marks(kit: Kit) -> None:
    await kit.open("/seen")
    shot = kit.result(Screenshot, await kit.call("pageScreenshot", How(deadline_ms=30_000), som_overlay=True))
    numbers = [label.id for label in shot.som_labels]
    expect(len(numbers) >= _SEEN_OPERABLE, f"只有 {len(numbers)} 个编号")
    expect(numbers == sorted(set(numbers)), "编号有重复或没有排序")
    label = next((label for label in shot.som_labels if label.name == "查找"), None)
    if label is None or label.ref is None:
        raise UnmetError("“查找”没有编号，或没有 ref")
    await kit.ok("click", ref=label.ref)
    await kit.did("find")


# --- events ---------------------------------------------------------------------------------------------------------


async def _event(kit: Kit, kind: str, since: int) -> PageEvent:
    def found() -> PageEvent | None:
        return next((item for item in kit.peer.all_of(PageEvent, since) if item.event == kind), None)

    return await kit.peer.wait(found, kit.timeout / 2, f"page_event {kind}")


@EVENTS.add("opened", "新窗口：opened，带新页面的编号", "9, 10")
async def _opened(kit: Kit) -> None:
    page = await kit.open("/events")
    since = kit.now
    await kit.ok("click", selector="#opener")
    event = await _event(kit, "opened", since)
    expect(event.page.id != page, "opened 的页面是打开它的页面")
    await kit.ok("closePage", page=event.page.id)


@EVENTS.add("navigated", "页面自己离开：navigated，带新地址", "9, 10")
async def _navigated(kit: Kit) -> None:
    await kit.open("/events")
    since = kit.now
    await kit.ok("click", selector="#mover")
    event = await _event(kit, "navigated", since)
    expect(event.page.url == kit.site.a.url("/other"), f"地址是 {event.page.url[:100]}")


@EVENTS.add("closed", "窗口关闭：closed", "9, 10")
async def _closed(kit: Kit) -> None:
    await kit.open("/events")
    since = kit.now
    await kit.ok("click", selector="#closer")
    opened = await _event(kit, "opened", since)
    expect((await _event(kit, "closed", since)).page.id == opened.page.id, "closed 的不是那个窗口")


@EVENTS.add("dialog", "页面自己弹出的对话框：dialog，会话不停", "9, 10")
async def _dialog(kit: Kit) -> None:
    await kit.open("/events")
    since = kit.now
    await kit.ok("click", selector="#asker")
    await _event(kit, "dialog", since)
    data = await kit.ok("handleDialog", accept=False)
    expect(data.get("message") == "还在吗？", "message 不是对话框的文字")
    expect(await kit.did("answer") == "false", "页面得到的回答不对")


@EVENTS.add("download", "没人要求的下载：download", "9, 10")
async def _download(kit: Kit) -> None:
    await kit.open("/events")
    since = kit.now
    await kit.ok("click", selector="#sender")
    await _event(kit, "download", since)


@EVENTS.add("withheld", "未列出来源的窗口没有事件", "9")
async def _withheld(kit: Kit) -> None:
    await kit.open("/away")
    since = kit.now
    await kit.denied("stopped. landed.", "click", selector="#opener")
    await asyncio.sleep(SETTLE_S)
    told = [item for item in kit.peer.all_of(PageEvent, since) if item.page.url.startswith(kit.site.c.base)]
    expect(not told, "事件说出了未列出来源的地址")


# --- secrets --------------------------------------------------------------------------------------------------------


async def _with_password(kit: Kit) -> str:
    secret = f"Pw-{secrets.token_hex(8)}"
    await kit.open("/secrets")
    data = await kit.ok("type", selector="#password", text=secret)
    expect(data.get("value") is None, "type 读回了密码框的值")
    return secret


@SECRETS.add("read", "密码框的值不在 getText、query、getHtml 的结果里", "10, 11")
async def _read(kit: Kit) -> None:
    secret = await _with_password(kit)
    since = len(kit.peer.seen.raw)
    for action, params in (
        ("getText", {"selector": "#password"}),
        ("getText", {"selector": "#form"}),
        ("query", {"selector": "#password", "fact": "value"}),
        ("query", {"selector": "#password", "fact": "attribute", "name": "value"}),
        ("getHtml", {"selector": "#form"}),
        ("getHtml", {"selector": "html"}),
    ):
        await kit.call(action, **params)
        expect(not any(secret.encode() in line for line in kit.peer.seen.raw[since:]), f"{action} 带出了密码")


@SECRETS.add("seen", "密码框的值不在快照和编号图的标签里", "10, 11")
async def _seen(kit: Kit) -> None:
    secret = await _with_password(kit)
    since = len(kit.peer.seen.raw)
    await kit.ok("getAomSnapshot", How(deadline_ms=30_000), detail="full")
    await kit.ok("click", How(observe="full"), selector="#plain")
    await kit.ok("pageScreenshot", How(deadline_ms=30_000), som_overlay=True)
    expect(not any(secret.encode() in line for line in kit.peer.seen.raw[since:]), "快照带出了密码")


@SECRETS.add("storage", "storageGet 不给出令牌和密码", "11")
async def _storage(kit: Kit) -> None:
    secret = f"eyJ{secrets.token_hex(24)}"
    await kit.open("/secrets")
    for key in ("access_token", "password"):
        await kit.ok("storageSet", key=key, value=secret)
        since = len(kit.peer.seen.raw)
        await kit.call("storageGet", key=key)
        expect(not any(secret.encode() in line for line in kit.peer.seen.raw[since:]), f"storageGet 给出了 {key}")


@SECRETS.add("key", "会话密钥不在日志里", "2, 15")
async def _key(kit: Kit) -> None:
    await kit.ok("listPages")
    text = kit.init.session_key.rstrip("=").encode()
    expect(text not in await asyncio.to_thread(kit.peer.log.read_bytes), "日志里有会话密钥")
