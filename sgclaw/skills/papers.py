"""Signed papers that lie beside a registry: how each is read, and how one that does not hold is told.

A paper adds nothing by lying there: only its signatures count. One that does not hold has no effect, and is told.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sgclaw.errors import RegistryRefusedError, WireError
from sgclaw.protocol import strict
from sgclaw.skills.reasons import Reason, refused_registry
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


def told(reason: Reason, file: str, problem: str, **facts: object) -> RegistryRefusedError:
    """What is told of a paper that has no effect; `problem` is a machine word."""
    return refused_registry(reason, file=file, problem=problem, **facts)
