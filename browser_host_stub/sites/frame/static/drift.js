// Drift of a live page: what a new release of the site does to it. Runs before anything else on the page, works on
// whatever frameworks draw later, is the same for the same seed, and does nothing twice.
//
// Controls are moved, wrapped and doubled only inside zones, whose direct children no framework adds or removes.
(() => {
  const config = JSON.parse(document.currentScript.dataset.config);
  const seed = config.seed;

  // FNV-1a, stirred at the end so that every bit counts: the same number for the same text everywhere.
  function mark(text) {
    let hash = 0x811c9dc5;
    for (const letter of `${seed}:${text}`) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  const LABELS = {
    提交: "确认提交|提交送审", 查询: "搜索|检索|查找", 导出: "下载|导出文件", 导出报表: "下载报表|报表下载", 重置: "清空条件", 新增: "添加", 保存: "存档", 删除: "移除",
    审批: "审核", 通过: "审核通过|准予通过", 同意: "审核同意", 驳回: "退回|不予通过", 批量通过: "批量审核通过", 批量驳回: "批量退回", 确定: "好的|是", 确认: "没问题", 取消: "放弃",
    关闭: "关上", 编辑: "修改", 详情: "查看详情", 查看: "打开", 预订: "预约", 预订会议室: "预约会议室", 申请: "发起申请", 提交申请: "送审",
    上一步: "返回上一步", 下一步: "继续", 申报: "报送", 核对: "比对", 自动核对: "自动比对", 刷新: "重新加载", 上传: "添加文件", 打印: "输出打印",
  };
  const LABELLED = "button, a, label, [role=button], [role=menuitem], [role=tab], .layui-btn, .layui-layer-btn a";
  const CONTROLS = "button, a, [role=button], input[type=button], input[type=submit]";

  const seen = (name) => {
    const nodes = new WeakSet();
    return (node) => {
      if (nodes.has(node)) return true;
      nodes.add(node);
      return false;
    };
  };
  const isMoved = seen();
  const isWrapped = seen();
  const isDoubled = seen();
  const twins = new WeakSet();

  const zones = () => [...document.querySelectorAll(config.zones)].filter((zone) => zone.children.length > 0);
  const nameOf = (zone) => zone.dataset.zone ?? zone.className;

  // Children change their order; of two zones with one name the first hands its last control to the second.
  function move() {
    const first = new Map();
    for (const zone of zones()) {
      if (isMoved(zone)) continue;
      const children = [...zone.children];
      const turn = children.length > 1 ? 1 + (mark(nameOf(zone)) % (children.length - 1)) : 0;
      zone.append(...children.slice(turn), ...children.slice(0, turn));
      const other = first.get(nameOf(zone));
      if (zone.dataset.zone && other && !first.get(other)) {
        first.set(other, zone);
        zone.append(other.lastElementChild);
      }
      if (!zone.closest("tr, li, [data-id]")) first.set(nameOf(zone), zone);
    }
  }

  // Boxes of their own around a zone's controls; `contents` keeps the page's look.
  function wrap() {
    for (const zone of zones()) {
      if (isWrapped(zone)) continue;
      for (const child of [...zone.children]) {
        if (twins.has(child)) continue;
        const outer = document.createElement("div");
        const inner = document.createElement("div");
        outer.style.display = inner.style.display = "contents";
        outer.className = `box${mark(nameOf(zone)) % 97}`;
        child.replaceWith(outer);
        outer.append(inner);
        inner.append(child);
      }
    }
  }

  // A copy of each zone's first control that says the same and does nothing.
  function doubled() {
    for (const zone of zones()) {
      if (isDoubled(zone)) continue;
      const control = [...zone.querySelectorAll(CONTROLS)].find((one) => !twins.has(one));
      if (!control) continue;
      const twin = control.cloneNode(true);
      for (const node of [twin, ...twin.querySelectorAll("*")]) {
        for (const { name } of [...node.attributes]) {
          if (!["class", "type", "style", "href", "value"].includes(name)) node.removeAttribute(name);
        }
      }
      // Only a library's looks stay: the page finds its own controls by their other names.
      twin.className = [...twin.classList].filter((name) => /^((layui|el|ant|vxe)-.*|btn|primary)$/.test(name)).join(" ");
      if (twin.tagName === "BUTTON") twin.type = "button";
      twin.removeAttribute("href");
      twins.add(twin);
      if (mark(nameOf(zone)) % 2) zone.prepend(twin);
      else zone.append(twin);
    }
  }

  for (const kind of ["click", "mousedown", "pointerdown", "submit"]) {
    addEventListener(kind, (event) => {
      if (event.composedPath().some((node) => twins.has(node))) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    }, true);
  }

  function relabel(text) {
    const word = text.trim().replace(/\s+/g, "");
    const synonyms = LABELS[word]?.split("|");
    return synonyms ? text.replace(text.trim(), synonyms[mark(word) % synonyms.length]) : text;
  }

  const done = new WeakMap();
  function labels() {
    for (const control of document.querySelectorAll(LABELLED)) {
      const walk = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const node = walk.currentNode;
        if (done.get(node) === node.data) continue;
        const wanted = relabel(node.data);
        if (wanted !== node.data) node.data = wanted;
        done.set(node, node.data);
      }
    }
  }

  function box(title, text, buttons) {
    const shade = document.createElement("div");
    shade.style.cssText = "position:fixed;inset:0;z-index:2147483000;background:rgb(0 0 0/45%);display:grid;place-items:center";
    const card = document.createElement("div");
    card.setAttribute("role", "dialog");
    card.setAttribute("aria-modal", "true");
    card.setAttribute("aria-label", title);
    card.style.cssText = "width:380px;padding:20px 24px;border-radius:6px;background:#fff;color:#222;font-size:14px;line-height:1.7;box-shadow:0 8px 30px rgb(0 0 0/25%)";
    const head = document.createElement("h3");
    head.textContent = title;
    head.style.cssText = "margin:0 0 8px;font-size:16px";
    const body = document.createElement("p");
    body.textContent = text;
    body.style.cssText = "margin:0 0 16px";
    const foot = document.createElement("div");
    foot.style.cssText = "text-align:right";
    for (const [label, act] of buttons) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.style.cssText = "margin-left:10px;padding:6px 16px;border:1px solid #b9c2d0;border-radius:4px;background:#f5f7fa;cursor:pointer;font:inherit";
      button.addEventListener("click", () => { shade.remove(); act(); });
      foot.append(button);
    }
    card.append(head, body, foot);
    shade.append(card);
    document.body.append(shade);
  }

  // Only the page a person opened announces something, not the pages in its tabs.
  function isOuter() {
    try {
      return window === top || (parent === top && top.document.documentElement.dataset.wrapper === "1");
    } catch {
      return false;
    }
  }

  function dialog() {
    const notices = ["系统将于本周六 22:00 至 24:00 升级，届时暂停服务，请提前保存数据。", "根据集团信息安全要求，请于月底前完成密码更新。"];
    if (isOuter()) box("系统公告", notices[mark("notice") % notices.length], [["我知道了", () => {}]]);
  }

  // What carries something out asks once more before it reaches the page.
  let passing = null;
  function step(event) {
    const control = event.target instanceof Element ? event.target.closest(config.acts) : null;
    if (!control || control === passing || control.disabled || twins.has(control)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    box("操作确认", "该操作将写入系统并留痕，是否继续？", [
      ["再想想", () => {}],
      ["继续执行", () => {
        passing = control;
        control.click();
        passing = null;
      }],
    ]);
  }

  const LIVE = { move, twins: doubled, wrap, labels };
  const live = Object.keys(LIVE).filter((op) => config.ops.includes(op));
  let waiting = false;
  function apply() {
    waiting = false;
    for (const op of live) LIVE[op]();
  }
  function soon() {
    if (waiting) return;
    waiting = true;
    queueMicrotask(apply);
  }

  if (config.ops.includes("step")) addEventListener("click", step, true);
  document.addEventListener("DOMContentLoaded", () => {
    if (config.ops.includes("dialog")) dialog();
    if (live.length === 0) return;
    // Frameworks mount after this event; their nodes arrive as mutations.
    new MutationObserver(soon).observe(document.documentElement, { childList: true, subtree: true, characterData: true });
    apply();
  });
})();
