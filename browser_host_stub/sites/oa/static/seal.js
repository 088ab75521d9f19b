layui.use(["form", "laydate", "layer", "upload", "table", "util"], () => {
  const { $, form, laydate, upload, table } = layui;
  let papers = [];
  let files = [];

  function addPaper() {
    const options = papers.map((paper) => `<option value="${paper}">${paper}</option>`).join("");
    $(".paper-table tbody").append(`
      <tr class="paper-row">
        <td><input type="text" class="layui-input paper-name" placeholder="文件名称" maxlength="60"></td>
        <td><select class="paper-kind">${options}</select></td>
        <td><input type="text" class="layui-input paper-copies" value="1" lay-affix="number" min="1" max="99" step="1"></td>
        <td><a href="javascript:;" class="paper-remove" title="删除本行"><i class="layui-icon layui-icon-delete"></i></a></td>
      </tr>`);
    form.render(null, "seal");
  }

  function showFiles() {
    $(".upload-list").html(files.map((one) => `<li data-id="${one.id}"><i class="layui-icon layui-icon-file"></i> ${oa.text(one.name)} <a href="javascript:;" class="file-remove" title="移除附件">×</a></li>`).join(""));
  }

  function clear() {
    $(".seal-kind").val("");
    $(".seal-reason").val("");
    $(".paper-table tbody").empty();
    files = [];
    showFiles();
    addPaper();
  }

  async function load() {
    try {
      const answer = await demo.get("/api/seals");
      if (papers.length === 0) {
        papers = answer.papers;
        $(".seal-kind").append(answer.seals.map((one) => `<option value="${one}">${one}</option>`));
        addPaper();
      }
      table.render({
        elem: "#seal-table", data: answer.rows, limit: 100,
        cols: [[
          { field: "id", title: "申请编号", width: 110 }, { field: "seal", title: "印章", width: 130 }, { field: "day", title: "用印日期", width: 120 },
          { field: "reason", title: "用印事由" }, { field: "copies", title: "总份数", width: 90 },
          { field: "files", title: "附件", templet: (one) => oa.text(one.files.join("、")) }, { field: "status", title: "状态", width: 90 },
        ]],
      });
    } catch (error) {
      oa.failure(error);
    }
  }

  async function send() {
    const rows = $(".paper-row").get().map((row) => ({
      name: $(row).find(".paper-name").val(), kind: $(row).find(".paper-kind").val(), copies: Number($(row).find(".paper-copies").val()),
    }));
    try {
      const answer = await demo.post("/api/seals", {
        seal: $(".seal-kind").val(), day: $("#seal-day").val(), reason: $(".seal-reason").val(), papers: rows, files: files.map((one) => one.id),
      });
      oa.success(answer.message);
      clear();
      load();
    } catch (error) {
      oa.failure(error);
    }
  }

  upload.render({
    elem: ".upload-btn", url: "/api/uploads", accept: "file", exts: "pdf|doc|docx|jpg|png", size: 5120,
    done(answer) {
      if (!answer.ok) { oa.failure(answer.error); return; }
      files.push(answer);
      showFiles();
    },
    error: () => oa.failure({ message: "上传失败，请检查网络后重试" }),
  });
  laydate.render({ elem: "#seal-day", value: demo.today, min: demo.today });
  $(".paper-add").on("click", addPaper);
  $(".paper-table").on("click", ".paper-remove", function () { $(this).closest(".paper-row").remove(); });
  $(".upload-list").on("click", ".file-remove", function () {
    const id = $(this).parent().attr("data-id");
    files = files.filter((one) => one.id !== id);
    showFiles();
  });
  $(".seal-submit").on("click", send);
  $(".seal-reset").on("click", clear);
  load();
});
