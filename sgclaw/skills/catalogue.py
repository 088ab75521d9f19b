"""The catalogue: every skill that passed the trust check, and why the others did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from sgclaw.errors import RegistryRefusedError, SkillError, SkillNotFoundError, SkillRefusedError
from sgclaw.skills.ed25519 import PublicKey
from sgclaw.skills.files import list_scripts, read_registry, read_script
from sgclaw.skills.reasons import Reason, refused_skill
from sgclaw.skills.trust import Candidate, TrustCheck, VerifiedSkill


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refused entry, or with an empty `name` the refused registry: what lists and ledgers show."""

    name: str
    file: str
    code: str
    reason: str
    """The machine word of docs/skills.md."""
    cause: str
    next_step: str
    facts: Mapping[str, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class _Loaded:
    skills: Mapping[str, VerifiedSkill]
    errors: Mapping[str, SkillRefusedError]
    """By the name the entry claims."""
    refused: Sequence[Refusal]
    registry_error: RegistryRefusedError | None = None
    listed: frozenset[str] = frozenset()
    """The files the registry claims."""


class Catalogue:
    """A set of skills at one moment. Nothing is read until it is first asked; after that the files do not matter."""

    def __init__(self, root: Path, registry: Path, check: TrustCheck) -> None:
        self._root = root
        self._registry = registry
        self._check = check

    @property
    def skills(self) -> Mapping[str, VerifiedSkill]:
        """Name → skill, in the order of the registry; only what may run. Never raises."""
        return self._loaded.skills

    @property
    def refused(self) -> Sequence[Refusal]:
        """What may not run and why, a refused registry included. Never raises."""
        return self._loaded.refused

    @property
    def registry_error(self) -> RegistryRefusedError | None:
        """Why the whole set is refused, if it is."""
        return self._loaded.registry_error

    @property
    def unsigned(self) -> Sequence[Refusal]:
        """Scripts in the folder that no entry lists, by the names of their files; empty when the whole set is refused.

        For lists and messages only: looked up anew each time, and nothing of them is read.
        """
        if self._loaded.registry_error is not None:
            return ()
        files = [file for file in list_scripts(self._root) if file not in self._loaded.listed]
        return tuple(_refusal(Path(file).stem, file, _unsigned(file)) for file in files)

    def get(self, name_or_ref: str) -> VerifiedSkill:
        """The skill called `name` or `name@version`.

        Raises `SkillRefusedError` when it is listed but refused or its file is not signed, `RegistryRefusedError` when
        the set is refused, `SkillNotFoundError` otherwise.
        """
        if self._loaded.registry_error is not None:
            raise self._loaded.registry_error.with_traceback(None)
        name, _, version = name_or_ref.partition("@")
        refused = self._loaded.errors.get(name)
        if refused is not None:
            raise refused.with_traceback(None)
        skill = self._loaded.skills.get(name)
        if skill is None:
            for item in self.unsigned:
                if item.name == name:
                    raise _unsigned(item.file)
            raise SkillNotFoundError(f"没有名为 {name[:64]} 的技能", facts={"name": name[:64]})
        if version and version != skill.manifest.version:
            raise SkillNotFoundError(
                f"技能 {name} 没有 {version[:32]} 版本，现有 {skill.manifest.version}",
                facts={"name": name, "version": version[:32], "available": skill.manifest.version},
            )
        return skill

    @cached_property
    def _loaded(self) -> _Loaded:
        try:
            candidates = self._check.open_registry(read_registry(self._registry))
        except RegistryRefusedError as error:
            refusal = _refusal("", self._registry.name, error)
            return _Loaded(MappingProxyType({}), {}, (refusal,), error)
        skills: dict[str, VerifiedSkill] = {}
        errors: dict[str, SkillRefusedError] = {}
        refused: list[Refusal] = []
        for candidate in candidates:
            try:
                skill = self._verify(candidate)
            except SkillRefusedError as error:
                error.facts.setdefault("name", candidate.name)
                error.facts.setdefault("file", candidate.file)
                errors[candidate.name] = error
                refused.append(_refusal(candidate.name, candidate.file, error))
            else:
                skills[skill.manifest.name] = skill
        listed = frozenset(candidate.file for candidate in candidates)
        return _Loaded(MappingProxyType(skills), errors, tuple(refused), listed=listed)

    def _verify(self, candidate: Candidate) -> VerifiedSkill:
        entry = self._check.verify_entry(candidate)
        return self._check.verify_file(entry, read_script(self._root, entry.file))


def load(
    root: Path, registry_path: Path, trusted_keys: Sequence[PublicKey], now: datetime, production: bool = False
) -> Catalogue:
    """The catalogue of the skills folder `root`, judged at `now` (aware). Nothing is read before the first question."""
    return Catalogue(root, registry_path, TrustCheck(trusted_keys, now, production=production))


def _unsigned(file: str) -> SkillRefusedError:
    return refused_skill(Reason.UNSIGNED, name=Path(file).stem, file=file)


def _refusal(name: str, file: str, error: SkillError) -> Refusal:
    return Refusal(name, file, error.code, str(error.facts["reason"]), error.cause, error.next_step, error.facts)
