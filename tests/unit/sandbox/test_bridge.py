"""`browserAction` from the script's side and from the browser's."""

from __future__ import annotations

import pytest

from sgclaw.errors import (
    ActionCode,
    ActionError,
    AuditUnavailableError,
    BadInputsError,
    HostGoneError,
    NeedsApprovalError,
    PolicyDeniedError,
    SgClawError,
)
from sgclaw.ports import Act, SkillResult
from tests.unit.sandbox.support import HEADER, Bench, verified

ARTIFACT = {"id": "a1", "name": "月报.xlsx", "size": 5120, "sha256": "0" * 64, "mime": "application/vnd.ms-excel"}


def failing(error: SgClawError) -> object:
    async def before(_act: Act) -> None:
        raise error

    return before


@pytest.mark.requirement("SBX-10")
async def test_calls_become_acts_with_named_parameters_in_order(sandbox: Bench) -> None:
    body = """
      const page = await Promise.all([
        browserAction('navigate', 'https://erp.example.com/report'),
        browserAction('type', '#month', params.month),
        browserAction('waitForSelector', '.ok', 5000),
        browserAction('query', { selector: '.row', fact: 'count' }),
        globalThis.browserAction('press', 'Enter', undefined),
      ]);
      return { success: true, data: page };
    """
    sandbox.browser.values = {"navigate": "https://erp.example.com/report", "query": 12}
    result = await sandbox.run(body, {"month": "2026-03"})
    assert [(act.action, dict(act.params)) for act in sandbox.browser.acts] == [
        ("navigate", {"url": "https://erp.example.com/report"}),
        ("type", {"selector": "#month", "text": "2026-03"}),
        ("waitForSelector", {"selector": ".ok", "timeout_ms": 5000}),
        ("query", {"selector": ".row", "fact": "count"}),
        ("press", {"key": "Enter"}),
    ]
    assert result == SkillResult(True, ["https://erp.example.com/report", "<type>", "<waitForSelector>", 12, "<press>"])


@pytest.mark.requirement("SBX-11")
async def test_a_download_resolves_to_its_artifact(sandbox: Bench) -> None:
    sandbox.browser.values = {"download": ARTIFACT}
    result = await sandbox.run("return { success: true, data: await browserAction('download', '#export') };")
    assert result == SkillResult(success=True, data=ARTIFACT)


@pytest.mark.requirement("SBX-12")
@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("browserAction('navigate', 'https://evil.example/')", "POLICY_DENIED"),
        ("browserAction('eval', '1')", "UNKNOWN_ACTION"),
        ("browserAction('executeJsInPage', '1')", "UNKNOWN_ACTION"),
        ("browserAction('__proto__')", "UNKNOWN_ACTION"),
        ("browserAction('click\\ud800', '#a')", "UNKNOWN_ACTION"),
        ("browserAction('click', '#a', '#b')", "BAD_PARAMS"),
        ("browserAction('click', { selector: '#a', seq: 7 })", "BAD_PARAMS"),
        ("browserAction('click', () => 1)", "BAD_PARAMS"),
        ("browserAction('click', 10n)", "BAD_PARAMS"),
        ("browserAction('scrollTo', 0, 1e21)", "BAD_PARAMS"),
        ("browserAction('type', '#a', '\\ud800')", "BAD_PARAMS"),
        ("browserAction('type', '#a', 'x'.repeat(500000))", "BAD_PARAMS"),
        ("browserAction('click', JSON.parse('['.repeat(100) + ']'.repeat(100)))", "BAD_PARAMS"),
        ("browserAction()", "BAD_PARAMS"),
        ("browserAction({ action: 'click' })", "BAD_PARAMS"),
    ],
)
async def test_a_refused_call_rejects_with_a_code_and_the_script_goes_on(sandbox: Bench, call: str, code: str) -> None:
    body = f"""
      const error = await {call}.then(() => null, (reason) => reason);
      return {{ success: true, data: [error instanceof Error, error.code, typeof error.facts] }};
    """
    assert await sandbox.run(body) == SkillResult(success=True, data=[True, code, "object"])
    assert sandbox.browser.acts == []


