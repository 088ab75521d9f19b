"""Social insurance declarations: drafts that are filled in step by step, and what the authority does not take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.hr.people import ACTIVE, CITY_OF, Person
from browser_host_stub.sites.money import yuan

DRAFT, DECLARED = "草稿", "已申报"
MONTHS_BACK = 2
PROOF_KINDS = (".pdf", ".jpg", ".png")
LARGEST_PROOF = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The least and greatest base of a city, in cents a month."""

    least_cents: int
    greatest_cents: int


LIMITS = {
    "北京": Limits(716_200, 3_581_100),
    "上海": Limits(746_000, 3_730_200),
    "广州": Limits(551_000, 2_754_900),
    "成都": Limits(458_800, 2_294_000),
}
RATES = {
    "养老保险": (1600, 800),
    "医疗保险": (900, 200),
    "失业保险": (50, 50),
    "工伤保险": (40, 0),
}
"""Of the base, in hundredths of a percent: the company's share and the employee's."""


@dataclass(frozen=True, slots=True)
class Member:
    """One person of a declaration with the base declared."""

    person: str
    base_cents: int


@dataclass(frozen=True, slots=True)
class Proof:
    """A file that proves the bases; `size` in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the authority would refuse a person of the declaration."""

    person: str
    code: str
    message: str


@dataclass(slots=True)
class Declaration:
    """A declaration of one unit and month. `step` is the step of the form it was saved at, 0 to 3; `receipt` is the
    authority's number, empty while it is a draft.
    """

    id: str
    month: str
    unit: str
    members: list[Member]
    step: int = 1
    proofs: list[Proof] = field(default_factory=list)
    status: str = DRAFT
    receipt: str = ""
    person: str = ""

    @property
    def company_cents(self) -> int:
        """What the company pays."""
        return sum(_share(member.base_cents, company) for member in self.members for company, _ in RATES.values())

    @property
    def employee_cents(self) -> int:
        """What the employees pay."""
        return sum(_share(member.base_cents, own) for member in self.members for _, own in RATES.values())


