"""What every refusal of the policy says, whole: rule and cause, and the facts that make them checkable."""

from __future__ import annotations

import json

import pytest

from sgclaw.errors import BadPolicyError, PolicyDeniedError
from sgclaw.policy.decide import ALLOWED, Attempt, Kind, Scope, Verdict, check_address, decide, is_listed
from sgclaw.policy.labels import parts_of, plain_label
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.policy.origins import origin_of
from sgclaw.protocol.actions import ACTIONS

ERP, OA = "https://erp.example.com", "http://10.1.2.3:8080"
POLICY = parse_policy(
    json.dumps(
        {
            "version": 1,
            "origins": [ERP, OA],
            "denied_actions": ["download"],
            "irreversible_labels": ["提交", "删除"],
            "grants": [{"skill": "report", "action": "click", "origin": ERP}],
        }
    )
)
SKILL = Scope("report", frozenset({"erp.example.com"}), frozenset({"click", "navigate"}))
TASK = Scope(None, frozenset({"erp.example.com"}), frozenset({"click"}))
LABEL = Verdict(Kind.ASK, "approval.label", "目标含有“提交”，需要您确认")


def _attempt(action: str, domain: str = "erp.example.com", **known: object) -> Attempt:
    params = known.pop("params", {})
    return Attempt(ACTIONS[action], params, domain, **known)  # type: ignore[arg-type]  # each case names its own


def _denied(rule: str, cause: str) -> Verdict:
    return Verdict(Kind.DENY, rule, cause)


DECISIONS: dict[str, tuple[Attempt, Verdict]] = {
    "denied action": (_attempt("download"), _denied("action.denied", "策略禁止操作 download")),
    "action of no skill": (
        _attempt("type", scope=SKILL),
        _denied("skill.action", "技能 report 没有声明操作 type"),
    ),
    "action of no task": (_attempt("type", scope=TASK), _denied("task.action", "这个任务的范围里没有操作 type")),
    "domain form": (_attempt("click", "ERP.example.com"), _denied("domain.form", "expected_domain 不是规范的主机名")),
    "domain unlisted": (_attempt("click", "a.com"), _denied("domain.unlisted", "策略没有列出 a.com")),
    "domain of no skill": (
        _attempt("click", "10.1.2.3", scope=SKILL),
        _denied("skill.domain", "技能 report 没有声明域名 10.1.2.3"),
    ),
    "domain of no task": (
        _attempt("click", "10.1.2.3", scope=TASK),
        _denied("task.domain", "这个任务的范围里没有 10.1.2.3"),
    ),
    "origin unlisted": (
        _attempt("click", committed="https://erp.example.com:8443"),
        _denied("origin.unlisted", "策略没有列出 https://erp.example.com:8443"),
    ),
    "origin of another domain": (
        _attempt("navigate", params={"url": f"{OA}/a"}),
        _denied("origin.mismatch", "操作声明的域名是 erp.example.com，实际是 10.1.2.3"),
    ),
    "no address": (_attempt("navigate"), _denied("url.form", "网址不是文字或过长")),
    "credential": (
        _attempt("login"),
        Verdict(Kind.ASK, "approval.credential", "操作 login 影响较大，需要您确认"),
    ),
    "irreversible": (
        _attempt("clearStorage"),
        Verdict(Kind.ASK, "approval.irreversible", "操作 clearStorage 影响较大，需要您确认"),
    ),
    "label": (_attempt("click", label="提 交"), LABEL),
    "label of what changes nothing": (_attempt("hover", label="提交"), ALLOWED),
    "no label": (_attempt("click", label=""), ALLOWED),
    "granted": (_attempt("click", label="提交", skill="report", committed=ERP), ALLOWED),
    "granted to another": (_attempt("click", label="提交", skill="other", committed=ERP), LABEL),
    "granted, origin unknown": (_attempt("click", label="提交", skill="report"), LABEL),
    "granted, nobody's act": (_attempt("click", label="提交", committed=ERP), LABEL),
    "dialog accepted": (_attempt("handleDialog", params={"accept": True}, label="提交"), LABEL),
    "dialog refused": (_attempt("handleDialog", params={"accept": False}, label="提交"), ALLOWED),
    "another act with that parameter": (_attempt("click", params={"accept": False}, label="提交"), LABEL),
    "listing pages": (_attempt("listPages", committed="https://a.com"), ALLOWED),
}


