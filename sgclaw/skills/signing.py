"""Makes keys, entries and registries. Key, serial and dates are arguments, so the same call gives the same bytes.

A signing key never reaches a process that runs skills; the commands `sgclaw keys new` and `sgclaw skill sign` use this.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from sgclaw.errors import BadManifestError, SandboxError, SkillRefusedError
from sgclaw.skills.ed25519 import SecretKey
from sgclaw.skills.files import list_scripts, read_script
from sgclaw.skills.header import parse_header
from sgclaw.skills.reasons import Reason, refused_skill
from sgclaw.skills.registry import (
    Registry,
    SkillEntry,
    as_document,
    format_time,
    hash_text,
    registry_statement,
    render,
    signature_text,
)
from sgclaw.skills.source import decode_source

_UNSIGNED = signature_text(bytes(64))


@dataclass(frozen=True, slots=True)
class Release:
    """What a registry says about itself. `serial` must exceed that of every earlier release; times are aware."""

    serial: int
    updated_at: datetime
    expires: datetime


def new_key() -> SecretKey:
    """A fresh random signing key."""
    return SecretKey(secrets.token_bytes(32))


def sign_skill(key: SecretKey, file: str, source: bytes, *, disabled: Collection[str] = ()) -> SkillEntry:
    """The registry entry of one script, its fields taken from the header; listed as switched off when `disabled` names
    it.

    Raises `BadManifestError`, or `SkillRefusedError` for a path or source that could never be loaded.
    """
    manifest = parse_header(decode_source(source))
    fields = {
        "name": manifest.name,
        "kind": manifest.kind,
        "file": file,
        "version": manifest.version,
        "hash": hash_text(hashlib.sha256(source).hexdigest()),
        "domains": manifest.domains,
        "actions": manifest.capabilities.actions,
        "enabled": manifest.name not in disabled,
    }
    try:
        unsigned = SkillEntry.model_validate({**fields, "signature": _UNSIGNED})
    except ValidationError:  # every other field passed the same rules in the manifest
        raise refused_skill(Reason.BAD_PATH, name=manifest.name, file=file) from None
    return unsigned.model_copy(update={"signature": signature_text(key.sign(unsigned.statement()))})


def sign_registry(key: SecretKey, entries: Sequence[SkillEntry], release: Release) -> bytes:
    """The bytes of `registry.json`."""
    fields = {
        "version": "1.0",
        "updated_at": format_time(release.updated_at),
        "serial": release.serial,
        "expires": format_time(release.expires),
        "key_id": key.public.key_id,
        "skills": [as_document(entry) for entry in entries],
    }
    document = as_document(Registry.model_validate({**fields, "signature": _UNSIGNED}))
    document["signature"] = signature_text(key.sign(registry_statement(document)))
    return render(document)


def build_registry(
    root: Path,
    key: SecretKey,
    release: Release,
    *,
    disabled: Collection[str] = (),
    check: Callable[[str, str], None] = lambda _file, _source: None,
) -> bytes:
    """The bytes of a registry over every script of `root`/builtin and `root`/custom, in the order of their paths.

    `check` gets the path and text of each script and raises what keeps it from being signed. Raises like `sign_skill`
    and `check`, with the file in cause and facts; two scripts of one name are refused with `DUPLICATE`.
    """
    entries: dict[str, SkillEntry] = {}
    for file in list_scripts(root):
        try:
            source = read_script(root, file)
            entry = sign_skill(key, file, source, disabled=disabled)
            check(file, decode_source(source))
        except (BadManifestError, SkillRefusedError, SandboxError) as error:
            facts = {**error.facts, "file": file}
            raise type(error)(f"{file}：{error.cause}", next_step=error.next_step, facts=facts) from None
        if entry.name in entries:
            raise refused_skill(Reason.DUPLICATE, name=entry.name, file=file, other=entries[entry.name].file)
        entries[entry.name] = entry
    return sign_registry(key, list(entries.values()), release)
