"""Signed papers that lie beside a registry: how each is read, and how one that does not hold is told.

A paper adds nothing by lying there: only its signatures count. One that does not hold has no effect, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sgclaw.errors import RegistryRefusedError, WireError
from sgclaw.protocol import strict
from sgclaw.skills.reasons import WORDS, Reason
from sgclaw.skills.registry import render

KeyText = Annotated[str, Field(pattern="^ed25519:[0-9a-f]{64}$")]


class Paper(BaseModel):
    """What every paper has."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    version: Literal["1.0"]


P = TypeVar("P", bound=Paper)


def read_paper(raw: bytes, model: type[P]) -> P:
    """The paper in these bytes; raises `ValueError` whose text is the machine word of what is wrong with its form."""
    try:
        document = strict.decode(raw.removesuffix(b"\n"))
        paper = model.model_validate(document)
    except WireError as error:
        raise ValueError(error.code) from None
    except ValidationError:
        raise ValueError("BAD_FIELDS") from None
    if render(document) != raw:
        raise ValueError("NOT_CANONICAL")
    return paper


_ROTATION: Mapping[str, str] = {
    "OLD_KEY": "旧密钥现在不受信任，或已经轮换过",
    "NEW_KEY": "新密钥已经在用或用过，不能再接替",
    "WEAK_KEY": "新密钥是弱密钥",
    "SIGNATURE_OLD": "旧密钥的签名不符",
    "SIGNATURE_NEW": "新密钥的签名不符",
    "FORK": "本机见过旧密钥由另一把密钥接替",
    "KEY_REVOKED": "旧密钥或新密钥已被吊销",
    "SERIAL": "声明的序号没有逐条增大",
}
_REVOCATION: Mapping[str, str] = {
    "UNKNOWN_KEY": "签名的密钥不是本机信任的根密钥",
    "BAD_SIGNATURE": "根密钥的签名不符",
    "KEY_REVOKED": "签名的根密钥自己已被吊销",
    "ROLLBACK": "名单的序号比本机见过的小",
}
_FORM: Mapping[str, str] = {"BAD_FIELDS": "字段不对", "NOT_CANONICAL": "排版被改动过"}
_PROBLEMS: Mapping[Reason, Mapping[str, str]] = {Reason.BAD_ROTATION: _ROTATION, Reason.BAD_REVOCATION: _REVOCATION}


def problem_text(reason: Reason, problem: str) -> str:
    """What a user reads for the machine word of what is wrong with a paper of this kind."""
    return _PROBLEMS[reason].get(problem) or form_text(problem)


def form_text(problem: str) -> str:
    """The same for what is wrong with the form of a paper of any kind."""
    return _FORM.get(problem, "不是合法的 JSON")


def told(reason: Reason, file: str, problem: str, **facts: object) -> RegistryRefusedError:
    """What is told of a paper that has no effect; `problem` is a machine word."""
    words = WORDS[reason]
    cause = f"{words.cause}：{problem_text(reason, problem)}"
    return RegistryRefusedError(
        cause, next_step=words.next_step, facts={"reason": reason.value, "file": file, "problem": problem, **facts}
    )
