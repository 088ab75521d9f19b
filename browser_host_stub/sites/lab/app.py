"""The gallery's server: pages, the libraries they load, and what each widget last told it.

A page writes `POST /api/state {"key", "value"}` on every change of a widget's model, so whoever reads `LabSite.state`
reads what the component holds, not what it shows. `GET /api/options?q=` answers a remote search after `delay_s`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

_STATIC: Final = Path(__file__).parent / "static"
_LIBRARIES: Final = Path(__file__).parents[1] / "node_modules"
_SUPPLIERS: Final = tuple(f"供应商{number:04d}" for number in range(1, 3001))
_MAX_ANSWERED: Final = 20


class LabSite:
    """One gallery; all state is in memory and belongs to this instance."""

    def __init__(self, delay_s: float = 0.15) -> None:
        self.state: dict[str, object] = {}
        self.writes: list[tuple[str, object]] = []
        """Every change in order: what happened on the way to the state."""
        self.delay_s = delay_s
        self._changed = asyncio.Event()
        self.app = Starlette(
            routes=[
                Route("/{page:str}.html", self._page),
                Route("/api/state", self._write, methods=["POST"]),
                Route("/api/state", self._read),
                Route("/api/options", self._options),
                Route("/api/upload", self._upload, methods=["POST"]),
                Mount("/static", StaticFiles(directory=_STATIC)),
                Mount("/lib", StaticFiles(directory=_LIBRARIES, check_dir=False)),
            ]
        )

    def reset(self) -> None:
        """As at the start: no state. Pages that are open keep what they show."""
        self.state.clear()
        self.writes.clear()

    async def wait_for(self, key: str, value: object) -> None:
        """Return once `key` holds `value`; whoever calls bounds the wait."""
        while self.state.get(key) != value:
            self._changed.clear()
            await self._changed.wait()

    async def _page(self, request: Request) -> Response:
        path = _STATIC / f"{request.path_params['page']}.html"
        if path.parent != _STATIC or not path.is_file():
            return PlainTextResponse("没有这一页", status_code=404)
        return HTMLResponse(path.read_text(encoding="utf-8"))

    async def _write(self, request: Request) -> Response:
        try:
            told = await request.json()
            key, value = told["key"], told["value"]
            self.state[key] = value
        except (ValueError, RecursionError, KeyError, TypeError):
            return JSONResponse({"ok": False, "error": "请求格式有误"}, status_code=400)
        self.writes.append((key, value))
        self._changed.set()
        return JSONResponse({"ok": True})

    async def _read(self, _request: Request) -> Response:
        return JSONResponse(self.state)

    async def _options(self, request: Request) -> Response:
        wanted = request.query_params.get("q", "")
        await asyncio.sleep(self.delay_s)
        return JSONResponse([name for name in _SUPPLIERS if wanted and wanted in name][:_MAX_ANSWERED])

    async def _upload(self, request: Request) -> Response:
        body = await request.body()
        self.state["uploaded"] = len(body)
        self._changed.set()
        return JSONResponse({"ok": True})
