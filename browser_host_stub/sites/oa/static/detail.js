layui.use(["layer", "util"], () => {
  const { $ } = layui;
  const id = new URLSearchParams(location.search).get("id");

  async function load() {
    const body = $(".detail-body");
    let one;
    try {
      one = await demo.get(`/api/approvals/${id}`);
    } catch (error) {
      body.attr("data-state", "failed").text(error.message);
      return;
    }
    const cells = [["单据编号", one.id], ["单据类型", one.kind], ["申请人", one.applicant], ["所属部门", one.department], ["提交时间", one.submitted], ["金额（元）", one.amount ? demo.money(one.amount) : "—"], ["紧急程度", one.urgent ? "紧急" : "普通"], ["当前状态", one.status]];
    const rows = [];
    for (let at = 0; at < cells.length; at += 2) {
      rows.push(`<tr>${cells.slice(at, at + 2).map(([name, value]) => `<th>${name}</th><td>${oa.text(value)}</td>`).join("")}</tr>`);
    }
    const steps = one.steps.map((step) => `
      <div class="layui-timeline-item"><i class="layui-icon layui-timeline-axis">&#xe63f;</i>
        <div class="layui-timeline-content"><b>${step.station}</b> ${step.person} <em>${step.at}</em>
          <p>${step.result ? `${step.result}${step.opinion ? `：${oa.text(step.opinion)}` : ""}` : "待处理"}</p></div></div>`);
    body.html(`<h3>${oa.text(one.title)}</h3><table class="layui-table detail-table">${rows.join("")}<tr><th>申请事由</th><td colspan="3">${oa.text(one.reason)}</td></tr></table><div class="layui-timeline">${steps.join("")}</div>`);
    body.attr("data-state", "ready");
    $(".detail-foot").prop("hidden", one.status !== "待审批");
  }

  function decide(decision) {
    oa.decide([id], decision, (answer) => {
      if (parent !== window && parent.detailDone) parent.detailDone(answer);
      else { oa.success(answer.message); load(); }
    });
  }
  $(".detail-foot .approve-btn").on("click", () => decide("通过"));
  $(".detail-foot .reject-btn").on("click", () => decide("驳回"));
  load();
});
