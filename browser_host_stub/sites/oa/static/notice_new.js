layui.use(["form", "layer"], () => {
  const { $, form } = layui;
  const text = document.querySelector(".rich-text");
  document.execCommand("styleWithCSS", false, false);

  $(".rich-tools").on("mousedown", ".rich-tool", (event) => event.preventDefault()); // keeps the selection in the text
  $(".rich-tools").on("click", ".rich-tool", function () {
    text.focus();
    document.execCommand(this.dataset.command);
  });
  text.addEventListener("paste", (event) => {
    event.preventDefault();
    document.execCommand("insertText", false, event.clipboardData.getData("text/plain"));
  });

  $(".notice-submit").on("click", async () => {
    const values = form.val("notice");
    const html = text.innerText.trim() ? text.innerHTML : "";
    try {
      const answer = await demo.post("/api/notices", { title: values.title, kind: values.kind, html });
      oa.success(answer.message);
      $(".notice-form")[0].reset();
      text.innerHTML = "";
    } catch (error) {
      oa.failure(error);
    }
  });
  $(".notice-reset").on("click", () => { text.innerHTML = ""; });
});
