"""sgClaw: the agent behind the side panel of the SuperRPA browser.

Importing this package has no side effects; nothing below it prints, reads the environment or touches files on import.
"""

__version__ = "0.1.0"
