/**
 * @skill erp-monthly-report
 * @version 1.0.0
 * @description 从 ERP 系统导出财务月度报表，可按部门筛选，下载为 Excel 或 CSV 文件。
 * @when_to_use 用户要某个月（可限定部门）的财务月度报表文件时使用。
 * @triggers 导出月度报表, 导出财务月报, 下载月度报表, 月度报表, 财务月报, 财务报表, 月报
 * @domains erp.example.com
 * @actions navigate, click, type, press, select, waitForSelector, getText, query, download
 * @tags erp, 财务, 报表, 导出
 * @author sgClaw
 * @params {
 *   "type": "object",
 *   "required": ["month"],
 *   "properties": {
 *     "month": {
 *       "type": "string",
 *       "pattern": "^\\d{4}-(0[1-9]|1[0-2])$",
 *       "description": "报表月份（如 2026-03）",
 *       "x-ask": "要导出哪个月的报表？例如：2026-03、本月、上月"
 *     },
 *     "department": {
 *       "type": "string",
 *       "minLength": 1,
 *       "maxLength": 40,
 *       "pattern": "^[\\u4e00-\\u9fffA-Za-z0-9 ()（）·、-]+$",
 *       "description": "部门名称（可选，不填则导出全部部门）"
 *     },
 *     "format": {
 *       "type": "string",
 *       "enum": ["xlsx", "csv"],
 *       "default": "xlsx",
 *       "description": "导出格式"
 *     }
 *   }
 * }
 * @output {
 *   "type": "object",
 *   "required": ["message", "month", "department", "format", "file", "size", "rows", "sha256"],
 *   "properties": {
 *     "message": { "type": "string" },
 *     "month": { "type": "string" },
 *     "department": { "type": "string" },
 *     "format": { "type": "string" },
 *     "file": { "type": "string" },
 *     "size": { "type": "integer" },
 *     "rows": { "type": "integer" },
 *     "sha256": { "type": "string" }
 *   }
 * }
 */

const REPORT = 'https://erp.example.com/report/finance';
const OUTCOME = '.export-success, .export-error';

const quoted = (text) => text.replace(/["\\]/g, '\\$&');
const number = (text) => Number((text.match(/共\s*([\d,]+)\s*条/) || ['', '-1'])[1].replace(/,/g, ''));

async function execute(params, browserAction) {
  const { month, department, format } = params;

  const landed = await browserAction('navigate', REPORT);
  if (new RegExp('^https://[^/]+/login').test(landed)) {
    return { success: false, error: 'ERP 系统还没有登录，请先在浏览器中登录后重试' };
  }
  await browserAction('waitForSelector', '.report-filter', 10000);

  await chooseMonth(month, browserAction);
  await chooseDepartment(department, browserAction);
  await browserAction('waitForSelector', '.report-table[data-state="ready"]', 15000);
  const expected = number(await browserAction('getText', '.report-total'));

  await browserAction('select', '#export-format', format);
  await browserAction('click', '#export-btn');
  await browserAction('waitForSelector', OUTCOME, 60000);
  if (await browserAction('query', '.export-error', 'exists')) {
    return { success: false, error: `系统没有生成报表：${await browserAction('getText', '.export-error')}` };
  }
  const message = await browserAction('getText', '.export-result');
  const rows = number(message);
  if (rows !== expected) {
    return { success: false, error: `导出的行数（${rows}）与页面显示的总数（${expected}）不一致` };
  }
  const file = await browserAction('download', '.export-link', 60000);
  return {
    success: true,
    data: {
      message,
      month,
      department: department || '全部',
      format,
      file: file.name,
      size: file.size,
      rows,
      sha256: file.sha256,
    },
  };
}

async function chooseMonth(month, browserAction) {
  await browserAction('click', '#month-picker');
  await browserAction('type', '#month-input', month);
  await browserAction('press', 'Enter', '#month-input');
  await expectFilter('month', month, browserAction);
}

async function chooseDepartment(department, browserAction) {
  if (department) {
    const option = `.dept-option[data-name="${quoted(department)}"]`;
    await browserAction('click', '#dept-selector');
    await browserAction('type', '#dept-search', department);
    try {
      await browserAction('waitForSelector', option, 5000);
    } catch (error) {
      throw error.code === 'TIMEOUT' ? new Error(`系统中没有部门“${department}”`) : error;
    }
    await browserAction('click', option);
  }
  await expectFilter('department', department || '', browserAction);
}

// The page commits a filter visibly; an export follows what the chips say, whatever was typed.
async function expectFilter(name, value, browserAction) {
  const chip = `.filter-chips [data-filter="${name}"][data-value="${quoted(value)}"]`;
  await browserAction('waitForSelector', { selector: chip, timeout_ms: 5000, state: 'attached' });
}
