from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from sgclaw.audit.ledger import FileLedger
from sgclaw.cli.check_machine import check_chromium, check_host, check_state, needs_stub
from sgclaw.cli.commands import run_command
from sgclaw.cli.exits import Exit
from sgclaw.cli.findings import Verdict
from sgclaw.cli.world import World
from sgclaw.config import load_settings
from sgclaw.llm.settings import ModelSettings
from sgclaw.ports import Record
from sgclaw.skills.ed25519 import parse_secret_key
from tests.unit.audit.support import HandClock
from tests.unit.cli.home import NOW, ROOT, Home

DEV_KEY = ROOT / "keys" / "DEV-ONLY-skill-signing.key"


def _checks(home: Home) -> dict[str, dict[str, str]]:
    rows = cast("list[dict[str, str]]", home.json()["checks"])
    return {row["name"]: row for row in rows}


@pytest.mark.requirement("CLI-40")
def test_doctor_looks_at_everything_and_a_sound_installation_passes(home: Home) -> None:
    assert home.run("doctor", "--json") == Exit.OK
    checks = _checks(home)
    assert list(checks) == [
        "Python",
        "设置",
        "浏览器命令",
        "Chromium",
        "Playwright",
        "中文字体",
        "状态目录",
        "磁盘空间",
        "审计账本",
        "签名公钥",
        "技能清单",
        "访问策略",
        "大模型",
        "外部工具",
        "脚本沙箱",
    ]
    assert "fail" not in {row["verdict"] for row in checks.values()}
    assert not home.settings.state_dir.exists()


@pytest.mark.requirement("CLI-40")
def test_the_sandbox_is_tried_with_a_real_script(home: Home) -> None:
    home.run("doctor", "--json")
    assert _checks(home)["脚本沙箱"]["verdict"] == "ok"


@pytest.mark.requirement("CLI-41")
def test_the_development_key_is_a_warning_and_in_production_a_failure(home: Home) -> None:
    home.trust(parse_secret_key(DEV_KEY.read_bytes()))
    home.run("skill", "sign", "--key", str(DEV_KEY))
    assert home.run("doctor", "--json") == Exit.OK
    assert _checks(home)["签名公钥"]["verdict"] == "warn"
    assert home.run("doctor", "--production", "--json") == Exit.FAILED
    checks = _checks(home)
    assert (checks["签名公钥"]["verdict"], checks["技能清单"]["verdict"]) == ("fail", "fail")
    assert "sgclaw keys new" in checks["签名公钥"]["mend"]


@pytest.mark.requirement("CLI-42")
def test_what_is_missing_comes_with_what_mends_it(home: Home) -> None:
    home.settings.registry.unlink()
    home.with_settings(host_command=("no-such-browser",))
    assert home.run("doctor", "--json") == Exit.FAILED
    failed = {name: row["mend"] for name, row in _checks(home).items() if row["verdict"] == "fail"}
    assert set(failed) == {"浏览器命令", "技能清单"}
    assert all(failed.values())
    home.run("doctor")
    assert home.out.splitlines()[-1] == "2 项必需的检查没有通过"
    assert "SGCLAW_HOST_COMMAND" in home.out


@pytest.mark.requirement("CLI-42")
def test_a_refused_skill_is_a_failure(home: Home) -> None:
    home.skills.write("custom/my-skill.js", "// changed")
    assert home.run("doctor", "--json") == Exit.FAILED
    assert _checks(home)["技能清单"]["found"] == "1 个可用，被拒绝：my-skill（HASH_MISMATCH）"


@pytest.mark.requirement("CLI-42")
def test_chromium_is_required_only_by_the_demonstration_browser(home: Home, tmp_path: Path) -> None:
    assert check_chromium(home.settings, (str(tmp_path / "none"),)).verdict is Verdict.WARN
    home.with_settings(host_command=("python3", "-m", "browser_host_stub", "host"))
    assert needs_stub(home.settings)
    missing = check_chromium(home.settings, (str(tmp_path / "none"),))
    assert (missing.verdict, missing.mend) == (
        Verdict.FAIL,
        "apt-get install -y --no-install-recommends chromium",
    )
    assert check_host(home.settings).verdict is Verdict.OK


