"""Ops on entries, on the registry, on the text of scripts, and on what the machine remembers."""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from sgclaw.protocol.limits import MAX_INT
from sgclaw.skills.marks import Marks
from sgclaw.skills.registry import hash_text
from tests.attacks.corpus import Data
from tests.attacks.registry.values import filled, set_path
from tests.attacks.registry.world import SERIAL, Document, World

# --- fields -----------------------------------------------------------------------------------------------------------


def _skills(world: World, op: Data) -> list[Document]:
    """The entry an op names; every entry when it names none."""
    return [world.entry(op["skill"])] if "skill" in op else world.entries


def _entry_field(world: World, op: Data) -> None:
    for entry in _skills(world, op):
        source = world.place(entry["file"]).read_bytes() if entry.get("file") else b""
        if op.get("remove"):
            entry.pop(op["path"], None)
        else:
            set_path(entry, op.get("path", op.get("field", "")), copy.deepcopy(filled(op["value"], source)))
    world.entry_changed()


def _entry_field_remove(world: World, op: Data) -> None:
    _entry_field(world, {**op, "remove": True})


def _entry_replace(world: World, op: Data) -> None:
    """What stands in the list is no entry at all."""
    world.entries[world.entries.index(world.entry(op["skill"]))] = copy.deepcopy(op["value"])
    world.entry_changed()


def _entry_file(world: World, op: Data) -> None:
    for entry in _skills(world, op):
        entry["file"] = op.get("value", op.get("file"))
        world.sign_entry(entry, "good")
    world.entry_changed()


def _entry_name(world: World, op: Data) -> None:
    for entry in _skills(world, op):
        entry["name"] = op.get("value", op.get("name"))
        world.sign_entry(entry, "good")
    world.entry_changed()


def _entry_add(world: World, op: Data) -> None:
    name = op["name"]
    file = op.get("file", f"custom/{name}.js" if re.fullmatch("[a-z0-9-]{1,64}", name) else "custom/added-skill.js")
    entry = world.make(name, file, op.get("version", "1.0.0"), list(op.get("domains", ["erp.example.com"])))
    entry.update({key: op[key] for key in ("enabled", "kind", "actions") if key in op})
    world.entries.append(world.sign_entry(entry, op.get("key", "good")))
    world.entry_changed()


def _emptied(world: World) -> None:
    world.damage.append(lambda: world.replace(world.registry))


def _entry_remove(world: World, op: Data) -> None:
    world.entries.remove(world.entry(op["skill"]))
    world.registry_changed()


def _many_entries(world: World, op: Data) -> None:
    """So many skills that no reader should take them all in."""
    first = world.entries[0]
    for number in range(op.get("count", op.get("value", 100_000))):
        world.entries.append({**first, "name": f"skill-{number}", "file": f"custom/skill-{number}.js"})
    world.entry_changed()


def _duplicate(world: World, op: Data) -> None:
    twin = {**copy.deepcopy(world.entry(op["skill"])), **{key: op[key] for key in ("name", "file") if key in op}}
    world.entries.append(world.sign_entry(twin, op.get("key", "good")))
    world.entry_changed()


def _signed_with(world: World, op: Data) -> None:
    entry = world.entry(op["skill"])
    entry.update({key: value for key, value in op.items() if key not in {"op", "skill", "key"}})
    world.sign_entry(entry, op.get("key", "good"))
    world.entry_changed()


def _swap_entries(world: World, op: Data) -> None:
    a, b = world.entry(op["a"]), world.entry(op["b"])
    places = world.entries.index(a), world.entries.index(b)
    world.entries[places[0]], world.entries[places[1]] = b, a
    world.registry_changed()


def _swap(field: str) -> Callable[[World, Data], None]:
    def swap(world: World, op: Data) -> None:
        a, b = world.entry(op["a"]), world.entry(op["b"])
        a[field], b[field] = b[field], a[field]
        world.entry_changed()

    return swap


def _registry_field(world: World, op: Data) -> None:
    path = op.get("path", op.get("field", ""))
    if path == "version" and isinstance(op.get("value"), int):
        path = "serial"  # other registries count their releases under this name
    if op.get("remove"):
        world.document.pop(path, None)
    else:
        set_path(world.document, path, copy.deepcopy(filled(op["value"])))
    world.registry_changed()


def _registry_field_remove(world: World, op: Data) -> None:
    _registry_field(world, {**op, "remove": True})


# --- other releases ---------------------------------------------------------------------------------------------------


def _release(world: World, op: Data, version: str, note: str = "") -> Document:
    """The entry of another release of a skill, signed, its file in place."""
    old = world.entry(op["skill"])
    made = world.put(old["name"], old["file"], version, list(old["domains"]), note)
    return world.sign_entry(made, op.get("key", "good"))


