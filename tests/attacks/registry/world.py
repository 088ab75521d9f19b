"""The installation that a registry case starts from, and what cases change in it before it is loaded.

Entries are kept as plain data, so that they can say what our own models would refuse. The registry around them is
signed again after each change of an entry: what is tried is the entry, by somebody who got that far. A change of the
registry itself leaves it with the signature it had, until the case signs it again.
"""

from __future__ import annotations

import copy
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from sgclaw.errors import RegistryRefusedError
from sgclaw.skills.catalogue import Catalogue, Refusal, Terms
from sgclaw.skills.ed25519 import PublicKey, SecretKey, TrustRoot, parse_trust_root
from sgclaw.skills.marks import KeyMark, Marks, SkillMark
from sgclaw.skills.registry import entry_statement, hash_text, registry_statement, render, signature_text
from sgclaw.skills.revocation import RevokedKey, sign_revocations
from sgclaw.skills.state import SkillState
from sgclaw.skills.trust import VerifiedSkill
from tests.attacks.corpus import Data

Document = dict[str, Any]

NOW: Final = datetime.fromisoformat("2026-03-31T08:00:00Z")
SERIAL: Final = 20
_SIGNED: Final = ("name", "kind", "version", "file", "hash", "domains", "actions", "enabled")
CANARY: Final = "globalThis.__canary = true;"
"""The first statement of every script: nothing of a refused file may run."""


def script(name: str, version: str, domains: list[str], note: str = "") -> bytes:
    """A skill whose header says this."""
    return (
        f"/**\n * @skill {name}\n * @version {version}\n * @description 技能 {name}{note}\n"
        f" * @domains {', '.join(domains)}\n * @actions click\n */\n{CANARY}\n"
        "async function execute(params, browserAction) {\n  return { success: true, data: {} };\n}\n"
    ).encode()


def _named(entry: object) -> object:
    """The name in something that stands for an entry, if it has one."""
    return entry.get("name") if isinstance(entry, dict) else None


@dataclass(frozen=True, slots=True)
class Shut:
    """What there is when the pinned keys cannot be read: no set at all."""

    error: RegistryRefusedError
    unsigned: Sequence[Refusal] = ()

    @property
    def skills(self) -> Mapping[str, VerifiedSkill]:
        return {}

    @property
    def refused(self) -> Sequence[Refusal]:
        error = self.error
        return (Refusal("", "", error.code, str(error.facts["reason"]), error.cause, error.next_step, error.facts),)

    def get(self, name_or_ref: str) -> VerifiedSkill:
        raise self.error


