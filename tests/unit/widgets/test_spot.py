import pytest

from sgclaw.widgets.model import DateParts, ListParts, TickParts, Widget
from sgclaw.widgets.spot import fits, spot_of
from sgclaw.widgets.table import LIBRARIES, recognised, rows_for

_SELECT = ["input#x.el-select__input", "div.el-select__wrapper.is-focus", "div.el-select", "div.el-form-item", "body"]


@pytest.mark.requirement("WID-23")
def test_a_widget_is_the_innermost_root_around_the_element() -> None:
    rows = rows_for((ListParts,))
    found = recognised(rows, _SELECT, None)
    assert found is not None
    assert found.root == ".el-select"


@pytest.mark.requirement("WID-23")
def test_of_two_rows_for_one_level_the_first_is_taken() -> None:
    found = recognised(rows_for((DateParts,)), ["div.el-date-editor.el-date-editor--daterange.el-range-editor"], None)
    assert found is not None
    assert found.name == "日期范围"


@pytest.mark.requirement("WID-23")
@pytest.mark.parametrize("within", [[], ["input", "div.el-select-like", "body"], ["div.my-el-select"], ["html"]])
def test_a_class_that_only_resembles_one_is_no_widget(within: list[str]) -> None:
    assert recognised(rows_for((ListParts,)), within, None) is None


@pytest.mark.requirement("WID-23")
def test_a_stand_in_is_recognised_by_what_follows_the_hidden_control() -> None:
    row = Widget("库", "下拉框", "div.stand-in", TickParts("", "", ""), beside=True)
    assert recognised([row], ["select#x", "body"], "div.stand-in.is-open") is row
    assert recognised([row], ["select#x", "div.stand-in", "body"], None) is None


@pytest.mark.requirement("WID-24")
def test_parts_are_found_from_whatever_part_was_named_in_its_own_document() -> None:
    spot = spot_of("#frame >>> .row input, #x", ".el-select")
    assert spot.whole == "#frame >>> .el-select:is(:is(.row input, #x), :has(:is(.row input, #x)))"
    assert spot.inside(".caret").endswith(")) .caret")
    assert spot.inside("&.is-on").endswith(")).is-on")
    assert spot.page(".popup") == "#frame >>> .popup"


@pytest.mark.requirement("WID-24")
def test_a_stand_in_stands_right_behind_its_control() -> None:
    assert spot_of("#x", ".stand-in", beside=True).whole == ":is(#x) + .stand-in"


def test_tag_and_classes_must_all_be_there() -> None:
    assert fits("tr.row", "tr#r1.row.is-hover")
    assert not fits("tr.row", "td.row")
    assert not fits(".a.b", "div.a")


def test_no_two_rows_of_a_library_are_the_same() -> None:
    for library in LIBRARIES:
        rows = [(row.css, type(row.parts), row.beside) for row in library.widgets]
        assert len(rows) == len(set(rows))
        assert {row.library for row in library.widgets} == {library.name}
