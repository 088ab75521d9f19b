"""The estimate that keeps views within their caps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.tokens.bound import SLACK, estimate
from tests.unit.perception.pages import tokens

COMMON = "合同提交删除审批报表财务月度凭证科目金额借方贷方部门人员社保薪酬核验申报驳回通过导出查询重置上一页下一页"
WORDS = (
    "the",
    "report",
    "table",
    "export",
    "select",
    "click",
    "Contract",
    "number",
    "date",
    "amount",
    "getAomSnapshot",
)
SEGMENTS = st.one_of(
    st.text(alphabet=COMMON, min_size=1, max_size=12),
    st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=1, max_size=4),
    st.sampled_from(WORDS),
    st.integers(0, 10**12).map(str),
    st.integers(1, 999).map("[{}]".format),
    st.text(alphabet="，。：；、（）《》“”！？—…", min_size=1, max_size=3),
    st.text(alphabet="!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~ ", min_size=1, max_size=4),
    st.text(alphabet="😀🎉👩‍💻🏳️‍🌈✅❌☑①②③", min_size=1, max_size=3),
    st.just("\n"),
)


@pytest.mark.requirement("SEE-12")
@settings(max_examples=300)
@given(st.lists(SEGMENTS, max_size=120).map("".join))
def test_the_estimate_is_never_below_a_real_tokenizer(text: str) -> None:
    assert tokens(text) <= estimate(text) + SLACK


@pytest.mark.requirement("SEE-12")
@settings(max_examples=100)
@given(
    st.lists(
        st.text(alphabet="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", max_size=12), max_size=80
    )
)
def test_random_letters_do_not_break_the_bound(words: list[str]) -> None:
    text = " ".join(words)
    assert tokens(text) <= estimate(text) + SLACK
