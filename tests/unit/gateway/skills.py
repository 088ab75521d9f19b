"""A catalogue like a real office's: the ten skills of the specification and neighbours that are easily mixed up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sgclaw.skills.manifest import Capabilities, Manifest

MONTH: Final = {"type": "string", "pattern": r"^\d{4}-\d{2}$", "description": "月份 (如 2026-03)"}
DEPARTMENT: Final = {"type": "string", "description": "部门名称 (可选, 不填则为全部)"}


def skill(
    name: str,
    description: str,
    triggers: tuple[str, ...] = (),
    params: Mapping[str, object] | None = None,
    required: tuple[str, ...] = (),
) -> Manifest:
    """A manifest with nothing but what routing reads."""
    return Manifest(
        name=name,
        version="1.0.0",
        kind="script",
        description=description,
        triggers=triggers,
        domains=(f"{name.partition('-')[0]}.example.com",),
        params={"type": "object", "required": list(required), "properties": dict(params or {})},
        capabilities=Capabilities(actions=("click",)),
    )


REPORT: Final = skill(
    "erp-monthly-report",
    "从ERP系统导出月度财务报表。支持按部门、科目筛选，自动处理分页数据，合并导出为完整报表。",
    ("导出月度报表", "月度报表", "财务月报"),
    {
        "month": {**MONTH, "description": "报表月份 (如 2026-03)"},
        "department": {"type": "string", "description": "部门名称 (可选, 不填则导出全部)"},
        "format": {"type": "string", "enum": ["xlsx", "csv", "pdf"], "default": "xlsx", "description": "导出格式"},
    },
    ("month",),
)
CATALOGUE: Final = (
    REPORT,
    skill(
        "erp-anomaly-check",
        "检查ERP中的异常交易，列出金额超过阈值的交易。",
        ("检查异常交易", "异常交易检查", "异常交易"),
        {
            "start_date": {"type": "string", "format": "date", "description": "开始日期"},
            "end_date": {"type": "string", "format": "date", "description": "结束日期"},
            "threshold": {"type": "number", "description": "金额阈值(元)"},
            "limit": {"type": "integer", "description": "最多返回条数", "default": 50},
        },
    ),
    skill(
        "oa-approval",
        "OA系统待审批单据批量处理。支持查看待审批列表、批量审批、批量驳回、添加审批意见。",
        ("OA审批", "待办审批", "审批待办", "待审批单据"),
        {
            "action": {"enum": ["list", "approve_all", "reject", "approve_one"]},
            "item_id": {"type": "string", "description": "单据ID (approve_one/reject 时需要)"},
            "opinion": {"type": "string", "description": "审批意见 (可选)"},
        },
        ("action",),
    ),
    skill(
        "oa-meeting-schedule",
        "在OA中预约会议室并安排会议日程。",
        ("预约会议", "安排会议", "预订会议室"),
        {
            "date": {"type": "string", "format": "date", "description": "会议日期"},
            "start_time": {"type": "string", "description": "开始时间 (如 14:00)"},
            "end_time": {"type": "string", "description": "结束时间 (可选)"},
            "topic": {"type": "string", "description": "会议主题"},
        },
        ("date", "start_time"),
    ),
    skill(
        "finance-compliance",
        "财务合规线索提报。",
        ("提报合规线索", "合规线索提报", "上报合规线索"),
        {"title": {"type": "string", "description": "线索标题"}, "level": {"enum": ["high", "medium", "low"]}},
        ("title",),
    ),
    skill(
        "finance-reconciliation",
        "财务对账：核对银行流水与总账的差异。",
        ("财务对账", "对账", "核对银行流水"),
        {"month": MONTH, "with_detail": {"type": "boolean", "description": "是否包含明细", "default": False}},
        ("month",),
    ),
    skill(
        "hr-social-insurance",
        "人力社保申报，按月向社保系统申报增减员。",
        ("社保申报", "申报社保"),
        {"month": MONTH, "department": DEPARTMENT},
        ("month",),
    ),
    skill(
        "hr-salary-check",
        "薪酬数据核验，比对工资表与考勤。",
        ("核验薪酬", "薪酬核验", "核对工资"),
        {"month": MONTH, "department": DEPARTMENT},
        ("month",),
    ),
    skill(
        "legal-contract-monitor",
        "合同履约监测，查看临近到期的合同。",
        ("合同履约监测", "监测合同", "查看到期合同"),
        {
            "days": {"type": "integer", "description": "多少天内到期", "default": 30},
            "contract_no": {"type": "string", "description": "合同编号 (可选)"},
        },
    ),
    skill(
        "cross-system-sync",
        "跨系统数据同步，把ERP的主数据同步到OA。",
        ("跨系统同步", "数据同步", "同步数据"),
        {"target": {"enum": ["oa", "hr", "finance"], "description": "目标系统"}},
        ("target",),
    ),
    skill(
        "erp-quarterly-report",
        "从ERP系统导出季度财务报表。",
        ("导出季度报表", "季度报表"),
        {"quarter": {"type": "string", "pattern": r"^\d{4}-Q[1-4]$", "description": "季度 (如 2026-Q1)"}},
        ("quarter",),
    ),
    skill(
        "erp-annual-report",
        "导出年度报表。",
        ("导出年度报表", "年度报表"),
        {"year": {"type": "integer", "description": "年份"}},
        ("year",),
    ),
    skill(
        "hr-attendance-report",
        "导出月度考勤报表。",
        ("导出考勤报表", "考勤月报", "月度考勤"),
        {"month": MONTH, "department": DEPARTMENT},
        ("month",),
    ),
    skill(
        "erp-supplier-import",
        "向ERP批量导入供应商。",
        ("导入供应商", "批量导入供应商"),
    ),
    skill(
        "erp-supplier-delete",
        "删除ERP中的供应商。",
        ("删除供应商",),
        {"supplier_id": {"type": "string", "description": "供应商编号"}},
        ("supplier_id",),
    ),
    skill(
        "erp-account-enable",
        "启用ERP账号。",
        ("启用账号",),
        {"account_id": {"type": "string", "description": "账号编号"}},
        ("account_id",),
    ),
    skill(
        "erp-account-disable",
        "停用ERP账号。",
        ("停用账号",),
        {"account_id": {"type": "string", "description": "账号编号"}},
        ("account_id",),
    ),
)
