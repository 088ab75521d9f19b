layui.use(["util"], async () => {
  const { $ } = layui;
  const todo = await demo.get("/api/todo");
  $(".todo-pending").text(todo.pending);
  $(".todo-urgent").text(todo.urgent);
  $(".todo-meetings").text(todo.meetings);
  $(".todo-unread").text(todo.unread);
  $(".latest-table tbody").html(todo.latest.map((one) => `<tr><td>${one.id}</td><td>${oa.text(one.title)}${one.urgent ? ' <span class="layui-badge">紧急</span>' : ""}</td><td>${one.department}</td><td>${one.submitted}</td></tr>`).join(""));
  $(".notice-brief").html(todo.notices.map((one) => `<li><span>${oa.text(one.title)}</span><em>${one.published}</em></li>`).join(""));
  const most = Math.max(1, ...Object.values(todo.kinds));
  $(".kind-bars").html(Object.entries(todo.kinds).map(([kind, count]) => `<p><span>${kind}</span><i style="width:${(60 * count) / most}%"></i><b>${count}</b></p>`).join(""));
  $(document).on("click", "[data-open-page]", function () { oa.open(this.dataset.openPage, this.dataset.title); });
});
