"""One command from its parameters to its data: what is checked before the act, and after it.

Order: action and parameters → page origin → real element → policy on what the browser committed → approval of exactly
this act → perform → where it landed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Never, Protocol, runtime_checkable

from pydantic import ValidationError

from browser_host_stub.approvals import NOWHERE, HeldActs, JsonObject, digest_of, facts_of
from browser_host_stub.driver import Driver, Located
from browser_host_stub.faults import Act, well_formed
from browser_host_stub.hidden import HiddenPages
from browser_host_stub.people import Asking, People
from sgclaw.errors import ActionCode, ActionError, NeedsApprovalError, PolicyDeniedError, WireCode, WireError
from sgclaw.policy.decide import Attempt, Kind, Verdict, check_address, check_listed, decide, is_listed
from sgclaw.policy.model import Policy
from sgclaw.protocol.actions import ActionSpec, Compare, Risk, spec_of
from sgclaw.protocol.messages import Command
from sgclaw.protocol.params import PageId, Params
from sgclaw.protocol.results import Closed, Navigated, PageInfo, Spawned

TOO_MANY = "approval.too_many"
"""Rule of an act that needs a person who has been asked too often: the answer is no, and nobody is asked."""

_NO_ORIGIN: Final = "null"
_REFERENCE: Final = "%vault:"


@runtime_checkable
class Confinable(Protocol):
    """A driver whose browser can keep its pages from leaving, redirect by redirect, before a request goes out."""

    def confine(self, check: Callable[[str], str | None]) -> None:
        """From now on let pages go only where `check` names no rule against it."""
        ...


class Performer:
    """Carries commands out, or raises why not.

    `closing` is set when the host ends the session: nothing acts then.
    """

    def __init__(self, driver: Driver, policy: Policy, people: People, closing: asyncio.Event) -> None:
        self._driver, self._policy, self._people, self._closing = driver, policy, people, closing
        self.held = HeldActs()
        self.hidden = HiddenPages(driver)
        self._acting: dict[str, int] = {}
        self.default_page = ""
        """Id of the page that acts without one went to last; empty before the first."""
        if isinstance(driver, Confinable):
            driver.confine(self._rule_against)

    async def carry_out(self, act: Act) -> JsonObject:
        """The data of the response. Raises `SgClawError`; `act.reached` says how far it came."""
        try:
            return await self._carry_out(act)
        except ActionError as error:
            if error.code == ActionCode.PAGE_GONE and act.command.page is None:
                await self._new_default()
            raise

    async def _new_default(self) -> None:
        """The page of before is lost and its loss is told with this act: the next one finds a blank page."""
        try:
            await self._driver.default_page()
        except ActionError:
            return  # the whole browser is gone, which every act will say

    async def _carry_out(self, act: Act) -> JsonObject:
        command = act.command
        self._check_open()
        spec = spec_of(command.action)
        params = spec.check(command.params)
        _refuse_references(spec, command)
        await self._check_page(spec, params, act)
        located = await self._driver.locate(command.action, params, command.page, deadline_s=command.deadline_ms / 2000)
        if command.page is None:
            self.default_page = located.page.id
        await self._judge(act, located)
        self._check_open()
        act.reached = True
        if spec.risk not in (Risk.READ, Risk.SENSITIVE):
            self.held.touch(located.page.id)
        data = await self._perform(located, act)
        await self._check_landing(spec, params, act)
        return _checked(act, spec, well_formed(self._withheld(data)))

    def running_on(self, page: str) -> int | None:
        """Number of the command that acts on this page just now."""
        return self._acting.get(page)

    async def _perform(self, located: Located, act: Act) -> JsonObject:
        command, page = act.command, located.page.id
        self._acting[page] = command.seq
        try:
            if spec_of(command.action).result is Spawned:
                return await self.hidden.spawn(command.task_id, lambda: self._spawn(located, act))
            data = await self._driver.perform(located, command.deadline_ms / 1000)
            if isinstance(located.params, PageId) and spec_of(command.action).result is Closed:
                self.hidden.forget(located.params.page)
            return data
        finally:
            self._acting.pop(page, None)

    async def _spawn(self, located: Located, act: Act) -> JsonObject:
        """A background page, which must be where it may be before anybody hears of it."""
        data = await self._driver.perform(located, act.command.deadline_ms / 1000)
        verdict = check_address(self._policy, data.get("url"), act.domain)
        if verdict is not None:
            await self.hidden.kill(str(data["page"]))
            _raise_landed(verdict)
        return data

    async def page_facts(self, command: Command) -> PageInfo | None:
        """Where the page is now; withheld when that is not a listed origin."""
        try:
            page = await self._driver.page_info(command.page)
        except ActionError:
            return None
        if not is_listed(self._policy, page.url):
            return None
        return page.model_copy(update={"url": well_formed(page.url), "title": well_formed(page.title)})

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise WireError(WireCode.BAD_STATE, "会话正在结束，操作没有执行")

    def _rule_against(self, url: str) -> str | None:
        refused = check_listed(self._policy, url)
        return refused.rule if refused else None

    async def _check_page(self, spec: ActionSpec, params: Params, act: Act) -> None:
        """Before anything of the page is looked at: not even whether an element exists leaks from an unlisted page."""
        if not (spec.compares in (Compare.PAGE, Compare.FRAME) or _shows(spec, params)):
            return
        page = await self._driver.page_info(_page_of(params, act))
        if spec.compares is Compare.PAGE:
            _raise_if(check_address(self._policy, page.url, act.domain))
        elif not is_listed(self._policy, page.url):
            raise PolicyDeniedError("当前页面不在策略列出的来源内", facts={"rule": "origin.unlisted"})

    async def _judge(self, act: Act, located: Located) -> None:
        command = act.command
        spec = spec_of(command.action)
        attempt = Attempt(
            spec=spec,
            params=command.params,
            expected_domain=act.domain,
            committed=_committed(spec, located),
            label=_label_of(located),
            skill=command.skill.ref.partition("@")[0] if command.skill else None,
            repeats=located.repeats,
        )
        verdict = decide(self._policy, attempt)
        if verdict.kind is Kind.DENY:
            raise PolicyDeniedError(verdict.cause, facts={"rule": verdict.rule})
        if verdict.kind is Kind.ASK:
            around = await located.around() if located.around is not None else NOWHERE
            digest = digest_of(command, act.domain, located, around)
            if command.approval_id is not None:
                self.held.use(command.approval_id, digest)
                return
            may_ask = self._people.has_room(Asking.APPROVAL, command.task_id)
            cause = verdict.cause if may_ask else "要求您确认的次数过多，不再询问"
            facts = facts_of(command, act.domain, located, verdict.rule if may_ask else TOO_MANY, around)
            raise NeedsApprovalError(cause, facts={"approval_id": self.held.hold(digest, located.page.id), **facts})

    async def _check_landing(self, spec: ActionSpec, params: Params, act: Act) -> None:
        """Where an act that opens or changes a page left it: an address outside the policy is not told."""
        if not issubclass(spec.result, Navigated):
            return
        url = (await self._driver.page_info(_page_of(params, act))).url
        if spec.compares is Compare.TARGET_URL:
            verdict = check_address(self._policy, url, act.domain)
        else:
            verdict = None if is_listed(self._policy, url) else Verdict(Kind.DENY, "origin.unlisted")
        if verdict is not None:
            _raise_landed(verdict)

    def _withheld(self, data: JsonObject) -> JsonObject:
        """A list of pages without the entries of unlisted origins."""
        pages = data.get("pages")
        if not isinstance(pages, list | tuple):
            return data
        listed = [page for page in pages if isinstance(page, dict) and is_listed(self._policy, page.get("url"))]
        return {**data, "pages": listed, "withheld": len(pages) - len(listed)}


def _refuse_references(spec: ActionSpec, command: Command) -> None:
    """This host has no vault: a reference typed as it stands would be a wrong password at best."""
    texts = (value for value in command.params.values() if isinstance(value, str))
    if spec.risk is not Risk.CREDENTIAL and any(_REFERENCE in text for text in texts):
        raise ActionError(ActionCode.NOT_IMPLEMENTED, "浏览器端没有保险箱，不能填入凭据引用")


def _shows(spec: ActionSpec, params: Params) -> bool:
    """Whether the act tells where another page is."""
    return isinstance(params, PageId) and issubclass(spec.result, Navigated)


def _page_of(params: Params, act: Act) -> str | None:
    """The page an act is about: the one it names, else the command's."""
    return params.page if isinstance(params, PageId) else act.command.page


