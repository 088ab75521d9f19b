import { $, api, money, node } from "./shell.js";

const summary = await api("/api/summary");
for (const [name, shown] of Object.entries({
  vouchers: summary.vouchers, rows: summary.rows, debit: money(summary.debit), credit: money(summary.credit),
})) {
  $(`[data-stat="${name}"]`).textContent = shown;
}
const highest = Math.max(1, ...summary.departments.map((item) => Number(item.debit)));
for (const item of summary.departments) {
  const fill = node("i");
  fill.style.width = `${(100 * Number(item.debit)) / highest}%`;
  $(".bars").append(node("div", { class: "bar", role: "listitem" },
    item.name, node("div", { class: "bar-track" }, fill), node("b", {}, money(item.debit))));
}
for (const row of summary.latest) {
  $(".latest-table tbody").append(node("tr", {},
    ...["day", "number", "department", "subject_name", "summary"].map((key) => node("td", {}, row[key])),
    node("td", { class: "num" }, money(row.debit)), node("td", { class: "num" }, money(row.credit))));
}
$(".stats").dataset.state = "ready";
