"""The register of compliance clues: what may be entered, changed and reported, and why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import PurePosixPath
from typing import Final

from browser_host_stub.sites.finance import clue_data
from browser_host_stub.sites.finance.clue_data import Attachment, Clue, Step
from browser_host_stub.sites.frame.answers import SiteError
from browser_host_stub.sites.frame.forms import Form
from browser_host_stub.sites.money import yuan

PROOF_FROM_CENTS = 10_000_000  # from 100,000 yuan on a clue needs an attachment
LARGEST_CENTS = 10_000_000_000
OLDEST_DAYS = 730
TITLE_LENGTH, DESCRIPTION_LENGTH, REMARK_LENGTH = (6, 60), (10, 500), 100
FILE_KINDS = (".pdf", ".jpg", ".png", ".xlsx", ".docx")
LARGEST_FILE, MOST_FILES = 5 * 1024 * 1024, 5
OPEN = (clue_data.DRAFTED, clue_data.RETURNED)


@dataclass(frozen=True, slots=True)
class ReportResult:
    """What became of one clue of a report; `code` and `message` are empty when it went through."""

    number: str
    ok: bool
    code: str = ""
    message: str = ""


class ClueBook:
    """All clues. `clues` is keyed by number, newest first at the start; new ones are appended."""

    def __init__(self, today: date) -> None:
        self.today = today
        self.clues: dict[str, Clue] = {clue.number: clue for clue in clue_data.clues(today)}
        self.uploads: dict[str, Attachment] = {}

    def clue(self, number: str) -> Clue:
        """The clue, or the refusal NO_CLUE."""
        if number not in self.clues:
            raise SiteError(404, "NO_CLUE", f"线索 {number} 不存在或已被删除，请刷新列表")
        return self.clues[number]

    def listed(self) -> list[Clue]:
        """Newest first: by the day found, then by number."""
        return sorted(self.clues.values(), key=lambda clue: (clue.found, clue.number), reverse=True)

    def upload(self, name: str, size: int) -> str:
        """Takes a file for a clue that is being entered; its id. The refusal is BAD_ATTACHMENT."""
        if PurePosixPath(name).suffix.lower() not in FILE_KINDS:
            raise SiteError(422, "BAD_ATTACHMENT", f"附件格式应为 {'、'.join(kind[1:] for kind in FILE_KINDS)}")
        if not 0 < size <= LARGEST_FILE:
            raise SiteError(422, "BAD_ATTACHMENT", f"附件“{name}”为空或超过 5 MB")
        key = f"F{len(self.uploads) + 1:05d}"
        self.uploads[key] = Attachment(name, size)
        return key

    def create(self, form: Form, person: str) -> Clue:
        """Enters a clue (status 待提报). Refusals: BAD_… for the first field that is wrong, DUPLICATE for a twin."""
        draft = self._checked(form)
        twin = self._twin(draft)
        if twin is not None:
            raise SiteError(
                409, "DUPLICATE", f"疑似重复：{twin.number} 的单位、类别、金额和发现日期与本线索相同，请核对后再提交"
            )
        month = f"{draft.found:%Y%m}"
        serial = 1 + max((int(number[-4:]) for number in self.clues if number[3:9] == month), default=0)
        clue = replace(
            draft, number=f"XS-{month}-{serial:04d}", log=(Step(self.today, person, "登记线索，来源：手工录入"),)
        )
        self.clues[clue.number] = clue
        return clue

    def change(self, number: str, field: str, form: Form, person: str) -> Clue:
        """Sets one of `EDITABLE` on an open clue; the form's `version` must be the one seen before.

        Refusals: CHANGED_MEANWHILE, NOT_OPEN, BAD_FIELD and those of the field.
        """
        clue = self.clue(number)
        if form.integer("version", "版本", 1, 1_000_000) != clue.version:
            raise SiteError(409, "CHANGED_MEANWHILE", f"线索 {number} 已被他人修改，请刷新后重试")
        if clue.status not in OPEN:
            raise SiteError(409, "NOT_OPEN", f"线索 {number} 状态为“{clue.status}”，不能再修改")
        if field not in EDITABLE:
            raise SiteError(400, "BAD_FIELD", "只能修改风险等级、涉及金额、整改期限、责任人和备注")
        changed = replace(
            EDITABLE[field](clue, form),
            version=clue.version + 1,
            log=(*clue.log, Step(self.today, person, "修改线索信息")),
        )
        self.clues[number] = changed
        return changed

    def report(self, numbers: list[str], person: str) -> list[ReportResult]:
        """Puts clues before the compliance office, each for itself: one that cannot go does not stop the others."""
        if not numbers:
            raise SiteError(400, "NOTHING_CHOSEN", "请先勾选要提报的线索")
        return [self._report(number, person) for number in dict.fromkeys(numbers)]

    def _report(self, number: str, person: str) -> ReportResult:
        clue = self.clues.get(number)
        if clue is None:
            return ReportResult(number, False, "NO_CLUE", "线索不存在")
        if clue.status not in OPEN:
            return ReportResult(number, False, "NOT_OPEN", f"状态为“{clue.status}”，不可重复提报")
        if not clue.owner:
            return ReportResult(number, False, "NO_OWNER", "未指定责任人，请先补充责任人")
        if clue.amount_cents >= PROOF_FROM_CENTS and not clue.attachments:
            return ReportResult(number, False, "NO_PROOF", "涉及金额不低于 10 万元，须上传附件后提报")
        self.clues[number] = replace(
            clue,
            status=clue_data.REPORTED,
            version=clue.version + 1,
            log=(*clue.log, Step(self.today, person, "提报至合规管理部")),
        )
        return ReportResult(number, True)

    def _checked(self, form: Form) -> Clue:
        found = self._found(form)
        amount = _amount(form)
        attachments = self._attachments(form.texts("attachments", "附件") if form.members.get("attachments") else [])
        if amount >= PROOF_FROM_CENTS and not attachments:
            raise SiteError(
                422, "NO_PROOF", f"涉及金额 {yuan(amount)} 元，不低于 10 万元的线索须上传附件", "attachments"
            )
        return Clue(
            number="",
            title=_text(form, "title", "线索标题", TITLE_LENGTH),
            category=_category(form.texts("category", "线索类别")),
            level=form.choice("level", "风险等级", clue_data.LEVELS),
            unit=form.choice("unit", "所属单位", clue_data.UNITS),
            amount_cents=amount,
            found=found,
            due=found + timedelta(days=30),
            source="手工录入",
            owner=form.choice("owner", "责任人", clue_data.OWNERS),
            status=clue_data.DRAFTED,
            description=_text(form, "description", "线索描述", DESCRIPTION_LENGTH),
            attachments=attachments,
        )

    def _attachments(self, keys: list[str]) -> tuple[Attachment, ...]:
        if len(keys) > MOST_FILES or not all(key in self.uploads for key in keys):
            raise SiteError(422, "BAD_ATTACHMENT", f"附件最多 {MOST_FILES} 个，且须先上传成功", "attachments")
        return tuple(self.uploads[key] for key in keys)

    def _found(self, form: Form) -> date:
        found = form.day("found", "发现日期")
        if not self.today - timedelta(days=OLDEST_DAYS) <= found <= self.today:
            raise SiteError(422, "BAD_FOUND", f"发现日期不能晚于今天（{self.today}），也不能早于两年前", "found")
        return found

    def _twin(self, draft: Clue) -> Clue | None:
        same = (draft.unit, draft.category, draft.amount_cents, draft.found)
        return next(
            (clue for clue in self.clues.values() if (clue.unit, clue.category, clue.amount_cents, clue.found) == same),
            None,
        )


def _text(form: Form, name: str, label: str, length: tuple[int, int]) -> str:
    text = form.text(name, label, required=length[0] > 0, longest=length[1])
    if len(text) < length[0]:
        raise SiteError(422, "TOO_SHORT", f"{label}至少 {length[0]} 个字，当前 {len(text)} 个字", name)
    return text


def _category(value: list[str]) -> tuple[str, str]:
    match value:
        case [group, kind] if kind in clue_data.CATEGORIES.get(group, ()):
            return group, kind
    raise SiteError(422, "BAD_CATEGORY", "请选择线索类别，须选到最末一级", "category")


def _amount(form: Form) -> int:
    cents = int(form.money("amount", "涉及金额") * 100)
    if not 0 < cents <= LARGEST_CENTS:
        raise SiteError(422, "BAD_AMOUNT", "涉及金额应大于 0 且不超过 1 亿元", "amount")
    return cents


def _due(form: Form, found: date) -> date:
    due = form.day("due", "整改期限")
    if due <= found:
        raise SiteError(422, "BAD_DUE", f"整改期限应晚于发现日期 {found}", "due")
    return due


EDITABLE: Final[Mapping[str, Callable[[Clue, Form], Clue]]] = {
    "level": lambda clue, form: replace(clue, level=form.choice("level", "风险等级", clue_data.LEVELS)),
    "amount": lambda clue, form: replace(clue, amount_cents=_amount(form)),
    "due": lambda clue, form: replace(clue, due=_due(form, clue.found)),
    "owner": lambda clue, form: replace(clue, owner=form.choice("owner", "责任人", clue_data.OWNERS)),
    "remark": lambda clue, form: replace(clue, remark=_text(form, "remark", "备注", (0, REMARK_LENGTH))),
}
"""What may be changed in an open clue: the field's name and how it is read from a form."""
