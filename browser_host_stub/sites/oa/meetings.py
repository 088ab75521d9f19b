"""Meeting rooms and who has them when."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, timedelta

from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.frame.dice import Dice
from browser_host_stub.sites.frame.forms import wrong
from browser_host_stub.sites.oa.organisation import members

OPENS, CLOSES, SLOT_MINUTES = "08:30", "18:00", 30
SUBJECTS = ("项目周例会", "预算评审会", "产品需求评审", "供应商洽谈", "季度经营分析会", "安全生产例会", "新员工座谈")


@dataclass(frozen=True, slots=True)
class Room:
    """A room that can be booked."""

    id: str
    name: str
    floor: str
    seats: int
    equipment: str


ROOMS = (
    Room("R301", "301 会议室", "三层", 8, "电视屏"),
    Room("R302", "302 会议室", "三层", 12, "投影、白板"),
    Room("R305", "305 视频会议室", "三层", 16, "视频会议、投影"),
    Room("R501", "501 会议室", "五层", 20, "投影、音响"),
    Room("R502", "502 洽谈室", "五层", 6, "白板"),
    Room("R801", "801 报告厅", "八层", 80, "LED 屏、音响、同传"),
)


@dataclass(slots=True)
class Booking:
    """A room taken on a day from `start` to `end` (`HH:MM`); `participants` are staff numbers."""

    id: str
    room: str
    day: date
    start: str
    end: str
    subject: str
    organiser: str
    participants: list[str]

    def report(self) -> dict[str, object]:
        """The JSON form."""
        return asdict(self) | {"day": self.day.isoformat()}


def at_start(today: date) -> list[Booking]:
    """Two bookings a day in most rooms, from today on for a fortnight; weekends are free."""
    dice = Dice("oa bookings")
    made: list[Booking] = []
    for offset in range(14):
        day = today + timedelta(days=offset)
        for room in ROOMS if day.weekday() < 5 else ():
            for hour in (dice.integer(9, 11), dice.integer(14, 16)):
                people = [dice.pick(members()) for _ in range(dice.integer(2, 5))]
                staff = sorted({one.id for one in people})
                end = f"{hour + 1}:{dice.pick(('00', '30'))}"
                subject = dice.pick(SUBJECTS)
                number = f"MB{len(made) + 1:05d}"
                made.append(Booking(number, room.id, day, f"{hour:02d}:00", end, subject, people[0].name, staff))
    return made


def check(wanted: Booking, existing: list[Booking], today: date) -> None:
    """Refuses what cannot be: PAST, a time off the grid or backwards (INVALID), ROOM_TOO_SMALL, CONFLICT."""
    room = next(one for one in ROOMS if one.id == wanted.room)
    if wanted.day < today:
        raise SiteError(422, "PAST", "不能预订已经过去的日期", "day")
    if not OPENS <= wanted.start < wanted.end <= CLOSES:
        raise wrong("start", f"会议时间应在 {OPENS} 至 {CLOSES} 之间，且结束晚于开始")
    if any(int(time[3:]) % SLOT_MINUTES for time in (wanted.start, wanted.end)):
        raise wrong("start", "会议时间应为整点或半点")
    if len(wanted.participants) + 1 > room.seats:
        raise SiteError(
            422, "ROOM_TOO_SMALL", f"{room.name}只有 {room.seats} 个座位，请减少参会人或换一间", "participants"
        )
    for other in existing:
        if (
            (other.room, other.day) == (wanted.room, wanted.day)
            and other.start < wanted.end
            and wanted.start < other.end
        ):
            raise SiteError(
                409,
                "CONFLICT",
                f"{room.name} {other.start}-{other.end} 已被{other.organiser}预订（{other.subject}），请换时间或会议室",
            )