@pytest.mark.requirement("SBX-12")
async def test_a_refusal_carries_the_cause_and_the_facts_into_the_script(sandbox: Bench) -> None:
    error = ActionError(ActionCode.COVERED_TARGET, "按钮被“加载中”遮住", facts={"covered_by": "div.mask"})
    sandbox.browser.before = failing(error)  # type: ignore[assignment]
    body = """
      try { await browserAction('click', '#export'); } catch (error) {
        return { success: false, error: `导出失败: ${error.message}`, data: { ...error } };
      }
    """
    assert await sandbox.run(body) == SkillResult(
        success=False,
        error="导出失败: 按钮被“加载中”遮住",
        data={"name": "BrowserActionError", "code": "COVERED_TARGET", "facts": {"covered_by": "div.mask"}},
    )


@pytest.mark.requirement("SBX-13")
@pytest.mark.parametrize(
    "error",
    [
        PolicyDeniedError("策略不允许", facts={"rule": "origin"}),
        NeedsApprovalError("没有得到确认"),
        ActionError(ActionCode.UNKNOWN_OUTCOME, "提交后连接中断", facts={"action": "click"}),
    ],
)
async def test_a_refusal_that_the_script_lets_through_is_raised_as_it_was(sandbox: Bench, error: SgClawError) -> None:
    sandbox.browser.before = failing(error)  # type: ignore[assignment]
    with pytest.raises(type(error)) as raised:
        await sandbox.run("await browserAction('click', '#submit'); return { success: true };")
    assert raised.value is error


@pytest.mark.requirement("SBX-13")
@pytest.mark.parametrize("error", [HostGoneError("浏览器已退出"), AuditUnavailableError("账本不能写入")])
async def test_an_error_that_ends_the_task_cannot_be_caught_by_the_script(sandbox: Bench, error: SgClawError) -> None:
    sandbox.browser.before = failing(error)  # type: ignore[assignment]
    body = """
      try { await browserAction('click', '#submit'); } catch { }
      return { success: true };
    """
    with pytest.raises(type(error)) as raised:
        await sandbox.run(body)
    assert raised.value is error
    assert [data["end"] for data in sandbox.log.named("run_ended")] == [error.code]


@pytest.mark.requirement("SBX-14")
@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("return { success: true };", SkillResult(True)),
        ("return { success: true, data: null, error: 'ignored' };", SkillResult(True)),
        ("return { success: false, error: '没有数据' };", SkillResult(False, error="没有数据")),
        ("return { success: false };", SkillResult(False, error="脚本报告失败，但没有说明原因")),
        ("return { success: false, error: { n: 1 } };", SkillResult(False, error='{"n":1}')),
        ("throw new Error('没有找到“导出”按钮');", SkillResult(False, error="没有找到“导出”按钮")),
        ("throw new RangeError('x');", SkillResult(False, error="RangeError: x")),
        ("throw '文字';", SkillResult(False, error="文字")),
        ("throw { get message() { throw 1; } };", SkillResult(False, error="（无法读取的异常）")),
        ("const f = () => f() + 1; f();", SkillResult(False, error="RangeError: Maximum call stack size exceeded")),
        (
            "throw new Proxy({}, { getPrototypeOf() { throw 1; }, get() { throw 2; } });",
            SkillResult(False, error="（无法读取的异常）"),
        ),
    ],
)
async def test_what_a_script_returns_or_throws_becomes_the_result(
    sandbox: Bench, body: str, wanted: SkillResult
) -> None:
    assert await sandbox.run(body) == wanted


@pytest.mark.requirement("SBX-14")
async def test_a_script_without_promises_may_return_plainly(sandbox: Bench) -> None:
    source = HEADER + "function execute(params) { return { success: true, data: params }; }\n"
    assert await sandbox.run(verified(source), {"a": 1}) == SkillResult(success=True, data={"a": 1})


@pytest.mark.requirement("SBX-15")
@pytest.mark.parametrize(
    "returned",
    [
        "undefined", "null", "'done'", "[true]", "{ success: 1 }", "{ ok: true }", "() => 1",
        "{ success: true, data: 1e21 }", "{ success: true, data: 2 ** 53 }", "{ success: true, data: 1e-7 }",
        "{ success: true, data: 10n }", "{ success: true, data: '\\udc00' }",
        "{ success: true, data: JSON.parse('['.repeat(100) + ']'.repeat(100)) }",
        "{ success: true, toJSON() { return { success: 'yes' }; } }",
        "{ success: true, get data() { throw new Error('no'); } }",
    ],
)  # fmt: skip
async def test_a_value_that_is_no_result_ends_as_bad_result(sandbox: Bench, returned: str) -> None:
    assert await sandbox.reason(f"return {returned};") == "bad_result"


