"""One request and its reply, with an error of its own for every way to fail.

httpx2's errors become the model's own: nothing was reached (`AppUnreachable`), no answer in
time (`AppTimeout`), a server error or a dropped connection (`AppCrash`), an answer that cannot
be understood (`AppProtocolError`).
"""

import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from sparring.errors import (
    AppCrash,
    AppProtocolError,
    AppTimeout,
    AppUnreachable,
    ConfigurationError,
    SparringError,
)
from sparring.llm.rate_headers import retry_after_s
from sparring_connectors.described.app_clock import AppClock
from sparring_connectors.described.http_text import redact_url
from sparring_connectors.described.pacing import AppPacing
from sparring_connectors.described.secrets import AppSecrets
from sparring_connectors.rest.config import RestConfig
from sparring_connectors.rest.plan import PreparedRequest
from sparring_connectors.rest.signing import AwsSigner

_THIS_MACHINE = ("all://127.0.0.1", "all://localhost", "all://[::1]")
_IDLE_S = 4.0
"""Seconds an idle connection is kept: less than the 5 s after which common servers hang up."""

_HINTS = {
    400: "check the body",
    401: "check the credentials in headers, query or url",
    403: "check the credentials in headers, query or url, and what they may do",
    404: "check url and path",
    405: "check the method",
    406: "check the header Accept",
    413: "the request is too large for it",
    415: "check body_as and the header Content-Type",
    422: "check the body's keys",
}
_OF_SETTINGS = frozenset({401, 403, 404, 405, 406, 415})
"""Statuses about credentials, address and form, which no words of a user bring about; 400, 413 and
422 may be the app's answer to what was said."""


@dataclass(frozen=True, slots=True)
class RestReply:
    """What the app answered, whole."""

    status: int
    headers: httpx2.Headers
    body: bytes
    label: str
    secrets: AppSecrets

    def quote(self, said: str, limit: int = 120) -> str:
        """The beginning of something that the app said, fit for a message."""
        return self.secrets.quote(said, limit)


class SettingsRefused(AppProtocolError):
    """The app refuses the request with a status that is about the suite's settings."""


