import pytest

from sgclaw.policy.labels import IRREVERSIBLE_LABELS, irreversible_word, plain_label


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
