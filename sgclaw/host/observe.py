"""Check a response against the action table and turn it into what the rest of sgClaw sees."""

from __future__ import annotations

import hashlib

import orjson
from pydantic import ValidationError

from sgclaw.errors import ActionCode, ActionError, PolicyDeniedError
from sgclaw.host.refused import from_host
from sgclaw.policy.decide import check_address, is_listed
from sgclaw.policy.model import Policy
from sgclaw.ports import JsonObject, Observed
from sgclaw.protocol.actions import ActionSpec, Compare
from sgclaw.protocol.messages import Response
from sgclaw.protocol.results import Artifact


def observe(spec: ActionSpec, seq: int, response: Response, duration_ms: int) -> Observed:
    """The checked result; raises the host's typed error, or `ACTION_FAILED` when the result has another shape."""
    if response.error is not None or not response.success:
        raise _error_of(response)
    try:
        result = spec.result.model_validate(response.data or {})
    except ValidationError:
        raise ActionError(
            ActionCode.ACTION_FAILED, f"浏览器对 {spec.name} 的回答不符合操作表", facts={"seq": seq}
        ) from None
    data = result.model_dump(mode="json", exclude_none=True)
    artifact = getattr(result, "artifact", None)
    return Observed(
        seq=seq,
        action=spec.name,
        data=data,
        value=data.get(spec.natural) if spec.natural else data,
        duration_ms=duration_ms,
        page=response.page,
        artifact=artifact if isinstance(artifact, Artifact) else None,
        snapshot=response.aom_snapshot if response.aom_facts is not None else None,
        facts=response.aom_facts if response.aom_snapshot is not None else None,
    )


def check_landing(policy: Policy, spec: ActionSpec, domain: str, response: Response) -> None:
    """Refuse the result of a page that the policy does not list, before anything in it is looked at.

    The host has checked this; one that is wrong or taken over must still not feed a foreign page to a skill or a model.
    Raises `POLICY_DENIED` with a rule `landed.…` that quotes nothing of the response. Errors pass: they hold no page.
    """
    if not response.success:
        return
    data = response.data or {}
    listed = data.get("pages")
    pages = [page.get("url") for page in listed if isinstance(page, dict)] if isinstance(listed, list) else []
    if response.page is not None:
        pages.append(response.page.url)
    if "url" in data:
        pages.append(data["url"])
    for url in pages:
        if not is_listed(policy, url):
            raise _landed("origin.unlisted")
    to_address = spec.compares is Compare.TARGET_URL and "url" in data
    verdict = check_address(policy, data["url"], domain) if to_address else None
    if verdict is not None:
        raise _landed(verdict.rule)


def _landed(rule: str) -> PolicyDeniedError:
    return PolicyDeniedError("页面在策略以外的地址，内容没有读取", facts={"rule": f"landed.{rule}"})


def digest_of(observed: Observed) -> JsonObject:
    """What the ledger keeps of a result: its digest, and the artifact's facts."""
    digest = hashlib.sha256(orjson.dumps(observed.data, option=orjson.OPT_SORT_KEYS)).hexdigest()
    facts: JsonObject = {"result_sha256": digest}
    if observed.artifact is not None:
        facts["artifact"] = observed.artifact.model_dump(mode="json")
    return facts


def _error_of(response: Response) -> Exception:
    if response.error is None:
        return ActionError(ActionCode.ACTION_FAILED, "浏览器报告失败，但没有给出原因")
    facts = {key: value for key, value in response.error.facts.items() if key != "approval_id"}
    return from_host(response.error.code, response.error.message, facts)
