"""The action table: every act on a page, in one place.

The LLM tool schema, the sandbox bridge, the docs, the policy defaults and every host read this table; nobody
retypes a name. `eval`, `executeJsInPage` and anything else that runs page script are not in it and never will be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pydantic import ValidationError

from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol import params as p
from sgclaw.protocol import results as r


class Risk(StrEnum):
    """What an act can do, decided without a model."""

    READ = "read"
    SENSITIVE = "sensitive"  # reads what may hold secrets; results are scrubbed
    REVERSIBLE = "reversible"
    IRREVERSIBLE = "irreversible"  # needs approval
    CREDENTIAL = "credential"  # needs approval


class Compare(StrEnum):
    """What `security.expected_domain` is compared with before the act."""

    TARGET_URL = "target_url"  # the URL given, and again where it lands
    PAGE = "page"  # the page's committed origin
    FRAME = "frame"  # the committed origin of the target's frame
    NOTHING = "nothing"  # entries of unlisted origins are withheld instead


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One row of the table."""

    name: str
    params: type[p.Params]
    result: type[r.Result]
    risk: Risk
    compares: Compare
    deadline_ms: int
    positional: tuple[str, ...]
    description: str
    changes: bool = False
    """Whether the act can change business state: such an act is never sent again when its outcome is unknown.
    Opening an address is not one: GET is safe by HTTP's definition."""

    @property
    def natural(self) -> str | None:
        """The result field a skill receives instead of the whole result object, if any."""
        return self.result.natural

    def check(self, params: Mapping[str, object]) -> p.Params:
        """Validate parameters; raises `BAD_PARAMS` naming the fields."""
        try:
            return self.params.model_validate(dict(params), strict=True)
        except ValidationError as error:
            raise _bad_params(self.name, error) from None

    def deadline_for(self, params: p.Params) -> int:
        """Milliseconds the command may take: a wait asked for in the parameters extends the default."""
        asked = getattr(params, "timeout_ms", None)
        return self.deadline_ms if not isinstance(asked, int) else asked + _WAIT_MARGIN_MS


_WAIT_MARGIN_MS = 2_000
_FAST, _LOAD, _LONG = 10_000, 30_000, 60_000
_R, _C = Risk, Compare

