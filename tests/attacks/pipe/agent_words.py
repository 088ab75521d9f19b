"""The cases' words for what sgclaw says to a browser, as commands of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.attacks.corpus import Case
from tests.attacks.pipe.browser import DOMAIN
from tests.attacks.pipe.host_words import unnamed
from tests.attacks.pipe.raw import flat
from tests.attacks.pipe.signs import Json

Data = Mapping[str, Any]
APPROVALS: Final[Mapping[str, str]] = {"cfm-1": "ap-1"}
"""The approval the cases speak of → the one the host gave for the act it holds."""
ACTION_NAMES: Final[Mapping[str, str]] = {"storageClear": "clearStorage", "snapshot": "getAomSnapshot"}
"""Words of the cases for actions of ours."""
_ENVELOPE: Final[Json] = {"task_id": "t1", "deadline_ms": 5_000}


def selectors_of(case: Case) -> list[str]:
    """Every element the case names: all exist, so that nothing is refused for want of one."""
    params = [line["msg"].get("params") for line in flat(case.data["lines"]) if isinstance(line.get("msg"), dict)]
    named = {item.get("selector") for item in params if isinstance(item, dict)}
    return ["#btn", "#title", *sorted(name for name in named if isinstance(name, str))]


def _with_site(params: Json) -> Json:
    """`login` and `logout` name a site in our table. Other elements stay other sites: an approval is for one act."""
    selector = params.get("selector", "#btn")
    rest = {name: value for name, value in params.items() if name != "selector"}
    return {"site": DOMAIN if selector == "#btn" else str(selector), **rest}


def params_of(action: object, params: Any) -> Any:
    """Parameters as our action table names them."""
    return _with_site(params) if action in ("login", "logout") and isinstance(params, dict) else params


def agent_body(message: Data, case: Case, upcoming: int) -> Json:
    """A command (or whatever it is) without `security`; `$NEXT` is the next number."""
    body = unnamed(message, case)
    if body.get("seq") == "$NEXT":
        body["seq"] = upcoming
    if body.get("type") != "command":
        return body
    if isinstance(body.get("action"), str):
        body["action"] = ACTION_NAMES.get(body["action"], body["action"])
    if "params" in body:
        body["params"] = params_of(body.get("action"), body["params"])
    approval = body.get("approval_id")
    if isinstance(approval, str) and approval in APPROVALS:
        body["approval_id"] = APPROVALS[approval]
    return {**body, **{name: value for name, value in _ENVELOPE.items() if name not in body}}
