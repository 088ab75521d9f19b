"""Every budget of a prompt, in tokens unless a line says otherwise. The first request of a role keeps all of them."""

from __future__ import annotations

from typing import Final

L0: Final = 500
"""Iron rules. Never cut: a template over it does not load."""
L1: Final = 2_000
"""Role. Never cut either."""
L2: Final = 1_500
"""What is assembled for a role and a task, without the recall slot."""
BOOTSTRAP: Final = 4_096
"""L0, L1, L2 and the recall slot together; the slot gets what the others leave of it."""
RECALL: Final = 1_000
"""The long-term recall slot: recalled entries and experiences together."""
L3: Final = 800
"""Names and descriptions of skills; their texts come on demand, as results of tools."""
GENERATION: Final = 4_096
"""Kept free for what the model writes."""

RECALLED: Final = 3
"""Entries of long-term memory in the slot."""
EXPERIENCES: Final = 5
"""Experiences in the slot."""
CONFIDENCE: Final = 0.6
"""An experience must be surer than this; a draft begins at 0.5."""

RECENT_STEPS: Final = 5
"""Steps of the history that stay whole."""
FEWEST_STEPS: Final = 2
"""... as long as they take no more than `FULL` of the history's room; then fewer, down to this."""
FULL: Final = 0.8

HAND_OFF: Final = (50, 500)
"""Characters of a hand-off, at the least and at the most."""

PICTURE: Final = 1_600
"""What a picture costs at the most where it is not scaled up; providers count by area."""
PER_MESSAGE: Final = 6
"""What a message costs beside its texts, and each call and result in it."""
