"""What leaves this machine for a model: every text of every message, without credentials and personal numbers."""

from __future__ import annotations

import json
from dataclasses import replace

import orjson

from sgclaw.context.chat import ChatMessage, Thought, ToolCall, ToolResult
from sgclaw.redact import redact, redact_text


def redacted(message: ChatMessage) -> ChatMessage:
    """The message as it may be sent. Pictures stay as they are: nobody can redact them."""
    return replace(
        message,
        text=redact_text(message.text),
        calls=tuple(_call(call) for call in message.calls),
        results=tuple(ToolResult(item.call_id, redact_text(item.content), item.failed) for item in message.results),
        thoughts=tuple(thought for thought in message.thoughts if _may_go(thought)),
    )


def _may_go(thought: Thought) -> bool:
    """A sealed thought goes back unchanged or not at all: the provider checks that nobody rewrote it."""
    return redact_text(thought.text) == thought.text


def _call(call: ToolCall) -> ToolCall:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):  # malformed, as the model wrote it
        return replace(call, arguments=redact_text(call.arguments))
    hidden = redact(arguments)
    return call if hidden == arguments else replace(call, arguments=orjson.dumps(hidden).decode())
