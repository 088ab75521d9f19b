"""What may not stand in any file: places of one machine, package hosts, secret keys.

Patterns hold a one-letter class (`/[w]ork/`) where they would otherwise find themselves in this file.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

DEV_ONLY: Final = "DEV-ONLY"


class Rule(NamedTuple):
    """A pattern that no line may match and what it is called; `secret` ones may stand in DEV-ONLY files."""

    what: str
    pattern: re.Pattern[str]
    secret: bool = False


RULES: Final = (
    Rule(
        "path of one machine", re.compile(r"(?<![\w.*])/(?:[w]ork|[r]oot|[h]ome/\w+|[U]sers/\w+)/|\b[A-Z]:\\[U]sers\\")
    ),
    Rule(
        "package host or index setting",
        re.compile(
            r"\b(?:[p]ypi\.org|[f]iles\.pythonhosted\.org|[r]egistry\.npmjs\.org|[r]egistry\.npmmirror\.com|[d]eb\.debian\.org"
            r"|[p]ypi\.tuna\.tsinghua\.edu\.cn|[m]irrors\.aliyun\.com)\b|--(?:[e]xtra-)?[i]ndex-url|--[f]ind-links|--[t]rusted-host"
        ),
    ),
    Rule("ticket number", re.compile(r"\b[i]ssues?\s+(?:#\s*)?\d+\b", re.IGNORECASE)),
    Rule("secret key", re.compile(r"[P]RIVATE KEY"), secret=True),
    Rule(
        "secret key",
        re.compile(r"(?i:private|secret|seed|signing)[\w -]*[\"']?\s*[:=]\s*(?:b?[\"'])?[0-9a-fA-F]{64}\b"),
        secret=True,
    ),
)

_BARE_KEY: Final = re.compile(r"(?:[0-9a-fA-F]{64}|[\w+/-]{43}=?)")
_PUBLIC_SUFFIXES: Final = frozenset({"pub", "sha256"})


def faults(name: str, text: str) -> Iterator[str]:
    """The forbidden things in one file, each with its line.

    A file that holds nothing but 32 bytes in hex or base64 is taken for a secret key unless its suffix says otherwise.
    """
    dev_only = DEV_ONLY in name
    for number, line in enumerate(text.splitlines(), 1):
        for rule in RULES:
            if rule.pattern.search(line) and not (rule.secret and dev_only):
                yield f"{name}:{number}: {rule.what}"
    if _BARE_KEY.fullmatch(text.strip()) and not dev_only and name.rpartition(".")[2] not in _PUBLIC_SUFFIXES:
        yield f"{name}:1: secret key"
