"""`sgclaw prompt show`: what a role would be told, with counts."""

from typing import Any

import pytest

from sgclaw.cli.exits import Exit
from sgclaw.context.budgets import BOOTSTRAP
from sgclaw.context.matrix import MATRIX
from sgclaw.tokens.counter import counter
from tests.unit.cli.home import Home

LAYERS = ["L0", "L1", "L2", "RECALL", "L3"]


@pytest.mark.requirement("CTX-18")
@pytest.mark.parametrize("role", MATRIX)
def test_show_tells_every_layer_with_its_tokens_and_budget(home: Home, role: str) -> None:
    assert home.run("prompt", "show", "--role", role, "--task", "导出上月订单", "--json") == Exit.OK
    shown: Any = home.json()
    count = counter()
    assert [layer["name"] for layer in shown["layers"]] == LAYERS
    assert [layer["tokens"] for layer in shown["layers"]] == [count(layer["text"]) for layer in shown["layers"]]
    assert (shown["role"], shown["budget"], shown["example"]) == (role, BOOTSTRAP, True)
    assert shown["messages"][-1] == {"role": "user", "text": "导出上月订单", "keeps": True}
    assert home.run("prompt", "show", "--role", role, "--task", "导出上月订单") == Exit.OK
    heads = [line.split()[1] for line in home.out.splitlines() if line.startswith("=== ")]
    assert heads == [*LAYERS, "指令（原文）"]
    assert f"合计（不含 L3 和指令）：{shown['tokens']} / {BOOTSTRAP} token" in home.out
    assert ("目前没有场景会启动它" in home.out) is not MATRIX[role].runs


@pytest.mark.requirement("CTX-18")
def test_without_options_the_executor_is_shown(home: Home) -> None:
    assert home.run("prompt", "show") == Exit.OK
    assert home.out.startswith("角色 executor（执行者）\n\n=== L0 铁律：")


@pytest.mark.requirement("CTX-18")
def test_an_unknown_role_is_a_usage_error_that_lists_the_roles(home: Home) -> None:
    assert home.run("prompt", "show", "--role", "boss", "--json") == Exit.USAGE
    told: Any = home.json()
    error = told["error"]
    assert (error["code"], error["facts"]) == ("BAD_USAGE", {"known": list(MATRIX)})
    assert home.run("prompt", "show", "--role", "boss") == Exit.USAGE
    assert all(role in home.err for role in MATRIX)


@pytest.mark.requirement("CTX-18")
def test_the_help_names_every_role(home: Home) -> None:
    assert home.run("prompt", "show", "--help") == Exit.OK
    assert [role for role in MATRIX if role not in home.out] == []


@pytest.mark.requirement("CTX-18")
def test_an_empty_task_is_a_usage_error(home: Home) -> None:
    assert home.run("prompt", "show", "--task", " ") == Exit.USAGE
    assert "--task 是空的" in home.err
