"""Tests of the agent's end of the pipe."""
