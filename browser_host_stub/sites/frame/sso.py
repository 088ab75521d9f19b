"""Single sign-on: one login at any demo site counts at all of them, as long as the server remembers the session."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

COOKIE: Final = "DEMOSSO"
DOMAIN: Final = ".example.com"
_LOCAL_TARGET: Final = re.compile(r"/([A-Za-z0-9_-][A-Za-z0-9_/?=&%.-]*)?")


@dataclass(frozen=True, slots=True)
class User:
    """An account of the demo company."""

    account: str
    password: str
    name: str
    department: str
    position: str


PERSON: Final = User("zhangmin", "demo-only", "张敏", "财务部", "财务部 · 报表主管")
"""The demo user: made up, and known to the demo sites only."""
USERS: Final = {user.account: user for user in (PERSON,)}


def local(target: str) -> str:
    """Where to go after the login: a path of the same site, never another one (`//name` would be a host)."""
    return target if _LOCAL_TARGET.fullmatch(target) else "/"


def to_login(request: Request) -> Response:
    """Off to the login, and back to the page that was asked for."""
    wanted = f"{request.url.path}?{request.url.query}".rstrip("?")
    return RedirectResponse("/login?next=" + quote(wanted), status_code=303)


class Sso:
    """Who is signed in, by cookie; the sessions live in this object only."""

    def __init__(self) -> None:
        self._sessions: dict[str, User] = {}

    def user(self, request: Request) -> User | None:
        """Who sent the request."""
        return self._sessions.get(request.cookies.get(COOKIE, ""))

    async def sign_in(self, request: Request) -> tuple[str, Response | None]:
        """Reads a posted login form: where it wants to go, and the answer of a good login, None for a wrong one."""
        form = {key: values[0] for key, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}
        target = local(form.get("next", ""))
        user = USERS.get(form.get("username", ""))
        if user is None or user.password != form.get("password", ""):
            return target, None
        token = secrets.token_urlsafe(24)
        self._sessions[token] = user
        answer = RedirectResponse(target, status_code=303)
        answer.set_cookie(COOKIE, token, domain=DOMAIN, secure=True, httponly=True, samesite="lax")
        return target, answer

    def sign_out(self, request: Request) -> Response:
        """Ends the session at every site."""
        self._sessions.pop(request.cookies.get(COOKIE, ""), None)
        answer = RedirectResponse("/login", status_code=303)
        answer.delete_cookie(COOKIE, domain=DOMAIN, secure=True, httponly=True, samesite="lax")
        return answer

    def expire(self) -> None:
        """Everybody is signed out by the server, as after a long pause; their next request leads to the login."""
        self._sessions.clear()
