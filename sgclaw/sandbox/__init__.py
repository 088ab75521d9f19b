"""Skill scripts run here: each in a disposable child process that holds no key, no file and no socket.

`runner.ScriptRunner` is the `SkillRunner` for bodies of kind `script`. A script's one way out is `browserAction`, which
goes through the `Browser` the run was given; what the child writes is never believed, only checked.
"""
