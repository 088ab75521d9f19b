import { $, node, onLeaving } from "./shell.js";

const NAMES = ["一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"];
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

// The box shows the committed month only. A month is committed by its cell, by Enter in the text field, or by leaving
// the panel with a whole month typed; anything else typed is dropped.
export class MonthPicker {
  constructor(root, onPick) {
    this.box = $("#month-picker", root);
    this.panel = $("#month-panel", root);
    this.typed = $("#month-input", root);
    this.error = $(".month-error", root);
    this.onPick = onPick;
    this.year = 0;
    this.box.addEventListener("click", () => (this.panel.hidden ? this.open() : this.leave()));
    this.box.addEventListener("keydown", (event) => { if (event.key === "Enter") this.open(); });
    $(".year-prev", root).addEventListener("click", () => this.draw(this.year - 1));
    $(".year-next", root).addEventListener("click", () => this.draw(this.year + 1));
    $(".month-cells", root).addEventListener("click", (event) => {
      const cell = event.target.closest(".month-cell");
      if (cell) this.pick(cell.dataset.month);
    });
    this.typed.addEventListener("keydown", (event) => { if (event.key === "Enter") this.enter(); });
    this.typed.addEventListener("input", () => { this.error.textContent = ""; });
    onLeaving(root, () => this.leave(), () => this.close());
  }

  get value() { return this.box.value; }

  set value(month) { this.box.value = month; }

  open() {
    this.typed.value = "";
    this.error.textContent = "";
    this.draw(Number(this.value.slice(0, 4)));
    this.panel.hidden = false;
    this.box.setAttribute("aria-expanded", "true");
  }

  close() {
    this.panel.hidden = true;
    this.box.setAttribute("aria-expanded", "false");
  }

  enter() {
    if (MONTH.test(this.typed.value)) this.pick(this.typed.value);
    else this.error.textContent = "请输入 YYYY-MM 格式的月份，例如 2026-03";
  }

  leave() {
    if (this.panel.hidden) return;
    if (MONTH.test(this.typed.value)) this.pick(this.typed.value);
    else this.close();
  }

  pick(month) {
    this.close();
    this.value = month;
    this.onPick(month);
  }

  draw(year) {
    this.year = year;
    $(".panel-year", this.panel).textContent = `${year} 年`;
    $(".month-cells", this.panel).replaceChildren(...NAMES.map((name, index) => {
      const month = `${year}-${String(index + 1).padStart(2, "0")}`;
      const state = month === this.value ? " selected" : "";
      return node("div", { class: `month-cell${state}`, "data-month": month }, name);
    }));
  }
}
