from pathlib import Path

import pytest

from browser_host_stub.ends import LocalFileError
from browser_host_stub.heads import FILE_NAME, HeadKeeper
from sgclaw.protocol.messages import AuditHead, Ping
from sgclaw.protocol.parts import KeptHead

ONE = Path("/state/one")


def head(count: int) -> AuditHead:
    return AuditHead(count=count, hash=f"{count:064x}")


def kept(count: int) -> KeptHead:
    return KeptHead(count=count, hash=f"{count:064x}")


@pytest.mark.requirement("HOST-28")
def test_the_newest_head_of_each_ledger_is_kept(tmp_path: Path) -> None:
    one, other = (HeadKeeper(tmp_path / FILE_NAME, folder) for folder in (ONE, Path("/state/other")))
    assert one.newest() is None
    for message in (head(3), Ping(id="x"), head(9), head(7)):
        one.observe(message)
    other.observe(head(1))
    assert (HeadKeeper(tmp_path / FILE_NAME, ONE).newest(), other.newest()) == (kept(9), kept(1))


@pytest.mark.requirement("HOST-28")
@pytest.mark.parametrize("content", ["", "[]", '{"/state/one": {"count": "9"}}', '{"/state/one": 9}', "\x00"])
def test_a_file_of_heads_that_cannot_be_read_is_told_and_never_taken_for_empty(content: str, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(content)
    with pytest.raises(LocalFileError):
        HeadKeeper(path, ONE).newest()
    assert path.read_text() == content
