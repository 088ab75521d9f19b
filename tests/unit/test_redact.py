"""Positive and hard negative examples are tables; «x» in an expectation stands for the hint named x."""

import re
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sgclaw.redact import MAX_DEPTH, Json, hide_typed, hint, redact, redact_text

MIB = 1024 * 1024
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXBhcnQ"
ID_NUMBER = "11010519491231002X"  # the worked example of GB 11643
CARD_19, CARD_16 = "6222021234567890128", "4111111111111111"
PEM = "PRIVATE" + " KEY"  # in two parts, so that this file holds nothing that looks like a key
KEY_TEXT = f"-----BEGIN {PEM}-----\nMIIB\n-----END {PEM}-----"


def shown(expectation: str) -> str:
    return re.sub("«(.+?)»", lambda match: hint(match[1]), expectation)


def wide(text: str) -> str:
    """The text in full-width forms."""
    return "".join(chr(ord(character) + 0xFEE0) for character in text)


SECRETS = [
    ("密码：Abc@123，请登录", "密码：«密码»，请登录"),
    ("用户名 admin 密码 Abc@123 登录", "用户名 admin 密码 «密码» 登录"),
    ("用户名admin密码123456", "用户名admin密码«密码»"),
    ("登录口令是 s3cret", "登录口令是 «密码»"),
    ("验证码:839201有效期5分钟", "验证码:«验证码»有效期5分钟"),
    ("password=hunter2&user=bob", "password=«密码»&user=bob"),
    ("ERP_PASSWORD = hunter2", "ERP_PASSWORD = «密码»"),
    ("the password is hunter2 now", "the password is «密码» now"),
    ('{"password": "a b\\"c", "amount": 100}', '{"password": "«密码»", "amount": 100}'),
    ('{"password":123456,"amount":100}', '{"password":«密码»,"amount":100}'),
    ('{\\"apiKey\\": \\"abc123xyz\\"}', '{\\"apiKey\\": \\"«密钥»\\"}'),
    ("{'client_secret': 'abc 123'}", "{'client_secret': '«密钥»'}"),
    ("GET /x?access_token=abcdef123&month=2026-03", "GET /x?access_token=«令牌»&month=2026-03"),
    ("Authorization: Bearer abc.def-ghi", "Authorization: «授权信息»"),
    ("Cookie: JSESSIONID=1; path=/\nHost: erp", "Cookie: «Cookie»\nHost: erp"),
    ("JSESSIONID=0A1B2C3D4E", "JSESSIONID=«令牌»"),
    ("用 Bearer abcdefgh12 访问", "用 Bearer «令牌» 访问"),
    ("Basic dXNlcjpwYXNz", "Basic «授权信息»"),
    ("https://bob:pa55@erp.example.com/a", "https://bob:«密码»@erp.example.com/a"),
    (f"令牌 {JWT}。", "令牌 «令牌»。"),
    (f"jwt={JWT};", "jwt=«令牌»;"),
    ("key sk-abcdefghijklmnop1234 end", "key «密钥» end"),
    ("sk-ant-api03-aaaabbbbccccdddd", "«密钥»"),
    ("AKIAIOSFODNN7EXAMPLE", "«密钥»"),
    ("LTAI5tAbCdEfGhIj", "«密钥»"),
    ("ghp_abcdefghijklmnopqrst1234", "«密钥»"),
    (f"before {KEY_TEXT} after", "before «密钥» after"),
    (f"cut -----BEGIN RSA {PEM}-----\nMIIB", "cut «密钥»"),
    (ID_NUMBER, "«身份证号»"),
    (f"身份证号{ID_NUMBER.lower()}的员工", "身份证号«身份证号»的员工"),
    (f"单号 {ID_NUMBER}", "单号 «身份证号»"),
    (CARD_19, "«银行卡号»"),
    (f"卡号:{CARD_16},", "卡号:«银行卡号»,"),
    ("6222 0212 3456 7890 128", "«银行卡号»"),
    ("6222-0212-3456-7890-128", "«银行卡号»"),
    ("手机号13812345678。", "手机号«手机号»。"),
    ("13812345678,19912345678", "«手机号»,«手机号»"),
    ("+8613812345678 或 +86-13812345678", "+«手机号» 或 +«手机号»"),
    ("138-1234-5678.xlsx", "«手机号».xlsx"),
    ("\uff11\uff13\uff18\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18", "«手机号»"),
    ("密码改成Abc@123，谢谢", "密码改成«密码»，谢谢"),
    ("密码已经修改为了 Abc@123", "密码已经修改为了 «密码»"),
    ("把密码设为 Abc123", "把密码设为 «密码»"),
    ("新口令设置为：Abc123", "新口令设置为：«密码»"),
    ("我的密码就是Abc@123", "我的密码就是«密码»"),
    ("密码→Abc@123", "密码→«密码»"),
    ("password -> hunter2", "password -> «密码»"),
    ("密码【Abc@123】", "密码【«密码»】"),
    ("密码(Abc@123)登录", "密码(«密码»)登录"),
    ("密码：『Abc 123』", "密码：『«密码»』"),
    ("密码是“Abc 123 xyz”。", "密码是“«密码»”。"),
    ("密码\nAbc@123\n登录", "密码\n«密码»\n登录"),
    ("密 码：Abc@123", "密 码：«密码»"),
    (wide("password=ABC") + "@123，" + wide("ERP"), wide("password=") + "«密码»，" + wide("ERP")),
    ("身份证 110105 19491231 002X 的", "身份证 «身份证号» 的"),
    ("110105 1949 1231 002x", "«身份证号»"),
    ("卡号4111 1111 1111 1111，", "卡号«银行卡号»，"),
    ("3782 822463 10005", "«银行卡号»"),
    ("手机138 1234 5678。", "手机«手机号»。"),
    ("+86 138\u00a01234\u00a05678", "«手机号»"),
]

