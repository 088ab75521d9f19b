"""An MCP server over stdio with one tool that does nothing: `python -m benchmarks.peers.mcp_server`."""

from __future__ import annotations

from mcp.server import MCPServer

server = MCPServer("noop")


@server.tool()
def noop() -> str:
    """Answer at once."""
    return "ok"


if __name__ == "__main__":
    server.run()
