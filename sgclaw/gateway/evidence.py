"""What was observed, as opposed to what a skill says about itself.

Ranks (weakest first): toast < DOM state < response status < downloaded file hash < independent re-query. Evidence
is made from the browser's trail alone; a claim in a skill's result counts only when an act supports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from sgclaw.gateway.report import plain
from sgclaw.ports import Observed, SkillResult
from sgclaw.protocol.parts import Evidence, EvidenceRank
from sgclaw.protocol.results import Artifact

_MAX_TEXT = 120
_MAX_DOM_FACTS = 3


def _file(observed: Observed) -> str | None:
    artifact = observed.artifact
    return f"文件 {artifact.name}，{artifact.size} 字节，sha256 {artifact.sha256}" if artifact else None


def _status(observed: Observed) -> str | None:
    status = observed.data.get("status")
    return f"{observed.data.get('url')} 返回 {status}" if isinstance(status, int) else None


def _seen(observed: Observed) -> str | None:
    text = observed.value.strip() if isinstance(observed.value, str) else ""
    return f"页面显示“{text[:_MAX_TEXT]}”" if text else None


def _table(observed: Observed) -> str | None:
    return f"表格 {observed.data.get('row_count')} 行，页面共计 {observed.data.get('page_total')}"


_PROOFS: Mapping[str, tuple[EvidenceRank, Callable[[Observed], str | None]]] = MappingProxyType(
    {
        "download": (EvidenceRank.FILE_HASH, _file),
        "navigate": (EvidenceRank.RESPONSE_STATUS, _status),
        "getText": (EvidenceRank.DOM_STATE, _seen),
        "query": (EvidenceRank.DOM_STATE, _seen),
        "extractTable": (EvidenceRank.DOM_STATE, _table),
    }
)


def _proofs(trail: Sequence[Observed]) -> Iterator[Evidence]:
    for observed in trail:
        rank, tell = _PROOFS.get(observed.action, (None, None))
        fact = tell(observed) if tell else None
        if rank is not None and fact:
            yield Evidence(rank=rank, seq=observed.seq, fact=plain(fact))


def collect(trail: Sequence[Observed]) -> tuple[Evidence, ...]:
    """Every file, the last response, and the last few things read from pages, in the order they were observed."""
    found = list(_proofs(trail))
    files = [item for item in found if item.rank is EvidenceRank.FILE_HASH]
    responses = [item for item in found if item.rank is EvidenceRank.RESPONSE_STATUS][-1:]
    seen = [item for item in found if item.rank is EvidenceRank.DOM_STATE][-_MAX_DOM_FACTS:]
    return tuple(sorted((*files, *responses, *seen), key=lambda item: item.seq))


def artifacts(trail: Sequence[Observed]) -> tuple[Artifact, ...]:
    """Files the acts brought, in order, each once."""
    return tuple({item.artifact.id: item.artifact for item in trail if item.artifact}.values())


def objection(result: SkillResult, trail: Sequence[Observed]) -> str | None:
    """Why a claimed success is not believed (Chinese), or None when the evidence carries it."""
    if not collect(trail):
        return "没有观察到任何能证明结果的页面状态或文件"
    claimed = result.data.get("sha256") if isinstance(result.data, dict) else None
    if claimed is not None and claimed not in [item.sha256 for item in artifacts(trail)]:
        return "技能报告了一个没有实际下载到的文件"
    return None
