"""The page's own storage: written, read without secrets, cleared; that of its origin and of no other."""

from __future__ import annotations

import pytest

from browser_host_stub.scrub import stored_value
from sgclaw.errors import ActionCode
from tests.unit.browser_host_stub.chromium.conftest import Tab

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.requirement("ACT-01")
async def test_storage_is_the_pages_own_whatever_it_put_in_place_of_its_methods(tab: Tab) -> None:
    await tab.open(
        '<p id=o></p><button id=b onclick="o.textContent=localStorage.month">看</button>'
        "<script>Storage.prototype.setItem=Storage.prototype.getItem=()=>'骗'</script>"
    )
    assert await tab.act("storageSet", key="month", value="2026-03 三月😀") == {"stored": True}
    assert await tab.act("storageGet", key="month") == {"value": "2026-03 三月😀"}
    await tab.act("click", selector="#b")
    assert await tab.text("#o") == "2026-03 三月😀"
    assert await tab.act("storageGet", key="none") == {"value": None}


@pytest.mark.requirement("ACT-01")
async def test_a_full_storage_is_an_error_and_keeps_what_was_there(tab: Tab) -> None:
    await tab.open("<script>localStorage.clear();localStorage.big='x'.repeat(5*1024*1024-20000)</script>")
    refused = await tab.refused("storageSet", key="more", value="长" * 50_000)
    assert refused.code == ActionCode.ACTION_FAILED
    assert await tab.act("storageGet", key="more") == {"value": None}
    await tab.act("clearStorage")


@pytest.mark.requirement("ACT-02")
async def test_clearing_empties_every_store_of_the_origin_and_leaves_cookies(tab: Tab) -> None:
    await tab.open(
        "<p id=o></p><button id=b>数</button><script>document.cookie='sid=1';localStorage.a=sessionStorage.b='1';"
        "indexedDB.open('db',1).onsuccess=e=>{window.db=e.target.result;o.textContent='开'};"
        "b.onclick=async()=>{const n=(await indexedDB.databases()).length;"
        "o.textContent=[localStorage.length,sessionStorage.length,n,document.cookie].join(' ')}</script>"
    )
    await tab.act("waitForSelector", selector="#o:not(:empty)")
    assert await tab.act("clearStorage") == {"cleared": True}
    await tab.act("click", selector="#b")
    await tab.act("waitForSelector", selector="#o")
    assert await tab.text("#o") == "0 0 0 sid=1"


@pytest.mark.requirement("ACT-01")
@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("month", "2026-03", "2026-03"),
        ("access_token", "abc", None),
        ("userPassword", "abc", None),
        ("state", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl", None),
        (
            "profile",
            '{"name":"张敏","token":"9f86d081884c7d659a2feaa0c55ad015"}',
            '{"name":"张敏","token":"\u2039令牌\u203a"}',
        ),
        *((key, "s3a9f0", None) for key in ("sid", "connect.sid", "user_sid", "refresh", "token", "JSESSIONID", "jwt")),
        *((key, "30", "30") for key in ("refresh_interval", "sidebar", "inside", "authors", "access_count", "ticket")),
        ("auth-store", '{"refresh":"s3a9f0","page":"1"}', '{"refresh":"\u2039令牌\u203a","page":"1"}'),
        ("none", None, None),
    ],
)
async def test_a_secret_is_withheld_by_its_name_and_by_its_looks(key: str, value: str | None, told: str | None) -> None:
    assert stored_value(key, value) == told
