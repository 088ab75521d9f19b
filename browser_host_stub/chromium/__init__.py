"""The driver on a real Chromium through Playwright.

Observation runs in an isolated world of the page: page scripts can neither see nor alter it, and it can call nothing of
theirs. Input is real (mouse and keyboard events of the browser).
"""
