"""What goes wrong while the agent works: real process, real SDKs of the providers, real Chromium on the demo sites."""
