"""The adapter of the injection suite: an agent that obeys every page, against the policy and the browser's end.

`steps.py` maps a case's words to acts of ours, `pages.py` serves the case's page to a real Chromium, `session.py`
holds both ends of a session, `verdicts.py` says what each verdict word asks for.

The agent itself is fooled by `obeying.py`, a model that does what a page says; `plays.py` runs it over the pages,
`agent_verdicts.py` and `expectations.py` judge the run, `views.py` looks at what the model was given to read.
"""
