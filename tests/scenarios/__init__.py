"""Whole tasks through a real sgclaw process."""