def _committed(spec: ActionSpec, located: Located) -> str | None:
    """What the browser committed for the act; one that a driver does not know is on no list."""
    if spec.compares is Compare.NOTHING:
        return None
    return located.origin if located.origin is not None else _NO_ORIGIN


def _label_of(located: Located) -> str | None:
    """What the act sets off. A message that only can be closed asks for nothing, whatever it says."""
    target = located.target
    if target is None or (target.tag == "dialog" and target.type == "alert"):
        return None
    return target.label


def _raise_if(verdict: Verdict | None) -> None:
    if verdict is not None:
        raise PolicyDeniedError(verdict.cause, facts={"rule": verdict.rule})


def _raise_landed(verdict: Verdict) -> Never:
    cause = "页面跳转到了策略以外的地址，内容没有读取"
    raise PolicyDeniedError(cause, facts={"rule": f"landed.{verdict.rule}"})


def _checked(act: Act, spec: ActionSpec, data: JsonObject) -> JsonObject:
    """A driver's data must fit the table: what does not is the host's bug and never reaches the wire."""
    try:
        result = spec.result.model_validate(data)
    except ValidationError:
        code = ActionCode.UNKNOWN_OUTCOME if act.unknown else ActionCode.ACTION_FAILED
        raise ActionError(code, f"浏览器端对 {spec.name} 给出了不合规的结果") from None
    return result.model_dump(mode="json", exclude_none=True)
