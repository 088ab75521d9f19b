"""The audit room: trace ids, the hash-chained ledger, its verification, reading it back, and the operation log.

Nothing here knows what an act means; it keeps what it is told, redacted, in an order that cannot be changed unseen.
"""
