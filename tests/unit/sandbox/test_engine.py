from pathlib import Path

import pytest

from sgclaw.errors import ConfigError
from sgclaw.sandbox.engine import engine_folder


def installed(folder: Path, name: str, version: str) -> None:
    """Leave the record of an installed distribution in a folder of the search path."""
    record = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


@pytest.mark.requirement("SBX-38")
def test_the_engine_is_found_without_being_loaded() -> None:
    assert any(engine_folder().glob("_quickjs.*"))


@pytest.mark.requirement("SBX-38")
@pytest.mark.parametrize(
    ("name", "version", "usable"),
    [
        ("quickjs-ng", "0.17.0.1", False),
        ("quickjs-ng", "0.9.0", False),
        ("quickjs-ng", "0.17.0.2", True),
        ("quickjs-ng", "0.18.0", True),
        ("quickjs-ng", "1.0", True),
        ("quickjs", "1.19.4", False),
    ],
)
def test_an_engine_that_is_old_or_of_the_other_distribution_is_refused(
    name: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, usable: bool
) -> None:
    installed(tmp_path, name, version)
    monkeypatch.syspath_prepend(str(tmp_path))
    if usable:
        assert engine_folder().is_dir()
        return
    with pytest.raises(ConfigError) as raised:
        engine_folder()
    assert raised.value.facts["minimum"] == "0.17.0.2"
