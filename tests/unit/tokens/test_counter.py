"""One count for all that plans a request: a real tokenizer, or a bound that never says less."""

from __future__ import annotations

import subprocess
import sys

import pytest
import quicktok  # type: ignore[import-untyped]

from sgclaw.tokens.counter import ENCODING, bounded, counter
from tests.gates.repository import ROOT

CORPUS = {
    "chinese": "请导出本月的合规报表，核对借方与贷方金额是否一致，再提交给财务部门审批。" * 20,
    "rare chinese": "龘靐齉爩麤鱻籱灪驫鬱饕餮魑魅魍魉氍毹耄耋" * 10,
    "english": "The quick report exports every compliance table, then waits for the approval of finance. " * 20,
    "json": '{"action": "click", "params": {"ref": "12", "url": "https://erp.example.com/report?month=2026-03"}}\n'
    * 20,
    "emoji": "😀🎉👩‍💻🏳️‍🌈✅❌①②③" * 20,
    "base64": "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24=" * 10,
    "code": "for (const row of table.rows) { sum += Number(row.cells[3].textContent) ?? 0 }\n" * 10,
    "special": "<|endoftext|><|im_start|>system" * 5,
    "spaces": " \t\n" * 50,
    "short": "好",
    "empty": "",
}


@pytest.mark.requirement("CTX-01")
@pytest.mark.parametrize("text", CORPUS.values(), ids=CORPUS.keys())
@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_the_bound_is_never_below_the_tokenizer(text: str, encoding: str) -> None:
    assert counter(encoding)(text) <= bounded(text)


@pytest.mark.requirement("CTX-01")
@pytest.mark.parametrize("text", CORPUS.values(), ids=CORPUS.keys())
def test_the_count_is_that_of_the_encoding(text: str) -> None:
    assert counter()(text) == len(quicktok.get_encoding(ENCODING).encode_ordinary(text))


@pytest.mark.requirement("CTX-01")
def test_an_encoding_that_is_not_there_is_counted_by_the_bound() -> None:
    count = counter("no-such-encoding")
    assert {name: count(text) for name, text in CORPUS.items()} == {n: bounded(text) for n, text in CORPUS.items()}


@pytest.mark.requirement("CTX-01")
def test_half_a_character_is_counted_and_not_refused() -> None:
    assert counter()("合同\ud800") >= 2


@pytest.mark.requirement("CTX-01")
def test_without_the_package_the_bound_counts_and_nothing_is_loaded_before() -> None:
    script = (
        "import sys; sys.modules['quicktok'] = None\n"
        "from sgclaw.tokens.counter import bounded, counter\n"
        "count = counter()\n"
        "print(count('导出报表') == bounded('导出报表'), 'numpy' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.split() == ["True", "False"]


@pytest.mark.requirement("CTX-01")
def test_making_a_counter_loads_no_tokenizer() -> None:
    script = "import sys; from sgclaw.tokens.counter import counter; counter(); print('quicktok' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.split() == ["False"]
