"""./dev in a copy of its own folder, with small real programs in place of Python, dpkg-query and apt-get."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.gates.repository import ROOT

TOOLS: Final = ("bash", "cat", "dirname", "env", "mkdir", "rm", "sed")

RECORDING: Final = '#!/bin/bash\nprintf "%s\\n" "${0##*/} $*" >> "$(dirname "${BASH_SOURCE[0]}")/../calls"\n'


class Checkout:
    """A folder with ./dev, a `bin` that is the whole PATH, and a `calls` file that the programs in it write."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copy(ROOT / "dev", root / "dev")
        (root / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
        (root / "constraints.txt").write_text("a==1\n", encoding="utf-8")
        self.path = root / "bin"
        self.path.mkdir()
        for tool in TOOLS:
            (self.path / tool).symlink_to(shutil.which(tool) or f"/usr/bin/{tool}")
        self.program("bin/dpkg-query", "printf installed")
        self.sites, self.others = root / "browser_host_stub" / "sites", root / "tests" / "pages"
        for folder in (self.sites, self.others):
            folder.mkdir(parents=True)
            for name in ("package.json", "package-lock.json"):
                (folder / name).write_text("{}\n", encoding="utf-8")
        self.npm()

    def program(self, name: str, body: str) -> None:
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(RECORDING + body + "\n", encoding="utf-8")
        target.chmod(0o755)

    def venv_python(self, body: str = "exit 0") -> None:
        self.program(".venv/bin/python", body)

    def npm(self, body: str = "") -> None:
        """An npm that makes the folder of packages, and then does what `body` says."""
        self.program("bin/npm", f'mkdir -p "$3/node_modules"\n{body}')

    def dev(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", str(self.root / "dev"), *arguments],
            env={"PATH": str(self.path)},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    def npm_calls(self) -> list[str]:
        calls = self.root / "calls"
        lines = calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []
        return [line for line in lines if line.startswith("npm ")]

    def python_calls(self) -> list[str]:
        calls = self.root / ".venv" / "calls"
        return calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


INSTALL: Final = "python -m pip install --quiet --disable-pip-version-check -e .[stub,dev] -c constraints.txt"


@pytest.mark.requirement("DEV-01")
def test_packages_are_installed_once_and_again_only_when_the_lists_change(checkout: Checkout) -> None:
    checkout.venv_python()
    assert [checkout.dev("setup").returncode for _ in range(2)] == [0, 0]
    assert checkout.python_calls() == [INSTALL]
    (checkout.root / "constraints.txt").write_text("a==2\n", encoding="utf-8")
    assert checkout.dev("setup").returncode == 0
    assert checkout.python_calls() == [INSTALL, INSTALL]


@pytest.mark.requirement("DEV-01")
def test_a_changed_tool_setting_installs_nothing(checkout: Checkout) -> None:
    checkout.venv_python()
    assert checkout.dev("setup").returncode == 0
    (checkout.root / "pyproject.toml").write_text("[project]\n[tool.ruff]\nline-length = 120\n", encoding="utf-8")
    assert checkout.dev("setup").returncode == 0
    assert checkout.python_calls() == [INSTALL]


@pytest.mark.requirement("DEV-01")
def test_a_failed_installation_is_said_and_tried_again(checkout: Checkout) -> None:
    checkout.venv_python("exit 1")
    for _ in range(2):
        result = checkout.dev("setup")
        assert result.returncode == 1
        assert "could not be installed" in result.stderr
    assert checkout.python_calls() == [INSTALL, INSTALL]


@pytest.mark.requirement("DEV-02")
@pytest.mark.parametrize("body", [None, "exit 1"])
def test_without_a_new_enough_python_it_says_what_to_install(checkout: Checkout, body: str | None) -> None:
    if body is not None:
        checkout.program("bin/python3", body)
    result = checkout.dev("setup")
    assert result.returncode == 1
    assert "Python 3.11 or newer is needed" in result.stderr
    assert not (checkout.root / ".venv").exists()


@pytest.mark.requirement("DEV-02")
def test_a_python_without_venv_leaves_no_half_made_environment(checkout: Checkout) -> None:
    checkout.program("bin/python3", '[[ "$*" != *venv* ]] || { mkdir -p "$3"; exit 1; }')
    result = checkout.dev("setup")
    assert result.returncode == 1
    assert "python3-venv" in result.stderr
    assert not (checkout.root / ".venv").exists()


@pytest.mark.requirement("DEV-03")
def test_missing_debian_packages_are_installed_and_named(checkout: Checkout) -> None:
    checkout.venv_python()
    checkout.program("bin/dpkg-query", '[[ "$*" != *fonts* ]] || exit 1; printf installed')
    checkout.program("bin/sudo", '"$@"')
    checkout.program("bin/apt-get", "exit 0")
    result = checkout.dev("setup")
    assert result.returncode == 0
    assert "installing fonts-noto-cjk with apt-get" in result.stderr
    calls = (checkout.root / "calls").read_text(encoding="utf-8")
    assert "apt-get install -y -qq --no-install-recommends fonts-noto-cjk\n" in calls


@pytest.mark.requirement("DEV-03")
def test_debian_packages_that_cannot_be_installed_are_an_error(checkout: Checkout) -> None:
    checkout.venv_python()
    checkout.program("bin/dpkg-query", "exit 1")
    checkout.program("bin/sudo", '"$@"')
    checkout.program("bin/apt-get", "exit 100")
    result = checkout.dev("demo")
    assert result.returncode == 1
    assert "could not install chromium fonts-noto-cjk" in result.stderr


@pytest.mark.requirement("SITE-01")
def test_component_libraries_are_installed_once_and_again_only_when_the_lock_file_changes(checkout: Checkout) -> None:
    checkout.venv_python()
    results = [checkout.dev("setup") for _ in range(2)]
    assert [(result.returncode, "npm ci" in result.stderr) for result in results] == [(0, True), (0, False)]
    assert checkout.npm_calls() == [f"npm ci --prefix {checkout.sites} --loglevel=error"]
    (checkout.sites / "package-lock.json").write_text('{"a": 1}\n', encoding="utf-8")
    assert checkout.dev("setup").returncode == 0
    assert len(checkout.npm_calls()) == 2


@pytest.mark.requirement("SITE-01")
def test_the_pages_of_others_are_installed_for_the_tests_only(checkout: Checkout) -> None:
    checkout.venv_python()
    checkout.dev("demo")
    assert len(checkout.npm_calls()) == 1
    for _ in range(2):
        checkout.dev("test", "tests/unit")
    assert checkout.npm_calls()[1:] == [f"npm ci --prefix {checkout.others} --loglevel=error"]


@pytest.mark.requirement("SITE-01")
def test_a_failed_installation_of_component_libraries_is_said_and_tried_again(checkout: Checkout) -> None:
    checkout.venv_python()
    checkout.npm("exit 1")
    for _ in range(2):
        result = checkout.dev("demo")
        said = "component libraries of the demo sites could not be installed" in result.stderr
        assert (result.returncode, said) == (1, True)
    assert len(checkout.npm_calls()) == 2


@pytest.mark.requirement("SITE-01")
def test_without_npm_debian_installs_it_and_elsewhere_it_says_what_to_install(checkout: Checkout) -> None:
    checkout.venv_python()
    (checkout.path / "npm").unlink()
    checkout.program("bin/dpkg-query", '[[ "$*" != *nodejs* && "$*" != *npm* ]] || exit 1; printf installed')
    checkout.program("bin/sudo", '"$@"')
    checkout.program("bin/apt-get", "exit 0")
    result = checkout.dev("setup")
    assert "installing nodejs npm with apt-get" in result.stderr
    (checkout.path / "dpkg-query").unlink()
    checkout.program("bin/chromium", "exit 0")
    result = checkout.dev("setup")
    assert (result.returncode, "Install Node.js 18 or newer with npm" in result.stderr) == (1, True)


@pytest.mark.requirement("DEV-04")
def test_arguments_and_the_exit_code_of_pytest_pass_through(checkout: Checkout) -> None:
    checkout.venv_python('[[ "$*" != *pytest* ]] || exit 5')
    assert checkout.dev("test", "tests/unit", "-x").returncode == 5
    assert checkout.python_calls()[-1] == "python -m pytest tests/unit -x"


@pytest.mark.requirement("DEV-04")
def test_lint_runs_every_check_and_fails_when_any_fails(checkout: Checkout) -> None:
    checkout.venv_python('[[ "$*" != *mypy* && "$*" != *tests.docs* ]]')
    result = checkout.dev("lint")
    assert result.returncode == 1
    assert "failed: types documents" in result.stderr
    assert len(checkout.python_calls()) == len(["install", "format", "lint", "types", "imports", "gates", "docs"])
    checkout.venv_python()
    assert checkout.dev("lint").returncode == 0


def test_an_unknown_command_is_refused_with_the_help(checkout: Checkout) -> None:
    result = checkout.dev("frobnicate")
    assert result.returncode == 1
    assert "./dev COMMAND" in result.stderr
    assert "frobnicate" in result.stderr
