"""Checked reading of what a page sends; every refusal says in Chinese which field is wrong and how it should be."""

from __future__ import annotations

import email.parser
import email.policy
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from starlette.requests import Request

from browser_host_stub.sites.frame.answers import SiteError

UPLOAD_LIMIT: Final = 5 * 1024 * 1024
_AMOUNT: Final = re.compile(r"\d{1,12}(\.\d{1,2})?")
_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME: Final = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def wrong(name: str, message: str) -> SiteError:
    """The refusal of one field."""
    return SiteError(422, "INVALID", message, name)


class Form:
    """The JSON object a page sent. Each reader takes the member's name and the label a person knows it by."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members

    @classmethod
    async def read(cls, request: Request) -> Form:
        """The request's body; 400 when it is no JSON object."""
        try:
            members = await request.json()
        except (ValueError, RecursionError):
            members = None
        if not isinstance(members, dict):
            raise SiteError(400, "BAD_REQUEST", "请求格式有误，请刷新页面后重试")
        return cls(members)

    def refuse_others(self, known: Collection[str]) -> None:
        """Members that nobody reads are a mistake of the sender."""
        for name in self.members:
            if name not in known:
                raise wrong(name, f"没有 {name} 这一项；可选：" + "、".join(sorted(known)))

    def text(self, name: str, label: str, *, required: bool = False, longest: int = 200) -> str:
        """A text without spaces around it; "" when it is missing and need not be there."""
        value = self.members.get(name)
        if value is not None and not isinstance(value, str):
            raise wrong(name, f"{label}应为文字")
        text = (value or "").strip()
        if required and not text:
            raise wrong(name, f"请填写{label}")
        if len(text) > longest:
            raise wrong(name, f"{label}最多 {longest} 个字，现有 {len(text)} 个字")
        return text

    def choice(self, name: str, label: str, allowed: Collection[str]) -> str:
        """One of the texts in `allowed`."""
        value = self.members.get(name)
        if not isinstance(value, str) or value not in allowed:
            raise wrong(name, f"请选择{label}：" + "、".join(allowed))
        return value

    def day(self, name: str, label: str) -> date:
        """A date written YYYY-MM-DD."""
        value = self.members.get(name)
        if isinstance(value, str) and _DAY.fullmatch(value):
            try:
                return date.fromisoformat(value)
            except ValueError:
                pass
        raise wrong(name, f"{label}应为日期，格式 YYYY-MM-DD")

    def month(self, name: str, label: str) -> str:
        """A month written YYYY-MM."""
        return self._matching(name, _MONTH, f"{label}应为月份，格式 YYYY-MM")

    def time(self, name: str, label: str) -> str:
        """A time of day written HH:MM."""
        return self._matching(name, _TIME, f"{label}应为时间，格式 HH:MM")

    def money(self, name: str, label: str) -> Decimal:
        """An amount in yuan, not negative, with two decimals."""
        text = self._matching(name, _AMOUNT, f"{label}应为金额，最多两位小数，例如 1280.50")
        return Decimal(text).quantize(Decimal("0.01"))

    def integer(self, name: str, label: str, low: int, high: int) -> int:
        """A whole number, both bounds included."""
        value = self.members.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise wrong(name, f"{label}应为 {low} 到 {high} 之间的整数")
        return value

    def flag(self, name: str) -> bool:
        """True only for JSON's true."""
        return self.members.get(name) is True

    def texts(self, name: str, label: str, *, most: int = 200) -> list[str]:
        """A list of different texts with at least one entry."""
        value = self.members.get(name)
        if not isinstance(value, list) or not value or not all(isinstance(text, str) for text in value):
            raise wrong(name, f"请至少选择一项{label}")
        if len(value) > most or len(set(value)) != len(value):
            raise wrong(name, f"{label}有重复，或多于 {most} 项")
        return value

    def rows(self, name: str, label: str, *, most: int = 100) -> list[Form]:
        """A list of objects with at least one entry."""
        value = self.members.get(name)
        if not isinstance(value, list) or not value or not all(isinstance(row, dict) for row in value):
            raise wrong(name, f"请至少填写一行{label}")
        if len(value) > most:
            raise wrong(name, f"{label}最多 {most} 行")
        return [Form(row) for row in value]

    def _matching(self, name: str, pattern: re.Pattern[str], message: str) -> str:
        value = self.members.get(name)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise wrong(name, message)
        return value


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that a form sent."""

    field: str
    name: str
    content: bytes


async def read_upload(request: Request) -> list[Upload]:
    """The files of a multipart form, at most 5 MB in all."""
    body = await request.body()
    if len(body) > UPLOAD_LIMIT:
        raise SiteError(413, "TOO_LARGE", "文件过大，单次上传不能超过 5 MB")
    head = f"Content-Type: {request.headers.get('content-type', '')}\r\n\r\n".encode("latin-1", "replace")
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    uploads = []
    for part in message.iter_parts() if message.is_multipart() else ():
        file_name = part.get_filename()
        content = part.get_payload(decode=True)
        if file_name and isinstance(content, bytes):
            field = str(part.get_param("name", "", header="content-disposition"))
            uploads.append(Upload(field, _utf8(file_name), content))
    if not uploads:
        raise SiteError(400, "NO_FILE", "没有收到文件，请重新选择")
    return uploads


def _utf8(text: str) -> str:
    """Browsers send names as raw UTF-8, which the parser keeps as surrogates."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
