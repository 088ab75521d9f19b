"""The action table: every act on a page, in one place.

The LLM tool schema, the sandbox bridge, the docs, the policy defaults and every host read this table; nobody
retypes a name. `eval`, `executeJsInPage` and anything else that runs page script are not in it and never will be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p
from sgclaw.protocol import results as r
from sgclaw.protocol.action_spec import ActionSpec, Compare, Risk
from sgclaw.redact import redact

__all__ = ["ACTIONS", "ActionSpec", "Compare", "Risk", "changes", "describe", "from_positional", "spec_of"]

_FAST, _LOAD, _LONG = 10_000, 30_000, 60_000
"""Default deadlines in milliseconds: an act on a loaded page, loading a page, waiting for a file or a login."""

# fmt: off
_ROWS: Sequence[ActionSpec] = (
    ActionSpec("click", p.Click, r.Clicked, Risk.REVERSIBLE, Compare.FRAME, _FAST, ("selector",),
               "点击一个元素", "点击 {target}", changes=True),
    ActionSpec("type", p.Type, r.Typed, Risk.REVERSIBLE, Compare.FRAME, _FAST, ("selector", "text"),
               "在输入框中输入文字（先清空）", "在 {target} 输入“{text}”", changes=True),
    ActionSpec("navigate", p.Navigate, r.Navigated, Risk.REVERSIBLE, Compare.TARGET_URL, _LOAD, ("url",),
               "打开一个网址", "打开 {url}"),
    ActionSpec("getText", p.Target, r.Text, Risk.READ, Compare.FRAME, _FAST, ("selector",),
               "读取一个元素的可见文字", "读取 {target} 的文字"),
    ActionSpec("getHtml", p.Target, r.Html, Risk.SENSITIVE, Compare.FRAME, _FAST, ("selector",),
               "读取一个元素的 HTML（敏感值已去除）", "读取 {target} 的 HTML"),
    ActionSpec("waitForSelector", p.WaitForSelector, r.Waited, Risk.READ, Compare.FRAME, _LOAD,
               ("selector", "timeout_ms", "state"), "等待元素出现或消失", "等待 {target} {state}"),
    ActionSpec("pageScreenshot", p.Screenshot, r.Screenshot, Risk.READ, Compare.PAGE, _LOAD,
               ("full_page", "som_overlay"), "截取页面图片，可叠加元素编号", "截取页面图片"),
    ActionSpec("select", p.Select, r.Selected, Risk.REVERSIBLE, Compare.FRAME, _FAST, ("selector", "value"),
               "在下拉框中选择一项（按值或显示文字）", "在 {target} 选择“{value}”", changes=True),
    ActionSpec("scrollTo", p.ScrollTo, r.Scrolled, Risk.READ, Compare.PAGE, _FAST, ("x", "y"),
               "滚动页面到坐标或元素", "滚动到 {target}"),
    ActionSpec("getAomSnapshot", p.Snapshot, r.Snapshot, Risk.READ, Compare.PAGE, _LOAD,
               ("selector", "detail"),
               "读取页面结构快照", "读取 {target} 的结构"),
    ActionSpec("storageSet", p.StorageSet, r.Stored, Risk.REVERSIBLE, Compare.PAGE, _FAST, ("key", "value"),
               "写入页面本地存储的一项", "写入本地存储 {key}", changes=True),
    ActionSpec("storageGet", p.StorageGet, r.StorageValue, Risk.SENSITIVE, Compare.PAGE, _FAST, ("key",),
               "读取页面本地存储的一项（敏感值已去除）", "读取本地存储 {key}"),
    ActionSpec("zombieSpawn", p.Navigate, r.Spawned, Risk.REVERSIBLE, Compare.TARGET_URL, _LOAD, ("url",),
               "打开一个后台页面", "在后台打开 {url}"),
    ActionSpec("zombieKill", p.PageId, r.Closed, Risk.REVERSIBLE, Compare.NOTHING, _FAST, ("page",),
               "关闭一个后台页面", "关闭后台页面 {page}"),
    ActionSpec("login", p.Login, r.LoggedIn, Risk.CREDENTIAL, Compare.PAGE, _LONG, ("site", "credential"),
               "登录一个系统（凭据只在浏览器端使用）", "登录 {site}", changes=True),
    ActionSpec("logout", p.Logout, r.LoggedOut, Risk.CREDENTIAL, Compare.PAGE, _LOAD, ("site",),
               "退出一个系统", "退出 {site}", changes=True),
    ActionSpec("clearStorage", p.NoParams, r.Cleared, Risk.IRREVERSIBLE, Compare.PAGE, _FAST, (),
               "清空页面的本地存储", "清空页面的本地存储", changes=True),
    ActionSpec("hover", p.Target, r.Hovered, Risk.REVERSIBLE, Compare.FRAME, _FAST, ("selector",),
               "把鼠标移到元素上", "鼠标移到 {target}"),
    ActionSpec("press", p.Press, r.Pressed, Risk.REVERSIBLE, Compare.PAGE, _FAST, ("key", "selector"),
               "按下键盘按键", "在 {target} 按下 {key}", changes=True),
    ActionSpec("check", p.Check, r.Checked, Risk.REVERSIBLE, Compare.FRAME, _FAST, ("selector", "checked"),
               "勾选或取消勾选", "勾选 {target}", changes=True),
    ActionSpec("clear", p.Target, r.Cleared, Risk.REVERSIBLE, Compare.FRAME, _FAST, ("selector",),
               "清空一个输入框", "清空 {target}", changes=True),
    ActionSpec("upload", p.Upload, r.Uploaded, Risk.REVERSIBLE, Compare.FRAME, _LONG, ("selector", "file"),
               "上传一个文件（用文件编号，不用路径）", "在 {target} 上传文件 {file}", changes=True),
    ActionSpec("download", p.Download, r.Downloaded, Risk.REVERSIBLE, Compare.FRAME, _LONG, ("selector", "timeout_ms"),
               "点击元素并等待文件下载完成", "点击 {target} 并等待下载", changes=True),
    ActionSpec("goBack", p.NoParams, r.Navigated, Risk.REVERSIBLE, Compare.PAGE, _LOAD, (),
               "后退", "后退", changes=True),
    ActionSpec("goForward", p.NoParams, r.Navigated, Risk.REVERSIBLE, Compare.PAGE, _LOAD, (),
               "前进", "前进", changes=True),
    ActionSpec("reload", p.NoParams, r.Navigated, Risk.REVERSIBLE, Compare.PAGE, _LOAD, (),
               "刷新页面", "刷新页面", changes=True),
    ActionSpec("listPages", p.NoParams, r.Pages, Risk.READ, Compare.NOTHING, _FAST, (),
               "列出已打开的页面", "列出已打开的页面"),
    ActionSpec("switchPage", p.PageId, r.Navigated, Risk.REVERSIBLE, Compare.NOTHING, _FAST, ("page",),
               "切换到另一个页面", "切换到页面 {page}"),
    ActionSpec("closePage", p.PageId, r.Closed, Risk.REVERSIBLE, Compare.NOTHING, _FAST, ("page",),
               "关闭一个页面", "关闭页面 {page}"),
    ActionSpec("handleDialog", p.HandleDialog, r.DialogHandled, Risk.REVERSIBLE, Compare.PAGE, _FAST,
               ("accept", "text"), "处理页面弹出的对话框", "处理页面弹出的对话框", changes=True),
    ActionSpec("query", p.Query, r.Fact, Risk.READ, Compare.FRAME, _FAST, ("selector", "fact", "name"),
               "查询页面事实：存在、可见、可用、数量、属性、值、网址、标题", "查询 {target} 的 {fact}"),
    ActionSpec("extractTable", p.ExtractTable, r.Table, Risk.READ, Compare.FRAME, _LOAD, ("selector",),
               "把表格读成有列名的行，并核对总数", "读取表格 {target}"),
)
# fmt: on

ACTIONS: Mapping[str, ActionSpec] = MappingProxyType({row.name: row for row in _ROWS})
"""Name → row, in the order of the documentation."""


def spec_of(action: str) -> ActionSpec:
    """The row of one action; raises `UNKNOWN_ACTION`."""
    row = ACTIONS.get(action)
    if row is None:
        raise ActionError(ActionCode.UNKNOWN_ACTION, f"没有名为“{action[:64]}”的操作", facts={"action": action[:64]})
    return row


def changes(action: str) -> bool:
    """Whether an act of this name can change business state; unknown names cannot be carried out at all."""
    row = ACTIONS.get(action)
    return row is not None and row.changes


def from_positional(action: str, arguments: Sequence[object]) -> dict[str, object]:
    """Turn a skill's `browserAction(action, …)` arguments into named parameters.

    One plain object stands for named parameters; otherwise arguments fill the row's positional order and JavaScript's
    missing trailing values (`null`) are left out. Raises `UNKNOWN_ACTION` or `BAD_PARAMS`.
    """
    row = spec_of(action)
    if len(arguments) == 1 and isinstance(arguments[0], dict):
        return {str(key): value for key, value in arguments[0].items()}
    if len(arguments) > len(row.positional):
        raise ActionError(
            ActionCode.BAD_PARAMS,
            f"{action} 最多接受 {len(row.positional)} 个参数",
            facts={"action": action, "positional": list(row.positional)},
        )
    named = dict(zip(row.positional, arguments, strict=False))
    return {name: value for name, value in named.items() if value is not None}


_STATES = {"visible": "出现", "attached": "出现", "hidden": "消失", "detached": "消失"}
_MAX_SHOWN = 80


_TYPED = frozenset({"text", "value"})
"""Parameters whose content may be a secret or somebody's data."""


def told(action: str, params: Mapping[str, object]) -> str:
    """`describe` without what was typed or chosen: an error names the field, not what went into it."""
    return describe(action, {name: value for name, value in params.items() if name not in _TYPED})


def describe(action: str, params: Mapping[str, object]) -> str:
    """One Chinese line saying what an act does, for people: redacted like everything that leaves, long values cut.

    What goes into the field of a password is its hint. Unknown actions are told by their name.
    """
    row = ACTIONS.get(action)
    if row is None:
        return action
    redacted = redact(params)
    shown = _Shown({name: _short(value) for name, value in redacted.items()} if isinstance(redacted, dict) else {})
    shown["target"] = shown.get("selector") or shown.get("ref") or "页面"
    shown["state"] = _STATES.get(str(params.get("state", "visible")), "")
    return row.told.format_map(shown)


class _Shown(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "…"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
