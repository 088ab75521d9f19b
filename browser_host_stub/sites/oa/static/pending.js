layui.use(["form", "laydate", "laypage", "layer", "util"], () => {
  const { $, form, laydate, layer } = layui;
  const filter = { status: "pending", page: 1 };
  const picked = new Set();

  const amount = (one) => (one.amount ? `<b class="item-amount">¥ ${demo.money(one.amount)}</b>` : "");
  const item = (one) => `
    <div class="item" data-id="${one.id}">
      <input type="checkbox" class="item-check" lay-filter="item-check" lay-skin="primary" value="${one.id}" title="">
      <span class="item-kind">${one.kind}</span>
      <div class="item-main">
        <p class="item-title"><a href="javascript:;" class="detail-link">${oa.text(one.title)}</a>${one.urgent ? '<span class="layui-badge">紧急</span>' : ""}</p>
        <p class="item-info"><span class="item-id">${one.id}</span><span>${one.applicant}</span><span>${one.department}</span><span>${one.submitted}</span></p>
      </div>
      ${amount(one)}
      <div class="item-actions" data-zone="row">
        <button type="button" class="layui-btn layui-btn-sm approve-btn" data-act>通过</button>
        <button type="button" class="layui-btn layui-btn-sm layui-btn-danger reject-btn" data-act>驳回</button>
        <button type="button" class="layui-btn layui-btn-sm layui-btn-primary detail-btn">详情</button>
      </div>
    </div>`;

  function count() {
    $(".picked-count").text(`已选 ${picked.size} 条`);
  }

  async function load() {
    const list = $(".approval-list").attr("data-state", "loading");
    try {
      const answer = await demo.get("/api/approvals", filter);
      picked.clear();
      if ($(".filter-kind option").length === 1) {
        $(".filter-kind").append(answer.kinds.map((kind) => `<option value="${kind}">${kind}</option>`));
        form.render("select", "filter");
      }
      list.html(answer.rows.map(item).join("") || '<p class="list-empty">没有待审批的单据</p>');
      oa.pager($(".approval-pager"), answer, (page) => { filter.page = page; load(); });
      $(".check-all").prop("checked", false);
      form.render("checkbox", "batch");
      list.attr("data-state", "ready");
    } catch (error) {
      list.attr("data-state", "failed");
      oa.failure(error);
    }
    count();
  }

  function decide(ids, decision) {
    if (ids.length === 0) {
      layer.msg("请先勾选单据");
      return;
    }
    oa.decide(ids, decision, (answer) => {
      const failed = (answer.results ?? []).filter((one) => !one.ok);
      if (failed.length) {
        layer.open({
          type: 1, title: "处理结果", area: "460px", skin: "result-dialog",
          content: `<div class="result-text"><p>${answer.message}</p><ul>${failed.map((one) => `<li>${oa.text(one.message)}</li>`).join("")}</ul></div>`,
        });
      } else {
        oa.success(answer.message);
      }
      load();
    });
  }

  window.detailDone = (answer) => { layer.closeAll("iframe"); oa.success(answer.message); load(); };
  function detail(id) {
    layer.open({ type: 2, title: `审批详情 - ${id}`, area: ["760px", "600px"], content: `/approval/detail?id=${id}` });
  }

  const idOf = (button) => $(button).closest(".item").attr("data-id");
  $(".approval-list")
    .on("click", ".approve-btn", function () { decide([idOf(this)], "通过"); })
    .on("click", ".reject-btn", function () { decide([idOf(this)], "驳回"); })
    .on("click", ".detail-btn, .detail-link", function () { detail(idOf(this)); });
  $(".batch-approve").on("click", () => decide([...picked], "通过"));
  $(".batch-reject").on("click", () => decide([...picked], "驳回"));
  form.on("checkbox(item-check)", ({ elem }) => {
    if (elem.checked) picked.add(elem.value);
    else picked.delete(elem.value);
    count();
  });
  form.on("checkbox(check-all)", ({ elem }) => {
    $(".approval-list .item-check").each((_, box) => {
      box.checked = elem.checked;
      if (elem.checked) picked.add(box.value);
      else picked.delete(box.value);
    });
    form.render("checkbox", "batch");
    count();
  });

  function query() {
    filter.page = 1;
    filter.kind = $(".filter-kind").val();
    filter.q = $(".filter-text").val().trim();
    load();
  }
  laydate.render({
    elem: "#filter-range", range: true, value: "", isInitValue: false,
    done(value) {
      const [from, to] = value ? value.split(" - ") : ["", ""];
      Object.assign(filter, { from, to });
    },
  });
  $(".query-btn").on("click", query);
  $(".reset-btn").on("click", () => {
    $(".filter-form")[0].reset();
    form.render("select", "filter");
    Object.assign(filter, { from: "", to: "" });
    query();
  });
  load();
});
