"""The agent: a ReAct loop that finishes tasks no skill covers, within a scope, a budget and a duty to prove it.

It meets models, browser, person, skills, memory and clock through `ports.py` only.
"""
