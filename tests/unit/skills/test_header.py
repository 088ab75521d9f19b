import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgclaw.errors import BadManifestError
from sgclaw.skills.header import TAGS, parse_header
from sgclaw.skills.manifest import DEFAULT_ACTIONS, Capabilities, Manifest
from tests.unit.skills.folder import script

FULL = r"""/**
 * @skill erp-monthly-report
 * @version 1.0.0
 * @description 从ERP系统导出月度财务报表。支持按部门、科目筛选，
 * 自动处理分页数据，合并导出为 xlsx
 * or csv
 * @domains erp.example.com, erp-test.example.com
 * @author sgClaw Team
 * @triggers 导出月度报表，月度财务报表、
 *           月报导出
 * @when_to_use 用户要财务月报时
 * @proactive 每月初
 * @actions navigate, click
 * @tags 财务, 报表
 * @depends_on erp-login, oa-login@1.0.0
 * @params {
 *   "type": "object",
 *   "required": ["month"],
 *   "properties": {
 *     "month": { "type": "string", "pattern": "^\\d{4}-\\d{2}$", "description": "报表月份 (如 2026-03)" }
 *   }
 * }
 * @output { "type": "object" }
 */
async function execute(params, browserAction) { return { success: true }; }
"""


@pytest.mark.requirement("SKILL-01")
def test_a_full_header_becomes_a_manifest() -> None:
    assert parse_header(FULL) == Manifest(
        name="erp-monthly-report",
        version="1.0.0",
        kind="script",
        description="从ERP系统导出月度财务报表。支持按部门、科目筛选，自动处理分页数据，合并导出为 xlsx or csv",
        when_to_use="用户要财务月报时",
        triggers=("导出月度报表", "月度财务报表", "月报导出"),
        proactive="每月初",
        domains=("erp.example.com", "erp-test.example.com"),
        params={
            "type": "object",
            "required": ["month"],
            "properties": {
                "month": {"type": "string", "pattern": r"^\d{4}-\d{2}$", "description": "报表月份 (如 2026-03)"}
            },
        },
        output={"type": "object"},
        depends_on=("erp-login", "oa-login@1.0.0"),
        tags=("财务", "报表"),
        author="sgClaw Team",
        capabilities=Capabilities(actions=("navigate", "click")),
    )


@pytest.mark.requirement("SKILL-01")
def test_stars_without_a_leading_space_and_windows_line_ends_read_the_same() -> None:
    assert parse_header(FULL.replace("\n *", "\n*")) == parse_header(FULL)
    assert parse_header(FULL.replace("\n", "\r\n")) == parse_header(FULL)


@pytest.mark.requirement("SKILL-02")
def test_a_script_without_actions_gets_the_read_and_reversible_ones() -> None:
    actions = parse_header(script("a")).capabilities.actions
    assert actions == DEFAULT_ACTIONS
    assert {"click", "getText", "download"} <= set(actions)
    assert {"login", "logout", "clearStorage", "getHtml", "storageGet"}.isdisjoint(actions)


@pytest.mark.requirement("SKILL-01")
def test_a_script_without_params_takes_no_inputs() -> None:
    assert parse_header(script("a")).params == {"type": "object", "properties": {}}


def test_a_manifest_is_called_name_at_version() -> None:
    assert parse_header(script("a-b", version="2.10.0")).ref == "a-b@2.10.0"


def problem_of(text: str) -> tuple[object, object]:
    with pytest.raises(BadManifestError) as caught:
        parse_header(text)
    assert caught.value.cause.startswith(f"第 {caught.value.facts['line']} 行")
    assert caught.value.next_step
    return caught.value.facts["line"], caught.value.facts["tag"]


BROKEN = {
    "an unknown tag": (" * @skript x\n", 6, "skript"),
    "a tag with a colon": (" * @author: x\n", 6, "author:"),
    "a duplicate tag": (" * @author x\n * @version 2.0.0\n", 7, "version"),
    "a tag without a value": (" * @author\n", 6, "author"),
    "a list without a value": (" * @tags ,\n", 6, "tags"),
    "a repeated list item": (" * @tags 财务, 财务\n", 6, "tags"),
    "an unknown action": (" * @actions click, executeJsInPage\n", 6, "actions"),
    "a dependency that is no reference": (" * @depends_on Erp_Login\n", 6, "depends_on"),
    "a trigger that is too long": (f" * @triggers {'长' * 65}\n", 6, "triggers"),
    "params that end early": (' * @params {\n *   "type": "object",\n *   "properties": {\n * }\n', 10, "params"),
    "params with a comma too many": (' * @params {\n *   "type": "object",\n * }\n', 8, "params"),
    "params with a repeated key": (' * @params {"type": "object", "type": "object"}\n', 6, "params"),
    "params with NaN": (' * @params {"type": "object", "default": NaN}\n', 6, "params"),
    "params that are a list": (" * @params []\n", 6, "params"),
    "params that are not an object schema": (' * @params {"type": "string"}\n', 6, "params"),
    "params too deep": (" * @params " + '{"items":' * 100 + "{}" + "}" * 100 + "\n", 6, "params"),
    "params of endless depth": (" * @params " + "[" * 10_000 + "\n", 6, "params"),
    "an unknown schema keyword": (' * @params {"type": "object", "propertees": {}}\n', 6, "params"),
    "a remote reference": (' * @params {"type": "object", "$ref": "https://evil.example/s"}\n', 6, "params"),
    "a reference to itself": (' * @params {"type": "object", "properties": {"a": {"$ref": "#"}}}\n', 6, "params"),
    "an output schema that is none": (' * @output {"type": "thing"}\n', 6, "output"),
}


