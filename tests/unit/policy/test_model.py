import hashlib
import json
from typing import Any

import pytest

from sgclaw.errors import BadPolicyError
from sgclaw.policy.labels import IRREVERSIBLE_LABELS
from sgclaw.policy.model import Grant, Policy, parse_policy, policy_document
from sgclaw.policy.origins import Origin

ERP = "https://erp.example.com"
GRANT = {"skill": "erp-monthly-report", "action": "click", "origin": ERP}


def _document(**changes: object) -> str:
    return json.dumps({"version": 1, "origins": [ERP], **changes}, ensure_ascii=False)


@pytest.mark.requirement("POLICY-07")
def test_a_policy_is_exactly_what_its_document_says() -> None:
    document = _document(
        origins=[ERP, "http://10.1.2.3:8080"],
        denied_actions=["upload"],
        irreversible_labels=["提 交", "\uff2f\uff2b"],
        grants=[GRANT],
    )
    assert parse_policy(document) == Policy(
        origins=frozenset({Origin("https", "erp.example.com", 443), Origin("http", "10.1.2.3", 8080)}),
        denied_actions=frozenset({"upload"}),
        irreversible_labels=("提交", "ok"),
        grants=frozenset({Grant("erp-monthly-report", "click", Origin("https", "erp.example.com", 443))}),
        sha256=hashlib.sha256(document.encode()).hexdigest(),
    )
    assert parse_policy(document).hosts == {"erp.example.com", "10.1.2.3"}


@pytest.mark.requirement("POLICY-07")
def test_the_hash_is_over_the_bytes_as_sent() -> None:
    documents = [_document(), _document().replace(" ", ""), _document(grants=[])]
    assert len({parse_policy(document).sha256 for document in documents}) == 3


def test_an_empty_policy_allows_no_origin_and_keeps_the_default_words() -> None:
    policy = parse_policy('{"version":1,"origins":[]}')
    assert (policy.origins, policy.hosts, policy.grants) == (frozenset(), frozenset(), frozenset())
    assert policy.irreversible_labels == IRREVERSIBLE_LABELS


def test_a_document_written_for_a_host_is_read_back() -> None:
    policy = parse_policy(policy_document([ERP], grants=[GRANT]))
    assert policy.hosts == {"erp.example.com"}
    assert len(policy.grants) == 1
    assert parse_policy(policy_document([ERP])).irreversible_labels == IRREVERSIBLE_LABELS


@pytest.mark.requirement("POLICY-07")
@pytest.mark.parametrize(
    "document",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"version":1}',
        '{"version":1,"origins":[],"origins":["https://evil.example"]}',
        '{"version":1,"origins":["\ud800"]}',
        '{"version":1,"origins":[]} ',
        _document(version=2),
        _document(version="1"),
        _document(version=True),
        _document(version=1.0),
        _document(extra=1),
        _document(origins=ERP),
        _document(origins=[1]),
        _document(origins=None),
        _document(origins=[ERP] * 1_001),
        _document(denied_actions="upload"),
        _document(denied_actions=["eval"]),
        _document(denied_actions=["Upload"]),
        _document(irreversible_labels=[""]),
        _document(irreversible_labels=[" "]),
        _document(irreversible_labels=["提交", "\u200b"]),
        _document(irreversible_labels=["x" * 33]),
        _document(irreversible_labels=["提交"] * 501),
        _document(grants=[{**GRANT, "skill": "*"}]),
        _document(grants=[{**GRANT, "skill": "Erp"}]),
        _document(grants=[{**GRANT, "action": "*"}]),
        _document(grants=[{**GRANT, "action": "eval"}]),
        _document(grants=[{**GRANT, "origin": "https://oa.example.com"}]),
        _document(grants=[{**GRANT, "origin": "http://erp.example.com"}]),
        _document(grants=[{**GRANT, "origin": ERP + "/"}]),
        _document(grants=[{**GRANT, "until": "2030"}]),
        _document(grants=[{"skill": "a", "action": "click"}]),
        _document(grants=[GRANT] * 1_001),
    ],
)
def test_a_document_that_is_not_exactly_right_is_refused_whole(document: str) -> None:
    with pytest.raises(BadPolicyError) as caught:
        parse_policy(document)
    assert caught.value.code == "BAD_POLICY"


@pytest.mark.requirement("POLICY-07")
@pytest.mark.parametrize(
    "origin",
    [
        "https://erp.example.com/",
        "https://erp.example.com/path",
        "https://erp.example.com?x",
        "https://erp.example.com#x",
        "https://erp.example.com:443",
        "http://erp.example.com:80",
        "https://ERP.example.com",
        "HTTPS://erp.example.com",
        "https://erp.example.com.",
        "https://*.example.com",
        "https://中国.example.com",
        "https://user@erp.example.com",
        "erp.example.com",
        "*",
        "null",
        "",
        "file:///",
        "https://0177.0.0.1",
        " https://erp.example.com",
    ],
)
def test_an_origin_that_is_not_in_canonical_form_is_refused_and_named(origin: str) -> None:
    with pytest.raises(BadPolicyError) as caught:
        parse_policy(_document(origins=[ERP, origin]))
    assert caught.value.facts["origin"] == origin


@pytest.mark.requirement("POLICY-07")
def test_a_policy_cannot_be_changed() -> None:
    policy: Any = parse_policy(_document(grants=[GRANT]))
    for value, names in (
        (policy, ("origins", "denied_actions", "irreversible_labels", "grants", "sha256")),
        (next(iter(policy.grants)), ("skill", "action", "origin")),
        (next(iter(policy.origins)), ("scheme", "host", "port")),
    ):
        for name in names:
            with pytest.raises(AttributeError):
                setattr(value, name, getattr(value, name))
    assert isinstance(hash(policy), int)
