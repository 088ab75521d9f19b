"""Tools of MCP servers: which are offered, what they are asked, what their answers look like to a model."""