@pytest.mark.requirement("SKILL-03")
@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_header_is_refused_with_line_and_tag(case: str) -> None:
    extra, line, tag = BROKEN[case]
    assert problem_of(script("a", extra=extra)) == (line, tag)


@pytest.mark.requirement("SKILL-03")
@pytest.mark.parametrize(
    "name",
    [
        "",
        "A",
        "a_b",
        "..",
        "-a",
        "a/b",
        "名称",
        "a" * 65,
        "__proto__",
        "constructor",
        "con",
        "lpt1",
        "x;rm -rf",
        "$(id)",
    ],
)
def test_a_name_that_means_something_elsewhere_is_refused(name: str) -> None:
    assert problem_of(script("ok").replace("@skill ok", f"@skill {name}")) == (2, "skill")


@pytest.mark.requirement("SKILL-03")
@pytest.mark.parametrize("version", ["1", "1.0", "1.0.0.0", "01.0.0", "1.0.0-rc1", "v1.0.0", "1.0.0+b"])
def test_a_version_of_another_form_is_refused(version: str) -> None:
    assert problem_of(script("a", version=version)) == (3, "version")


@pytest.mark.requirement("SKILL-03")
@pytest.mark.parametrize(
    "domains",
    [
        "*",
        "*.example.com",
        "ERP.example.com",
        "erp.example.com.",
        "https://erp.example.com",
        "erp.example.com:443",
        "财务.example.com",
        "erp.example.com/x",
        "erp.example.com, erp.example.com",
        ",",
    ],
)
def test_a_domain_that_is_no_canonical_host_is_refused(domains: str) -> None:
    assert problem_of(script("a", domains=domains)) == (5, "domains")


@pytest.mark.requirement("SKILL-03")
@pytest.mark.parametrize("tag", [name for name, spec in TAGS.items() if spec.required])
def test_a_missing_required_tag_is_named(tag: str) -> None:
    lines = [line for line in script("a").split("\n") if not line.startswith(f" * @{tag} ")]
    assert problem_of("\n".join(lines)) == (1, tag)


@pytest.mark.requirement("SKILL-04")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "async function execute() {}",
        "\n" + script("a"),
        "// x\n" + script("a"),
        "/* @skill a */",
        "/**/",
        "/**",
        "/**/\n * @skill a\n */",
        script("a").replace("*/", "", 1),
    ],
)
def test_a_header_that_is_not_the_first_thing_of_the_file_is_refused(text: str) -> None:
    assert problem_of(text) == (1, None)


def test_an_empty_header_lacks_its_first_required_tag() -> None:
    assert problem_of("/** */") == problem_of("/***/") == (1, "skill")


@pytest.mark.requirement("SKILL-04")
def test_words_before_the_first_tag_are_refused() -> None:
    assert problem_of(script("a").replace("/**\n", "/**\n * 说明\n")) == (2, None)


@pytest.mark.requirement("SKILL-04")
@pytest.mark.parametrize("second", ["/**\n * @skill b\n */\n", "/** @skill b */\n", " * @skill b\n"])
def test_a_second_header_is_refused(second: str) -> None:
    text = script("a")
    line = text.count("\n") + 1 + second.count("\n", 0, second.index("@"))
    assert problem_of(text + second) == (line, "skill")


def test_ordinary_doc_comments_below_the_header_are_fine() -> None:
    below = "/**\n * 技能执行入口\n * @param {object} params\n * @returns {object}\n */\n"
    assert parse_header(script("a").replace("async", below + "async")) == parse_header(script("a"))


PIECES = st.sampled_from(
    ["/**", "*/", "\n", " * ", "@skill", "@params", "@domains", " a ", "{", "}", '"type"', ":", ","]
)


@pytest.mark.requirement("SKILL-03")
@given(st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join))
def test_any_text_is_a_manifest_or_a_bad_manifest(text: str) -> None:
    with contextlib.suppress(BadManifestError):
        parse_header(text)
    with contextlib.suppress(BadManifestError):
        parse_header(script("a", extra=f" * @author x\n{text}\n"))
