"""Every error of sgClaw, each with its wire code and whose fault it is.

Rules of this file: `cause` and `next_step` are Chinese because users read them; `facts` are plain JSON values that
make the cause checkable and never hold secrets or page bodies. A family whose members differ only by code is one
class with a table of codes. Only process edges turn foreign exceptions into these. Errors do not log themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

Facts = Mapping[str, object]


class Fault(StrEnum):
    """Whose mistake an error reports: ours (a bug), the peer's (the other end of the pipe), or the user's side."""

    OURS = "ours"
    PEER = "peer"
    USER = "user"


class SgClawError(Exception):
    """Root of all sgClaw errors. `str(error)` is the Chinese cause; `next_step` says what to do about it."""

    code: str = "INTERNAL"
    fault: Fault = Fault.OURS
    default_next_step: str = "请把 trace_id 交给管理员，用 sgclaw audit show 查看经过"

    def __init__(self, cause: str, *, next_step: str | None = None, facts: Facts | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.next_step = self.default_next_step if next_step is None else next_step
        self.facts: dict[str, object] = dict(facts or {})

    def as_dict(self) -> dict[str, object]:
        """The shape used on the wire, in `--json` output and in the ledger: code, message, next_step, facts."""
        return {"code": self.code, "message": self.cause, "next_step": self.next_step, "facts": self.facts}


# --- the wire -------------------------------------------------------------------------------------------------------


class WireCode(StrEnum):
    """Why a line was refused."""

    BAD_ENCODING = "BAD_ENCODING"  # not strict UTF-8, or text with a lone surrogate
    BAD_JSON = "BAD_JSON"  # not exactly one JSON object
    DUPLICATE_KEY = "DUPLICATE_KEY"  # compared after unescaping
    BAD_NUMBER = "BAD_NUMBER"  # NaN, Infinity, an exponent, an integer outside ±(2⁵³−1)
    TOO_DEEP = "TOO_DEEP"
    TOO_LARGE = "TOO_LARGE"  # too many values in one line
    LINE_TOO_LONG = "LINE_TOO_LONG"
    BAD_SCHEMA = "BAD_SCHEMA"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"  # no message of this type goes in this direction
    BAD_HMAC = "BAD_HMAC"  # the message's number is not consumed
    TOO_MANY_BAD_HMAC = "TOO_MANY_BAD_HMAC"
    TOO_MANY_REFUSED = "TOO_MANY_REFUSED"  # junk without end
    REPLAYED = "REPLAYED"
    SEQUENCE_GAP = "SEQUENCE_GAP"  # the pipe is lossless: nothing after a gap can be trusted
    UNKNOWN_SEQ = "UNKNOWN_SEQ"  # a response to no outstanding command
    LATE_RESPONSE = "LATE_RESPONSE"
    BAD_STATE = "BAD_STATE"
    SECOND_INIT = "SECOND_INIT"
    HANDSHAKE_FAILED = "HANDSHAKE_FAILED"


FATAL_WIRE_CODES = frozenset(
    {
        WireCode.LINE_TOO_LONG,
        WireCode.TOO_MANY_BAD_HMAC,
        WireCode.TOO_MANY_REFUSED,
        WireCode.SEQUENCE_GAP,
        WireCode.SECOND_INIT,
        WireCode.HANDSHAKE_FAILED,
    }
)
"""Codes that end the session; after any other the line is dropped and the session goes on."""


class WireError(SgClawError):
    """The peer sent a line that cannot be used."""

    fault = Fault.PEER
    default_next_step = "请核对对端的协议实现（docs/protocol.md）"

    def __init__(self, code: WireCode, cause: str, *, facts: Facts | None = None) -> None:
        super().__init__(cause, facts=facts)
        self.code = code.value

    @property
    def fatal(self) -> bool:
        """Whether the session ends with this line."""
        return self.code in FATAL_WIRE_CODES


class HostGoneError(SgClawError):
    """The other end of the pipe closed or died."""

    code = "HOST_GONE"
    fault = Fault.PEER
    default_next_step = "请确认浏览器仍在运行，然后重新提交任务；已执行到哪一步可用 sgclaw audit show 查看"


class TooManyOutstandingError(SgClawError):
    """More commands in flight than the protocol allows."""

    code = "TOO_MANY_OUTSTANDING"
    default_next_step = "请等待前面的操作完成"


# --- acting on a page -----------------------------------------------------------------------------------------------


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


# --- policy and people ----------------------------------------------------------------------------------------------


class PolicyDeniedError(SgClawError):
    """The access policy refuses; `facts.rule` names the rule."""

    code = "POLICY_DENIED"
    fault = Fault.USER
    default_next_step = "如确需访问，请由管理员在浏览器策略中加入该来源"


class BadPolicyError(SgClawError):
    """The policy document itself cannot be used."""

    code = "BAD_POLICY"
    fault = Fault.PEER
    default_next_step = "请管理员修正浏览器下发的策略"


class NeedsApprovalError(SgClawError):
    """The act needs a person's yes; reaches a caller only when the answer was no or did not come."""

    code = "NEEDS_APPROVAL"
    fault = Fault.USER
    default_next_step = "如需执行，请重新提交任务，并在询问时同意"


class NeedsHumanError(SgClawError):
    """A person has to decide or do something first."""

    code = "NEEDS_HUMAN"
    fault = Fault.USER
    default_next_step = "请按提示处理后重新提交任务"


class NoModelError(SgClawError):
    """Nothing deterministic fits the instruction and no model is configured."""

    code = "NO_MODEL"
    fault = Fault.USER
    default_next_step = "可用 sgclaw skill list 查看能直接执行的技能，或配置大模型"


