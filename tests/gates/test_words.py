import pytest

from tests.gates.repository import ROOT, files, text_of
from tests.gates.words import faults

KEY = "ab" * 32


@pytest.mark.requirement("GATE-07")
def test_no_file_holds_a_machine_path_a_package_host_or_a_secret_key() -> None:
    found: list[str] = []
    for path in files():
        text = text_of(path)
        if text is not None:
            found += faults(str(path.relative_to(ROOT)), text)
    assert found == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("cd /" + "work/main", "path of one machine"),
        ("open('/" + "home/ann/x')", "path of one machine"),
        ("C:\\" + "Users\\ann", "path of one machine"),
        ("pip install --" + "index-url https://example.com a", "package host or index setting"),
        ("https://pypi" + ".org/simple", "package host or index setting"),
        ("see iss" + "ue 12", "ticket number"),
        ("-----BEGIN OPENSSH PRIV" + "ATE KEY-----", "secret key"),
        ("signing_" + f"key = '{KEY}'", "secret key"),
        ('{"private' + f'": "{KEY}"}}', "secret key"),
    ],
)
def test_a_forbidden_line_is_reported_with_its_place(line: str, what: str) -> None:
    assert list(faults("docs/a.md", f"fine\n{line}\n")) == [f"docs/a.md:2: {what}"]


@pytest.mark.parametrize(
    "line",
    [
        "https://oa.example.com/" + "work/list",
        "the private key never leaves the machine",
        f'"hash": "sha256:{KEY}"',
        f'"hmac":"{KEY}"}}',
        "the issue with 3 columns",
    ],
)
def test_ordinary_lines_pass(line: str) -> None:
    assert list(faults("docs/a.md", line)) == []


@pytest.mark.parametrize("text", [KEY + "\n", "A" * 43 + "=\n"])
def test_a_file_of_nothing_but_32_bytes_is_a_secret_unless_its_name_says_otherwise(text: str) -> None:
    assert list(faults("keys/skill_sign.key", text)) == ["keys/skill_sign.key:1: secret key"]
    assert list(faults("keys/skill_verify.pub", text)) == []
    assert list(faults("keys/DEV-ONLY-skill_sign.key", text)) == []
