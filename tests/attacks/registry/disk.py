"""Ops on the disk: links, pipes, folders, swapped and replaced files, the raw text of the registry."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from sgclaw.skills.ed25519 import render_public_key
from tests.attacks.corpus import Data
from tests.attacks.registry.values import filled
from tests.attacks.registry.world import World, script


def _later(change: Callable[[World, Path, Data], None]) -> Callable[[World, Data], None]:
    """An op on what lies at a place, done when everything has been written."""

    def plan(world: World, op: Data) -> None:
        path = world.place_of(op)
        world.damage.append(lambda: change(world, path, op))

    return plan


def _symlink(world: World, path: Path, op: Data) -> None:
    target = Path(op.get("target", "/tmp/elsewhere"))
    if op.get("same_bytes", True) or str(target).startswith("/tmp"):
        target = world.outside(f"link-{path.name}")
        if os.path.lexists(path):
            shutil.move(path, target)
    world.replace(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def _hardlink(world: World, path: Path, op: Data) -> None:
    del op
    twin = world.outside(f"hard-{path.name}")
    twin.write_bytes(path.read_bytes())
    path.unlink()
    os.link(twin, path)


def _directory(world: World, path: Path, op: Data) -> None:
    del op
    world.replace(path)
    path.mkdir()


def _fifo(world: World, path: Path, op: Data) -> None:
    del op
    world.replace(path)
    os.mkfifo(path)


def _socket(world: World, path: Path, op: Data) -> None:
    del op
    world.replace(path)
    os.mknod(path, 0o600 | stat.S_IFSOCK)


def _device(world: World, path: Path, op: Data) -> None:
    """A link to a device stands for one: only an administrator could make it."""
    _symlink(world, path, {"target": op.get("target", "/dev/zero"), "same_bytes": False})


def _replace_with(world: World, path: Path, op: Data) -> None:
    kind = str(op.get("kind", op.get("value", "")))
    change = next((change for word, change in _KINDS if word in kind), None)
    assert change is not None, f"the adapter has no kind of file {kind!r}"
    change(world, path, op)


def _delete(world: World, path: Path, op: Data) -> None:
    del op
    world.replace(path)
    if path.suffix == ".pub" and path.stem == "skill_verify":
        world.pins = []


def _unreadable(world: World, path: Path, op: Data) -> None:
    if os.geteuid() == 0:  # who may read everything; a folder cannot be read by anyone
        _directory(world, path, op)
    else:
        path.chmod(0)


_KINDS: Final[tuple[tuple[str, Callable[[World, Path, Data], None]], ...]] = (
    ("hard", _hardlink),
    ("link", _symlink),
    ("dir", _directory),
    ("folder", _directory),
    ("fifo", _fifo),
    ("pipe", _fifo),
    ("sock", _socket),
    ("dev", _device),
)
"""Word in the name of a kind of file → how a file becomes one."""


def _swap_files(world: World, op: Data) -> None:
    a, b = world.file_of(op["a"]), world.file_of(op["b"])
    first, second = a.read_bytes(), b.read_bytes()
    a.write_bytes(second)
    b.write_bytes(first)


def _race_replace(world: World, op: Data) -> None:
    path = world.file_of(op["skill"])
    other = path.read_bytes() + b"// other\n"
    moment = world.after if str(op.get("when", "after")).startswith("after") else world.damage
    moment.append(lambda: world.write_home(str(path.relative_to(world.skills)), other))


def _add_file(world: World, op: Data) -> None:
    if "with_key" in op:
        content = render_public_key(world.key(op["with_key"]).public, "added")
    elif "hex" in op:
        content = bytes.fromhex(op["hex"])
    else:
        name = Path(op["path"]).stem
        content = op["text"].encode() if "text" in op else script(name, "1.0.0", ["erp.example.com"])
    world.write_home(op["path"], content)


def _corrupt(world: World, op: Data) -> None:
    """What the machine remembers is no longer what it wrote."""
    world.seen({}, 1)
    world.state.raise_marks(world.marks)
    for path in (path for path in (world.folder / "state").rglob("*.json") if path.is_file()):
        path.write_bytes(str(op.get("text", "{")).encode())


def _raw_registry(world: World, op: Data) -> None:
    world.raw = lambda registry: _patched(registry, op)


def _reformat(registry: bytes, op: Data) -> bytes:
    """The same values in another form."""
    document = json.loads(registry)
    sort = bool(op.get("sort_keys"))
    return json.dumps(document, ensure_ascii=True, indent=op.get("indent"), sort_keys=sort).encode()


def _patched(registry: bytes, op: Data) -> bytes:
    """The registry's bytes after a change that its own form could not say."""
    if "hex" in op:
        return bytes.fromhex(op["hex"])
    if "text" in op:
        return str(filled(op["text"])).encode("utf-8", "surrogatepass")
    if "text_patch" in op:
        member = re.match(r'\s*("[^"]*")\s*:', op["text_patch"])
        name = re.escape(member[1] if member else '"enabled"').encode()
        patch = str(filled(op["text_patch"])).encode()
        return re.sub(name + rb'\s*:\s*("[^"]*"|[^\s,}\]]+)', lambda _match: patch, registry, count=1)
    if "from" in op:
        return registry.replace(op["from"].encode(), op["to"].encode(), 1)
    if "encoding" in op:
        return registry.decode().encode(op["encoding"])
    return str(op.get("prepend", "")).encode() + registry + str(op.get("append", "")).encode()


OPS: Final[Mapping[str, Callable[[World, Data], None]]] = {
    "symlink": _later(_symlink),
    "symlink_file": _later(_symlink),
    "symlink_folder": _later(_symlink),
    "symlink_registry": lambda world, op: _later(_symlink)(world, {"path": "registry.json", **op}),
    "hardlink": _later(_hardlink),
    "directory": _later(_directory),
    "make_directory": _later(_directory),
    "replace_with_directory": _later(_directory),
    "fifo": _later(_fifo),
    "make_fifo": _later(_fifo),
    "replace_with_fifo": _later(_fifo),
    "delete_file": _later(_delete),
    "delete": _later(_delete),
    "unreadable": _later(_unreadable),
    "chmod": _later(_unreadable),
    "swap_files": _swap_files,
    "corrupt_state": lambda world, op: world.damage.append(lambda: _corrupt(world, op)),
    "damage_state": lambda world, op: world.damage.append(lambda: _corrupt(world, op)),
    "race_replace": _race_replace,
    "add_file": _add_file,
    "raw_registry": _raw_registry,
    "replace_file": _add_file,
    "replace_with": _later(_replace_with),
    "file_kind": _later(_replace_with),
    "make_socket": _later(_socket),
    "make_device": _later(_device),
    "replace_with_device": _later(_device),
    "registry_reformat": lambda world, op: setattr(world, "raw", lambda registry: _reformat(registry, op)),
}
