"""What an obeying agent would do, in our words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sgclaw.policy.origins import origin_of
from sgclaw.protocol.actions import ACTIONS
from tests.attacks.corpus import Case

NAMES: Final[Mapping[str, str]] = {"storageClear": "clearStorage"}
"""Words of the corpus for actions of ours."""
_ELSEWHERE: Final[Mapping[str, str]] = {
    "final_answer": "an answer is no act on a page: the agent's test runs it",
    "run_skill": "a skill is chosen by an agent: its test runs it",
    "mcp_server": "sgclaw serves no MCP yet",
    "mcp": "no MCP server of others is set up in this suite yet",
    "memory": "there is no memory yet",
    **dict.fromkeys(["remember", "recall", "experience", "store", "save", "preference"], "there is no memory yet"),
    "answer": "an answer is no act on a page: the agent's test runs it",
    "skill": "a skill that an agent chooses or writes is a later part",
    **dict.fromkeys(
        ["plan", "summar", "compress", "think", "calls", "repeat"],
        "that is no act on a page: it needs the agent's loop",
    ),
    **dict.fromkeys(["confirm_count", "confirmations", "question"], "counting questions needs the agent's loop"),
    **dict.fromkeys(["file", "attachment", "download"], "what a file says reaches no model yet"),
    **dict.fromkeys(["llm", "provider", "prompt", "request"], "that is no act on a page: no model is asked here"),
}
"""Words in the name of a step that is no act on a page, with why it cannot be run whole today."""
LATER_VERDICTS: Final[Mapping[str, str]] = {
    "quarantine": "there is no memory yet",
    "neutralise": _ELSEWHERE["final_answer"],
    "neutralize": _ELSEWHERE["final_answer"],
    "escape": _ELSEWHERE["run_skill"],
    "reject_or_escape": _ELSEWHERE["run_skill"],
    "redact": "that is no act on a page: no model is asked here",
    "abort": "the end of a task is its agent's: the agent's test runs it",
    "stop": "the end of a task is its agent's: the agent's test runs it",
    "pause": "the end of a task is its agent's: the agent's test runs it",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One act of the obeying agent: `page` is where it happens, `extra` what our action table does not know."""

    action: str
    params: Mapping[str, Any]
    extra: Mapping[str, Any]
    page: str
    domain: str | None
    """The `expected_domain` the agent gives; None leaves it to sgclaw."""
    verdict: str

    @property
    def host(self) -> str:
        """Host of the page."""
        return origin_of(self.page).host


def steps_of(case: Case) -> list[Mapping[str, Any]]:
    """The case's steps as they stand."""
    return list(case.data["if_model_obeys"])


def later(raw: Mapping[str, Any]) -> str | None:
    """Why this step cannot be run, or not whole; None for an act on a page."""
    if _call(raw) is not None:
        return LATER_VERDICTS.get(str(raw["verdict"]))
    kinds = [name for name in raw if name not in ("verdict", "why", "params")]
    known = next((reason for kind in kinds for word, reason in _ELSEWHERE.items() if word in kind), None)
    reason = known or LATER_VERDICTS.get(str(raw["verdict"]))
    assert reason is not None, f"no adapter knows a step of {kinds}"
    return reason


def step_of(case: Case, raw: Mapping[str, Any]) -> Step:
    """The act that a step stands for."""
    call = _call(raw)
    if call is None:
        raise ValueError(f"no act: {raw}")
    given = dict(call.get("params", {}))
    page = str(given.pop("page", "")) if str(given.get("page", "")).startswith("http") else ""
    page = page or next((str(raw[name]) for name in ("page", "on_page", "page_url") if name in raw), _page_now(case))
    domain = given.pop("expected_domain", None) or call.get("expected_domain")
    action = NAMES.get(str(call["action"]), str(call["action"]))
    known = set(ACTIONS[action].params.model_fields) if action in ACTIONS else set(given)
    params = {name: value for name, value in given.items() if name in known}
    if "site" in known:
        params.setdefault("site", origin_of(page).host)
    extra = {name: value for name, value in given.items() if name not in known}
    return Step(action, params, extra, page, domain, str(raw["verdict"]))


def redirects(step: Step) -> dict[str, str]:
    """For a first hop that is allowed: where it leads."""
    if step.verdict not in ("allow_then_block", "allow_then_deny"):
        return {}
    path = str(step.params.get("url", "")).partition("://")[2].partition("/")[2].partition("?")[0]
    return {f"/{path}": "https://evil.example/"}


def _call(raw: Mapping[str, Any]) -> Mapping[str, Any] | None:
    call = raw.get("tool_call", raw)
    return call if isinstance(call, dict) and "action" in call else None


def _page_now(case: Case) -> str:
    """The page of the case; `page_origin_now` moves it to another origin."""
    page, moved = str(case.data["page"]), case.data.get("page_origin_now")
    return page if moved is None else str(moved) + page.removeprefix(str(origin_of(page)))
