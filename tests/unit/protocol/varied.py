"""Random valid messages of every type: the samples with their free values drawn anew."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from sgclaw.errors import WireError
from sgclaw.protocol.channel import Channel, parse
from sgclaw.protocol.messages import FROM_AGENT, FROM_HOST, Command, Message, Response
from sgclaw.protocol.signing import Role
from sgclaw.protocol.strict import JsonObject
from tests.unit.protocol.samples import BODIES, DIGEST, DOMAIN

MODELS: Final = {Role.HOST: FROM_HOST, Role.AGENT: FROM_AGENT}
KINDS: Final = [(sender, kind) for sender in Role for kind in BODIES[sender] if kind != "init"]

_TEXTS: Final = (
    "",
    "x",
    "导出本月合规报表",
    'quo"te\\',
    "a\u2028b\u0085",
    "\U0001f600",
    "</script>",
    "\t\r\n",
    "0",
    "p9",
)
_FREE: Final[tuple[object, ...]] = (None, True, 0, -1, 0.5, 2**53 - 1, "", "值", [], [1, [None]], {}, {"k": {"": "v"}})


def body(sender: Role, kind: str, random: Random) -> JsonObject:
    """A valid body: some optional members left out, leaves replaced where the schema lets them."""
    model = MODELS[sender][kind]
    made = {
        name: value
        for name, value in BODIES[sender][kind].items()
        if name == "type" or model.model_fields[name].is_required() or random.random() < 0.7
    }
    for name, value in made.items():
        if name in ("type", "seq"):
            continue
        changed = {**made, name: _redrawn(value, random)}
        if _is_valid(changed, sender):
            made = changed
    return made


def _is_valid(candidate: JsonObject, sender: Role) -> bool:
    try:
        parse(candidate, sender)
    except WireError:
        return False
    return True


def _redrawn(value: object, random: Random) -> object:
    match value:
        case bool():
            return random.random() < 0.5
        case int():
            return random.randrange(1, 1_000)
        case str():
            return random.choice(_TEXTS)
        case list():
            return [_redrawn(item, random) for item in value for _ in range(random.randrange(3))]
        case dict():
            extra = {random.choice(_TEXTS): random.choice(_FREE)} if random.random() < 0.5 else {}
            return {**{key: _redrawn(item, random) for key, item in value.items()}, **extra}
        case _:
            return random.choice(_FREE)


def messages(count: int, seed: int) -> Iterator[tuple[Role, Message]]:
    """`count` messages, every type about equally often, the same for the same seed."""
    random = Random(seed)  # noqa: S311 - the same messages for the same seed
    for number in range(count):
        sender, kind = KINDS[number % len(KINDS)]
        yield sender, parse(body(sender, kind, random), sender)


def line_of(channel: Channel, message: Message) -> bytes:
    """The signed line of any message, without its newline."""
    if isinstance(message, Command):
        return channel.seal_command(message.model_copy(update={"seq": channel.upcoming_seq}), DOMAIN)[0][:-1]
    if isinstance(message, Response):
        return channel.seal_response(message, DIGEST)[:-1]
    return channel.seal(message)[:-1]
