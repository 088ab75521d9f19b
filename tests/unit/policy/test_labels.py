import unicodedata
from itertools import product
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgclaw.policy import labels
from sgclaw.policy.labels import IRREVERSIBLE_LABELS, irreversible_word, parts_of, plain_label

_VARIANTS: Final = frozenset("帐後")
"""Forms of the table that mainland pages and their character set know too."""


@pytest.mark.requirement("POLICY-05")
@pytest.mark.parametrize("word", ["提交", "审批", "通过", "驳回", "删除", "支付", "发送", "作废"])
def test_the_words_of_the_design_are_in_the_default_list(word: str) -> None:
    assert word in IRREVERSIBLE_LABELS


def test_the_default_list_is_in_the_form_labels_are_compared_in() -> None:
    assert [plain_label(word) for word in IRREVERSIBLE_LABELS] == list(IRREVERSIBLE_LABELS)
    assert len(set(IRREVERSIBLE_LABELS)) == len(IRREVERSIBLE_LABELS)


@pytest.mark.requirement("POLICY-05")
@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("提交", "提交"),
        ("提 交", "提交"),
        ("提\u3000交", "提交"),
        ("提\u00a0交", "提交"),
        ("提\u200b交", "提交"),
        ("提\n\t交", "提交"),
        ("\u202e提交\u202c", "提交"),
        ("立即提交 >", "提交"),
        ("审批通过", "审批"),
        ("\uff33\uff35\uff22\uff2d\uff29\uff34", "submit"),
        ("Sub mit order", "submit"),
        ("DELETE", "delete"),
        ("⽀付", "支付"),
        ("支付¥100", "支付"),
    ],
)
def test_a_label_that_says_so_is_irreversible_however_it_is_spaced_or_written(label: str, word: str) -> None:
    assert irreversible_word(label, IRREVERSIBLE_LABELS) == word


@pytest.mark.requirement("POLICY-05")
@pytest.mark.parametrize("label", ["", " ", "查询", "导出", "下一页", "取消", "返回", "Export", "重置", "交提"])
def test_an_ordinary_label_is_not(label: str) -> None:
    assert irreversible_word(label, IRREVERSIBLE_LABELS) is None


def test_only_the_given_words_count() -> None:
    assert irreversible_word("提交", ("导出",)) is None
    assert irreversible_word("导 出", ("导出",)) == "导出"
    assert irreversible_word("提交", ()) is None


def _encodes(char: str, codec: str) -> bool:
    return char.encode(codec, "ignore") != b""


def _spellings(word: str) -> list[str]:
    """The word in every mixture of simplified and traditional forms."""
    forms: dict[str, str] = {}
    for pair in labels._TRADITIONAL:
        forms[pair[1]] = forms.get(pair[1], pair[1]) + pair[0]
    return ["".join(chars) for chars in product(*(forms.get(char, char) for char in word))]


@pytest.mark.requirement("POLICY-24")
@pytest.mark.parametrize("word", IRREVERSIBLE_LABELS)
def test_a_word_counts_in_traditional_characters_too(word: str) -> None:
    for spelling in _spellings(word):
        assert plain_label(spelling) == word
        assert irreversible_word(spelling, IRREVERSIBLE_LABELS) is not None, spelling


@pytest.mark.requirement("POLICY-24")
def test_every_simplified_character_of_the_words_has_its_traditional_ones_in_the_table() -> None:
    simplified = {char for word in IRREVERSIBLE_LABELS for char in word if not _encodes(char, "big5")} - set(
        labels.ICONS
    )
    assert simplified <= {pair[1] for pair in labels._TRADITIONAL}


@pytest.mark.requirement("POLICY-24")
def test_the_table_folds_traditional_characters_alone_and_each_once() -> None:
    old = [pair[0] for pair in labels._TRADITIONAL]
    assert len(set(old)) == len(old)
    assert {len(pair) for pair in labels._TRADITIONAL} == {2}
    assert {char for char in old if _encodes(char, "gb2312")} == _VARIANTS
    assert not {pair[1] for pair in labels._TRADITIONAL} & set(old)


_AROUND: Final = st.text(
    st.sampled_from(
        "  \u3000\u00a0\t\n\u200b\u200d\ufeff\u2060\u00ad\ufe0f\u202e\u2066"
        "!?,.;:()[]{}<>*#+=|/~-_'\"！？，。；：（）【】「」《》、…—·＞≫«»→➜✅✔❌⚠🗑🚀💰👍🏽🔒①"
    ),
    max_size=6,
)
_INSIDE: Final = st.text(st.sampled_from(" \u3000\u00a0\t\n\u200b\u200d\ufeff\u2060\u00ad\ufe0f\u202e"), max_size=2)


@st.composite
def _dressed(draw: st.DrawFn) -> str:
    """An order word as a page may dress it."""
    word = draw(st.sampled_from(IRREVERSIBLE_LABELS))
    word = draw(st.sampled_from(_spellings(word)))
    if draw(st.booleans()):
        word = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in word)
    if draw(st.booleans()):
        word = word.upper()
    inner = [draw(_INSIDE) for _ in word]
    return draw(_AROUND) + "".join(map("".join, zip(word, inner, strict=True))) + draw(_AROUND)


@pytest.mark.requirement("POLICY-25")
@given(_dressed())
def test_an_order_asks_whatever_it_is_dressed_in(label: str) -> None:
    assert irreversible_word(label, IRREVERSIBLE_LABELS) is not None


@pytest.mark.requirement("POLICY-25")
@given(st.text(max_size=40))
def test_a_plain_label_shows_everything_and_is_its_own_plain_label(label: str) -> None:
    plain = plain_label(label)
    assert not [char for char in plain if unicodedata.category(char)[0] in "CMZ"]
    assert plain == "".join(parts_of(label))


@pytest.mark.requirement("POLICY-25")
def test_a_label_too_long_for_a_name_is_not_excused() -> None:
    assert irreversible_word("审批记录" + "·" * 1_996, IRREVERSIBLE_LABELS) is None
    assert irreversible_word("审批记录" + "·" * 1_997, IRREVERSIBLE_LABELS) == "审批"
    assert irreversible_word("查询" * 2_000, IRREVERSIBLE_LABELS) is None
