"""One call of a tool, from the checks before it to the judgement after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sgclaw.agent.breaker import Breaker
from sgclaw.agent.checks import Checked, check_call
from sgclaw.agent.critic import Critic, Made
from sgclaw.agent.desk import Desk
from sgclaw.agent.text_mode import read_object
from sgclaw.agent.tools import finishing
from sgclaw.agent.tools.model import Tool, ToolOutcome
from sgclaw.agent.tools.telling import told_error
from sgclaw.context.chat import ToolCall
from sgclaw.errors import (
    AuditUnavailableError,
    BudgetExceededError,
    CancelledTaskError,
    FileProblemError,
    HostGoneError,
    NeedsApprovalError,
    PolicyDeniedError,
    SgClawError,
)
from sgclaw.protocol.parts import State

_FATAL: Final = (HostGoneError, AuditUnavailableError, BudgetExceededError, CancelledTaskError, FileProblemError)
"""What no other call would change; every other error is a result that the model can answer."""
MOST_REFUSALS: Final = 3
"""Times a person says no before the run stops asking."""


class Hands:
    """Carries out the calls of a run one after the other."""

    def __init__(self, desk: Desk, tools: Mapping[str, Tool]) -> None:
        self._desk, self._tools = desk, tools
        self._breaker, self._critic = Breaker(desk.equipment.clock), Critic()
        self._refusals = 0

    async def carry_out(self, call: ToolCall) -> tuple[ToolOutcome, str | None]:
        """What came of the call, and a nudge for the model if there is one.

        Raises what ends the run: the critic's stop, the breaker's last failure, a host that is gone, …
        """
        checked = check_call(call, self._tools)
        if isinstance(checked, str):
            action = (read_object(call.arguments) or {}).get("action")
            self._desk.refused(action if isinstance(action, str) else call.name, checked, "call")
            outcome = ToolOutcome(checked, failed=True)
        else:
            outcome = await self._called(checked)
            self._weigh(outcome, checked.tool)
        if outcome.ends is not None:
            return outcome, None
        return outcome, self._critic.judge(Made(call.name, call.arguments, outcome.text, outcome.unchanged))

    async def _called(self, checked: Checked) -> ToolOutcome:
        machine = self._desk.machine
        machine.settle(State.EXECUTING)
        if checked.tool.spec.name == finishing.NAME:
            outcome = await checked.tool.call(checked.arguments)
            if outcome.ends is None:
                machine.move(State.EXECUTING)
            return outcome
        machine.move(State.WAITING)
        if checked.tool.changes:
            while (pause := self._breaker.pause()) > 0:
                await self._desk.equipment.sleep(pause)
        try:
            outcome = await checked.tool.call(checked.arguments)
        except SgClawError as error:
            if isinstance(error, _FATAL) or type(error) is SgClawError:
                raise
            outcome = ToolOutcome(told_error(error), failed=True, error=error)
        machine.move(State.OBSERVING, State.EXECUTING)
        return outcome

    def _weigh(self, outcome: ToolOutcome, tool: Tool) -> None:
        """Failures of the page count for the breaker; a no of the policy or a person does not break anything."""
        error = outcome.error
        if isinstance(error, NeedsApprovalError):
            self._refusals += 1
            if self._refusals >= MOST_REFUSALS:
                raise error
        elif isinstance(error, PolicyDeniedError):
            return
        elif error is not None:
            self._breaker.failed(error)
        elif not outcome.failed and tool.changes:
            self._breaker.succeeded()