@pytest.mark.requirement("SBX-16")
async def test_text_of_every_kind_crosses_unchanged_both_ways(sandbox: Bench) -> None:
    texts = [
        "业务部门：财务（三部）￥1,234.50 📊",
        "a\u0000b",
        "\u2028\u2029\u0085\r\n\t",
        '"\\/',
        "é",
        "\U0010ffff",
        "",
    ]
    sandbox.browser.values = {"getText": texts}
    body = """
      let rope = '';
      for (let i = 0; i < 20000; i++) rope += '中a';
      const fromPage = await browserAction('getText', '#a');
      await browserAction('type', '#b', params.texts.join('|'));
      return { success: true, data: { given: params.texts, fromPage, rope: rope.length, tail: rope.slice(-2) + rope } };
    """
    result = await sandbox.run(body, {"texts": texts})
    rope = "中a" * 20_000
    wanted = {"given": texts, "fromPage": texts, "rope": 40_000, "tail": "中a" + rope}
    assert result == SkillResult(success=True, data=wanted)
    assert sandbox.browser.acts[1].params["text"] == "|".join(texts)


@pytest.mark.requirement("SBX-16")
async def test_numbers_cross_as_javascript_writes_them(sandbox: Bench) -> None:
    sandbox.browser.values = {"query": 0.00001}
    body = """
      const small = await browserAction('query', { fact: 'title' });
      return { success: true, data: [0, -0, 1.5, -2.25, 2 ** 53 - 1, 0.1 + 0.2, 0.0001, NaN, Infinity, small * 1e5] };
    """
    result = await sandbox.run(body)
    wanted = [0, 0, 1.5, -2.25, 2**53 - 1, 0.30000000000000004, 0.0001, None, None, 1]
    assert result == SkillResult(success=True, data=wanted)


@pytest.mark.requirement("SBX-17")
async def test_console_text_goes_to_the_log_with_its_level(sandbox: Bench) -> None:
    body = """
      console.log('导出', { month: '2026-03' }, 3, undefined, 5n, Symbol('s'), new TypeError('坏'));
      console.warn('慢'); console.error('\\ud800'); console.info();
      const cycle = {}; cycle.cycle = cycle; console.log(cycle);
      return { success: true };
    """
    await sandbox.run(body)
    said = [(data["text"], level) for _, name, data, level in sandbox.log.events if name == "console"]
    assert said == [
        ('导出 {"month":"2026-03"} 3 undefined 5 Symbol(s) TypeError: 坏', "INFO"),
        ("慢", "WARN"),
        ("\ufffd", "ERROR"),
        ("", "INFO"),
        ("（无法显示的值）", "INFO"),
    ]


@pytest.mark.requirement("SBX-17")
async def test_where_a_script_threw_is_in_the_log(sandbox: Bench) -> None:
    await sandbox.run("\nthrow new Error('x');")
    (said,) = sandbox.log.named("threw")
    assert (said["text"], "execute (<input>:11" in str(said["stack"])) == ("x", True)


@pytest.mark.requirement("SBX-18")
async def test_calls_nobody_waited_for_are_dropped_with_a_warning(sandbox: Bench) -> None:
    body = """
      const acts = [1, 2, 3].map((n) => browserAction('click', '#pay-' + n));
      await acts[0];
      setTimeout(() => browserAction('click', '#late'), 0);
      return { success: true };
    """
    assert await sandbox.run(body) == SkillResult(success=True)
    assert len(sandbox.browser.acts) <= 2
    (warning,) = sandbox.log.named("calls_dropped")
    assert warning["count"] in (1, 2)


@pytest.mark.requirement("SBX-18")
async def test_other_fields_of_a_result_are_named_in_a_warning(sandbox: Bench) -> None:
    assert await sandbox.run("return { success: true, message: 'x' };") == SkillResult(success=True)
    assert sandbox.log.named("result_fields_ignored") == [{"skill": "probe", "fields": ["message"]}]


@pytest.mark.requirement("SBX-19")
@pytest.mark.parametrize("inputs", [{"x": "y" * 300_000}, {"x": float("nan")}, {"x": 2**60}, {"x": object()}])
async def test_inputs_that_cannot_be_handed_over_are_refused(sandbox: Bench, inputs: dict[str, object]) -> None:
    with pytest.raises(BadInputsError):
        await sandbox.run("return { success: true };", inputs)
    assert sandbox.started == []
