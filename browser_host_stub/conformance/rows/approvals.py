"""Acts that need a person."""

from __future__ import annotations

from typing import Final

from browser_host_stub.conformance.kit import How, Kit
from browser_host_stub.conformance.table import Check, Rows, Severity
from browser_host_stub.conformance.verdict import expect
from sgclaw.protocol.limits import APPROVAL_SECONDS
from sgclaw.protocol.messages import Approval

ASKED: Final = Rows("yes")
LABELS: Final = Rows("label")
"""A group of its own: acts of tasks that the host did not submit may ask ten times together."""
REFUSED: Final = Rows("no")
_MOST_ASKED: Final = 10


async def _agreed(kit: Kit, selector: str) -> How:
    """Ask for a click and get the person's yes."""
    error, approval = await kit.asks("click", selector=selector)
    expect(approval.approved, "被测浏览器端的人应回答同意（{approve} 是 yes），实际是不同意")
    return How(approval_id=str((error.facts or {})["approval_id"]))


@ASKED.add("asks", "“提交”：NEEDS_APPROVAL，什么都没有做", "8")
async def _asks(kit: Kit) -> None:
    await kit.open("/asked")
    await kit.asks("click", selector="#submit")
    kit.undone("submit")


@ASKED.add("once", "同意后带 approval_id 重发：执行一次；再用一次：POLICY_DENIED", "8")
async def _once(kit: Kit) -> None:
    await kit.open("/asked")
    agreed = await _agreed(kit, "#submit")
    await kit.ok("click", agreed, selector="#submit")
    await kit.did("submit")
    await kit.denied("approval.", "click", agreed, selector="#submit")
    expect(kit.site.times("submit") == 1, "一次同意执行了两次")


@ASKED.add("other", "同意的是别的操作：POLICY_DENIED，并且这次同意作废", "8")
async def _other(kit: Kit) -> None:
    await kit.open("/asked")
    agreed = await _agreed(kit, "#submit")
    await kit.denied("approval.", "click", agreed, selector="#remove")
    await kit.denied("approval.", "click", agreed, selector="#submit")
    kit.undone("submit")
    kit.undone("remove")


@ASKED.add("changed", "同意之后元素的文字变了：不执行", "8")
async def _changed(kit: Kit) -> None:
    await kit.open("/asked")
    agreed = await _agreed(kit, "#turning")
    await kit.ok("click", selector="#turn")
    await kit.denied("approval.", "click", agreed, selector="#turning")
    kit.undone("turning")


@ASKED.add("reloaded", "同意之后页面换了版本：不执行", "8")
async def _reloaded(kit: Kit) -> None:
    await kit.open("/asked")
    agreed = await _agreed(kit, "#submit")
    await kit.open("/asked")
    await kit.denied("approval.", "click", agreed, selector="#submit")
    kit.undone("submit")


@ASKED.add("task", "同意只给提出它的任务", "8")
async def _task(kit: Kit) -> None:
    await kit.open("/asked")
    agreed = await _agreed(kit, "#submit")
    await kit.denied("approval.", "click", How(approval_id=agreed.approval_id, task="t2"), selector="#submit")
    kit.undone("submit")


@ASKED.add("forged", "没有过的 approval_id：POLICY_DENIED，不执行", "8")
async def _forged(kit: Kit) -> None:
    await kit.open("/asked")
    await kit.denied("approval.", "click", How(approval_id="ap-forged"), selector="#submit")
    kit.undone("submit")


def _label(selector: str, name: str) -> Check:
    async def check(kit: Kit) -> None:
        await kit.open("/asked")
        await kit.asks("click", How(task=f"t-{name}"), selector=selector)
        kit.undone(name)

    return check


for _name, _selector, _title in (
    ("spaced", "#spaced", "带空格的文字（提 交）"),
    ("icon", "#icon", "aria-label 里的词"),
    ("titled", "#inside", "点在里面的元素上，按外面的按钮（title）判断"),
    ("valued", "#valued", "按钮的 value"),
):
    LABELS.add(_name, f"{_title}也要问人", "8")(_label(_selector, _name))


