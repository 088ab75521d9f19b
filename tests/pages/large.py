"""A page of a thousand nodes, as an administrator's list is: a menu, a filter, a long table; a click redraws it."""

from __future__ import annotations

from typing import Final

ROWS: Final = 240
NODES: Final = 1_000
"""Nodes that a snapshot of it has at the least."""

_SCRIPT: Final = """
const units = ['甲公司', '乙公司', '丙厂', '丁局'], states = ['待审批', '已通过', '已驳回'];
const body = document.querySelector('tbody');
function draw(page) {
  body.innerHTML = Array.from({ length: ROWS }, (_, i) => {
    const n = page * ROWS + i + 1;
    return `<tr><td><input type=checkbox></td><td>HT-${10000 + n}</td><td>${units[n % 4]}采购合同第${n}号</td>` +
      `<td>${n * 317}.50</td><td>${states[n % 3]}</td>` +
      `<td><a href="#v${n}">查看</a> <button>编辑</button> <button>删除</button></td></tr>`;
  }).join('');
  document.querySelector('#total').textContent = `第 ${page + 1} 页，合计 ${(page + 1) * 1000000} 元`;
}
draw(0);
document.querySelector('#next').addEventListener('click', () => draw(1));
"""


def large_page(rows: int = ROWS) -> str:
    """Its HTML; `#next` replaces every row."""
    menu = "".join(f"<li><a href='#m{number}'>菜单{number}</a></li>" for number in range(1, 31))
    fields = "".join(f"<label>条件{number}<input name=f{number}></label>" for number in range(1, 11))
    heads = "".join(f"<th>{name}</th>" for name in ("", "编号", "名称", "金额", "状态", "操作"))
    return (
        "<!doctype html><meta charset=utf-8><title>合同台账</title>"
        f"<nav><ul>{menu}</ul></nav><main><h1>合同台账</h1><form>{fields}<button type=button>查询</button></form>"
        f"<table><thead><tr>{heads}</tr></thead><tbody></tbody></table>"
        "<p id=total></p><button id=prev>上一页</button><button id=next>下一页</button></main>"
        f"<script>const ROWS = {rows};{_SCRIPT}</script>"
    )
