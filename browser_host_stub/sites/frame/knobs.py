"""The knobs of the demo sites: which faults their writes suffer, how their pages drift, how slow they are."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.types import Scope

from browser_host_stub.sites.frame.answers import SiteError

DRIFTS: Final = ("ids", "classes", "move", "wrap", "twins", "labels", "dialog", "step", "frame", "paging")
FAULTS: Final = ("slow", "error_500", "lying_toast", "lost_response", "duplicate", "expired", "cut_download")
WRITES: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
LONGEST_WAIT_S: Final = 120.0
QUERY_WORDS: Final = frozenset({"drift", "seed", "fault", "latency"})
_DIGITS: Final = re.compile("[0-9]{1,12}")
_FAULT: Final = re.compile(
    r"(?P<kind>[a-z0-9_]+)(:(?P<seconds>[0-9]{1,12}(\.[0-9]{1,12})?))?(@(?P<path>/[^*,@!]*\*?))?(?P<always>!?)"
)


@dataclass(slots=True)
class Fault:
    """What goes wrong with a request to the API.

    `path` is one address or a pattern with `*`, "" for all; `method` is exact, "" for every write (and for
    `cut_download` every download). It happens `times` times, 0 is always. `seconds` is how long `slow` waits.
    """

    kind: str
    path: str = ""
    times: int = 1
    seconds: float = 3.0
    method: str = ""

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise _unknown("故障", self.kind, FAULTS)
        if not 0 <= self.seconds <= LONGEST_WAIT_S or not 0 <= self.times <= 1_000:
            raise SiteError(422, "INVALID", f"等待时间应为 0 到 {LONGEST_WAIT_S:.0f} 秒，次数应为 0 到 1000", "fault")

    def fits(self, method: str, path: str) -> bool:
        """Whether a request is one that this fault hits."""
        if self.path and not fnmatch.fnmatchcase(path, self.path):
            return False
        if self.method:
            return method == self.method
        return method == "GET" if self.kind == "cut_download" else method in WRITES and path.startswith("/api/")


@dataclass(slots=True)
class Knobs:
    """Everything that can be set; the defaults are a healthy, quick site that looks as its authors drew it."""

    drift: tuple[str, ...] = ()
    seed: int = 1
    faults: list[Fault] = field(default_factory=list)
    latency_s: float = 0.0

    def take(self, method: str, path: str) -> Fault | None:
        """The first fault that hits this request; one that happens a number of times is used up by it."""
        for fault in self.faults:
            if fault.fits(method, path):
                if fault.times == 1:
                    self.faults.remove(fault)
                elif fault.times > 1:
                    fault.times -= 1
                return fault
        return None

    def give_back(self, fault: Fault) -> None:
        """A fault that was taken and found nothing to hit."""
        if fault.times and fault in self.faults:
            fault.times += 1
        elif fault.times:
            self.faults.append(fault)

    def update(self, members: Mapping[str, Any]) -> None:
        """Sets what the members of a control request name: drift, seed, faults, latency_ms."""
        if "drift" in members:
            self.drift = _drifts(members["drift"])
        if "seed" in members:
            self.seed = int(_number(members["seed"], "seed", 1_000_000))
        if "faults" in members:
            self.faults = [_fault(one) for one in _objects(members["faults"])]
        if "latency_ms" in members:
            self.latency_s = _number(members["latency_ms"], "latency_ms", LONGEST_WAIT_S * 1000) / 1000

    def update_from_query(self, query: Mapping[str, str]) -> None:
        """The same from a page's address: `drift=ids,twins&seed=3&fault=slow:2@/api/x!&latency=200`.

        A fault is `kind[:seconds][@path]`, with `!` at the end when it stays.
        """
        members: dict[str, Any] = {}
        if "drift" in query:
            members["drift"] = [word for word in query["drift"].split(",") if word]
        if "fault" in query:
            members["faults"] = [_fault_of_text(text) for text in query["fault"].split(",") if text]
        for word, member in (("seed", "seed"), ("latency", "latency_ms")):
            if word in query:
                members[member] = int(query[word]) if _DIGITS.fullmatch(query[word]) else query[word]
        self.update(members)

    def report(self) -> dict[str, object]:
        """The JSON form that `update` reads."""
        faults = [
            {"kind": one.kind, "path": one.path, "times": one.times, "seconds": one.seconds, "method": one.method}
            for one in self.faults
        ]
        return {"drift": self.drift, "seed": self.seed, "faults": faults, "latency_ms": round(self.latency_s * 1000)}


def knobs_of(scope: Scope) -> Knobs:
    """The knobs that hold for a request: set by the frame before the site sees it."""
    found = scope.get("state", {}).get("knobs")
    return found if isinstance(found, Knobs) else Knobs()


def page_size(scope: Scope, usual: int) -> int:
    """How many rows a page has: `usual`, unless the paging drifted."""
    knobs = knobs_of(scope)
    if "paging" not in knobs.drift:
        return usual
    sizes = [size for size in (5, 8, 15, 30) if size != usual]
    return sizes[mark(knobs.seed, "paging") % len(sizes)]


def mark(seed: int, text: str) -> int:
    """A number that depends on seed and text only, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{text}".encode()).digest()[:4])


def _unknown(what: str, word: object, known: tuple[str, ...]) -> SiteError:
    return SiteError(422, "UNKNOWN_KNOB", f"没有这种{what}：{word}；可选：" + "、".join(known))


def _drifts(words: object) -> tuple[str, ...]:
    if not isinstance(words, list | tuple):
        raise SiteError(422, "INVALID", "drift 应为列表", "drift")
    for word in words:
        if word not in DRIFTS:
            raise _unknown("漂移", word, DRIFTS)
    return tuple(name for name in DRIFTS if name in words)


def _number(value: object, name: str, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise SiteError(422, "INVALID", f"{name} 应为 0 到 {most:.0f} 之间的数", name)
    return value


def _objects(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise SiteError(422, "INVALID", "faults 应为对象的列表", "faults")
    return value


def _fault(members: dict[str, Any]) -> Fault:
    path, method = members.get("path", ""), members.get("method", "")
    if set(members) - {"kind", "path", "times", "seconds", "method"} or not all(
        isinstance(text, str) for text in (path, method)
    ):
        raise SiteError(422, "INVALID", "故障只有 kind、path、times、seconds、method 这几项", "faults")
    return Fault(
        kind=str(members.get("kind")),
        path=path,
        times=int(_number(members.get("times", 1), "times", 1_000)),
        seconds=_number(members.get("seconds", 3.0), "seconds", LONGEST_WAIT_S),
        method=method,
    )


def _fault_of_text(text: str) -> dict[str, Any]:
    found = _FAULT.fullmatch(text)
    if found is None:
        raise SiteError(422, "INVALID", f"故障写法有误：{text}；应为 名称[:秒数][@路径][!]", "fault")
    members: dict[str, Any] = {"kind": found["kind"], "path": found["path"] or "", "times": 0 if found["always"] else 1}
    return members | ({"seconds": float(found["seconds"])} if found["seconds"] else {})
