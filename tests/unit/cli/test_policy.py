import json
import re
from pathlib import Path

import pytest

from browser_host_stub.demo_browser import demo_policy
from sgclaw.cli.exits import Exit
from sgclaw.policy.explain import RULES
from sgclaw.policy.model import parse_policy
from tests.unit.cli.home import ROOT, Home

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
    asked = ("--url", "https://anywhere.example/")
    assert home.run("policy", "explain", *asked) == Exit.OK
    first, _, last = home.out.splitlines()
    assert first == "只检查了写法，没有问题；没有给出策略，不能判断是否允许"
    assert "没有用 --policy 给出策略" in last
    assert home.run("policy", "explain", *asked, "--json") == Exit.OK
    assert (home.json()["verdict"], home.json()["policy"]) == ("unknown", None)
    assert home.run("policy", "explain", "--action", "click", "--label", "提交") == Exit.NEEDS_HUMAN
    assert "没有用 --policy 给出策略" in home.out.splitlines()[-1]
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
    ("content", "code", "said"),
    [
        (b"{}", "BAD_POLICY", "策略文档不可用：缺少字段 version（{path}）"),
        (b"\xff", "BAD_POLICY", "策略文件不是 UTF-8 文字：{path}"),
        (b"", "BAD_POLICY", "策略文档不可用：文档不是合法的 JSON，第 1 行第 1 列（{path}）"),
        (b'{\n "version": 1,\n}', "BAD_POLICY", "策略文档不可用：文档不是合法的 JSON，第 3 行第 1 列（{path}）"),
        (b'{"version": 1, "version": 1}', "BAD_POLICY", "策略文档不可用：文档中有重复的键：version（{path}）"),
        (b"[" * 100_000, "BAD_POLICY", "策略文档不可用：文档嵌套超过 64 层（{path}）"),
        (
            b'{"version": 1, "origins": ["https://erp.example.com/"]}',
            "BAD_POLICY",
            "策略中的来源必须写成规范形式：“https://erp.example.com/” 应写成 https://erp.example.com（{path}）",
        ),
        (b" " * 1_048_577, "FILE_ERROR", "读不到策略文件 {path}：超过 1,048,576 字节"),
        (None, "FILE_ERROR", "读不到策略文件 {path}：文件不存在"),
    ],
)
def test_a_policy_file_that_cannot_be_used_is_named_with_what_is_wrong_in_it(
    home: Home, tmp_path: Path, content: bytes | None, code: str, said: str
) -> None:
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_bytes(content)
    assert home.run("policy", "show", "--policy", str(path), "--json") == Exit.FAILED
    error = home.json()["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["message"]) == (code, said.format(path=path))


@pytest.mark.requirement("POLICY-23")
def test_the_policy_of_the_page_is_the_one_of_the_demo_browser(home: Home, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
    (document,) = re.findall(r"^```json\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)
    path = tmp_path / "policy.json"
    path.write_text(document, encoding="utf-8")
    shown, demo = parse_policy(document), parse_policy(demo_policy())
    assert (shown.origins, shown.irreversible_labels) == (demo.origins, demo.irreversible_labels)
    lines = [line for line in page.splitlines() if line.startswith("sgclaw policy ")]
    for line in lines:
        words = [str(path) if word == "policy.json" else word for word in line.split()[1:]]
        assert home.run(*words) in (Exit.OK, Exit.NEEDS_HUMAN), line
    assert len(lines) >= 5
