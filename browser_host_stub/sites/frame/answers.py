"""What a site answers: JSON that says ok, a refusal a person can act on, a file."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response


class SiteError(Exception):
    """A request the site refuses: HTTP status, a stable code, and a Chinese text the page shows as it is.

    `field` names the member of the request's body that was wrong.
    """

    def __init__(self, status: int, code: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.field = status, code, message, field

    def response(self) -> Response:
        """The JSON form: `{"error": {"code", "message", "field"?}}`."""
        error = {"code": self.code, "message": self.message} | ({"field": self.field} if self.field else {})
        return JSONResponse({"error": error}, status_code=self.status)


def no_session() -> SiteError:
    """Nobody is signed in, or not any more."""
    return SiteError(401, "NO_SESSION", "登录已失效，请重新登录")


def was_reset() -> SiteError:
    """The sites were reset while the request waited."""
    return SiteError(503, "RESET", "站点已重置，请重新打开页面")


def ok(**fields: object) -> Response:
    """`{"ok": true}` and the fields."""
    return JSONResponse({"ok": True, **fields})


def download(content: bytes, name: str, mime: str) -> Response:
    """A file to keep; `name` may be Chinese."""
    headers = {
        # RFC 5987: an ASCII name for old clients, the real one percent-encoded.
        "content-disposition": f"attachment; filename=\"download\"; filename*=UTF-8''{quote(name, safe='')}",
        "cache-control": "no-store",
    }
    return Response(content, media_type=mime, headers=headers)


async def refusal(_request: Request, error: Exception) -> Response:
    """The exception handler of every site for `SiteError`."""
    if not isinstance(error, SiteError):
        raise error
    return error.response()
