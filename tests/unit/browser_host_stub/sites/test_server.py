import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from browser_host_stub.sites.server import DEMO_NAMES, UNUSED_NAME, DemoSites
from tests.unit.browser_host_stub.sites.conftest import LOGIN, TODAY


class ToLoopback(httpx.AsyncBaseTransport):
    """Takes every host to the loopback port and verifies the certificate for the name that was asked for."""

    def __init__(self, sites: DemoSites) -> None:
        self._port = sites.port
        self._inner = httpx.AsyncHTTPTransport(verify=trusting(sites))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        # A request of its own: the client keeps cookies by the address that was asked for.
        sent = httpx.Request(
            request.method,
            request.url.copy_with(host="127.0.0.1", port=self._port),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": request.url.host},
        )
        return await self._inner.handle_async_request(sent)

    async def aclose(self) -> None:
        await self._inner.aclose()


def trusting(sites: DemoSites) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=sites.ca_pem.decode())


def reaching(sites: DemoSites, host: str = "erp.example.com") -> httpx.AsyncClient:
    """A client of the site `host`."""
    return httpx.AsyncClient(base_url=f"https://{host}", transport=ToLoopback(sites), timeout=10)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    before = loop.time()
    yield
    assert loop.time() - before <= seconds


@pytest.mark.requirement("SITES-07")
@pytest.mark.parametrize("host", DEMO_NAMES)
async def test_the_certificate_is_good_for_every_demo_name(sites: DemoSites, host: str) -> None:
    async with reaching(sites, host) as client:
        assert (await client.get("/login")).status_code == (421 if host == UNUSED_NAME else 200)


@pytest.mark.requirement("SITES-07")
async def test_a_client_that_does_not_know_the_authority_refuses_the_certificate(sites: DemoSites) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            await client.get(f"https://127.0.0.1:{sites.port}/login")


@pytest.mark.requirement("SITES-07")
async def test_the_resolver_rules_lead_demo_names_to_the_port_and_everything_else_nowhere(sites: DemoSites) -> None:
    assert sites.resolver_rules.split(", ") == [
        *(f"MAP {name}:443 127.0.0.1:{sites.port}" for name in DEMO_NAMES),
        "MAP * ~NOTFOUND",
        "EXCLUDE localhost",
        "EXCLUDE 127.0.0.1",
    ]


@pytest.mark.requirement("SITES-07")
def test_the_port_of_sites_that_do_not_run_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="not running"):
        _ = DemoSites(TODAY).port


@pytest.mark.requirement("SITES-08")
async def test_leaving_answers_a_hanging_request_and_takes_less_than_two_seconds() -> None:
    async with DemoSites(TODAY) as sites, reaching(sites) as client:
        await client.post("/login", data=LOGIN)
        sites.erp.knobs.hang_page = "/"
        hanging = asyncio.create_task(client.get("/"))
        answered, _ = await asyncio.wait({hanging}, timeout=0.5)
        assert not answered
        with at_most(2):
            await sites.__aexit__(None, None, None)
        assert (await hanging).status_code == 503


@pytest.mark.requirement("SITES-08")
async def test_leaving_takes_less_than_two_seconds_when_a_peer_has_gone_silent() -> None:
    async with DemoSites(TODAY) as sites:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", sites.port, ssl=trusting(sites), server_hostname="erp.example.com"
        )
        writer.write(b"GET /login HTTP/1.1\r\nHost: erp.example.com\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        # From here on the peer neither reads nor answers TLS's goodbye, like a browser that was killed.
        transport: Any = writer.transport
        transport.pause_reading()
        with at_most(2):
            await sites.__aexit__(None, None, None)
        writer.transport.abort()


@pytest.mark.requirement("SITES-08")
async def test_the_port_is_free_again_after_leaving() -> None:
    async with DemoSites(TODAY) as sites:
        port = sites.port
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


@pytest.mark.requirement("SITES-06")
async def test_a_truncated_download_breaks_off_with_the_connection(sites: DemoSites) -> None:
    sites.erp.knobs.truncate_download = True
    sites.erp.knobs.export_step_s = 0
    async with reaching(sites) as client:
        await client.post("/login", data=LOGIN)
        job = (await client.post("/api/exports", json={"month": "2026-03", "format": "csv"})).json()
        assert job["state"] == "done"
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get(job["url"])


@pytest.mark.requirement("SITES-08")
async def test_serving_writes_nothing_to_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    async with DemoSites(TODAY) as sites, reaching(sites) as client:
        await client.get("/login")
        await client.get("/no-such-page")
    assert capfd.readouterr() == ("", "")
