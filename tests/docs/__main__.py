"""`python -m tests.docs` writes the generated documents; `--check` only says which are stale and then fails."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.docs.pages import stale, write
from tests.gates.repository import ROOT


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Exit code 0, or 1 when `--check` found stale files."""
    parser = argparse.ArgumentParser(prog="python -m tests.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 and list the stale files")
    if not parser.parse_args(arguments).check:
        for name in write(root):
            print(f"written: {name}")
        return 0
    names = stale(root)
    for name in names:
        print(f"stale: {name}", file=sys.stderr)
    if names:
        print("run ./dev docs and commit what changed", file=sys.stderr)
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
