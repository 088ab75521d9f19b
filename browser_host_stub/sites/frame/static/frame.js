// What every page of a demo site may use: the API with errors a person can read, money, how lists are paged.
(() => {
  class ApiError extends Error {
    constructor(message, code, field) {
      super(message);
      this.code = code;
      this.field = field;
    }
  }

  const NETWORK = "网络连接中断，未收到服务器的答复，请刷新后核对结果";

  async function call(method, path, body, options = {}) {
    let response;
    let answer;
    try {
      const headers = body === undefined || body instanceof FormData ? {} : { "content-type": "application/json" };
      const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
      response = await fetch(path, { method, headers, body: sent, ...options });
      answer = await response.json();
    } catch {
      throw new ApiError(response && !response.ok ? `服务器返回错误（${response.status}），请稍后重试` : NETWORK, "NETWORK");
    }
    if (response.status === 401) {
      const outer = top.location;
      outer.assign("/login?next=" + encodeURIComponent(outer.pathname));
      return new Promise(() => {}); // the page is being left; nothing after this may run
    }
    if (!response.ok) {
      const error = answer.error ?? {};
      throw new ApiError(error.message ?? `服务器返回错误（${response.status}），请稍后重试`, error.code, error.field);
    }
    return answer;
  }

  function withQuery(path, params) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(params ?? {})) {
      if (value !== undefined && value !== null && value !== "") query.set(name, value);
    }
    return query.size ? `${path}?${query}` : path;
  }

  // Everything a page asks of the server goes through here: a refusal is told as it was worded.
  async function attempt(work, onRefusal) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      onRefusal(error);
      return undefined;
    }
  }

  const grouped = (text) => String(text).replace(/\B(?=(\d{3})+(\.|$))/g, ",");

  // Amounts travel as text or as whole cents, so that sums made in a page are exact too.
  function yuan(cents) {
    const size = Math.abs(cents);
    return `${cents < 0 ? "-" : ""}${grouped(Math.trunc(size / 100))}.${String(size % 100).padStart(2, "0")}`;
  }

  window.demo = {
    ApiError,
    attempt,
    yuan,
    get: (path, params) => call("GET", withQuery(path, params)),
    post: (path, body) => call("POST", path, body ?? {}),
    put: (path, body) => call("PUT", path, body ?? {}),
    del: (path) => call("DELETE", path),
    upload: (path, form) => call("POST", path, form),
    // "12345.60" → "12,345.60". The server sends amounts as text, so no digit passes through a float.
    money: grouped,
    paging: { style: document.documentElement.dataset.paging ?? "full" },
    today: document.documentElement.dataset.today ?? "",
  };
})();
