"""Links that lead nowhere, found by requesting them: the variant `requested` of `broken_links`.

It speaks to the network, which nothing in a rule does unless a suite asks for it by name. What an
app says is not trusted: addresses of private networks are not requested unless the suite says so,
and neither redirects nor answers are followed or read.
"""

import ipaddress
import socket
import time
from typing import Annotated
from urllib.parse import urlsplit

import httpx2
from pydantic import Field

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Trace
from sparring_plugins.rules.functions.links import (
    MOST,
    explain_faults,
    fault_of,
    links_cost,
    links_of,
)
from sparring_plugins.rules.functions.plain_values import CannotSay, short

Seconds = Annotated[float, Field(gt=0, le=60)]

_GONE = (404, 410)


@rule_function(conversation=True, cost=links_cost)
def broken_links(
    trace: Trace, *, timeout_s: Seconds = 5.0, total_s: Seconds = 20.0, private: bool = False
) -> Explained:
    """As `broken_links`, and whether each http address is there when it is asked for.

    An address is dead if its host does not exist or refuses, or if it answers 404, 410 or
    with an error of the server's. At most 20 addresses are requested, within `total_s` seconds;
    with `private`, also those of private networks. Raises CannotSay if nothing is dead and some
    address could not be looked at.
    """
    links = list(links_of(trace))
    faults = [(fault, link.turn) for link in links if (fault := fault_of(link))]
    looked = {link.url: link.turn for link in reversed(links) if _is_web(link.url)}
    unsure: list[str] = []
    until = time.monotonic() + total_s
    for number, (url, turn) in enumerate(reversed(looked.items())):
        left = until - time.monotonic()
        if number >= MOST or left <= 0:
            unsure.append(f"{len(looked) - number} addresses were not requested")
            break
        dead, doubt = _request(url, min(timeout_s, left), private)
        faults += [(dead, turn)] if dead else []
        unsure += [doubt] if doubt else []
    if not faults and unsure:
        raise CannotSay(f"not all links could be looked at: {'; '.join(unsure[:3])}")
    return explain_faults(faults, "requested")


def _is_web(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _request(url: str, timeout_s: float, private: bool) -> tuple[str, str]:
    """The fault of an address, and why it could not be checked; each may be empty."""
    shown = short(url, 80)
    try:
        if not private and _is_private(url):
            return "", f"{shown} is in a private network"
        with (
            httpx2.Client(timeout=timeout_s, follow_redirects=False, trust_env=False) as client,
            client.stream("GET", url, headers={"range": "bytes=0-0"}) as answer,
        ):
            status = answer.status_code
    except socket.gaierror:
        return f"{shown}: no such host", ""
    except httpx2.ConnectError as err:
        return f"{shown}: {_why(err)}", ""
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as err:
        return "", f"{shown}: {_why(err)}"
    if status in _GONE or status >= 500:
        return f"{shown} answers {status}", ""
    return "", ""


def _is_private(url: str) -> bool:
    """Whether a host has any address that is not public; raises OSError."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    addresses = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    return not all(ipaddress.ip_address(address[4][0]).is_global for address in addresses)


def _why(err: Exception) -> str:
    return " ".join((str(err) or type(err).__name__).split())[:120]
