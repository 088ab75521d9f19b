"""The frame around the demo sites: sign-on, libraries, control."""

import re
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.frame.knobs import DRIFTS, FAULTS, Fault, Knobs
from browser_host_stub.sites.frame.libraries import PACKAGES, Libraries
from browser_host_stub.sites.server import SITE_NAMES, DemoSites
from tests.unit.browser_host_stub.sites.conftest import LOGIN, TODAY
from tests.unit.browser_host_stub.sites.reach import signed_in
from tests.unit.browser_host_stub.sites.test_server import reaching

JSON = {"content-type": "application/json"}
EXPIRED = {"kind": "expired", "path": "", "times": 1, "seconds": 3.0, "method": ""}


@pytest.mark.requirement("SITE-02")
async def test_one_login_counts_at_every_site_and_one_logout_ends_it_everywhere(sites: DemoSites) -> None:
    async with signed_in(sites, "legal.example.com") as client:
        for name in SITE_NAMES:
            assert (await client.get(f"https://{name}/")).status_code == 200
        await client.get("https://erp.example.com/logout")
        for name in SITE_NAMES:
            answer = await client.get(f"https://{name}/")
            assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=/")


@pytest.mark.requirement("SITE-02")
async def test_every_host_lists_all_sites(sites: DemoSites) -> None:
    async with reaching(sites) as client:
        page = (await client.get("/__sites")).text
    assert re.findall(r'href="https://([^"/]+)/"', page) == list(SITE_NAMES)


@pytest.mark.requirement("SITE-02")
@pytest.mark.parametrize("host", SITE_NAMES)
async def test_every_site_has_a_login_of_its_own_that_refuses_a_wrong_password(sites: DemoSites, host: str) -> None:
    async with reaching(sites, host) as client:
        answer = await client.post("/login", data=LOGIN | {"password": "wrong"})
        assert (answer.status_code, "用户名或密码错误" in answer.text) == (401, True)
        assert (await client.get("/api/anything")).json()["error"]["code"] == "NO_SESSION"


@pytest.mark.requirement("SITE-03")
@pytest.mark.parametrize(
    "path",
    [
        "vue/dist/vue.global.prod.js",
        "layui/dist/css/layui.css",
        "layui/dist/font/iconfont.woff2",
        "element-plus/dist/index.full.min.js",
        "element-plus/dist/locale/zh-cn.min.js",
        "@element-plus/icons-vue/dist/index.iife.min.js",
        "ant-design-vue/dist/antd-with-locales.min.js",
        "dayjs/dayjs.min.js",
        "vxe-table/lib/index.umd.min.js",
        "vxe-pc-ui/lib/index.umd.min.js",
        "xe-utils/dist/all.esm.js",
    ],
)
async def test_the_libraries_of_the_lock_file_are_served_on_every_host_without_a_login(
    sites: DemoSites, path: str
) -> None:
    for name in ("erp.example.com", "oa.example.com"):
        async with reaching(sites, name) as client:
            answer = await client.get(f"/lib/{path}")
            assert (answer.status_code, bool(answer.content)) == (200, True)


@pytest.mark.requirement("SITE-03")
@pytest.mark.parametrize(
    "path",
    [
        "lodash/lodash.js",
        "vue",
        "vue/",
        "vue/no-such-file.js",
        "vue/%2e%2e/lodash/lodash.js",
        "vue/%2e%2e/%2e%2e/package.json",
        "vue/..%2f..%2f..%2fserver.py",
        "%2fetc/passwd",
        "vue/%00",
        "../vue/package.json",
    ],
)
async def test_nothing_else_is_served_from_there(sites: DemoSites, path: str) -> None:
    async with reaching(sites) as client:
        assert (await client.get(f"/lib/{path}")).status_code in (303, 404)


