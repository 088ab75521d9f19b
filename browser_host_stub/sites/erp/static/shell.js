// What every page behind the login needs: the menu, the server, small helpers.

export const $ = (selector, root = document) => root.querySelector(selector);

export function node(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const fromTemplate = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

// "12345.60" → "12,345.60". The server sends amounts as text, so no digit passes through a float.
export const money = (text) => text.replace(/\B(?=(\d{3})+\.)/g, ",");

export class ApiError extends Error {}

export async function api(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { headers: { "content-type": "application/json" }, ...options });
  } catch {
    throw new ApiError("网络连接中断，请检查网络后重试");
  }
  if (response.status === 401) {
    location.assign("/login?next=" + encodeURIComponent(location.pathname));
    return new Promise(() => {}); // the page is being left; nothing after this may run
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(body.error?.message ?? `服务器返回错误（${response.status}），请稍后重试`);
  return body;
}

// `leave` when the person presses outside `root`, `cancel` on Escape inside it.
export function onLeaving(root, leave, cancel) {
  document.addEventListener("pointerdown", (event) => { if (!root.contains(event.target)) leave(); });
  root.addEventListener("keydown", (event) => { if (event.key === "Escape") cancel(); });
}

let toastTimer = 0;
function toast(text) {
  const box = $("#toast");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.hidden = true; }, 2500);
}

for (const item of document.querySelectorAll(".menu-item[data-for]")) {
  const current = item.dataset.for === document.body.dataset.page;
  item.classList.toggle("active", current);
  if (current) item.setAttribute("aria-current", "page");
}
for (const item of document.querySelectorAll(".menu-item.locked")) {
  item.addEventListener("click", () => toast(`当前账号未开通“${item.dataset.name}”，请联系系统管理员`));
}
$("#menu-toggle").addEventListener("click", () => document.body.classList.toggle("narrow"));
