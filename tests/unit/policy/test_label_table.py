"""Labels as business pages write them, and whether pressing one is a matter for a person. Every reading is a row.

Left out, for the label alone does not tell. They ask, which is the safe side: 审批通过 and 撤销 (a state or an undo,
and a button); 清空 提交记录 删除记录 提交说明 提交材料清单 确认收入明细 移除附件 (a name, or a verb and its object);
用户授权 短信授权 档案归档 期末结账 (an entry of a menu, or a button); Wipe transition. Neither 重置 nor Reset asks:
nearly always they empty a search form. Pinyin is nobody's label.
"""

from typing import Final

import pytest

from sgclaw.policy.labels import IRREVERSIBLE_LABELS, irreversible_word


def _rows(text: str) -> list[str]:
    return [label for line in text.strip().splitlines() for label in line.split("|") if label]


ORDERS: Final = _rows(
    """
提　交|\uff53\uff55\uff42\uff4d\uff49\uff54|✅提交|提交✔|确 定并提交|送出|核准|提交審批|確認付款|取消审批|撤销操作
撤回申请|保存并提交|保存并发送|送審|審批|審核|駁回|刪除|確認|轉賬|匯款|撤銷|核銷|確定刪除|刪 除|轉帳|轉帐|簽署|發送
廢止|啟用|啓用|覆核|註銷|歸檔|繳費|導入|撤回|保存并生效|提交并继续|提交并新建|确认无误，提交|我已阅读并同意|同意并继续
同意|不同意|拒签|退签|打回|回退|驳 回|转审|加签|送审|送签|提审|报审|呈报|呈批|呈送|批复|批示|会签|发起审批|发起流程
启动流程|终止流程|作废单据|作 废|反审核|反审|弃审|审核通过|通 过|批量通过|一键审批|批量删除|删 除|彻底删除|永久删除
清空回收站|移出|踢出|解散群|注销账号|冻结账户|红冲|冲红|冲销|冲账|记账|过账|结账|月末结账|反结账|反过账|登账|入账|销账
平账|开票|开具发票|作废发票|红字发票|打印并作废|付款确认|确认支付|立即支付|去支付|支 付|确认收货|确认收款|收款|退款
同意退款|发放工资|工资发放|发薪|代发|缴税|申报|一键申报|纳税申报|提交申报|扣款|下单|提交订单|确认下单|采购下单|签收
签订|签约|签署合同|签订合同|盖章|用印|电子签章|发布|发布公告|群发|发送邮件|发送|发 送|回复并发送|转发|推送|下发|归档
办结|结案|立案|撤案|撤诉|上诉|送达|离职办理|办理离职|辞职|转正|办理转正|调岗|解除劳动合同|终止合同|停薪|停用|启用|禁用
恢复|还原|同步|恢复数据|立即同步|重置密码|恢复出厂设置|格式化|覆盖|导入并覆盖|导入|导入数据|立即执行|执行|执行任务
运行|授权|取消授权|解绑|移除成员|设为管理员|转让|转移所有权|过户|投票|中标|定标|发标|开标|关闭订单|取消订单
确认取消订单|取消合同|关闭工单|取消预约|取消申请|撤销申请|挂失|注资|放款|还款|提前还款|提现|充值|划转|调账|核销|批准
批 准|准予|准许|不予批准|否决|结转|计提|报废|处置|报损|盘亏|调拨|领用|归还|发货|出库|入库|退货|拒收|是，删除
确定要删除吗|提交(1)|提交>>|去提交|马上提交|已阅并提交|确认已付款|标记为已付款|审批通过后自动付款|🗑️ 删除|🗑|🗑️|❌|✅
🚮|[🗑]|Submit|SUBMIT|Sub mit|Save & Submit|Save and send|Approve|Reject|Decline|Delete|Delete permanently|Remove
Discard|Pay now|Checkout|Check out|Place order|Buy now|Transfer|Send|Post|Post journal|Publish|Confirm|Agree|I agree
Accept|Accept offer|Sign|Sign contract|E-sign|Void|Void invoice|Cancel order|Cancel the order|Cancel subscription
Reverse|Close period|Lock period|Release payment|Issue invoice|Execute|Run payroll|Terminate|Disable|Enable|Deactivate
Revoke|Unsubscribe|Sign out|Log out|Archive|Merge|Deploy|OK, delete|Yes, delete it|Finalise|Finalize|Complete|Resign
Dismiss employee|\uff24\uff45\uff4c\uff45\uff54\uff45
"""
)

