import { DeptSelector, ALL } from "./dept-selector.js";
import { Exporter } from "./exporter.js";
import { MonthPicker } from "./month-picker.js";
import { $, api, money, node } from "./shell.js";

const AMOUNTS = new Set(["debit", "credit"]);
const table = $(".report-table");
const startMonth = document.body.dataset.month;

// The one committed filter: the chips show it, the table and the export use it.
const filter = { month: startMonth, department: "" };
const monthPicker = new MonthPicker($("#month-picker").closest(".picker"), (month) => commit({ month }));
const deptSelector = new DeptSelector($("#dept-selector").closest(".picker"), (department) => commit({ department }));
const exporter = new Exporter(() => ({ month: filter.month, department: filter.department || null }));

function commit(change) {
  Object.assign(filter, change);
  monthPicker.value = filter.month;
  deptSelector.value = filter.department;
  exporter.forget();
  drawChips();
  query(1);
}

function drawChips() {
  const department = node("span", { class: "chip", "data-filter": "department", "data-value": filter.department },
    `部门：${filter.department || ALL}`);
  if (filter.department) {
    const clear = node("span", { class: "chip-clear", title: "清除部门条件" }, "×");
    clear.addEventListener("click", () => commit({ department: "" }));
    department.append(clear);
  }
  $(".filter-chips").replaceChildren("当前筛选：",
    node("span", { class: "chip", "data-filter": "month", "data-value": filter.month }, `会计期间：${filter.month}`),
    department);
}

let asked = 0;
async function query(page) {
  const mine = ++asked;
  setState("loading");
  const failed = $(".report-error");
  failed.hidden = true;
  try {
    const answer = await api("/api/report/finance?" + new URLSearchParams({ ...filter, page }));
    if (mine !== asked) return; // the filter has changed meanwhile; a later answer will be drawn
    drawTable(answer);
    drawFoot(answer);
  } catch (error) {
    if (mine !== asked) return;
    failed.textContent = error.message;
    failed.hidden = false;
  }
  setState("ready");
}

function setState(state) {
  table.dataset.state = state;
  table.setAttribute("aria-busy", String(state === "loading"));
}

function drawTable({ columns, rows, page, page_size: size }) {
  const kind = (key) => (AMOUNTS.has(key) ? { class: "num" } : {});
  $("thead", table).replaceChildren(node("tr", {}, node("th", {}, "序号"),
    ...columns.map(({ key, title }) => node("th", kind(key), title))));
  const first = (page - 1) * size + 1;
  const lines = rows.map((row, index) => node("tr", {}, node("td", {}, String(first + index)),
    ...columns.map(({ key }) => cell(key, row[key]))));
  if (lines.length === 0) {
    lines.push(node("tr", {}, node("td", { class: "empty", colspan: columns.length + 1 }, "该期间暂无凭证数据")));
  }
  $("tbody", table).replaceChildren(...lines);
}

function cell(key, text) {
  if (AMOUNTS.has(key)) return node("td", { class: text === "0.00" ? "num zero" : "num" }, money(text));
  if (key === "status") return node("td", {}, node("span", { class: text === "已记账" ? "tag green" : "tag blue" }, text));
  return node("td", {}, text);
}

function drawFoot({ total, page, pages, debit, credit }) {
  $(".report-total").textContent = `共 ${total} 条`;
  $(".report-sums").replaceChildren(
    node("span", {}, "借方合计", node("b", {}, money(debit))), node("span", {}, "贷方合计", node("b", {}, money(credit))));
  const button = (label, target, attributes) => {
    const result = node("button", { class: "page-btn", type: "button", ...attributes }, label);
    result.disabled = target < 1 || target > pages;
    result.addEventListener("click", () => query(target));
    return result;
  };
  const numbers = [];
  for (let number = 1; number <= pages; number += 1) {
    const near = Math.abs(number - page) <= 2 || number === 1 || number === pages;
    const current = number === page ? { "aria-current": "page" } : {};
    if (near) numbers.push(button(String(number), number, { "data-page": number, ...current }));
    else if (Math.abs(number - page) === 3) numbers.push(node("span", { class: "page-gap" }, "…"));
  }
  $(".pager").replaceChildren(button("上一页", page - 1, { class: "page-btn page-prev" }), ...numbers,
    button("下一页", page + 1, { class: "page-btn page-next" }));
}

$("#query-btn").addEventListener("click", () => query(1));
$("#reset-btn").addEventListener("click", () => commit({ month: startMonth, department: "" }));
commit({});
