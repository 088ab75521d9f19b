"""Every action of the table with a response, and every code a host may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sgclaw.errors import ActionCode
from tests.wire.scribe import ERP, ERP_HOST, HOME, OA, OA_HOST, Scribe, digest
from tests.wire.transcript import Transcript

Act = tuple[str, dict[str, Any], dict[str, Any]]
"""Action, parameters, data of the response."""

PICTURE: Final = {"id": "f7", "name": "screenshot.png", "size": 51_020, "sha256": digest("png"), "mime": "image/png"}
FIELD: Final = {"selector": "#name"}

READING: Final[Sequence[Act]] = (
    ("getText", {"selector": ".report-total"}, {"text": "共 1,204 条\n借方 9,871.50"}),
    ("getHtml", {"selector": ".chip"}, {"html": '<span class="chip" data-filter="month">2026-03</span>'}),
    ("waitForSelector", {"selector": ".done", "timeout_ms": 5_000, "state": "hidden"}, {"found": True}),
    ("pageScreenshot", {"full_page": True}, {"artifact": PICTURE, "som_labels": []}),
    (
        "pageScreenshot",
        {"som_overlay": True},
        {
            "artifact": {**PICTURE, "id": "f8"},
            "som_labels": [{"id": 1, "selector": "#go", "ref": "e2", "name": "查询", "bounds": [460, 80, 100, 40]}],
        },
    ),
    ("scrollTo", {"x": 0, "y": 1_200}, {"x": 0, "y": 1_180}),
    ("scrollTo", {"selector": "#footer"}, {"x": 0, "y": 2_400}),
    (
        "getAomSnapshot",
        {},
        {
            "nodes": [
                {
                    "role": "main",
                    "name": "",
                    "children": [
                        {"role": "textbox", "name": "姓名", "value": "", "selector": "#name", "ref": "e1"},
                        {"role": "checkbox", "name": "含税", "ref": "e2", "checked": False, "disabled": True},
                        {"role": "table", "name": "明细", "ref": "e3", "row_count": 120, "bounds": [0, 90, 800, 400]},
                    ],
                }
            ],
            "interactive_total": 2,
            "blank": False,
        },
    ),
    ("storageGet", {"key": "theme"}, {"value": "dark"}),
    ("storageGet", {"key": "none"}, {}),
    ("listPages", {}, {"pages": [{"id": "p1", "url": f"{ERP}/", "title": "首页", "version": 1}], "withheld": 1}),
    ("query", {"selector": "#go", "fact": "exists"}, {"value": True}),
    ("query", {"selector": ".row", "fact": "count"}, {"value": 12}),
    ("query", {"selector": "#go", "fact": "attribute", "name": "data-state"}, {"value": "ready"}),
    ("query", {"selector": "#go", "fact": "attribute", "name": "title"}, {}),
    ("query", {"fact": "url"}, {"value": f"{ERP}/"}),
    (
        "extractTable",
        {"selector": ".report-table", "max_rows": 2},
        {
            "columns": ["科目", "金额"],
            "rows": [["现金", "100.00"], ["银行存款", "9,771.50"]],
            "row_count": 2,
            "page_total": 3,
            "complete": False,
        },
    ),
)  # fmt: skip

CHANGING: Final[Sequence[Act]] = (
    ("click", {"selector": "#go", "button": "right", "count": 1}, {"clicked": True}),
    ("click", {"selector": "iframe#inner >>> my-list >>> button.first"}, {"clicked": True}),
    ("type", {"selector": "#name", "text": "张三", "clear": False, "submit": True}, {"typed": True, "value": "张三"}),
    ("type", {"selector": "#password", "text": "…"}, {"typed": True}),
    ("select", {"selector": "#kind", "value": "日报"}, {"value": "daily", "label": "日报"}),
    ("hover", {"selector": ".menu"}, {"hovered": True}),
    ("press", {"key": "Control+A"}, {"pressed": True}),
    ("check", {"selector": "#agree", "checked": False}, {"checked": False}),
    ("clear", FIELD, {"cleared": True}),
    ("upload", {"selector": "input[type=file]", "file": "f1"}, {"uploaded": True, "name": "凭证.pdf", "size": 1_024}),
    ("storageSet", {"key": "theme", "value": "dark"}, {"stored": True}),
    ("handleDialog", {"accept": True, "text": "三月"}, {"handled": True, "message": "哪个月？"}),
)

LIST: Final = {"url": f"{ERP}/list", "title": "列表", "status": 200}
START: Final = {"url": f"{ERP}/", "title": "首页", "status": 200}


def reading() -> Transcript:
    mail = {"id": "p2", "url": "https://mail.example.net/", "title": "邮箱", "version": 1}
    pages = {"p1": HOME, "p2": mail}
    return _plain(
        "Acts that only look", "Every action whose risk is read or sensitive, with its result.", READING, pages
    )


def changing() -> Transcript:
    return _plain("Acts on a page", "Every action that operates a page and needs nobody's yes.", CHANGING, {"p1": HOME})


def _plain(title: str, about: str, acts: Sequence[Act], pages: Mapping[str, Any]) -> Transcript:
    scribe = Scribe(title, about, pages=dict(pages)).open()
    for action, params, data in acts:
        scribe.answer(scribe.command(action, params), data)
    return scribe.close()


def moving() -> Transcript:
    second = {"id": "p2", "url": f"{OA}/", "title": "办公", "version": 1}
    scribe = Scribe(
        "Acts that move",
        "Addresses, history, pages. The page id is the host's, the version grows.",
        pages={"p1": {"id": "p1", "url": f"{ERP}/", "title": "首页", "version": 1}, "p2": second},
    ).open()
    moves: Sequence[tuple[str, dict[str, Any], dict[str, Any]]] = (
        ("navigate", {"url": f"{ERP}/list"}, LIST),
        ("goBack", {}, START),
        ("goForward", {}, LIST),
        ("reload", {}, {"url": f"{ERP}/list", "title": "列表"}),
    )
    for action, params, data in moves:
        scribe.answer(scribe.command(action, params), data, moved=(data["url"], data["title"]))
    scribe.answer(scribe.command("zombieSpawn", {"url": f"{ERP}/bg"}), {"page": "p3", "url": f"{ERP}/bg"})
    scribe.answer(scribe.command("zombieKill", {"page": "p3"}), {"closed": True})
    scribe.answer(
        scribe.command("switchPage", {"page": "p2"}, page=None, note="no page named: the default page is meant"),
        {"url": f"{OA}/", "title": "办公"},
        page="p2",
    )
    scribe.answer(
        scribe.command("closePage", {"page": "p2"}, page="p2", domain=OA_HOST),
        {"closed": True},
        page=None,
        note="no page facts: the page is gone",
    )
    return scribe.close()


_FAULTS: Final[Mapping[ActionCode, tuple[str, dict[str, Any], str, dict[str, Any]]]] = {
    ActionCode.ACTION_FAILED: ("check", {"selector": "#agree"}, "点击后勾选状态没有改变", {}),
    ActionCode.NOT_IMPLEMENTED: ("upload", {"selector": "#file", "file": "f1"}, "这个浏览器不支持上传", {}),
    ActionCode.NOT_FOUND: ("click", {"selector": "#none"}, "没有找到 #none", {"selector": "#none"}),
    ActionCode.AMBIGUOUS_TARGET: ("click", {"selector": "tr"}, "tr 匹配了 12 个元素", {"count": 12}),
    ActionCode.HIDDEN_TARGET: ("click", {"selector": "#menu-item"}, "目标没有显示在页面上", {}),
    ActionCode.COVERED_TARGET: ("click", {"selector": "#go"}, "目标被遮住", {"covered_by": "div.modal-mask"}),
    ActionCode.DISABLED_TARGET: ("click", {"selector": "#off"}, "目标已被禁用", {}),
    ActionCode.DETACHED_TARGET: ("click", {"selector": "#row"}, "元素已不在页面上", {"why": "页面重新渲染了它"}),
    ActionCode.STALE_REF: ("click", {"ref": "1:2"}, "快照已经过期", {"version": 1, "now": 2}),
    ActionCode.UNSUPPORTED_WIDGET: (
        *("select", {"selector": "#dept", "value": "财务部"}, "不是原生下拉框"),
        {"within": ["div#dept.el-select", "div.el-form-item__content"]},
    ),
    ActionCode.TIMEOUT: ("waitForSelector", {"selector": ".done"}, "等待 .done 超时", {"last": "NOT_FOUND"}),
    ActionCode.NAVIGATION_FAILED: ("reload", {}, "网址打不开", {"cause": "net::ERR_CONNECTION_REFUSED"}),
    ActionCode.DOWNLOAD_FAILED: ("download", {"selector": "#file"}, "60 秒内没有下载完文件", {"reason": "timeout"}),
    ActionCode.PAGE_GONE: ("getText", {"selector": "h1"}, "页面已经关闭", {"page": "p1"}),
    ActionCode.UNKNOWN_OUTCOME: ("click", {"selector": "#go"}, "click 在期限内没有完成", {"deadline_ms": 10_000}),
}  # fmt: skip


def faults_of_acts() -> Transcript:
    scribe = Scribe("Acts that fail", "One error response for each code; the session goes on after every one.").open()
    for code, (action, params, message, facts) in _FAULTS.items():
        scribe.fail(scribe.command(action, params), code.value, message, facts)
    seq = scribe.command("type", {"selector": "#password", "text": "%vault:erp.pin%"}, note="a host without a vault")
    scribe.fail(seq, "NOT_IMPLEMENTED", "浏览器端没有保险箱，不能填入凭据引用")
    scribe.fail(scribe.command("getText", {"selector": "h1"}), "NEEDS_HUMAN", "请先在页面上登录", {"what": "login"})
    return scribe.close()


def unknown_acts() -> Transcript:
    scribe = Scribe(
        "Commands no sgclaw sends", "Authentic lines that the host refuses as acts, not as lines.", agent="channel"
    ).open()
    evil = scribe.raw_command("executeJsInPage", {"script": "1"})
    scribe.fail(evil, "UNKNOWN_ACTION", "没有名为“executeJsInPage”的操作", {"action": "executeJsInPage"})
    bad = scribe.raw_command("click", {"selector": "#go", "force": True})
    facts = {"action": "click", "problems": [{"field": "force", "problem": "extra_forbidden"}]}
    scribe.fail(bad, "BAD_PARAMS", "click 的参数不对：force", facts)
    return scribe.close()


def denied() -> Transcript:
    scribe = Scribe(
        "What the policy refuses",
        "expected_domain against what the browser committed, and where a navigation lands.",
        agent="channel",
        pages={
            "p1": {"id": "p1", "url": f"{ERP}/", "title": "首页", "version": 1},
            "p2": {"id": "p2", "url": f"{OA}/", "title": "办公", "version": 1},
            "p3": {"id": "p3", "url": "https://mail.example.net/", "title": "邮箱", "version": 1},
        },
        redirects={f"{ERP}/sso": "https://sso.example.net/login"},
    ).open()
    cases: Sequence[tuple[int, str, str]] = (
        (
            scribe.command("getText", {"selector": "h1"}, page="p2", domain=ERP_HOST),
            "操作声明的域名是 erp.example.com，实际是 oa.example.com",
            "origin.mismatch",
        ),
    )
    for seq, message, rule in cases:
        scribe.fail(seq, "POLICY_DENIED", message, {"rule": rule})
    seq = scribe.command("getText", {"selector": "h1"}, page="p3", note="not even whether the element exists is told")
    scribe.fail(seq, "POLICY_DENIED", "当前页面不在策略列出的来源内", {"rule": "origin.unlisted"})
    seq = scribe.command("getText", {"selector": "h1"}, domain="mail.example.net")
    scribe.fail(seq, "POLICY_DENIED", "策略没有列出 mail.example.net", {"rule": "domain.unlisted"})
    seq = scribe.command("getText", {"selector": "h1"}, domain="ERP.example.com")
    scribe.fail(seq, "POLICY_DENIED", "expected_domain 不是规范的主机名", {"rule": "domain.form"})
    seq = scribe.command("navigate", {"url": f"https://evil.com\\@{ERP_HOST}/"})
    scribe.fail(seq, "POLICY_DENIED", "网址中有空白、控制字符或反斜杠", {"rule": "url.characters"})
    seq = scribe.command("navigate", {"url": f"{ERP}/sso"}, note="it leads to an origin that is not listed")
    scribe.fail(
        seq,
        "POLICY_DENIED",
        "页面跳转到了策略以外的地址，内容没有读取",
        {"rule": "landed.origin.unlisted"},
        note="the page has moved; its address is not told",
    )
    return scribe.close()


STORIES: Final[Mapping[str, Callable[[], Transcript]]] = {
    "11-reading": reading,
    "12-changing": changing,
    "13-moving": moving,
    "14-faults-of-acts": faults_of_acts,
    "15-unknown-acts": unknown_acts,
    "16-denied": denied,
}
