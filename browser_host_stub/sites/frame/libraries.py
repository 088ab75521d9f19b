"""Component libraries as npm installed them, served at /lib/PACKAGE/PATH on every demo host."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import Final

from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

PREFIX: Final = "/lib/"
NODE_MODULES: Final = Path(__file__).parents[1] / "node_modules"
PACKAGES: Final = (
    "@element-plus/icons-vue",
    "ant-design-vue",
    "dayjs",
    "element-plus",
    "layui",
    "vue",
    "vxe-pc-ui",
    "vxe-table",
    "xe-utils",
)
_KINDS: Final = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
_MISSING: Final = (
    "<!doctype html><html lang=zh-CN><meta charset=utf-8><title>组件库未安装</title>"
    "<h1>演示站点缺少前端组件库</h1><p>请在项目根目录运行 <code>./dev setup</code>，完成后刷新本页。</p></html>"
)


class Libraries:
    """The allowed packages under one node_modules folder."""

    def __init__(self, folder: Path = NODE_MODULES) -> None:
        self._folder = folder

    @property
    def installed(self) -> bool:
        """Whether every package is there."""
        return all((self._folder / package).is_dir() for package in PACKAGES)

    def missing(self) -> Response:
        """What a page that needs them answers without them."""
        return HTMLResponse(_MISSING, status_code=503)

    def file(self, path: str) -> Response:
        """The file at /lib/`path`: 404 for a package that is not on the list and for anything outside of it."""
        package = next((name for name in PACKAGES if path.startswith(name + "/")), None)
        if package is None:
            return PlainTextResponse("没有这个组件库文件", status_code=404)
        if not self.installed:
            return self.missing()
        root = (self._folder / package).resolve()
        wanted = (self._folder / path).resolve() if "\0" not in path else root
        if not wanted.is_relative_to(root) or not wanted.is_file():
            return PlainTextResponse("没有这个组件库文件", status_code=404)
        kind = _KINDS.get(wanted.suffix) or mimetypes.guess_type(wanted.name)[0] or "application/octet-stream"
        return FileResponse(wanted, media_type=kind, headers={"cache-control": "max-age=86400"})
