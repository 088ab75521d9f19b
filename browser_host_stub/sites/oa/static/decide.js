// The dialog that asks for an opinion and carries a decision out: for one request or for several.
const CONFIRM = `
  <div class="confirm-dialog">
    <p class="confirm-text"></p>
    <textarea class="layui-textarea opinion-input" placeholder="审批意见（驳回时必填，最多 200 字）" maxlength="200" aria-label="审批意见"></textarea>
    <p class="confirm-error" role="alert"></p>
    <div class="confirm-foot" data-zone="confirm">
      <button type="button" class="layui-btn layui-btn-primary cancel-btn">取消</button>
      <button type="button" class="layui-btn ok-btn" data-act>确定</button>
    </div>
  </div>`;

oa.decide = (ids, decision, done) => {
  const { layer } = layui;
  const index = layer.open({
    type: 1,
    title: decision === "通过" ? "审批通过" : "审批驳回",
    area: ["420px", "auto"],
    resize: false,
    content: CONFIRM,
    success(box) {
      box.find(".confirm-text").text(ids.length === 1 ? `确定${decision}单据 ${ids[0]} 吗？` : `确定${decision}选中的 ${ids.length} 条单据吗？`);
      box.find(".opinion-input").val(decision === "通过" ? "同意" : "");
      box.find(".cancel-btn").on("click", () => layer.close(index));
      box.find(".ok-btn").on("click", () => send(box));
    },
  });

  async function send(box) {
    const opinion = box.find(".opinion-input").val().trim();
    const button = box.find(".ok-btn");
    button.addClass("layui-btn-disabled").prop("disabled", true);
    try {
      const answer = ids.length === 1
        ? await demo.post(`/api/approvals/${ids[0]}/decide`, { decision, opinion })
        : await demo.post("/api/approvals/decide", { ids, decision, opinion });
      layer.close(index);
      done(answer);
    } catch (error) {
      box.find(".confirm-error").text(error.message);
      button.removeClass("layui-btn-disabled").prop("disabled", false);
    }
  }
};
