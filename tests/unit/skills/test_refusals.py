"""What every refusal of the trust core says, whole: reason, words, and the facts that find the fault."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from sgclaw.errors import BadManifestError, RegistryRefusedError, SkillError, SkillRefusedError
from sgclaw.skills.ed25519 import parse_public_keys, parse_secret_key, parse_trust_root, render_public_key
from sgclaw.skills.files import read_paper_file, read_registry, read_script, read_trust_root
from sgclaw.skills.marks import KeyMark, Marks, SkillMark
from sgclaw.skills.reasons import WORDS, Reason, refused_manifest, refused_registry
from sgclaw.skills.registry import SkillEntry
from sgclaw.skills.signing import sign_registry, sign_skill
from sgclaw.skills.source import decode_source
from sgclaw.skills.trust import TrustCheck
from tests.unit.skills.folder import ATTACKER, GOOD, NOW, RELEASE, resigned, script

PUB = b"ed25519:" + b"ab" * 32 + b"\n"
SECRET = b"ed25519-secret:" + b"ab" * 32 + b"\n"
NOWHERE = Path("nowhere")
SOURCE = script("erp-report").encode()
ENTRY = sign_skill(GOOD, "builtin/erp-report.js", SOURCE)
PLACE: dict[str, object] = {"name": "erp-report", "file": "builtin/erp-report.js"}


def _judge(entry: SkillEntry, raw: bytes = SOURCE) -> None:
    check = TrustCheck([GOOD.public], NOW)
    (candidate,) = check.open_registry(sign_registry(GOOD, [entry], RELEASE))
    check.verify_file(check.verify_entry(candidate), raw)


def _changed_file() -> None:
    raw = script("erp-report", version="2.0.0", domains="oa.example.com").encode()
    digest = hashlib.sha256(raw).hexdigest()
    _judge(resigned(ENTRY, hash=f"sha256:{digest}"), raw)


CASES: dict[str, tuple[Callable[[], object], Reason, dict[str, object]]] = {
    "not utf-8 on the first line": (lambda: decode_source(b"a\xff\n\n"), Reason.BAD_ENCODING, {"line": 1}),
    "not utf-8 below": (lambda: decode_source(b"\na\n\xff\n\n"), Reason.BAD_ENCODING, {"line": 3}),
    "hidden on the first line": (
        lambda: decode_source("\u200b\n\n".encode()),
        Reason.HIDDEN_CHARACTERS,
        {"line": 1, "character": "U+200B"},
    ),
    "hidden below": (
        lambda: decode_source(b"\na\nb\x07\n\n"),
        Reason.HIDDEN_CHARACTERS,
        {"line": 3, "character": "U+0007"},
    ),
    "no key": (lambda: parse_public_keys(b"# empty\n"), Reason.BAD_KEY, {"problem": "not a key file"}),
    "a key and junk": (lambda: parse_public_keys(PUB + b"x"), Reason.BAD_KEY, {"problem": "not a key file"}),
    "roots alone": (lambda: parse_trust_root(b"root:" + PUB), Reason.BAD_KEY, {"problem": "no signing key"}),
    "two secret keys": (lambda: parse_secret_key(SECRET * 2), Reason.BAD_KEY, {"problem": "more than one key"}),
    "no script": (lambda: read_script(NOWHERE, "builtin/a.js"), Reason.NO_FILE, {"file": "builtin/a.js"}),
    "no registry": (lambda: read_registry(NOWHERE / "r.json"), Reason.NO_REGISTRY, {"file": "r.json"}),
    "no trust root": (lambda: read_trust_root(NOWHERE / "k.pub"), Reason.BAD_KEY, {"file": str(Path("nowhere/k.pub"))}),
    "signed by another": (lambda: _judge(resigned(ENTRY, ATTACKER)), Reason.BAD_SIGNATURE, PLACE),
    "header says other things": (
        _changed_file,
        Reason.HEADER_MISMATCH,
        {**PLACE, "fields": ["version", "domains"]},
    ),
    "changed file": (
        lambda: _judge(ENTRY, b"x"),
        Reason.HASH_MISMATCH,
        {**PLACE, "expected": ENTRY.sha256, "actual": hashlib.sha256(b"x").hexdigest()},
    ),
}


@pytest.mark.requirement("FUZZ-09")
@pytest.mark.parametrize("name", CASES)
def test_a_refusal_says_its_reason_its_words_and_its_facts(name: str) -> None:
    refused, reason, facts = CASES[name]
    with pytest.raises(SkillError) as caught:
        refused()
    assert isinstance(caught.value, SkillRefusedError | RegistryRefusedError)
    assert caught.value.facts == {"reason": reason.value, **facts}
    assert (caught.value.cause, caught.value.next_step) == WORDS[reason]


@pytest.mark.requirement("FUZZ-09")
@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_its_own_words(reason: Reason) -> None:
    facts = {"file": "x", "mend": "y"}
    made = refused_registry(reason, **facts)
    cause, step = WORDS[reason]
    assert (made.cause, made.next_step) == (cause, step.format(**facts))
    assert made.facts == {"reason": reason.value, **facts}


@pytest.mark.requirement("FUZZ-09")
def test_a_bad_header_keeps_what_to_write() -> None:
    made = refused_manifest(BadManifestError("原因", next_step="请写", facts={"line": 3}))
    assert (made.cause, made.next_step, made.facts) == ("原因", "请写", {"reason": "BAD_MANIFEST", "line": 3})


@pytest.mark.requirement("FUZZ-09")
def test_the_name_of_an_unknown_field_is_cut_where_it_is_told() -> None:
    check = TrustCheck([GOOD.public], NOW)
    registry = sign_registry(GOOD, [ENTRY], RELEASE).replace(
        b'"version": "1.0",', b'"version": "1.0", "' + b"x" * 60 + b'": 1,'
    )
    with pytest.raises(RegistryRefusedError) as refused:
        check.open_registry(registry)
    assert refused.value.facts == {"reason": "BAD_REGISTRY", "fields": ["x" * 40]}


@pytest.mark.requirement("FUZZ-09")
def test_an_exposed_trust_root_is_named_with_what_exposes_it(tmp_path: Path) -> None:
    inside, outside = tmp_path / "set" / "k.pub", tmp_path / "keys" / "k.pub"
    for path in (inside, outside):
        path.parent.mkdir(mode=0o700)
        path.write_bytes(render_public_key(GOOD.public, "test"))
    outside.chmod(0o666)
    for path, problem in ((inside, "INSIDE"), (outside, "WRITABLE")):
        with pytest.raises(RegistryRefusedError) as refused:
            read_trust_root(path, outside=tmp_path / "set")
        assert refused.value.facts == {"reason": "EXPOSED_TRUST_ROOT", "file": str(path), "problem": problem}


@pytest.mark.requirement("FUZZ-09")
def test_a_paper_is_read_from_its_folder_or_is_none_or_empty(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "paper.json").write_bytes(b"{}")
    (tmp_path / "keys" / "folder.json").mkdir()
    assert read_paper_file(tmp_path, "keys/paper.json") == b"{}"
    assert read_paper_file(tmp_path, "keys/none.json") is None
    assert read_paper_file(tmp_path, "keys/folder.json") == b""


@pytest.mark.requirement("FUZZ-09")
def test_a_key_file_says_its_comment_and_key_id() -> None:
    text = render_public_key(GOOD.public, "one\n  two  ").decode()
    assert text == f"# one\n#   two\n# key id: {GOOD.public.key_id}\ned25519:{GOOD.public.raw.hex()}\n"


@pytest.mark.requirement("FUZZ-09")
@pytest.mark.parametrize("order", [("a" * 16, "b" * 16), ("b" * 16, "a" * 16)])
def test_the_highest_mark_of_any_key_counts(order: tuple[str, str]) -> None:
    low, high = SkillMark(version="1.2.0", sha256="0" * 64), SkillMark(version="1.10.0", sha256="1" * 64)
    marks = Marks(keys={order[0]: KeyMark(skills={"erp-report": low}), order[1]: KeyMark(skills={"erp-report": high})})
    assert marks.refuses(ENTRY, order[0], order) == (Reason.ROLLBACK, high)
    assert marks.refuses(ENTRY, order[0], order[:1]) == (Reason.ROLLBACK, low)
    assert marks.refuses(ENTRY, order[0], ()) is None
