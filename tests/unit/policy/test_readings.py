"""Labels that name things and states, and labels that give orders, both ways."""

import pytest

from sgclaw.policy import labels
from sgclaw.policy.labels import IRREVERSIBLE_LABELS, irreversible_word


@pytest.mark.requirement("POLICY-10")
@pytest.mark.parametrize(
    "label",
    [
        # what readers look at: records, states, counts, people
        *(
            "审批记录",
            "审批历史",
            "审批流程",
            "审批中心",
            "审批意见",
            "审批人",
            "审批人 张三",
            "审批进度 3",
            "审核状态",
        ),
        *(
            "通过率",
            "查询通过率",
            "提交人",
            "提交时间",
            "发布日期",
            "发送人",
            "付款记录",
            "转账明细",
            "支付方式",
            "付款单",
        ),
        *(
            "驳回原因",
            "退回原因",
            "作废原因",
            "停用日期",
            "归档日期",
            "过账日期",
            "授权书",
            "授权范围",
            "确认单",
            "确认书",
        ),
        *(
            "已提交",
            "已审批",
            "未提交",
            "待审批",
            "待审批(3)",
            "待付款",
            "待确认",
            "未支付",
            "正在提交",
            "审批中",
            "审核中 2",
        ),
        *("查询已删除", "显示已作废", "审核未通过", "审批已通过", "张三 已提交 2026-03-02", "导出已提交"),
        *("清空筛选", "清除条件", "重置", "冻结首行", "支付宝", "通过短信验证"),
        # names of things as often as of acts
        *(
            "报销管理",
            "我的报销",
            "费用报销单",
            "导入模板",
            "下载导入模板",
            "数据导入",
            "开票信息",
            "记账凭证",
        ),
        *("生效日期", "归还时间", "收款账户", "入库单", "发货管理", "退出全屏", "督办事项", "申报记录"),
        *("Approved", "Submitted", "Deleted", "Sender", "Payment history", "Transfer records", "Payroll", "display"),
    ],
)
def test_a_label_that_names_a_thing_or_a_state_asks_for_nothing(label: str) -> None:
    assert irreversible_word(label, IRREVERSIBLE_LABELS) is None


@pytest.mark.requirement("POLICY-10")
@pytest.mark.parametrize(
    ("label", "word"),
    [
        # the same words as orders
        *(("审批", "审批"), ("通过", "通过"), ("审批通过", "审批"), ("不通过", "通过"), ("同意并提交", "同意")),
        *(("提交审批记录", "提交"), ("删除审批记录", "删除"), ("提交人员名单", "提交"), ("审批记录 · 删除", "删除")),
        *(("清空已删除", "清空"), ("删除已提交单据", "删除"), ("提交已审核单据", "提交"), ("标记已付款", "付款")),
        *(("设为已提交", "提交"), ("已付款", "付款"), ("我已同意", "同意"), ("我已签署", "签署"), ("已确认", "确认")),
        *(
            ("支付订单", "支付"),
            ("支付宝支付", "支付"),
            ("付款", "付款"),
            ("重置密码", "重置密码"),
            ("冻结账户", "冻结"),
        ),
        *(("删除记录", "删除"), ("提交结果", "提交"), ("确认明细", "确认"), ("反审核", "反审"), ("弃审", "弃审")),
        *(("确定要查看审批记录吗？", "审批"), ("是否删除已提交的单据?", "删除"), ("确定让合同失效？", "失效")),
        # the act itself
        *(
            ("报销", "报销"),
            ("立即报销", "报销"),
            ("离职", "离职"),
            ("办理离职", "离职"),
            ("离职办理", "离职"),
            ("批量导入", "导入"),
            ("导入", "导入"),
        ),
        *(("生效", "生效"), ("立即生效", "生效"), ("失效该版本", "失效"), ("置为失效", "失效"), ("退出", "退出")),
        *(
            ("退出登录", "退出登录"),
            ("归还", "归还"),
            ("保存 · 生效", "生效"),
            ("开票 >", "开票"),
            ("一键申报", "申报"),
        ),
        # the verbs of the house
        *(
            (word, word)
            for word in ("下达", "核销", "红冲", "冲销", "打款", "划款", "放款", "解约", "停用", "启用", "下架")
        ),
        *(
            (word, word)
            for word in ("恢复出厂", "覆盖", "终止", "中止", "结案", "红字", "签收", "办结", "下发", "交办", "督办")
        ),
        *(("Delete all", "delete"), ("Approve transfer of 1,000,000", "approve"), ("Log out", "logout")),
        *(
            ("Mark as approved", "approve"),
            ("Make payment", "payment"),
            ("Grant admin", "grant"),
            ("Sign out", "signout"),
        ),
    ],
)
def test_a_label_that_orders_asks(label: str, word: str) -> None:
    assert irreversible_word(label, IRREVERSIBLE_LABELS) == word


@pytest.mark.requirement("POLICY-10")
def test_a_word_that_a_host_lists_itself_is_not_excused_by_a_reading_as_long_as_it() -> None:
    assert irreversible_word("审批记录", ("审批记录",)) == "审批记录"
    assert irreversible_word("已提交", ("已提交",)) == "已提交"
    assert irreversible_word("审批记录", ("审批",)) is None


@pytest.mark.requirement("POLICY-10")
@pytest.mark.parametrize("word", IRREVERSIBLE_LABELS)
def test_every_word_alone_asks_and_no_group_holds_it_twice(word: str) -> None:
    assert irreversible_word(word, IRREVERSIBLE_LABELS) is not None
    groups = (
        "DECISIONS",
        "SENDING",
        "DESTROYING",
        "ENDING",
        "BOOKING",
        "PAYING",
        "ENTITLING",
        "AGREEING",
        "NOUNS_TOO",
        "ENGLISH",
        "ENGLISH_NOUNS_TOO",
        "ICONS",
    )
    assert sum(word in getattr(labels, group) for group in groups) == 1


@pytest.mark.requirement("POLICY-10")
def test_a_word_of_a_host_is_read_by_the_same_tables_as_the_word_it_is_a_piece_of_or_holds() -> None:
    assert irreversible_word("审批记录", ("审",)) is None
    assert irreversible_word("审核", ("审",)) == "审"
    assert irreversible_word("审批单列表", ("审批单",)) is None
    assert irreversible_word("生成报表", ("报表",)) == "报表"
    assert irreversible_word("C++", ("c++",)) == "c++"
    assert irreversible_word("e-mail all", ("e-mail",)) == "e-mail"
    assert irreversible_word("go-live", ("-",)) is None
    assert irreversible_word("1 - 2", ("-",)) == "-"
    assert irreversible_word("a", ("a",)) == "a"
