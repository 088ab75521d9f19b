"""Acts on pages that were not carried out."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sgclaw.errors.base import Facts, Fault, SgClawError


class ActionCode(StrEnum):
    """Why an action was not carried out, or what is unknown about it: what a host may answer."""

    ACTION_FAILED = "ACTION_FAILED"
    UNKNOWN_ACTION = "UNKNOWN_ACTION"
    BAD_PARAMS = "BAD_PARAMS"
    NOT_IMPLEMENTED = "NOT_IMPLEMENTED"
    NOT_FOUND = "NOT_FOUND"
    AMBIGUOUS_TARGET = "AMBIGUOUS_TARGET"
    HIDDEN_TARGET = "HIDDEN_TARGET"
    COVERED_TARGET = "COVERED_TARGET"  # facts.covered_by names what would take the click
    DISABLED_TARGET = "DISABLED_TARGET"
    DETACHED_TARGET = "DETACHED_TARGET"  # it was there when it was checked
    STALE_REF = "STALE_REF"
    UNSUPPORTED_WIDGET = "UNSUPPORTED_WIDGET"  # neither a native control nor a component that is known
    TIMEOUT = "TIMEOUT"
    NAVIGATION_FAILED = "NAVIGATION_FAILED"
    DOWNLOAD_FAILED = "DOWNLOAD_FAILED"
    PAGE_GONE = "PAGE_GONE"
    UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME"  # a state-changing act was sent, its effect is not known; never retried


ACTION_NEXT_STEPS: Mapping[ActionCode, str] = {
    ActionCode.ACTION_FAILED: "请查看页面当前状态后重试",
    ActionCode.UNKNOWN_ACTION: "可用的操作见 docs/protocol.md 的操作表",
    ActionCode.BAD_PARAMS: "请按操作表修正参数",
    ActionCode.NOT_IMPLEMENTED: "请升级浏览器端，或改用其它操作",
    ActionCode.NOT_FOUND: "请确认页面已打开到正确位置，目标元素存在",
    ActionCode.AMBIGUOUS_TARGET: "请给出只匹配一个元素的定位",
    ActionCode.HIDDEN_TARGET: "请先让目标元素显示出来",
    ActionCode.COVERED_TARGET: "请先关闭遮挡目标的弹层",
    ActionCode.DISABLED_TARGET: "请先满足启用该元素的条件",
    ActionCode.DETACHED_TARGET: "请等页面稳定后重新获取快照",
    ActionCode.STALE_REF: "请重新获取页面快照",
    ActionCode.UNSUPPORTED_WIDGET: "请改用点击、输入等基本操作，或由人处理这一步",
    ActionCode.TIMEOUT: "请确认业务系统响应正常，稍后重试",
    ActionCode.NAVIGATION_FAILED: "请确认网址可以在浏览器中打开",
    ActionCode.DOWNLOAD_FAILED: "文件没有下载完整，请重新导出",
    ActionCode.PAGE_GONE: "请重新打开页面后再提交任务",
    ActionCode.UNKNOWN_OUTCOME: "请在业务系统中核对该操作是否已经生效，再决定是否重做",
}


class ActionError(SgClawError):
    """An action was not carried out, or its outcome is an error."""

    fault = Fault.PEER

    def __init__(self, code: ActionCode, cause: str, *, next_step: str = "", facts: Facts | None = None) -> None:
        super().__init__(cause, next_step=next_step or ACTION_NEXT_STEPS[code], facts=facts)
        self.code = code.value
