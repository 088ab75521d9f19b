import pytest

from sgclaw.skills.manifest import Capabilities, Manifest
from sgclaw.skills.search import SkillIndex
from sgclaw.skills.words import clean, cut, fold


def skill(name: str, description: str, *triggers: str, when: str = "", tags: tuple[str, ...] = ()) -> Manifest:
    return Manifest(
        name=name,
        version="1.0.0",
        kind="script",
        description=description,
        when_to_use=when,
        triggers=triggers,
        tags=tags,
        domains=(f"{name.partition('-')[0]}.example.com",),
        capabilities=Capabilities(actions=("click",)),
    )


REPORT = skill("erp-report", "从ERP导出月度财务报表。", "导出月度报表", "财务月报")
ATTENDANCE = skill("hr-attendance", "导出月度考勤报表。", "导出考勤报表")
SUPPLIER = skill("erp-supplier", "导入供应商。", "导入供应商")


def names(text: str, *manifests: Manifest) -> list[str]:
    return [hit.name for hit in SkillIndex(manifests).search(fold(text))]


@pytest.mark.requirement("SEARCH-01")
def test_a_whole_trigger_beats_shared_words() -> None:
    assert names("导出月度报表", ATTENDANCE, REPORT)[0] == "erp-report"
    assert names("导出考勤报表", ATTENDANCE, REPORT)[0] == "hr-attendance"


@pytest.mark.requirement("SEARCH-01")
def test_the_exact_phrase_beats_the_same_words_in_another_order() -> None:
    hits = [SkillIndex([REPORT]).search(text)[0] for text in ("导出月度报表", "月度报表导出")]
    assert [hit.full for hit in hits] == [True, True]
    assert hits[0].score > hits[1].score


@pytest.mark.requirement("SEARCH-01")
def test_a_word_nobody_has_is_unexplained_and_costs_score() -> None:
    index = SkillIndex([REPORT])
    plain, more = index.search("导出月度报表")[0], index.search("导出月度报表的模板")[0]
    assert (plain.unexplained, more.unexplained) == ((), ("模板",))
    assert more.score < plain.score


@pytest.mark.requirement("ROUTE-20")
def test_unexplained_words_are_those_that_were_typed() -> None:
    index = SkillIndex([SUPPLIER])
    assert index.search("导入供应商月报")[0].unexplained == ("月报",)
    assert index.unexplained("erp-supplier", "导入供应商月报") == ("月报",)


@pytest.mark.requirement("ROUTE-17")
def test_the_longest_trigger_that_stands_in_a_text_is_found_with_its_skills() -> None:
    twin = skill("a-twin", "导出财务月报。", "财务月报")
    assert SkillIndex([REPORT, twin]).longest_phrase("把 财务 月报 发我") == ("财务月报", ("a-twin", "erp-report"))
    assert SkillIndex([REPORT]).longest_phrase("导出台账") == ("", ())


@pytest.mark.requirement("SEARCH-02")
@pytest.mark.parametrize("text", ["导出供应商", "下载供应商", "请把供应商导出来"])
def test_the_opposite_of_what_was_asked_is_left_out_whatever_it_scores(text: str) -> None:
    assert "erp-supplier" in names("供应商", SUPPLIER, REPORT)
    assert "erp-supplier" not in names(text, SUPPLIER, REPORT)


@pytest.mark.requirement("SEARCH-02")
def test_a_skill_that_does_both_is_not_left_out() -> None:
    both = skill("erp-both", "供应商维护。", "导入供应商", "导出供应商")
    assert names("导出供应商", both) == ["erp-both"]


@pytest.mark.requirement("SEARCH-03")
def test_what_a_skill_says_it_is_not_for_does_not_count() -> None:
    honest = skill("erp-honest", "导出台账。", "导出台账", when="需要台账时。不要用于季度报表")
    assert names("季度报表", honest) == []


@pytest.mark.requirement("SEARCH-03")
def test_tags_domains_and_names_count() -> None:
    tagged = skill("crm-list", "列出往来单位。", tags=("客户",))
    assert names("客户", tagged) == ["crm-list"]
    assert names("crm", tagged) == ["crm-list"]


@pytest.mark.requirement("SEARCH-04")
@pytest.mark.parametrize("text", ["导出月渡报表", "导出月度保表"])
def test_a_misspelt_trigger_is_resembled(text: str) -> None:
    assert SkillIndex([REPORT, SUPPLIER]).resembling(text) == ["erp-report"]


@pytest.mark.requirement("SEARCH-04")
@pytest.mark.parametrize("text", ["导入月渡报表", "今天天气", ""])
def test_opposites_and_other_texts_are_not_resembled(text: str) -> None:
    assert SkillIndex([REPORT]).resembling(text) == []


def test_equal_scores_come_in_the_order_of_names() -> None:
    assert names("导出台账", skill("b-x", "导出台账。", "导出台账"), skill("a-x", "导出台账。", "导出台账")) == [
        "a-x",
        "b-x",
    ]


@pytest.mark.parametrize("text", ["", "的了吗", "???", "帮我"])
def test_a_text_without_meaning_finds_nothing(text: str) -> None:
    assert names(text, REPORT) == []


# --- words ----------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("SEARCH-05")
@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("\uff25\uff52\uff30\uff1a\uff12\uff10\uff12\uff16", "erp:2026"),
        ("「报表」『甲』", "“报表”“甲”"),
        ("A\u3000B", "a b"),
        ("3月～5月", "3月~5月"),
        ("İ", "İ"),
    ],
)
def test_widths_case_and_marks_fold_and_positions_stay(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert len(fold(text)) == len(text)


@pytest.mark.requirement("SEARCH-05")
def test_characters_nobody_sees_do_not_split_a_word() -> None:
    assert clean("月\u200b度\ufeff报\u00ad表\n导出") == "月度报表 导出"


@pytest.mark.requirement("SEARCH-05")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("财务月报", ["财务", "月报"]),
        ("导出来了", ["导出来", "了"]),
        ("订机票", ["订", "机票"]),
        ("查A-1002", ["查", "a-1002"]),
        ("导出,报表", ["导出", "报表"]),
        ("财务月报导出", ["财务", "月报", "导出"]),
        ("月报导出来", ["月报", "导出来"]),
        ("月报导一下", ["月报", "导", "一下"]),
        ("季报发我", ["季报", "发我"]),
        ("月报表", ["月报表"]),
    ],
)
def test_words_come_out_the_same_wherever_they_stand(text: str, words: list[str]) -> None:
    assert cut(fold(text)) == words
