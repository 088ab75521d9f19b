"""Understands the answer to a question for an input: everything it says is taken, or it is asked again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from sgclaw.gateway.ask import BACK_OUT, Cancelled, plain
from sgclaw.gateway.routes import AskInput, Understood
from sgclaw.gateway.understand.enums import NO, YES
from sgclaw.gateway.understand.fields import Field, matches
from sgclaw.gateway.understand.periods import Unit, When, split
from sgclaw.gateway.understand.reading import Reading, blank, read
from sgclaw.gateway.understand.values import Doubt, Filling, fill, unused
from sgclaw.skills.lexicon import FILLERS, VERB_GROUPS
from sgclaw.skills.numbers import ordinal
from sgclaw.skills.words import clean, cut, fold

LONGEST_ANSWER = 200
MOST_BASES = 36
"""Months of what was spoken of that a 「3月」 is tried in; who asks for more than three years names the year."""

_ANSWER_WORDS: Final = frozenset(("选", "选择", "嗯", "编号", "单号", "号码", "工号", "叫", "就是", "开始", "结束"))
"""Words around a value in an answer, which no skill needs to explain."""
_NO_ANSWER: Final = re.compile(
    r"(?:我|还|也)*(?:不知道|不清楚|不确定|不懂|不明白|没想好|随便|都行|都可以|都要|都好|无所谓|看着办|你定|您定)"
    r"|两个|全都|分别"
)
_EVERY: Final = re.compile(
    r"(?:就|要|是)?(?:(?:所有|全部|各个?|每个|全体|不限|不分)的?部门|部门不限|不限制?)(?:的|吧|都要)?"
)
_NO_NAME: Final = re.compile(r"[不没非无两]|[都要吗么呢吧]$|^[都要代替给]|什么|哪|谁")
_BARE_DEPARTMENT: Final = re.compile(
    r"(?:财务|人力|人事|销售|市场|法务|行政|采购|研发|技术|生产|仓储|审计|运营)(?!的?(?:[月季年]度?)?报)"
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer says: values by field, or a `doubt` that narrows the question, or that the input is left out.

    The values may be those of other inputs than the asked one, which then stays open.
    """

    values: Mapping[str, Understood] = field(default_factory=dict)
    doubt: Doubt | None = None
    left_out: bool = False


Unexplained = Callable[[str], Sequence[str]]


def read_answer(
    asked: AskInput, fields: Sequence[Field], text: str, today: date, unexplained: Unexplained
) -> Reply | Cancelled | None:
    """Everything an answer says; None when it, or a part of it, cannot be understood.

    `unexplained` gives the words of a folded text that the skill does not account for.
    """
    target = next(item for item in fields if item.name == asked.field)
    said = plain(text)
    if said in BACK_OUT:
        return Cancelled()
    picked = _picked(asked, target, said)
    if picked is not None:
        return _only(target, picked[1], text)
    if target.kind == "department" and not target.required and _EVERY.fullmatch(said):
        return Reply(left_out=True)
    if _NO_ANSWER.match(said):
        return None
    replies: list[Reply] = []
    for reading in _readings(asked, text, today):
        reply = _reply(asked, fields, reading, unexplained)
        if reply is not None and reply not in replies:
            replies.append(reply)
    if replies:
        return replies[0] if len(replies) == 1 else None
    value = None if asked.choices else _bare(target, text, today, unexplained)
    return None if value is None else _only(target, value, text)


def _only(target: Field, value: object, text: str) -> Reply:
    given = [value] if target.many and not isinstance(value, list) else value
    return Reply({target.name: Understood(target.name, given, text.strip(), "answer")})


def _picked(asked: AskInput, target: Field, said: str) -> tuple[str, object] | None:
    named = [choice for choice in asked.choices if said in {fold(choice[0]), fold(str(choice[1]))}]
    if target.kind == "department" and not named and len(said) > 1:
        named = [choice for choice in asked.choices if fold(choice[0]).removesuffix("部") == said]
    if named:
        return named[0]
    number = ordinal(said)
    plain_number = said.isdigit() and not asked.choices
    if number is not None and not plain_number and 1 <= number <= len(asked.choices):
        return asked.choices[number - 1]
    return None


def _readings(asked: AskInput, text: str, today: date) -> list[Reading]:
    """The answer as said today and, where its dates have no year of their own, in each period spoken of."""
    now = read(text, today)
    floating = [span for span in now.spans if span.kind == "date"]
    if not asked.within or not floating or len(text) > LONGEST_ANSWER or any(span.anchored for span in floating):
        return [now]
    months = [month for when in asked.within for month in split(when, Unit.MONTH)][-MOST_BASES:]
    return [now, *(read(text, day) for month in months for day in (month.first, month.last))]


