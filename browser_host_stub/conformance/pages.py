"""The kit's pages. Each holds what a few rows need; nothing on them changes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SCRIPT: Final = """<meta charset=utf-8><style>
* { font: 16px sans-serif } button, input, select, a { margin: 4px; padding: 4px }
</style><script>
function did(name, detail) {
  const request = new XMLHttpRequest()
  request.open('POST', '/did?name=' + encodeURIComponent(name), false)
  request.send(String(detail ?? ''))
}
addEventListener('click', (event) => {
  const named = event.composedPath().find((node) => node.dataset && node.dataset.did)
  if (named) did(named.dataset.did, event.isTrusted + ' ' + event.detail)
})
</script>"""
"""`data-did` on an element tells the site of each click on it."""

_ACTS: Final = """<h1 id=title>一致性检查</h1>
<button id=plain data-did=plain>查询</button>
<button id=context oncontextmenu="did('context', event.isTrusted); event.preventDefault()">右键</button>
<button id=double ondblclick="did('double', event.isTrusted)">双击</button>
<input id=name aria-label=姓名 value=旧值 oninput="this.dataset.seen = 1" onchange="did('changed', this.value)">
<input id=keyed aria-label=按键 onkeydown="did('key', event.isTrusted + ' ' + event.key)">
<select id=month aria-label=月份 onchange="did('month', this.value)">
<option value=1>一月</option><option value=2>二月</option><option value=3>三月</option></select>
<label><input id=agree type=checkbox onchange="did('agree', this.checked)">知道了</label>
<div id=menu style="width:200px;height:40px" onmouseenter="did('hover', event.isTrusted)">菜单</div>
<a id=link href=/other>另一页</a>
<button id=opener onclick="window.open('/other')">新窗口</button>
<button id=alert onclick="did('answer', confirm('继续浏览吗？'))">询问</button>
<a id=file href=/file download>报表文件</a>
<input id=upload type=file aria-label=附件
 onchange="this.files[0].text().then((text) => did('upload', this.files[0].name + ' ' + text.length))">
<table id=table><caption>合计 2 条</caption><thead><tr><th>姓名<th>金额</thead>
<tbody><tr><td>张三<td>12.50<tr><td>李四<td>7.00</tbody></table>
<div style="height:3000px"></div><p id=bottom>底部</p>"""

_ERRORS: Final = """<h1>错误</h1>
<button class=twin data-did=twin>甲</button><button class=twin data-did=twin>乙</button>
<button id=hidden style="display:none" data-did=hidden>看不见</button>
<div style="position:relative;width:300px;height:60px"><button id=under data-did=under
 style="position:absolute;inset:0">被挡住</button><div id=veil style="position:absolute;inset:0;background:#ccc"
>遮罩层</div></div>
<button id=disabled disabled data-did=disabled>停用</button>
<input id=fixed readonly aria-label=只读 value=不变>
<div id=widget class=fake-select style="width:200px;height:30px">请选择</div>
<span id=plain-text>文字</span>
<button id=fleeing data-did=fleeing onmouseover="did('fled'); this.remove()">逃走</button>
<a id=cut href=/cut download>不完整的文件</a><a id=hang href=/hang download>卡住的文件</a>
<button id=busy onclick="const until = Date.now() + 4000; while (Date.now() < until); did('busy')">忙</button>"""

_LATE: Final = """<h1>等待</h1><button id=plain data-did=plain>查询</button><script>
setTimeout(() => {
  const late = document.createElement('button')
  late.id = 'late'
  late.dataset.did = 'late'
  late.textContent = '迟到'
  document.body.append(late)
}, 1500)</script>"""

_ASKED: Final = """<h1>确认</h1>
<button id=submit data-did=submit>提交</button><button id=remove data-did=remove>删除</button>
<button id=spaced data-did=spaced>提 交</button>
<button id=icon aria-label=删除 data-did=icon>×</button>
<button id=titled title=审批通过 data-did=titled><span id=inside>好</span></button>
<input id=valued type=button value=支付 data-did=valued>
<button id=query data-did=query>查询</button>
<form action=/posted onsubmit="event.preventDefault(); did('sent')"><input id=field name=field aria-label=事由>
<button>提交申请</button></form>
<button id=turning data-did=turning>提交</button>
<button id=turn onclick="document.querySelector('#turning').textContent = '删除'">换字</button>
<form action=/posted method=post><button id=send name=send value=1>查找</button></form>"""

_FRAMES: Final = """<h1 id=title>框架</h1>
<iframe id=same src=/inner width=400 height=120></iframe>
<iframe id=other src="{B}/inner" width=400 height=120></iframe>
<iframe id=foreign src="{C}/secret" width=400 height=120></iframe>
<div id=host></div><script>
document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML =
  '<button id=shadow data-did=shadow>影子</button>'
