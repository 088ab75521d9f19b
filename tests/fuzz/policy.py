"""The policy document: a policy in canonical form, or BAD_POLICY."""

from __future__ import annotations

import hashlib

from sgclaw.errors import BadPolicyError
from sgclaw.policy.model import parse_policy, policy_document
from sgclaw.policy.origins import is_canonical_host, origin_of
from sgclaw.protocol.actions import ACTIONS


def one_input(data: bytes) -> None:
    """The document's text; bytes that are no UTF-8 become lone surrogates."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        policy = parse_policy(text)
    except BadPolicyError:
        return
    assert all(origin_of(str(origin)) == origin for origin in policy.origins)
    assert all(is_canonical_host(host) for host in policy.hosts)
    assert policy.denied_actions <= ACTIONS.keys()
    assert all(grant.action in ACTIONS and grant.origin in policy.origins for grant in policy.grants)
    assert all(policy.irreversible_labels)
    assert policy.sha256 == hashlib.sha256(text.encode("utf-8")).hexdigest()
    assert parse_policy(text) == policy


def seeds() -> list[bytes]:
    """Documents as hosts write them, and nearly so."""
    grant = {"skill": "a-b", "action": "click", "origin": "http://10.1.2.3:8080"}
    good = policy_document(["https://erp.example.com", "http://10.1.2.3:8080"], grants=[grant])
    return [
        good.encode(),
        good.replace("erp", "ERP").encode(),
        good.replace(":8080", ":80").encode(),
        b'{"version":1,"origins":[]}',
        b'{"version":1,"origins":["https://xn--fiqs8s"],"irreversible_labels":["\\u200b"]}',
        b'{"version":1,"origins":[],"denied_actions":["eval"]}',
    ]
