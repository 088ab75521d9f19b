"""The result of an act, looked at before anybody gets it."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

import pytest

from sgclaw.errors import PolicyDeniedError
from sgclaw.host.browser import PipeBrowser
from sgclaw.host.observe import check_landing, observe
from sgclaw.host.session import Services
from sgclaw.policy.model import parse_policy
from sgclaw.ports import Act
from sgclaw.protocol.actions import spec_of
from sgclaw.protocol.messages import Response
from sgclaw.protocol.parts import AomFacts, WireFault
from sgclaw.protocol.results import AomNode, PageInfo
from tests.support.ports import LoopClock, RecordingRecords, binding
from tests.unit.host.test_session import RawHost

ERP, OA, EVIL = "https://erp.example.com", "https://oa.example.com", "https://evil.example"
POLICY = parse_policy(json.dumps({"version": 1, "origins": [ERP, OA]}))


def landing(action: str, data: dict[str, Any], page: str | None = None) -> None:
    info = PageInfo(id="p1", url=page, title="外部页面") if page is not None else None
    response = Response(seq=7, success=True, data=data, page=info)
    check_landing(POLICY, spec_of(action), "erp.example.com", response)


@pytest.mark.requirement("HOST-05", "ATTACK-06")
@pytest.mark.parametrize(
    ("action", "data", "page", "rule"),
    [
        ("navigate", {"url": f"{EVIL}/x"}, None, "landed.origin.unlisted"),
        ("navigate", {"url": f"{ERP}/a"}, f"{EVIL}/x", "landed.origin.unlisted"),
        ("navigate", {"url": f"{OA}/a"}, f"{OA}/a", "landed.origin.mismatch"),
        ("navigate", {"url": 5}, None, "landed.origin.unlisted"),
        ("zombieSpawn", {"page": "p2", "url": f"{OA}/a"}, f"{ERP}/a", "landed.origin.mismatch"),
        ("goBack", {"url": "http://erp.example.com/"}, None, "landed.origin.unlisted"),
        ("getText", {"text": "外部页面"}, f"{EVIL}/x", "landed.origin.unlisted"),
        ("getText", {"text": "外部页面"}, "about:blank", "landed.origin.unlisted"),
        ("listPages", {"pages": [{"id": "p2", "url": f"{EVIL}/"}]}, f"{ERP}/", "landed.origin.unlisted"),
    ],
)
def test_a_result_of_a_page_outside_the_policy_is_withheld(
    action: str, data: dict[str, Any], page: str | None, rule: str
) -> None:
    with pytest.raises(PolicyDeniedError) as caught:
        landing(action, data, page)
    told = json.dumps(caught.value.as_dict(), ensure_ascii=False)
    assert caught.value.facts == {"rule": rule}
    assert "外部页面" not in told
    assert "evil" not in told


@pytest.mark.parametrize(
    ("action", "data", "page"),
    [
        ("navigate", {"url": f"{ERP}/a"}, f"{ERP}/a"),
        ("navigate", {"url": f"{ERP}/a"}, None),
        ("goBack", {"url": f"{OA}/a"}, f"{OA}/a"),
        ("getText", {"text": "余额"}, f"{OA}/a"),
        ("getText", {"text": "余额"}, None),
        ("listPages", {"pages": [{"id": "p1", "url": f"{ERP}/"}]}, f"{ERP}/"),
    ],
)
def test_a_result_of_a_listed_page_is_used(action: str, data: dict[str, Any], page: str | None) -> None:
    landing(action, data, page)


def test_an_error_keeps_its_own_code_wherever_the_page_is() -> None:
    page = PageInfo(id="p1", url=f"{EVIL}/")
    error = WireFault(code="UNKNOWN_OUTCOME", message="不知道")
    check_landing(POLICY, spec_of("click"), "erp.example.com", Response(seq=1, success=False, error=error, page=page))


@pytest.mark.requirement("ATTACK-06")
async def test_a_foreign_page_in_an_answer_ends_the_act_and_is_recorded_without_its_text() -> None:
    host = RawHost()
    session, running = await host.open()
    browser = PipeBrowser(session, Services(host.ledger, host.log, LoopClock(), RecordingRecords()), binding())
    acting = asyncio.create_task(browser.act(Act("getText", {"selector": "#x"})))
    command = await host.read()
    page = PageInfo(id="p1", url=f"{EVIL}/x", title="外部页面")
    response = Response(seq=1, success=True, data={"text": "外部页面"}, page=page)
    host.write(host.channel.seal_response(response, command["security"]["hmac"]))
    with pytest.raises(PolicyDeniedError):
        await acting
    (done,) = host.ledger.data("command_done")
    assert {name: done[name] for name in ("seq", "ok", "code", "rule")} == {
        "seq": 1,
        "ok": False,
        "code": "POLICY_DENIED",
        "rule": "landed.origin.unlisted",
    }
    assert browser.trail == ()
    assert "外部页面" not in str(host.ledger.records)
    host.hang_up()
    assert await running == "eof"
    await host.carrier.close()
    os.close(host.to_host[0])


NODES = (AomNode(role="button", name="提交", ref="1:3"),)
FACTS = AomFacts(interactive_total=1, blank=False, removed=("1:2",))


@pytest.mark.requirement("SEE-02")
@pytest.mark.parametrize(
    ("snapshot", "facts", "told"),
    [
        (NODES, FACTS, (NODES, FACTS)),
        ((), FACTS, ((), FACTS)),
        (None, None, (None, None)),
        (NODES, None, (None, None)),
        (None, FACTS, (None, None)),
    ],
)
def test_what_the_response_saw_reaches_the_caller_with_its_facts_or_not_at_all(
    snapshot: tuple[AomNode, ...] | None, facts: AomFacts | None, told: tuple[object, object]
) -> None:
    response = Response(seq=1, success=True, data={"clicked": True}, aom_snapshot=snapshot, aom_facts=facts)
    seen = observe(spec_of("click"), 1, response, 5)
    assert (seen.snapshot, seen.facts) == told
