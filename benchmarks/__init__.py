"""The figures the project promises, each measured against its bar: `./dev bench [NAME ...]`.

Every ratio compares two things measured alternately in one run on one machine, so that a busy machine slows both.
No test asserts a time.
"""
