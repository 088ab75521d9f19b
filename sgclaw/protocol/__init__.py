"""The wire protocol `sgclaw-pipe/1`: messages, action table, framing, strict decoding, signing, session rules.

Nothing here does I/O or knows asyncio; `sgclaw.host` (agent side) and `browser_host_stub` (browser side) carry the
bytes.
"""

PROTOCOL = "sgclaw-pipe/1"
