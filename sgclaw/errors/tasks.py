"""Tasks: what policy, people, models and limits say no to."""

from __future__ import annotations

from sgclaw.errors.base import Facts, Fault, SgClawError


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


class ForeignToolError(SgClawError):
    """A tool of an MCP server gave no usable result; `facts.reason` is the machine word."""

    code = "FOREIGN_TOOL_FAILED"
    fault = Fault.PEER
    default_next_step = "请用 sgclaw mcp list 查看外部工具的状态"

    def __init__(self, cause: str, *, next_step: str | None = None, facts: Facts | None = None, said: str = "") -> None:
        super().__init__(cause, next_step=next_step, facts=facts)
        self.said = said
        """What the tool itself said about its failure: a block of untrusted text for a model, or nothing."""

    @property
    def outcome_unknown(self) -> bool:
        """Whether nobody knows what a call has done: it was begun, and what answers it never came."""
        return self.facts.get("reason") in _UNANSWERED


_UNANSWERED = frozenset({"TIMEOUT", "GONE", "BAD_MESSAGE", "TOO_MUCH"})
