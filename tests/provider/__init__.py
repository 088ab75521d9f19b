"""A provider of models on loopback that speaks both protocols true to the wire, for tests and benchmarks.

`serve(policy)` starts it; the policy makes a `Step` of each request (`reciting` takes a scenario's steps), and the
dialects write that step as a stream of the protocol that was asked. Faults of a step happen on the wire.
"""
