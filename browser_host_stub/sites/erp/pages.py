"""The site's static files, read once, and the few values filled into its pages (always escaped)."""

from __future__ import annotations

import html
from dataclasses import dataclass
from datetime import date
from importlib import resources
from string import Template

_MIMES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_WEEKDAYS = "一二三四五六日"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file served under /static/."""

    mime: str
    content: bytes


def _load() -> tuple[dict[str, Asset], dict[str, str]]:
    assets: dict[str, Asset] = {}
    templates: dict[str, str] = {}
    for file in resources.files(__package__).joinpath("static").iterdir():
        stem, dot, suffix = file.name.rpartition(".")
        if suffix == "html":
            templates[stem] = file.read_text(encoding="utf-8")
        elif dot + suffix in _MIMES:
            assets[file.name] = Asset(_MIMES[dot + suffix], file.read_bytes())
    return assets, templates


ASSETS, _TEMPLATES = _load()


def inside(name: str, title: str, user: str, position: str, today: date) -> str:
    """Page `name` within the frame of top bar and menu, for a person who is logged in."""
    values = {
        "title": title,
        "page": name,
        "user": user,
        "initial": user[:1],
        "position": position,
        "today": f"{today.year}年{today.month}月{today.day}日 星期{_WEEKDAYS[today.weekday()]}",
        "month": today.isoformat()[:7],
    }
    values = {key: html.escape(value) for key, value in values.items()}
    content = Template(_TEMPLATES[name]).substitute(values)
    return Template(_TEMPLATES["layout"]).substitute(values, content=content)


def login(target: str, error: str) -> str:
    """The login page; `target` is where a good login leads, `error` is shown when not empty."""
    return Template(_TEMPLATES["login"]).substitute(target=html.escape(target), error=html.escape(error))


def plain(name: str) -> str:
    """A page without values."""
    return _TEMPLATES[name]
