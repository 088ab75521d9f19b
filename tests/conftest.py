"""Registers the project's markers. Fixtures live beside the tests that use them."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "requirement(*ids): the promises of tests/requirements.py this test holds")