def _use_signed_old_entry(world: World, op: Data) -> None:
    _release(world, op, op["version"])
    world.entry_changed()


def _resigned_other_bytes(world: World, op: Data) -> None:
    _release(world, op, op.get("version", world.entry(op["skill"])["version"]), "（改）")
    world.entry_changed()


def _normal_update(world: World, op: Data) -> None:
    _release(world, op, op["version"])
    world.document["serial"] += 1
    world.sign_registry(op.get("key", "good"))


def _take_entry(world: World, op: Data) -> None:
    _release(world, op, f"1.{op['from_registry']}.0")
    world.registry_changed()


def _use_old_registry(world: World, op: Data) -> None:
    given = next((op[key] for key in ("serial", "version", "from_registry", "registry") if key in op), None)
    number = given if isinstance(given, int) else SERIAL - 1
    if world.marks.serial(world.marks.keys) <= number:
        world.seen({}, max(SERIAL, number + 1))
    world.document["serial"] = number
    world.sign_registry(op.get("key", "good"))


# --- what the machine remembers ---------------------------------------------------------------------------------------


def _install_state(world: World, op: Data) -> None:
    versions, hashes = op.get("seen", {}), op.get("seen_hash", {})
    marks = {}
    for name in {**versions, **hashes}:
        entry = world.entry(name)
        version = versions.get(name, entry["version"])
        same = version == entry["version"]
        digest = hashes.get(name, entry["hash"].removeprefix("sha256:") if same else name)
        known = re.fullmatch("[0-9a-f]{64}", digest)
        marks[name] = (version, digest if known else hashlib.sha256(digest.encode()).hexdigest())
    serials = [number for key, value in op.items() if re.search("serial|registry", key) for number in _numbers(value)]
    world.seen(marks, max(serials, default=0), op.get("key", "good"))
    gone = [world.key(name).public.key_id for key in ("revoked", "revoked_keys") for name in op.get(key, [])]
    world.marks = world.marks.merged(Marks(revoked=tuple(sorted(gone))))
    for key, value in op.items():
        if re.search("time|clock|last", key) and isinstance(value, str):
            world.used_at = datetime.fromisoformat(value)


def _numbers(value: object) -> list[int]:
    values = list(value.values()) if isinstance(value, dict) else [value]
    return [number for number in values if isinstance(number, int)]


def _clock(world: World, op: Data) -> None:
    world.now = datetime.fromisoformat(op.get("now", op.get("value")))


# --- scripts ----------------------------------------------------------------------------------------------------------


def _edit(change: Callable[[bytes, Data], bytes]) -> Callable[[World, Data], None]:
    """An op that changes the bytes of a skill's file and nothing else."""

    def edit(world: World, op: Data) -> None:
        path = world.place_of(op)
        if path == world.registry:
            before = world.raw
            world.raw = lambda registry: change(before(registry), op)
        else:
            path.write_bytes(change(path.read_bytes(), op))

    return edit


def _text(op: Data) -> bytes:
    given = op.get("text", op.get("value", op.get("name")))
    return bytes.fromhex(op["hex"]) if "hex" in op else str(filled(given)).encode("utf-8", "surrogatepass")


def _insert(source: bytes, op: Data) -> bytes:
    at: int = op.get("at", op.get("offset", source.index(b"*/") + 3))
    return source[:at] + _text(op) + source[at:]