HARMLESS = [
    "导出2026年3月财务部的月度报表",
    "2026-03-03T10:23:05.123Z",
    "20260303102305123",
    "1767225600000",
    "sgclaw-20260303-a1b2c3d4",
    "金额：13812345678",
    "合计 13812345678.00 元",
    "¥13812345678",
    "13812345678 元",
    "文件大小 15032385536 字节",
    "13,812,345,678.90",
    "凭证号：13812345678",
    "订单编号 6222021234567890128",
    "记-2026-03-0015",
    "PO4500001234",
    "合同 4500-2026-0301-0001",
    "91110000600007354X",  # a company's code, public
    "110105194913310021",  # a thirteenth month
    "110105194912310021",  # a wrong check digit
    "6222021234567890123",  # fails the Luhn check
    "数量 150 2000 3000",
    "150 2000 3000 元",
    "150 2000 3000 4000",
    "订单号 138 1234 5678",
    "金额 4111 1111 1111 1111",
    "4111 1111 1111 1112",  # fails the Luhn check
    "4100 5200 6300 7400",
    "2026 0301 0001 0002",
    "110105 19491231 0021",  # a wrong check digit
    "密码（必填）",
    "密码：【必填】",
    "密码(8-16位)",
    "密码为8位以上",
    "密码修改 2026-03-01",
    "密码\n2026-03-01",
    "点击密码“修改”",
    "密码已过期90天",
    "550e8400-e29b-41d4-a716-446655440000",
    "a" * 64,
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "192.168.10.113:8080",
    "v1.13.0-rc1",
    "task-abcdefghijklmnop1234",
    "密码错误，请重新输入",
    "密码：请输入8到16位字符",
    "密码：******",
    "忘记密码？点击重置密码",
    "密码是否正确",
    "password is required",
    "password: null",
    "max_tokens: 4096, token_type=bearer, max_token=4096",
    "Basic information about the bearer of news",
    "keyboard: qwerty",
    "a cookie, a key and a secret",
    "密码=%vault:erp.login%",
    "password: %vault:erp-example.password%",
    "https://erp.example.com/report?month=2026-03&dept=财务部",
    "#login-form > input[name=user]",
]


@pytest.mark.requirement("REDACT-01")
@pytest.mark.parametrize(("text", "expectation"), SECRETS)
def test_secrets_and_personal_numbers_leave_a_hint(text: str, expectation: str) -> None:
    assert redact_text(text) == shown(expectation)


@pytest.mark.requirement("REDACT-02")
@pytest.mark.parametrize("text", HARMLESS)
def test_business_data_stays_as_it_is(text: str) -> None:
    assert redact_text(text) == text
    assert redact({"note": [text]}) == {"note": [text]}


