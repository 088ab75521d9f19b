import { $, api, node, onLeaving } from "./shell.js";

const DEBOUNCE_MS = 200;
export const ALL = "全部部门";

export class DeptSelector {
  constructor(root, onPick) {
    this.box = $("#dept-selector", root);
    this.popup = $(".dept-popup", root);
    this.search = $("#dept-search", root);
    this.list = $("#dept-list", root);
    this.onPick = onPick;
    this.chosen = "";
    this.asked = 0;
    this.timer = 0;
    this.box.addEventListener("click", () => (this.popup.hidden ? this.open() : this.close()));
    this.box.addEventListener("keydown", (event) => { if (event.key === "Enter") this.open(); });
    this.search.addEventListener("input", () => {
      this.list.dataset.state = "loading";
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), DEBOUNCE_MS);
    });
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.pick(option.dataset.name ?? "");
    });
    onLeaving(root, () => this.close(), () => this.close());
  }

  get value() { return this.chosen; }

  set value(name) {
    this.chosen = name;
    $(".select-text", this.box).textContent = name || ALL;
  }

  open() {
    this.search.value = "";
    this.popup.hidden = false;
    this.box.setAttribute("aria-expanded", "true");
    this.load();
  }

  close() {
    clearTimeout(this.timer);
    this.popup.hidden = true;
    this.box.setAttribute("aria-expanded", "false");
  }

  pick(name) {
    this.close();
    this.value = name;
    this.onPick(name);
  }

  async load() {
    const asked = ++this.asked;
    this.list.dataset.state = "loading";
    const query = this.search.value.trim();
    let names = [];
    let nothing = "没有匹配的部门";
    try {
      names = (await api("/api/departments?q=" + encodeURIComponent(query))).departments;
    } catch (error) {
      nothing = error.message;
    }
    if (asked !== this.asked) return; // a later search has been sent meanwhile
    this.draw(names, nothing, query === "");
    this.list.dataset.state = "ready";
  }

  draw(names, nothing, withAll) {
    // Options already shown are kept, so a click that is under way does not lose its target.
    const shown = new Map([...this.list.querySelectorAll(".dept-option")].map((option) => [option.dataset.name, option]));
    const options = names.map((name) => {
      const option = shown.get(name) ?? node("li", { class: "dept-option", role: "option", "data-name": name }, name);
      shown.delete(name);
      option.setAttribute("aria-selected", String(name === this.chosen));
      return option;
    });
    if (withAll && names.length > 0) {
      options.unshift(node("li", { class: "dept-all", role: "option", "aria-selected": String(!this.chosen) }, ALL));
    }
    if (names.length === 0) options.push(node("li", { class: "dept-none" }, nothing));
    this.list.replaceChildren(...options);
  }
}
