"""What a whole task may use: one meter for the planner, the reviewers and every loop of an actor."""

from __future__ import annotations

from collections.abc import Callable

from sgclaw.agent.limits import Limits, Meter, Spent
from sgclaw.ports import Clock, ModelUsage, Person, Question


class TaskBudget:
    """`asking.Budget` by the limits of the task. A loop begins with what was spent, and hands back what then is."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._limits, self._clock = limits, clock
        self._meter = Meter(limits, clock, Spent())

    @property
    def spent(self) -> Spent:
        """What everybody has used up to now."""
        return self._meter.spent

    def check(self) -> None:
        """See `asking.Budget`."""
        self._meter.check(0)

    def spend(self, usage: ModelUsage) -> None:
        """See `asking.Budget`."""
        self._meter.add(usage)

    def take(self, spent: Spent) -> None:
        """A loop that began with `spent` has ended with this."""
        self._meter = Meter(self._limits, self._clock, spent)

    def person(self, begins: bool) -> None:
        """A wait for a person begins or ends: the clock stands still."""
        self._meter.person(begins)


class AskedPerson:
    """`Person` whose waits are the task's: no clock runs, and `told` hears that they begin and end."""

    def __init__(self, person: Person, budget: TaskBudget, told: Callable[[bool], None]) -> None:
        self._person, self._budget, self._told = person, budget, told

    async def ask(self, task_id: str, question: Question) -> str | None:
        """See `ports.Person.ask`."""
        self._told(True)
        self._budget.person(True)
        try:
            return await self._person.ask(task_id, question)
        finally:
            self._budget.person(False)
            self._told(False)
