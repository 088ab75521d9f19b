"""Tasks that the agent carries out end to end: real Chromium, the demo sites, a real sgclaw process, real SDKs."""
