// What the pages of the OA share: what a success and a failure look like, opening a page beside this one, escaping.
window.oa = {
  success: (text) => layui.layer.msg(text, { icon: 1, skin: "success-toast", time: 3000 }),
  failure: (error) => layui.layer.msg(error.message, { icon: 2, skin: "failure-toast", time: 4000 }),
  // In the shell a new tab, alone the page itself.
  open: (path, title) => (parent !== window && parent.openTab ? parent.openTab(path, title) : location.assign(path)),
  text: (value) => layui.util.escape(String(value ?? "")),
  pager(element, answer, go) {
    layui.laypage.render({
      elem: element,
      count: answer.total,
      limit: answer.page_size,
      curr: answer.page,
      groups: demo.paging.style === "simple" ? 0 : 5,
      layout: demo.paging.style === "simple" ? ["count", "prev", "next"] : ["count", "prev", "page", "next", "skip"],
      jump: (page, first) => { if (!first) go(page.curr); },
    });
  },
};
