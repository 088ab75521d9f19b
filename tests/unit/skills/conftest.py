from pathlib import Path

import pytest

from tests.unit.skills.folder import Folder, script


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Three signed skills, the third one a user's own."""
    made = Folder(tmp_path / "skills")
    made.write("builtin/erp-report.js", script("erp-report"))
    made.write("builtin/oa-approval.js", script("oa-approval", version="1.2.0", domains="oa.example.com"))
    made.write("custom/my-skill.js", script("my-skill"))
    made.sign()
    return made
