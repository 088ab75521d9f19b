"""Ops on keys and signatures."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from nacl.bindings import crypto_core_ed25519_add

from sgclaw.skills.ed25519 import PublicKey, SecretKey, parse_secret_key, render_public_key, render_secret_key
from sgclaw.skills.registry import canonical, entry_statement, signature_bytes, signature_text
from sgclaw.skills.rotation import read_chain, render_chain, sign_rotation
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


KEY_FILES: Final[Mapping[str, Callable[[SecretKey], bytes]]] = {
    "private": lambda key: render_secret_key(key, "private"),
    "secret": lambda key: render_secret_key(key, "secret"),
    "pem": lambda key: (
        b"-----BEGIN PUBLIC KEY-----\n" + base64.b64encode(key.public.raw) + b"\n-----END PUBLIC KEY-----\n"
    ),
    "ssh": lambda key: b"ssh-ed25519 " + base64.b64encode(key.public.raw) + b" a@b\n",
    "base64": lambda key: b"ed25519:" + base64.b64encode(key.public.raw) + b"\n",
    "raw": lambda key: key.public.raw,
    "binary": lambda key: key.public.raw,
    "31": lambda key: b"ed25519:" + key.public.raw[1:].hex().encode() + b"\n",
    "short": lambda key: b"ed25519:" + key.public.raw[1:].hex().encode() + b"\n",
    "33": lambda key: b"ed25519:" + key.public.raw.hex().encode() + b"00\n",
    "long": lambda key: b"ed25519:" + key.public.raw.hex().encode() + b"00\n",
    "upper": lambda key: b"ed25519:" + key.public.raw.hex().upper().encode() + b"\n",
    "utf-16": lambda key: render_public_key(key.public, "wide").decode().encode("utf-16"),
    "bom": lambda key: b"\xef\xbb\xbf" + render_public_key(key.public, "bom"),
    "hex": lambda key: key.public.raw.hex().encode() + b"\n",
    "rsa": lambda key: b"rsa:" + key.public.raw.hex().encode() + b"\n",
    "comment": lambda _key: b"# nothing\n",
    "garbage": lambda _key: b"\x00\xff not a key",
    "none": lambda _key: b"",
    "null": lambda _key: b"",
    "missing": lambda _key: b"",
    "empty": lambda _key: b"",
}
"""A word for a file that is no key file of ours → its bytes."""


def _pin_key(world: World, op: Data) -> None:
    said = str(op.get("value", op.get("key", op.get("kind", op.get("text", op.get("hex", ""))))))
    weak = next((raw for word, raw in WEAK.items() if word in said.replace("-", " ")), None)
    file = next((make for word, make in KEY_FILES.items() if word in said.lower()), None)
    if re.fullmatch("[0-9a-f]{64}", said):
        key = PublicKey(bytes.fromhex(said))
    elif "mixed" in said:
        # Neither in the prime-order group nor of small order: a good key with a point of order 8 added to it.
        key = PublicKey(crypto_core_ed25519_add(world.key("good").public.raw, bytes.fromhex(_ORDER_8)))
    elif "dev" in said.lower():
        key = parse_secret_key((ROOT / "keys" / "DEV-ONLY-skill-signing.key").read_bytes()).public
    elif said in {"good", "good2", "attacker", "root", "revoked"}:
        key = world.key(said).public
    elif weak is not None:
        key = PublicKey(bytes.fromhex(weak))
    else:  # what it says is the file's text, when it does not describe one
        world.trust_file = file(world.key("good")) if file else said.encode("utf-8", "surrogatepass")
        return
    world.pins = [key] if op.get("only") else [*world.pins, key]


def _production(world: World, op: Data) -> None:
    world.production = bool(op.get("value", True))


def _copy_signature(world: World, op: Data) -> None:
    world.entry(op["to"])["signature"] = world.entry(op["from"])["signature"]
    world.entry_changed()


def _resign(world: World, op: Data) -> None:
    world.usurper = ""
    world.sign_entry(world.entry(op["skill"]), op.get("key", "good"))
    world.entry_changed()


def _resign_all(world: World, op: Data) -> None:
    world.usurper = ""
    key = op.get("key", "good")
    for entry in world.entries:
        world.sign_entry(entry, key)
    world.sign_registry(key)


def _resign_registry(world: World, op: Data) -> None:
    world.usurper = ""
    world.sign_registry(op.get("key", "good"))


def _rotate(world: World, op: Data) -> None:
    """The statement with the signatures the case names, and everything signed by the new key from then on.

    One that lacks a signature is what somebody put there who has the new key alone: they sign everything with it,
    unless the case says what they sign.
    """
    old, new = op.get("old", op.get("from", "good")), op.get("new", op.get("to", "good2"))
    signers = op.get("statement_signed_by", op.get("signed_by", [old, new]))
    path = world.place("keys/rotations.json")
    chain = read_chain(path.read_bytes() if path.exists() else None)
    link = sign_rotation(world.key(old), world.key(new), op.get("serial", len(chain) + 1), NOW)
    signatures = {}
    others = [name for name in signers if name not in {old, new}]
    for field, name in (("signature_old", old), ("signature_new", new)):
        if name not in signers:
            forged = world.key(others[0]).sign(link.statement()) if others else bytes(64)
            signatures[field] = signature_text(forged)
    world.write_home("keys/rotations.json", render_chain([*chain, link.model_copy(update=signatures)]))
    world.heirs[old] = new
    if signatures:
        world.usurper = new
    else:
        _resign_all(world, {"key": new})


def _revoke(world: World, op: Data) -> None:
    """The list, signed by whom the case names. The key that signed everything is replaced by its successor first: a
    publisher who revokes a key has signed again with another.
    """
    signers = op.get("statement_signed_by", op.get("signed_by", ["root"])) or ["attacker"]
    world.revoke(op["key"], signers[0])
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
    "malleability": _malleable,
    "high_s": _malleable,
    "non_canonical_s": _malleable,
    "swapped_halves": lambda raw: signature_text(raw[32:] + raw[:32]),
    "r_zero": lambda raw: signature_text(bytes(32) + raw[32:]),
    "s_zero": lambda raw: signature_text(raw[:32] + bytes(32)),
    "reversed": lambda raw: signature_text(raw[::-1]),
    "doubled": lambda raw: signature_text(raw + raw),
    "object": lambda raw: {"ed25519": raw.hex()},
    "array": lambda raw: [signature_text(raw)],
    "alg_none": lambda _raw: "none:",
    "algorithm_none": lambda _raw: "none:",
    "hmac_with_public_key": lambda raw: "hmac-sha256:" + raw[:32].hex(),
}
GONE: Final = frozenset({"missing", "absent", "removed", "remove", "no_signature"})


def _varied(text: str, kind: str) -> Any:
    """The signature in the form that `kind` describes; a word nobody has thought of makes a wrong one."""
    raw = signature_bytes(text)
    name = re.sub(r"[^a-z0-9]+", "_", str(kind).lower().replace("+", "_plus_")).strip("_")
    found = SIGNATURES.get(name) or next((make for word, make in SIGNATURES.items() if word in name), None)
    varied = found(raw) if found else text
    return signature_text(bytes([raw[0] ^ 1]) + raw[1:]) if varied == text else varied


def _signature_variant(world: World, op: Data) -> None:
    entry = world.entry(op["skill"])
    if op["kind"] in GONE:
        entry.pop("signature")
    else:
        entry["signature"] = _varied(entry["signature"], op["kind"])
    world.entry_changed()


def _registry_signature_variant(world: World, op: Data) -> None:
    world.document["signature"] = None if op["kind"] in GONE else _varied(world.signature, op["kind"])
    world.registry_changed()


def _sign_with_label(world: World, op: Data) -> None:
    """A right signature of the same key, made for another purpose."""
    entry = world.sign_entry(world.entry(op["skill"]), op.get("key", "good"))
    statement = {**json.loads(entry_statement(entry)), "label": op.get("label", op.get("value"))}
    entry["signature"] = signature_text(world.key(op.get("key", "good")).sign(canonical(statement)))
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
    "registry_signature_variant": _registry_signature_variant,
    "sign_with_label": _sign_with_label,
    "resign_with_label": _sign_with_label,
    "pin_key_file": _pin_key,
}
