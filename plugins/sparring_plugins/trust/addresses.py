"""Which addresses lead to this machine or its network."""

import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address

_LOCAL_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home.arpa")


def literal_address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host is, in any way of writing that the C library takes.

    ``2130706433``, ``0x7f.1`` and ``127.1`` are all 127.0.0.1.
    """
    plain = host.strip("[]").partition("%")[0]
    try:
        address = ip_address(plain)
    except ValueError:
        try:
            address = ip_address(socket.inet_ntoa(socket.inet_aton(plain)))
        except (OSError, UnicodeError):
            return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or address.sixtofour or address
    return address


def why_not_public(host: str) -> str | None:
    """Why a host must not be reached: what kind of address it is; `None` if it may be.

    A name is not resolved here: what it leads to is looked at when a connection is made.
    """
    name = host.lower().rstrip(".")
    if name in _LOCAL_NAMES or name.endswith(tuple(f".{local}" for local in _LOCAL_NAMES)):
        return "a name of this machine or its network"
    address = literal_address(name)
    if address is None:
        return None if "." in name or not name else "a name of the local network"
    if address.is_loopback or address.is_unspecified:
        return "a loopback address"
    if address.is_link_local:
        return "a link-local address"
    if not address.is_global or address.is_multicast:
        return "a private or reserved address"
    return None


def is_listed(host: str, port: int | None, allowed: Collection[str]) -> bool:
    """Whether the user allowed a host, or a host with this port."""
    plain = host.lower().strip("[]")
    return plain in allowed or f"{plain}:{port}" in allowed
