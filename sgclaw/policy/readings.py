"""When a word on a label is no order: names of things (审批记录), states (已提交), steps under way (审批中).

A reading excuses a word only when it is longer than the word, so a host that lists 审批记录 itself is asked about it.
A label that asks (确定删除已提交的单据吗？) is about an act: there nothing is excused. What is in doubt is not in these
tables: 删除记录, 提交结果 and 确认明细 are read as orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from sgclaw.policy.labels import AGREEING, BOOKING, DECISIONS, DESTROYING, ENTITLING, NOUNS_TOO, PAYING, SENDING

_HAN: Final = "[\u4e00-\u9fff]"

_THINGS: Final[Mapping[tuple[str, ...], str]] = MappingProxyType(
    {
        DECISIONS: (
            "人|者|时间|日期|状态|历史|记录|意见|原因|进度|流程|流|节点|结果|轨迹|管理|中心|台账|单号|单|模板|率|数量|数"
            "|说明|日志|查询|统计|详情|列表|情况|待办|权限|规则"
        ),
        SENDING: "人|者|方|时间|日期|状态|历史|率|进度|次数|须知|中心|版|件|页",
        DESTROYING: "率|范围|面|时间|日期|原因",
        BOOKING: "日期|时间|状态|管理|人",
        PAYING: (
            "记录|明细|方式|状态|时间|日期|单号|单|管理|申请|账户|账号|历史|查询|统计|台账|金额|人|方|计划|凭证|条件"
            "|回单|流水"
        ),
        ENTITLING: "书|管理|记录|状态|范围|信息|时间|日期|期限|人|方",
        AGREEING: "单|书|函|时间|日期|人|状态|记录",
    }
)
"""What makes the name of a thing of a word of the group, when no other Chinese character follows."""

_STATES_OF_ALL: Final = (*DECISIONS, *SENDING, *DESTROYING, *BOOKING, *PAYING, *ENTITLING, *AGREEING)
_DECLARATIONS: Final = (*PAYING, *AGREEING, "同意", "授权", "签署", "签收", "签字")
"""Words whose 已… is what a person declares by pressing: 已付款, 已同意."""

_PHRASES: Final = (
    *("支付宝", "同意书", "(?:审批|审核)[已未]通过"),
    "通过(?:手机|邮箱|邮件|短信|微信|扫码|账号|系统|以下)",
    "(?:清空|清除)(?:所有|全部)?(?:筛选|条件|查询|搜索|输入|选择|已选)",
    "冻结(?:首行|首列|列|行|窗格)",
)
_ENGLISH: Final = (
    "(?<!as)(?<!to)(?<!be)(?:submitt|approv|delet|reject|remov|publish|confirm|transferr|grant|revok|terminat|eras)ed",
    "sender|payroll|payload|payees?|payables?|submitters?|publishers?",
    "payments?(?:history|records?|methods?|terms|status|list|date|details|plan|schedule|report)",
    "transfers?(?:history|records?|status|list|date|report)|confirmation(?:number|email|date|letter)?(?![a-z])",
    "(?:submit|publish|send)(?:date|time)",
)

_BEFORE_ORDER: Final = (
    "立即|马上|现在|一键|批量|直接|正式|强制|开始|去|我要|申请|办理|发起|执行|进行|全部|选中|再次|重新|继续|快速|手动|自动"
    "|使|置为|设为|标记为|改为|转为"
)
_AFTER_ORDER: Final = "(?:该|此|本|这|所选|选中|全部|所有|当前).*"
_ASKS: Final = re.compile("[?吗]|^(?:您|你)?(?:确定|是否|真的)")
_BREAKS: Final = re.compile("[·|/,;。!:、]")


def orders(parts: Sequence[str], word: str) -> bool:
    """Whether the label (see `parts_of`), whose joint text holds the word, tells to do it."""
    plain = "".join(parts)
    if _ASKS.search(plain):
        return True
    if word in NOUNS_TOO:
        return any(_ordering(word).fullmatch(part) for part in _BREAKS.split(plain))
    spans = [(match.start(), match.end()) for match in re.finditer(re.escape(word), plain)]
    excuses = [*_excused(parts), *(match.span() for pattern in _english() for match in pattern.finditer(plain))]
    return not all(any(_covers(excuse, span) for excuse in excuses) for span in spans)


def _excused(parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the joint text is excused in Chinese. A space ends a name: 审批人 张三."""
    before = 0
    for part in parts:
        for pattern in _excuses():
            yield from ((before + match.start(), before + match.end()) for match in pattern.finditer(part))
        before += len(part)


def _covers(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1] and outer != inner


@cache
def _ordering(word: str) -> re.Pattern[str]:
    return re.compile(f"(?:{_BEFORE_ORDER})*{word}(?:{_AFTER_ORDER})?[^\u4e00-\u9fff]*")


@cache
def _excuses() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source) for source in _sources())


@cache
def _english() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source) for source in _ENGLISH)


def _sources() -> Iterator[str]:
    for words, things in _THINGS.items():
        yield f"(?:{'|'.join(words)})(?:{things})+(?!{_HAN})"
    states = [word for word in _STATES_OF_ALL if word not in _DECLARATIONS]
    yield f"(?<![为成我并记人])已被?(?:{'|'.join(states)})"
    yield f"(?<![为成我并记人])(?:未|待|尚未|暂未|正在)(?:{'|'.join(_STATES_OF_ALL)})"
    yield f"(?:{'|'.join(_STATES_OF_ALL)})中(?!{_HAN})"
    yield from _PHRASES
