"""What one row of the action table says: `actions.py` holds the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import ValidationError

from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.params import Params, place_of
from sgclaw.protocol.results import Result


class Risk(StrEnum):
    """What an act can do, decided without a model."""

    READ = "read"
    SENSITIVE = "sensitive"  # reads what may hold secrets; results are scrubbed
    REVERSIBLE = "reversible"
    IRREVERSIBLE = "irreversible"  # needs approval
    CREDENTIAL = "credential"  # needs approval


class Compare(StrEnum):
    """What `security.expected_domain` is compared with before the act."""

    TARGET_URL = "target_url"  # the URL given, and again where it lands
    PAGE = "page"  # the page's committed origin
    FRAME = "frame"  # the committed origin of the target's frame
    NOTHING = "nothing"  # entries of unlisted origins are withheld instead


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One row of the table."""

    name: str
    params: type[Params]
    result: type[Result]
    risk: Risk
    compares: Compare
    deadline_ms: int
    positional: tuple[str, ...]
    description: str
    """What a model and a skill author read."""
    told: str
    """What a person reads while it is done; `{target}` is the selector or ref, other names are parameters."""
    changes: bool = False
    """Whether the act can change business state: such an act is never sent again when its outcome is unknown.
    Opening an address is not one: GET is safe by HTTP's definition."""

    @property
    def natural(self) -> str | None:
        """The result field a skill receives instead of the whole result object, if any."""
        return self.result.natural

    def check(self, params: Mapping[str, object]) -> Params:
        """Validate parameters; raises `BAD_PARAMS` naming the fields."""
        try:
            return self.params.model_validate(dict(params), strict=True)
        except ValidationError as error:
            raise _bad_params(self.name, error) from None

    def deadline_for(self, params: Params) -> int:
        """Milliseconds the command may take: a wait asked for in the parameters extends the default."""
        asked = getattr(params, "timeout_ms", None)
        return self.deadline_ms if not isinstance(asked, int) else asked + _WAIT_MARGIN_MS


_WAIT_MARGIN_MS = 2_000


def _bad_params(action: str, error: ValidationError) -> ActionError:
    problems = [
        {"field": place_of(item) or "*", "problem": item["type"]}
        for item in error.errors(include_url=False, include_context=False, include_input=False)[:10]
    ]
    fields = "、".join(sorted({str(item["field"]) for item in problems}))
    return ActionError(
        ActionCode.BAD_PARAMS, f"{action} 的参数不对：{fields}", facts={"action": action, "problems": problems}
    )
