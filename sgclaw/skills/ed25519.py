"""Ed25519 over PyNaCl, and the text form of keys.

libsodium itself refuses non-canonical `S` and small-order public keys; the point check here gives a pinned weak key its
own reason and refuses mixed-order points too. PyNaCl is loaded on first use: the catalogue is opened after start-up.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sgclaw.skills.reasons import Reason, refused_registry
from sgclaw.skills.source import find_hidden

_PUBLIC = re.compile(r"ed25519:([0-9a-f]{64})")
_PINNED = re.compile(r"(root:)?ed25519:([0-9a-f]{64})")
_SECRET = re.compile(r"ed25519-secret:([0-9a-f]{64})")

DEV_KEY_ID = "916cfaa7b60c8169"
"""Key id of keys/DEV-ONLY-skill-signing.key. Its secret half is public: production refuses it whatever a file says."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The 32 raw bytes of a public key."""

    raw: bytes

    @property
    def key_id(self) -> str:
        """First 16 hex digits of the SHA-256 of the raw key."""
        return hashlib.sha256(self.raw).hexdigest()[:16]

    @property
    def is_weak(self) -> bool:
        """Whether the point is off the curve or outside the prime-order group (small order, mixed order)."""
        import nacl.bindings as sodium  # noqa: PLC0415 - see the module's docstring

        return not sodium.crypto_core_ed25519_is_valid_point(self.raw)

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Whether the 64-byte signature over the message is this key's."""
        import nacl.bindings as sodium  # noqa: PLC0415
        from nacl.exceptions import BadSignatureError  # noqa: PLC0415

        try:
            sodium.crypto_sign_open(signature + message, self.raw)
        except BadSignatureError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SecretKey:
    """The 32-byte seed of a signing key."""

    seed: bytes = field(repr=False)

    @property
    def public(self) -> PublicKey:
        """The half that verifies."""
        import nacl.bindings as sodium  # noqa: PLC0415

        return PublicKey(sodium.crypto_sign_seed_keypair(self.seed)[0])

    def sign(self, message: bytes) -> bytes:
        """The 64-byte signature; the same for the same message, always."""
        import nacl.bindings as sodium  # noqa: PLC0415

        return sodium.crypto_sign(message, sodium.crypto_sign_seed_keypair(self.seed)[1])[:64]


@dataclass(frozen=True, slots=True)
class TrustRoot:
    """The pinned keys: which may sign skills, and which may revoke keys."""

    signing: tuple[PublicKey, ...]
    roots: tuple[PublicKey, ...]


def public_key(text: str) -> PublicKey:
    """The key of a checked `ed25519:<64 hex>`."""
    return PublicKey(bytes.fromhex(text.removeprefix("ed25519:")))


def key_text(key: PublicKey) -> str:
    """`ed25519:<64 hex>`."""
    return f"ed25519:{key.raw.hex()}"


def parse_trust_root(text: bytes) -> TrustRoot:
    """A trust root file: `#` comments, at least one `ed25519:<64 hex>` line, and any `root:ed25519:<64 hex>` lines.

    Without a `root:` line the signing keys are the root keys too. Raises `BAD_KEY`.
    """
    found = [(match[1], PublicKey(bytes.fromhex(match[2]))) for match in _key_lines(text, _PINNED)]
    signing = tuple(key for mark, key in found if mark is None)
    if not signing:
        raise refused_registry(Reason.BAD_KEY, problem="no signing key")
    return TrustRoot(signing, tuple(key for mark, key in found if mark is not None) or signing)


def parse_public_keys(text: bytes) -> Sequence[PublicKey]:
    """The keys of a key file: `#` comments and at least one `ed25519:<64 hex>` line. Raises `BAD_KEY`."""
    return [PublicKey(bytes.fromhex(match[1])) for match in _key_lines(text, _PUBLIC)]


def parse_secret_key(text: bytes) -> SecretKey:
    """The key of a signing key file: `#` comments and one `ed25519-secret:<64 hex>` line. Raises `BAD_KEY`."""
    found = _key_lines(text, _SECRET)
    if len(found) != 1:
        raise refused_registry(Reason.BAD_KEY, problem="more than one key")
    return SecretKey(bytes.fromhex(found[0][1]))


def render_public_key(key: PublicKey, comment: str) -> bytes:
    """A trust root file for this key; every line of `comment` becomes a `#` line."""
    return _render(key_text(key), comment, key)


def render_secret_key(key: SecretKey, comment: str) -> bytes:
    """A signing key file; whoever writes it to disk gives it mode 0600."""
    return _render(f"ed25519-secret:{key.seed.hex()}", comment, key.public)


def _render(key_line: str, comment: str, public: PublicKey) -> bytes:
    comments = [f"# {line}".rstrip() for line in (*comment.splitlines(), f"key id: {public.key_id}")]
    return "\n".join([*comments, key_line, ""]).encode("utf-8")


def _key_lines(text: bytes, form: re.Pattern[str]) -> list[re.Match[str]]:
    content = text.decode("utf-8", "replace")
    # What an editor shows as one line of comment must be one: a key behind another kind of line end would be unseen.
    hidden = find_hidden(content)
    if hidden is not None:
        raise refused_registry(Reason.BAD_KEY, problem="hidden character", character=f"U+{ord(hidden.group()):04X}")
    lines = [line.strip() for line in content.split("\n")]
    matches = [form.fullmatch(line) for line in lines if line and not line.startswith("#")]
    found = [match for match in matches if match is not None]
    if not found or len(found) != len(matches):
        raise refused_registry(Reason.BAD_KEY, problem="not a key file")
    return found
