"""The final words: only what the trace supports, nothing that loads or leads anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
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
_NOT: Final = re.compile(r"[没未无别勿]|不(?!仅|但|只)|尚|失败|取消|拒绝|需要|请|如需|可以|若|如果|待")
LEFT_OUT: Final = "（有一处数字在读到的数据里找不到，已略去）"
NO_ADDRESS: Final = "（网址已略去）"

CLAIMS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "download": re.compile(r"(?:已|成功)?(?:下载|导出)(?:了|完成|成功|到|并)|已(?:经)?(?:成功)?(?:下载|导出)"),
        "upload": re.compile(r"已(?:经)?(?:成功)?上传|上传(?:了|完成|成功)"),
        "change": re.compile(
            r"已(?:经)?(?:成功)?(?:提交|审批|批准|通过|驳回|删除|保存|填写|修改|更新|创建|新增|发送|支付|作废|录入)"
            r"|(?:提交|审批|驳回|删除|保存|填写|修改|更新|创建|新增|发送|支付|作废|录入)(?:了|完成|成功)"
        ),
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


def review(summary: str, known: Collection[Decimal], done: Collection[str]) -> Review:
    """What in the summary the trace does not support; `done` are the kinds of `CLAIMS` the trace has."""
    numbers = tuple(
        (sentence.strip(), each.written)
        for sentence in sentences(summary)
        for each in quantities(sentence)
        if not borne_out(each, known, rounded=_ROUNDED.search(sentence) is not None)
    )
    claims = tuple(
        sentence.strip()
        for sentence in sentences(summary)
        for kind, pattern in CLAIMS.items()
        if kind not in done and (found := pattern.search(sentence)) and not _denied(sentence, found)
    )
    return Review(numbers, claims)


def _denied(sentence: str, found: re.Match[str]) -> bool:
    """Whether the clause says that it was not done, or speaks of what somebody might do."""
    clause = re.split(r"[，,：:]", sentence[: found.start()])[-1]
    return _NOT.search(clause) is not None


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
    plain = _PICTURE.sub(lambda match: match[1], text).replace("<", "＜").replace(">", "＞")
    return _ADDRESS.sub(lambda match: match[0] if in_scope(match[0]) else NO_ADDRESS, plain)


def scope_test(origins: Collection[str]) -> Callable[[str], bool]:
    """Whether an address is on one of the (serialised) origins and carries no query, for `inert_answer`."""

    def known(url: str) -> bool:
        try:
            return str(origin_of(url)) in origins and "?" not in url and "#" not in url
        except PolicyDeniedError:
            return False

    return known
