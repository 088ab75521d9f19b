"""The parts of an instruction that are values and not words about the task: dates, quotes, ids, departments,
numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from sgclaw.gateway.understand.dates import find_dates
from sgclaw.gateway.understand.periods import Base, Unit, When
from sgclaw.skills.lexicon import FILLERS, HARMLESS_GROUPS, VERB_GROUPS
from sgclaw.skills.numbers import find_numbers, small
from sgclaw.skills.words import cut, tokens

Kind = Literal["quote", "labelled", "date", "time", "id", "department", "party", "every_department", "number"]


@dataclass(frozen=True, slots=True)
class Span:
    """A value in a text. `value`: `When` or None (date), text (quote, id, department), "HH:MM" (time), a number;
    (label, text) for labelled text.
    A `party` is a department that asks or is given something: no input takes it. `anchored`: a date whose year
    does not depend on what was spoken of before.
    """

    kind: Kind
    start: int
    end: int
    value: object
    unit: str = ""
    anchored: bool = True


QUOTES: Final = re.compile(
    r"“([^“”]{1,200})”|\"([^\"]{1,200})\"|《([^《》]{1,200})》|‘([^‘’]{1,200})’|'([^']{1,200})'|【([^【】]{1,200})】"
)
_LABELS: Final = (
    "审批意见|意见|备注|标题|主题|理由|原因|说明|名称|收件人|抄送人?|关键字|关键词|地点|议题|参会人员?|会议名称|内容"
)
_LABELLED: Final = re.compile(
    rf"(?P<label>{_LABELS})\s*(?:填写|填|写|为|是|叫|:)+\s*(?P<text>[^,。;!?“\"《‘'【]{{1,200}})"
)
_TIME: Final = re.compile(
    r"(?:(?P<part>早上|早晨|上午|中午|下午|晚上|傍晚)\s*)?(?:(?P<h>[01]?\d|2[0-4])\s*:\s*(?P<m>[0-5]\d)(?!\d)"
    r"|(?P<h2>[01]?\d|2[0-4]|十[一二]?|二十[一二三四]?|[一二两三四五六七八九])(?:点钟?|时(?![间候效限长段薪工]))(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<m2>[0-5]?\d)分?)?)"
)
_LATER: Final = frozenset({"下午", "晚上", "傍晚"})
_ID: Final = re.compile(
    r"(?<![0-9a-z])(?:(?!q[1-4](?![0-9a-z]))[a-z]{1,8}[-_]?\d[0-9a-z]*(?:[-_][0-9a-z]+)*|[a-z]{1,8}(?:[-_][a-z]{1,8})?[-_]\d[0-9a-z-]*|\d{4}-\d{4,}|\d{8,})(?![0-9a-z])"
)
_NOT_IDS: Final = re.compile(r"excel\d+|word\d+|mp[34]|h5|utf-?8|win\d+|office\d+|ie\d+|a4|a3|html5")
_FOR_ANYONE: Final = HARMLESS_GROUPS | {"send", "print"}
_EVERY: Final = re.compile(r"(?:所有|全部|各个?|每个|不限|不分|全体)的?部门|全公司|整个公司|全集团|全单位")
_SUFFIX: Final = re.compile(r"(?:部门|部|处|科室|科|中心|室|小组|组|分公司|子公司|公司|局|所)$")
_NOT_DEPARTMENTS: Final = re.compile(
    r"(?:全|内|外|局|各|上|下|东|西|南|北|本)部|部门?|.*(?:会议室|教室|休息室|浴室)|.*[用好坏害益到长短之何四]处|(?:一|分|全|本|各)?组|(?:本|全|各|我)?(?:公司|局|所|室|科|处|中心)|.*(?:场所|厕所|住所|派出所|交易所|邮局|结局|布局|全科|学科|百科)|全公司|各部门|该部门|本部门"
)
_NOT_MEANT_BEFORE: Final = re.compile(
    r"[非除代替]$|(?:通知|联系|告诉|抄送|转交|转|交|发|寄)给?$|[让叫由向请]$|给[我你您他她咱]们?[和跟与及、]$"
)
_GIVEN: Final = re.compile(r"[给为帮]$")
_SPEAKS: Final = re.compile(r"(?:的?(?:人|同事|领导|经理|老板))?(?:让|叫|要求?|说|需要|催|等着|想|请我|问|用|看|急)")
_NO_NAME: Final = re.compile(r"[非除代替问找]")
_BREAKS: Final = frozenset({"报表", "表格", "表", "单据", "文件", "月份", "季度", "数据"})
_ORDER: Final[tuple[Kind, ...]] = (
    "quote",
    "labelled",
    "every_department",
    "date",
    "time",
    "id",
    "department",
    "number",
)


def find_spans(text: str, source: str, base: Base) -> tuple[Span, ...]:
    """Every value of a folded text (`source`: the same text unfolded, from which text values are taken), without
    overlaps.

    Where two readings overlap the kind that comes first in `_ORDER` wins.
    """
    taken: list[Span] = []
    free = bytearray(b"\1" * len(text))
    # A private-use character ends every pattern, so that nothing is read across a value already taken.
    chars = list(text)
    for kind in _ORDER:
        for span in _FINDERS[kind]("".join(chars), source, base):
            # Asked of the places and not of the spans: a text that is all values has as many of one as of the other.
            if all(free[span.start : span.end]):
                taken.append(span)
                free[span.start : span.end] = bytes(span.end - span.start)
                chars[span.start : span.end] = "\ue000" * (span.end - span.start)
    return tuple(sorted(taken, key=lambda span: span.start))


def _quotes(text: str, source: str, _base: Base) -> Iterator[Span]:
    for match in QUOTES.finditer(text):
        yield Span("quote", match.start(), match.end(), source[match.start() + 1 : match.end() - 1].strip())


def _labelled(text: str, source: str, _base: Base) -> Iterator[Span]:
    for match in _LABELLED.finditer(text):
        body = source[match.start("text") : match.end("text")].replace("\ue000", "").strip()
        if body and "\ue000" not in match["text"]:
            yield Span("labelled", match.start(), match.end(), (match["label"], body))


def _dates(text: str, _source: str, base: Base) -> Iterator[Span]:
    for found in find_dates(text, base):
        yield Span("date", found.start, found.end, found.when, anchored=found.anchored)


def _times(text: str, _source: str, _base: Base) -> Iterator[Span]:
    last: tuple[int, int] = (0, 0)
    for match in _TIME.finditer(text):
        hour = small(match["h"] or match["h2"]) or 0
        joined = match["part"] is None and text[last[0] : match.start()].strip() in {"到", "至", "-", "~"}
        hour += 12 if hour < 12 and (match["part"] in _LATER or (joined and hour < last[1])) else 0
        last = (match.end(), hour)
        spoken = 30 if match["half"] else {"一": 15, "三": 45}.get(match["quarter"] or "", 0)
        minute = int(match["m"] or match["m2"] or spoken)
        yield Span("time", match.start(), match.end(), f"{hour % 24:02d}:{minute:02d}")


def _ids(text: str, source: str, _base: Base) -> Iterator[Span]:
    for match in _ID.finditer(text):
        if not _NOT_IDS.fullmatch(match[0]):
            yield Span("id", match.start(), match.end(), source[match.start() : match.end()])


def _every(text: str, _source: str, _base: Base) -> Iterator[Span]:
    for match in _EVERY.finditer(text):
        yield Span("every_department", match.start(), match.end(), match[0])


def _departments(text: str, source: str, _base: Base) -> Iterator[Span]:
    for run in re.finditer(r"[\u4e00-\u9fffa-z]+", text):
        at = run.start()
        start: int | None = None
        verb_at: int | None = None
        for word in tokens(run[0]):
            here, at = at, at + len(word)
            ends = _SUFFIX.search(word) is not None and word not in VERB_GROUPS
            if not ends and (word in FILLERS or word in _BREAKS or word in VERB_GROUPS):
                start, verb_at = None, here if word in VERB_GROUPS and len(word) > 1 else None
                continue
            if start is None:
                # 采购部: a verb right before a bare suffix is the department's name.
                start = verb_at if verb_at is not None and _SUFFIX.fullmatch(word) else here
            if ends:
                yield from _department(text[start:at], text, source, start)
                start = None
            verb_at = None


def _is_party(text: str, start: int, end: int) -> bool:
    """Whether a department is who asks, or whom something is for, and not what the task is about.

    申报 for a department is about it; who is given an export may be anyone.
    """
    before, after = text[max(0, start - 8) : start].rstrip(), text[end : end + 12].lstrip()
    if _NOT_MEANT_BEFORE.search(before) or _SPEAKS.match(after):
        return True
    if not _GIVEN.search(before):
        return False
    acts = {VERB_GROUPS[word] for word in cut(after) if word in VERB_GROUPS}
    return not acts or not acts.isdisjoint(_FOR_ANYONE)


def _department(name: str, text: str, source: str, start: int) -> Iterator[Span]:
    if 2 <= len(name) <= 12 and not _NOT_DEPARTMENTS.fullmatch(name):
        end = start + len(name)
        party = (_NO_NAME.match(name) and len(name) > 3) or _is_party(text, start, end)
        value = source[start:end]
        shown = value.removesuffix("门") if value.endswith("部门") else value
        yield Span("party" if party else "department", start, end, shown)


def _numbers(text: str, _source: str, _base: Base) -> Iterator[Span]:
    for number in find_numbers(text):
        start = number.start - text.endswith(("前", "第"), 0, number.start)
        yield Span("number", start, number.end, number.value, number.unit)


_FINDERS: Final = {
    "quote": _quotes,
    "labelled": _labelled,
    "every_department": _every,
    "date": _dates,
    "time": _times,
    "id": _ids,
    "department": _departments,
    "number": _numbers,
}

_IMPLIED: Final = {Unit.MONTH: "月度", Unit.QUARTER: "季度", Unit.YEAR: "年度"}


def implied_word(span: Span) -> str | None:
    """The word a period stands for in the name of a task: 3月 in 「3月的报表」 means 月度."""
    return _IMPLIED.get(span.value.unit) if isinstance(span.value, When) else None
