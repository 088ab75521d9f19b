"""The catalogue as an agent uses it: skills run under their own names, by their own signatures, in the same task."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence

from sgclaw.context.parts import Reference
from sgclaw.errors import SgClawError, SkillNotFoundError
from sgclaw.ports import Browser, JsonObject, SkillResult, SkillRun, SkillRunner
from sgclaw.skills.catalogue import Catalogue
from sgclaw.skills.inputs import check_inputs
from sgclaw.skills.manifest import Manifest
from sgclaw.skills.search import SkillIndex
from sgclaw.skills.trust import VerifiedSkill
from sgclaw.skills.words import fold


class CatalogueBook:
    """`ports.SkillBook` over a catalogue. `open_browser` binds a browser of the task to one skill."""

    def __init__(
        self,
        catalogue: Catalogue,
        runners: Mapping[str, SkillRunner],
        open_browser: Callable[[VerifiedSkill], Browser],
        record: Callable[[str, JsonObject], None],
    ) -> None:
        self._catalogue, self._runners, self._open_browser = catalogue, runners, open_browser
        self._record = record
        self._index: SkillIndex | None = None

    async def search(self, text: str, limit: int) -> Sequence[Reference]:
        """See `ports.SkillBook.search`."""
        return await asyncio.to_thread(self._found, text, limit)

    def _found(self, text: str, limit: int) -> Sequence[Reference]:
        """In a thread: the first search reads the dictionary."""
        skills = self._catalogue.skills
        if self._index is None:
            self._index = SkillIndex(skill.manifest for skill in skills.values())
        return [_reference(skills[hit.name].manifest) for hit in self._index.search(fold(text))[:limit]]

    async def read(self, name: str) -> str:
        """See `ports.SkillBook.read`."""
        manifest = self._catalogue.get(name).manifest
        told: JsonObject = {
            "name": manifest.ref,
            "description": manifest.description,
            "when_to_use": manifest.when_to_use,
            "domains": list(manifest.domains),
            "inputs": manifest.params,
            "output": manifest.output,
        }
        return json.dumps({key: value for key, value in told.items() if value}, ensure_ascii=False, indent=1)

    def domains(self, name: str) -> Sequence[str]:
        """See `ports.SkillBook.domains`."""
        return self._catalogue.get(name).manifest.domains

    async def run(self, name: str, inputs: Mapping[str, object]) -> SkillRun:
        """See `ports.SkillBook.run`."""
        skill = self._catalogue.get(name)
        runner = self._runners.get(skill.manifest.kind)
        if runner is None:
            raise SkillNotFoundError(f"这个版本还不能执行 {skill.manifest.kind} 类型的技能")
        checked = check_inputs(skill.manifest, inputs)
        browser = self._open_browser(skill)
        self._record("skill_started", {"ref": skill.manifest.ref, "sha256": skill.sha256, "key_id": skill.key_id})
        try:
            result = await runner.run(skill, checked, browser)
        except SgClawError as error:
            self._record("skill_finished", {"success": False, "error": error.code})
            return SkillRun(SkillResult(success=False, error=error.cause), tuple(browser.trail), error)
        self._record("skill_finished", {"success": result.success, "error": result.error})
        return SkillRun(result, tuple(browser.trail))


def _reference(manifest: Manifest) -> Reference:
    return Reference(manifest.name, manifest.version, manifest.description, tuple(manifest.domains))
