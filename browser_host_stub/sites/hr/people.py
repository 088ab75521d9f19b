"""The demo company's organisation and its 3,000 employees, the same on every machine.

Nobody here exists. Identity numbers carry the area code 110000, under which none is issued, bank cards and telephone
numbers come from ranges of zeros; their check digits are right, so that whatever looks for such numbers finds these.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

from browser_host_stub.sites.frame.dice import Dice

UNITS: dict[str, tuple[str, ...]] = {
    "北京": ("集团总部", "北京数字科技公司", "北京物业服务公司", "北京工程公司", "北京商贸公司"),
    "上海": ("上海分公司", "上海供应链公司", "上海会展公司", "上海设计院", "上海贸易公司"),
    "广州": ("广州分公司", "广州物流公司", "广州装备公司", "广州零售公司", "广州电商公司"),
    "成都": ("成都分公司", "成都研发中心", "成都客服中心", "成都建材公司", "成都能源公司"),
}
DEPARTMENTS = ("综合管理部", "财务部", "市场部", "技术研发部", "运营部", "客户服务部")
CITY_OF = {unit: city for city, units in UNITS.items() for unit in units}
PEOPLE_PER_UNIT = 150
ACTIVE, LEFT = "在职", "已离职"

_POSITIONS = ("专员", "专员", "专员", "高级专员", "高级专员", "主管", "经理")
_ODD_WAGES = {9: 4_200, 77: 4_450, 33: 46_800}
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECK_DIGITS = "10X98765432"
_FIRST_BIRTH, _FIRST_ENTRY = date(1968, 1, 1), date(2008, 3, 1)


@dataclass(frozen=True, slots=True)
class Person:
    """An employee. `wage_cents` is the average monthly wage, `insured` whether last month's declaration had them."""

    id: str
    name: str
    gender: str
    unit: str
    department: str
    position: str
    entered: date
    id_number: str
    phone: str
    card: str
    wage_cents: int
    status: str
    insured: bool

    def __deepcopy__(self, _memo: object) -> Self:
        """Itself: it never changes, and thousands of them are copied with the state."""
        return self


@functools.cache
def people() -> tuple[Person, ...]:
    """All employees by number, `PEOPLE_PER_UNIT` in each unit.

    In every unit two have left but are still insured, four are new and not insured yet, two earn less than the least
    base of their city and one more than the greatest.
    """
    dice = Dice("people")
    units = [unit for unit in CITY_OF for _ in range(PEOPLE_PER_UNIT)]
    return tuple(_person(dice, serial, unit) for serial, unit in enumerate(units, 1))


def masked(number: str) -> str:
    """A personal number as lists show it: the first three and last four characters."""
    return number[:3] + "*" * (len(number) - 7) + number[-4:]


def _person(dice: Dice, serial: int, unit: str) -> Person:
    gender = dice.pick(("男", "女"))
    birth = _FIRST_BIRTH + timedelta(days=dice.integer(0, 12_700))
    place = serial % PEOPLE_PER_UNIT
    leaver, newcomer = place in (17, 93), place in (5, 48, 120, 121)
    return Person(
        id=f"HY{serial:05d}",
        name=dice.person(),
        gender=gender,
        unit=unit,
        department=DEPARTMENTS[dice.integer(0, len(DEPARTMENTS) - 1)],
        position=dice.pick(_POSITIONS),
        entered=_FIRST_ENTRY + timedelta(days=dice.integer(0, 6_000)),
        id_number=_id_number(birth, 2 * (serial % 500) + (1 if gender == "男" else 0)),
        phone=f"199{serial:08d}",
        card=_card(serial),
        wage_cents=100 * _ODD_WAGES.get(place, dice.integer(8_000, 22_000)),
        status=LEFT if leaver else ACTIVE,
        insured=not newcomer,
    )


def _id_number(birth: date, order: int) -> str:
    digits = f"110000{birth:%Y%m%d}{order % 1000:03d}"
    return digits + _CHECK_DIGITS[sum(w * int(d) for w, d in zip(_WEIGHTS, digits, strict=True)) % 11]


def _card(serial: int) -> str:
    body = f"622200{serial:012d}"
    digits = [int(digit) for digit in reversed(body)]
    total = sum(sum(divmod(2 * digit, 10)) for digit in digits[0::2]) + sum(digits[1::2])
    return f"{body}{-total % 10}"
