"""The people of the demo company, by department. Nobody here exists."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from browser_host_stub.sites.frame.dice import Dice

DEPARTMENTS = ("财务部", "人力资源部", "采购部", "信息技术部", "市场部", "法务部", "行政部")
_POSITIONS = ("经理", "主管", "高级专员", "专员", "专员", "专员", "助理")


@dataclass(frozen=True, slots=True)
class Member:
    """A colleague. `id` is the staff number."""

    id: str
    name: str
    department: str
    position: str


@functools.cache
def members() -> tuple[Member, ...]:
    """Everybody, seven in each department, no name twice."""
    dice = Dice("oa members")
    found: list[Member] = []
    taken: set[str] = {"张敏"}
    for department in DEPARTMENTS:
        for position in _POSITIONS:
            name = dice.person()
            while name in taken:
                name = dice.person()
            taken.add(name)
            found.append(Member(f"E{1001 + len(found)}", name, department, position))
    return tuple(found)


def tree() -> list[dict[str, object]]:
    """The organisation as a tree of departments and people, for a page's tree control."""
    return [
        {
            "id": f"D{number}",
            "title": department,
            "children": [
                {"id": one.id, "title": f"{one.name}（{one.position}）"}
                for one in members()
                if one.department == department
            ],
        }
        for number, department in enumerate(DEPARTMENTS, 1)
    ]
