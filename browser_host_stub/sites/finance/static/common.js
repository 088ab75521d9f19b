// What the pages of the finance site share: amounts, the marked menu entry, and starting a page.
window.fin = (() => {
  const digits = (text) => text.replace(/\B(?=(\d{3})+$)/g, ",");

  // Amounts travel as whole cents, so that sums made here are exact too.
  const yuan = (cents) => {
    const size = Math.abs(cents);
    return `${cents < 0 ? "-" : ""}${digits(String(Math.trunc(size / 100)))}.${String(size % 100).padStart(2, "0")}`;
  };

  const toast = (status, content) => VxeUI.modal.message({ content, status, duration: 3000 });

  // Everything a page asks of the server goes through here: a refusal is shown as it was worded.
  const attempt = async (work, onRefusal = (error) => toast("error", error.message)) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof demo.ApiError)) throw error;
      onRefusal(error);
      return undefined;
    }
  };

  const key = () => crypto.randomUUID();

  const start = (page) => {
    for (const link of document.querySelectorAll(".fin-link")) {
      link.classList.toggle("is-here", link.pathname === location.pathname);
    }
    const app = Vue.createApp(page);
    app.config.globalProperties.yuan = yuan;
    app.use(VxeUI).use(VxeUITable).mount(document.getElementById("fin-app"));
  };

  return { yuan, toast, attempt, key, start };
})();
