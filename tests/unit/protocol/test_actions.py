import json
import re
from typing import Any

import pytest

from sgclaw.errors import ActionCode, ActionError
from sgclaw.protocol.actions import ACTIONS, Compare, Risk, changes, describe, from_positional, spec_of
from sgclaw.protocol.params import Params
from sgclaw.protocol.strict import decode, encode
from sgclaw.redact import hint
from tests.unit.protocol.samples import command

R, C = Risk, Compare

# name → risk, what expected_domain is compared with, seconds, positional names, whether it changes business state
EXPECTED: dict[str, tuple[Risk, Compare, int, tuple[str, ...], bool]] = {
    "click": (R.REVERSIBLE, C.FRAME, 10, ("selector",), True),
    "type": (R.REVERSIBLE, C.FRAME, 10, ("selector", "text"), True),
    "navigate": (R.REVERSIBLE, C.TARGET_URL, 30, ("url",), False),
    "getText": (R.READ, C.FRAME, 10, ("selector",), False),
    "getHtml": (R.SENSITIVE, C.FRAME, 10, ("selector",), False),
    "waitForSelector": (R.READ, C.FRAME, 30, ("selector", "timeout_ms", "state"), False),
    "pageScreenshot": (R.READ, C.PAGE, 30, ("full_page", "som_overlay"), False),
    "select": (R.REVERSIBLE, C.FRAME, 10, ("selector", "value"), True),
    "scrollTo": (R.READ, C.PAGE, 10, ("x", "y"), False),
    "getAomSnapshot": (R.READ, C.PAGE, 30, ("selector", "detail"), False),
    "storageSet": (R.REVERSIBLE, C.PAGE, 10, ("key", "value"), True),
    "storageGet": (R.SENSITIVE, C.PAGE, 10, ("key",), False),
    "zombieSpawn": (R.REVERSIBLE, C.TARGET_URL, 30, ("url",), False),
    "zombieKill": (R.REVERSIBLE, C.NOTHING, 10, ("page",), False),
    "login": (R.CREDENTIAL, C.PAGE, 60, ("site", "credential"), True),
    "logout": (R.CREDENTIAL, C.PAGE, 30, ("site",), True),
    "clearStorage": (R.IRREVERSIBLE, C.PAGE, 10, (), True),
    "hover": (R.REVERSIBLE, C.FRAME, 10, ("selector",), False),
    "press": (R.REVERSIBLE, C.PAGE, 10, ("key", "selector"), True),
    "check": (R.REVERSIBLE, C.FRAME, 10, ("selector", "checked"), True),
    "clear": (R.REVERSIBLE, C.FRAME, 10, ("selector",), True),
    "upload": (R.REVERSIBLE, C.FRAME, 60, ("selector", "file"), True),
    "download": (R.REVERSIBLE, C.FRAME, 60, ("selector", "timeout_ms"), True),
    "goBack": (R.REVERSIBLE, C.PAGE, 30, (), True),
    "goForward": (R.REVERSIBLE, C.PAGE, 30, (), True),
    "reload": (R.REVERSIBLE, C.PAGE, 30, (), True),
    "listPages": (R.READ, C.NOTHING, 10, (), False),
    "switchPage": (R.REVERSIBLE, C.NOTHING, 10, ("page",), False),
    "closePage": (R.REVERSIBLE, C.NOTHING, 10, ("page",), False),
    "handleDialog": (R.REVERSIBLE, C.PAGE, 10, ("accept", "text"), True),
    "query": (R.READ, C.FRAME, 10, ("selector", "fact", "name"), False),
    "extractTable": (R.READ, C.FRAME, 30, ("selector",), False),
}

