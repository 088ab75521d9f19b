import hashlib

import pytest
from nacl.bindings import crypto_core_ed25519_add

from sgclaw.errors import RegistryRefusedError
from sgclaw.skills.ed25519 import (
    PublicKey,
    SecretKey,
    key_text,
    parse_public_keys,
    parse_secret_key,
    render_public_key,
    render_secret_key,
)
from sgclaw.skills.signing import new_key, sign_registry
from sgclaw.skills.trust import TrustCheck
from tests.unit.skills.folder import ATTACKER, GOOD, NOW, RELEASE

ORDER = 2**252 + 27742317777372353535851937790883648493

SMALL_ORDER = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]


@pytest.mark.requirement("SKILL-30")
@pytest.mark.parametrize("point", SMALL_ORDER)
def test_a_pinned_small_order_key_refuses_the_set(point: str) -> None:
    weak = PublicKey(bytes.fromhex(point))
    registry = sign_registry(GOOD, [], RELEASE)
    with pytest.raises(RegistryRefusedError) as caught:
        TrustCheck([GOOD.public, weak], NOW).open_registry(registry)
    assert caught.value.facts == {"reason": "WEAK_KEY", "key_id": weak.key_id}


@pytest.mark.requirement("SKILL-30")
def test_the_universal_signature_of_a_small_order_key_is_no_signature() -> None:
    identity = PublicKey(bytes.fromhex(SMALL_ORDER[1]))
    universal = identity.raw + bytes(32)
    assert not identity.verifies(b"anything", universal)


@pytest.mark.requirement("SKILL-30")
def test_a_key_of_mixed_order_is_weak() -> None:
    mixed = crypto_core_ed25519_add(GOOD.public.raw, bytes.fromhex(SMALL_ORDER[3]))
    assert PublicKey(mixed).is_weak
    assert not GOOD.public.is_weak


@pytest.mark.requirement("SKILL-31")
def test_a_signature_with_a_non_canonical_s_is_refused() -> None:
    signature = GOOD.sign(b"m")
    larger = (int.from_bytes(signature[32:], "little") + ORDER).to_bytes(32, "little")
    assert GOOD.public.verifies(b"m", signature)
    assert not GOOD.public.verifies(b"m", signature[:32] + larger)


@pytest.mark.requirement("SKILL-31")
def test_a_signature_binds_message_and_key() -> None:
    signature = GOOD.sign(b"m")
    assert not GOOD.public.verifies(b"n", signature)
    assert not ATTACKER.public.verifies(b"m", signature)


def test_a_key_id_is_the_start_of_the_hash_of_the_public_key() -> None:
    assert GOOD.public.key_id == hashlib.sha256(GOOD.public.raw).hexdigest()[:16]


@pytest.mark.requirement("SKILL-32")
def test_keys_survive_their_files() -> None:
    key = new_key()
    assert parse_secret_key(render_secret_key(key, "一行\n\n两行")) == key
    assert parse_public_keys(render_public_key(key.public, "x")) == [key.public]
    assert new_key() != key


@pytest.mark.requirement("SKILL-32")
def test_a_secret_key_is_not_shown() -> None:
    assert "seed" not in repr(SecretKey(bytes(32)))


def test_a_trust_root_may_pin_several_keys() -> None:
    text = render_public_key(GOOD.public, "old") + render_public_key(ATTACKER.public, "new")
    assert parse_public_keys(text) == [GOOD.public, ATTACKER.public]


@pytest.mark.requirement("SKILL-32")
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"# nothing\n",
        b"\xff\xfe",
        b"ed25519:00\n",
        b"ed25519:" + b"G" * 64,
        b"ed25519:" + b"A" * 64,
        b"x\n",
        render_secret_key(GOOD, ""),
        render_public_key(GOOD.public, "") + b"rsa:00\n",
    ],
)
def test_a_file_that_is_no_trust_root_is_refused(text: bytes) -> None:
    with pytest.raises(RegistryRefusedError) as caught:
        parse_public_keys(text)
    assert caught.value.facts["reason"] == "BAD_KEY"


@pytest.mark.requirement("SKILL-32")
@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\r", "\x1c", "\x1d", "\x1e", "\u200b"])
def test_no_key_hides_behind_a_comment(end: str) -> None:
    text = f"# our key, checked{end}{key_text(ATTACKER.public)}\n{key_text(GOOD.public)}\n"
    with pytest.raises(RegistryRefusedError) as caught:
        parse_public_keys(text.encode())
    assert caught.value.facts == {
        "reason": "BAD_KEY",
        "problem": "hidden character",
        "character": f"U+{ord(end):04X}",
    }


@pytest.mark.requirement("SKILL-32")
def test_a_key_file_may_have_the_line_ends_of_windows() -> None:
    text = f"# our key\r\n{key_text(GOOD.public)}\r\n"
    assert parse_public_keys(text.encode()) == [GOOD.public]


@pytest.mark.requirement("SKILL-32")
def test_a_file_with_two_secret_keys_is_refused() -> None:
    with pytest.raises(RegistryRefusedError):
        parse_secret_key(render_secret_key(GOOD, "") * 2)
