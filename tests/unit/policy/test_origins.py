import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgclaw.errors import PolicyDeniedError
from sgclaw.policy.origins import Origin, is_canonical_host, origin_of

LONG_LABEL = "x" * 63
HOST_OF_253 = ".".join([LONG_LABEL] * 3 + ["y" * 61])

ADDRESSES = [
    ("https://erp.example.com", Origin("https", "erp.example.com", 443)),
    ("https://erp.example.com/", Origin("https", "erp.example.com", 443)),
    ("https://erp.example.com:443/a", Origin("https", "erp.example.com", 443)),
    ("http://erp.example.com:80/", Origin("http", "erp.example.com", 80)),
    ("http://erp.example.com:443/", Origin("http", "erp.example.com", 443)),
    ("HTTPS://ERP.Example.COM/Path", Origin("https", "erp.example.com", 443)),
    ("https://erp.example.com?m=2026-03#x", Origin("https", "erp.example.com", 443)),
    ("https://erp.example.com#@evil.com/", Origin("https", "erp.example.com", 443)),
    ("https://erp.example.com/a@b:c//evil.com", Origin("https", "erp.example.com", 443)),
    ("https://erp.example.com/报表?月=三月", Origin("https", "erp.example.com", 443)),
    ("http://10.1.2.3:8080/x", Origin("http", "10.1.2.3", 8080)),
    ("http://0.1.0.255/", Origin("http", "0.1.0.255", 80)),
    ("http://localhost:65535/", Origin("http", "localhost", 65_535)),
    ("http://oa:1/", Origin("http", "oa", 1)),
    ("https://xn--fiqs8s.example.com/", Origin("https", "xn--fiqs8s.example.com", 443)),
    ("https://1erp.2example.c3/", Origin("https", "1erp.2example.c3", 443)),
]

REFUSED = [
    (None, "url.form"),
    (5, "url.form"),
    (["https://erp.example.com/"], "url.form"),
    (b"https://erp.example.com/", "url.form"),
    ("https://erp.example.com/" + "x" * 8_000, "url.form"),
    (r"https://evil.com\@erp.example.com/", "url.characters"),
    ("https://erp.example.com\\.evil.com/", "url.characters"),
    ("https://erp.example.com/\\..", "url.characters"),
    ("https://erp.example.com/ ", "url.characters"),
    (" https://erp.example.com/", "url.characters"),
    ("https://erp.exa\tmple.com/", "url.characters"),
    ("https://erp.example.com/\n", "url.characters"),
    ("https://erp.example.com\r/", "url.characters"),
    ("https://erp.example.com\x00/", "url.characters"),
    ("https://erp.example.com/\x7f", "url.characters"),
    ("\x01javascript:alert(1)", "url.characters"),
    ("https://e\u200drp.example.com/", "url.characters"),
    ("https://\u202eerp.example.com/", "url.characters"),
    ("https://erp.example.com/\u00ad", "url.characters"),
    ("https://erp.example.com/\u3000", "url.characters"),
    ("https://erp.example.com/\ud800", "url.characters"),
    ("https://erp.example.com/\ue000", "url.characters"),
    ("", "url.scheme"),
    ("erp.example.com", "url.scheme"),
    ("//erp.example.com/", "url.scheme"),
    ("/a", "url.scheme"),
    ("https:erp.example.com/", "url.scheme"),
    ("https:/erp.example.com/", "url.scheme"),
    ("https:///erp.example.com/", "url.scheme"),
    ("https://", "url.scheme"),
    ("https:///", "url.scheme"),
    ("null", "url.scheme"),
    ("about:blank", "url.scheme"),
    ("about:srcdoc", "url.scheme"),
    ("javascript:alert(1)//erp.example.com", "url.scheme"),
    ("data:text/html,x", "url.scheme"),
    ("file:///etc/hosts", "url.scheme"),
    ("blob:https://erp.example.com/0", "url.scheme"),
    ("filesystem:https://erp.example.com/0", "url.scheme"),
    ("view-source:https://erp.example.com/", "url.scheme"),
    ("chrome-extension://aaaa/", "url.scheme"),
    ("ws://erp.example.com/", "url.scheme"),
    ("ftp://erp.example.com/", "url.scheme"),
    ("http\u017f://erp.example.com/", "url.scheme"),
    ("httpss://erp.example.com/", "url.scheme"),
    ("https://user@erp.example.com/", "url.userinfo"),
    ("https://erp.example.com:x@evil.com/", "url.userinfo"),
    ("https://erp.example.com%2eevil.com/", "url.authority"),
    ("https://erp.example.com%00.evil.com/", "url.authority"),
    ("https://erp.example.com;a/", "url.authority"),
    ("https://*.example.com/", "url.authority"),
    ("https://erp_test.example.com/", "url.authority"),
    ("https://[::1]/", "url.ipv6"),
    ("https://[::ffff:127.0.0.1]/", "url.ipv6"),
    ("https://erp.ex\u0430mple.com/", "url.authority"),
    ("https://\uff45\uff52\uff50.example.com/", "url.authority"),
    ("https://erp\uff0eexample.com/", "url.authority"),
    ("https://erp\u3002example.com/", "url.authority"),
    ("https://erp.example.com\u2044.evil.com/", "url.authority"),
    ("https://\u4e2d\u56fd.example.com/", "url.authority"),
    ("https://\u212aerp.example.com/", "url.authority"),
    ("https://erp.example.com:/", "url.authority"),
    ("https://erp.example.com:0/", "url.authority"),
    ("https://erp.example.com:0443/", "url.authority"),
    ("https://erp.example.com:443:443/", "url.authority"),
    ("https://erp.example.com:123456/", "url.authority"),
    ("https://erp.example.com:http/", "url.authority"),
    ("https://:443/", "url.authority"),
    ("https://erp.example.com:65536/", "url.host"),
    ("https://erp.example.com./", "url.host"),
    ("https://erp.example.com../", "url.host"),
    ("https://erp..example.com/", "url.host"),
    ("https://.erp.example.com/", "url.host"),
    ("https://./", "url.host"),
    ("https://-erp.example.com/", "url.host"),
    ("https://erp-.example.com/", "url.host"),
    ("https://2130706433/", "url.host"),
    ("https://0x7f000001/", "url.host"),
    ("https://0x7f.0.0.1/", "url.host"),
    ("https://127.0.0.0x1/", "url.host"),
    ("https://0177.0.0.1/", "url.host"),
    ("https://127.0.0.01/", "url.host"),
    ("https://127.1/", "url.host"),
    ("https://127.0.1/", "url.host"),
    ("https://1.2.3.4.5/", "url.host"),
    ("https://256.1.1.1/", "url.host"),
    ("https://erp.example.com.1/", "url.host"),
    ("https://xn--a.example.com/", "url.host"),
    ("https://xn--erp-.example.com/", "url.host"),
    ("https://ab--cd.example.com/", "url.host"),
    ("https://" + "x" * 64 + ".example.com/", "url.host"),
    ("https://" + HOST_OF_253 + "z/", "url.host"),
]


