"""Every error of sgClaw, each with its wire code and whose fault it is.

Rules of this file: `cause` and `next_step` are Chinese because users read them; `facts` are plain JSON values that
make the cause checkable and never hold secrets or page bodies. A family whose members differ only by code is one
class with a table of codes. Only process edges turn foreign exceptions into these. Errors do not log themselves.
"""

from sgclaw.errors.acting import (
    ACTION_NEXT_STEPS,
    ActionCode,
    ActionError,
)
from sgclaw.errors.base import (
    Facts,
    Fault,
    SgClawError,
)
from sgclaw.errors.house import (
    AuditUnavailableError,
    ConfigError,
    FileProblemError,
    LedgerBrokenError,
    NoLedgerError,
    TraceNotFoundError,
    UsageProblemError,
)
from sgclaw.errors.skills import (
    BadInputsError,
    BadManifestError,
    RegistryRefusedError,
    SandboxError,
    SkillError,
    SkillFailedError,
    SkillNotFoundError,
    SkillRefusedError,
)
from sgclaw.errors.tasks import (
    BadPolicyError,
    BoardRefusedError,
    BudgetExceededError,
    BusyError,
    CancelledTaskError,
    ForeignToolError,
    ModelError,
    ModelKeyError,
    ModelRateLimitedError,
    ModelTimeoutError,
    ModelUnreachableError,
    NeedsApprovalError,
    NeedsHumanError,
    NoModelError,
    PolicyDeniedError,
    UnverifiedError,
)
from sgclaw.errors.wire import (
    FATAL_WIRE_CODES,
    HostGoneError,
    TooManyOutstandingError,
    WireCode,
    WireError,
)

__all__ = [
    "ACTION_NEXT_STEPS",
    "FATAL_WIRE_CODES",
    "ActionCode",
    "ActionError",
    "AuditUnavailableError",
    "BadInputsError",
    "BadManifestError",
    "BadPolicyError",
    "BoardRefusedError",
    "BudgetExceededError",
    "BusyError",
    "CancelledTaskError",
    "ConfigError",
    "Facts",
    "Fault",
    "FileProblemError",
    "ForeignToolError",
    "HostGoneError",
    "LedgerBrokenError",
    "ModelError",
    "ModelKeyError",
    "ModelRateLimitedError",
    "ModelTimeoutError",
    "ModelUnreachableError",
    "NeedsApprovalError",
    "NeedsHumanError",
    "NoLedgerError",
    "NoModelError",
    "PolicyDeniedError",
    "RegistryRefusedError",
    "SandboxError",
    "SgClawError",
    "SkillError",
    "SkillFailedError",
    "SkillNotFoundError",
    "SkillRefusedError",
    "TooManyOutstandingError",
    "TraceNotFoundError",
    "UnverifiedError",
    "UsageProblemError",
    "WireCode",
    "WireError",
]
