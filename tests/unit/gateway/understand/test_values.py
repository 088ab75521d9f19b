from collections.abc import Mapping
from datetime import date

import pytest

from sgclaw.gateway.understand.fields import read_fields
from sgclaw.gateway.understand.reading import read
from sgclaw.gateway.understand.values import Filling, fill, required_now
from sgclaw.skills.numbers import find_numbers, ordinal
from sgclaw.skills.words import fold

TODAY = date(2026, 3, 15)
MONTHS = {"type": "string", "pattern": r"^\d{4}-\d{2}$"}
DAY = {"type": "string", "format": "date"}


def filled(properties: Mapping[str, object], text: str) -> Filling:
    return fill(read_fields({"type": "object", "properties": properties}), read(text, TODAY))


def values(properties: Mapping[str, object], text: str) -> dict[str, object]:
    return {name: item.value for name, item in filled(properties, text).values.items()}


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string", "pattern": r"^\d{4}-\d{2}$"}, "上个月", "2026-02"),
        ({"type": "string", "pattern": r"^\d{4}-(0[1-9]|1[0-2])$"}, "上个月", "2026-02"),
        ({"type": "string", "pattern": r"^\d{4}/\d{2}$"}, "上个月", "2026/02"),
        ({"type": "string", "pattern": r"^\d{6}$", "description": "账期月份"}, "上个月", "202602"),
        ({"type": "string", "description": "报表月份，如 202603"}, "上个月", "202602"),
        ({"type": "string", "description": "报表月份"}, "上个月", "2026-02"),
        ({"type": "string", "pattern": r"^\d{4}-Q[1-4]$"}, "上季度", "2025-Q4"),
        ({"type": "string", "pattern": r"^\d{4}Q[1-4]$"}, "第一季度", "2026Q1"),
        (DAY, "昨天", "2026-03-14"),
        ({"type": "string", "description": "日期 YYYY-MM-DD"}, "3月5日", "2026-03-05"),
        ({"type": "integer", "description": "年份"}, "去年", 2025),
        ({"type": "string", "pattern": r"^\d{4}$", "description": "年度"}, "2025年", "2025"),
        ({"type": "array", "items": MONTHS}, "1月到2月", ["2026-01", "2026-02"]),
        ({"type": "string", "description": "部门"}, "财务部的", "财务部"),
        ({"type": "string", "description": "部门"}, "人力资源部的报表", "人力资源部"),
        ({"type": "string", "description": "单据编号"}, "单据A-1002", "A-1002"),
        ({"type": "string", "description": "单据编号"}, "看2024-0315", "2024-0315"),
        ({"type": "integer", "description": "条数"}, "前１０条", 10),
        ({"type": "number", "description": "金额"}, "1.5万元", 15000),
        ({"type": "number", "description": "金额"}, "三百元", 300),
        ({"type": "string", "description": "关键字"}, "搜索“采购合同”", "采购合同"),
        ({"type": "string", "description": "关键字"}, "搜索「采购合同」", "采购合同"),
        ({"type": "string", "description": "关键字"}, "搜索《采购合同》", "采购合同"),
        ({"type": "string", "description": "关键字"}, "搜索\"采购合同\"", "采购合同"),
        ({"type": "string", "description": "备注"}, "备注：尽快处理", "尽快处理"),
        ({"enum": ["xlsx", "csv", "pdf"]}, "要Excel", "xlsx"),
        ({"enum": ["xlsx", "csv", "pdf"]}, "电子表格", "xlsx"),
        ({"enum": ["xlsx", "csv", "pdf"]}, "逗号分隔", "csv"),
        ({"enum": ["a", "b"], "x-labels": {"a": "含税", "b": ["不含税", "税前"]}}, "税前", "b"),
        ({"enum": ["a", "b"], "enumNames": ["已结清", "未结清"]}, "未结清的", "b"),
        ({"enum": ["in", "out"], "description": "方向：in=收入，out=支出"}, "看支出", "out"),
        ({"oneOf": [{"const": 1, "title": "正式工"}, {"const": 2, "title": "临时工"}]}, "临时工", 2),
        ({"enum": ["华东", "华南"]}, "华南的", "华南"),
        ({"enum": ["approve", "reject"]}, "不通过", "reject"),
        ({"enum": ["approve", "reject"]}, "同意", "approve"),
        ({"type": "boolean", "description": "是否包含明细"}, "含明细", True),
        ({"type": "boolean", "description": "是否包含明细"}, "不含明细", False),
        ({"type": "boolean", "description": "是否发送邮件"}, "并发送邮件", True),
    ],
)  # fmt: skip
@pytest.mark.requirement("ROUTE-07")
def test_the_schema_decides_what_is_taken_from_the_text(schema: object, text: str, value: object) -> None:
    assert values({"x": schema}, text) == {"x": value}


