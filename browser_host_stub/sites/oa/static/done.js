layui.use(["table", "laypage", "layer"], () => {
  const { $, table, layer } = layui;

  const columns = [
    { type: "checkbox", fixed: "left" },
    { field: "id", title: "单据编号", width: 130, fixed: "left", sort: true },
    { field: "title", title: "标题", width: 280 },
    { field: "kind", title: "类型", width: 100 },
    { field: "applicant", title: "申请人", width: 90 },
    { field: "department", title: "部门", width: 110 },
    { field: "amount", title: "金额（元）", width: 130, align: "right", templet: (one) => demo.money(one.amount) },
    { field: "submitted", title: "提交时间", width: 150 },
    { field: "decided", title: "审批时间", width: 150 },
    { field: "opinion", title: "审批意见", width: 200 },
    { field: "status", title: "结果", width: 90, templet: (one) => `<span class="layui-badge layui-bg-${one.status === "已通过" ? "green" : "red"}">${one.status}</span>` },
    { title: "操作", width: 170, fixed: "right", toolbar: "#done-tools" },
  ];

  async function load(page) {
    try {
      const answer = await demo.get("/api/approvals", { status: "done", page });
      table.render({ elem: "#done-table", cols: [columns], data: answer.rows, limit: answer.page_size, height: 460 });
      oa.pager($(".done-pager"), answer, load);
    } catch (error) {
      oa.failure(error);
    }
  }
  table.on("tool(done)", ({ event, data }) => {
    if (event === "detail") layer.open({ type: 2, title: `审批详情 - ${data.id}`, area: ["760px", "480px"], content: `/approval/detail?id=${data.id}` });
    else layer.msg(`已复制 ${data.id}`);
  });
  load(1);
});
