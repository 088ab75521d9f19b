"""How a session ends: in each row the host closes its end and nothing acts any more."""

from __future__ import annotations

import asyncio
from typing import Final

from browser_host_stub.conformance.kit import Kit
from browser_host_stub.conformance.table import Rows
from browser_host_stub.conformance.verdict import expect
from sgclaw.protocol.messages import Answer, AskPerson, Bye

ENDING: Final = Rows("end")
_CLOSE_S: Final = 3.0
"""The 2 s of the protocol, and what a busy machine adds."""


async def _closes(kit: Kit, why: str) -> None:
    expect(await kit.peer.closed(_CLOSE_S), f"{why}之后没有在 2 秒内关闭管道")


@ENDING.add("bye", "sgclaw 说 bye：2 秒内关闭管道", "14", fresh=True)
async def _bye(kit: Kit) -> None:
    await kit.greet()
    await kit.open("/acts")
    kit.say(Bye(reason="shutdown"))
    await _closes(kit, "bye ")


@ENDING.add("eof", "管道关闭：浏览器端结束会话", "14", fresh=True)
async def _eof(kit: Kit) -> None:
    await kit.greet()
    await kit.open("/acts")
    kit.peer.hang_up()
    await _closes(kit, "管道关闭")


@ENDING.add("killed", "sgclaw 在操作中途消失：操作不再开始", "14, 15", fresh=True)
async def _killed(kit: Kit) -> None:
    await kit.greet()
    await kit.open("/late")
    kit.send("click", selector="#late")
    kit.peer.hang_up()
    await _closes(kit, "sgclaw 消失")
    await asyncio.sleep(2)
    kit.undone("late")


@ENDING.add("after", "bye 之后的操作不执行", "14", fresh=True)
async def _after(kit: Kit) -> None:
    await kit.greet()
    await kit.open("/acts")
    sent = kit.prepare("click", selector="#plain")
    kit.say(Bye(reason="shutdown"))
    kit.peer.write(sent.line)
    await _closes(kit, "bye ")
    kit.undone("plain")


@ENDING.add("question", "question：由人回答，没有人回答时 declined", "9", fresh=True)
async def _question(kit: Kit) -> None:
    await kit.greet()
    since = kit.now
    kit.say(AskPerson(question_id="q1", task_id="t1", text="选哪个月？", choices=("三月", "四月"), deadline_s=5))
    answer = await kit.next(Answer, since, "answer")
    expect(answer.question_id == "q1", "question_id 不是所问的那一个")
    expect(answer.declined or answer.text, "既没有回答也没有 declined")
