"""No promise of ours: a target that breaks on one input, so that a test sees a find told, kept and run again."""

from __future__ import annotations


def one_input(data: bytes) -> None:
    """Anything but a text that begins with the letter."""
    assert not data.startswith(b"Q")


def seeds() -> list[bytes]:
    """One step away from the find."""
    return [b"P"]