def _flip(source: bytes, op: Data) -> bytes:
    at: int = op.get("at", op.get("offset", len(source) // 2)) % len(source)
    return source[:at] + bytes([source[at] ^ op.get("mask", 1)]) + source[at + 1 :]


def _truncate(source: bytes, op: Data) -> bytes:
    size: int = op.get("size", op.get("bytes", len(source) // 2))
    return source[:size]


def _header_line(source: bytes, field: str, value: Any) -> bytes:
    text = ", ".join(value) if isinstance(value, list) else value
    line = b"" if text is None else f" * @{field} {text}\n".encode()
    pattern = re.compile(rf" \* @{re.escape(field)}\b[^\n]*\n".encode())
    if pattern.search(source):
        return pattern.sub(lambda _match: line, source, count=1)
    return source.replace(b" */\n", line + b" */\n", 1)


def _header_field(source: bytes, op: Data) -> bytes:
    return _header_line(source, op["field"], filled(op.get("value")))


def _header_params(source: bytes, op: Data) -> bytes:
    return _header_line(source, "params", filled(op["value"]))


def _second_header_domains(source: bytes, op: Data) -> bytes:
    head, tag, rest = source.rpartition(b" * @domains ")
    value = str(op["value"])
    return head + tag + value.encode() + b"\n" + rest.partition(b"\n")[2]


def _header_add(source: bytes, op: Data) -> bytes:
    """One more line of the header, whatever stands there already."""
    line = str(op["text"]) if "text" in op else f" * @{op['field']} {op['value']}\n"
    return source.replace(b" */\n", line.encode() + (b"" if line.endswith("\n") else b"\n") + b" */\n", 1)


def _reencode(source: bytes, op: Data) -> bytes:
    name = str(op.get("encoding", op.get("value", re.sub(r"^to_?", "", op["op"]))))
    return source.decode().encode({"utf16": "utf-16", "utf32": "utf-32"}.get(name, name), "replace")


def _header_remove(source: bytes, op: Data) -> bytes:
    del op
    return source[source.index(b"*/") + 3 :]


def _pad(source: bytes, op: Data) -> bytes:
    size: int = op.get("size", op.get("bytes", 1024 * 1024 + 1))
    return source + b"//" + b"x" * (size - len(source) - 2)


def _fast_forward(world: World, op: Data) -> None:
    """A registry of the highest number there is, by somebody who is not believed."""
    world.document["serial"] = op.get("serial", op.get("version", MAX_INT))
    world.sign_registry(op.get("key", "attacker"))


def _fix_hash(world: World, op: Data) -> None:
    entry = world.entry(op["skill"])
    entry["hash"] = hash_text(hashlib.sha256(world.place(entry["file"]).read_bytes()).hexdigest())
    world.entry_changed()


OPS: Final[Mapping[str, Callable[[World, Data], None]]] = {
    "entry_field": _entry_field,
    "entry_field_remove": _entry_field_remove,
    "entry_replace": _entry_replace,
    "entry_file": _entry_file,
    "entry_name": _entry_name,
    "entry_add": _entry_add,
    "entry_remove": _entry_remove,
    "registry_remove": lambda world, op: _entry_remove(world, op) if "skill" in op else _emptied(world),
    "many_entries": _many_entries,
    "add_many_entries": _many_entries,
    "flood_entries": _many_entries,
    "duplicate": _duplicate,
    "entry_duplicate": _duplicate,
    "duplicate_entry": _duplicate,
    "signed_with": _signed_with,
    "swap_entries": _swap_entries,
    "swap_signatures": _swap("signature"),
    "swap_hashes": _swap("hash"),
    "registry_field": _registry_field,
    "registry_field_remove": _registry_field_remove,
    "signature_remove": lambda world, op: _entry_field_remove(world, {**op, "path": "signature"}),
    "registry_signature_remove": lambda world, op: _registry_field(world, {**op, "path": "signature", "value": None}),
    "fast_forward": _fast_forward,
    "registry_fast_forward": _fast_forward,
    "use_signed_old_entry": _use_signed_old_entry,
    "resigned_other_bytes": _resigned_other_bytes,
    "normal_update": _normal_update,
    "take_entry": _take_entry,
    "use_old_registry": _use_old_registry,
    "use_signed_old_registry": _use_old_registry,
    "install_state": _install_state,
    "clock": _clock,
    "prepend": _edit(lambda source, op: _text(op) + source),
    "prepend_text": _edit(lambda source, op: _text(op) + source),
    "prepend_bytes": _edit(lambda source, op: _text(op) + source),
    "append": _edit(lambda source, op: source + _text(op)),
    "append_text": _edit(lambda source, op: source + _text(op)),
    "append_bytes": _edit(lambda source, op: source + _text(op)),
    "insert": _edit(_insert),
    "insert_text": _edit(_insert),
    "insert_bytes": _edit(_insert),
    "set_bytes": _edit(lambda _source, op: _text(op)),
    "set_text": _edit(lambda _source, op: _text(op)),
    "flip_byte": _edit(_flip),
    "flip_bit": _edit(_flip),
    "truncate": _edit(_truncate),
    "to_crlf": _edit(lambda source, _op: source.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")),
    "to_lf": _edit(lambda source, _op: source.replace(b"\r\n", b"\n")),
    "trailing_newline_remove": _edit(lambda source, _op: source.rstrip(b"\n")),
    "reencode": _edit(_reencode),
    "to_utf16": _edit(_reencode),
    "to_gbk": _edit(_reencode),
    "to_latin1": _edit(_reencode),
    "to_cr": _edit(lambda source, _op: source.replace(b"\r\n", b"\n").replace(b"\n", b"\r")),
    "header_field": _edit(_header_field),
    "header_params": _edit(_header_params),
    "header_field_remove": _edit(lambda source, op: _header_line(source, op.get("field", op.get("value")), None)),
    "header_add": _edit(_header_add),
    "header_line_add": _edit(_header_add),
    "header_field_add": _edit(_header_add),
    "header_field_duplicate": _edit(_header_add),
    "header_remove": _edit(_header_remove),
    "remove_header": _edit(_header_remove),
    "second_header_domains": _edit(_second_header_domains),
    "oversize": _edit(_pad),
    "fix_hash": _fix_hash,
}