@pytest.mark.requirement("REDACT-03")
@pytest.mark.parametrize(
    ("key", "name"),
    [
        *(
            (key, "密码")
            for key in ("password", "Passwd", "PWD", "userPassword", "password_confirm", "登录密码", "口令")
        ),
        *((key, "密钥") for key in ("api_key", "apiKey", "X-Api-Key", "session_key", "client_secret", "privateKey")),
        *((key, "令牌") for key in ("token", "access_token", "csrfToken", "JSESSIONID", "令牌")),
        *((key, "授权信息") for key in ("Authorization", "proxy-authorization")),
        *((key, "Cookie") for key in ("cookie", "Set-Cookie")),
        *((key, "验证码") for key in ("otp", "验证码（必填）")),
        ("credential", "凭据"),
    ],
)
def test_a_value_under_a_secret_name_is_replaced_whole(key: str, name: str) -> None:
    for value in ("x", 12, 1.5, ["a", "b"], {"a": "b"}):
        assert redact({key: value}) == {key: hint(name)}
    for nothing in (None, True, "", "%vault:erp.login%"):
        assert redact({key: nothing}) == {key: nothing}


@pytest.mark.requirement("REDACT-03")
def test_names_that_only_sound_secret_keep_their_values() -> None:
    value: dict[str, Json] = {
        "tokens": 120,
        "key_id": "dev-1",
        "policy_sha256": "ab" * 32,
        "password_policy": "长度不少于8位",
        "token_type": "bearer",
        "keyboard": "zh",
        "密码强度": "强",
        "hmac": "ab" * 32,
        "credentials_ok": True,
        "voucher_no": "13812345678",
        "订单号": "6222021234567890128",
        "size": 15_032_385_536,
    }
    assert redact(value) == value


@pytest.mark.requirement("REDACT-03")
def test_what_is_typed_into_or_read_from_a_secret_field_is_hidden() -> None:
    secret = hint("密码")
    assert redact({"selector": "#login-pwd", "text": "hunter2"}) == {"selector": "#login-pwd", "text": secret}
    assert redact({"role": "textbox", "name": "密码", "value": "hunter2"}) == {
        "role": "textbox",
        "name": "密码",
        "value": secret,
    }
    assert redact({"name": "Authorization", "value": "abc"}) == {"name": "Authorization", "value": hint("授权信息")}
    unchanged: dict[str, Json] = {"selector": "input[name=user]", "text": "bob"}
    assert redact(unchanged) == unchanged
    assert redact({"selector": "#password-tip", "text": "至少8位"}) == {"selector": "#password-tip", "text": "至少8位"}
    assert redact({"key": "access_token", "value": "abc"}) == {"key": "access_token", "value": hint("令牌")}


@pytest.mark.requirement("REDACT-03")
@pytest.mark.parametrize(
    "selector",
    [
        "#password",
        "#passwordInput",
        "input[name=new_password]",
        "input[type=password]",
        "#txtPwd1",
        "#pwd-field",
        "#login_psw",
        "[placeholder='请输入密码']",
        "密码输入框",
        "[aria-label='支付口令框']",
    ],
)
def test_a_field_is_secret_whatever_its_name_ends_in(selector: str) -> None:
    assert redact({"selector": selector, "text": "Hunter2Plain"}) == {"selector": selector, "text": hint("密码")}
    assert redact({"selector": selector, "value": "Hunter2Plain"}) == {"selector": selector, "value": hint("密码")}


@pytest.mark.requirement("REDACT-03")
def test_who_decides_on_an_act_sees_all_but_what_goes_into_a_secret_field() -> None:
    assert hide_typed({"selector": "#pwd", "text": "hunter2"}) == {"selector": "#pwd", "text": hint("密码")}
    phone = {"selector": "#phone", "text": "13812345678"}
    assert hide_typed(phone) == phone


@pytest.mark.requirement("REDACT-03")
def test_keys_are_redacted_and_none_is_lost() -> None:
    assert redact({"13812345678": 1, "13912345678": 2}) == {hint("手机号"): 1, f"{hint('手机号')}#1": 2}


@pytest.mark.requirement("REDACT-03")
def test_integers_that_are_card_numbers_are_hidden_and_other_numbers_stay() -> None:
    assert redact([int(CARD_16), 13_812_345_678, -5, 0.1, 2**63]) == [hint("银行卡号"), 13_812_345_678, -5, 0.1, 2**63]