@pytest.mark.requirement("FUZZ-09")
@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_is_exactly_this_verdict(name: str) -> None:
    attempt, verdict = DECISIONS[name]
    assert decide(POLICY, attempt) == verdict


@pytest.mark.requirement("FUZZ-09")
def test_an_address_is_judged_by_its_origin_and_host() -> None:
    assert check_address(POLICY, f"{ERP}/a?b", "erp.example.com") is None
    assert check_address(POLICY, f"{OA}/", "10.1.2.3") is None
    assert [is_listed(POLICY, url) for url in (f"{ERP}/x", OA, "https://a.com", "x", None)] == [
        *(True, True, False, False, False)
    ]


def _document(**changes: object) -> str:
    return json.dumps({"version": 1, "origins": [ERP], **changes})


BAD: dict[str, tuple[str, str, dict[str, object]]] = {
    "json": ("{", "策略文档不可用：文档不是合法的 JSON", {"why": "BAD_JSON"}),
    "twice": ('{"version":1,"version":1}', "策略文档不可用：文档中有重复的键", {"why": "DUPLICATE_KEY"}),
    "version": (
        _document(version=2),
        "策略文档不可用：字段 version 最大是 1，现在是 2",
        {"why": "less_than_equal", "field": "version"},
    ),
    "type": (
        _document(version="1"),
        "策略文档不可用：字段 version 应为整数，现在是 “1”",
        {"why": "int_type", "field": "version"},
    ),
    "missing": (
        _document(grants=[{"skill": "a", "action": "click"}]),
        "策略文档不可用：缺少字段 grants[0].origin",
        {"why": "missing", "field": "grants[0].origin"},
    ),
    "unknown field": (
        _document(extra=1),
        "策略文档不可用：不认识的字段 extra",
        {"why": "extra_forbidden", "field": "extra"},
    ),
    "item": (
        _document(origins=[{"a": "b"}]),
        '策略文档不可用：字段 origins[0] 应为文字，现在是 {"a": "b"}',
        {"why": "string_type", "field": "origins[0]"},
    ),
    "too many": (
        _document(origins=[ERP] * 1_001),
        "策略文档不可用：字段 origins 最多 1000 项，现在有 1001 项",
        {"why": "too_long", "field": "origins"},
    ),
    "unknown action": (
        _document(denied_actions=["e" * 81]),
        f"策略中有不认识的操作：“{'e' * 80}…”",
        {"action": "e" * 64},
    ),
    "unknown granted action": (
        _document(grants=[{"skill": "a", "action": "eval", "origin": ERP}]),
        "策略中有不认识的操作：“eval”",
        {"action": "eval"},
    ),
    "origin": (
        _document(origins=["ftp://" + "a" * 300]),
        f"策略中的来源 “ftp://{'a' * 74}…” 不可用：只允许 http 和 https 的完整网址",
        {"origin": "ftp://" + "a" * 247},
    ),
    "origin form": (
        _document(origins=[f"{ERP}/" + "a" * 300]),
        f"策略中的来源必须写成规范形式：“{ERP}/{'a' * 56}…” 应写成 {ERP}",
        {"origin": f"{ERP}/" + "a" * 229, "canonical": ERP},
    ),
    "origin with a slash": (
        _document(origins=[f"{ERP}/"]),
        f"策略中的来源必须写成规范形式：“{ERP}/” 应写成 {ERP}",
        {"origin": f"{ERP}/", "canonical": ERP},
    ),
    "origin with a secret": (
        _document(origins=["https://me:hunter2@erp.example.com"]),
        "策略中的来源 “https://me:\u2039密码\u203a@erp.example.com” 不可用：网址里不能带用户名或密码（@）",
        {"origin": "https://me:hunter2@erp.example.com"},
    ),
    "blank word": (
        _document(irreversible_labels=["\u200b "]),
        "策略中有空白的不可撤销词：“⟨U+200B⟩ ”",
        {"word": "\u200b "},
    ),
    "grant elsewhere": (
        _document(grants=[{"skill": "a", "action": "click", "origin": OA}]),
        f"长期授权只能给策略列出的来源，没有列出 {OA}",
        {"origin": OA},
    ),
}


