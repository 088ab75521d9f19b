// What the pages of the personnel site share: amounts, the marked menu entry, and starting a page.
window.hr = (() => {
  const { message } = antd;
  const attempt = (work, onRefusal = (error) => message.error(error.message)) => demo.attempt(work, onRefusal);

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
    app.config.globalProperties.yuan = demo.yuan;
    app.use(antd).mount(document.getElementById("hr-app"));
  };

  return { yuan: demo.yuan, attempt, pager, key, message, start };
})();