def test_a_browser_that_cannot_run_is_not_a_browser(home: Home, tmp_path: Path) -> None:
    fake = tmp_path / "chromium"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    assert check_chromium(home.settings, (str(fake),)).verdict is Verdict.WARN
    fake.write_text("#!/bin/sh\necho Chromium 156.0.1 Debian\n")
    assert check_chromium(home.settings, (str(fake),)).found == f"{fake}，版本 156.0.1"


def test_a_ledger_that_others_can_read_is_a_failure(home: Home) -> None:
    audit = home.settings.audit_dir
    audit.mkdir(parents=True, mode=0o755)
    audit.chmod(0o755)
    folder, _ = check_state(home.settings)
    assert (folder.verdict, folder.mend) == (Verdict.FAIL, f"chmod -R go-rwx '{home.settings.state_dir}'")
    audit.chmod(0o700)
    assert check_state(home.settings)[0].verdict is Verdict.OK


def test_a_state_folder_that_is_a_file_is_a_failure(home: Home) -> None:
    home.settings.state_dir.write_text("")
    folder, _ = check_state(home.settings)
    assert folder.verdict is Verdict.FAIL


@pytest.mark.requirement("CLI-66")
def test_a_ledger_that_does_not_verify_is_a_failure(home: Home) -> None:
    ledger = FileLedger(home.settings.audit_dir, HandClock())
    for number in range(2):
        ledger.append(Record("session_ended", "sgclaw-20260331-00000001", "sgclaw", None, {"reason": str(number)}))
    ledger.close()
    assert home.run("doctor", "--json") == Exit.OK
    assert _checks(home)["审计账本"]["found"] == "完好，2 条记录"
    (segment,) = home.settings.audit_dir.glob("*.jsonl")
    segment.write_bytes(segment.read_bytes()[:-10])
    assert home.run("doctor", "--json") == Exit.FAILED
    failed = {name: row["mend"] for name, row in _checks(home).items() if row["verdict"] == "fail"}
    assert list(failed) == ["审计账本"]
    assert "请保全现场" in failed["审计账本"]


@pytest.mark.requirement("CLI-67")
def test_a_bad_setting_is_a_failed_check_beside_those_that_need_no_settings(home: Home) -> None:
    env = {"HOME": str(home.folder), "SGCLAW_PRODUCTION": "ja"}
    code = run_command(["doctor", "--json"], World(load=lambda: load_settings(env), now=lambda: NOW))
    home.out, home.err = home.capsys.readouterr()
    assert code == Exit.FAILED
    checks = _checks(home)
    assert list(checks) == ["Python", "设置", "中文字体", "脚本沙箱"]
    assert checks["设置"] == {
        "name": "设置",
        "verdict": "fail",
        "found": "环境变量 SGCLAW_PRODUCTION 不可用，可用的值：1、true、yes、0、false、no",
        "mend": "请改正或去掉环境变量 SGCLAW_PRODUCTION；依赖设置的检查这次没有做",
    }


KEY = "sk-test-0123456789abcdef"
CLAUDE = ModelSettings("claude", "claude-test")


@pytest.mark.requirement("CLI-43")
@pytest.mark.parametrize(
    ("model", "key", "verdict", "says"),
    [
        (ModelSettings(), "", "info", "没有配置"),
        (CLAUDE, KEY, "ok", "https://api.anthropic.com，密钥在 env:SGCLAW_API_KEY"),
        (CLAUDE, "", "fail", "env:SGCLAW_API_KEY"),
        (replace(CLAUDE, base_url=f"https://u:{KEY}@evil.example"), KEY, "fail", "model.base_url"),
        (ModelSettings("openai", "m", "http://127.0.0.1:11434/v1"), "", "ok", "不用密钥"),
        (ModelSettings("scripted", scenario="/no/such.yaml"), "", "fail", "/no/such.yaml"),
    ],
)
def test_doctor_says_whether_a_model_can_be_asked_and_never_prints_its_key(
    home: Home, model: ModelSettings, key: str, verdict: str, says: str
) -> None:
    home.with_settings(model=model, model_key=key)
    home.run("doctor", "--json")
    row = _checks(home)["大模型"]
    assert (row["verdict"], says in row["found"]) == (verdict, True)
    assert bool(row["mend"]) == (verdict in ("fail", "ok"))
    home.run("doctor")
    assert KEY not in home.out + home.err + str(row)
