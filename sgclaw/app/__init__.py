"""The composition: the only room that names concrete classes and wires them together.

A session is wired in two steps: what `ready` needs, then the rooms that carry tasks, which are imported in between so
that the browser does not wait for them.
"""
