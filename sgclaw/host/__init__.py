"""The agent's end of the pipe: owns stdin and stdout, and gives the rest of sgClaw the `Browser` port.

Keep this file empty of imports: `stdio` has to run before anything else is loaded.
"""
