"""What the catalogue holds and why it may be trusted: manifest, statements, trust, registry, inputs.

Bytes and a clock go in, values come out; only `files.py` touches a disk.
"""