class RequestFailed(Exception):
    """A request failed: the error for the trace, and what decides whether to send it again."""

    def __init__(
        self,
        error: SparringError,
        *,
        unsent: bool = False,
        dropped: bool = False,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.unsent = unsent
        self.dropped = dropped
        self.status = status
        self.retry_after_s = retry_after_s


class RestClient:
    """Sends the requests of one session at a time; it keeps no cookies of its own.

    A session borrows one from `Exchanges` and gives it back with its connection still open.
    One client for all sessions would do the same, but searches all connections at each
    request: with 200 sessions a turn costs twice the processor time.
    """

    def __init__(
        self,
        config: RestConfig,
        tls: ssl.SSLContext | None,
        secrets: AppSecrets,
        pacing: AppPacing,
    ) -> None:
        self.pacing = pacing
        self._config = config
        self._secrets = secrets
        self._client = _client(config, tls)
        self._signer = AwsSigner(config.sign, config.url) if config.sign else None

    async def aclose(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    async def ask(
        self,
        prepared: PreparedRequest,
        cookies: httpx2.Cookies | None = None,
        *,
        any_status: bool = False,
        clock: AppClock | None = None,
    ) -> RestReply:
        """Send a request with a session's cookies and read the whole reply; raises RequestFailed.

        `clock` runs from when the request is on the wire, and stops if it fails.
        """
        cookies = httpx2.Cookies() if cookies is None else cookies
        for name, value in prepared.cookies.items():
            cookies.set(name, value)
        try:
            return await self._follow(prepared, cookies, any_status, clock)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError) as err:
            raise self._to_failure(err, prepared.label) from None

    async def _follow(
        self,
        prepared: PreparedRequest,
        cookies: httpx2.Cookies,
        any_status: bool,
        clock: AppClock | None,
    ) -> RestReply:
        request = self._client.build_request(
            prepared.method,
            prepared.url,
            headers=prepared.headers,
            content=prepared.content,
            extensions={"trace": clock.follow} if clock else None,
        )
        label = prepared.label
        for left in range(self._config.redirects, -1, -1):
            if len(cookies):
                cookies.set_cookie_header(request)
            if self._signer is not None:
                self._signer.sign(request)
            response = await self._client.send(request, stream=True)
            try:
                if "set-cookie" in response.headers:
                    cookies.extract_cookies(response)
                body = await self._body(response, label)
                if not response.has_redirect_location:
                    self._check_status(response, body, label, any_status)
                    return RestReply(
                        response.status_code, response.headers, body, label, self._secrets
                    )
                request = self._follow_redirect(request, response, left, label)
                target = self._secrets.hide(redact_url(str(request.url)))
                label = f"{request.method} {target}, redirected from {prepared.label}"
            finally:
                await response.aclose()
        raise AssertionError("the last redirect is refused")  # pragma: no cover

    async def _body(self, response: httpx2.Response, label: str) -> bytes:
        limit = self._config.max_bytes
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limit:
                raise RequestFailed(
                    AppProtocolError(
                        f"{label}: the reply is larger than {limit:,} bytes (max_bytes)"
                    )
                )
        return bytes(body)

    def _follow_redirect(
        self, request: httpx2.Request, response: httpx2.Response, left: int, label: str
    ) -> httpx2.Request:
        """The next request; only on the same host, since headers may hold keys."""
        following = response.next_request
        if following is None:
            raise RequestFailed(
                AppProtocolError(f"{label}: redirects to something that is no address")
            )
        target = self._secrets.hide(redact_url(str(following.url)))
        if left == 0:
            raise RequestFailed(
                AppProtocolError(
                    f"{label}: redirects to {target}, and no more than {self._config.redirects} "
                    "redirects are followed (redirects)"
                )
            )
        old, new = request.url, following.url
        if (old.scheme, old.host, old.port) != (new.scheme, new.host, new.port):
            raise RequestFailed(
                AppProtocolError(
                    f"{label}: redirects to {target}, which is another server; if that is the app, "
                    "write its address as url"
                )
            )
        return following

    def _check_status(
        self, response: httpx2.Response, body: bytes, label: str, any_status: bool
    ) -> None:
        status = response.status_code
        if 200 <= status < 300 or (any_status and (status < 500 or status == 501)):
            return
        answer = self._secrets.quote(body)
        text = f"{label}: answered {_status_name(status)}" + (f": {answer}" if answer else "")
        error: SparringError
        if status >= 500:
            error = AppCrash(text)
        elif status == 429:
            error = AppUnreachable(
                f"{text} (its rate limit: lower the concurrency, or raise retry.attempts)"
            )
        else:
            hint = _HINTS.get(status)
            refusal = SettingsRefused if status in _OF_SETTINGS else AppProtocolError
            error = refusal(f"{text} ({hint})" if hint else text)
        raise RequestFailed(error, status=status, retry_after_s=retry_after_s(response.headers))

    def _to_failure(self, err: Exception, label: str) -> RequestFailed:
        """The failure that one of httpx2's errors means."""
        t = self._config.timeout
        why = self._secrets.quote(str(err))
        if isinstance(err, (httpx2.ConnectTimeout, httpx2.PoolTimeout)):
            return RequestFailed(
                AppUnreachable(f"{label}: no connection within {t.connect_s:g} s"), unsent=True
            )
        if isinstance(err, httpx2.ConnectError):
            return _connect_failure(err, label, why)
        if isinstance(err, httpx2.ProxyError):
            return RequestFailed(AppUnreachable(f"{label}: the proxy refused: {why}"), unsent=True)
        if isinstance(err, httpx2.TimeoutException):
            return RequestFailed(AppTimeout(f"{label}: nothing came for {t.read_s:g} s"))
        if isinstance(err, httpx2.NetworkError) or _hung_up(err):
            return RequestFailed(
                AppCrash(f"{label}: the connection was dropped ({why or 'reset'})"), dropped=True
            )
        if isinstance(err, httpx2.DecodingError):
            return RequestFailed(
                AppProtocolError(f"{label}: the reply cannot be decompressed: {why}")
            )
        if isinstance(err, (httpx2.InvalidURL, httpx2.LocalProtocolError, ValueError)):
            return RequestFailed(ConfigurationError(f"{label}: the request cannot be sent: {why}"))
        return RequestFailed(AppProtocolError(f"{label}: the reply is not HTTP: {why}"))


def _client(config: RestConfig, tls: ssl.SSLContext | None) -> httpx2.AsyncClient:
    limits = config.timeout
    try:
        return httpx2.AsyncClient(
            verify=tls or False,  # without one, no https address is ever asked
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            timeout=httpx2.Timeout(limits.read_s, connect=limits.connect_s, pool=None),
            limits=httpx2.Limits(
                max_connections=None, max_keepalive_connections=None, keepalive_expiry=_IDLE_S
            ),
            trust_env=config.proxies,
            mounts=dict.fromkeys(_THIS_MACHINE),
            headers={"User-Agent": "sparring"},
        )
    except (ValueError, ImportError, httpx2.InvalidURL) as err:
        raise ConfigurationError(
            f"the proxy that the environment names cannot be used ({err}); "
            "change HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or write proxies: false"
        ) from err


class RestClientPool:
    """The exchanges of one event loop, those that no session uses ready for the next one."""

    def __init__(self, config: RestConfig, tls: ssl.SSLContext | None) -> None:
        self._config = config
        self._tls = tls
        self._secrets = AppSecrets.of([config, *(request for _, request in config.requests())])
        self._idle: list[RestClient] = []
        self._pacing = AppPacing(config.url)

    def borrow(self) -> RestClient:
        """Take an idle client: the one used last, whose connection lives longest."""
        if self._idle:
            return self._idle.pop()
        return RestClient(self._config, self._tls, self._secrets, self._pacing)

    def give_back(self, exchange: RestClient) -> None:
        """Let the next session have it."""
        self._idle.append(exchange)

    async def aclose(self) -> None:
        """Close every connection that no session uses."""
        while self._idle:
            await self._idle.pop().aclose()


def _status_name(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _hung_up(err: Exception) -> bool:
    """Whether a protocol error means that the server closed the connection too early."""
    return isinstance(err, httpx2.RemoteProtocolError) and any(
        words in str(err).lower() for words in ("disconnected", "closed connection")
    )


def _connect_failure(err: httpx2.ConnectError, label: str, why: str) -> RequestFailed:
    for cause in _causes(err):
        if isinstance(cause, ssl.SSLError):
            hint = "see tls.ca_file" if "certificate" in why.lower() else "does it speak https?"
            return RequestFailed(AppUnreachable(f"{label}: no secure connection: {why}; {hint}"))
        if isinstance(cause, ConnectionRefusedError):
            why = "refused; is the app running there?"
        elif isinstance(cause, OSError) and cause.strerror:
            why = cause.strerror
    return RequestFailed(AppUnreachable(f"{label}: no connection: {why or 'failed'}"), unsent=True)


def _causes(err: BaseException) -> Iterator[BaseException]:
    """An error, what it was raised from, and what that was raised from."""
    left: list[BaseException | None] = [err]
    while left:
        cause = left.pop()
        if cause is None:
            continue
        yield cause
        left.append(cause.__cause__ or cause.__context__)
        if isinstance(cause, BaseExceptionGroup):
            left += cause.exceptions  # pyright: ignore[reportUnknownMemberType]
