"""Words on a control that make a click irreversible, and how a label is compared with them. Data of the policy.

The words are grouped by what they do, for the exceptions of `readings.py` differ by group.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

DECISIONS: tuple[str, ...] = (
    *("审批", "审核", "通过", "同意", "批准", "驳回", "拒绝", "退回", "撤回", "核准", "核发", "签批", "签发", "会签"),
    *("复核", "弃审", "否决", "办结", "结案", "终审"),
)
"""Deciding about somebody's request."""

SENDING: tuple[str, ...] = (
    *("提交", "报送", "上报", "发送", "发布", "下发", "下达", "转办", "派发", "群发", "签收", "签署", "签章", "签字"),
    *("盖章", "用印"),
)
"""What leaves the house, or the desk."""

DESTROYING: tuple[str, ...] = (
    *("删除", "清空", "清除", "作废", "注销", "销毁", "撤销", "移除", "抹除", "覆盖", "终止", "中止", "停用", "启用"),
    *(
        "禁用",
        "冻结",
        "解冻",
        "封存",
        "下架",
        "上架",
        "吊销",
        "废止",
        "销号",
        "销户",
        "解绑",
        "卸载",
        "格式化",
        "初始化",
    ),
    *(
        "恢复出厂",
        "重置密码",
        "重置系统",
        "重置数据",
        "重置所有",
        "重置全部",
        "解约",
        "解除合同",
        "解聘",
        "辞退",
        "开除",
    ),
)
"""What is gone or off afterwards."""

BOOKING: tuple[str, ...] = ("归档", "过账", "结账", "关账", "反记账", "冲销", "红冲", "冲红", "核销")
"""What closes a book."""

PAYING: tuple[str, ...] = (
    *(
        "支付",
        "付款",
        "转账",
        "汇款",
        "打款",
        "划款",
        "划拨",
        "放款",
        "扣款",
        "退款",
        "提现",
        "代付",
        "兑付",
        "缴款",
        "缴费",
    ),
)
"""Money that moves."""

ENTITLING: tuple[str, ...] = (
    *("授权", "授予", "赋权", "提权", "设为管理员", "分配权限", "开通权限", "退出登录", "退出系统", "退出账号"),
    *("安全退出", "登出"),
)
"""Rights, and ends of sessions."""

AGREEING: tuple[str, ...] = ("确认",)
"""A yes to whatever the page says."""

NOUNS_TOO: tuple[str, ...] = (
    *("报销", "借款", "开票", "离职", "生效", "失效", "归还", "导入", "红字", "记账", "申报", "结算", "收款", "出库"),
    *("入库", "发货", "收货", "退货", "下单", "移交", "推送", "停薪", "上线", "下线", "投票", "充值", "调拨", "月结"),
    *("年结", "交办", "督办", "退出"),
)
"""Names of things as often as of acts: they count only where a label orders the act (see `readings.py`)."""

ENGLISH: tuple[str, ...] = (
    *("submit", "approve", "reject", "delete", "remove", "pay", "transfer", "send", "publish", "confirm", "grant"),
    *("authorize", "authorise", "revoke", "logout", "signout", "deactivate", "terminate", "purge", "erase", "wipe"),
    *("overwrite", "resetpassword", "factoryreset", "purchase", "placeorder", "refund", "withdraw", "finalize"),
)

IRREVERSIBLE_LABELS: tuple[str, ...] = (
    *DECISIONS,
    *SENDING,
    *DESTROYING,
    *BOOKING,
    *PAYING,
    *ENTITLING,
    *AGREEING,
    *NOUNS_TOO,
    *ENGLISH,
)
"""Default list; a host policy may replace it. Asking once too often is the safe side of a word list."""


def plain_label(label: str) -> str:
    """A label as words are compared: NFKC, lower case, without spaces and invisible characters (提 交 is 提交)."""
    return "".join(parts_of(label))


def parts_of(label: str) -> list[str]:
    """The plain label in the parts that stand between its spaces; their joint text is what words are looked for in."""
    folded = unicodedata.normalize("NFKC", label).lower()
    if not folded.isprintable():
        folded = "".join(map(_shown, folded))
    return folded.split()


def _shown(char: str) -> str:
    kind = unicodedata.category(char)[0]
    return " " if kind == "Z" or char in "\t\n\r\v\f" else "" if kind == "C" else char


@lru_cache(maxsize=1024)
def irreversible_word(label: str, words: tuple[str, ...]) -> str | None:
    """The first of the label's words, by place, that it orders, if any; a longer reading that is no order excuses it.

    `审批记录` and `已提交` name things and states; `提交审批记录` still holds 提交. A hostile page can call its button
    anything: the words protect from honest pages, and the committed origin from the others.
    """
    parts = parts_of(label)
    plain = "".join(parts)
    heads = _by_first_character(words)
    found = [word for at, head in enumerate(plain) for word in heads.get(head, ()) if plain.startswith(word, at)]
    if not found:
        return None
    from sgclaw.policy.readings import orders  # noqa: PLC0415 - most labels hold no word; `ready` does not wait for it

    return next((word for word in dict.fromkeys(found) if orders(parts, word)), None)


@lru_cache(maxsize=8)
def _by_first_character(words: tuple[str, ...]) -> dict[str, list[str]]:
    heads: dict[str, list[str]] = {}
    for word in words:
        heads.setdefault(word[0], []).append(word)
    return heads
