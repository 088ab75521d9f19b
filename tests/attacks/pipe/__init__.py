"""Adapters of the pipe suites: the words of the cases become lines of our protocol, and what comes back a verdict."""
