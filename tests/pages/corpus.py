"""Pages nobody here wrote: demos that component libraries ship in their own npm packages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "node_modules"


@dataclass(frozen=True, slots=True)
class OthersPage:
    """One page by its path below `node_modules`; `operable` is a lower bound, so that an empty page cannot pass."""

    path: str
    operable: int

    @property
    def id(self) -> str:
        """Short and unique, for the names of tests."""
        package, _, rest = self.path.removeprefix("@").partition("/")
        return f"{package}-{rest.rpartition('/')[2].removesuffix('.html')}"


PAGES: Final = (
    OthersPage("layui-src/examples/form.html", 20),
    OthersPage("layui-src/examples/table.html", 60),
    OthersPage("layui-src/examples/element.nav.html", 30),
    OthersPage("layui-src/examples/laydate.html", 20),
    OthersPage("layui-src/examples/transfer.html", 20),
    OthersPage("layui-src/examples/tree.html", 40),
    OthersPage("layui-src/examples/layout-admin.html", 10),
    OthersPage("@ztree/ztree_v3/demo/cn/excheck/checkbox.html", 10),
    OthersPage("@ztree/ztree_v3/demo/cn/exedit/edit.html", 10),
    OthersPage("@ztree/ztree_v3/demo/cn/super/left_menu.html", 3),
    OthersPage("startbootstrap-sb-admin-2/tables.html", 20),
    OthersPage("startbootstrap-sb-admin-2/buttons.html", 30),
)


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One page of a demo site; `operable` is a lower bound."""

    site: str
    path: str
    operable: int

    @property
    def id(self) -> str:
        """Short and unique, for the names of tests and pictures."""
        return f"{self.site}-{self.path.strip('/').replace('/', '-') or 'home'}"

    @property
    def url(self) -> str:
        """Its address behind the demo sites' names."""
        return f"https://{self.site}.example.com{self.path}"


DEMO_PAGES: Final = (
    DemoPage("erp", "/", 4),
    DemoPage("erp", "/report/finance", 8),
    DemoPage("oa", "/", 8),
    DemoPage("oa", "/approval/pending", 20),
    DemoPage("oa", "/meeting", 20),
    DemoPage("oa", "/seal", 6),
    DemoPage("finance", "/compliance", 40),
    DemoPage("finance", "/reconciliation", 20),
    DemoPage("finance", "/vouchers", 8),
    DemoPage("hr", "/insurance/declare", 6),
    DemoPage("hr", "/salary/check", 15),
    DemoPage("hr", "/employees", 10),
    DemoPage("legal", "/contracts", 30),
    DemoPage("legal", "/contracts/new", 15),
    DemoPage("legal", "/monitor", 15),
)
