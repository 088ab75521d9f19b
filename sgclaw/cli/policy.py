"""`sgclaw policy show | explain`: what a browser's policy allows, and why something is refused. Starts nothing."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sgclaw.cli.exits import Exit
from sgclaw.cli.help import Command, Group
from sgclaw.cli.options import JsonFlag
from sgclaw.cli.output import say, say_json
from sgclaw.errors import BadPolicyError, FileProblemError, UsageProblemError
from sgclaw.redact import redact_text

if TYPE_CHECKING:
    from sgclaw.policy.decide import Verdict
    from sgclaw.policy.model import Policy
    from sgclaw.protocol.action_spec import ActionSpec

app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help="查看浏览器策略，解释为什么被拦下。")

MAX_BYTES: Final = 1_048_576
"""Of a policy document: the cap of the line it comes in."""
_RISKS: Final[Mapping[str, str]] = {
    "read": "只读",
    "sensitive": "读取可能敏感的内容",
    "reversible": "可以撤销",
    "irreversible": "不能撤销，必须确认",
    "credential": "涉及登录或退出，必须确认",
}
_OUTCOMES: Final[Mapping[str, str]] = {"allow": "允许", "ask": "需要您确认", "deny": "拒绝"}
_EXITS: Final[Mapping[str, Exit]] = {"allow": Exit.OK, "ask": Exit.NEEDS_HUMAN, "deny": Exit.REFUSED}
_FORM_ONLY: Final = "只检查了写法，没有问题；没有给出策略，不能判断是否允许"
_ANYWHERE: Final = "https://erp.example.com"
"""Where an act is imagined when neither a policy nor an address says."""

PolicyFile = Annotated[
    Path | None, typer.Option("--policy", metavar="文件", help="策略文档（JSON），即浏览器在 init 里下发的 policy")
]


# --- show -----------------------------------------------------------------------------------------------------------


@app.command("show", cls=Command, help="用中文列出一份策略：来源、禁止的操作、要确认的字样、长期授权。")
def show(file: PolicyFile = None, as_json: JsonFlag = False) -> int:
    """A whole policy in Chinese."""
    if file is None:
        raise UsageProblemError(
            "策略由浏览器下发，这里没有保存",
            next_step="请用 --policy 给出策略文件，例如 sgclaw policy show --policy policy.json",
        )
    policy = _read(file)
    if as_json:
        say_json(_as_dict(policy))
        return Exit.OK
    say(f"策略 {policy.sha256}")
    say(f"来源（{len(policy.origins)}）：页面和网址只能在这些来源上")
    for origin in sorted(map(str, policy.origins)):
        say(f"  {origin}")
    say(f"禁止的操作：{'、'.join(sorted(policy.denied_actions)) or '无'}")
    say(f"要确认的字样（{len(policy.irreversible_labels)}）：{' '.join(policy.irreversible_labels) or '无'}")
    say(f"长期授权（{len(policy.grants)}）：不再询问")
    for grant in sorted(policy.grants, key=lambda each: (each.skill, each.action, str(each.origin))):
        say(f"  技能 {grant.skill} 在 {grant.origin} 上执行 {grant.action}")
    return Exit.OK


def _as_dict(policy: Policy) -> dict[str, object]:
    grants = [(grant.skill, grant.action, str(grant.origin)) for grant in policy.grants]
    return {
        "sha256": policy.sha256,
        "origins": sorted(map(str, policy.origins)),
        "denied_actions": sorted(policy.denied_actions),
        "irreversible_labels": list(policy.irreversible_labels),
        "grants": [dict(zip(("skill", "action", "origin"), each, strict=True)) for each in sorted(grants)],
    }


# --- explain --------------------------------------------------------------------------------------------------------


_EXPLAIN = """解释一条规则，或预先判断一个网址、一个操作会不会被拦下。

