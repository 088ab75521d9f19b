"""The words of office instructions, as data: verbs and their opposites, synonyms, and words that say nothing.

No embedding tells 通过 from 驳回, so opposites are a table. A verb belongs to one group; a skill that does one side
of a pair never answers an instruction that asks for the other. Everything here is written folded (`words.fold`).
"""

from __future__ import annotations

from collections.abc import Mapping

_VERBS = """
export   导出 下载 输出 导成 导出来 拉取 拉 导 export download
import   导入 上传 导进 import upload
make     生成 制作 出具 出
approve  通过 批准 同意 核准 准予 审批通过 审核通过 approve pass
reject   驳回 拒绝 退回 否决 打回 不通过 不同意 不批准 不予通过 reject deny
review   审批 审核 审签 批阅 批 review
add      新增 添加 新建 创建 增加 增设 add create
delete   删除 删掉 移除 清除 清空 删 delete remove
enable   启用 开启 激活 开通 enable
disable  停用 禁用 关闭 停掉 关停 disable
submit   提交 上报 报送 提报 申报 呈报 填报 submit
withdraw 撤回 撤销 收回 撤单 recall withdraw
lock     锁定 冻结 lock
unlock   解锁 解冻 unlock
book     预约 预订 预定 安排 订 约 book schedule
cancel   取消 退订 cancel
bind     绑定 关联 bind
unbind   解绑 解除绑定 取消关联 unbind
hire     入职 增员
leave    离职 减员
borrow   借出 借用 领用
return   归还 交还
stockin  入库
stockout 出库
shelve   上架 发布 publish
pull     下架 下线 unpublish
collect  收款
pay      付款 支付 转账 打款 pay
movein   转入
moveout  转出
raise    上调 提高 调高 调增
lower    下调 降低 调低 调减
checkin  签到
checkout 签退
look     查 看 看看 查查 看一下 看下
read     查询 查看 查找 搜索 浏览 显示 列出 列 有哪些 query list show view search
check    检查 核对 核验 校验 查验 比对 对比 排查 检测 稽核 审查 复核 验证 check verify
monitor  监测 监控 盯 跟踪 预警 monitor
sync     同步 sync
send     发送 发给 发到 发 寄 转发 推送 通知 抄送 send
print    打印 print
edit     修改 更新 编辑 变更 调整 改 改成 改为 update edit
fill     填写 录入 登记 填
count    统计 汇总 计算 核算 合计
remind   提醒 催办 催
archive  归档 存档 备份 备案
assign   指派 分配 派发 转办 移交 转交
sign     签署 签字 盖章
translate 翻译
analyse  分析 预测
buy      买 购买 采购
write    写 起草 撰写
call     打电话 联系
open     打开
move     移动 复制 粘贴
merge    合并 拆分
tell     告诉 解释 介绍 说明
repair   修 修复 维修 解决
"""

VERB_GROUPS: Mapping[str, str] = {
    word: row.split()[0] for row in _VERBS.strip().splitlines() for word in row.split()[1:]
}
"""Verb → its group."""

_OPPOSITE_PAIRS = (
    ("export", "import"),
    ("approve", "reject"),
    ("add", "delete"),
    ("enable", "disable"),
    ("submit", "withdraw"),
    ("lock", "unlock"),
    ("book", "cancel"),
    ("bind", "unbind"),
    ("hire", "leave"),
    ("borrow", "return"),
    ("stockin", "stockout"),
    ("shelve", "pull"),
    ("collect", "pay"),
    ("movein", "moveout"),
    ("raise", "lower"),
    ("checkin", "checkout"),
)
OPPOSITES: Mapping[str, str] = {a: b for left, right in _OPPOSITE_PAIRS for a, b in ((left, right), (right, left))}
"""Verb group → the group that undoes it."""

STANDS_FOR: Mapping[str, frozenset[str]] = {
    "look": frozenset({"read", "check", "monitor"}),
    "make": frozenset({"export"}),
}
"""Vague verb group → the groups it may mean: 查异常交易 asks for a check, 出一份月报 for an export."""

