"""Which roles a person can operate, and what each is called in a view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sgclaw.protocol.results import AomNode

OPERABLE_WORDS: Final[Mapping[str, str]] = {
    "button": "",
    "link": "",
    "menuitem": "",
    "tab": "页签",
    "generic": "",
    "textbox": "输入框",
    "searchbox": "搜索框",
    "combobox": "下拉",
    "listbox": "列表框",
    "checkbox": "勾选",
    "menuitemcheckbox": "勾选",
    "radio": "单选",
    "menuitemradio": "单选",
    "switch": "开关",
    "option": "选项",
    "treeitem": "节点",
    "slider": "滑块",
    "spinbutton": "数字",
    "scrollbar": "滚动条",
}
"""Operable roles and their words; what is simply clicked has none."""

FIELD_ROLES: Final = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "slider"})
"""Roles that hold a value, so that an empty one is shown as empty."""

TICK_ROLES: Final = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})

STRUCTURE_WORDS: Final[Mapping[str, str]] = {
    "navigation": "导航",
    "main": "正文",
    "banner": "页头",
    "contentinfo": "页脚",
    "complementary": "侧栏",
    "dialog": "对话框",
    "alertdialog": "警告框",
    "alert": "警告",
    "status": "状态",
    "table": "表格",
    "grid": "表格",
    "treegrid": "表格",
    "form": "表单",
    "search": "搜索区",
    "heading": "标题",
    "group": "组",
    "radiogroup": "单选组",
    "fieldset": "组",
    "tablist": "页签栏",
    "tabpanel": "页签页",
    "menu": "菜单",
    "menubar": "菜单",
    "toolbar": "工具栏",
    "tree": "树",
    "list": "列表",
    "listitem": "项",
    "region": "区域",
    "article": "文章",
    "iframe": "框架",
    "img": "图",
    "image": "图",
    "figure": "图",
    "graphics-document": "图",
    "canvas": "画布",
    "progressbar": "进度",
    "tooltip": "提示",
    "row": "行",
    "note": "注",
}
"""Structure that is worth a word when it has a name."""

TEXT_ROLES: Final = frozenset(
    {"text", "statictext", "paragraph", "cell", "gridcell", "columnheader", "rowheader", "term"}
)
TABLE_ROLES: Final = frozenset({"table", "grid", "treegrid"})
DIALOG_ROLES: Final = frozenset({"dialog", "alertdialog"})
PICTURE_ROLES: Final = frozenset({"img", "image", "figure", "canvas", "graphics-document"})
FRAME_ROLES: Final = frozenset({"iframe"})


def is_operable(node: AomNode) -> bool:
    """Whether a person can operate it: by its role, or because the host worked a role out from how it behaves."""
    if node.ref is None:
        return False
    if node.role in OPERABLE_WORDS or "role" in (node.inferred or ()):
        return True
    return node.role not in STRUCTURE_WORDS and node.role not in TEXT_ROLES
