// What the pages of the finance site share: amounts, the marked menu entry, and starting a page.
window.fin = (() => {
  const toast = (status, content) => VxeUI.modal.message({ content, status, duration: 3000 });

  const attempt = (work, onRefusal = (error) => toast("error", error.message)) => demo.attempt(work, onRefusal);

  const key = () => crypto.randomUUID();

  const start = (page) => {
    for (const link of document.querySelectorAll(".fin-link")) {
      link.classList.toggle("is-here", link.pathname === location.pathname);
    }
    const app = Vue.createApp(page);
    app.config.globalProperties.yuan = demo.yuan;
    app.use(VxeUI).use(VxeUITable).mount(document.getElementById("fin-app"));
  };

  return { yuan: demo.yuan, toast, attempt, key, start };
})();
