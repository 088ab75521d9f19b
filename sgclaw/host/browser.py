"""`Browser.act`: the only way to act on a page.

Order, and nowhere else: parameters → scope and policy → audit record → sign and send → one response in time → checked
result or typed error. The host's verdict is the one that counts; the policy here only refuses earlier.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sgclaw.errors import (
    ActionCode,
    ActionError,
    HostGoneError,
    NeedsApprovalError,
    PolicyDeniedError,
    SgClawError,
)
from sgclaw.host.observe import check_landing, digest_of, observe
from sgclaw.host.session import Services, Session
from sgclaw.host.told import explained, next_step_of, refused
from sgclaw.policy.decide import Attempt, Kind, Scope, Verdict, decide
from sgclaw.policy.origins import origin_of
from sgclaw.ports import Act, Binding, JsonObject, Observed, Record
from sgclaw.protocol.actions import ActionSpec, Compare, Risk, spec_of, told
from sgclaw.protocol.limits import APPROVAL_SECONDS
from sgclaw.protocol.messages import Command, Response
from sgclaw.protocol.parts import ID_PATTERN, SkillTag

_APPROVAL_GRACE_S = 5
"""Over the host's own 120 s, so that its `approved: false` is what ends the wait."""
_MAX_NAME = 64
"""Characters kept of the name of an action that may not exist."""
_SYNC_RISKS = (Risk.IRREVERSIBLE, Risk.CREDENTIAL)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An act whose parameters are valid and whose domain is known."""

    act: Act
    spec: ActionSpec
    params: JsonObject
    domain: str
    deadline_ms: int


class PipeBrowser:
    """The `Browser` port over a session, bound to one task."""

    def __init__(self, session: Session, services: Services, binding: Binding) -> None:
        self._session, self._services, self._binding = session, services, binding
        self._scope = _scope_of(binding)
        self._domains: dict[str | None, str] = {}
        self._trail: list[Observed] = []

    @property
    def trail(self) -> Sequence[Observed]:
        return tuple(self._trail)

    async def act(self, act: Act) -> Observed:
        await self._binding.gate.wait()
        prepared = self._prepare(act)
        started = self._services.clock.monotonic()
        seq, response = await self._carry_out(prepared)
        duration = round((self._services.clock.monotonic() - started) * 1000)
        try:
            check_landing(self._session.opened.policy, prepared.spec, prepared.domain, response)
            observed = observe(prepared.spec, seq, response, duration)
        except SgClawError as error:
            rule: JsonObject = {"rule": error.facts.get("rule")} if isinstance(error, PolicyDeniedError) else {}
            self._record_done(seq, {"ok": False, "code": error.code, "duration_ms": duration, **rule})
            if isinstance(error, ActionError):
                raise explained(prepared.spec.name, prepared.params, error) from None
            if isinstance(error, PolicyDeniedError):
                raise refused(error) from None
            raise
        self._conclude(prepared, seq, {"ok": True, "duration_ms": duration, **digest_of(observed)})
        if prepared.spec.name == "navigate":
            self._domains[self._page_of(act)] = prepared.domain
        self._trail.append(observed)
        return observed

    def _page_of(self, act: Act) -> str | None:
        return act.page or self._binding.page

    def _prepare(self, act: Act) -> _Prepared:
        """Raises what is wrong with the act itself, once the ledger has it: every refusal leaves a trace."""
        try:
            return self._checked(act)
        except SgClawError as error:
            rule = error.facts.get("rule", error.code)
            facts: JsonObject = {"seq": 0, "action": act.action[:_MAX_NAME], "params": dict(act.params)}
            facts |= {"domain": act.expected_domain or "", "verdict": "deny", "rule": rule, "reason": error.cause}
            self._record("command", facts)
            raise

    def _checked(self, act: Act) -> _Prepared:
        spec = spec_of(act.action)
        params = spec.check(act.params)
        domain = act.expected_domain or self._domain_for(act, spec)
        named = params.model_dump(mode="json", exclude_none=True, exclude_unset=True)
        return _Prepared(act, spec, named, domain, spec.deadline_for(params))

    def _domain_for(self, act: Act, spec: ActionSpec) -> str:
        """The task's host for the page; for an address the address's own, which policy and scope then judge."""
        if spec.compares is Compare.TARGET_URL:
            return origin_of(act.params.get("url")).host
        return self._domains.get(self._page_of(act), self._binding.domain)

    async def _carry_out(self, prepared: _Prepared) -> tuple[int, Response]:
        verdict = self._judge(prepared)
        if verdict.kind is Kind.DENY:
            self._record_command(prepared, 0, verdict)
            facts: JsonObject = {"rule": verdict.rule, "domain": prepared.domain}
            raise PolicyDeniedError(verdict.cause, next_step=next_step_of(verdict), facts=facts)
        seq, response = await self._send(prepared, verdict, None)
        if response.error is None or response.error.code != NeedsApprovalError.code:
            return seq, response
        rule = response.error.facts.get("rule")
        self._record_done(seq, {"ok": False, "code": NeedsApprovalError.code, "rule": rule})
        approval_id = await self._approved(response.error.facts, seq)
        return await self._send(prepared, verdict, approval_id)

    def _judge(self, prepared: _Prepared) -> Verdict:
        scope = self._scope or self._binding.scope()
        attempt = Attempt(
            prepared.spec, prepared.params, prepared.domain, scope=scope, skill=scope.skill if scope else None
        )
        return decide(self._session.opened.policy, attempt)

    async def _send(self, prepared: _Prepared, verdict: Verdict, approval_id: str | None) -> tuple[int, Response]:
        sent: list[int] = []

        def command(seq: int) -> Command:
            self._record_command(prepared, seq, verdict, approved=approval_id is not None)
            sent.append(seq)
            return self._command(prepared, seq, approval_id)

        try:
            response = await self._session.call(command, prepared.domain)
        except (ActionError, HostGoneError) as error:
            problem = _outcome_of(prepared, error) if sent else error
            self._conclude(prepared, sent[0] if sent else 0, {"ok": False, "code": problem.code, "because": error.code})
            raise problem from None
        return sent[0], response

    def _command(self, prepared: _Prepared, seq: int, approval_id: str | None) -> Command:
        skill = self._binding.skill
        return Command(
            seq=seq,
            action=prepared.spec.name,
            params=prepared.params,
            task_id=self._binding.task_id,
            page=self._page_of(prepared.act),
            skill=SkillTag(ref=skill.manifest.ref, sha256=skill.sha256) if skill else None,
            deadline_ms=prepared.deadline_ms,
            observe=prepared.act.observe,
            approval_id=approval_id,
        )

    async def _approved(self, facts: JsonObject, seq: int) -> str:
        """Wait for the person's word on the act the host holds; returns the id to resend with, or raises."""
        approval_id = facts.get("approval_id")
        if not isinstance(approval_id, str) or not re.fullmatch(ID_PATTERN, approval_id):
            raise ActionError(ActionCode.ACTION_FAILED, "浏览器要求确认，却没有给出可用的确认编号", facts={"seq": seq})
        shown = {key: value for key, value in facts.items() if key != "approval_id"}
        self._record("approval_requested", {"seq": seq, "approval_id": approval_id, "facts": shown})
        self._binding.on_person(True)
        try:
            approved = await self._session.approval(approval_id, APPROVAL_SECONDS + _APPROVAL_GRACE_S)
        finally:
            self._binding.on_person(False)
        self._record("approval_given", {"seq": seq, "approval_id": approval_id, "approved": approved})
        if not approved:
            raise NeedsApprovalError("该操作没有得到您的确认，没有执行", facts={"seq": seq, **shown})
        return approval_id

    def _record_command(self, prepared: _Prepared, seq: int, verdict: Verdict, *, approved: bool = False) -> None:
        data: JsonObject = {
            "seq": seq,
            "action": prepared.spec.name,
            "params": prepared.params,
            "domain": prepared.domain,
            "verdict": "deny" if verdict.kind is Kind.DENY else "allow",
            "rule": verdict.rule,
            "reason": verdict.cause,
        }
        self._record("command", data, sync=approved or self._may_be_irreversible(prepared.spec))

    def _may_be_irreversible(self, spec: ActionSpec) -> bool:
        """By its kind, or because the host may see a label that asks for a person, whom a standing grant stands for."""
        skill = self._scope.skill if self._scope else None
        grants = self._session.opened.policy.grants
        return spec.risk in _SYNC_RISKS or any((each.skill, each.action) == (skill, spec.name) for each in grants)

    def _conclude(self, prepared: _Prepared, seq: int, data: JsonObject) -> None:
        """Record a command that was done, or may have been. Where that fails, a changing act is told to be in doubt."""
        try:
            self._record_done(seq, data)
        except SgClawError as error:
            if not seq or not prepared.spec.changes:
                raise
            cause = f"“{told(prepared.spec.name, prepared.params)}”已经发出，结果没有能记入账本（{error.cause}）"
            raise ActionError(ActionCode.UNKNOWN_OUTCOME, cause, facts={"seq": seq, "because": error.code}) from None

    def _record_done(self, seq: int, data: JsonObject) -> None:
        self._record("command_done", {"seq": seq, **data})

    def _record(self, event: str, data: JsonObject, *, sync: bool = False) -> None:
        skill = self._binding.skill
        actor = f"skill:{skill.manifest.ref}" if skill else "sgclaw"
        trace_id = self._session.opened.trace_id
        self._services.ledger.append(Record(event, trace_id, actor, self._binding.task_id, data), sync=sync)


def _scope_of(binding: Binding) -> Scope | None:
    if binding.skill is None:
        return None
    manifest = binding.skill.manifest
    return Scope(manifest.name, frozenset(manifest.domains), frozenset(manifest.capabilities.actions))


def _outcome_of(prepared: _Prepared, error: ActionError | HostGoneError) -> ActionError | HostGoneError:
    """A sent act whose answer never came: unknown when it may have changed something, else the plain error."""
    if not prepared.spec.changes:
        return error
    cause = f"{error.cause}，不知道“{told(prepared.spec.name, prepared.params)}”是否已经生效"
    return ActionError(ActionCode.UNKNOWN_OUTCOME, cause, facts={**error.facts, "because": error.code})