KIND_OF: Mapping[str, str] = {"approve": "review", "reject": "review"}
"""Verb group → the wider one it belongs to: who says 同意待办 has said what 审批待办 is for."""

HARMLESS_GROUPS = frozenset({"export", "make", "look", "read", "check", "monitor", "count", "analyse"})
"""What a bare noun (「3月的月度报表」) may start: these change nothing. Anything else needs its verb said."""

_SYNONYMS = """
月报 月度 报表
月报表 月度 报表
月度报告 月度 报表
季报 季度 报表
季报表 季度 报表
年报 年度 报表
年报表 年度 报表
周报表 周报
日报表 日报
报告 报表
月度财务报表 月度 财务 报表
薪资 薪酬
工资 薪酬
薪水 薪酬
社会保险 社保
五险 社保
合约 合同
待审批 待办
待审 待办
待批 待办
未审批 待办
审批单 待办
核帐 对账
对帐 对账
对账目 对账
账目核对 对账
开会 会议
例会 会议
周会 会议
会议室 会议室
可疑 异常
反常 异常
违规 违规
"""
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    row.split()[0]: tuple(row.split()[1:]) for row in _SYNONYMS.strip().splitlines()
}
"""Noun → the words it is counted as."""

_FILLERS = """
即可 就行 就好 即行 也行 也可以
请 请你 请您 麻烦 麻烦你 麻烦您 劳驾 拜托 帮 帮我 帮忙 帮帮 帮帮忙 给 给我 给我们 替 替我 把 将 我 我们 我要
我想 你 您 咱们 他 她 想 想要 需要 需 要 得 能 能否 可否 可以 能不能 可不可以 是否 行 行不行 行吗 好 好吗 好的
好不好 一下 一下子 下 吧 吗 么 呢 啊 哦 呀 哈 嘛 了 的 地 之 来 去 并 并且 和 与 跟 及 以及 还有 或 或者 在 从
到 由 对 对于 关于 为 以 成 成为 里 里面 里头 中 中的 内 上 下面 上面 按 按照 根据 这 这个 这些 这份 那 那个
那些 那份 该 其 一 一份 一个 一张 一遍 一次 一趟 一版 份 个 张 条 单 次 遍 谢谢 多谢 谢啦 辛苦 辛苦了 感谢 尽快
马上 立即 立刻 赶紧 赶快 现在 快 快点 快些 急 急用 急着 急需 很急 着急 老板 领导 经理 同事 你好 您好 嗨 哈喽 hi
hello hey please pls 进行 执行 运行 跑 跑一下 启动 开始 协助 协助我 完成 办理 操作 处理 处理一下 搞 搞定 做
做一下 弄 弄一下 含 包含 包括 带 带上 附带 附上 连同 以上 超过 大于 高于 多于 不少于 用 使用 利用 通过系统 也 都
就 再 先 然后 接着 同时 顺便 所有 全部 全 整个 各 各个 每个 有 有没有 是 被 让 咱 小助手 助手 机器人 sgclaw 同学
今儿 其中 方面 相关 有关 对应 所需 要求 需求 任务 工作 事 事情 活 the a an of for to in and me my 来一份 来个
来份 要一份 出来 下来 过来 一起 直接 自动地 当前 目前 最新 最新的 只 只要 仅 仅仅 单独 具体 我的 我们的 你的
公司 部门 单位 请问 请问一下 烦请 劳烦 请教 亲 啦 呗 哟 喔 重新 要看 想看 发我 发给我 发我一下 发给我们 给我发 记得
"""
FILLERS = frozenset(_FILLERS.split())
"""Words that say nothing about which skill is meant."""

_SOFT_WORDS = """
级别 状态 类型 编号 名称
系统 平台 软件 页面 模块 数据 文件 情况 信息 内容 格式 文档 版本 版 表格 表 报表 功能 业务 单据 月份 日期 时间
年份 ai
"""
SOFT_WORDS = frozenset(_SOFT_WORDS.split())
"""Words that count for a skill that names them and never against one that does not."""

