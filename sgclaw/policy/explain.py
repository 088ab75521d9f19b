"""Why an act is refused or asked about: by rule, in Chinese, with who can change it and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Who(StrEnum):
    """Who can change what a rule refuses."""

    USER = "用户"
    AUTHOR = "技能作者"
    ADMIN = "管理员"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the rule says, who can change the outcome, and their exact next step."""

    meaning: str
    who: Who
    next_step: str


_SIGN_AGAIN: Final = "再用 sgclaw skill sign 重新签名"
_LIST_ORIGIN: Final = (
    "如确需访问，请由管理员把该来源（协议、主机、端口都要一致）加入浏览器策略的 origins，再重新开始会话"
)
_HTTPS: Final = "请使用 https:// 开头的完整网址"
_AGAIN: Final = "请重新提交任务，并在侧边栏出现确认时的 120 秒内答复"

_ADDRESS: Final[Mapping[str, Explanation]] = MappingProxyType(
    {
        "origin.unlisted": Explanation("该来源不在浏览器策略的清单里", Who.ADMIN, _LIST_ORIGIN),
        "url.form": Explanation("网址不是文字，或超过 8000 个字符", Who.USER, _HTTPS),
        "url.scheme": Explanation("只能打开 http 和 https 网址", Who.USER, _HTTPS),
        "url.characters": Explanation(
            "网址里有空白、控制字符、不可见字符或反斜杠，不同程序会读成不同的地址",
            Who.USER,
            "请去掉网址中的空格、反斜杠等特殊字符",
        ),
        "url.userinfo": Explanation(
            "网址里带有用户名或密码（@ 之前的部分）", Who.USER, "请去掉网址中 @ 及其前面的部分"
        ),
        "url.ipv6": Explanation(
            "不接受 IPv6 地址：同一个地址有多种写法", Who.ADMIN, "请给该主机配置域名，并由管理员把域名加入策略"
        ),
        "url.authority": Explanation(
            "网址的主机或端口写法不被接受（例如通配符、下划线、非 ASCII 字符、端口 0）",
            Who.USER,
            "请检查网址的主机名；中文域名请写成 xn-- 开头的形式",
        ),
        "url.host": Explanation(
            "网址的主机名不规范（例如末尾有点、标签过长、数字形式的 IP）",
            Who.USER,
            "请写出完整的主机名；IP 地址请写成四个十进制数",
        ),
    }
)

_MISMATCH: Final = Explanation(
    "页面或网址的主机，与这一步声明的域名不是同一个",
    Who.USER,
    "请让页面回到任务的系统后重试；如任务确实要用另一个系统，请在任务里写明",
)

_OWN: Final[Mapping[str, Explanation]] = MappingProxyType(
    {
        "action.denied": Explanation(
            "浏览器策略禁止了这个操作", Who.ADMIN, "如确需该操作，请由管理员在浏览器策略中放行"
        ),
        "skill.action": Explanation(
            "技能的文件头没有声明这个操作",
            Who.AUTHOR,
            f"如确需该操作，请由技能作者把它加入文件头的 @actions，{_SIGN_AGAIN}",
        ),
        "skill.domain": Explanation(
            "技能的文件头没有声明这个域名",
            Who.AUTHOR,
            f"如确需访问，请由技能作者把该域名加入文件头的 @domains，{_SIGN_AGAIN}",
        ),
        "task.action": Explanation("这个任务的范围里没有这个操作", Who.USER, "如确需该操作，请在任务里写明后重新提交"),
        "task.domain": Explanation(
            "这个任务的范围里没有这个系统，即使浏览器策略列出了它",
            Who.USER,
            "如任务确实要用这个系统，请在任务里写明后重新提交",
        ),
        "domain.form": Explanation(
            "expected_domain 不是规范的主机名（小写、无端口、无末尾的点）",
            Who.AUTHOR,
            "请写成策略中来源的主机名，例如 erp.example.com",
        ),
        "domain.unlisted": Explanation("浏览器策略里没有这个域名的来源", Who.ADMIN, _LIST_ORIGIN),
        "origin.mismatch": _MISMATCH,
    }
)

_APPROVALS: Final[Mapping[str, Explanation]] = MappingProxyType(
    {
        "approval.label": Explanation(
            "要点的控件上有不可撤销的字样（提交、审批、删除、支付等）",
            Who.USER,
            "请在侧边栏核对后确认；技能的这一步如总是可信，可由管理员在策略的 grants 里对该技能、操作、来源长期授权",
        ),
        "approval.irreversible": Explanation("这个操作不能撤销", Who.USER, "请在侧边栏核对后确认该操作"),
        "approval.repeats": Explanation(
            "这一页是提交表单得到的，重新载入会把表单再提交一次",
            Who.USER,
            "请在侧边栏核对后确认；只想看结果时，请改为从列表打开该记录",
        ),
        "approval.credential": Explanation("这个操作涉及登录或退出系统", Who.USER, "请在侧边栏核对后确认该操作"),
        "approval.too_many": Explanation(
            "这个任务要求确认的次数过多，不再询问，一律按拒绝处理", Who.USER, "请把任务拆小后重新提交，或由您手工完成"
        ),
        "approval.unknown": Explanation("没有这个确认，或它已经用过：一次确认只管一次操作", Who.USER, _AGAIN),
        "approval.expired": Explanation("确认已超过 120 秒", Who.USER, _AGAIN),
        "approval.other_act": Explanation(
            "确认之后页面或参数变了，要执行的已不是您看到的操作", Who.USER, "请重新提交任务，核对新的内容后再确认"
        ),
    }
)


def _after(prefix: str, what: str, rows: Mapping[str, Explanation]) -> dict[str, Explanation]:
    return {
        f"{prefix}.{rule}": Explanation(f"{what}：{row.meaning}", row.who, row.next_step) for rule, row in rows.items()
    }


RULES: Final[Mapping[str, Explanation]] = MappingProxyType(
    {
        **_OWN,
        **_ADDRESS,
        **_APPROVALS,
        **_after("landed", "页面最后停在别处，内容没有读取", {**_ADDRESS, "origin.mismatch": _MISMATCH}),
        **_after("stopped", "页面要去别处，浏览器已拦下", _ADDRESS),
    }
)
"""Every word that `facts.rule` can hold."""


def next_step_of(rule: object) -> str | None:
    """What to do about a refusal; None for a rule nobody knows, where the error's own next step stands."""
    row = RULES.get(rule) if isinstance(rule, str) else None
    return row.next_step if row else None