@pytest.mark.requirement("REDACT-04")
def test_what_is_not_json_becomes_the_name_of_its_type() -> None:
    assert redact({"a": b"hunter2", "b": {1, 2}, 3: (1, "x")}) == {"a": hint("bytes"), "b": hint("set"), "3": [1, "x"]}


@pytest.mark.requirement("REDACT-04")
def test_nesting_is_cut_at_the_cap() -> None:
    deep: object = "13812345678"
    for _ in range(50_000):
        deep = [deep]
    result, depth = redact(deep), 0
    while isinstance(result, list):
        result, depth = result[0], depth + 1
    assert (result, depth) == (hint("层级过深"), MAX_DEPTH)


def repeated(piece: str) -> Callable[[], str]:
    return lambda: (piece * (MIB // len(piece) + 1))[:MIB]


HOSTILE = {
    name: repeated(piece)
    for name, piece in {
        "letters": "a",
        "digits": "1",
        "dashed digits": "1-",
        "dotted digits": "1.",
        "phones": "13812345678 ",
        "card starts": "6222 ",
        "jwt starts": "eyJ.",
        "jwt parts": "eyJabcde.",
        "key starts": "sk-",
        "names": "password ",
        "one name": "password",
        "names and joints": "password=",
        "open quotes": 'password="',
        "escaped quotes": 'token\\":\\"',
        "chinese names": "密码",
        "chinese joints": "密码是",
        "pem starts": "-----BEGIN A-----",
        "pem ends": "-----END A-----BEGIN",
        "schemes": "://",
        "user infos": "://aaaaaaaaaa:",
        "open user infos": "://a:b",
        "bearers": "bearer ",
        "short words": "ab: key ",
        "spaced phones": "138 1234 5678 ",
        "spaced digits": "1234 ",
        "open brackets": "密码【",
        "changed": "密码改成",
        "spread names": "密   码",
        "lines": "密码\n",
        "arrows": "password -> ",
        "wide names": wide("pwd="),
        "vault starts": "密码=%vault:",
    }.items()
}
HOSTILE["backslashes"] = lambda: 'password="' + "\\" * MIB
HOSTILE["spaces"] = lambda: "password" + " " * MIB + "x"
HOSTILE["base64"] = lambda: "basic " + "A" * MIB
HOSTILE["open vault"] = lambda: "密码=%vault:" + "a" * MIB


def steps_of(text: str) -> int:
    """How many Python and C calls the redaction of a text takes: no clock is involved."""
    steps = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        redact_text(text)
    finally:
        sys.setprofile(None)
    return steps


@pytest.mark.requirement("REDACT-05")
@pytest.mark.timeout(60)  # what a quadratic pattern would do inside the engine: 10¹² steps, days
@pytest.mark.parametrize("name", HOSTILE)
def test_work_on_hostile_text_grows_with_its_length_only(name: str) -> None:
    text = HOSTILE[name]()
    eighth, whole = steps_of(text[: len(text) // 8]), steps_of(text)
    assert whole <= 8 * len(text)
    assert whole <= 9 * eighth + 500


@pytest.mark.requirement("REDACT-06")
@given(
    st.lists(st.sampled_from([*(text for text, _ in SECRETS), *HARMLESS]), min_size=1, max_size=6),
    st.sampled_from(["，", "。", "；", "\n", "\t"]),
)
@example(['password="a" b'], "\n")
@example(["密码13812345678"], "\n")
def test_redacting_an_ordinary_text_twice_changes_nothing_more(texts: list[str], between: str) -> None:
    once = redact_text(between.join(texts))
    assert redact_text(once) == once


@pytest.mark.requirement("REDACT-04")
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_any_value_is_redacted_without_an_error(value: object) -> None:
    redact(value)


@pytest.mark.requirement("REDACT-01")
@pytest.mark.parametrize("around", ["{}", "前{}后", "a={}", '"{}"', "({})", "{}\n", "{},{}", "[{}]", "tel:{}", "{}。"])
@pytest.mark.parametrize("secret", [ID_NUMBER, CARD_19, "13812345678", JWT, "sk-abcdefghijklmnop1234"])
def test_a_secret_is_found_whatever_stands_around_it(around: str, secret: str) -> None:
    assert secret not in redact_text(around.format(secret, secret))