</script>"""

_INNER: Final = """<button id=inner data-did=inner>内层</button><p id=words>内层文字</p>
<input id=inner-name aria-label=内层姓名>"""

_AWAY: Final = """<h1 id=title>离开</h1>
<a id=link href="{C}/secret">外部</a><a id=hop href="/redirect?to={C}/secret">跳转</a>
<button id=opener onclick="window.open('{C}/secret')">外部窗口</button>
<form action="{C}/secret" method=post><button id=send>查询外部</button></form>
<button id=later onclick="setTimeout(() => { location = '{C}/secret' }, 200)">稍后</button>
<a id=file href="{C}/file" download>外部文件</a>"""

_SEEN: Final = """<main><h1>快照</h1><nav aria-label=导航><a id=home href=/other>首页</a><a href=/acts>操作</a></nav>
<form><input id=who aria-label=姓名 value=张三><select id=dept aria-label=部门><option>财务部</option></select>
<input id=tick type=checkbox aria-label=同步 checked><button id=find type=button data-did=find>查找</button>
<button id=off type=button disabled>停用</button></form>
<ul><li><button type=button class=row data-did=row1>查看</button><li
><button type=button class=row data-did=row2>查看</button>
</ul><div id=painted style="cursor:pointer;width:120px;height:30px" onclick="did('painted')">画出来的按钮</div>
<table aria-label=清单><tr><th>姓名<th>金额<tr><td>张三<td>1<tr><td>李四<td>2</table>
<button id=more type=button onclick="this.insertAdjacentHTML('afterend',
 '<button id=fresh type=button data-did=fresh>新来的</button>'); document.querySelector('#off').remove()">展开</button>
</main>"""

_SECRETS: Final = """<h1>密码</h1><form id=form><input id=user aria-label=用户名 value=zhangmin>
<input id=password type=password aria-label=密码></form><button id=plain data-did=plain>查看</button>"""

_EVENTS: Final = """<h1>事件</h1><button id=opener onclick="window.open('/other')">新窗口</button>
<button id=mover onclick="setTimeout(() => { location = '/other' }, 300)">稍后离开</button>
<button id=asker onclick="setTimeout(() => did('answer', confirm('还在吗？')), 100)">稍后询问</button>
<button id=closer onclick="const opened = window.open('/other'); setTimeout(() => opened.close(), 700)"
>开了又关</button>
<button id=sender onclick="setTimeout(() => { location = '/file' }, 100)">稍后下载</button>"""

PAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "/": "<h1>一致性检查</h1>",
        "/acts": _ACTS,
        "/other": "<h1 id=title>另一页</h1>",
        "/errors": _ERRORS,
        "/late": _LATE,
        "/asked": _ASKED,
        "/frames": _FRAMES,
        "/inner": _INNER,
        "/away": _AWAY,
        "/seen": _SEEN,
        "/secrets": _SECRETS,
        "/events": _EVENTS,
        "/secret": "<h1 id=title>外部机密</h1><button id=inner data-did=foreign>外部</button>",
    }
)
"""Path → body. `{A}`, `{B}` and `{C}` stand for the three origins."""