@pytest.mark.parametrize(
    ("schema", "text", "choices"),
    [
        ({"type": "string", "pattern": r"^\d{4}-\d{2}$"}, "一季度", ["2026-01", "2026-02", "2026-03"]),
        ({"type": "string", "pattern": r"^\d{4}-\d{2}$"}, "前月", ["2026-01", "2026-02"]),
        ({"type": "string", "pattern": r"^\d{4}-\d{2}$"}, "3月5日", ["2026-03"]),
        ({"type": "string", "pattern": r"^\d{4}-\d{2}$"}, "2026年13月", []),
        ({"type": "string", "pattern": r"^\d{4}-Q[1-4]$"}, "2月", ["2026-Q1"]),
        (DAY, "3月", []),
        (DAY, "3月5日之前", ["2026-03-05"]),
        ({"type": "string", "description": "部门"}, "财务部和销售部", ["财务部", "销售部"]),
        ({"enum": ["xlsx", "csv"]}, "excel或者csv", ["电子表格（xlsx）", "逗号分隔（csv）"]),
        ({"type": "integer", "description": "条数"}, "10条或20条", ["10", "20"]),
        ({"type": "integer", "description": "月份"}, "去年12月", ["12"]),
    ],
)
@pytest.mark.requirement("ROUTE-06")
def test_what_does_not_settle_an_input_is_a_doubt_with_choices(schema: object, text: str, choices: list[str]) -> None:
    filling = filled({"x": schema}, text)
    assert filling.values == {}
    assert [shown for shown, _ in filling.doubts["x"].choices] == choices


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3月到5月", {"start_date": "2026-03-01", "end_date": "2026-05-31"}),
        ("上季度", {"start_date": "2025-10-01", "end_date": "2025-12-31"}),
        ("昨天", {"start_date": "2026-03-14", "end_date": "2026-03-14"}),
        ("3月5日之后", {"start_date": "2026-03-05"}),
        ("3月5日之前", {"end_date": "2026-03-05"}),
    ],
)
def test_a_period_fills_a_pair_of_start_and_end(text: str, expected: dict[str, object]) -> None:
    assert values({"start_date": DAY, "end_date": DAY}, text) == expected


def test_year_and_month_inputs_share_the_same_words() -> None:
    fields = {"year": {"type": "integer"}, "month": {"type": "integer"}}
    assert values(fields, "去年12月") == {"year": 2025, "month": 12}


def test_every_value_says_which_words_it_came_from() -> None:
    filling = filled({"month": {"type": "string", "description": "月份"}}, "导出上个月的")
    item = filling.values["month"]
    assert (item.value, item.source_text, item.how) == ("2026-02", "上个月", "date")


def test_what_is_left_out_is_never_taken() -> None:
    assert values({"d": {"type": "string", "description": "部门"}}, "导出报表，不要财务部的") == {}


def test_all_departments_means_no_department() -> None:
    filling = filled({"d": {"type": "string", "description": "部门"}}, "导出所有部门的报表")
    assert (filling.values, filling.doubts, len(filling.used)) == ({}, {}, 1)


def test_a_description_can_make_an_input_necessary_for_some_values() -> None:
    fields = read_fields(
        {
            "properties": {
                "action": {"enum": ["list", "reject"]},
                "item_id": {"type": "string", "description": "单据ID (approve_one/reject 时需要)"},
            }
        }
    )
    assert [item.name for item in required_now(fields, {"action": "reject"})] == ["item_id"]
    assert required_now(fields, {"action": "list"}) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [("12,000", 12000), ("1.5万", 15000), ("三百五十条", 350),
     ("两千元", 2000), ("\uff13.\uff15％", 3.5), ("十二个", 12), ("三点五倍", 3.5)],
)  # fmt: skip
def test_numbers_are_read_in_both_scripts(text: str, value: float) -> None:
    assert [number.value for number in find_numbers(fold(text))] == [value]


@pytest.mark.parametrize("text", ["一份", "一个", "千万别", "十分", "统一", "万一"])
def test_words_made_of_number_characters_are_no_numbers(text: str) -> None:
    assert list(find_numbers(text)) == []


def test_ordinals_are_read() -> None:
    assert [ordinal(text) for text in ("第2个", "二", "2", "第十项", "第二季度")] == [2, 2, 2, 10, None]
