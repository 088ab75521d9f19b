"""What was done, what was seen, and whether the second proves the first.

Ranks, weakest first: toast < DOM state < response status < file hash < independent re-query. A write that cannot be
taken back needs more than the state of the page it was made on; one that can be needs that state. A quote proves a
write only when it was seen after it and never before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from sgclaw.agent.dataflow import normal
from sgclaw.agent.quantities import values_of
from sgclaw.ports import Observed
from sgclaw.protocol.actions import Risk, spec_of
from sgclaw.protocol.parts import Evidence, EvidenceRank
from sgclaw.protocol.results import Artifact
from sgclaw.redact import redact_text

RANKS: Final = tuple(EvidenceRank)
_NEEDED: Final[Mapping[bool, EvidenceRank]] = MappingProxyType(
    {True: EvidenceRank.RESPONSE_STATUS, False: EvidenceRank.DOM_STATE}
)
"""By whether the write cannot be taken back."""
SUBMITTED: Final = "type+submit"
"""The act of a text that was typed and sent off."""
_FILLS: Final = frozenset({"type", "select", "check", "clear", "hover", "storageSet", "upload", "download"})
"""Acts that fill in and fetch: with them alone nothing was submitted, approved or deleted."""
_LOOKS: Final = frozenset({"reload", "goBack", "goForward"})
_SUCCESS: Final = re.compile(
    r"成功|完成|已(?:经)?(?:提交|保存|发送|发布|生效)|success|saved|done|submitted|ok", re.IGNORECASE
)
_MESSAGE: Final = 24
"""Characters of a message that says no more than that something worked."""
_MOST_TEXT: Final = 400_000
_MOST_EVIDENCE: Final = 20
_FACT: Final = 160

_NO_PROOF: Final = "第 {seq} 号操作之后没有看到它的结果：请读取页面，以变化后的内容作证据。"
_NO_PROOF_FINAL: Final = (
    "第 {seq} 号操作不能撤销，页面上的提示不算证据：请刷新或重新打开相应的页面，再以读出的结果作证据。"
)

Document = tuple[str, int]
"""A page's id and version."""


@dataclass(frozen=True, slots=True)
class Write:
    """An act that changed something on `document`. `settled`: what the act itself showed of its effect."""

    seq: int
    action: str
    final: bool
    document: Document
    settled: EvidenceRank = EvidenceRank.TOAST


