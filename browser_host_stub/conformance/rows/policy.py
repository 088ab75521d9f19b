"""Origins: what a host refuses on what the browser committed, and what never leaves it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from browser_host_stub.conformance.kit import SETTLE_S, How, Kit
from browser_host_stub.conformance.table import Check, Rows
from browser_host_stub.conformance.verdict import expect
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.results import Pages

POLICY: Final = Rows("policy")
DENIED: Final = Rows("denied")
_AWAY: Final = "stopped. landed."


def _untouched(kit: Kit) -> None:
    """The unlisted origin was asked for nothing."""
    visits = kit.site.visits(kit.site.c)
    expect(not visits, f"向未列出的来源发出了请求：{'、'.join(visits)}")


async def _stays(kit: Kit) -> None:
    url = str((await kit.ok("query", fact="url"))["value"])
    expect(not url.startswith(kit.site.c.base), "页面停在未列出的来源上，地址也被说出")


@POLICY.add("unlisted", "打开未列出的来源（同主机的另一端口）：origin.unlisted，不发请求", "7")
async def _unlisted(kit: Kit) -> None:
    await kit.open("/away")
    for action in ("navigate", "zombieSpawn"):
        await kit.denied("origin.unlisted", action, url=kit.site.c.url("/secret"))
    _untouched(kit)


@POLICY.add("mismatch", "expected_domain 不是页面的主机：origin.mismatch，不执行", "7")
async def _mismatch(kit: Kit) -> None:
    await kit.open("/acts")
    other = How(domain=kit.site.b.host)
    await kit.denied("origin.mismatch", "click", other, selector="#plain")
    await kit.denied("origin.mismatch", "query", other, fact="count", selector="button")
    await kit.denied("origin.mismatch", "press", other, key="Tab")
    await kit.denied("origin.mismatch", "navigate", other, url=kit.site.a.url("/other"))
    kit.undone("plain")


@POLICY.add("domain", "expected_domain 未列出或写法不规范：拒绝", "7")
async def _domain(kit: Kit) -> None:
    await kit.open("/acts")
    await kit.denied("domain.unlisted", "click", How(domain="erp.example.net"), selector="#plain")
    for form in ("127.0.0.1:80", "LOCALHOST", "localhost.", "http://127.0.0.1", "*"):
        await kit.denied("domain.form", "click", How(domain=form), selector="#plain")
    kit.undone("plain")


_FORMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "http://user@{A}/": "url.userinfo",
        "http://{A}@{C}/": "url.userinfo",
        "http://{C}\\@{A}/": "url.characters",
        "http://{A}/a b": "url.characters",
        "http://127.0.0.1\t:80/": "url.characters",
        "javascript:alert(1)": "url.scheme",
        "data:text/html,x": "url.scheme",
        "file:///etc/hostname": "url.scheme",
        "about:blank": "url.scheme",
        "//{A}/": "url.scheme",
        "http://[::1]/": "url.ipv6 url.authority",
        "http://2130706433/": "url.host",
        "http://0177.0.0.1/": "url.host",
        "http://localhost./": "url.host",
        "http://\uff4cocalhost/": "url.authority url.host url.characters",
        "view-source:http://{A}/": "url.scheme",
    }
)
"""Address → the rules that may name its fault."""


@POLICY.add("forms", "地址的写法：用户名、反斜杠、空白、别的协议、IPv6、数字主机、形近字都拒绝", "7")
async def _forms(kit: Kit) -> None:
    await kit.open("/away")
    for form, rules in _FORMS.items():
        url = form.replace("{A}", kit.site.a.base[7:]).replace("{C}", kit.site.c.base[7:])
        await kit.denied(rules, "navigate", url=url)
    _untouched(kit)


@POLICY.add("redirect", "跳转到未列出的来源：在请求发出之前拦下，地址不说出", "6, 7")
async def _redirect(kit: Kit) -> None:
    await kit.open("/away")
    await kit.denied(_AWAY, "navigate", url=kit.site.a.url(f"/redirect?to={kit.site.c.url('/secret')}"))
    _untouched(kit)
    await _stays(kit)


@POLICY.add("hops", "多次跳转逐跳检查", "6")
async def _hops(kit: Kit) -> None:
    await kit.open("/away")
    second = f"/redirect?to={kit.site.c.url('/secret')}".replace("?", "%3F").replace("=", "%3D")
    await kit.denied(_AWAY, "navigate", url=kit.site.a.url(f"/redirect?to={kit.site.a.url(second)}"))
    _untouched(kit)


@POLICY.add("landed", "跳转到另一个列出的来源：landed.origin.mismatch", "6, 7")
async def _landed(kit: Kit) -> None:
    await kit.open("/away")
    await kit.denied(
        "landed.origin.mismatch", "navigate", url=kit.site.a.url(f"/redirect?to={kit.site.b.url('/other')}")
    )


def _leaving(selector: str) -> Check:
    async def check(kit: Kit) -> None:
        await kit.open("/away")
        await kit.denied(_AWAY, "click", selector=selector)
        _untouched(kit)
        expect(await kit.text("#title") == "离开", "页面没有留在原处")

    return check


for _name, _selector, _title in (
    ("link", "#link", "点击通往未列出来源的链接"),
    ("hop", "#hop", "点击经跳转通往未列出来源的链接"),
    ("popup", "#opener", "脚本打开未列出来源的新窗口"),
    ("form", "#send", "向未列出的来源提交表单"),
):
    POLICY.add(_name, f"{_title}：拦下请求，页面留在原处，stopped.…", "6")(_leaving(_selector))


@POLICY.add("script", "页面自己离开到未列出的来源：拦下，没有回应因此出错", "6")
async def _script(kit: Kit) -> None:
    await kit.open("/away")
    await kit.ok("click", selector="#later")
    await asyncio.sleep(2 * SETTLE_S)
    _untouched(kit)
    await _stays(kit)


@POLICY.add("download", "未列出来源的下载：终止，不保留文件", "6")
async def _download(kit: Kit) -> None:
    await kit.open("/away")
    await kit.refused("POLICY_DENIED DOWNLOAD_FAILED", "download", selector="#file", timeout_ms=4_000)


@POLICY.add("frame", "未列出来源的框架：不读、不点，元素是否存在也不说", "6, 7")
async def _frame(kit: Kit) -> None:
    await kit.open("/frames")
    for target in ("#inner", "#title", "#never"):
        await kit.denied("origin.", "getText", How(deadline_ms=3_000), selector=f"#foreign >>> {target}")
    await kit.denied("origin.", "click", How(deadline_ms=3_000), selector="#foreign >>> #inner")
    kit.undone("foreign")


@POLICY.add("frame_domain", "另一列出来源的框架：expected_domain 要是框架的主机", "6, 7")
async def _frame_domain(kit: Kit) -> None:
    await kit.open("/frames")
    await kit.denied("origin.mismatch", "click", selector="#other >>> #inner")
    await kit.ok("click", How(domain=kit.site.b.host), selector="#other >>> #inner")
    await kit.did("inner")


@POLICY.add("list", "listPages 只有列出的来源，其余计入 withheld", "7")
async def _list(kit: Kit) -> None:
    await kit.open("/away")
    pages = kit.result(Pages, await kit.call("listPages"))
    strangers = [page.url for page in pages.pages if not page.url.startswith((kit.site.a.base, kit.site.b.base))]
    expect(not strangers, f"列出了 {'、'.join(strangers)[:100]}")
    expect(any(page.url == kit.site.a.url("/away") for page in pages.pages), "没有列出打开着的页面")


@DENIED.add("action", "策略的 denied_actions：action.denied，不执行", "7")
async def _action(kit: Kit) -> None:
    await kit.open("/acts")
    await kit.denied("action.denied", "hover", selector="#menu")
    kit.undone("hover")


@DENIED.add("words", "策略自己的 irreversible_labels 生效", "7, 8")
async def _words(kit: Kit) -> None:
    await kit.open("/acts")
    await kit.asks("click", selector="#plain")
    kit.undone("plain")


@DENIED.add("grant", "长期授权只对这个技能、操作和来源有效", "7, 8")
async def _grant(kit: Kit) -> None:
    await kit.open("/acts")
    await kit.ok("click", How(skill="kit-skill@1.0.0"), selector="#plain")
    await kit.did("plain")
    await kit.asks("click", How(skill="other-skill@1.0.0"), selector="#plain")
    expect(kit.site.times("plain") == 1, "别的技能用了这个授权")


def own_policy(origin: str) -> dict[str, object]:
    """What the policy of the group `denied` holds beside the origins."""
    return {
        "denied_actions": [spec_of("hover").name],
        "irreversible_labels": ["查询"],
        "grants": [{"skill": "kit-skill", "action": "click", "origin": origin}],
    }
