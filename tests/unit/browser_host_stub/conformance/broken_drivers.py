"""Breakages of the browser: what a careless one would tell or do. Each overrides what the session calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from browser_host_stub.chromium.driver import ChromiumDriver
from browser_host_stub.chromium.guard import Check
from browser_host_stub.driver import IMPLICIT_WAIT_S, JsonObject, Located
from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.params import Params
from sgclaw.protocol.results import PageInfo


class Unconfined(ChromiumDriver):
    """Lets pages go wherever they like."""

    def confine(self, check: Check) -> None:
        return


class NoLabels(ChromiumDriver):
    """Reads no labels, so nobody is asked."""

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        located = await super().locate(action, params, page, deadline_s=deadline_s)
        if located.target is None:
            return located
        return replace(located, target=replace(located.target, label=""))


class Claims(ChromiumDriver):
    """Reports a click as done where the target could not be found or operated."""

    code = ActionCode.NOT_FOUND

    async def locate(
        self, action: str, params: Params, page: str | None, *, deadline_s: float = IMPLICIT_WAIT_S
    ) -> Located:
        try:
            return await super().locate(action, params, page, deadline_s=deadline_s)
        except ActionError as error:
            if action != "click" or error.code != self.code:
                raise
            info = await self.page_info(page)
            origin = "/".join(info.url.split("/")[:3])
            return Located(action, params, info, origin, None, handle=None)

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        if located.handle is None and located.action == "click":
            return {"clicked": True}
        return await super().perform(located, deadline_s)


class ClaimsCovered(Claims):
    code = ActionCode.COVERED_TARGET


class ClaimsAmbiguous(Claims):
    code = ActionCode.AMBIGUOUS_TARGET


class Leaks(ChromiumDriver):
    """Puts what was typed last into the HTML it reads."""

    typed = ""

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        self.typed = str(getattr(located.params, "text", self.typed))
        data = await super().perform(located, deadline_s)
        return {**data, "html": f"{data['html']}<!-- {self.typed} -->"} if "html" in data else data


class Miscounts(ChromiumDriver):
    """Says that it read one row of a table more than it did."""

    async def perform(self, located: Located, deadline_s: float) -> JsonObject:
        data = await super().perform(located, deadline_s)
        return {**data, "row_count": int(str(data["row_count"])) + 1} if "row_count" in data else data


class OldVersions(ChromiumDriver):
    """Never counts navigations."""

    async def page_info(self, page: str | None) -> PageInfo:
        return (await super().page_info(page)).model_copy(update={"version": 1})


DRIVERS: Mapping[str, type[ChromiumDriver]] = {
    "ignores-redirects": Unconfined,
    "skips-approval": NoLabels,
    "success-on-nothing": Claims,
    "clicks-through-covers": ClaimsCovered,
    "takes-the-first-match": ClaimsAmbiguous,
    "leaks-passwords": Leaks,
    "wrong-table-counts": Miscounts,
    "forgets-versions": OldVersions,
}