class World:
    """One installation. `document` is the registry without its signature; `after` is done once the set is loaded."""

    def __init__(self, folder: Path, base: Data) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.now = NOW
        self.pins: list[PublicKey] = [self.key("good").public]
        self.signer = "good"
        self.heirs: dict[str, str] = {}
        self.usurper = ""
        """The key that signs everything in the end, though nobody handed it that place."""
        self.marks = Marks()
        self.after: list[Callable[[], None]] = []
        self.raw: Callable[[bytes], bytes] = lambda registry: registry
        self.damage: list[Callable[[], None]] = []
        self.used_at: datetime | None = None
        """When this machine last used the set as it was, if that must be remembered."""
        self.trust_file: bytes | None = None
        """What lies in the place of the pinned keys, when it may be no key file at all."""
        self._torn = self.implied = False
        self.document: Document = {
            "version": "1.0",
            "updated_at": "2026-03-01T00:00:00Z",
            "serial": SERIAL,
            "expires": "2027-03-01T00:00:00Z",
            "key_id": "",
            "skills": [],
        }
        for skill in base["skills"]:
            self.put(skill["name"], skill["file"], skill["version"], list(skill["domains"]))
        self.sign_registry("good")
        self.original = self.signature
        self._before = copy.deepcopy(self.document)
        self.production = False

    @property
    def is_changed(self) -> bool:
        """Whether the registry says something else than at first, other than by its signature."""
        return self.document != self._before

    # --- keys and places ----------------------------------------------------------------------------------------------

    def key(self, name: str) -> SecretKey:
        """The key of this name, fresh for this installation and the same at each call."""
        return SecretKey(hashlib.sha256(f"{self.folder}\n{name}".encode()).digest())

    @property
    def registry(self) -> Path:
        return self.home / "registry.json"

    @property
    def skills(self) -> Path:
        return self.home / "skills"

    def place(self, path: str) -> Path:
        """Where a path of the corpus lies: skills below the skills folder, all else in the installation."""
        return (self.skills if path.split("/", maxsplit=1)[0] in {"builtin", "custom"} else self.home) / path

    def place_of(self, op: Data) -> Path:
        """What an op means by `path`, `file` or `skill`."""
        path = op.get("path", op.get("file"))
        return self.place(path) if path is not None else self.file_of(op["skill"])

    def file_of(self, name: str) -> Path:
        return self.place(self.entry(name)["file"])

    # --- entries ------------------------------------------------------------------------------------------------------

    @property
    def entries(self) -> list[Document]:
        entries: list[Document] = self.document["skills"]
        return entries

    def entry(self, name: str) -> Document:
        return next(entry for entry in self.entries if _named(entry) == name)

    @property
    def names(self) -> list[str]:
        """The names of the entries that have one."""
        listed: object = self.document.get("skills")
        names = [_named(entry) for entry in listed] if isinstance(listed, list) else []
        return [name for name in names if isinstance(name, str)]

    def make(self, name: str, file: str, version: str, domains: list[str], note: str = "") -> Document:
        """A signed entry; its file is written where a file of that name can be."""
        source = script(name, version, domains, note)
        if re.fullmatch(r"(builtin|custom)/[\w-]+\.js", file):
            path = self.place(file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source)
        entry: Document = {
            "name": name,
            "kind": "script",
            "file": file,
            "version": version,
            "hash": hash_text(hashlib.sha256(source).hexdigest()),
            "domains": domains,
            "actions": ["click"],
            "enabled": True,
        }
        return self.sign_entry(entry, "good")

    def put(self, name: str, file: str, version: str, domains: list[str], note: str = "") -> Document:
        """A signed entry in the registry, in the place of one of its name if there is one."""
        made = self.make(name, file, version, domains, note)
        places = [place for place, entry in enumerate(self.entries) if entry.get("name") == name]
        if places:
            self.entries[places[0]] = made
        else:
            self.entries.append(made)
        return made

    def sign_entry(self, entry: Document, key: str | None) -> Document:
        """The entry signed as it is; without a key it is left unsigned."""
        entry.pop("signature", None)
        if key is not None:
            self._believed_once(key)
            statement = entry_statement({**dict.fromkeys(_SIGNED), **entry})
            entry["signature"] = signature_text(self.key(key).sign(statement))
        return entry

    def _believed_once(self, key: str) -> None:
        """The corpus has one key that was trusted and then revoked."""
        if key == "revoked" and self.key(key).public not in self.pins:
            self.pins.append(self.key(key).public)
            self.revoke("revoked", "root")

    def revoke(self, key: str, signed_by: str) -> None:
        """Write a list that revokes this key; the root key of the corpus is pinned as root."""
        heir = self.heirs.get(key)
        successor = self.key(heir).public.key_id if heir else None  # as `sgclaw keys revoke` names it
        listed = [RevokedKey(key_id=self.key(key).public.key_id, successor=successor)]
        raw = sign_revocations(self.key(signed_by), listed, 1, NOW)
        self.write_home("keys/revocations.json", raw)

    def write_home(self, path: str, content: bytes) -> None:
        place = self.place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    # --- the registry -------------------------------------------------------------------------------------------------

    def sign_registry(self, key: str) -> None:
        """Sign the registry as it is now."""
        self._believed_once(key)
        self.signer, self._torn, self.implied = key, False, False
        self.document.pop("signature", None)
        self._seal()

    def entry_changed(self) -> None:
        """An entry is another one now: sign the registry again, unless it was tampered with."""
        if not self._torn:
            self.implied = True
            self._seal()

    def registry_changed(self) -> None:
        """The registry itself is another one now, under the signature it had."""
        self._torn = True

    def _seal(self) -> None:
        self.document["key_id"] = self.key(self.signer).public.key_id
        self.signature = signature_text(self.key(self.signer).sign(registry_statement(self.document)))

    # --- loading ------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> SkillState:
        return SkillState(self.folder / "state", self.registry)

    def write(self, signature: str | None = None) -> None:
        """Put the registry on disk, then do to the disk what the case does to it."""
        if self.used_at is not None:
            self.registry.write_bytes(render({**self._before, "signature": self.original}))
            now, self.now = self.now, self.used_at
            assert self.load().skills
            self.now = now
        if self.usurper:
            for entry in self.entries:
                self.sign_entry(entry, self.usurper)
            self.sign_registry(self.usurper)
        document = {**self.document}
        document.setdefault("signature", signature or self.signature)
        self.registry.write_bytes(self.raw(render(document)))
        if self.marks != Marks():
            self.state.raise_marks(self.marks)
        for damage in self.damage:
            damage()

    def load(self) -> Catalogue | Shut:
        """The set as a process that runs skills sees it."""
        trust = TrustRoot(tuple(self.pins), (self.key("root").public,))
        if self.trust_file is not None:
            try:
                trust = parse_trust_root(self.trust_file)
            except RegistryRefusedError as error:
                return Shut(error)
        return Catalogue(self.skills, self.registry, Terms(trust, self.now, self.production, self.state, advances=True))

    def seen(self, skills: Mapping[str, tuple[str, str]], serial: int = 0, key: str = "good") -> None:
        """Remember having seen these versions and hashes, and this serial, under a key."""
        marks = {name: SkillMark(version=version, sha256=sha256) for name, (version, sha256) in skills.items()}
        mark = KeyMark(serial=serial, skills=marks)
        self.marks = self.marks.merged(Marks(keys={self.key(key).public.key_id: mark}))

    def outside(self, name: str) -> Path:
        """A place that is not in the installation."""
        place = self.folder / "outside" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def replace(self, path: Path) -> None:
        """Take away what lies there."""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif os.path.lexists(path):
            path.unlink()
