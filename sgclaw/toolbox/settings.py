"""What can be configured about MCP servers: `[mcp]` in the settings file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

INHERITED: Final = ("PATH", "SYSTEMROOT", "PATHEXT")
"""The variables of our own environment that a server gets, where they are set; the last two exist on Windows only."""

SERVER_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,19}")
"""No underscore: a tool is shown as `server__tool`, which must have one reading."""

VAULT_MARK: Final = "%vault:"
"""How a reference to a secret begins; none ever reaches a server."""

_KEYS: Final = frozenset({"command", "args", "url", "tools", "without_asking"})


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One server: a `command` to start (program and arguments) or a `url` to reach, never both.

    `tools` names the tools that may be used; empty: every one that is pinned. Before each call a person is asked, but
    for the tools in `without_asking`.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    tools: tuple[str, ...] = ()
    without_asking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolboxSettings:
    """Servers by name. `hosts` are the only places a `url` may lead to, beside this machine; `pins` is the file of pins
    where it is not the one in the state folder; `inherited` is all that a server gets of our environment.
    """

    servers: Mapping[str, ServerSettings] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    pins: Path | None = None
    inherited: Mapping[str, str] = field(default_factory=dict)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value or not value.isprintable() or VAULT_MARK in value.lower():
        raise ValueError(value)
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(value)
    return tuple(_text(word) for word in value)


def _server(value: object) -> ServerSettings:
    if not isinstance(value, dict) or not value.keys() <= _KEYS or ("command" in value) == ("url" in value):
        raise ValueError(value)
    if "args" in value and "command" not in value:
        raise ValueError(value)
    command = (_text(value["command"]), *_texts(value.get("args", []))) if "command" in value else ()
    return ServerSettings(
        command,
        _text(value["url"]) if "url" in value else "",
        _texts(value.get("tools", [])),
        _texts(value.get("without_asking", [])),
    )


def _servers(value: object) -> Mapping[str, ServerSettings]:
    if not isinstance(value, dict) or not all(SERVER_NAME.fullmatch(name) for name in value):
        raise ValueError(value)
    return {name: _server(server) for name, server in value.items()}


def _hosts(value: object) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else value
    return tuple(host.strip().lower().rstrip("/") for host in _texts(words))


Setter = Callable[[ToolboxSettings, object], ToolboxSettings]

SETTERS: Final[Mapping[str, Setter]] = {
    "servers": lambda settings, value: replace(settings, servers=_servers(value)),
    "hosts": lambda settings, value: replace(settings, hosts=_hosts(value)),
}
"""How each setting is read; raises `ValueError` for a value that cannot be used."""

ALLOWED: Final[Mapping[str, str]] = {
    "servers": "每个服务一张表：command（程序）和 args（参数），或 url；可加 tools（允许的工具）、"
    "without_asking（调用前不必问人的工具）。"
    "服务名用小写字母、数字和 -；不能写 %vault 引用；url 用 https，其主机须列在 mcp.hosts 中，本机可用 http",
    "hosts": "主机名的列表；内网的 http 服务写成 http://主机:端口",
}
"""What each setting may be, as the user reads it."""
