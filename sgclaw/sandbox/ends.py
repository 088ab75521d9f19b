"""How a run can be ended by the sandbox, with the words for people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from sgclaw.errors import SandboxError
from sgclaw.redact import inert, redact_text


class End(StrEnum):
    """`facts.reason` of a `SandboxError`."""

    WALL_CLOCK = "wall_clock"
    CPU = "cpu"
    MEMORY = "memory"
    CALLS = "calls"
    LOG = "log"
    RESULT = "result"
    PARAMS = "params"  # this one and the next two: refused to the script, which let the refusal through
    OUTSTANDING = "outstanding"
    TIMERS = "timers"
    SOURCE = "source"
    STUCK = "stuck"  # no job, no call, no timer and no result: it would wait for ever
    WORKER_DIED = "worker_died"  # the process ended, or wrote what no honest worker writes
    NO_WORKER = "no_worker"  # the system refused to start one
    LOAD = "load"
    BAD_RESULT = "bad_result"


CAUSES: Mapping[End, str] = {
    End.WALL_CLOCK: "脚本运行时间超过上限，已终止",
    End.CPU: "脚本占用处理器时间超过上限，已终止",
    End.MEMORY: "脚本占用内存超过上限，已终止",
    End.CALLS: "脚本的页面操作次数超过上限，已终止",
    End.LOG: "脚本输出的日志超过上限，已终止",
    End.RESULT: "脚本返回的数据超过大小上限",
    End.PARAMS: "脚本一次操作的参数超过大小上限",
    End.OUTSTANDING: "脚本同时等待的页面操作超过上限",
    End.TIMERS: "脚本同时设置的定时器超过上限",
    End.SOURCE: "脚本文件超过大小上限",
    End.STUCK: "脚本在等待永远不会发生的事情，已终止",
    End.WORKER_DIED: "运行脚本的进程意外结束",
    End.NO_WORKER: "系统没有让运行脚本的进程启动",
    End.LOAD: "脚本无法加载",
    End.BAD_RESULT: "脚本的返回值不是约定的 {success, data, error}，或含有无法传递的值",
}

NEXT_STEPS: Mapping[End, str] = {
    End.WALL_CLOCK: "请确认业务系统响应正常后重试；若反复出现请由技能作者拆分脚本",
    End.MEMORY: "请由技能作者减少脚本同时保留的数据（直接抛出 null 也会这样报告）",
    End.CALLS: "请缩小任务范围，或由技能作者拆分脚本",
    End.LOG: "请由技能作者减少 console 输出",
    End.PARAMS: "请由技能作者缩短参数，大量数据应作为文件上传",
    End.OUTSTANDING: "请由技能作者用 await 等待前面的操作，再发出后面的操作",
    End.TIMERS: "请由技能作者清除不再需要的定时器",
    End.SOURCE: "请由技能作者拆分脚本，再用 sgclaw skill sign 重新签名",
    End.RESULT: "请由技能作者减少返回的数据，大量数据应作为文件导出",
    End.STUCK: "请由技能作者检查没有完成的 Promise",
    End.WORKER_DIED: "请核对业务系统中的状态后重新提交；若反复出现请联系管理员",
    End.NO_WORKER: "请关闭一些程序后重试，或运行 sgclaw doctor 检查本机",
    End.LOAD: "请由技能作者修正脚本（写法见 docs/skills.md），再用 sgclaw skill sign 重新签名",
    End.BAD_RESULT: "请由技能作者检查返回值：数字须为 ±(2⁵³−1) 内的整数或绝对值不小于 0.0001 的小数，其余请转成文字",
}
"""Where the error's own next step (ask the author) can be said better."""


_FRAME: Final = "\n    at "
_LINE: Final = re.compile(r"<input>:(\d{1,7}):\d")
_MAX_DETAIL: Final = 300


def sandbox_error(end: End, skill: str, detail: str = "") -> SandboxError:
    """The typed end of a run.

    `detail` is the script's or the engine's own text, with the stack below it: a hint for the author, which nobody
    trusts. It is shown redacted, in one line and cut; of the stack only the script's line is kept.
    """
    facts: dict[str, object] = {"reason": end.value, "skill": skill}
    cause = CAUSES[end]
    said, _, stack = detail.partition(_FRAME)
    shown = " ".join(inert(redact_text(said)).split())[:_MAX_DETAIL]
    line = _LINE.search(stack)
    if shown:
        facts["detail"] = shown
    if line is not None:
        facts["line"] = int(line[1])
    if end is End.LOAD and shown:
        cause = f"{cause}：" + (f"第 {int(line[1])} 行 {shown}" if line else shown)
    return SandboxError(cause, next_step=NEXT_STEPS.get(end), facts=facts)


def no_worker(skill: str, error: OSError) -> SandboxError:
    """The end of a run for which the system started no process; of its reasons only the system's own words are kept."""
    return sandbox_error(End.NO_WORKER, skill, error.strerror or type(error).__name__)
