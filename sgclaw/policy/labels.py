"""Words on a control that make a click irreversible, and how a label is compared with them. Data of the policy."""

from __future__ import annotations

import unicodedata

IRREVERSIBLE_LABELS: tuple[str, ...] = (
    "提交",
    "报送",
    "上报",
    "审批",
    "审核",
    "通过",
    "同意",
    "批准",
    "驳回",
    "拒绝",
    "退回",
    "撤回",
    "撤销",
    "删除",
    "清空",
    "作废",
    "注销",
    "销毁",
    "支付",
    "付款",
    "转账",
    "汇款",
    "发送",
    "发布",
    "签署",
    "盖章",
    "授权",
    "过账",
    "结账",
    "归档",
    "确认",
    "submit",
    "approve",
    "reject",
    "delete",
    "remove",
    "pay",
    "transfer",
    "send",
    "publish",
    "confirm",
)
"""Default list; a host policy may replace it. Asking once too often is the safe side of a word list."""


def plain_label(label: str) -> str:
    """A label as words are compared: NFKC, lower case, without spaces and invisible characters (提 交 is 提交)."""
    folded = unicodedata.normalize("NFKC", label).lower()
    return "".join(char for char in folded if unicodedata.category(char)[0] not in "CZ")


def irreversible_word(label: str, words: tuple[str, ...]) -> str | None:
    """The first word of `words` that the label contains, if any."""
    plain = plain_label(label)
    return next((word for word in words if word in plain), None)
