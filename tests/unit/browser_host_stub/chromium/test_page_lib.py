"""The page library is one script made of files: what one file declares, another must not declare anew."""

import re
from collections import Counter
from pathlib import Path

import pytest

import browser_host_stub.chromium

_FOLDER = Path(browser_host_stub.chromium.__file__).parent / "page_lib"
_DECLARES = re.compile(r"^(?:async )?(?:function\*? |const |let |class )(\w+)", re.MULTILINE)


@pytest.mark.requirement("CHR-96")
def test_no_name_is_declared_in_two_files_of_the_page_library() -> None:
    files = {path.name: _DECLARES.findall(path.read_text(encoding="utf-8")) for path in _FOLDER.glob("*.js")}
    counted = Counter(name for names in files.values() for name in set(names))
    assert len(counted) > 500
    assert {name for name, times in counted.items() if times > 1} == set()
    assert {file: names for file, names in files.items() if len(set(names)) < len(names)} == {}
