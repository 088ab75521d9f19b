"""The conformance kit: plays sgclaw against any host implementation and says, promise by promise, what it keeps.

`kit.py` is the session in the hands of a row, `rows/` the table of promises, `site.py` the pages whose state decides,
`runner.py` the order, the bounds and what was not judged.
"""
