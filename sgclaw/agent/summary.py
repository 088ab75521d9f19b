"""The final words: only what the trace supports, nothing that loads or leads anywhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from sgclaw.agent.quantities import borne_out, quantities
from sgclaw.errors import PolicyDeniedError
from sgclaw.policy.origins import origin_of

_SENTENCE: Final = re.compile(r"[^。！？；\n]+[。！？；\n]*|\n+")
_ROUNDED: Final = re.compile(r"约|大概|左右|近|超过|多|余|不足|以上")
_ADDRESS: Final = re.compile(r"(?:https?:)?//[^\s<>()（）\"'，。；、]+", re.IGNORECASE)
_PICTURE: Final = re.compile(r"!?\[([^\]]*)\]\(([^)]*)\)")
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_NOT: Final = re.compile(
    r"(?:没有?|没能|未能?|尚未|无(?!误)法?|勿|别|不(?!仅|但|只)[能会可]?|取消|拒绝)[^，：]{0,2}$"
    r"|(?:失败|需要|(?<![申邀])请(?![假款购示求])|如需|可以|若|如果|是否)[^，：]{0,4}$|[待若如等]$"
)
_NOT_YET: Final = re.compile(r"(?:没有|无|若|如|是否|待)$|(?:(?<![申邀])请(?![假款购示求])|如需|如果)[^，：]{0,4}$")
"""What takes a claim back, right before it: of 提交成功, and of 已提交, which 没有问题 or 待办 do not touch."""
LEFT_OUT: Final = "（有一处数字在读到的数据里找不到，已略去）"
NO_ADDRESS: Final = "（网址已略去）"

_ACTS: Final = (
    "提交|审批|批准|通过|驳回|删除|保存|创建|新建|新增|添加|发送|发布|支付|付款|转账|汇款|退款|作废|归档|签收|签署"
    "|撤回|撤销|移除|清空|启用|停用|下单|登记"
)
_FILLS: Final = "填写|填入|录入|输入|修改|更新|变更"
_FILLER: Final = (
    r"(?:成功|全部|均|都|为您|帮您|替您|按要求|(?:将|把|对)[^，。；\n]{1,20}?)?(?:成功|全部|完成了?|进行了?)?"
)


def _claimed(verbs: str) -> re.Pattern[str]:
    """How a text says that one of these was done."""
    return re.compile(
        rf"已(?:经)?{_FILLER}(?:{verbs})|(?:{verbs})(?:操作|手续)?(?:也|均|都|全部)?已?经?(?:了|完成|成功|完毕|好了)"
        rf"|(?:完成了?|成功)(?:{verbs})"
    )


CLAIMS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "download": re.compile(r"(?:已|成功)?(?:下载|导出)(?:了|完成|成功|到|并)|已(?:经)?(?:成功)?(?:下载|导出)"),
        "upload": re.compile(r"已(?:经)?(?:成功)?上传|上传(?:了|完成|成功)"),
        "change": _claimed(_FILLS),
        "act": _claimed(_ACTS),
    }
)
"""What a summary says was done, by the kind of act that must stand in the trace."""


@dataclass(frozen=True, slots=True)
class Review:
    """A summary that was looked at: sentences whose numbers nobody has seen, and deeds nobody did."""

    numbers: tuple[tuple[str, str], ...]
    """Sentence and number."""
    claims: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.numbers and not self.claims


def review(summary: str, known: Collection[Decimal], done: Collection[str], today: date | None = None) -> Review:
    """What in the summary the trace does not support; `done` are the kinds of `CLAIMS` the trace has.

    The date of `today` may be told as a date; its day and month are no numbers of anything else.
    """
    numbers = tuple(
        (sentence.strip(), each.written)
        for sentence in sentences(summary)
        for each in quantities(_without_date(sentence, today))
        if not borne_out(each, known, rounded=_ROUNDED.search(sentence) is not None)
    )
    claims = tuple(
        sentence.strip()
        for sentence in sentences(summary)
        for kind, pattern in CLAIMS.items()
        if kind not in done and not all(_denied(sentence, found) for found in pattern.finditer(sentence))
    )
    return Review(numbers, claims)


def _denied(sentence: str, found: re.Match[str]) -> bool:
    """Whether the clause says that it was not done, or speaks of what somebody might do."""
    clause = re.split(r"[，,：:]", sentence[: found.start()])[-1]
    return (_NOT_YET if found[0].startswith("已") else _NOT).search(clause) is not None


def _without_date(sentence: str, today: date | None) -> str:
    if today is None:
        return sentence
    year, month, day = today.year, f"0?{today.month}", f"0?{today.day}"
    told = (
        rf"(?<!\d)(?:{year}(?:-{month}-{day}|/{month}/{day}|年{month}月{day}日?|年{month}月|年)|{month}月{day}日)(?!\d)"
    )
    return re.sub(told, "", unicodedata.normalize("NFKC", sentence))


def sentences(text: str) -> Sequence[str]:
    """The text in sentences; put together they are the text."""
    return _SENTENCE.findall(text)


def without(summary: str, dropped: Collection[str]) -> str:
    """The summary without these sentences; that something is missing is said."""
    kept = "".join(each for each in sentences(summary) if each.strip() not in dropped).strip()
    return f"{kept}{LEFT_OUT}" if dropped else kept


def is_chinese(text: str) -> bool:
    """Whether a person reads Chinese in it."""
    return _CHINESE.search(text) is not None


def inert_answer(text: str, in_scope: Callable[[str], bool]) -> str:
    """The text as it may be shown: no markup, no picture, no address outside the scope."""
    plain = _PICTURE.sub(lambda match: match[1], text).replace("](", "］（").replace("<", "＜").replace(">", "＞")
    return _ADDRESS.sub(lambda match: match[0] if in_scope(match[0]) else NO_ADDRESS, plain)


def scope_test(origins: Collection[str]) -> Callable[[str], bool]:
    """Whether an address is on one of the (serialised) origins and carries no query, for `inert_answer`."""

    def known(url: str) -> bool:
        try:
            return str(origin_of(url)) in origins and "?" not in url and "#" not in url
        except PolicyDeniedError:
            return False

    return known
