"""A browser and a person who do what a transcript says happened."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from browser_host_stub.driver import IMPLICIT_WAIT_S, ArtifactStore, Located, TargetFacts
from browser_host_stub.memory.driver import MemoryArtifacts
from sgclaw.errors import ActionCode, ActionError, NeedsHumanError, PolicyDeniedError, SgClawError
from sgclaw.policy.origins import origin_of
from sgclaw.protocol.actions import Compare, spec_of
from sgclaw.protocol.params import Params
from sgclaw.protocol.results import PageInfo
from tests.wire.ends import approval_of
from tests.wire.transcript import JsonObject, Transcript

_HOSTS_OWN: Final = frozenset({"POLICY_DENIED", "NEEDS_APPROVAL", "UNKNOWN_ACTION", "BAD_PARAMS"})
"""Refusals that the session makes; the browser only shows it where things stand."""


@dataclass(frozen=True, slots=True)
class _Planned:
    """A command that reaches the browser, and the response it must get; None when it is cancelled."""

    command: JsonObject
    response: JsonObject | None

    @property
    def error(self) -> SgClawError | None:
        """The browser's own error, if the response is one."""
        error = (self.response or {}).get("error")
        if error is None or error["code"] in _HOSTS_OWN:
            return None
        if error["code"] == NeedsHumanError.code:
            return NeedsHumanError(error["message"], facts=error["facts"])
        return ActionError(ActionCode(error["code"]), error["message"], facts=error["facts"])


class ScriptedDriver:
    """The `Driver` of a replay: acts come in the order of the transcript."""

    def __init__(self, transcript: Transcript, folder: Path) -> None:
        self.artifacts: ArtifactStore = MemoryArtifacts(folder)
        self.on_gone = asyncio.Event()
        self._pages = {name: PageInfo(**page) for name, page in transcript.pages.items()}
        self._default = next(iter(self._pages))
        self._redirects = transcript.redirects
        self._planned = _plan(transcript)
        self._shown = _shown_facts(transcript)

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        planned = self._next(action, params)
        if planned.error is not None and planned.error.code != ActionCode.UNKNOWN_OUTCOME:
            raise planned.error
        found = await self.page_info(page)
        target = self._shown.get(_key(action, planned.command["params"]))
        return Located(action, params, found, self._origin(action, params, found), target, planned)

    def _next(self, action: str, params: Params) -> _Planned:
        while self._planned:
            planned = self._planned.pop(0)
            if planned.command["action"] == action and spec_of(action).check(planned.command["params"]) == params:
                return planned
        raise AssertionError(f"the transcript has no further {action}")

    @staticmethod
    def _origin(action: str, params: Params, page: PageInfo) -> str | None:
        compares = spec_of(action).compares
        if compares is Compare.NOTHING:
            return None
        try:
            return str(origin_of(getattr(params, "url", "") if compares is Compare.TARGET_URL else page.url))
        except PolicyDeniedError:
            return "null"

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        planned = located.handle
        assert isinstance(planned, _Planned)
        if planned.error is not None:
            raise planned.error
        if planned.response is None:
            await asyncio.Event().wait()
        response = planned.response or {}
        self._moved(located, response)
        if located.action == "listPages":  # all of them: what is withheld is the session's matter
            return {"pages": [page.model_dump() for page in self._pages.values()], "withheld": 0}
        data: JsonObject = response.get("data", {"url": "", "title": ""})
        return data

    def _moved(self, located: Located, response: JsonObject) -> None:
        """The state of the pages after the act, as the response tells it."""
        after = response.get("page")
        if located.action == "switchPage":
            self._default = str(getattr(located.params, "page", ""))
        elif located.action == "closePage":
            del self._pages[located.page.id]
        elif after is not None:
            self._pages[after["id"]] = PageInfo(**after)
        elif located.action == "navigate":
            url = self._redirects[str(getattr(located.params, "url", ""))]
            self._pages[located.page.id] = located.page.model_copy(update={"url": url})

    async def page_info(self, page: str | None) -> PageInfo:
        found = self._pages.get(page or self._default)
        if found is None:
            raise ActionError(ActionCode.PAGE_GONE, "页面已经关闭", facts={"page": page})
        return found

    async def default_page(self) -> PageInfo:
        return await self.page_info(None)

    async def close(self) -> None:
        self.on_gone.set()


class ScriptedPerson:
    """The `Approver` of a replay: says what the transcript's approvals and answers say, in their order."""

    def __init__(self, transcript: Transcript) -> None:
        bodies = [entry.body for entry in transcript.entries if entry.kind in ("approval", "answer")]
        self._approved = [bool(body["approved"]) for body in bodies if body["type"] == "approval"]
        self._answers = [
            None if body.get("declined") else str(body.get("text", "")) for body in bodies if body["type"] == "answer"
        ]

    async def approve(self, facts: Mapping[str, object]) -> bool:
        return self._approved.pop(0)

    async def answer(self, text: str, choices: tuple[str, ...]) -> str | None:
        return self._answers.pop(0)


def _plan(transcript: Transcript) -> list[_Planned]:
    commands = [entry.body for entry in transcript.entries if entry.kind == "command"]
    responses = {entry.body["seq"]: entry.body for entry in transcript.entries if entry.kind == "response"}
    return [_Planned(command, responses.get(command["seq"])) for command in commands]


def _shown_facts(transcript: Transcript) -> dict[str, TargetFacts]:
    """Facts of the real element by the act they were shown for."""
    found = {}
    for entry in transcript.entries:
        if entry.kind == "response" and approval_of(entry.body):
            facts = entry.body["error"]["facts"]
            if facts["label"]:
                found[_key(facts["action"], facts["params"])] = TargetFacts(
                    tag="button", label=facts["label"], name=facts["element"], form_action=facts["form_action"]
                )
    return found


def _key(action: str, params: JsonObject) -> str:
    return f"{action} {sorted(params.items())}"
