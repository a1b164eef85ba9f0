"""Who may ask: only the page that this process opened, in the browser of whoever has its token.

A page on the web can make a browser send requests to 127.0.0.1, also under a name of its own that
points there (DNS rebinding). So each request must name this server as its host, come from this
origin if it says from where it comes, and carry the token that stands in the address that was
printed; what changes anything must come from this origin for certain. No page of another origin
may show, embed or read what is answered.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The content security policy of all answers: no inline script or style, nothing from outside."""

HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_SAFE = ("GET", "HEAD")


class Guard:
    """Lets requests through that may be answered, and adds the headers to each answer."""

    def __init__(self, application: Application, *, token: str, port: int) -> None:
        self._application = application
        self._token = token
        self._hosts = frozenset(f"{host}:{port}" for host in ("127.0.0.1", "localhost"))
        # Cookies know no ports: each viewer of this machine has one of its own.
        self._cookie = f"sparring-view-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        why = self._refusal(scope, headers)
        if why:
            await _answer(send, 403, why)
        elif scope["path"] == "/" and self._is_token(_query_token(scope)):
            await self._application(scope, receive, _with_headers(send, self._kept_token()))
        elif self._is_token(self._cookie_token(headers)):
            await self._application(scope, receive, _with_headers(send))
        else:
            await _answer(
                send, 401, "Open the address that `sparring view` has printed: it has the token."
            )

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str:
        """Why a request is refused whatever its token; empty if it is not."""
        if headers.get("host", "") not in self._hosts:
            return "This server answers to 127.0.0.1 and localhost alone."
        origin = headers.get("origin")
        own = {f"http://{host}" for host in self._hosts}
        if origin is not None and origin not in own:
            return "This request comes from another page."
        if scope["method"] in _SAFE:
            # A link in a message may open the page; only the page may load what is on it.
            foreign = headers.get("sec-fetch-site", "") in ("cross-site", "same-site")
            if foreign and headers.get("sec-fetch-dest") != "document":
                return "This request comes from another page."
            return ""
        if origin is None or not headers.get("content-type", "").startswith("application/json"):
            return "What changes something is asked by the page itself, as JSON."
        return ""

    def _kept_token(self) -> tuple[bytes, bytes]:
        """The header that keeps the token in a cookie; the page takes it out of the address."""
        cookie = f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"
        return b"set-cookie", cookie.encode()

    def _is_token(self, text: str) -> bool:
        return compare_digest(text.encode(), self._token.encode())

    def _cookie_token(self, headers: dict[str, str]) -> str:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return ""
        return str(morsel.value) if morsel is not None else ""


def _query_token(scope: Scope) -> str:
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    token: str = query.get("token", [""])[0]
    return token


def _with_headers(send: Send, *extra: tuple[bytes, bytes]) -> Send:
    async def wrapped(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            added = [pair for pair in HEADERS if pair[0] not in own]
            message = {**message, "headers": [*message["headers"], *added, *extra]}
        await send(message)

    return wrapped


async def _answer(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
