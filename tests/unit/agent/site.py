"""Pages in memory behind the `Browser` port: controls by reference, what a click on one does, and a host's refusals."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sgclaw.errors import ActionCode, ActionError, NeedsApprovalError, PolicyDeniedError, SgClawError
from sgclaw.perception.diff import diff
from sgclaw.policy.labels import IRREVERSIBLE_LABELS, irreversible_word
from sgclaw.policy.origins import origin_of
from sgclaw.ports import Act, JsonObject, Observed
from sgclaw.protocol.actions import Compare, spec_of
from sgclaw.protocol.parts import AomFacts
from sgclaw.protocol.results import AomNode, Artifact, PageInfo

ERP, OA = "https://erp.example.com", "https://oa.example.com"
OPERABLE = frozenset({"button", "link", "textbox", "combobox", "checkbox"})


@dataclass
class Control:
    """One element; `click` changes the site, `file` is what a download brings."""

    role: str
    name: str
    value: str | None = None
    click: Callable[[Site], None] | None = None
    file: bytes | None = None

    @property
    def operable(self) -> bool:
        return self.role in OPERABLE


Build = Callable[["Site"], list[Control]]


@dataclass
class Site:
    """Addresses and what stands there; `notes` is the state that clicks change."""

    pages: dict[str, Build]
    url: str
    version: int = 1
    notes: dict[str, str] = field(default_factory=dict)
    controls: list[Control] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.open(self.url, version=1)

    def open(self, url: str, *, version: int | None = None) -> None:
        self.version = self.version + 1 if version is None else version
        self.url = url
        build = self.pages.get(url.partition("?")[0])
        self.controls = build(self) if build is not None else []


@dataclass
class MemoryBrowser:
    """`Browser` over a site. `approves` is what the person says to acts that cannot be taken back; None: nobody does.

    `faults` are raised in turn by acts whose name they are kept under, before anything is done.
    """

    site: Site
    approves: bool = True
    hook: Callable[[bool], None] = lambda _: None
    faults: dict[str, list[SgClawError]] = field(default_factory=dict)
    acts: list[Act] = field(default_factory=list)
    done: list[Observed] = field(default_factory=list)
    hangs: frozenset[str] = frozenset()
    seq: int = 0
    total: int | None = None

    def opened(self, hook: Callable[[bool], None]) -> MemoryBrowser:
        self.hook = hook
        return self

    @property
    def trail(self) -> Sequence[Observed]:
        return tuple(self.done)

    @property
    def names(self) -> list[str]:
        return [act.action for act in self.acts]

    async def act(self, act: Act) -> Observed:
        spec = spec_of(act.action)
        params = spec.check(act.params).model_dump(exclude_none=True)
        self.seq += 1
        self.acts.append(act)
        self._guard(act)
        if act.action in self.hangs:
            await asyncio.Event().wait()
        if self.faults.get(act.action):
            raise self.faults[act.action].pop(0)
        before, version = self._nodes(), self.site.version
        data, artifact = self._perform(act.action, params)
        observed = self._observed(act, data, artifact, before if version == self.site.version else None)
        self.done.append(observed)
        return observed

    def _guard(self, act: Act) -> None:
        spec = spec_of(act.action)
        if spec.compares is Compare.NOTHING:
            return
        where = act.params["url"] if spec.compares is Compare.TARGET_URL else self.site.url
        if origin_of(where).host != act.expected_domain:
            raise PolicyDeniedError("操作声明的域名与页面不同", facts={"rule": "origin.mismatch"})

    def _nodes(self) -> tuple[AomNode, ...]:
        return tuple(
            AomNode(
                role=each.role,
                name=each.name,
                value=each.value,
                ref=f"{self.site.version}:{number}",
                selector=f"#c{number}",
            )
            for number, each in enumerate(self.site.controls, 1)
        )

    def _target(self, params: JsonObject) -> Control:
        name = str(params.get("ref") or params.get("selector"))
        version, _, number = name.rpartition(":") if "ref" in params else ("", "", name.removeprefix("#c"))
        if version and version != str(self.site.version):
            raise ActionError(ActionCode.STALE_REF, "编号已经过期")
        if not number.isdigit() or not 1 <= int(number) <= len(self.site.controls):
            raise ActionError(ActionCode.NOT_FOUND, "找不到元素")
        return self.site.controls[int(number) - 1]

    def _perform(self, action: str, params: JsonObject) -> tuple[JsonObject, Artifact | None]:
        site = self.site
        if action == "navigate":
            site.open(str(params["url"]))
            return {"url": site.url, "title": "", "status": 200}, None
        if action == "reload":
            site.open(site.url)
            return {"url": site.url, "title": "", "status": 200}, None
        if action == "getAomSnapshot":
            nodes = [node.model_dump(mode="json", exclude_none=True) for node in self._nodes()]
            count = self._count() if self.total is None else self.total
            return {"nodes": nodes, "interactive_total": count, "blank": not nodes, "cut": False}, None
        if action == "pageScreenshot":
            return self._shot()
        return self._on_control(action, params)

    def _shot(self) -> tuple[JsonObject, Artifact]:
        artifact = Artifact(id="p1", name="p.png", size=3, sha256=hashlib.sha256(b"png").hexdigest(), mime="image/png")
        labels = [
            {"id": number, "ref": node.ref, "name": node.name, "bounds": [0, 0, 1, 1]}
            for number, node in enumerate(self._nodes(), 1)
        ]
        return {"artifact": artifact.model_dump(mode="json"), "som_labels": labels}, artifact

    def _on_control(self, action: str, params: JsonObject) -> tuple[JsonObject, Artifact | None]:
        control = self._target(params)
        if action in ("click", "download") and irreversible_word(control.name, IRREVERSIBLE_LABELS):
            self._ask()
        if action == "click" and control.click is not None:
            control.click(self.site)
        if action == "type":
            control.value = str(params["text"])
            return {"typed": True, "value": control.value}, None
        if action == "getText":
            return {"text": control.value or control.name}, None
        if action == "download":
            data = control.file or b""
            digest = hashlib.sha256(data).hexdigest()
            artifact = Artifact(id="f1", name="report.xlsx", size=len(data), sha256=digest, mime="")
            return {"artifact": artifact.model_dump(mode="json")}, artifact
        return {f"{action}ed": True}, None

    def _ask(self) -> None:
        self.hook(True)
        self.hook(False)
        if not self.approves:
            raise NeedsApprovalError("该操作没有得到您的确认，没有执行")

    def _count(self) -> int:
        return sum(each.operable for each in self.site.controls)

    def _observed(
        self, act: Act, data: JsonObject, artifact: Artifact | None, before: tuple[AomNode, ...] | None
    ) -> Observed:
        info = PageInfo(id="p", url=self.site.url, version=self.site.version)
        nodes, facts = None, None
        if act.observe != "none":
            difference = diff(before, self._nodes()) if before is not None else None
            nodes = difference.changed if difference is not None else self._nodes()
            removed = difference.removed if difference is not None else None
            facts = AomFacts(interactive_total=self._count(), blank=not self.site.controls, removed=removed)
        natural = spec_of(act.action).natural
        value = data.get(natural) if natural else data
        return Observed(self.seq, act.action, data, value, 1, info, artifact, nodes, facts)