@LABELS.add("enter", "在输入框按回车：按表单的默认按钮判断（press 与 type 的 submit）", "8")
async def _enter(kit: Kit) -> None:
    await kit.open("/asked")
    await kit.asks("press", How(task="t-enter"), key="Enter", selector="#field")
    await kit.asks("type", How(task="t-enter"), selector="#field", text="差旅", submit=True)
    kit.undone("sent")


@LABELS.add("harmless", "“查询”、输入文字、读取不问人", "8")
async def _harmless(kit: Kit) -> None:
    await kit.open("/asked")
    await kit.ok("click", selector="#query")
    await kit.ok("type", selector="#field", text="提交")
    await kit.ok("getText", selector="#submit")


@ASKED.add("irreversible", "clearStorage 总要问人；同意后清空", "8, 11")
async def _irreversible(kit: Kit) -> None:
    await kit.open("/acts")
    await kit.ok("storageSet", key="city", value="上海")
    error, _ = await kit.asks("clearStorage", How(task="t-clear"))
    agreed = How(task="t-clear", approval_id=str((error.facts or {})["approval_id"]))
    await kit.ok("clearStorage", agreed)
    expect((await kit.ok("storageGet", key="city")).get("value") is None, "存储没有清空")


@LABELS.add("repeats", "重新载入由提交表单得到的页面要问人", "8")
async def _repeats(kit: Kit) -> None:
    await kit.open("/asked")
    await kit.ok("click", selector="#send")
    expect(await kit.text("#method") == "POST", "表单没有提交")
    await kit.asks("reload", How(task="t-repeat"))
    expect(kit.site.visits(kit.site.a).count("/posted") == 1, "表单又提交了一次")


@LABELS.add("facts", "facts 说出真实的元素：label、origin、action、params、rule", "8", severity=Severity.SHOULD)
async def _facts(kit: Kit) -> None:
    await kit.open("/asked")
    error, _ = await kit.asks("click", How(task="t-facts"), selector="#remove")
    facts = error.facts or {}
    expect("删除" in str(facts.get("label")), "facts.label 不是元素的文字")
    expect(facts.get("origin") == kit.site.a.base, "facts.origin 不是页面的来源")
    expect(facts.get("action") == "click", "facts.action 不是操作名")
    expect(facts.get("params") == {"selector": "#remove"}, "facts.params 不是操作的参数")
    expect(str(facts.get("rule")).startswith("approval."), "facts.rule 不以 approval. 开头")


@REFUSED.add("no", "不同意：approved 为 false，重发是 POLICY_DENIED，不执行", "8")
async def _no(kit: Kit) -> None:
    await kit.open("/asked")
    error, approval = await kit.asks("click", selector="#submit")
    expect(not approval.approved, "被测浏览器端的人应回答不同意（{approve} 是 no），实际是同意")
    used = How(approval_id=str((error.facts or {})["approval_id"]))
    await kit.denied("approval.", "click", used, selector="#submit")
    kit.undone("submit")


@REFUSED.add("many", "一个任务问到第 11 次：approval.too_many，不再问人，直接不同意", "8")
async def _many(kit: Kit) -> None:
    await kit.open("/asked")
    for _ in range(_MOST_ASKED):
        await kit.asks("click", How(task="t-many"), selector="#submit")
    error, approval = await kit.asks("click", How(task="t-many"), selector="#submit")
    expect((error.facts or {}).get("rule") == "approval.too_many", "第 11 次的规则不是 approval.too_many")
    expect(not approval.approved, "第 11 次得到了同意")
    kit.undone("submit")


SILENT: Final = Rows("silent")


@SILENT.add("silence", "沉默 120 秒是不同意（只在 --slow 时检查）", "8")
async def _silence(kit: Kit) -> None:
    await kit.open("/asked")
    since = kit.now
    error = await kit.refused("NEEDS_APPROVAL", "click", selector="#submit")
    await kit.ok("getText", selector="#submit")
    approval = await kit.next(Approval, since, "approval", APPROVAL_SECONDS + kit.timeout)
    expect(approval.approval_id == (error.facts or {}).get("approval_id"), "approval_id 不是所问的那一个")
    expect(not approval.approved, "沉默被当作同意")
    kit.undone("submit")
