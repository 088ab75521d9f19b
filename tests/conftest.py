"""Registers the project's markers and options. Fixtures live beside the tests that use them."""

import pytest
from hypothesis import settings

from tests.attacks.corpus import FOLDER


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--attacks", default=str(FOLDER), metavar="FOLDER", help="the folder of attack cases")
    parser.addoption(
        "--model", action="store_true", help="ask a real model on this machine: tests/scenarios/test_local_model.py"
    )
    parser.addoption("--model-file", default="", metavar="FILE", help="its GGUF file")
    parser.addoption("--pictures", default="", metavar="FOLDER", help="keep the pictures of the demo sites there")


settings.register_profile("sgclaw", deadline=None)
settings.load_profile("sgclaw")  # a machine that is busy is no fault of an input


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Who asks for the real model and has none must not see green: nothing was tried."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not session.config.getoption("--model"):
        return
    if exitstatus == pytest.ExitCode.OK and not reporter.stats.get("passed"):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "requirement(*ids): the promises of tests/requirements.py this test holds")
