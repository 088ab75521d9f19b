"""Ops on the disk: links, pipes, folders, swapped and replaced files, the raw text of the registry."""

from __future__ import annotations

import os
import re
import shutil
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


def _delete(world: World, path: Path, op: Data) -> None:
    del op
    world.replace(path)


def _unreadable(world: World, path: Path, op: Data) -> None:
    if os.geteuid() == 0:  # who may read everything; a folder cannot be read by anyone
        _directory(world, path, op)
    else:
        path.chmod(0)


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


def _raw_registry(world: World, op: Data) -> None:
    world.raw = lambda registry: _patched(registry, op)


def _patched(registry: bytes, op: Data) -> bytes:
    """The registry's bytes after a change that its own form could not say."""
    if "hex" in op:
        return bytes.fromhex(op["hex"])
    if "text" in op:
        return str(filled(op["text"])).encode()
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
    "race_replace": _race_replace,
    "add_file": _add_file,
    "raw_registry": _raw_registry,
}
