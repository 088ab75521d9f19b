"""A browser that answers from a script: what a driver asks for is checked against what a page would say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sgclaw.errors import ActionCode, ActionError, SgClawError
from sgclaw.ports import Act, JsonObject, Observed

Answer = JsonObject | SgClawError
Script = Callable[[Act], Answer]


class Scripted:
    """The `Browser` port; `asked` are all acts in order."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.asked: list[Act] = []
        self._trail: list[Observed] = []

    @property
    def trail(self) -> Sequence[Observed]:
        return tuple(self._trail)

    async def act(self, act: Act) -> Observed:
        self.asked.append(act)
        answer = self._script(act)
        if isinstance(answer, SgClawError):
            raise answer
        observed = Observed(len(self.asked), act.action, answer, answer, 1)
        self._trail.append(observed)
        return observed

    def actions(self) -> list[str]:
        return [act.action for act in self.asked]


def refusal(code: ActionCode, **facts: object) -> ActionError:
    return ActionError(code, "浏览器的原因", facts=facts)


def answering(answers: Mapping[str, Answer]) -> Script:
    """The same answer to every act of one name."""
    return lambda act: answers[act.action]


def switch(*, moves: bool = True) -> Script:
    """A page with one Element Plus switch at `#on`."""
    on = False

    def answer(act: Act) -> Answer:
        nonlocal on
        if act.action == "check":
            return refusal(ActionCode.HIDDEN_TARGET, within=["input#on.el-switch__input", "div.el-switch", "body"])
        if act.action == "click":
            on = moves
            return {"clicked": True}
        assert act.action == "query"
        return {"value": on and str(act.params["selector"]).endswith(".is-checked")}

    return answer
