"""The register of employees: looking people up, moving them between departments, marking them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.hr.people import ACTIVE, CITY_OF, DEPARTMENTS, UNITS, Person

COMPANY = "华岳集团"


@dataclass(slots=True)
class Staff:
    """`people` by number as they are now, `marked` the numbers of those somebody keeps an eye on."""

    people: dict[str, Person]
    marked: set[str] = field(default_factory=set)

    def person(self, number: str) -> Person:
        """The employee, or the refusal NO_PERSON."""
        if number not in self.people:
            raise SiteError(404, "NO_PERSON", f"员工 {number} 不存在，请核对工号")
        return self.people[number]

    def found(self, words: str, places: frozenset[str] | None = None) -> list[Person]:
        """Those with the words in number, name or position, in one of the places (keys of `tree`), None for all."""
        return [
            person
            for person in self.people.values()
            if words in f"{person.id} {person.name} {person.position}"
            and (places is None or f"{person.unit}/{person.department}" in places)
        ]

    def move(self, number: str, unit: str, department: str) -> Person:
        """Moves somebody. Refusals: NO_PERSON, BAD_PLACE, SAME_PLACE, LEFT."""
        person = self.person(number)
        if unit not in CITY_OF or department not in DEPARTMENTS:
            raise SiteError(422, "BAD_PLACE", "请选择调入单位和部门", "department")
        if person.status != ACTIVE:
            raise SiteError(409, "LEFT", f"{person.name}已离职，不能办理调岗")
        if (person.unit, person.department) == (unit, department):
            raise SiteError(422, "SAME_PLACE", f"{person.name}已在{unit}{department}，无需调岗", "department")
        self.people[number] = replace(person, unit=unit, department=department)
        return self.people[number]

    def mark(self, number: str) -> bool:
        """Marks somebody or takes the mark away; whether they are marked now. Refusal: NO_PERSON."""
        self.marked ^= {self.person(number).id}
        return number in self.marked

    def tree(self) -> Mapping[str, object]:
        """The organisation, with the number of people at every node; leaves have the keys that `found` takes."""
        counts: dict[str, int] = {}
        for person in self.people.values():
            for key in (COMPANY, CITY_OF[person.unit], person.unit, f"{person.unit}/{person.department}"):
                counts[key] = counts.get(key, 0) + 1
        cities = [
            _node(city, city, counts, [_unit_node(unit, counts) for unit in units]) for city, units in UNITS.items()
        ]
        return _node(COMPANY, COMPANY, counts, cities)


def _unit_node(unit: str, counts: Mapping[str, int]) -> Mapping[str, object]:
    leaves = [_node(f"{unit}/{name}", name, counts, []) for name in DEPARTMENTS]
    return _node(unit, unit, counts, leaves)


def _node(
    key: str, title: str, counts: Mapping[str, int], children: list[Mapping[str, object]]
) -> Mapping[str, object]:
    return {"key": key, "title": title, "count": counts.get(key, 0), "children": children}
