"""Hosts and addresses that a stranger's reference must not reach."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.fetch.budget import Budget
from bot.fetch.client import Client
from bot.fetch.guard import Origin, Policy, Refused, is_number, not_public, origin_of, policy_of
from signatures.artifact.source import SourceError
from tests.loopback import Asked, Handler, serving

HUB = "https://huggingface.co"
PRIVATE = (
    "0.0.0.0",  # noqa: S104  # to be refused, nothing is bound to it
    "127.0.0.1", "127.8.9.1", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "100.127.255.254", "192.0.0.8", "192.0.2.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "::127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:7f00:1::1", "2002:a9fe:a9fe::", "2001::1",
    "100::1", "fec0::1", "3fff::1", "5f00::1", "192.88.99.1", "not an address", "",
)  # fmt: skip
SPELLED = (
    "127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "0", "::1", "[::1]", "1.1.1.1",
    "example.0x1f", "127.0.0.1.",
)  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not_public(address) is not None


@pytest.mark.parametrize("address", ["18.239.50.16", "140.82.112.3", "2600:9000:2000::1", "::ffff:18.239.50.16"])
def test_a_public_address_is_not(address: str) -> None:
    assert not_public(address) is None


def test_an_address_behind_the_translator_of_a_provider_is_judged_by_what_it_stands_for() -> None:
    assert not_public("64:ff9b::12ef:3210") is None
    assert not_public("64:ff9b::c0a8:101") == "an address that is not public"


@pytest.mark.parametrize("host", SPELLED)
def test_an_address_in_any_spelling_is_no_host_name(host: str) -> None:
    assert is_number(host)
    with pytest.raises(Refused, match="bare address"):
        policy_of(HUB, ()).check_url("https", host, None)
    with pytest.raises(ValueError, match="neither"):
        policy_of(HUB, (host,))


@pytest.mark.parametrize(
    "host",
    ["localhost", "example.com", "huggingface.co.example.com", "evilhuggingface.co", "xn--huggingfce-73a.co",
     "huggingface.co.", "hf.space", "a_.hf.space", "metadata.google.internal", "", "huggingface%2eco",
     "hugging face.co"],
)  # fmt: skip
def test_a_host_that_is_not_on_the_list_is_refused(host: str) -> None:
    with pytest.raises(Refused):
        policy_of(HUB, ()).check_url("https", host, None)


@pytest.mark.parametrize(
    "host",
    ["huggingface.co", "HuggingFace.co", "cdn-lfs-us-1.hf.co", "cas-bridge.xethub.hf.co", "cdn-lfs.huggingface.co",
     "github.com", "release-assets.githubusercontent.com"],
)  # fmt: skip
def test_hosts_that_publish_models_are_allowed(host: str) -> None:
    assert policy_of(HUB, ()).check_url("https", host, None).port == 443


def test_only_https_on_its_own_port_without_credentials_is_asked() -> None:
    policy = policy_of(HUB, ())
    for scheme, port, userinfo in (("http", None, b""), ("ftp", None, b""), ("", None, b""), ("https", 8443, b"")):
        with pytest.raises(Refused):
            policy.check_url(scheme, "huggingface.co", port, userinfo)
    with pytest.raises(Refused, match="user name"):
        policy.check_url("https", "huggingface.co", None, b"name:word")


def test_what_the_operator_writes_out_is_taken_as_it_stands() -> None:
    policy = policy_of("http://127.0.0.1:8080", ("mirror.example", "https://10.0.0.7:8443"))
    assert policy.check_url("http", "127.0.0.1", 8080) == Origin("http", "127.0.0.1", 8080)
    assert policy.check_url("https", "10.0.0.7", 8443)
    assert policy.check_url("https", "mirror.example", None)
    for scheme, host, port in (
        ("https", "127.0.0.1", 8080), ("http", "127.0.0.1", 8081), ("http", "10.0.0.7", 8443),
        ("http", "mirror.example", 80),
    ):  # fmt: skip
        with pytest.raises(Refused):
            policy.check_url(scheme, host, port)


@pytest.mark.parametrize(
    "text", ["ftp://a.example", "https://", "https://u:p@a.example", "https://a.example:x", "mirror"]
)
def test_an_endpoint_that_is_no_address_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="no address"):
        origin_of(text)


def leading_to(*addresses: str) -> Callable[[str, int], list[str]]:
    return lambda host, port: list(addresses)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "fd00::1", "100.64.1.1"]
)
def test_an_allowed_name_that_leads_to_a_private_address_is_not_connected_to(address: str) -> None:
    client = Client(policy_of(HUB, (), leading_to(address)), Budget())
    with pytest.raises(Refused, match=r"huggingface\.co leads to"):
        client.get("https://huggingface.co/owner/name/resolve/main/model.onnx", {})
    client.close()


def test_one_private_address_among_public_ones_is_enough() -> None:
    with pytest.raises(Refused):
        policy_of(HUB, (), leading_to("18.239.50.16", "127.0.0.1")).addresses("huggingface.co", 443)


def test_a_name_without_an_address_is_said() -> None:
    def fails(host: str, port: int) -> list[str]:
        raise OSError(-2, "Name or service not known")

    with pytest.raises(SourceError, match=r"huggingface\.co has no address: Name or service"):
        policy_of(HUB, (), fails).addresses("huggingface.co", 443)


def test_the_address_that_was_checked_is_the_one_connected_to() -> None:
    """One look-up per connection, and the server still sees the name."""
    asked_for: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked_for.append(host)
        return ["127.0.0.1"] if len(asked_for) == 1 else ["127.0.0.2"]

    with serving(lambda handler, asked: handler.give(200, b"yes")) as server:
        origin = f"http://models.test:{server.server_port}"
        client = Client(Policy(frozenset({origin_of(origin)}), frozenset(), resolve), Budget())
        for _ in range(3):
            response = client.get(f"{origin}/model.onnx", {})
            assert response.read() == b"yes"
        client.close()
        assert asked_for == ["models.test"]
        assert {a.headers["host"] for a in server.asked} == {f"models.test:{server.server_port}"}


REDIRECTS = (
    "http://127.0.0.1:1/x", "http://127.0.0.1/x", "http://localhost/x", "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/x", "http://[::ffff:127.0.0.1]/x", "http://2130706433/x", "http://0x7f000001/", "http://0177.0.0.1/",
    "https://127.0.0.1/x", "https://example.com/x", "//example.com/x", "http://huggingface.co/x", "file:///etc/passwd",
    "ftp://huggingface.co/x", "https://user:word@huggingface.co/x", "https://huggingface.co:22/x", "gopher://x/",
    "https://huggingface.co/x",
)  # fmt: skip


@pytest.mark.parametrize("location", REDIRECTS)
def test_each_redirect_is_checked_as_the_first_address_was(location: str) -> None:
    with serving(lambda handler, asked: handler.give(302, Location=location)) as server:
        # the last of them is an allowed name, which here leads to this computer
        client = Client(policy_of(server.url, (), leading_to("127.0.0.1")), Budget())
        with pytest.raises(Refused):
            client.get(f"{server.url}/model.onnx", {})
        client.close()
        assert len(server.asked) == 1


def test_redirects_end_after_five() -> None:
    def loop(handler: Handler, asked: Asked) -> None:
        handler.give(302, Location=asked.path + "x")

    with serving(loop) as server:
        client = Client(policy_of(server.url, ()), Budget())
        with pytest.raises(SourceError, match="more than 5 redirects"):
            client.get(f"{server.url}/", {})
        client.close()
        assert len(server.asked) == 6


def test_no_credentials_and_no_cookies_are_sent() -> None:
    def answer(handler: Handler, asked: Asked) -> None:
        if asked.path == "/":
            handler.give(302, Location="/next", Set_Cookie="session=1")
        else:
            handler.give(200, b"yes", Set_Cookie="session=2")

    with serving(answer) as server:
        client = Client(policy_of(server.url, ()), Budget())
        for _ in range(2):
            client.get(f"{server.url}/", {"authorization": "Bearer s3cret"}).close()
        client.close()
        for asked in server.asked:
            assert "authorization" not in asked.headers
            assert "cookie" not in asked.headers
            assert asked.headers["accept-encoding"] == "identity"
