"""TLS for the demo sites: a throw-away authority, one certificate, and the pin by which Chromium accepts it.

Chromium is given the pin of exactly this key (`--ignore-certificate-errors-spki-list`), so every other invalid
certificate stays an error. The switch only works together with a `--user-data-dir`, which Playwright always passes.
"""

from __future__ import annotations

import base64
import hashlib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


@dataclass(frozen=True, slots=True)
class TlsIdentity:
    """A server certificate for `names`, ready to serve.

    `spki` is base64(SHA-256(SubjectPublicKeyInfo)) of the *leaf* key: pinning the authority would let one pin vouch
    for certificates nobody looked at. `ca_pem` is for clients that verify the ordinary way (httpx). The private key
    lives in `context` only; it is never left on disk.
    """

    names: tuple[str, ...]
    context: ssl.SSLContext
    spki: str
    ca_pem: bytes


def issue(names: Sequence[str]) -> TlsIdentity:
    """A fresh identity for DNS `names` (at least one), from an authority that is forgotten right away."""
    authority = trustme.CA(organization_name="sgClaw demo sites")
    leaf = authority.issue_cert(*names)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    leaf.configure_cert(context)
    return TlsIdentity(
        names=tuple(names),
        context=context,
        spki=_spki_pin(leaf.cert_chain_pems[0].bytes()),
        ca_pem=authority.cert_pem.bytes(),
    )


def _spki_pin(certificate_pem: bytes) -> str:
    public_key = x509.load_pem_x509_certificate(certificate_pem).public_key()
    info = public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(info).digest()).decode("ascii")