GOOD: dict[str, list[dict[str, object]]] = {
    "click": [{"selector": "#a"}, {"ref": "e12", "button": "right", "count": 2}, {"selector": "my-el >>> button"}],
    "type": [{"selector": "#a", "text": ""}, {"ref": "e1", "text": "三月", "clear": False, "submit": True}],
    "navigate": [{"url": "https://erp.example.com/"}],
    "getText": [{"selector": "#a"}],
    "getHtml": [{"ref": "e1"}],
    "waitForSelector": [{"selector": "#a"}, {"selector": "#a", "timeout_ms": 300_000, "state": "hidden"}],
    "pageScreenshot": [{}, {"full_page": True, "som_overlay": True}, {"selector": "#chart"}],
    "select": [{"selector": "#a", "value": ""}],
    "scrollTo": [{}, {"x": 0, "y": 500}, {"ref": "e1"}],
    "getAomSnapshot": [{}, {"selector": "#a", "detail": "full", "max_nodes": 500}],
    "storageSet": [{"key": "k", "value": ""}],
    "storageGet": [{"key": "k"}],
    "zombieSpawn": [{"url": "https://erp.example.com/"}],
    "zombieKill": [{"page": "p2"}],
    "login": [{"site": "erp.example.com", "credential": "%vault:erp.login%"}],
    "logout": [{"site": "erp.example.com"}],
    "clearStorage": [{}],
    "hover": [{"selector": "#a"}],
    "press": [{"key": "Enter"}, {"key": "Tab", "selector": "#a"}],
    "check": [{"selector": "#a"}, {"selector": "#a", "checked": False}],
    "clear": [{"selector": "#a"}],
    "upload": [{"selector": "#a", "file": "input-1"}],
    "download": [{"selector": "#a"}, {"selector": "#a", "timeout_ms": 0}],
    "goBack": [{}],
    "goForward": [{}],
    "reload": [{}],
    "listPages": [{}],
    "switchPage": [{"page": "p1"}],
    "closePage": [{"page": "p1"}],
    "handleDialog": [{"accept": True}, {"accept": False, "text": "x"}],
    "query": [
        {"selector": "#a", "fact": "exists"},
        {"ref": "e1", "fact": "attribute", "name": "data-id"},
        {"fact": "url"},
        {"fact": "title"},
    ],
    "extractTable": [{"selector": "#t"}, {"selector": "#t", "max_rows": 10_000}],
}