@dataclass(frozen=True, slots=True)
class Seen:
    """What one command showed, normalised: `text` what stands on the page, `said` what messages said. `opened` is the
    seq of the act that brought the document it was seen in.
    """

    seq: int
    document: Document
    opened: int
    text: str
    said: str = ""
    artifact: Artifact | None = None
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """What a model gives as proof: a command, and words that it showed."""

    seq: int
    quote: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Evidence that holds, and what is wrong or missing, in words for the model."""

    evidence: tuple[Evidence, ...]
    objections: tuple[str, ...]


def says_only_success(text: str) -> bool:
    """Whether a text is a message that something worked and nothing more: as good as a toast, whatever shows it."""
    return len(text.strip()) <= _MESSAGE and not re.search(r"\d", text) and _SUCCESS.search(text) is not None


@dataclass(slots=True)
class Proofs:
    """Everything a run did and saw."""

    writes: list[Write] = field(default_factory=list)
    seen: dict[int, Seen] = field(default_factory=dict)
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    numbers: set[Decimal] = field(default_factory=set)
    actions: dict[str, int] = field(default_factory=dict)
    foreign: int = 0
    """Calls of other servers' tools that worked. What they say is a claim: it may be repeated and proves nothing."""
    _opened: dict[Document, int] = field(default_factory=dict)
    _last_act: int = 0

    def told(self, text: str) -> None:
        """A person said this: its numbers may be used."""
        self.numbers |= values_of(text)

    def claimed(self, text: str) -> None:
        """A tool of another server answered this."""
        self.foreign += 1
        self.numbers |= values_of(text)

    def did(self, observed: Observed) -> None:
        """A command was carried out; documents seen from now on are its work unless it only reads."""
        if spec_of(observed.action).risk not in (Risk.READ, Risk.SENSITIVE):
            self._last_act = observed.seq
        if spec_of(observed.action).changes:
            self.actions[observed.action] = self.actions.get(observed.action, 0) + 1
        if observed.artifact is not None and observed.action == "download":
            self.artifacts[observed.artifact.id] = observed.artifact

    def wrote(self, write: Write) -> None:
        """A command changed something. To open a page anew is no change of what it shows."""
        if write.action not in _LOOKS:
            self.writes.append(write)

    def saw(self, observed: Observed, document: Document, texts: Iterable[str], said: Iterable[str] = ()) -> None:
        """A command showed these texts; `said` are those of messages, which `texts` do not have."""
        shown, messages = list(texts), list(said)
        self.numbers |= values_of("\n".join([*shown, *messages])[:_MOST_TEXT])
        self.numbers |= {Decimal(count) for count in self.actions.values()} | {Decimal(len(self.artifacts))}
        status = observed.data.get("status")
        before = self.seen.get(observed.seq)
        self.seen[observed.seq] = Seen(
            seq=observed.seq,
            document=document,
            opened=self._opened.setdefault(document, self._last_act),
            text=(before.text if before else "") + normal("".join(shown))[:_MOST_TEXT],
            said=(before.said if before else "") + normal("".join(messages))[:_MOST_TEXT],
            artifact=observed.artifact if observed.action == "download" else None,
            status=status if isinstance(status, int) else None,
        )

    @property
    def kinds(self) -> frozenset[str]:
        """Which kinds of deed the trace has, for the check of the summary."""
        kinds = {"download"} if self.artifacts else set()
        kinds |= {"upload"} if "upload" in self.actions else set()
        kinds |= {"change"} if self.writes or self.foreign else set()
        acted = self.foreign or any(each.action not in _FILLS for each in self.writes)
        return frozenset(kinds | ({"act"} if acted else set()))

    def judge(self, claims: Sequence[Claim]) -> Judgement:
        """What the claims prove, and what is left unproved."""
        objections = [problem for claim in claims if (problem := self._problem(claim)) is not None]
        good = [claim for claim in claims if self._problem(claim) is None]
        if not good and not objections:
            objections.append("没有给出证据：evidence 里写上看到结果的操作编号（seq）和原文（quote）。")
        for final in (True, False):
            objections += self._unproved(final, good)
        evidence = tuple(self._evidence(claim) for claim in good[:_MOST_EVIDENCE])
        return Judgement(evidence, tuple(objections))

    def _problem(self, claim: Claim) -> str | None:
        seen = self.seen.get(claim.seq)
        if seen is None:
            return f"证据 {claim.seq}：没有这个编号的操作结果。"
        quoted = normal(claim.quote)
        if not quoted and seen.artifact is None and seen.status is None:
            return f"证据 {claim.seq}：quote 要写出在结果里看到的原文。"
        named = normal(seen.artifact.name) if seen.artifact else ""
        if quoted and quoted not in seen.text and quoted not in seen.said and quoted not in named:
            return f"证据 {claim.seq}：结果里没有“{claim.quote[:40]}”。"
        return None

    def _unproved(self, final: bool, claims: Sequence[Claim]) -> list[str]:
        """The last write of its kind needs proof that came after it."""
        last = next((write for write in reversed(self.writes) if write.final is final), None)
        if last is None or _reaches(last.settled, _NEEDED[final]):
            return []
        if any(_reaches(self._rank(claim, last), _NEEDED[final]) for claim in claims):
            return []
        return [(_NO_PROOF_FINAL if final else _NO_PROOF).format(seq=last.seq)]

    def _rank(self, claim: Claim, write: Write | None) -> EvidenceRank:
        """How much a good claim proves about a write; without one, by what kind of thing was seen."""
        seen, quoted = self.seen[claim.seq], normal(claim.quote)
        if seen.artifact is not None:
            return EvidenceRank.FILE_HASH if write is None or seen.seq >= write.seq else EvidenceRank.TOAST
        if write is None:
            return EvidenceRank.RESPONSE_STATUS if seen.status is not None and not quoted else EvidenceRank.DOM_STATE
        if seen.seq < write.seq or not quoted or self._known_before(quoted, write):
            return EvidenceRank.TOAST
        if seen.opened > write.seq and quoted in seen.text:
            return EvidenceRank.RE_QUERY
        is_message = says_only_success(claim.quote) or quoted not in seen.text
        return EvidenceRank.TOAST if is_message else EvidenceRank.DOM_STATE

    def _known_before(self, quoted: str, write: Write) -> bool:
        """Whether it stood there before the run began to change that document: what it typed itself is no old news."""
        seq = min(each.seq for each in self.writes if each.document == write.document)
        return any(quoted in seen.text or quoted in seen.said for seen in self.seen.values() if seen.seq < seq)

    def _evidence(self, claim: Claim) -> Evidence:
        seen = self.seen[claim.seq]
        before = [write for write in self.writes if write.seq <= seen.seq]
        last = max(before, key=lambda write: (write.final, write.seq), default=None)
        rank = self._rank(claim, last)
        quote = redact_text(claim.quote.strip())[:_FACT]
        if seen.artifact is not None:
            fact = f"文件 {seen.artifact.name}，{seen.artifact.size} 字节，sha256 {seen.artifact.sha256}"
        else:
            fact = f"页面显示“{quote}”" if quote else f"返回 {seen.status}"
        return Evidence(rank=rank, seq=claim.seq, fact=fact)


def _reaches(rank: EvidenceRank, needed: EvidenceRank) -> bool:
    return RANKS.index(rank) >= RANKS.index(needed)