@pytest.mark.requirement("POLICY-01")
@pytest.mark.parametrize(("url", "origin"), ADDRESSES)
def test_an_ordinary_address_has_one_origin(url: str, origin: Origin) -> None:
    assert origin_of(url) == origin
    assert origin_of(str(origin)) == origin


@pytest.mark.requirement("POLICY-02")
@pytest.mark.parametrize(("url", "rule"), REFUSED, ids=[ascii(url)[:60] for url, _ in REFUSED])
def test_an_address_with_more_than_one_reading_is_refused_and_not_repaired(url: object, rule: str) -> None:
    with pytest.raises(PolicyDeniedError) as caught:
        origin_of(url)
    assert caught.value.facts == {"rule": rule}


@pytest.mark.requirement("POLICY-01")
@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (Origin("https", "erp.example.com", 443), "https://erp.example.com"),
        (Origin("https", "erp.example.com", 80), "https://erp.example.com:80"),
        (Origin("http", "10.1.2.3", 80), "http://10.1.2.3"),
        (Origin("http", "10.1.2.3", 8080), "http://10.1.2.3:8080"),
    ],
)
def test_an_origin_is_written_without_its_default_port(origin: Origin, text: str) -> None:
    assert str(origin) == text


@pytest.mark.requirement("POLICY-03")
@pytest.mark.parametrize(
    "host",
    [
        *("erp.example.com", "oa", "localhost", "10.1.2.3", "255.255.255.255", "xn--fiqs8s", "a", "a-b.c"),
        *(LONG_LABEL, HOST_OF_253),
    ],
)
def test_a_canonical_host_is_accepted(host: str) -> None:
    assert is_canonical_host(host)


@pytest.mark.requirement("POLICY-03")
@pytest.mark.parametrize(
    "host",
    [
        *(None, 0, ["erp.example.com"], "", ".", "ERP.EXAMPLE.COM", "erp.example.com:443", "erp.example.com/", "*"),
        *("*.example.com", ".erp.example.com", "erp.example.com.", "erp.example.com\n", " erp.example.com", "a b"),
        *("erp.example.com|evil.example", "erp.example.com,oa", "\u0435rp.example.com", "erp.example.com\x00"),
        *("中国.example.com", "erp_test", "-erp", "erp-", "1", "1.2.3", "01.2.3.4", "1.2.3.256", "0x1", "a.0x1"),
        *("xn--", "xn--a", "xn--fiqs8S", "ab--c", "x" * 64, HOST_OF_253 + "z", "https://erp.example.com", "a@b"),
    ],
)
def test_a_host_in_any_other_form_is_refused(host: object) -> None:
    assert not is_canonical_host(host)


@pytest.mark.requirement("POLICY-02")
@settings(max_examples=400, deadline=None)
@given(
    st.text(max_size=60)
    | st.tuples(
        st.sampled_from(["http", "https", "HTTPS", "ftp", "http\u017f"]),
        st.sampled_from(["://", ":", ":/", ":\\\\", "://a@"]),
        st.text("abexn-.0127xX:@%[]\\/#?中\u212a\u00df\u200d", max_size=30),
    ).map("".join)
)
def test_any_text_has_an_origin_that_names_itself_or_is_refused(url: str) -> None:
    try:
        origin = origin_of(url)
    except PolicyDeniedError:
        return
    assert origin_of(str(origin)) == origin
    assert is_canonical_host(origin.host)
    assert url.lower().startswith(f"{origin.scheme}://{origin.host}")


@pytest.mark.requirement("POLICY-03")
@settings(max_examples=300, deadline=None)
@given(st.text("abcdefxn0123456789-", max_size=30).map(lambda tail: "xn--" + tail))
def test_any_punycode_label_is_accepted_or_refused_without_another_error(label: str) -> None:
    assert is_canonical_host(label) in (True, False)
