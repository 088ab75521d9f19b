"""`sgclaw mcp list | pin`, and what doctor says about MCP servers."""

from __future__ import annotations

import os
from typing import Any

import pytest

from sgclaw.cli.check_tools import check_tools
from sgclaw.cli.exits import Exit
from sgclaw.cli.findings import Finding, Verdict
from sgclaw.toolbox.settings import ServerSettings, ToolboxSettings
from tests.unit.cli.home import Home
from tests.unit.toolbox.room import hostile


def with_servers(home: Home, **servers: ServerSettings) -> None:
    home.with_settings(toolbox=ToolboxSettings(servers, inherited={"PATH": os.defpath}))


@pytest.mark.requirement("TOOL-13")
def test_pin_writes_the_digests_and_list_shows_what_is_offered(home: Home) -> None:
    with_servers(home, files=hostile("deep"))
    assert home.run("mcp", "list") == Exit.OK
    assert "这个工具还没有锁定" in home.out
    assert home.run("mcp", "pin", "files", "--json") == Exit.OK
    pinned: Any = home.json()
    assert list(pinned["tools"]) == ["read"]
    assert home.run("mcp", "list", "--json") == Exit.OK
    told: Any = home.json()
    assert told["servers"] == [
        {
            "server": "files",
            "failure": None,
            "tools": [
                {
                    "name": "read",
                    "offered_as": "files__read",
                    "refused": None,
                    "digest": pinned["tools"]["read"],
                    "description": "读取",
                },
                {"name": "deep", "offered_as": None, "refused": "BAD_SCHEMA", "digest": "", "description": "读取"},
            ],
        }
    ]
    path = home.settings.tool_pins
    assert path == home.settings.state_dir / "toolbox" / "pins.json"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.requirement("TOOL-13")
def test_a_server_that_is_not_configured_or_does_not_start_is_not_pinned(home: Home) -> None:
    with_servers(home, broken=hostile("exit"))
    assert home.run("mcp", "pin", "other", "--json") == Exit.USAGE
    told: Any = home.json()
    assert told["error"]["facts"] == {"known": ["broken"]}
    assert home.run("mcp", "pin", "broken") == Exit.FAILED
    assert "启动或连接不上" in home.err
    assert not home.settings.tool_pins.exists()
    assert home.run("mcp", "list") == Exit.OK
    assert home.out.startswith("broken：不可用。")


@pytest.mark.requirement("TOOL-13")
def test_without_servers_there_is_nothing_to_list(home: Home) -> None:
    assert home.run("mcp", "list") == Exit.OK
    assert home.out == "没有配置 MCP 服务（设置 mcp.servers）\n"
    assert check_tools(home.settings) == Finding("外部工具", Verdict.INFO, "没有配置 MCP 服务")


@pytest.mark.requirement("TOOL-13")
def test_doctor_counts_what_is_offered_and_names_what_is_not(home: Home) -> None:
    with_servers(home, files=hostile("plain"), broken=hostile("exit"))
    found = check_tools(home.settings)
    assert found.verdict is Verdict.WARN
    assert "files：0 个可用，1 个这个工具还没有锁定（NOT_PINNED）" in found.found
    assert "（START_FAILED）" in found.found
    with_servers(home, files=hostile("plain"))
    assert home.run("mcp", "pin", "files") == Exit.OK
    assert check_tools(home.settings) == Finding("外部工具", Verdict.OK, "files：1 个可用")


@pytest.mark.requirement("TOOL-13")
def test_a_file_of_pins_that_others_could_write_is_not_believed(home: Home) -> None:
    with_servers(home, files=hostile("plain"))
    assert home.run("mcp", "pin", "files") == Exit.OK
    home.settings.tool_pins.chmod(0o666)
    assert home.run("mcp", "list") == Exit.USAGE
    assert "不可用" in home.err
    assert check_tools(home.settings).verdict is Verdict.WARN
