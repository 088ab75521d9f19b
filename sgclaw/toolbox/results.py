"""From the result of a call to the text a model sees: words only, cut, redacted, labelled with where they are from."""

from __future__ import annotations

import json
from typing import Final

from mcp.types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)

from sgclaw.context.untrusted import Untrusted, one_line
from sgclaw.redact import redact_text
from sgclaw.tokens.counter import Count, counter

RESULT_TOKENS: Final = 2_000
_CHARACTERS: Final = 40_000
"""Looked at, before tokens are counted."""
_BLOCKS: Final = 50
_NAME: Final = 200


def text_of(server: str, result: CallToolResult) -> str:
    """The whole result as one block. What is no text is named, never inlined."""
    parts = [_said(block) for block in result.content[:_BLOCKS]]
    if len(result.content) > _BLOCKS:
        parts.append(f"（另有 {len(result.content) - _BLOCKS} 段，未显示）")
    has_text = any(isinstance(block, TextContent) for block in result.content)
    if result.structured_content is not None and not has_text:
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return block_of(server, "\n".join(parts))


def block_of(server: str, text: str) -> str:
    """Any words of a server as one block."""
    return Untrusted("tool", f"mcp:{server}", _cut(text, RESULT_TOKENS, counter())).block()


def _said(block: ContentBlock) -> str:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ImageContent | AudioContent):
        what = "图片" if isinstance(block, ImageContent) else "声音"
        return f"［{what} {one_line(block.mime_type, _NAME)}，约 {len(block.data) * 3 // 4} 字节，未显示］"
    if isinstance(block, ResourceLink):
        return f"［资源 {one_line(block.name, _NAME)} {one_line(block.uri, _NAME)}，未读取］"
    return _embedded(block)


def _embedded(block: EmbeddedResource) -> str:
    return f"［资源 {one_line(block.resource.uri, _NAME)}，未显示］"


def _cut(text: str, most: int, count: Count) -> str:
    """The beginning of a text that has at most that many tokens, and how much of it that is.

    Redacted before it is cut: half a card number is none that could be recognised.
    """
    kept = whole = redact_text(text[:_CHARACTERS])
    while kept and (tokens := count(kept)) > most:
        kept = kept[: min(len(kept) - 1, len(kept) * most // tokens)]
    if kept == whole and len(text) <= _CHARACTERS:
        return kept
    return f"{kept}\n（已截断：只显示 {len(text)} 个字符中的前 {len(kept)} 个）"
