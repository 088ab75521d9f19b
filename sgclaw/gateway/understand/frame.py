"""What kind of sentence it is: an order, a question about how, a report that it is done, an order for later, a no.

Only an order for now may run something. `stop` sentences run nothing whatever they name; `doubt` sentences are asked
about. The patterns err on the side of asking: a wrong doubt costs one click, a wrong run costs an export nobody
wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sgclaw.skills.lexicon import VERB_GROUPS
from sgclaw.skills.words import cut


@dataclass(frozen=True, slots=True)
class Frame:
    """`stop` and `doubt` are Chinese reasons; `blanks` are the parts of the text that say what is *not* wanted."""

    stop: str | None = None
    doubt: str | None = None
    blanks: tuple[tuple[int, int], ...] = ()
    restrictions: tuple[tuple[int, int], ...] = ()
    """The blanks that leave something out (不含明细) and forbid no act: a yes/no input may take them up."""


_POLITE: Final = re.compile(r"能不能|可不可以|能否|可否|可以|是否可以|方便|行不行|好不好|麻烦|能帮|请问能|劳驾")
_HOW: Final = (
    "怎么(?!都)|怎样|如何|咋|为什么|为何|为啥|干嘛|什么意思|是什么|是啥|什么是"
    "|什么时候|啥时候|几时|在哪|哪里|哪儿|多久|有什么用"
)
_WHETHER_DONE: Final = (
    r"[了过]\s*(?:吗|么|没有|没|嘛)\s*[?。!]*$|(?:好|完|成功)了(?:吗|么|没)|是不是已经|有没有(?:导|提|做|完成)"
)
_DONE: Final = "已经?[^,。;!?]{0,6}(?:了|过|完)|(?:刚刚|刚才|上次)[^,。;!?]{0,8}(?:了|过|的)|之前[^,。;!?]{0,8}[了过]"
_STOPS: Final = (
    ("这句话在询问做法或原因，没有要求执行", _HOW),
    ("这句话在询问是否已经做过，没有要求执行", _WHETHER_DONE),
    ("这句话在说已经做过的事，没有要求执行", _DONE),
)
_REPEATED: Final = "每天|每日(?=[^的]{0,4}[自定给发导])|每周|每月|每个月|每季度|每年|每个?工作日|每隔|定时|定期"
_CONDITION: Final = "如果|要是|假如|假设|万一|一旦|除非|等[^,。;]{1,12}(?:后|再|就|之后)"
_QUESTION: Final = "这句话像是在提问"
_DOUBTS: Final = (
    ("说的是定时执行的任务", _REPEATED),
    ("说的是有条件的任务", _CONDITION),
    ("说的是以后再做", "以后再|下次|改天|晚点|晚些|稍后|过会儿|待会|到时候|先别急"),
    ("这句话像是在问要不要做", "要不要|用不用|需不需要|想不想"),
    (_QUESTION, r"[吗么]\s*[?。!]*$|有多少|谁|是不是|该不该|应不应该|对不对|\?\s*$"),
    ("这句话里有“不”又像是在提问", r"(?:^|[,。;!?])[^,。;!?不没]*[不没][^,。;!?]*[吗么]\s*[?。!]*$"),
    ("这句话像是在说出了问题", "失败|报错|出错|不了|不出来|打不开|卡住|没反应|不对|有误|错了"),
)
_NOT: Final = re.compile(
    r"(?<!要)不要|(?<!用)不用|不必|不需要?|无需|无须|勿|禁止|停止|中止|终止|不想|不准(?!予)|不能(?!不)|先不|暂不|暂时不|不再|不许|不可(?!以)|不可以|不得(?!不)|甭|没必要"
    r"|(?<!能)(?<!可)(?<!好)不是(?!很)|别(?![的名墅处人样致])(?<![特级类分个性识差区告鉴辨派]别)"
    r"|除了|除去|除外|以外|之外|排除|剔除|去掉|不包括|不包含|不含|不带|而非|算了"
)
_NOT_DO: Final = re.compile(
    "不(?:" + "|".join(sorted(word for word in VERB_GROUPS if len(word) > 1 and f"不{word}" not in VERB_GROUPS)) + ")"
)
LEAVES_OUT: Final = frozenset(
    ("除了", "除去", "除外", "以外", "之外", "排除", "剔除", "去掉", "不包括", "不包含", "不含", "不带")
)
_COMMANDS_NO: Final = frozenset(
    ("别", "勿", "禁止", "停止", "中止", "终止", "不准", "不许", "不能", "不可", "不可以", "算了", "甭")
)
_RESTRICTION_END: Final = re.compile(r"的|[)]")
REMINDER: Final = re.compile(r"(?:千万|可)?(?:(?:不要|别|勿|不能|不可)忘(?:了|记了?|掉)?|记得|记着)")
"""「别忘了导出」 is an order to do it."""


def read_frame(text: str) -> Frame:
    """The frame of a folded text whose quoted parts are already blank."""
    stop = next((reason for reason, pattern in _STOPS if re.search(pattern, text)), None)
    without_polite = _POLITE.sub(lambda match: " " * len(match[0]), text)
    doubts = [reason for reason, pattern in _DOUBTS if re.search(pattern, without_polite)]
    if _POLITE.search(text):
        doubts = [reason for reason in doubts if reason != _QUESTION]
    blanks: list[tuple[int, int]] = []
    restrictions: list[tuple[int, int]] = []
    for clause in re.finditer(r"[^,。;!?]+", without_polite):
        negator = _NOT.search(clause[0]) or _NOT_DO.search(clause[0])
        if negator is None:
            continue
        start, end, forbids = _scope(clause, negator)
        blanks.append((start, end))
        if not forbids:
            restrictions.append((start, end))
    doubt = doubts[0] if doubts else None
    return Frame(stop=stop, doubt=doubt, blanks=tuple(blanks), restrictions=tuple(restrictions))


def _scope(clause: re.Match[str], negator: re.Match[str]) -> tuple[int, int, bool]:
    """What a negator covers, and whether it forbids an act (the whole clause) or leaves something out."""
    rest = clause[0][negator.end() :]
    word = negator[0]
    leaves_out = word in LEAVES_OUT
    forbids = (
        word in _COMMANDS_NO
        or word[1:] in VERB_GROUPS
        or (not leaves_out and (not rest.strip(" 了的") or _has_verb(rest)))
    )
    if forbids:
        return clause.start(), clause.end(), True
    after = word in {"除外", "以外", "之外"}
    start = clause.start() if after else clause.start() + negator.start()
    stop = _RESTRICTION_END.search(rest)
    end = clause.start() + negator.end() + (stop.end() if stop and not after else 0 if after else len(rest))
    return start, end, False


def _has_verb(text: str) -> bool:
    return any(word in VERB_GROUPS for word in cut(text))
