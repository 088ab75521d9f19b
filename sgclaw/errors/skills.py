"""Skills that cannot be used."""

from __future__ import annotations

from sgclaw.errors.base import Fault, SgClawError


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
