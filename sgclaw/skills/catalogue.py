"""The catalogue: every skill that passed the trust check, and why the others did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from sgclaw.errors import RegistryRefusedError, SkillError, SkillNotFoundError, SkillRefusedError
from sgclaw.skills.ed25519 import TrustRoot
from sgclaw.skills.files import list_scripts, read_paper_file, read_registry, read_script, read_trust_root
from sgclaw.skills.keyring import Known
from sgclaw.skills.marks import FIRST_USE
from sgclaw.skills.reasons import Reason, add_author_step, refused_skill
from sgclaw.skills.revocation import REVOCATIONS_FILE
from sgclaw.skills.rotation import ROTATIONS_FILE
from sgclaw.skills.state import SkillState
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
    notices: Sequence[Refusal] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """How a set is judged: the pinned keys, the moment (aware), the mode, and what this machine remembers.

    Without `state` nothing is remembered. `advances` is for what runs skills: it raises the marks to what it verified
    before any skill can be had. Whoever only looks leaves them alone.
    """

    trust: TrustRoot
    now: datetime
    production: bool = False
    state: SkillState | None = None
    advances: bool = False


class Catalogue:
    """A set of skills at one moment. Nothing is read until it is first asked; after that the files do not matter."""

    def __init__(self, root: Path, registry: Path, terms: Terms) -> None:
        """`root` is the skills folder; signed papers about keys lie in `keys/` beside the registry."""
        self._root = root
        self._registry = registry
        self._terms = terms

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
    def notices(self) -> Sequence[Refusal]:
        """What a person should know though it refuses nothing: signed papers without effect, a clock set back."""
        return self._loaded.notices

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
        check: TrustCheck | None = None
        try:
            check = self._begin()
            loaded = self._judge(check)
            self._remember(check)
        except RegistryRefusedError as error:
            self._advise(error)
            refusal = _refusal("", str(error.facts.get("file", self._registry.name)), error)
            return _Loaded(MappingProxyType({}), {}, (refusal,), error, notices=_notices(check))
        return loaded

    def _begin(self) -> TrustCheck:
        terms = self._terms
        known = known_here(terms.trust, self._registry, terms.state)
        return TrustCheck(terms.trust.signing, terms.now, production=terms.production, known=known)

    def _judge(self, check: TrustCheck) -> _Loaded:
        try:
            candidates = check.open_registry(read_registry(self._registry))
        except RegistryRefusedError:
            self._remember(check)  # keys seen revoked or rotated: often the very cause of this refusal
            raise
        skills: dict[str, VerifiedSkill] = {}
        errors: dict[str, SkillRefusedError] = {}
        refused: list[Refusal] = []
        for candidate in candidates:
            try:
                skill = self._verify(check, candidate)
            except SkillRefusedError as error:
                error.facts.setdefault("name", candidate.name)
                error.facts.setdefault("file", candidate.file)
                self._advise(error)
                errors[candidate.name] = error
                refused.append(_refusal(candidate.name, candidate.file, error))
            else:
                skills[skill.manifest.name] = skill
        listed = frozenset(candidate.file for candidate in candidates)
        return _Loaded(MappingProxyType(skills), errors, tuple(refused), listed=listed, notices=_notices(check))

    def _verify(self, check: TrustCheck, candidate: Candidate) -> VerifiedSkill:
        entry = check.verify_entry(candidate)
        return check.verify_file(entry, read_script(self._root, entry.file))

    def _advise(self, error: SkillError) -> None:
        if not self._terms.production:
            add_author_step(error)

    def _remember(self, check: TrustCheck) -> None:
        if self._terms.state is not None and self._terms.advances:
            self._terms.state.raise_marks(check.marks)


class Paths(Protocol):
    """Where a set and what concerns it lie; the settings of the program are one."""

    @property
    def skills_root(self) -> Path: ...
    @property
    def registry(self) -> Path: ...
    @property
    def trust_root(self) -> Path: ...
    @property
    def skills_state(self) -> Path: ...


def known_here(trust: TrustRoot, registry: Path, state: SkillState | None) -> Known:
    """What bears on this registry beside its own bytes: papers that lie with it, and what this machine remembers.

    Raises `RegistryRefusedError` (`BAD_MARKS`, `BAD_SWITCHES`).
    """
    return Known(
        roots=trust.roots,
        rotations=read_paper_file(registry.parent, ROTATIONS_FILE),
        revocations=read_paper_file(registry.parent, REVOCATIONS_FILE),
        marks=FIRST_USE if state is None else state.read_marks(),
        switched_off=frozenset() if state is None else state.switched_off(),
    )


def open_set(paths: Paths, now: datetime, *, production: bool, advances: bool) -> Catalogue:
    """The catalogue at these places; the trust root is read now, the rest on the first question.

    Raises `RegistryRefusedError` when the trust root cannot be used, which in production includes that whoever can
    write the registry's folder could replace it.
    """
    trust = read_trust_root(paths.trust_root, outside=paths.registry.parent if production else None)
    state = SkillState(paths.skills_state, paths.registry)
    return Catalogue(paths.skills_root, paths.registry, Terms(trust, now, production, state, advances))


def _notices(check: TrustCheck | None) -> Sequence[Refusal]:
    notices = () if check is None else check.notices
    return tuple(_refusal("", str(notice.facts.get("file", "")), notice) for notice in notices)


def _unsigned(file: str) -> SkillRefusedError:
    return refused_skill(Reason.UNSIGNED, name=Path(file).stem, file=file)


def _refusal(name: str, file: str, error: SkillError) -> Refusal:
    return Refusal(name, file, error.code, str(error.facts["reason"]), error.cause, error.next_step, error.facts)