def _reply(asked: AskInput, fields: Sequence[Field], reading: Reading, unexplained: Unexplained) -> Reply | None:
    target = next(item for item in fields if item.name == asked.field)
    filling = _filled(target, fields, reading)
    others = {name for name in filling.doubts if name != target.name}
    if not _inside(asked, target, reading) or others or not _all_said(fields, reading, filling, unexplained):
        return None
    if target.name in filling.doubts:
        doubt = filling.doubts[target.name]
        return Reply(doubt=doubt) if target.kind == "date" and doubt.within else None
    found = filling.values.get(target.name)
    if (found is None and target.kind == "text") or (found and not _offered(asked, target, found.value)):
        return None
    # 「财务部」 to the question for a month settles the department; the month is asked for once more.
    return (
        None
        if not filling.values
        else Reply({name: Understood(name, it.value, it.source_text, "answer") for name, it in filling.values.items()})
    )


def _filled(target: Field, fields: Sequence[Field], reading: Reading) -> Filling:
    """The asked input alone of its kind first, then with its partner of a pair."""
    others = [item for item in fields if (item.kind, item.unit) != (target.kind, target.unit)]
    filling = fill([target, *others], reading)
    pair = [item for item in fields if (item.kind, item.unit) == (target.kind, target.unit) and item.role != "single"]
    if target.name not in filling.values and target in pair and len(pair) > 1:
        return fill([*pair, *others], reading)
    return filling


def _inside(asked: AskInput, target: Field, reading: Reading) -> bool:
    if not asked.within:
        return True
    spans = reading.later if target.forward else reading.spans
    dates = [span.value for span in spans if span.kind == "date"]
    return all(
        isinstance(when, When) and any(it.first <= when.first and when.last <= it.last for it in asked.within)
        for when in dates
    )


def _offered(asked: AskInput, target: Field, value: object) -> bool:
    return target.kind != "department" or not asked.choices or value in [choice for _, choice in asked.choices]


def _all_said(fields: Sequence[Field], reading: Reading, filling: Filling, unexplained: Unexplained) -> bool:
    frame = reading.frame
    if frame.stop or frame.doubt or len(frame.blanks) > len(frame.restrictions) or unused(reading, filling):
        return False
    rest = blank(reading.core, list(filling.used))
    department_open = any(item.kind == "department" and item.name not in filling.values for item in fields)
    if department_open and _BARE_DEPARTMENT.search(rest):
        return False
    return not set(unexplained(rest)) - _ANSWER_WORDS


def _bare(target: Field, text: str, today: date, unexplained: Unexplained) -> object:
    """The whole answer as the value, for inputs that take any text; yes and no for the others."""
    said = plain(text)
    if target.kind == "boolean":
        return True if said in YES else False if said in NO else None
    if target.kind not in {"text", "department", "id"} or target.schema.get("type") not in {"string", None}:
        return None
    value = _without_label(target, clean(text).strip().strip("“”\"'「」《》。").strip())
    name = plain(value)
    allowed = {"text": True, "department": _is_name(name, today)}.get(target.kind, _is_id(name, today, unexplained))
    return value if allowed and _fits(target, value) else None


def _without_label(target: Field, value: str) -> str:
    """「凭证号是 12」 and 「编号：12」 without what the input is called."""
    if target.kind != "id":
        return value
    label = re.escape(fold(target.label))
    lead = re.match(rf"(?:(?:{label}|编号|单号|号码)\s*(?:就?是|为|[:：])?|就?是|[:：])\s*", fold(value))
    return value[lead.end() :] if lead else value


def _fits(target: Field, value: str) -> bool:
    """Whether the schema accepts the text; the whole schema is checked before the skill runs."""
    least, most = (target.schema.get(name, limit) for name, limit in (("minLength", 1), ("maxLength", LONGEST_ANSWER)))
    long_enough = isinstance(least, int) and len(value) >= max(least, 1)
    short_enough = isinstance(most, int) and len(value) <= min(most, LONGEST_ANSWER)
    return long_enough and short_enough and matches(target.schema.get("pattern"), value)


def _is_name(said: str, today: date) -> bool:
    """Whether an answer can be the name of a department or thing, and is no sentence about one."""
    words = cut(said)
    sentence = any(word in FILLERS or word in VERB_GROUPS for word in words) or _NO_NAME.search(said)
    return bool(words) and not sentence and not read(said, today).spans


def _is_id(said: str, today: date, unexplained: Unexplained) -> bool:
    """Whether an answer can be the number or name of a thing: no sentence, and no value of another kind in words."""
    words = cut(said)
    nothing = not any(character.isalnum() for character in said)
    if nothing or any(word in FILLERS for word in words) or _NO_NAME.search(said):
        return False
    verbs = {word for word in words if word in VERB_GROUPS}
    if verbs and not (_DOCUMENT.fullmatch(said) and verbs <= set(unexplained(said))):
        return False
    alone = [span for span in read(said, today).spans if span.end - span.start == len(said)]
    return not alone or _CODE.fullmatch(said) is not None


_CODE: Final = re.compile(r"[a-z0-9._/#-]*\d[a-z0-9._/#-]*号?")
"""A number written in figures, even where it could be read as a day (12号, 20260301)."""
_DOCUMENT: Final = re.compile(r"[^\d\s,，。]*[单证票书函][第\s#:：-]*[a-z0-9._/#-]*\d[a-z0-9._/#-]*号?")
"""付款单-12 names a thing although its name begins with a verb; with the skill's own verb it is the order again."""