@pytest.mark.requirement("SITE-03")
def test_every_package_of_package_json_may_be_served() -> None:
    assert Libraries().installed
    text = (Path(__file__).parents[4] / "browser_host_stub" / "sites" / "package.json").read_text(encoding="utf-8")
    assert [name for name in PACKAGES if f'"{name}": "' not in text] == []


@pytest.mark.requirement("SITE-03")
async def test_without_the_libraries_a_site_says_what_to_run_and_the_erp_works(tmp_path: Path) -> None:
    async with DemoSites(TODAY, Libraries(tmp_path)) as sites, reaching(sites, "oa.example.com") as client:
        for path in ("/", "/login", "/lib/vue/dist/vue.global.js"):
            answer = await client.get(path)
            assert (answer.status_code, "./dev setup" in answer.text) == (503, True)
        assert (await client.get("https://erp.example.com/login")).status_code == 200


@pytest.mark.requirement("SITE-04")
async def test_knobs_set_by_an_address_leave_it_and_hold_for_that_browser_session_only(sites: DemoSites) -> None:
    async with signed_in(sites) as mine, signed_in(sites) as other:
        answer = await mine.get("/notice?a=1&drift=twins,ids&seed=7&fault=slow:2@/api/x!,duplicate&latency=20")
        assert (answer.status_code, answer.headers["location"]) == (303, "/notice?a=1")
        told = (await mine.get("https://hr.example.com/__control")).json()
        assert told == {
            "drift": ["ids", "twins"],
            "seed": 7,
            "faults": [
                {"kind": "slow", "path": "/api/x", "times": 0, "seconds": 2.0, "method": ""},
                {"kind": "duplicate", "path": "", "times": 1, "seconds": 3.0, "method": ""},
            ],
            "latency_ms": 20,
        }
        assert (await other.get("/__control")).json() == Knobs().report() | {"drift": []}


@pytest.mark.requirement("SITE-04")
async def test_the_control_api_sets_only_what_it_names_and_resets_states_and_sessions(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        await client.post("/__control", json={"drift": ["labels"], "seed": 4})
        assert (await client.post("/__control", json={"latency_ms": 5})).json()["drift"] == ["labels"]
        await client.post("/api/notices/NT100/read", json={})
        assert next(one.id for one in sites.oa.state.notices if one.read) == "NT100"
        assert (await client.post("/__control", json={"reset": True})).json()["drift"] == []
        assert next(one.id for one in sites.oa.state.notices if one.read) == "NT103"
        assert (await client.get("/")).status_code == 200
        await client.post("/__control", json={"expire": True})
        assert (await client.get("/")).status_code == 303


@pytest.mark.requirement("SITE-04")
@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"drift": ["upside-down"]}, "UNKNOWN_KNOB"),
        ({"drift": "ids"}, "INVALID"),
        ({"seed": -1}, "INVALID"),
        ({"faults": [{"kind": "meteor"}]}, "UNKNOWN_KNOB"),
        ({"faults": [{"kind": "slow", "seconds": 9_999}]}, "INVALID"),
        ({"faults": [{"kind": "slow", "when": "now"}]}, "INVALID"),
        ({"latency_ms": "fast"}, "INVALID"),
        ({"other": 1}, "INVALID"),
    ],
)
async def test_a_knob_that_does_not_exist_is_refused_and_changes_nothing(
    sites: DemoSites, members: Mapping[str, object], code: str
) -> None:
    async with reaching(sites, "oa.example.com") as client:
        answer = await client.post("/__control", json=members)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)
        assert (await client.get("/__control")).json() == Knobs().report() | {"drift": []}


@pytest.mark.requirement("SITE-05")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (JSON | {"origin": "https://evil.example"}, 403),
        (JSON | {"origin": "https://erp.example.com"}, 403),
        (JSON | {"sec-fetch-site": "same-site"}, 403),
        (JSON | {"sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        (JSON | {"origin": "https://oa.example.com", "sec-fetch-site": "same-origin"}, 200),
    ],
)
async def test_the_control_api_is_closed_to_pages_of_other_origins(
    sites: DemoSites, headers: dict[str, str], status: int
) -> None:
    async with reaching(sites, "oa.example.com") as client:
        answer = await client.post("/__control", content=b'{"drift": ["ids"]}', headers=headers)
        assert answer.status_code == status
        assert (await client.get("/__control")).json()["drift"] == (["ids"] if status == 200 else [])