class ModelError(SgClawError):
    """A model gave no usable answer; `facts.usage`, when there, is what was used all the same."""

    code = "MODEL_FAILED"
    fault = Fault.PEER
    default_next_step = "请核对设置中的模型名称和地址，或换一个模型后重新提交任务"


class ModelUnreachableError(ModelError):
    """The provider cannot be reached, fails on its side, or broke off in the middle of an answer."""

    code = "MODEL_UNREACHABLE"
    default_next_step = "请检查网络和大模型服务是否正常，稍后重新提交任务"


class ModelKeyError(ModelError):
    """The key of the model is missing, or the provider refuses it; never tried again."""

    code = "MODEL_KEY_REFUSED"
    default_next_step = "请在设置 model.key 指明的环境变量中放入有效的密钥"


class ModelRateLimitedError(ModelError):
    """The provider wants us to wait longer than a call may take."""

    code = "MODEL_RATE_LIMITED"
    default_next_step = "请稍后重新提交任务，或联系管理员提高大模型的调用额度"


class ModelTimeoutError(ModelError):
    """A limit of time was reached; `facts.limit` is connect, first_token, between_tokens or whole_call."""

    code = "MODEL_TIMEOUT"
    default_next_step = "请稍后重新提交任务；总是超时的话，请换用更快的模型"


class CancelledTaskError(SgClawError):
    """The user stopped the task."""

    code = "CANCELLED"
    fault = Fault.USER
    default_next_step = "任务已按您的要求停止"


class BusyError(SgClawError):
    """The queue is full."""

    code = "BUSY"
    fault = Fault.USER
    default_next_step = "请等待排队的任务完成后再提交"


class BudgetExceededError(SgClawError):
    """A limit of the task or run was reached."""

    code = "BUDGET_EXCEEDED"
    fault = Fault.USER
    default_next_step = "请缩小任务范围，或调高该任务的限额"


class BoardRefusedError(SgClawError):
    """The task board does not allow this; `facts.reason` says which of its rules was broken."""

    code = "BOARD_REFUSED"


class UnverifiedError(SgClawError):
    """The work ended, but the evidence is too weak to call it done."""

    code = "UNVERIFIED"
    default_next_step = "请在业务系统中核对结果"


# --- skills ---------------------------------------------------------------------------------------------------------


class SkillError(SgClawError):
    """A skill cannot be used."""

    code = "SKILL_ERROR"
    fault = Fault.USER
    default_next_step = "请用 sgclaw skill verify 查看原因"


class SkillNotFoundError(SkillError):
    """No skill of this name in the catalogue."""

    code = "SKILL_NOT_FOUND"
    default_next_step = "可用 sgclaw skill list 查看全部技能"


class SkillRefusedError(SkillError):
    """One registry entry is refused; `facts.reason` is the machine word."""

    code = "SKILL_REFUSED"


class RegistryRefusedError(SkillError):
    """The registry as a whole is refused; `facts.reason` is the machine word."""

    code = "REGISTRY_REFUSED"


class BadManifestError(SkillError):
    """The header of a skill file cannot be read."""

    code = "BAD_MANIFEST"
    default_next_step = "请按 docs/skills.md 修正文件头"


class BadInputsError(SkillError):
    """Inputs do not fit the skill's parameter schema."""

    code = "BAD_INPUTS"
    default_next_step = "请补充或修正任务中的输入"


class SkillFailedError(SkillError):
    """The skill ran and reported failure, or threw."""

    code = "SKILL_FAILED"
    default_next_step = "执行到了哪一步，可用 sgclaw audit show 查看"


class SandboxError(SgClawError):
    """The sandbox ended the run; `facts.reason` says by which limit."""

    code = "SANDBOX_TERMINATED"
    fault = Fault.USER
    default_next_step = "请联系技能作者检查脚本"


# --- our own house, and the command lines ----------------------------------------------------------------------------


class AuditUnavailableError(SgClawError):
    """The ledger cannot be written; actions stop until it can."""

    code = "AUDIT_UNAVAILABLE"
    fault = Fault.USER
    default_next_step = "请检查状态目录所在磁盘的空间和权限"


class LedgerBrokenError(SgClawError):
    """The ledger was edited, shortened or reordered; `facts` name the first bad record."""

    code = "LEDGER_BROKEN"
    fault = Fault.USER
    default_next_step = "请保全现场并通知审计人员"


class ConfigError(SgClawError):
    """A setting cannot be used."""

    code = "BAD_CONFIG"
    fault = Fault.USER
    default_next_step = "请运行 sgclaw doctor 查看需要修正的设置"


class UsageProblemError(SgClawError):
    """The words of the command cannot be used."""

    code = "BAD_USAGE"
    fault = Fault.USER
    default_next_step = "请用 sgclaw --help 查看用法"


class TraceNotFoundError(SgClawError):
    """The ledger holds nothing under this trace id; `facts.recent` are the latest ones it holds."""

    code = "TRACE_NOT_FOUND"
    fault = Fault.USER
    default_next_step = "请用 sgclaw audit list 查看最近的记录；账本在别处时加上 --state-dir"


class NoLedgerError(SgClawError):
    """There is no ledger where one was looked for: nothing has run there yet; `facts.ledger` is the folder."""

    code = "NO_LEDGER"
    fault = Fault.USER
    default_next_step = "执行过任务后才有账本；账本在别处时加上 --state-dir，账本被删除时请用 --head 与另存的账本头比对"


class FileProblemError(SgClawError):
    """A file or folder cannot be read or written; `facts` hold its path and the operating system's word."""

    code = "FILE_ERROR"
    fault = Fault.USER
    default_next_step = "请检查该路径的权限和磁盘空间，或运行 sgclaw doctor"
