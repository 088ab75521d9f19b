"""Promises that hold for any bytes, one module each, driven by a coverage-guided fuzzer or by the ordinary suite.

A target is a function `one_input(data)` that returns for every input and fails an assertion when a promise is broken.
`python -m tests.fuzz SECONDS` looks for such inputs; `test_targets.py` runs the same functions briefly on every run.
"""