用法：sgclaw policy explain 规则；--url 网址；--action 操作 [--url 网址] [--label 字样]。
判断网址是否列出要用 --policy 给出策略；没有策略时只看写法，不说允许。
退出码：0 允许（没有策略时：写法没有问题），3 需要确认，4 拒绝；只解释规则时是 0。
"""


@app.command("explain", cls=Command, help=_EXPLAIN)
def explain(
    rule: Annotated[str | None, typer.Argument(metavar="规则", help="错误或账本里的规则名，如 origin.unlisted")] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="网址", help="要打开的网址，或页面所在的网址")] = None,
    action: Annotated[str | None, typer.Option("--action", metavar="操作", help="操作名，如 click")] = None,
    label: Annotated[str | None, typer.Option("--label", metavar="字样", help="要点的控件上的文字")] = None,
    file: PolicyFile = None,
    as_json: JsonFlag = False,
) -> int:
    """Why something is refused, who can change it, and what to do next."""
    asked = url is not None or action is not None
    if (rule is not None) == asked:
        raise UsageProblemError(
            "请给出一条规则，或者 --url、--action 之一",
            next_step="例如 sgclaw policy explain origin.unlisted，或 sgclaw policy explain --url https://erp.example.com/",
        )
    if rule is not None:
        return _explain_rule(rule, as_json=as_json)
    if label is not None and action is None:
        raise UsageProblemError("--label 要和 --action 一起用", next_step="例如 --action click --label 提交")
    return _explain_act(_read(file) if file else None, action or "navigate", url, label, as_json=as_json)


def _explain_rule(rule: str, *, as_json: bool) -> int:
    from sgclaw.policy.explain import RULES

    if rule not in RULES:
        near = difflib.get_close_matches(rule, RULES, n=3)
        hint = f"；您是想问 {'、'.join(near)} 吗？" if near else ""
        raise UsageProblemError(
            f"没有规则 {rule[:64]}{hint}",
            next_step="规则名见错误里的 rule，或 sgclaw audit show 里的“（规则 …）”",
            facts={"known": sorted(RULES)},
        )
    if as_json:
        say_json(_row(rule))
    else:
        _tell(rule)
    return Exit.OK


def _explain_act(policy: Policy | None, action: str, url: str | None, label: str | None, *, as_json: bool) -> int:
    verdict = _judge(policy, _spec(action), url, label)
    kind = verdict.kind.value
    unknown = policy is None and kind == "allow"
    if as_json:
        facts = {"policy": policy.sha256 if policy else None, "action": action, "url": url}
        told = "unknown" if unknown else kind
        say_json({"verdict": told, "cause": verdict.cause, **_row(verdict.rule), **facts})
        return _EXITS[kind]
    say(_FORM_ONLY if unknown else f"{_OUTCOMES[kind]}：{verdict.cause or '没有规则反对'}")
    say(f"操作：{action}（{_spec(action).description}；{_RISKS[_spec(action).risk.value]}）")
    if kind != "allow":
        _tell(verdict.rule)
    if policy is None:
        say("说明：没有用 --policy 给出策略，只按写法、操作的风险和自带的字样判断；策略的写法见 docs/policy.md")
    elif kind == "allow":
        say("说明：执行时浏览器还会按页面真实的来源和控件再判断一次")
    return _EXITS[kind]


def _spec(action: str) -> ActionSpec:
    from sgclaw.protocol.actions import ACTIONS

    if action not in ACTIONS:
        near = difflib.get_close_matches(action, ACTIONS, n=3)
        hint = f"；您是想问 {'、'.join(near)} 吗？" if near else ""
        raise UsageProblemError(
            f"没有操作 {action[:64]}{hint}", next_step="操作见 docs/protocol.md 的操作表；表里没有的一律拒绝"
        )
    return ACTIONS[action]


def _judge(policy: Policy | None, spec: ActionSpec, url: str | None, label: str | None) -> Verdict:
    """The policy's own decision, on what the command line says of the act."""
    from sgclaw.errors import PolicyDeniedError
    from sgclaw.policy.decide import Attempt, Kind, Verdict, decide
    from sgclaw.policy.model import parse_policy, policy_document
    from sgclaw.policy.origins import origin_of
    from sgclaw.protocol.actions import Compare

    if url is None and spec.compares is Compare.TARGET_URL:
        raise UsageProblemError(
            f"{spec.name} 要打开网址", next_step="请用 --url 给出，例如 --url https://erp.example.com/"
        )
    try:
        known = min(policy.origins) if policy and policy.origins else origin_of(_ANYWHERE)
        origin = known if url is None else origin_of(url)
    except PolicyDeniedError as error:
        return Verdict(Kind.DENY, str(error.facts["rule"]), error.cause)
    judging = policy or parse_policy(policy_document([str(origin)]))
    params = {} if url is None else {"url": url}
    return decide(judging, Attempt(spec, params, origin.host, committed=str(origin), label=label))


def _row(rule: str) -> dict[str, object]:
    from sgclaw.policy.explain import RULES

    row = RULES.get(rule)
    if row is None:
        return {"rule": rule}
    return {"rule": rule, "meaning": row.meaning, "who": row.who.value, "next_step": row.next_step}


def _tell(rule: str) -> None:
    row = _row(rule)
    say(f"规则：{rule}")
    say(f"含义：{row['meaning']}")
    say(f"谁能改变：{row['who']}")
    say(f"下一步：{row['next_step']}")


def _read(file: Path) -> Policy:
    """A policy document from a file; raises `FILE_ERROR` and `BAD_POLICY` naming the file."""
    from sgclaw.cli.given import UnreadableError, read_given
    from sgclaw.policy.model import parse_policy

    facts = {"path": str(file)}
    try:
        text = read_given(file, MAX_BYTES).decode("utf-8").strip()
    except UnreadableError as error:
        step = "请用 --policy 给出策略文件；策略的写法见 docs/policy.md"
        raise FileProblemError(f"读不到策略文件 {file}：{error}", next_step=step, facts=facts) from None
    except UnicodeDecodeError:
        raise BadPolicyError(f"策略文件不是 UTF-8 文字：{file}", facts=facts) from None
    try:
        return parse_policy(text)
    except BadPolicyError as error:
        cause = f"{error.cause}{_where(text)}（{file}）"
        step = "请按 docs/policy.md 修正该文件；它来自浏览器时，请管理员修正浏览器的策略"
        raise BadPolicyError(cause, next_step=step, facts={**error.facts, **facts}) from None


def _where(text: str) -> str:
    """What a person needs to find a fault of form: the place, or the key that is there twice."""
    repeated: list[str] = []

    def pairs(items: list[tuple[str, object]]) -> None:
        repeated.extend(name for name, times in Counter(name for name, _ in items).items() if times > 1)

    try:
        json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        return f"，第 {error.lineno} 行第 {error.colno} 列"
    except (ValueError, RecursionError):  # a number of too many digits, nesting without end
        return ""
    return f"：{redact_text(repeated[0][:2_000])[:80]}" if repeated else ""