LATIN_LABELS: Mapping[str, tuple[str, ...]] = {
    "xlsx": ("excel", "xlsx", "xls", "电子表格", "表格"),
    "xls": ("excel", "xls", "电子表格", "表格"),
    "excel": ("excel", "xlsx", "xls", "电子表格", "表格"),
    "csv": ("csv", "逗号分隔"),
    "pdf": ("pdf",),
    "docx": ("word", "docx", "doc"),
    "word": ("word", "docx", "doc"),
    "json": ("json",),
    "html": ("html", "网页"),
    "txt": ("txt", "纯文本", "文本文件"),
    "approve": ("审批通过", "审核通过", "通过", "批准", "同意", "核准", "准予", "approve"),
    "approved": ("已通过", "已批准", "通过的", "approved"),
    "pass": ("审批通过", "通过", "同意", "pass"),
    "agree": ("同意", "批准", "通过"),
    "reject": ("驳回", "拒绝", "退回", "否决", "打回", "不通过", "不同意", "不批准", "不予通过", "reject"),
    "rejected": ("已驳回", "被驳回", "已拒绝", "已退回"),
    "refuse": ("驳回", "拒绝", "退回", "不同意"),
    "all": ("全部", "所有", "批量", "一键", "全都", "统统", "all"),
    "list": (
        "列出",
        "查看",
        "查询",
        "列一下",
        "列表",
        "清单",
        "有哪些",
        "有什么",
        "看看",
        "看一下",
        "看下",
        "查一下",
        "查查",
        "list",
    ),
    "query": ("查询", "查看", "查一下", "看看", "看一下", "查查"),
    "view": ("查看", "查询", "看看", "看一下", "浏览"),
    "create": ("新建", "创建", "新增", "添加", "预约", "预订", "预定", "安排", "create"),
    "add": ("新增", "添加", "增加", "add"),
    "book": ("预约", "预订", "预定", "安排"),
    "delete": ("删除", "删掉", "移除", "delete"),
    "remove": ("删除", "删掉", "移除"),
    "cancel": ("取消", "退订", "cancel"),
    "update": ("修改", "更新", "变更", "调整", "改到", "改为"),
    "enable": ("启用", "开启", "激活", "enable"),
    "disable": ("停用", "禁用", "关闭", "disable"),
    "submit": ("提交", "上报", "报送", "申报", "提报"),
    "withdraw": ("撤回", "撤销", "收回"),
    "lock": ("锁定", "冻结"),
    "unlock": ("解锁", "解冻"),
    "import": ("导入", "上传"),
    "export": ("导出", "下载"),
    "upload": ("上传",),
    "download": ("下载",),
    "erp": ("erp",),
    "finance": ("财务",),
    "hr": ("人力", "人事", "人力资源"),
    "legal": ("法务",),
    "crm": ("crm", "客户管理"),
    "high": ("高", "高级", "高风险", "严重"),
    "medium": ("中级", "中风险", "中等"),
    "low": ("低", "低级", "低风险", "轻微"),
    "pending": ("待审批", "待处理", "待办", "未处理", "未审批", "处理中"),
    "done": ("已完成", "已办", "完成的", "已处理"),
    "finished": ("已完成", "已办"),
    "expired": ("已到期", "已过期", "逾期", "过期"),
    "expiring": ("即将到期", "快到期", "将到期", "临期"),
    "income": ("收入",),
    "expense": ("支出", "费用"),
    "asc": ("升序", "从小到大", "从低到高"),
    "desc": ("降序", "从大到小", "从高到低"),
    "summary": ("汇总",),
    "detail": ("明细", "详细"),
    "monthly": ("月度", "按月"),
    "quarterly": ("季度", "按季"),
    "yearly": ("年度", "按年"),
}
"""Part of a Latin enumeration value or skill name → the Chinese it answers to."""
