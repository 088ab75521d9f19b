"""One target under atheris: the process that a run of the fuzzer starts for each.

python -m tests.fuzz.engine TARGET CORPUS_FOLDER [LIBFUZZER_OPTIONS...]
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

import atheris

from tests.fuzz.table import TARGETS, load

_SHORT = 100
_WORD = re.compile(rb'"[^"\\]{1,30}"|@[a-z_]+|[A-Za-z_]{3,20}')


def dictionary(seeds: list[bytes]) -> str:
    """The words of the seeds in libFuzzer's form: names that no flipping of bytes would find."""
    found = sorted({word for seed in seeds for word in _WORD.findall(seed)})
    return "".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in found)


def main() -> None:
    """Does not return: libFuzzer ends the process."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    with atheris.instrument_imports(include=["sgclaw"], enable_loader_override=False):
        target = load(name)
    seeds = target.seeds()
    for seed in seeds:
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    words = folder.parent / f"{name}.dict"
    words.write_text(f'"null"\n{dictionary(seeds)}', encoding="ascii")  # libFuzzer refuses an empty one
    options = [f"-dict={words}", f"-max_len={TARGETS.get(name, _SHORT)}", *sys.argv[3:]]
    atheris.Setup([sys.argv[0], *options, str(folder)], target.one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
