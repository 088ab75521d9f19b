// The shell: a menu on the left opens pages in iframe tabs, each page once.
layui.use(["element"], () => {
  const { element, $ } = layui;

  window.openTab = (path, title) => {
    if ($(`.oa-tabs > .layui-tab-title li[lay-id="${path}"]`).length === 0) {
      const frame = `<iframe class="tab-frame" src="${path}" title="${title}"></iframe>`;
      element.tabAdd("pages", { id: path, title, content: frame });
    }
    element.tabChange("pages", path);
  };

  $(document).on("click", "[data-open]", function () {
    window.openTab(this.dataset.open, this.dataset.title);
  });
  $(".side-toggle").on("click", () => $("body").toggleClass("side-narrow"));
  $(".tab-refresh").on("click", () => {
    const frame = $(".oa-tabs .layui-tab-item.layui-show iframe")[0];
    frame.contentWindow.location.reload();
  });
  element.on("tab(pages)", function () {
    const path = this.getAttribute("lay-id");
    $(".side-menu dd").removeClass("layui-this");
    $(`.side-menu [data-open="${path}"]`).parent().addClass("layui-this");
  });
  demo.get("/api/todo").then((todo) => $(".notice-dot").toggle(todo.unread > 0));
});
