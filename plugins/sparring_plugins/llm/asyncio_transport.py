"""HTTP/1.1 for many calls at once: h11 on asyncio's streams, as a transport of httpx2."""

import asyncio
import ssl
from time import monotonic
from typing import Any

import h11
import httpx2

_Origin = tuple[str, str, int]
_MOST_BYTES = 64 * 2**20
_MOST_HEAD = 100 * 2**10
_READ = 2**16


class AsyncioTransport(httpx2.AsyncBaseTransport):
    """Carries an httpx2 client's requests, each on a connection that it has to itself.

    httpx2's own transport looks at all connections twice per request, and gives way to other
    tasks several times, so that many calls at once advance in lockstep: with 64 at a time it
    costs three times the processor time of this one, and with 500 ten times.

    It bounds no times (its user bounds the whole call), knows no proxies, and reads answers as a
    whole, up to 64 MiB. A connection that was idle for `keep_s` is not used again: many servers
    hang up after 5 s, and a request must not meet that.
    """

    def __init__(self, *, connections: int = 1000, keep_s: float = 4.0) -> None:
        self._slots = asyncio.Semaphore(connections)
        self._keep_s = keep_s
        self._idle: dict[_Origin, list[_Connection]] = {}
        self._tls: ssl.SSLContext | None = None
        self._closed = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and read the whole response; raises httpx2's errors."""
        url = request.url
        origin = (url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80))
        async with self._slots:
            connection = self._idle_one(origin) or await self._open(origin)
            try:
                response = await connection.exchange(request)
            except BaseException:  # also when cancelled: half an exchange spoils the next
                connection.abort()
                raise
            if connection.is_reusable() and not self._closed:
                self._idle.setdefault(origin, []).append(connection)
            else:
                connection.abort()
        return response

    def _idle_one(self, origin: _Origin) -> "_Connection | None":
        """The connection used last, so that those too many grow old; the old ones are closed."""
        idle = self._idle.get(origin, [])
        oldest = monotonic() - self._keep_s
        while idle and idle[0].used_at < oldest:
            idle.pop(0).abort()
        while idle:
            connection = idle.pop()
            if connection.is_open():
                return connection
            connection.abort()
        return None

    async def _open(self, origin: _Origin) -> "_Connection":
        scheme, host, port = origin
        options: dict[str, Any] = {}
        if scheme == "https":
            options = {"ssl": self._context(), "server_hostname": host}
        if not _has_one_address(host):  # asyncio may lose a socket when this is cancelled
            options["happy_eyeballs_delay"] = 0.25
        try:
            reader, writer = await asyncio.open_connection(host, port, **options)
        except (OSError, UnicodeError) as err:
            raise httpx2.ConnectError(str(err)) from err
        return _Connection(reader, writer)

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = httpx2.create_ssl_context()
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls

    async def aclose(self) -> None:
        """Close what is idle; what is in use is closed when it has answered."""
        self._closed = True
        for idle in self._idle.values():
            for connection in idle:
                connection.abort()
        self._idle.clear()
        await asyncio.sleep(0)  # asyncio closes the sockets in its next round


class _Connection:
    """One connection and where its protocol stands."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD)
        self.used_at = monotonic()

    async def exchange(self, request: httpx2.Request) -> httpx2.Response:
        content = await request.aread()
        try:
            self._send(request, content)
            return await self._receive()
        except OSError as err:
            raise httpx2.ReadError(str(err) or type(err).__name__) from err
        except h11.LocalProtocolError as err:
            raise httpx2.LocalProtocolError(str(err)) from err
        except h11.RemoteProtocolError as err:
            raise httpx2.RemoteProtocolError(str(err)) from err

    def _send(self, request: httpx2.Request, content: bytes) -> None:
        http, url = self._http, request.url
        head = h11.Request(method=request.method, target=url.raw_path, headers=request.headers.raw)
        sent = [http.send(head), http.send(h11.Data(content)), http.send(h11.EndOfMessage())]
        self._writer.write(b"".join(part for part in sent if part))

    async def _receive(self) -> httpx2.Response:
        head: h11.Response | None = None
        body = bytearray()
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(_READ))
            elif isinstance(event, h11.Response):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > _MOST_BYTES:
                    raise httpx2.RemoteProtocolError("the answer is longer than 64 MiB")
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                return httpx2.Response(
                    head.status_code, headers=head.headers.raw_items(), content=bytes(body)
                )
            elif not isinstance(event, h11.InformationalResponse):
                raise httpx2.RemoteProtocolError("the server hung up without an answer")

    def is_reusable(self) -> bool:
        """Whether another request may follow; makes ready for it."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        self.used_at = monotonic()
        return self.is_open()

    def is_open(self) -> bool:
        return not (self._reader.at_eof() or self._writer.is_closing())

    def abort(self) -> None:
        self._writer.transport.abort()


def _has_one_address(host: str) -> bool:
    """Whether there is no choice of addresses that would have to be tried side by side."""
    return host == "localhost" or ":" in host or host.replace(".", "").isdigit()
