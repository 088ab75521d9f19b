"""When a word on a label is no order: names of things (审批记录), states (已提交), steps under way, put off or done.

A reading excuses a word only when it is longer than the word, so a host that lists 审批记录 itself is asked about it.
A label that asks (确定删除已提交的单据吗？) is about an act: there nothing is excused. What is in doubt is not in these
tables: 删除记录, 提交结果, 确认明细, 审批通过 and a bare 撤销 are read as orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from sgclaw.policy.labels import (
    AGREEING,
    BOOKING,
    DECISIONS,
    DESTROYING,
    ENDING,
    ENGLISH_NOUNS_TOO,
    ENTITLING,
    ICONS,
    NOUNS_TOO,
    PAYING,
    SENDING,
    words_of,
)

_HAN: Final = "[\u4e00-\u9fff]"
_END: Final = f"(?!{_HAN})"

_OFFICES: Final = ("审批", "审核", "复核", "覆核", "会签", "签批", "终审")
_BOXES: Final = ("启用", "停用", "禁用", "初始化", "上架", "下架", "解绑")

_THINGS: Final[Mapping[tuple[str, ...], str]] = MappingProxyType(
    {
        DECISIONS: "人|者|时间|日期|状态|历史|记录|意见|原因|进度|结果|轨迹|率|数量|数|次数|说明|情况|文号|稿",
        _OFFICES: (
            "人|状态|历史|记录|意见|进度|流程图|流程|流|节点|结果|轨迹|管理|中心|台账|单号|单|模板|日志|查询|统计|详情|列表"
            "|待办|权限|规则|设置|配置|(?<=单)打印"
        ),
        ("结案", "终审", "办结"): "报告",
        SENDING: "人|者|方|时间|日期|状态|历史|率|进度|次数|须知|中心|版|件|页",
        tuple(word for word in SENDING if word != "提交"): "记录|管理|台账|查询|统计|明细",
        ("用印", "盖章"): "申请单?|审批单",
        DESTROYING: "率|范围|面|时间|日期|原因",
        _BOXES: "状态",
        ENDING: (
            "日期|时间|原因|状态|次数|人|记录|历史|明细"
            "|(?:单据|发票|凭证|票据|登记|资金|账户|合同)(?:查询|列表|明细|台账|统计|记录|清单)"
        ),
        ("解除劳动合同", "解除劳动关系"): "(?:证明|通知)书?|协议书?",
        BOOKING: "日期|时间|状态|管理|人|记录|查询|号|编号|列表|台账",
        PAYING: (
            "记录|明细|方式|状态|时间|日期|单号|单|管理|申请|账户|账号|历史|查询|统计|台账|金额|人|方|计划|凭证|条件"
            "|回单|流水|列表|进度|中心|设置|渠道|提醒|通知|期限|日|额度"
        ),
        ENTITLING: "书|管理|记录|状态|范围|信息|时间|日期|期限|人|方|码|列表|(?<=书)下载|(?<=码)登录",
        AGREEING: "单|书|函|表(?!单)|时间|日期|人|状态|记录",
    }
)
"""What makes the name of a thing of a word of the group, when no other Chinese character follows."""

_STATES_OF_ALL: Final = (
    *(*DECISIONS, *SENDING, *DESTROYING, *ENDING, *BOOKING, *PAYING, *ENTITLING),
    *AGREEING,
)
_DECLARATIONS: Final = (*PAYING, *AGREEING, "同意", "授权", "签署", "签收", "签字", "签章", "盖章", "用印")
"""Words whose 已… and …成功 are what a person declares by pressing: 已付款, 支付成功, 已同意."""

_PUT_OFF: Final = "提交|发送|发布|删除|清空|覆盖|移除|支付|付款|缴费|归档"
"""Words whose no is no decision about anybody: 不删除, but 不同意 and 不启用 are."""

_PHRASES: Final = (
    *("支付宝", "同意书", "(?:审批|审核)[已未]通过"),
    "通过(?:手机|邮箱|邮件|短信|微信|扫码|账号|系统|以下)",
    f"(?:清空|清除|移除)(?:所有|全部)?(?:筛选|条件|查询|搜索|输入|选择|已选)(?:条件|项|器|框|内容|选项)*{_END}",
    f"冻结(?:首行|首列|列|行|窗格){_END}",
    f"删除线{_END}",
    f"发送[至到]打印机{_END}",
    f"(?<!{_HAN})银行转账{_END}",
    f"(?<!{_HAN})(?:公告|通知|新闻)发布{_END}",
    f"(?<!{_HAN})取消(?:删除|提交|支付|发送){_END}",
    f"(?<!{_HAN})(?:不|先不|暂不|暂时不|(?:稍后|以后|下次)再?)(?:{_PUT_OFF}){_END}",
    f"(?:用户|账号|员工)(?:启用|停用|禁用)列表{_END}",
    *("营销账", "[时年现当后]代发"),
)

_SHORTCUT: Final = re.compile(r"撤销[(\[]?(?:ctrl|cmd|command|⌘)\+?z(?![a-z])")
"""An editor's undo names its keys, a request's does not."""

_NOT_OF: Final = "(?<![为成我并记人])"
"""标记已付款, 设为待审批, 我已同意: the state is what the press brings about."""

_BEFORE_ORDER: Final = (
    "立即|立刻|马上|现在|一键|批量|直接|正式|强制|开始|去|请|点击|我要|申请|办理|发起|执行|进行|全部|选中|再次|重新|继续"
    "|快速|手动|自动|提前|使|置为|设为|标记为|改为|转为|保存后?|确定|提交后|完成后"
)
_AFTER_ORDER: Final = "(?:该|此|本|这|所选|选中|全部|所有|当前).*|办理"
_VERBS: Final = words_of("导入 同步 恢复 还原 执行 运行 推送 签订 签约 转让 过户 处置 报废 报损 红字 领用 归还")
_OBJECTS: Final = (
    "数据|文件|文档|名单|备份|版本|员工|用户|成员|账号|流程|任务|命令|脚本|操作|合同|协议|资产|设备|物资|发票"
)
"""What the verbs among the words that are nouns too do something to: 导入数据, but 离职员工 is a person."""

_ASKS: Final = re.compile("[?吗]|^(?:您|你)?(?:确定|是否|真的)")
_BREAKS: Final = re.compile("[·|/,;。!:、并且]|同时")
_BOX: Final = "是否启用"
"""The name of a column or a box, though it begins as a question does."""


def orders(parts: Sequence[str], word: str) -> bool:
    """Whether the label (see `parts_of`), whose joint text holds the word, tells to do it."""
    if word.isascii():
        return _english_orders(" ".join(parts), word)
    plain = "".join(parts)
    if word in ICONS:
        return not any(map(str.isalpha, plain))
    if _ASKS.search(plain):
        return plain != _BOX
    if word in NOUNS_TOO:
        return any(_ordering(word).fullmatch(piece) for part in (plain, *parts) for piece in _BREAKS.split(part))
    spans = [(match.start(), match.end()) for match in re.finditer(re.escape(word), plain)]
    excuses = list(_excused(parts, word))
    return not all(any(_covers(excuse, span) for excuse in excuses) for span in spans)


def _excused(parts: Sequence[str], word: str) -> Iterator[tuple[int, int]]:
    """Where the joint text is excused. A space ends a name: 审批人 张三."""
    before = 0
    for part in parts:
        for pattern in _excuses(word):
            yield from ((before + match.start(), before + match.end()) for match in pattern.finditer(part))
        before += len(part)
    yield from (match.span() for match in _SHORTCUT.finditer("".join(parts)))


def _covers(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1] and outer != inner


@cache
def _ordering(word: str) -> re.Pattern[str]:
    after = f"{_AFTER_ORDER}|{_OBJECTS}" if word in _VERBS else _AFTER_ORDER
    before = rf"[\W\d_]*(?:(?:{_BEFORE_ORDER})[\W\d_]*)*"
    return re.compile(f"{before}{re.escape(word)}(?:{after})?[^\u4e00-\u9fff]*")


@cache
def _excuses(word: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _sources(word)))


def _sources(word: str) -> Iterator[str]:
    """The readings that can cover the word: those of itself, and of the words it holds or is a piece of."""
    for words, things in _THINGS.items():
        if near := _near(word, words):
            yield f"(?:{near})(?:{things})+{_END}"
    if near := _near(word, [other for other in _STATES_OF_ALL if other not in _DECLARATIONS]):
        yield f"{_NOT_OF}已被?(?:{near})"
        yield f"{_NOT_OF}(?:{near})(?:成功|失败){_END}"
    if near := _near(word, _STATES_OF_ALL):
        yield f"{_NOT_OF}(?:未|尚未|暂未|正在|等?待(?:我|您|你|本人|领导|上级|部门)?)(?:{near})"
        yield f"(?:{near})中{_END}"
    if near := _near(word, (*DECISIONS, *SENDING)):
        yield f"(?<!{_HAN})我的(?:{near}){_END}"
    yield from (phrase for phrase in _PHRASES if not set(word).isdisjoint(phrase))


def _near(word: str, words: Sequence[str]) -> str:
    return "|".join(other for other in words if other in word or word in other)


_THE: Final = "(?:the|this|your|my|an?)"
_GAP: Final = f"(?:[ _-](?:{_THE}[ _-])?)?"
_BULK: Final = "bulk|batch|mass|quick|auto|force"
_OPENS: Final = (
    f"(?:^|[^a-z ] *|(?<![a-z])(?:and|or|then|to|yes|ok|okay|please|now|i|we|not|don['’]?t|hereby|click|{_BULK}) )"
)
"""Where a word that is a noun as well is an order: at the start, after a break, after a yes."""

_HEAD: Final = f"(?<![a-z])(?:btn|do|un|re|pre|{_BULK})?"
_TAIL: Final = (
    f"(?:(?:all|now|it|order|form|request|selected|items?)?(?![a-z])|s(?= (?:{_THE}|all|every|these|selected) ))"
)
_MADE: Final = "(?<![a-z])(?:as|to|be|mark|marked|set)(?: it| this| all| as){0,4} "
"""Mark as approved, to be deleted: the state is what the press brings about."""

_RECORDS: Final = "history|records?|status|list|date|time|reason|report"
_ENGLISH: Final = (
    f"(?:payment|withdrawal|deletion)[ _-]?(?:{_RECORDS}|methods?|terms|details|log|settings|options|type|amount)",
    f"(?:transfer|refund)[ _-]?(?:{_RECORDS})",
    "(?:re|pre)?pay(?:ment)?[ _-]?(?:plan|schedule|slip|stub|day|date|period|grade|rate|range|scale|cycle|pal)",
    "transfer of|resend(?: the| verification| security| sms| email){0,3} code|send ?grid",
    "(?:submit|publish|send|approve|purchase|grant|post|archive)[ _-]?date|(?:publish|send)[ _-]?time",
    "(?:don['’]?t|do not|never) (?:send|submit|delete|remove|publish|pay|discard|overwrite|archive|merge)",
    "sign[ _-]?(?:in|up|on)|post[ _-]?(?:code|office|box)",
)
"""What makes a name, or no order, of an English word."""


def _english_orders(text: str, word: str) -> bool:
    """Whether the word stands there as a word and as an order; its letters inside another word are not the word."""
    asks = "?" in text
    if _making(word).search(text):
        return True
    excuses = [] if asks else [match.span() for pattern in _english() for match in pattern.finditer(text)]
    opens = "" if asks or word not in ENGLISH_NOUNS_TOO else _OPENS
    spans = (match.span("word") for match in _standing(opens, word).finditer(text))
    return any(not any(_covers(excuse, span) for excuse in excuses) for span in spans)


def _spelt(word: str) -> str:
    return _GAP.join(map(re.escape, word))


@cache
def _standing(opens: str, word: str) -> re.Pattern[str]:
    return re.compile(f"{opens}{_HEAD}(?P<word>{_spelt(word)}){_TAIL}")


@cache
def _making(word: str) -> re.Pattern[str]:
    stem = f"{re.escape(word)}(?:{re.escape(word[-1])})?"
    return re.compile(f"{_MADE}{stem}e?d(?![a-z])|(?<![a-z])(?:start|begin|resume) {stem}ing(?![a-z])")


@cache
def _english() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"(?<![a-z])(?:{source})(?![a-z])") for source in _ENGLISH)