NAMES: Final = _rows(
    """
是|OK|下一步|上一步|取消|关闭|返回|查询|搜索|重置筛选|重置条件|清空条件|清除筛选|导出|导出Excel|下载|下载模板|打印
预览|查看|查看详情|详情|编辑|修改|新增|新建|添加|保存|保存草稿|暂存|刷新|展开|收起|更多|全选|反选|筛选|高级查询
我的申请|我的审批|待我审批|已审批|待审核|审批记录|审批历史|审批流程图|查看审批意见|审批意见|审核状态|审批人|提交人
提交时间|已提交|未提交|待提交|支付方式|支付状态|付款申请单|付款单列表|付款记录|付款计划|退款记录|已删除|回收站|删除线
发送记录|已发送|发送人|发件箱|收件箱|草稿箱|发布时间|发布管理|公告发布|通知公告|授权管理|授权书下载|启用状态|停用日期
是否启用|启用日期|确认单|确认书|收入确认表|确认函|合同签署管理|签署记录|签章管理|印章管理|用印申请|用印记录|盖章记录
归档管理|归档记录|归档查询|结账管理|记账凭证|报销单|报销申请|费用报销|借款单|导入模板|下载导入模板|导入记录|离职证明
离职人员|离职员工|入职登记|转正申请|申报记录|申报管理|结算单|收款单|出库单|入库单|发货单|投票结果|支付宝|转账记录
银行转账|审批设置|审核规则|通过率|通过手机号登录|不再提醒|我知道了|知道了|跳过|登录|同意书|用户协议|隐私政策|帮助|反馈
意见反馈|撤消|撤销(Ctrl+Z)|撤销 Ctrl+Z|重做|重置|恢复默认列|复制|粘贴|剪切|上移|下移|拖拽排序|切换账号|审批中心
提交成功|审核未通过|删除成功|下载中心|支付中心|付款管理|清空输入|移除筛选|取消删除|取消提交|不删除|暂不提交|稍后提交
取消支付|审批单打印|打印审批单|导出审批记录|下载付款回单|查看付款凭证|发送至打印机|复核人|复核记录|通过日期|同意人
批准文号|驳回原因|驳回次数|拒绝原因|退回原因|查看退回原因|撤销记录|冻结首行|冻结列|冻结资金明细|终止日期|合同终止日期
作废单据查询|作废发票列表|已作废|查看已作废单据|注销日期|注销登记查询|覆盖率|覆盖范围|初始化状态|扣款明细|扣款记录
提现记录|退款进度|退款明细|结案报告|归档号|支付宝账号|短信发送记录|授权码|授权码登录|授权列表|用户启用列表|投票记录
充值记录|上线时间|生效日期|失效日期|申报期|月结单|督办事项|推送设置|移交清单|退出全屏|退出编辑|退出预览|下线时间
导入向导|导入结果|还款计划|转让协议书模板|开标记录|送达回证|收入账户|营销账户|时代发展|審批記錄|待審批|審批流程圖
付款單列表|發送記錄|驗收單|待我審批|授權碼|是否啟用|刪除成功|Close|Cancel|Next|Back|Search|Filter|Reset|Reset filters
Export|Download|Print|View|Edit|New|Add|Save|Save draft|Refresh|More|Select all|Approval history|Approvals
My approvals|Pending approval|Approved|Approver|Submitted|Submissions|Submission date|Payment method|Payments
Payment history|Payment terms|Payslip|Pay slip|Payroll|Payee|Paypal|PayPal|Deleted items|Sent|Sent items|Sender
Published|Publisher|Publication|Transfer history|Transferred|Rejected|Rejection reason|Confirmation|Confirmed|Granted
Grants|Removed|Display|Repay schedule|Company|Sending options|Resend code|Removable|Remover|Approximate|Weekend sales
Spend|Spending report|Suspend list|Legend|Calendar|Ascending|Descending|Attending|Pending|Payable|Accounts payable
Payment status|Grantor|Immigrant|Migrants|Fragrant|Emigrant list|Pursuant|Swipe left|Withdrawal history|Withdrawn
Sendgrid settings|Transfer of shares|Don't send|Don’t delete|Design|Assign|Avoid|Posts|View post|Post code|Sign in
Sign up|Disabled|Completed|Compare|Signature|Emerge|Executive|Archives|tijiao|shenpi|tongguo
"""
)

NEARLY_EXCUSED: Final = _rows(
    """
提交成功后删除|提交成功，删除|支付成功|标记提交成功|设为审批成功|确认删除成功|不通过|不批准|不启用|暂不通过|取消发布
取消归档|取消冻结|不删除则提交|稍后自动提交|我不删除|取消删除并提交|确认取消提交|提交我的审批|我的审批通过
待我审批通过|清空筛选结果|清空筛选出的数据|清空已选数据|移除筛选结果|删除线路|冻结列表|冻结行程|发送至打印机并提交
公告发布并推送|确认表单|用印申请提交|作废打印|同意打印|同意设置|审核报告|退回流程|撤回流程|停用日志|启用记录|删除列表
删除状态|冻结资金|启用列表项|是否启用？|是否启用该账号|是否停用|是否删除|授权下载|撤销Z单|银行转账确认|批量 导入
导入 从Excel导入数据|Excel模板。导入|❌ 删除|审批记录 提交|已提交 审批|开具发票单|归档目录|Transfer offer|Pay dayton
Payment history, pay|Submit time|Deletes the record|Mark as paid|Mark as approved|Mark it as published|To be deleted
Start sending|btnSubmit|SubmitOrder|submit_order|do-submit|deleteall|Resubmit|Resend invitation|Don't save, delete
Do not accept|I do not agree|Never mind, send|Payment history?|Delete draft?|Bulk archive|Save and post|Yes, void it
Withdrawal|Approve transfer|Delete payment history|Sign off|eSign|Sign-out|S U B M I T|提交Submit|过账 Post
Archive records|Co-sign
"""
)


@pytest.mark.requirement("POLICY-10")
@pytest.mark.parametrize("label", [*ORDERS, *NEARLY_EXCUSED])
def test_a_label_that_orders_what_cannot_be_taken_back_asks(label: str) -> None:
    assert irreversible_word(label, IRREVERSIBLE_LABELS) is not None


@pytest.mark.requirement("POLICY-10")
@pytest.mark.parametrize("label", NAMES)
def test_a_label_that_names_or_puts_off_or_reports_asks_for_nothing(label: str) -> None:
    assert irreversible_word(label, IRREVERSIBLE_LABELS) is None


def test_no_label_stands_on_both_sides_or_twice() -> None:
    everything = [*ORDERS, *NEARLY_EXCUSED, *NAMES]
    assert sorted({label for label in everything if everything.count(label) > 1}) == []
