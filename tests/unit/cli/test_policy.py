import json
from pathlib import Path

import pytest

from sgclaw.cli.exits import Exit
from sgclaw.policy.explain import RULES
from sgclaw.policy.model import parse_policy
from tests.unit.cli.home import Home

ERP = "https://erp.example.com"
DOCUMENT = json.dumps(
    {
        "version": 1,
        "origins": [ERP, "http://10.1.2.3:8080"],
        "denied_actions": ["upload"],
        "irreversible_labels": ["提交", "审批"],
        "grants": [{"skill": "approver", "action": "click", "origin": ERP}],
    },
    ensure_ascii=False,
)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "policy.json"
    path.write_text(DOCUMENT + "\n", "utf-8")
    return str(path)


@pytest.mark.requirement("POLICY-20")
def test_show_tells_a_whole_policy_in_chinese(home: Home, file: str) -> None:
    assert home.run("policy", "show", "--policy", file) == Exit.OK
    assert home.out.splitlines() == [
        f"策略 {parse_policy(DOCUMENT).sha256}",
        "来源（2）：页面和网址只能在这些来源上",
        "  http://10.1.2.3:8080",
        "  https://erp.example.com",
        "禁止的操作：upload",
        "要确认的字样（2）：提交 审批",
        "长期授权（1）：不再询问",
        "  技能 approver 在 https://erp.example.com 上执行 click",
    ]


@pytest.mark.requirement("POLICY-20")
def test_show_as_json_gives_the_policy_as_it_was_read(home: Home, file: str) -> None:
    assert home.run("policy", "show", "--policy", file, "--json") == Exit.OK
    document = json.loads(DOCUMENT)
    del document["version"]
    assert home.json() == {**document, "origins": sorted(document["origins"]), "sha256": parse_policy(DOCUMENT).sha256}


@pytest.mark.requirement("POLICY-21")
@pytest.mark.parametrize("rule", ["origin.unlisted", "stopped.origin.unlisted", "approval.label", "skill.domain"])
def test_a_rule_is_explained_with_who_can_change_it_and_the_next_step(home: Home, rule: str) -> None:
    row = RULES[rule]
    assert home.run("policy", "explain", rule) == Exit.OK
    lines = [f"规则：{rule}", f"含义：{row.meaning}", f"谁能改变：{row.who.value}", f"下一步：{row.next_step}"]
    assert home.out.splitlines() == lines
    assert home.run("policy", "explain", rule, "--json") == Exit.OK
    assert home.json() == {"rule": rule, "meaning": row.meaning, "who": row.who.value, "next_step": row.next_step}


@pytest.mark.requirement("POLICY-22")
@pytest.mark.parametrize(
    ("asked", "code", "rule"),
    [
        (("--url", f"{ERP}/report"), Exit.OK, "allowed"),
        (("--url", "http://10.1.2.3:8080/x"), Exit.OK, "allowed"),
        (("--url", "http://10.1.2.3/x"), Exit.REFUSED, "origin.unlisted"),
        (("--url", "https://evil.example/"), Exit.REFUSED, "domain.unlisted"),
        (("--url", "https://evil.com\\@erp.example.com/"), Exit.REFUSED, "url.characters"),
        (("--url", "https://me@erp.example.com/"), Exit.REFUSED, "url.userinfo"),
        (("--url", "https://[::1]/"), Exit.REFUSED, "url.ipv6"),
        (("--action", "upload"), Exit.REFUSED, "action.denied"),
        (("--action", "logout"), Exit.NEEDS_HUMAN, "approval.credential"),
        (("--action", "click", "--label", "提 交"), Exit.NEEDS_HUMAN, "approval.label"),
        (("--action", "click", "--label", "审批记录"), Exit.OK, "allowed"),
        (("--action", "click", "--url", "https://evil.example/"), Exit.REFUSED, "domain.unlisted"),
    ],
)
def test_an_address_or_an_act_is_judged_as_in_a_session(
    home: Home, file: str, asked: tuple[str, ...], code: Exit, rule: str
) -> None:
    assert home.run("policy", "explain", *asked, "--policy", file) == code
    assert home.out.startswith({Exit.OK: "允许", Exit.NEEDS_HUMAN: "需要您确认", Exit.REFUSED: "拒绝"}[code])
    assert rule == "allowed" or f"规则：{rule}\n" in home.out
    assert home.run("policy", "explain", *asked, "--policy", file, "--json") == code
    assert home.json()["rule"] == rule


@pytest.mark.requirement("POLICY-22")
def test_without_a_policy_only_the_form_of_an_address_is_judged_and_that_is_said(home: Home) -> None:
    assert home.run("policy", "explain", "--url", "https://anywhere.example/") == Exit.OK
    assert "没有用 --policy 给出策略" in home.out
    assert home.run("policy", "explain", "--url", "ftp://anywhere.example/") == Exit.REFUSED


@pytest.mark.requirement("POLICY-23")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show",), "策略由浏览器下发"),
        (("explain",), "请给出一条规则"),
        (("explain", "origin.unlisted", "--url", ERP), "请给出一条规则"),
        (("explain", "origin.unlistd"), "您是想问 origin.unlisted"),
        (("explain", "--action", "clik"), "您是想问 click"),
        (("explain", "--action", "navigate"), "navigate 要打开网址"),
        (("explain", "--url", ERP, "--label", "提交"), "--label 要和 --action 一起用"),
    ],
)
def test_a_question_that_cannot_be_answered_says_what_is_missing(
    home: Home, arguments: tuple[str, ...], said: str
) -> None:
    assert home.run("policy", *arguments) == Exit.USAGE
    assert said in home.err


@pytest.mark.requirement("POLICY-23")
@pytest.mark.parametrize(
    ("content", "code"),
    [(b"{}", "BAD_POLICY"), (b"\xff", "BAD_POLICY"), (b" " * 1_048_577, "BAD_POLICY"), (None, "FILE_ERROR")],
)
def test_a_policy_file_that_cannot_be_used_is_named(
    home: Home, tmp_path: Path, content: bytes | None, code: str
) -> None:
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_bytes(content)
    assert home.run("policy", "show", "--policy", str(path), "--json") == Exit.FAILED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert (error["code"], str(path) in error["message"]) == (code, True)