@pytest.mark.requirement("SITE-05")
@pytest.mark.parametrize(("site", "status"), [("cross-site", 403), ("same-site", 403), ("none", 303)])
async def test_an_address_with_knobs_counts_only_when_no_other_origin_leads_there(
    sites: DemoSites, site: str, status: int
) -> None:
    async with signed_in(sites) as client:
        answer = await client.get("/?fault=expired", headers={"sec-fetch-site": site})
        assert answer.status_code == status
        assert (await client.get("/__control")).json()["faults"] == ([] if status == 403 else [EXPIRED])


@pytest.mark.requirement("SITE-04")
async def test_latency_holds_every_answer_back_and_a_reset_lets_waiting_requests_go(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        sites.control.shared.latency_s = 0.2
        assert (await client.get("/api/todo")).elapsed.total_seconds() >= 0.2
        sites.control.shared.latency_s = 100.0
        waiting = httpx.Timeout(0.3)
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/api/todo", timeout=waiting)
        sites.reset()
        assert (await client.get("/login")).status_code == 200


@pytest.mark.requirement("SITE-04")
def test_every_drift_and_every_fault_can_be_written_in_an_address() -> None:
    knobs = Knobs()
    knobs.update_from_query({"drift": ",".join(DRIFTS), "fault": ",".join(FAULTS)})
    assert (knobs.drift, [fault.kind for fault in knobs.faults]) == (DRIFTS, list(FAULTS))


@pytest.mark.requirement("SITE-04")
@pytest.mark.parametrize("text", ["slow:", "slow:x", "slow@api", "slow !", "", "@/api/x"])
def test_a_fault_written_wrongly_in_an_address_is_refused(text: str) -> None:
    knobs = Knobs()
    if text:
        with pytest.raises(SiteError):
            knobs.update_from_query({"fault": text})
    else:
        knobs.update_from_query({"fault": text})
    assert knobs.faults == []


@pytest.mark.requirement("SITE-06")
def test_a_fault_hits_writes_of_its_path_as_often_as_it_should() -> None:
    once, twice, always = Fault("slow"), Fault("slow", "/api/a/*", times=2), Fault("slow", "/api/b", times=0)
    knobs = Knobs(faults=[twice, always, once])
    assert knobs.take("GET", "/api/a/1") is None
    assert knobs.take("POST", "/login") is None
    assert [knobs.take("POST", "/api/a/1") for _ in range(3)] == [twice, twice, once]
    assert [knobs.take("POST", "/api/b") for _ in range(3)] == [always] * 3
    assert knobs.take("POST", "/api/a/1") is None
    assert Fault("error_500", "/api/b", method="GET").fits("GET", "/api/b")


@pytest.mark.requirement("SITE-05")
async def test_an_address_with_knobs_never_leads_to_another_host(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        answer = await client.get("https://oa.example.com//evil.example/?seed=1")
        assert (answer.status_code, answer.headers["location"]) == (303, "/evil.example/")


@pytest.mark.requirement("SITE-04")
@pytest.mark.parametrize("seed", ["9" * 5000, "٣"])
async def test_a_seed_that_is_no_number_is_refused(sites: DemoSites, seed: str) -> None:
    async with signed_in(sites) as client:
        assert (await client.get("/", params={"seed": seed})).status_code == 422


@pytest.mark.requirement("SITE-04")
async def test_json_nested_without_end_is_refused(sites: DemoSites) -> None:
    async with signed_in(sites) as client:
        json = {"content-type": "application/json"}
        answer = await client.post("/__control", content='{"a":' * 50_000, headers=json)
        assert answer.status_code == 400
