"""The host side of the pipe for development and tests: hosts, demo sites, conformance kit."""
