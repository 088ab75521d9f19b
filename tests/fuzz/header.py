"""Headers of skill files: a manifest inside its own rules, or a typed refusal that names a line of the file."""

from __future__ import annotations

from pathlib import Path

from sgclaw.errors import BadManifestError, SkillRefusedError
from sgclaw.policy.origins import is_canonical_host
from sgclaw.protocol.actions import ACTIONS
from sgclaw.protocol.strict import encode
from sgclaw.skills.header import TAGS, parse_header
from sgclaw.skills.schema import check_schema
from sgclaw.skills.source import decode_source
from tests.unit.skills.folder import script

_SHIPPED = Path(__file__).parents[2] / "skills"


def one_input(data: bytes) -> None:
    """The whole file."""
    try:
        text = decode_source(data)
    except SkillRefusedError as error:
        assert error.facts["reason"] in ("BAD_ENCODING", "HIDDEN_CHARACTERS")
        return
    try:
        manifest = parse_header(text)
    except BadManifestError as error:
        line = error.facts["line"]
        assert isinstance(line, int)
        assert 1 <= line <= text.count("\n") + 1
        assert error.next_step
        return
    assert manifest.domains
    assert all(map(is_canonical_host, manifest.domains))
    assert set(manifest.capabilities.actions) <= ACTIONS.keys()
    check_schema(manifest.params)
    encode(manifest.model_dump(mode="json"))
    assert parse_header(text) == manifest


def seeds() -> list[bytes]:
    """The skills that ship, small ones with every tag, and headers with one fault."""
    every = "".join(f" * @{name} x\n" for name in TAGS if name not in ("skill", "version", "description", "domains"))
    full = (
        ' * @params { "type": "object",\n *   "properties": { "m": { "type": "string", "pattern": "^a+$" } } }\n'
        ' * @output { "type": ["object", "null"] }\n * @actions click, getText\n * @tags 财务、报表\n'
        " * @depends_on oa-login@1.0.0\n"
    )
    shipped = [file.read_bytes() for file in sorted(_SHIPPED.rglob("*.js"))]
    made = [script("a"), script("b", extra=full), script("c", extra=every), script("d").replace("/**", "/*")]
    return [*shipped, *(text.encode() for text in made), b"/***/", b"/**/", b"/** @skill a */"]
