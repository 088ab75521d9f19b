"""Ops on keys and signatures."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from nacl.bindings import crypto_core_ed25519_add

from sgclaw.skills.ed25519 import PublicKey, parse_secret_key
from sgclaw.skills.registry import signature_bytes, signature_text
from sgclaw.skills.rotation import render_chain, sign_rotation
from tests.attacks.corpus import Data
from tests.attacks.registry.world import NOW, World
from tests.gates.repository import ROOT

_L: Final = 2**252 + 27742317777372353535851937790883648493
_ORDER_8: Final = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"

WEAK: Final[Mapping[str, str]] = {
    "zero": "00" * 32,
    "identity": "01" + "00" * 31,
    "order 2": "ec" + "ff" * 30 + "7f",
    "order 4": "00" * 31 + "80",
    "order 8": _ORDER_8,
    "small": _ORDER_8,
    "low": _ORDER_8,
    "canonical": "ee" + "ff" * 30 + "7f",
    "off": "02" + "00" * 31,
    "curve": "02" + "00" * 31,
}
"""A word that a weak key is called by → its 32 bytes."""


def _pin_key(world: World, op: Data) -> None:
    said = str(op.get("value", op.get("key", op.get("hex", ""))))
    if re.fullmatch("[0-9a-f]{64}", said):
        key = PublicKey(bytes.fromhex(said))
    elif "mixed" in said:
        # Neither in the prime-order group nor of small order: a good key with a point of order 8 added to it.
        key = PublicKey(crypto_core_ed25519_add(world.key("good").public.raw, bytes.fromhex(_ORDER_8)))
    elif "dev" in said.lower():
        key = parse_secret_key((ROOT / "keys" / "DEV-ONLY-skill-signing.key").read_bytes()).public
    elif said in {"good", "good2", "attacker", "root", "revoked"}:
        key = world.key(said).public
    else:
        key = PublicKey(bytes.fromhex(next(raw for word, raw in WEAK.items() if word in said.replace("-", " "))))
    world.pins = [key] if op.get("only") else [*world.pins, key]


def _production(world: World, op: Data) -> None:
    world.production = bool(op.get("value", True))


def _copy_signature(world: World, op: Data) -> None:
    world.entry(op["to"])["signature"] = world.entry(op["from"])["signature"]
    world.entry_changed()


def _resign(world: World, op: Data) -> None:
    world.sign_entry(world.entry(op["skill"]), op.get("key", "good"))
    world.entry_changed()


def _resign_all(world: World, op: Data) -> None:
    key = op.get("key", "good")
    for entry in world.entries:
        world.sign_entry(entry, key)
    world.sign_registry(key)


def _resign_registry(world: World, op: Data) -> None:
    world.sign_registry(op.get("key", "good"))


def _rotate(world: World, op: Data) -> None:
    """The statement with the signatures the case names, and everything signed by the new key from then on."""
    signers = op.get("statement_signed_by", [op["old"], op["new"]])
    link = sign_rotation(world.key(op["old"]), world.key(op["new"]), op.get("serial", 1), NOW)
    signatures = {}
    others = [name for name in signers if name not in {op["old"], op["new"]}]
    for field, name in (("signature_old", op["old"]), ("signature_new", op["new"])):
        if name not in signers:
            forged = world.key(others[0]).sign(link.statement()) if others else bytes(64)
            signatures[field] = signature_text(forged)
    world.write_home("keys/rotations.json", render_chain([link.model_copy(update=signatures)]))
    world.heirs[op["old"]] = op["new"]
    _resign_all(world, {"key": op["new"]})


def _revoke(world: World, op: Data) -> None:
    """The list, signed by whom the case names. The key that signed everything is replaced by its successor first: a
    publisher who revokes a key has signed again with another.
    """
    world.revoke(op["key"], op.get("statement_signed_by", ["root"])[0])
    if op["key"] == world.signer and op.get("resign", True):
        world.pins.append(world.key("good2").public)
        _resign_all(world, {"key": "good2"})


def _base64(raw: bytes) -> str:
    return "ed25519:" + base64.b64encode(raw).decode()


def _malleable(raw: bytes) -> str:
    return signature_text(raw[:32] + (int.from_bytes(raw[32:], "little") + _L).to_bytes(32, "little"))


SIGNATURES: Final[Mapping[str, Callable[[bytes], Any]]] = {
    "hex_instead_of_base64": _base64,  # ours is hex, so the other encoding is the variant
    "base64_instead_of_hex": _base64,
    "base64_with_spaces": lambda raw: "ed25519:" + raw.hex(" "),
    "urlsafe_or_missing_padding": lambda raw: "ed25519:" + base64.urlsafe_b64encode(raw).decode().rstrip("="),
    "urlsafe": lambda raw: "ed25519:" + base64.urlsafe_b64encode(raw).decode(),
    "missing_padding": lambda raw: _base64(raw).rstrip("="),
    "upper_case": lambda raw: "ed25519:" + raw.hex().upper(),
    "upper": lambda raw: "ed25519:" + raw.hex().upper(),
    "no_prefix": lambda raw: raw.hex(),
    "missing_prefix": lambda raw: raw.hex(),
    "wrong_prefix": lambda raw: "rsa:" + raw.hex(),
    "other_algorithm": lambda raw: "rsa:" + raw.hex(),
    "prefix_upper_case": lambda raw: "ED25519:" + raw.hex(),
    "trailing_newline": lambda raw: signature_text(raw) + "\n",
    "leading_space": lambda raw: " " + signature_text(raw),
    "trailing_bytes": lambda raw: signature_text(raw) + "00",
    "extra_bytes": lambda raw: signature_text(raw) + "00",
    "truncated": lambda raw: signature_text(raw[:-1]),
    "empty": lambda _raw: "",
    "null": lambda _raw: None,
    "none": lambda _raw: None,
    "number": lambda _raw: 0,
    "list": lambda raw: [signature_text(raw)],
    "zero": lambda _raw: signature_text(bytes(64)),
    "all_zero": lambda _raw: signature_text(bytes(64)),
    "s_plus_l": _malleable,
    "malleable": _malleable,
}


def _signature_variant(world: World, op: Data) -> None:
    entry = world.entry(op["skill"])
    variant = SIGNATURES.get(op["kind"])
    if variant is None:
        raise AssertionError(f"the adapter has no signature variant {op['kind']!r}")
    entry["signature"] = variant(signature_bytes(entry["signature"]))
    world.entry_changed()


OPS: Final[Mapping[str, Callable[[World, Data], None]]] = {
    "pin_key": _pin_key,
    "production": _production,
    "copy_signature": _copy_signature,
    "resign": _resign,
    "resign_all": _resign_all,
    "resign_registry": _resign_registry,
    "rotate": _rotate,
    "revoke": _revoke,
    "signature_variant": _signature_variant,
}
