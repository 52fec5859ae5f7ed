"""Which hosts and which addresses models may be fetched from.

A reference comes from a stranger's report, so a host has to be on the list, its address has to be a public one, and
the operator alone can name exceptions. It opens no connection; `bot.fetch.client` asks it before each.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from signatures.artifact.source import SourceError

HOSTS = frozenset(
    {
        "huggingface.co",
        "hf.co",
        "github.com",
        "objects.githubusercontent.com",
        "release-assets.githubusercontent.com",
        "raw.githubusercontent.com",
    }
)
# the hub answers with a redirect to cdn-lfs*.huggingface.co, cdn-lfs*.hf.co or *.xethub.hf.co
SUFFIXES = (".huggingface.co", ".hf.co")
HOW_TO_ALLOW = "`--allow-host` or TRIAGE_FETCH_HOSTS can add it"

_DEFAULT_PORT = {"https": 443, "http": 80}
_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
# https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 sister, where `ipaddress` of some Python
# versions disagrees: protocol assignments, 6to4 relays; Teredo and its neighbours, 6to4, documentation
_SPECIAL_4 = tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))
_SPECIAL_6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))

Resolve = Callable[[str, int], list[str]]


class Refused(SourceError):
    """A host or an address that models are not fetched from."""


class ForNow(SourceError):
    """Nothing that was asked for is wrong: the network or the server is in trouble, and may answer later."""


class Origin(NamedTuple):
    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        default = _DEFAULT_PORT.get(self.scheme) == self.port
        return f"{self.scheme}://{shown}{'' if default else f':{self.port}'}"


def system_resolve(host: str, port: int) -> list[str]:
    """The addresses that this computer's resolver gives for a name. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[4][0]) for address in found))


class Policy(NamedTuple):
    """`trusted`: origins that the operator wrote out in full, taken as they stand, whatever their address. `hosts`:
    names allowed beside the built-in ones, under the same guard as those."""

    trusted: frozenset[Origin] = frozenset()
    hosts: frozenset[str] = frozenset()
    resolve: Resolve = system_resolve

    def check_url(self, scheme: str, host: str, port: int | None, userinfo: bytes = b"") -> Origin:
        """Raises Refused for a URL that must not be asked. `host` is without brackets."""
        if userinfo:
            raise Refused("the address carries a user name or password", name=host)
        if scheme not in _DEFAULT_PORT:
            raise Refused(f"{scheme or 'no scheme'}: only https is fetched", name=host)
        origin = Origin(scheme, host.lower(), port or _DEFAULT_PORT[scheme])
        if origin in self.trusted:
            return origin
        if is_number(host):
            raise Refused(f"{host} is a bare address, not a name; {HOW_TO_ALLOW}", name=host)
        if not plain_name(origin.host):
            raise Refused(f"{host!r} is no plain host name", name=host)
        if origin.host not in HOSTS and origin.host not in self.hosts and not origin.host.endswith(SUFFIXES):
            raise Refused(f"{host} is no host that models are fetched from; {HOW_TO_ALLOW}", name=host)
        if scheme != "https":
            raise Refused(f"{origin} is not encrypted; only https is fetched", name=host)
        if origin.port != _DEFAULT_PORT["https"]:
            raise Refused(f"{origin} names a port of its own; {HOW_TO_ALLOW}", name=host)
        return origin

    def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to. One lookup: what is checked is what is connected to.

        Raises Refused where any of them is not public, ForNow where there is none.
        """
        try:
            found = self.resolve(host, port)
        except OSError as error:
            raise ForNow(f"{host} has no address: {error.strerror or error}", name=host) from error
        if not found:
            raise ForNow(f"{host} has no address", name=host)
        if not any((origin.host, origin.port) == (host.lower(), port) for origin in self.trusted):
            for address in found:
                why = not_public(address)
                if why is not None:
                    raise Refused(f"{host} leads to {address}, {why}", name=host)
        return found


def policy_of(endpoint: str, written: Iterable[str], resolve: Resolve = system_resolve) -> Policy:
    """The policy of an operator who set the hub's endpoint and `written`: host names, or origins such as
    `http://127.0.0.1:8080`. Raises ValueError with a sentence."""
    hub = origin_of(endpoint)
    # the public hub is on the list as it is; only an endpoint of the operator's own may lie in a private network
    trusted = set() if hub == Origin("https", "huggingface.co", 443) else {hub}
    hosts = set()
    for item in written:
        if "://" in item:
            trusted.add(origin_of(item))
        elif is_number(item) or not plain_name(item.lower()):
            raise ValueError(f"{item!r} is neither a host name nor an origin such as https://mirror.example:8443")
        else:
            hosts.add(item.lower())
    return Policy(frozenset(trusted), frozenset(hosts), resolve)


def origin_of(url: str) -> Origin:
    """The origin of an address that the operator wrote. Raises ValueError with a sentence."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(f"{url!r} is no address") from None
    if parts.scheme not in _DEFAULT_PORT or not parts.hostname or parts.username is not None:
        raise ValueError(f"{url!r} is no address such as https://mirror.example")
    return Origin(parts.scheme, parts.hostname, port or _DEFAULT_PORT[parts.scheme])


def plain_name(host: str) -> bool:
    """Letters, digits, hyphens and dots, with at least two labels and none of them empty."""
    labels = host.split(".")
    return (
        host.isascii()
        and len(host) <= 253
        and len(labels) > 1
        and all(0 < len(part) < 64 and part.replace("-", "a").replace("_", "a").isalnum() for part in labels)
    )


def is_number(host: str) -> bool:
    """Whether a resolver would read `host` as an address: dotted, decimal, octal or hexadecimal, or IPv6."""
    if ":" in host:
        return True
    last = host.rstrip(".").rsplit(".", 1)[-1].lower()
    digits = last.removeprefix("0x")
    return last.isdigit() or (last != digits and all(c in "0123456789abcdef" for c in digits))


def not_public(address: str) -> str | None:
    """Why an address must not be connected to, None where it is a public one."""
    try:
        found = ip_address(address)
    except ValueError:
        return "which is no address"
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return _not_public(found.ipv4_mapped)
        if found in _NAT64:
            return _not_public(IPv4Address(int(found) & 0xFFFFFFFF))
    return _not_public(found)


def _not_public(found: IPv4Address | IPv6Address) -> str | None:
    if found.is_multicast:
        return "a multicast address"
    if found.is_loopback or found.is_unspecified or found.is_link_local:
        return "a local address"
    special: bool
    if isinstance(found, IPv4Address):
        special = any(found in network for network in _SPECIAL_4)
    else:
        # an IPv4 address may hide in what lies outside: IPv4-compatible, IPv4-translated, local NAT64 (RFC 8215)
        special = found not in _GLOBAL_UNICAST or any(found in network for network in _SPECIAL_6)
    # is_global is False for private, carrier-grade NAT, documentation, benchmarking and unique local addresses
    if special or not found.is_global or found.is_reserved or found.is_private:
        return "an address that is not public"
    return None
