"""Pages nobody here wrote: demos that component libraries ship in their own npm packages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "node_modules"


@dataclass(frozen=True, slots=True)
class OthersPage:
    """One page by its path below `node_modules`.

    What the judge counts and what is listed have lower bounds, so that a page half drawn cannot pass.
    """

    path: str
    operable: int
    listed: int

    @property
    def id(self) -> str:
        """Short and unique, for the names of tests."""
        package, _, rest = self.path.removeprefix("@").partition("/")
        return f"{package}-{rest.rpartition('/')[2].removesuffix('.html')}"


PAGES: Final = (
    OthersPage("layui-src/examples/form.html", 40, 41),
    OthersPage("layui-src/examples/table.html", 500, 245),
    OthersPage("layui-src/examples/element.nav.html", 42, 42),
    OthersPage("layui-src/examples/laydate.html", 115, 115),
    OthersPage("layui-src/examples/transfer.html", 32, 34),
    OthersPage("layui-src/examples/tree.html", 30, 30),
    OthersPage("layui-src/examples/layout-admin.html", 17, 16),
    OthersPage("@ztree/ztree_v3/demo/cn/excheck/checkbox.html", 28, 29),
    OthersPage("@ztree/ztree_v3/demo/cn/exedit/edit.html", 26, 27),
    OthersPage("@ztree/ztree_v3/demo/cn/super/left_menu.html", 14, 14),
    OthersPage("startbootstrap-sb-admin-2/tables.html", 28, 29),
    OthersPage("startbootstrap-sb-admin-2/buttons.html", 40, 40),
)


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One page of a demo site, with the same lower bounds."""

    site: str
    path: str
    operable: int
    listed: int

    @property
    def id(self) -> str:
        """Short and unique, for the names of tests and pictures."""
        return f"{self.site}-{self.path.strip('/').replace('/', '-') or 'home'}"

    @property
    def url(self) -> str:
        """Its address behind the demo sites' names."""
        return f"https://{self.site}.example.com{self.path}"


DEMO_PAGES: Final = (
    DemoPage("erp", "/", 6, 12),
    DemoPage("erp", "/report/finance", 16, 24),
    DemoPage("oa", "/", 17, 17),
    DemoPage("oa", "/approval/pending", 62, 62),
    DemoPage("oa", "/meeting", 100, 100),
    DemoPage("oa", "/seal", 20, 13),
    DemoPage("finance", "/compliance", 200, 110),
    DemoPage("finance", "/reconciliation", 280, 75),
    DemoPage("finance", "/vouchers", 260, 24),
    DemoPage("hr", "/insurance/declare", 13, 12),
    DemoPage("hr", "/salary/check", 135, 130),
    DemoPage("hr", "/employees", 50, 50),
    DemoPage("legal", "/contracts", 75, 65),
    DemoPage("legal", "/contracts/new", 32, 21),
    DemoPage("legal", "/monitor", 46, 34),
)
