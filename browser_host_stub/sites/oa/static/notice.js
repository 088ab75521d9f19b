layui.use(["layer", "laypage", "util"], () => {
  const { $, layer } = layui;
  let rows = [];

  async function load(page) {
    const list = $(".notice-list").attr("data-state", "loading");
    try {
      const answer = await demo.get("/api/notices", { page });
      rows = answer.rows;
      list.html(rows.map((one) => `
        <li class="notice-row" data-id="${one.id}" data-read="${one.read}">
          <span class="layui-badge layui-bg-${one.read ? "gray" : "blue"}">${one.read ? "已读" : "未读"}</span>
          <a href="javascript:;" class="notice-title">${oa.text(one.title)}</a>
          <span class="notice-kind">${one.kind}</span><em>${one.department}</em><em>${one.published}</em>
        </li>`).join(""));
      oa.pager($(".notice-pager"), answer, load);
      list.attr("data-state", "ready");
    } catch (error) {
      list.attr("data-state", "failed");
      oa.failure(error);
    }
  }

  $(".notice-list").on("click", ".notice-title", async function () {
    const one = rows.find((row) => row.id === $(this).closest(".notice-row").attr("data-id"));
    // The server lets only plain tags without attributes through.
    layer.open({
      type: 1, title: oa.text(one.title), area: ["640px", "420px"],
      content: `<div class="notice-body"><p class="notice-info">${one.department} · ${one.kind} · ${one.published}</p>${one.html}</div>`,
    });
    if (one.read) return;
    try {
      await demo.post(`/api/notices/${one.id}/read`);
      load(1);
    } catch (error) {
      oa.failure(error);
    }
  });
  $(".notice-add").on("click", () => oa.open("/notice/new", "发布公告"));
  load(1);
});
