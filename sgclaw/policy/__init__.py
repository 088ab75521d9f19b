"""The mandatory access policy: which origins, which actions, what needs a person. Pure.

The browser-side check is the boundary; sgclaw runs the same code earlier so that a refusal is friendly. Both sides call
`decide.decide`; the host knows more (committed origin, real label) and so its verdict is the one that counts.
"""
