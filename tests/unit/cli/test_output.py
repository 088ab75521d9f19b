import contextlib
import io

import pytest

from sgclaw.cli.output import table, use_utf8, width_of
from sgclaw.redact import inert


@pytest.mark.requirement("CLI-06")
def test_a_gbk_console_takes_every_text() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="gbk")
    with contextlib.redirect_stdout(stream):
        use_utf8()
    stream.write("月报 \u20b9 \U0001f600 \udc80")
    stream.flush()
    assert raw.getvalue() == "月报 ₹ 😀 \\udc80".encode()


@pytest.mark.requirement("CLI-07")
def test_text_from_outside_cannot_write_over_the_terminal() -> None:
    assert inert("a\x1b[2Jb\u202ec\x07\nd") == "a [2Jb c \nd"


def test_columns_line_up_when_cells_are_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    table(("名称", "值"), [("a", "1"), ("月报", "2")])
    assert capsys.readouterr().out.splitlines() == ["名称  值", "a     1", "月报  2"]
    assert width_of("月报a") == 5
