"""Measured figures of the design, each against its bar."""