_ROWS: Sequence[ActionSpec] = (
    ActionSpec("click", p.Click, r.Clicked, _R.REVERSIBLE, _C.FRAME, _FAST, ("selector",), "点击一个元素", True),
    ActionSpec(
        "type",
        p.Type,
        r.Typed,
        _R.REVERSIBLE,
        _C.FRAME,
        _FAST,
        ("selector", "text"),
        "在输入框中输入文字（先清空）",
        True,
    ),
    ActionSpec(
        "navigate",
        p.Navigate,
        r.Navigated,
        _R.REVERSIBLE,
        _C.TARGET_URL,
        _LOAD,
        ("url",),
        "打开一个网址",
    ),
    ActionSpec("getText", p.Target, r.Text, _R.READ, _C.FRAME, _FAST, ("selector",), "读取一个元素的可见文字"),
    ActionSpec(
        "getHtml", p.Target, r.Html, _R.SENSITIVE, _C.FRAME, _FAST, ("selector",), "读取一个元素的 HTML（敏感值已去除）"
    ),
    ActionSpec(
        "waitForSelector",
        p.WaitForSelector,
        r.Waited,
        _R.READ,
        _C.FRAME,
        _LOAD,
        ("selector", "timeout_ms", "state"),
        "等待元素出现或消失",
    ),
    ActionSpec(
        "pageScreenshot",
        p.Screenshot,
        r.Screenshot,
        _R.READ,
        _C.PAGE,
        _LOAD,
        ("full_page", "som_overlay"),
        "截取页面图片，可叠加元素编号",
    ),
    ActionSpec(
        "select",
        p.Select,
        r.Selected,
        _R.REVERSIBLE,
        _C.FRAME,
        _FAST,
        ("selector", "value"),
        "在下拉框中选择一项（按值或显示文字）",
        True,
    ),
    ActionSpec("scrollTo", p.ScrollTo, r.Scrolled, _R.READ, _C.PAGE, _FAST, ("x", "y"), "滚动页面到坐标或元素"),
    ActionSpec("getAomSnapshot", p.Snapshot, r.Snapshot, _R.READ, _C.PAGE, _LOAD, ("selector",), "读取页面结构快照"),
    ActionSpec(
        "storageSet",
        p.StorageSet,
        r.Stored,
        _R.REVERSIBLE,
        _C.PAGE,
        _FAST,
        ("key", "value"),
        "写入页面本地存储的一项",
        True,
    ),
    ActionSpec(
        "storageGet",
        p.StorageGet,
        r.StorageValue,
        _R.SENSITIVE,
        _C.PAGE,
        _FAST,
        ("key",),
        "读取页面本地存储的一项（敏感值已去除）",
    ),
    ActionSpec(
        "zombieSpawn",
        p.Navigate,
        r.Spawned,
        _R.REVERSIBLE,
        _C.TARGET_URL,
        _LOAD,
        ("url",),
        "打开一个后台页面",
    ),
    ActionSpec(
        "zombieKill",
        p.PageId,
        r.Closed,
        _R.REVERSIBLE,
        _C.NOTHING,
        _FAST,
        ("page",),
        "关闭一个后台页面",
    ),
    ActionSpec(
        "login",
        p.Login,
        r.LoggedIn,
        _R.CREDENTIAL,
        _C.PAGE,
        _LONG,
        ("site", "credential"),
        "登录一个系统（凭据只在浏览器端使用）",
        True,
    ),
    ActionSpec("logout", p.Logout, r.LoggedOut, _R.CREDENTIAL, _C.PAGE, _LOAD, ("site",), "退出一个系统", True),
    ActionSpec("clearStorage", p.NoParams, r.Cleared, _R.IRREVERSIBLE, _C.PAGE, _FAST, (), "清空页面的本地存储", True),
    ActionSpec(
        "hover",
        p.Target,
        r.Hovered,
        _R.REVERSIBLE,
        _C.FRAME,
        _FAST,
        ("selector",),
        "把鼠标移到元素上",
    ),
    ActionSpec("press", p.Press, r.Pressed, _R.REVERSIBLE, _C.PAGE, _FAST, ("key", "selector"), "按下键盘按键", True),
    ActionSpec(
        "check", p.Check, r.Checked, _R.REVERSIBLE, _C.FRAME, _FAST, ("selector", "checked"), "勾选或取消勾选", True
    ),
    ActionSpec("clear", p.Target, r.Cleared, _R.REVERSIBLE, _C.FRAME, _FAST, ("selector",), "清空一个输入框", True),
    ActionSpec(
        "upload",
        p.Upload,
        r.Uploaded,
        _R.REVERSIBLE,
        _C.FRAME,
        _LONG,
        ("selector", "file"),
        "上传一个文件（用文件编号，不用路径）",
        True,
    ),
    ActionSpec(
        "download",
        p.Download,
        r.Downloaded,
        _R.REVERSIBLE,
        _C.FRAME,
        _LONG,
        ("selector", "timeout_ms"),
        "点击元素并等待文件下载完成",
        True,
    ),
    ActionSpec("goBack", p.NoParams, r.Navigated, _R.REVERSIBLE, _C.PAGE, _LOAD, (), "后退", True),
    ActionSpec("goForward", p.NoParams, r.Navigated, _R.REVERSIBLE, _C.PAGE, _LOAD, (), "前进", True),
    ActionSpec("reload", p.NoParams, r.Navigated, _R.REVERSIBLE, _C.PAGE, _LOAD, (), "刷新页面", True),
    ActionSpec("listPages", p.NoParams, r.Pages, _R.READ, _C.NOTHING, _FAST, (), "列出已打开的页面"),
    ActionSpec(
        "switchPage",
        p.PageId,
        r.Navigated,
        _R.REVERSIBLE,
        _C.NOTHING,
        _FAST,
        ("page",),
        "切换到另一个页面",
    ),
    ActionSpec(
        "closePage",
        p.PageId,
        r.Closed,
        _R.REVERSIBLE,
        _C.PAGE,
        _FAST,
        ("page",),
        "关闭一个页面",
    ),
    ActionSpec(
        "handleDialog",
        p.HandleDialog,
        r.DialogHandled,
        _R.REVERSIBLE,
        _C.PAGE,
        _FAST,
        ("accept", "text"),
        "处理页面弹出的对话框",
        True,
    ),
    ActionSpec(
        "query",
        p.Query,
        r.Fact,
        _R.READ,
        _C.FRAME,
        _FAST,
        ("selector", "fact", "name"),
        "查询页面事实：存在、可见、可用、数量、属性、值、网址、标题",
    ),
    ActionSpec(
        "extractTable",
        p.ExtractTable,
        r.Table,
        _R.READ,
        _C.FRAME,
        _LOAD,
        ("selector",),
        "把表格读成有列名的行，并核对总数",
    ),
)

ACTIONS: Mapping[str, ActionSpec] = MappingProxyType({row.name: row for row in _ROWS})
"""Name → row, in the order of the documentation."""


def spec_of(action: str) -> ActionSpec:
    """The row of one action; raises `UNKNOWN_ACTION`."""
    row = ACTIONS.get(action)
    if row is None:
        raise ActionError(ActionCode.UNKNOWN_ACTION, "没有这个操作", facts={"action": action[:64]})
    return row


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


def _bad_params(action: str, error: ValidationError) -> ActionError:
    problems = [
        {"field": ".".join(str(part) for part in item["loc"]) or "*", "problem": item["type"]}
        for item in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    fields = "、".join(sorted({str(item["field"]) for item in problems}))
    return ActionError(
        ActionCode.BAD_PARAMS, f"{action} 的参数不对：{fields}", facts={"action": action, "problems": problems[:10]}
    )
