"""All demo sites behind one loopback port with TLS, told apart by the Host header."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Generator, Mapping
from datetime import date
from types import TracebackType
from typing import Final, Self, TypeVar

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from browser_host_stub import tls
from browser_host_stub.sites.erp.app import ErpSite
from browser_host_stub.sites.finance.app import FinanceSite
from browser_host_stub.sites.frame.control import Control
from browser_host_stub.sites.frame.gate import Frame, Framed
from browser_host_stub.sites.frame.libraries import Libraries
from browser_host_stub.sites.frame.sso import Sso
from browser_host_stub.sites.hr.app import HrSite
from browser_host_stub.sites.legal.app import LegalSite
from browser_host_stub.sites.oa.app import OaSite

SITE_NAMES: Final = ("erp.example.com", "oa.example.com", "finance.example.com", "hr.example.com", "legal.example.com")
UNUSED_NAME: Final = "erp-test.example.com"
"""Has a certificate and leads here, but no site: what an address looks like that the policy does not list."""
DEMO_NAMES: Final = (*SITE_NAMES, UNUSED_NAME)
SiteT = TypeVar("SiteT", bound=Framed)
SHUTDOWN_S = 1  # uvicorn's own bound for open connections; whatever is left after it is aborted


class DemoSites:
    """The demo sites while the `async with` block runs; leaving it takes less than 2 s even with hanging requests.

    `today` is the only date the sites know: the same `today` shows the same pages. `port`, `spki` and
    `resolver_rules` are what a Chromium needs to reach them; `ca_pem` is for other clients. All state is in memory
    and belongs to this instance: each site's `state` is the truth its pages show, `control.shared` holds the knobs.
    `libraries` are the component libraries that most sites need. A demo name that has no site answers 421.
    """

    def __init__(self, today: date, libraries: Libraries | None = None) -> None:
        self._sites: list[Framed] = []
        self.sso = Sso()
        self.control = Control(self.sso, self._reset_states)
        # One line for each site.
        self.erp = self._add(ErpSite(today, sign_on=self.sso))
        self.legal = self._add(LegalSite(today, self.sso))
        self.oa = self._add(OaSite(today, self.sso))
        self.finance = self._add(FinanceSite(today, self.sso))
        self.hr = self._add(HrSite(today, self.sso))
        self._identity = tls.issue(DEMO_NAMES)
        self._socket: socket.socket | None = None
        self._server = _Server(
            uvicorn.Config(
                self._by_host(libraries or Libraries()),
                ssl_context_factory=lambda _config, _default: self._identity.context,
                lifespan="off",
                ws="none",
                http="h11",
                log_config=None,
                log_level="error",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=SHUTDOWN_S,
            )
        )
        self._serving: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """The loopback port; an error before the block is entered."""
        if self._socket is None:
            raise RuntimeError("DemoSites is not running: enter it with `async with` first")
        return int(self._socket.getsockname()[1])

    @property
    def spki(self) -> str:
        """For `--ignore-certificate-errors-spki-list=`."""
        return self._identity.spki

    @property
    def ca_pem(self) -> bytes:
        """The authority's certificate, for clients that verify it."""
        return self._identity.ca_pem

    @property
    def resolver_rules(self) -> str:
        """For `--host-resolver-rules=`: the demo names on port 443 lead here, loopback stays, all else is unknown.

        Chromium takes the first MAP that fits, so the demo names must come before the `*`; EXCLUDE always wins.
        """
        demo = [f"MAP {name}:443 127.0.0.1:{self.port}" for name in self._identity.names]
        return ", ".join([*demo, "MAP * ~NOTFOUND", "EXCLUDE localhost", "EXCLUDE 127.0.0.1"])

    def reset(self) -> None:
        """Every site as it was at the start: no sessions, no jobs, no faults; hanging requests are let go."""
        self._reset_states()
        self.sso.expire()
        self.control.reset()

    def _reset_states(self) -> None:
        for site in self._sites:
            site.reset()

    def _add(self, site: SiteT) -> SiteT:
        self._sites.append(site)
        return site

    def _by_host(self, libraries: Libraries) -> ASGIApp:
        return _by_host({site.host: Frame(site, self.control, self.sso, libraries) for site in self._sites})

    async def __aenter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._serving = asyncio.create_task(self._server.serve([self._socket]), name="demo-sites")
        ready = asyncio.create_task(self._server.ready.wait())
        await asyncio.wait({self._serving, ready}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._serving.done():
            self._serving.result()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._serving is None:
            return
        self.reset()
        self._server.should_exit = True
        await self._serving
        self._server.abort_connections()
        # An aborted transport closes its socket in the next turn of the loop.
        await asyncio.sleep(0)
        self._serving = self._socket = None


class _Server(uvicorn.Server):
    """uvicorn that leaves the process's signals alone and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    def abort_connections(self) -> None:
        """Cut what a peer did not close: a dead browser never answers TLS's goodbye, which asyncio awaits for 30 s."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def _by_host(sites: Mapping[str, ASGIApp]) -> ASGIApp:
    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1").partition(":")[0]
        site = sites.get(host)
        if site is None:
            site = PlainTextResponse(f"此主机没有演示站点：{host}", status_code=421)
        await site(scope, receive, send)

    return dispatch