BAD: list[tuple[str, dict[str, object], set[str]]] = [
    ("click", {}, {"*"}),
    ("click", {"selector": "#a", "ref": "e1"}, {"*"}),
    ("click", {"selector": ""}, {"selector"}),
    ("click", {"selector": "a" * 2_001}, {"selector"}),
    ("click", {"selector": None}, {"*"}),
    ("click", {"selector": 5}, {"selector"}),
    ("click", {"selector": ["#a"]}, {"selector"}),
    ("click", {"ref": "e 1"}, {"ref"}),
    ("click", {"ref": "e1\n"}, {"ref"}),
    ("click", {"selector": "#a", "count": 4}, {"count"}),
    ("click", {"selector": "#a", "count": "1"}, {"count"}),
    ("click", {"selector": "#a", "count": True}, {"count"}),
    ("click", {"selector": "#a", "button": "both"}, {"button"}),
    ("click", {"selector": "#a", "script": "alert(1)"}, {"script"}),
    ("type", {"selector": "#a"}, {"text"}),
    ("type", {"selector": "#a", "text": 5}, {"text"}),
    ("type", {"selector": "#a", "text": "x" * 100_001}, {"text"}),
    ("type", {"selector": "#a", "text": "", "clear": 1}, {"clear"}),
    ("navigate", {}, {"url"}),
    ("navigate", {"url": ""}, {"url"}),
    ("navigate", {"url": "https://a/" + "x" * 8_000}, {"url"}),
    ("waitForSelector", {"selector": "#a", "timeout_ms": -1}, {"timeout_ms"}),
    ("waitForSelector", {"selector": "#a", "timeout_ms": 300_001}, {"timeout_ms"}),
    ("waitForSelector", {"selector": "#a", "timeout_ms": 1.5}, {"timeout_ms"}),
    ("waitForSelector", {"selector": "#a", "state": "gone"}, {"state"}),
    ("pageScreenshot", {"selector": "#a", "ref": "e1"}, {"*"}),
    ("pageScreenshot", {"path": "/tmp/x.png"}, {"path"}),
    ("scrollTo", {"y": -1}, {"y"}),
    ("storageSet", {"key": "", "value": "x"}, {"key"}),
    ("storageGet", {"key": "k" * 257}, {"key"}),
    ("zombieKill", {"page": "../p"}, {"page"}),
    ("login", {"site": "erp.example.com", "credential": "hunter2"}, {"credential"}),
    ("login", {"site": "erp.example.com", "credential": "%vault:erp%"}, {"credential"}),
    ("login", {"site": "erp.example.com", "credential": "%vault:erp.login% "}, {"credential"}),
    ("login", {"site": "erp.example.com", "password": "x"}, {"credential", "password"}),
    ("press", {"key": ""}, {"key"}),
    ("press", {"key": "\n"}, {"key"}),
    ("press", {"key": "\r"}, {"key"}),
    ("press", {"key": "Enter+a"}, {"key"}),
    ("press", {"key": "Enter++"}, {"key"}),
    ("press", {"key": "Space+a"}, {"key"}),
    ("press", {"key": "Enter\n"}, {"key"}),
    ("press", {"key": "Control+"}, {"key"}),
    ("press", {"key": "Return"}, {"key"}),
    ("press", {"key": "审"}, {"key"}),
    ("clearStorage", {"key": "k"}, {"key"}),
    ("upload", {"selector": "#a", "file": "/etc/passwd"}, {"file"}),
    ("upload", {"selector": "#a", "file": "..\\a"}, {"file"}),
    ("upload", {"selector": "#a", "path": "a.txt"}, {"file", "path"}),
    ("handleDialog", {}, {"accept"}),
    ("handleDialog", {"accept": "yes"}, {"accept"}),
    ("query", {"selector": "#a"}, {"fact"}),
    ("query", {"fact": "exists"}, {"*"}),
    ("query", {"fact": "url", "selector": "#a"}, {"*"}),
    ("query", {"fact": "title", "ref": "e1"}, {"*"}),
    ("query", {"selector": "#a", "fact": "attribute"}, {"*"}),
    ("query", {"selector": "#a", "fact": "value", "name": "x"}, {"*"}),
    ("query", {"selector": "#a", "fact": "attribute", "name": "on click"}, {"name"}),
    ("query", {"selector": "#a", "fact": "html"}, {"fact"}),
    ("extractTable", {"selector": "#t", "max_rows": 0}, {"max_rows"}),
    ("listPages", {"all": True}, {"all"}),
]