@pytest.mark.requirement("FUZZ-09")
@pytest.mark.parametrize("name", BAD)
def test_a_policy_that_cannot_be_used_says_why(name: str) -> None:
    document, cause, facts = BAD[name]
    with pytest.raises(BadPolicyError) as refused:
        parse_policy(document)
    assert (refused.value.cause, refused.value.facts) == (cause, facts)


ADDRESSES = {
    "none": (None, "url.form", "网址不是文字或过长"),
    "long": ("https://a.com/" + "x" * 7_987, "url.form", "网址不是文字或过长"),
    "space": ("https://a.com/a b", "url.characters", "网址中有空白、控制字符或反斜杠"),
    "backslash": ("https://a.com\\@b.com/", "url.characters", "网址中有空白、控制字符或反斜杠"),
    "scheme": ("ftp://a.com/", "url.scheme", "只允许 http 和 https 的完整网址"),
    "port": ("https://a.com:0/", "url.authority", "网址的主机或端口写法不被接受"),
    "host": ("https://a.com./", "url.host", "网址的主机名不规范"),
    "port too high": ("https://a.com:65536/", "url.host", "网址的主机名不规范"),
}


@pytest.mark.requirement("FUZZ-09")
@pytest.mark.parametrize("name", ADDRESSES)
def test_an_address_that_has_no_single_reading_says_why(name: str) -> None:
    url, rule, cause = ADDRESSES[name]
    with pytest.raises(PolicyDeniedError) as refused:
        origin_of(url)
    assert (refused.value.facts, refused.value.cause) == ({"rule": rule}, cause)


@pytest.mark.requirement("FUZZ-09")
def test_the_longest_address_and_the_highest_port_are_accepted() -> None:
    assert str(origin_of("https://a.com/" + "x" * 7_986)) == "https://a.com"
    assert str(origin_of("https://a.com:65535")) == "https://a.com:65535"
    assert str(origin_of("http://a.com:443")) == "http://a.com:443"


@pytest.mark.requirement("FUZZ-09")
@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("提\u3000交", ["提", "交"]),
        ("提\u00a0交", ["提", "交"]),
        ("提\u2028交", ["提", "交"]),
        ("提\t交\n\r\v\f单", ["提", "交", "单"]),
        ("提\u200b\u00ad\ue000交", ["提交"]),
        ("\uff33\uff35\uff22\x00MIT", ["submit"]),
        ("X\u200bz C", ["xz", "c"]),
        ("", []),
    ],
)
def test_a_label_is_read_in_its_visible_parts(label: str, parts: list[str]) -> None:
    assert parts_of(label) == parts
    assert plain_label(label) == "".join(parts)


@pytest.mark.requirement("FUZZ-09")
def test_a_written_policy_is_readable_and_comes_back() -> None:
    grant = {"skill": "report", "action": "click", "origin": ERP}
    text = policy_document([ERP], grants=[grant])
    assert "提交" in text
    assert json.loads(text)["grants"] == [grant]
    assert json.loads(policy_document([ERP]))["grants"] == []
    assert {origin.host for origin in parse_policy(text).origins} == {"erp.example.com"}
