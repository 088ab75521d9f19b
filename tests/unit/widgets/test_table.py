import pytest

from sgclaw.widgets.layui import LAYUI
from sgclaw.widgets.model import DateParts
from sgclaw.widgets.table import recognised

_DATES = [row for row in LAYUI.widgets if isinstance(row.parts, DateParts)]


@pytest.mark.requirement("WID-25")
def test_a_bare_tag_is_a_root_only_where_a_class_of_its_library_is_around_it() -> None:
    assert recognised(_DATES, ["input#day.field", "div", "body"], None) is None
    found = recognised(_DATES, ["input#day.field", "div.layui-input-block", "body"], None)
    assert found is not None
    assert (found.name, found.css) == ("日期", "input[lay-key]")


@pytest.mark.requirement("WID-23")
def test_what_stands_for_a_hidden_control_is_recognised_beside_it_and_by_itself() -> None:
    beside = recognised(LAYUI.widgets, ["select#dept", "div", "body"], "div.layui-form-select.layui-unselect")
    itself = recognised(LAYUI.widgets, ["div.layui-form-select", "div", "body"], None)
    assert beside is not None
    assert itself is not None
    assert (beside.name, beside.beside) == ("下拉框", True)
    assert (itself.name, itself.beside) == ("下拉框", False)