@pytest.mark.requirement("PROTO-19")
def test_the_table_holds_exactly_the_actions_of_the_design() -> None:
    rows = {
        name: (row.risk, row.compares, row.deadline_ms // 1000, row.positional, row.changes)
        for name, row in ACTIONS.items()
    }
    assert rows == EXPECTED
    assert all(row.name == name for name, row in ACTIONS.items())


@pytest.mark.requirement("PROTO-19")
@pytest.mark.parametrize(
    "name", ["eval", "executeJsInPage", "evaluate", "executeScript", "Click", "click ", "", "__class__"]
)
def test_actions_that_run_page_script_and_unknown_ones_do_not_exist(name: str) -> None:
    assert name not in ACTIONS
    with pytest.raises(ActionError) as caught:
        spec_of(name)
    assert (caught.value.code, caught.value.facts) == (ActionCode.UNKNOWN_ACTION, {"action": name})


def test_nothing_can_be_added_to_the_table() -> None:
    table: Any = ACTIONS
    with pytest.raises(TypeError):
        table["eval"] = ACTIONS["click"]
    row: Any = ACTIONS["click"]
    with pytest.raises(AttributeError):
        row.risk = Risk.READ


@pytest.mark.requirement("PROTO-21")
@pytest.mark.parametrize("name", EXPECTED)
def test_positional_names_are_parameters_and_cover_every_required_one(name: str) -> None:
    row = ACTIONS[name]
    fields = row.params.model_fields
    assert set(row.positional) <= fields.keys()
    assert {key for key, field in fields.items() if field.is_required()} <= set(row.positional)


def test_every_row_has_a_chinese_sentence_a_result_and_no_positional_twice() -> None:
    for row in ACTIONS.values():
        for text in (row.description, row.told):
            assert any("\u4e00" <= char <= "\u9fff" for char in text)
        assert row.natural is None or row.natural in row.result.model_fields
        assert len(set(row.positional)) == len(row.positional)


@pytest.mark.requirement("PROTO-20")
@pytest.mark.parametrize("name", EXPECTED)
def test_good_parameters_are_accepted_and_survive_the_wire(name: str) -> None:
    for params in GOOD[name]:
        made = ACTIONS[name].check(params)
        assert isinstance(made, Params)
        assert ACTIONS[name].check(decode(encode(params))) == made
        assert params.items() <= made.model_dump(mode="json").items()


@pytest.mark.requirement("PROTO-20")
@pytest.mark.parametrize(("name", "params", "fields"), BAD, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(BAD)])
def test_bad_parameters_are_refused_by_field(name: str, params: dict[str, object], fields: set[str]) -> None:
    with pytest.raises(ActionError) as caught:
        ACTIONS[name].check(params)
    error = caught.value
    assert error.code == ActionCode.BAD_PARAMS
    problems = error.facts["problems"]
    assert isinstance(problems, list)
    assert {problem["field"] for problem in problems} == fields
    assert json.loads(json.dumps(error.as_dict())) == error.as_dict()


def test_a_refused_value_is_not_quoted() -> None:
    with pytest.raises(ActionError) as caught:
        ACTIONS["login"].check({"site": "erp", "credential": "hunter2"})
    assert "hunter2" not in str(caught.value.as_dict())


@pytest.mark.requirement("PROTO-21")
@pytest.mark.parametrize(
    ("name", "arguments", "params"),
    [
        ("click", ["#a"], {"selector": "#a"}),
        ("type", ["#a", "三月"], {"selector": "#a", "text": "三月"}),
        ("type", [{"selector": "#a", "text": "x", "clear": False}], {"selector": "#a", "text": "x", "clear": False}),
        ("click", [{"ref": "e1"}], {"ref": "e1"}),
        ("waitForSelector", ["#a", None, "hidden"], {"selector": "#a", "state": "hidden"}),
        ("waitForSelector", ["#a", 500], {"selector": "#a", "timeout_ms": 500}),
        ("query", [None, "title"], {"fact": "title"}),
        ("query", ["#a", "attribute", "href"], {"selector": "#a", "fact": "attribute", "name": "href"}),
        ("check", ["#a", False], {"selector": "#a", "checked": False}),
        ("select", ["#a", ""], {"selector": "#a", "value": ""}),
        ("scrollTo", [0, 100], {"x": 0, "y": 100}),
        ("press", ["Enter"], {"key": "Enter"}),
        ("getAomSnapshot", [], {}),
        ("reload", [], {}),
        ("reload", [{}], {}),
        ("handleDialog", [True, None], {"accept": True}),
    ],
)
def test_arguments_of_a_skill_become_named_parameters(
    name: str, arguments: list[object], params: dict[str, object]
) -> None:
    assert from_positional(name, arguments) == params
    ACTIONS[name].check(params)


@pytest.mark.requirement("PROTO-21")
def test_too_many_arguments_are_refused_and_the_order_is_named() -> None:
    with pytest.raises(ActionError) as caught:
        from_positional("type", ["#a", "x", True])
    assert caught.value.code == ActionCode.BAD_PARAMS
    assert caught.value.facts == {"action": "type", "positional": ["selector", "text"]}
    with pytest.raises(ActionError):
        from_positional("reload", [None])
    with pytest.raises(ActionError):
        from_positional("click", [{"selector": "#a"}, {}])


