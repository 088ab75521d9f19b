"""A browser of plain data: the same `Driver` promises as Chromium, in microseconds, with knobs. For tests and
benchmarks.
"""
