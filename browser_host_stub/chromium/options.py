"""How Chromium is started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--no-pings",
)
_ONLY_LOOPBACK = ("MAP * ~NOTFOUND", "EXCLUDE localhost", "EXCLUDE 127.0.0.1")


@dataclass(frozen=True, slots=True)
class ChromiumOptions:
    """One browser. Names not covered by `resolver_rules` or loopback do not resolve: no packet leaves the machine."""

    downloads_dir: Path
    """Where finished files are kept; created when absent."""
    executable: Path = Path("/usr/bin/chromium")
    headless: bool = True
    resolver_rules: Sequence[str] = ()
    """Chromium resolver rules such as `MAP *.example.com 127.0.0.1:8443`."""
    spki_pins: Sequence[str] = ()
    """base64(SHA-256) of leaf keys accepted without a chain; every other certificate error stays an error."""
    viewport: tuple[int, int] = (1280, 800)
    locale: str = "zh-CN"
    timezone: str = "Asia/Shanghai"

    def arguments(self) -> list[str]:
        """Command line arguments; the first resolver rule that fits wins, so the catch-all comes last."""
        rules = ",".join((*self.resolver_rules, *_ONLY_LOOPBACK))
        pins = [f"--ignore-certificate-errors-spki-list={','.join(self.spki_pins)}"] if self.spki_pins else []
        return [*_ARGUMENTS, *pins, f"--host-resolver-rules={rules}"]
