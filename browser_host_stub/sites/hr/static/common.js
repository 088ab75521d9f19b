// What the pages of the personnel site share: amounts, the marked menu entry, and starting a page.
window.hr = (() => {
  const { message } = antd;
  const digits = (text) => text.replace(/\B(?=(\d{3})+$)/g, ",");

  // Amounts travel as whole cents, so that sums made here are exact too.
  const yuan = (cents) => {
    const size = Math.abs(cents);
    return `${cents < 0 ? "-" : ""}${digits(String(Math.trunc(size / 100)))}.${String(size % 100).padStart(2, "0")}`;
  };

  // Everything a page asks of the server goes through here: a refusal is shown as it was worded.
  const attempt = async (work, onRefusal = (error) => message.error(error.message)) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof demo.ApiError)) throw error;
      onRefusal(error);
      return undefined;
    }
  };

  const pager = (answer) => ({
    current: answer.page, pageSize: answer.page_size, total: answer.total, simple: demo.paging.style === "simple",
    showSizeChanger: false, showQuickJumper: true, showTotal: (total) => `共 ${total} 条`,
  });

  const key = () => crypto.randomUUID();

  const start = (page) => {
    for (const link of document.querySelectorAll(".hr-link")) {
      link.classList.toggle("is-here", link.pathname === location.pathname);
    }
    dayjs.locale("zh-cn");
    const whole = {
      components: { Page: page },
      data: () => ({ words: antd.locales.zh_CN, theme: { token: { colorPrimary: "#4338ca", colorLink: "#4338ca" } } }),
      template: `<a-config-provider :locale="words" :theme="theme"><page></page></a-config-provider>`,
    };
    const app = Vue.createApp(whole);
    app.config.globalProperties.yuan = yuan;
    app.use(antd).mount(document.getElementById("hr-app"));
  };

  return { yuan, attempt, pager, key, message, start };
})();
