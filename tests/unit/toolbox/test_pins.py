"""Digests and the file of pins; settings of MCP servers; what is loaded."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgclaw.config import load_settings
from sgclaw.errors import ConfigError
from sgclaw.toolbox.listing import Listed, judge
from sgclaw.toolbox.pins import digest_of, read_pins, write_pins
from sgclaw.toolbox.reasons import CAUSES, Reason
from sgclaw.toolbox.settings import ServerSettings
from tests.gates.repository import ROOT

SCHEMA: dict[str, object] = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.requirement("TOOL-02")
def test_the_digest_is_of_name_description_and_schema_whatever_the_order_of_keys() -> None:
    digest = digest_of("read", "读取", SCHEMA)
    canonical = rb'["read","\u8bfb\u53d6",{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}]'
    assert digest == hashlib.sha256(canonical).hexdigest()
    assert digest == digest_of("read", "读取", dict(reversed(SCHEMA.items())))
    others = [("Read", "读取", SCHEMA), ("read", "读取 ", SCHEMA), ("read", "读取", {**SCHEMA, "required": []})]
    assert digest not in [digest_of(*other) for other in others]
    assert digest_of("a", "bc", {}) != digest_of("ab", "c", {})


@pytest.mark.requirement("TOOL-02")
def test_pins_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "toolbox" / "pins.json"
    assert read_pins(path) == {}
    write_pins(path, {"files": {"read": "0" * 64}})
    assert read_pins(path) == {"files": {"read": "0" * 64}}
    assert [each.name for each in path.parent.iterdir()] == ["pins.json"]


@pytest.mark.requirement("TOOL-02")
@pytest.mark.parametrize(
    "text", ["", "[]", '{"version": 2, "servers": {}}', '{"version": 1, "servers": {"a": 1}}', "{"]
)
def test_a_file_of_pins_that_says_nothing_reliable_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pins.json"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_pins(path)
    assert caught.value.facts["file"] == str(path)


@pytest.mark.requirement("TOOL-02")
def test_a_pinned_tool_that_is_gone_is_reported(tmp_path: Path) -> None:
    (judged,) = judge("it", [], (), {"read": "0" * 64})
    assert (judged.name, judged.refused) == ("read", Reason.MISSING)


@pytest.mark.requirement("TOOL-05")
@given(st.text(max_size=80), st.text(max_size=200), st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_whatever_is_listed_is_offered_in_plain_words_or_refused(
    name: str, words: str, more: dict[str, object]
) -> None:
    listed = Listed(name, words, {**more, "type": "object"})
    pinned = {name: digest_of(name, words, listed.schema)}
    (judged,) = judge("it", [listed], (), pinned)
    assert (judged.tool is None) == (judged.refused is not None)
    if judged.tool is not None:
        assert judged.tool.name == f"it__{name}"
        assert judged.tool.description.isprintable()


@pytest.mark.requirement("TOOL-08")
def test_every_reason_is_told_in_chinese() -> None:
    assert set(CAUSES) == set(Reason)


FILE = """
[mcp]
hosts = ["tools.example.com", "http://10.1.2.3:8080"]
[mcp.servers.files]
command = "mcp-files"
args = ["--read-only"]
tools = ["read"]
without_asking = ["read"]
[mcp.servers.search]
url = "https://tools.example.com/mcp"
[mcp.servers.here]
url = "http://127.0.0.1:9000/mcp"
[mcp.servers.near]
url = "http://10.1.2.3:8080/mcp"
"""


def environment(folder: Path, text: str, **more: str) -> dict[str, str]:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return {"SGCLAW_SETTINGS": str(path), "HOME": str(folder), **more}


@pytest.mark.requirement("TOOL-01", "TOOL-03")
def test_servers_are_named_in_the_settings_file(tmp_path: Path) -> None:
    env = environment(tmp_path, FILE, PATH="/usr/bin", SGCLAW_API_KEY="sk-secret", LD_PRELOAD="x.so")
    settings = load_settings(env)
    assert settings.toolbox.servers == {
        "files": ServerSettings(("mcp-files", "--read-only"), "", ("read",), ("read",)),
        "search": ServerSettings(url="https://tools.example.com/mcp"),
        "here": ServerSettings(url="http://127.0.0.1:9000/mcp"),
        "near": ServerSettings(url="http://10.1.2.3:8080/mcp"),
    }
    assert settings.toolbox.inherited == {"PATH": "/usr/bin"}
    assert settings.tool_pins == settings.state_dir / "toolbox" / "pins.json"
    pinned = load_settings(environment(tmp_path, '[mcp]\npins = "~/pins.json"'))
    assert pinned.tool_pins == tmp_path / "pins.json"


@pytest.mark.requirement("TOOL-01", "TOOL-04", "TOOL-12")
@pytest.mark.parametrize(
    "server",
    [
        'url = "https://elsewhere.example.com/mcp"',
        'url = "http://tools.example.com/mcp"',
        'url = "https://tools.example.com@evil.example/mcp"',
        'url = "file:///etc/passwd"',
        'url = "http://127.0.0.1:1/"\ncommand = "both"',
        'url = "http://127.0.0.1:1/"\nargs = ["x"]',
        "command = 1",
        'command = ""',
        'command = "x"\nargs = ["--password", "%vault:erp.password%"]',
        'command = "x"\nenv = { A = "b" }',
        "",
    ],
)
def test_a_server_that_cannot_be_used_is_named(tmp_path: Path, server: str) -> None:
    text = f'[mcp]\nhosts = ["tools.example.com"]\n[mcp.servers.it]\n{server}\n'
    with pytest.raises(ConfigError) as caught:
        load_settings(environment(tmp_path, text))
    assert caught.value.facts["key"] == "mcp.servers"


@pytest.mark.requirement("TOOL-05")
@pytest.mark.parametrize("name", ["Big", "a_b", "a__b", "1a", "a" * 21, "中"])
def test_a_name_of_a_server_that_could_be_read_two_ways_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        load_settings(environment(tmp_path, f'[mcp.servers."{name}"]\ncommand = "x"\n'))


@pytest.mark.requirement("TOOL-14")
def test_importing_the_room_and_making_a_toolbox_load_nothing_of_the_package() -> None:
    program = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
import sgclaw.app.serving, sgclaw.toolbox.box
from sgclaw.toolbox.settings import ServerSettings, ToolboxSettings
sgclaw.toolbox.box.McpToolbox(ToolboxSettings({{"it": ServerSettings(("x",))}}), Path("/nowhere"))
print(sorted({{"mcp", "mcp_types", "anyio", "httpx2", "opentelemetry"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"