class Insurance:
    """All declarations. `declarations` is keyed by id, `people` by employee number."""

    def __init__(self, today: date, people: Mapping[str, Person]) -> None:
        self.today = today
        self.people = people
        self.declarations: dict[str, Declaration] = {}

    def months(self) -> list[str]:
        """The months that can be declared, newest first: today's and `MONTHS_BACK` before."""
        last = self.today.year * 12 + self.today.month - 1
        return [f"{n // 12}-{n % 12 + 1:02d}" for n in range(last, last - MONTHS_BACK - 1, -1)]

    def declaration(self, key: str) -> Declaration:
        """The declaration, or the refusal NO_DECLARATION."""
        if key not in self.declarations:
            raise SiteError(404, "NO_DECLARATION", "申报单不存在，请从第一步重新开始")
        return self.declarations[key]

    def start(self, month: str, unit: str) -> Declaration:
        """The draft of this unit and month: the one that is there, or a new one with last month's people.

        Refusals: BAD_UNIT, BAD_MONTH, DUPLICATE when the month has been declared.
        """
        if unit not in CITY_OF:
            raise SiteError(422, "BAD_UNIT", "请选择缴费单位，须选到具体公司", "unit")
        if month not in self.months():
            raise SiteError(422, "BAD_MONTH", f"申报月份只能是 {'、'.join(self.months())}", "month")
        for known in self.declarations.values():
            if (known.month, known.unit) == (month, unit):
                if known.status == DECLARED:
                    raise SiteError(
                        409, "DUPLICATE", f"{unit} {month} 已申报（回执号 {known.receipt}），不能重复申报", "month"
                    )
                return known
        key = f"SB{month.replace('-', '')}{len(self.declarations) + 1:04d}"
        insured = [person for person in self.people.values() if person.unit == unit and person.insured]
        members = [Member(person.id, person.wage_cents) for person in insured]
        self.declarations[key] = Declaration(key, month, unit, members)
        return self.declarations[key]

    def set_members(self, key: str, members: Sequence[Member]) -> list[Problem]:
        """Saves people and bases, right or not; what is wrong. Refusals: DECLARED, NOBODY, BAD_PERSON, TWICE."""
        draft = self._draft(key)
        if not members:
            raise SiteError(422, "NOBODY", "参保人员不能为空，请至少选择一人")
        chosen = [member.person for member in members]
        for number in chosen:
            if number not in self.people or self.people[number].unit != draft.unit:
                raise SiteError(422, "BAD_PERSON", f"员工 {number} 不属于{draft.unit}")
        if len(set(chosen)) < len(chosen):
            raise SiteError(422, "TWICE", "同一员工只能出现一次")
        draft.members, draft.step = list(members), max(draft.step, 1)
        return self.problems(draft)

    def problems(self, draft: Declaration) -> list[Problem]:
        """What the authority would not take, person by person."""
        found = [_problem(self.people[member.person], member.base_cents) for member in draft.members]
        return [problem for problem in found if problem is not None]

    def add_proof(self, key: str, name: str, size: int) -> Proof:
        """Takes a file. Refusals: DECLARED, BAD_PROOF."""
        draft = self._draft(key)
        if PurePosixPath(name).suffix.lower() not in PROOF_KINDS:
            raise SiteError(422, "BAD_PROOF", "证明材料仅支持 pdf、jpg、png 格式", "proof")
        if not 0 < size <= LARGEST_PROOF:
            raise SiteError(422, "BAD_PROOF", f"证明材料“{name}”为空或超过 2 MB", "proof")
        draft.proofs = [proof for proof in draft.proofs if proof.name != name] + [Proof(name, size)]
        draft.step = max(draft.step, 2)
        return draft.proofs[-1]

    def remove_proof(self, key: str, name: str) -> None:
        """Forgets a file. Refusals: DECLARED."""
        draft = self._draft(key)
        draft.proofs = [proof for proof in draft.proofs if proof.name != name]

    def submit(self, key: str, person: str) -> Declaration:
        """Declares. Refusals: DECLARED, NOT_VALID for wrong people or bases, NO_PROOF."""
        draft = self._draft(key)
        problems = self.problems(draft)
        if problems:
            raise SiteError(422, "NOT_VALID", f"有 {len(problems)} 人未通过校验，首个：{problems[0].message}")
        if not draft.proofs:
            raise SiteError(422, "NO_PROOF", "请先上传工资证明材料", "proof")
        done = sum(known.status == DECLARED for known in self.declarations.values())
        draft.status, draft.person, draft.step = DECLARED, person, 3
        draft.receipt = f"RS{draft.month.replace('-', '')}{done + 1:06d}"
        return draft

    def _draft(self, key: str) -> Declaration:
        draft = self.declaration(key)
        if draft.status == DECLARED:
            raise SiteError(409, "DECLARED", f"该申报单已提交（回执号 {draft.receipt}），不能再修改")
        return draft


def shares(members: Sequence[Member]) -> list[tuple[str, int, int]]:
    """For each insurance the company's and the employees' payment in cents."""
    return [
        (
            name,
            sum(_share(member.base_cents, company) for member in members),
            sum(_share(member.base_cents, own) for member in members),
        )
        for name, (company, own) in RATES.items()
    ]


def _share(base_cents: int, rate: int) -> int:
    """The rate's part of a base, rounded half up to a cent."""
    return (base_cents * rate + 5_000) // 10_000


def _problem(person: Person, base_cents: int) -> Problem | None:
    limits = LIMITS[CITY_OF[person.unit]]
    if person.status != ACTIVE:
        return Problem(person.id, "LEFT", f"{person.name}（{person.id}）已离职，请移出参保名单")
    if base_cents < limits.least_cents:
        least = yuan(limits.least_cents)
        return Problem(person.id, "BASE_LOW", f"{person.name}（{person.id}）缴费基数低于下限 {least} 元")
    if base_cents > limits.greatest_cents:
        greatest = yuan(limits.greatest_cents)
        return Problem(person.id, "BASE_HIGH", f"{person.name}（{person.id}）缴费基数高于上限 {greatest} 元")
    return None