@pytest.mark.requirement("PROTO-21")
def test_arguments_of_an_unknown_action_are_refused() -> None:
    with pytest.raises(ActionError) as caught:
        from_positional("eval", ["1"])
    assert caught.value.code == ActionCode.UNKNOWN_ACTION


@pytest.mark.requirement("PROTO-22")
@pytest.mark.parametrize(
    ("name", "params", "milliseconds"),
    [
        ("click", {"selector": "#a"}, 10_000),
        ("navigate", {"url": "https://a/"}, 30_000),
        ("waitForSelector", {"selector": "#a"}, 32_000),
        ("waitForSelector", {"selector": "#a", "timeout_ms": 0}, 2_000),
        ("download", {"selector": "#a", "timeout_ms": 300_000}, 302_000),
    ],
)
def test_a_command_has_time_for_the_wait_its_parameters_ask_for(
    name: str, params: dict[str, object], milliseconds: int
) -> None:
    row = ACTIONS[name]
    assert row.deadline_for(row.check(params)) == milliseconds
    assert command(1, deadline_ms=milliseconds).deadline_ms == milliseconds


@pytest.mark.requirement("PROTO-26")
@pytest.mark.parametrize("name", EXPECTED)
def test_every_act_is_told_in_one_line_with_nothing_left_to_fill_in(name: str) -> None:
    allowed = {"target", "state", *ACTIONS[name].params.model_fields}
    assert set(re.findall(r"\{(\w+)\}", ACTIONS[name].told)) <= allowed
    for params in GOOD[name]:
        line = describe(name, params)
        assert "{" not in line
        assert "\n" not in line


@pytest.mark.requirement("PROTO-26")
@pytest.mark.parametrize(
    ("name", "params", "line"),
    [
        ("click", {"selector": "#导出"}, "点击 #导出"),
        ("click", {"ref": "e12"}, "点击 e12"),
        ("getAomSnapshot", {}, "读取 页面 的结构"),
        ("waitForSelector", {"selector": "#a", "state": "hidden"}, "等待 #a 消失"),
        ("waitForSelector", {"selector": "#a"}, "等待 #a 出现"),
        ("waitForSelector", {"selector": "#a", "state": "odd"}, "等待 #a "),
        ("navigate", {"url": "x" * 81}, "打开 " + "x" * 80 + "…"),
        ("navigate", {"url": "x" * 80}, "打开 " + "x" * 80),
        ("navigate", {}, "打开 …"),
        ("type", {"selector": "{text}", "text": "{url}"}, "在 {text} 输入“{url}”"),
        ("type", {"selector": "#password", "text": "Hunter2Plain"}, f"在 #password 输入“{hint('密码')}”"),
        ("select", {"selector": "密码框", "value": "Hunter2Plain"}, f"在 密码框 选择“{hint('密码')}”"),
        ("type", {"selector": "#a", "text": "x" * 75 + " 密码：Abc@123"}, f"在 #a 输入“{'x' * 75} 密码：\u2039…”"),
        ("navigate", {"url": "https://a/?token=abcdef123"}, f"打开 https://a/?token={hint('令牌')}"),
        ("eval", {"code": "1"}, "eval"),
    ],
)
def test_a_person_reads_what_an_act_does_and_long_values_are_cut(
    name: str, params: dict[str, object], line: str
) -> None:
    assert describe(name, params) == line


@pytest.mark.requirement("PROTO-19")
@pytest.mark.parametrize(("action", "may"), [("click", True), ("getText", False), ("navigate", False), ("eval", False)])
def test_which_acts_can_change_business_state_is_a_column(action: str, may: bool) -> None:
    assert changes(action) is may
