"""A stand-in for Alexa's service API on the loopback: address, profile, settings, products.

What it returns depends on the permissions that the settings grant, as with the real one; it answers
404 to anything that it does not know, which a skill has to expect anyway.
"""

import asyncio
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from sparring_connectors.alexa.config import ServicesConfig
from sparring_connectors.alexa.consents import Consents, UserConsent
from sparring_connectors.alexa.hosting.stubs import StubbedHosts
from sparring_connectors.alexa.hosting.wire import ServiceRequest, encode, encode_json, read_request
from sparring_connectors.alexa.requests import API_HOST

ServiceAnswer = tuple[int, Any]
_FORBIDDEN: ServiceAnswer = (
    403,
    {"code": "ACCESS_DENIED", "message": "the user has not allowed this"},
)
_UNKNOWN: ServiceAnswer = (
    404,
    {"code": "NOT_FOUND", "message": "Sparring's stand-in has no such thing"},
)


class ServiceStandIn:
    """Answers the service API of a skill's users; keeps reminders and timers until it is closed.

    `consents` are what the users have given. `stubs` answer for all other hosts, if the suite stubs
    the network.
    """

    def __init__(
        self,
        config: ServicesConfig,
        timezone: str,
        consents: Consents,
        stubs: StubbedHosts | None = None,
    ) -> None:
        self._config = config
        self._consents = consents
        self._stubs = stubs
        self._timezone = timezone
        self._servers: list[asyncio.Server] = []
        self._talks: set[asyncio.Task[None]] = set()
        self._alerts: dict[str, dict[str, Any]] = {}

    async def start(self) -> int:
        """Listen on the loopback; the port."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def serve(self, listener: socket.socket) -> None:
        """Answer on a socket that listens already, such as one of another network."""
        self._servers.append(await asyncio.start_server(self._accept, sock=listener))

    async def aclose(self) -> None:
        """Stop listening, and drop who is still connected."""
        servers, self._servers = self._servers, []
        for server in servers:
            server.close()
        for talk in tuple(self._talks):
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(self._talk(reader, writer))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            origin = ""
            while (request := await read_request(reader, origin)) is not None:
                origin = request.origin
                writer.write(await self._reply(request))
                await writer.drain()
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def _reply(self, request: ServiceRequest) -> bytes:
        if self._stubs is None or request.host == API_HOST:
            return encode_json(*self.answer(request))
        stub = await self._stubs.reply(request)
        return encode(stub.status, stub.content(), stub.all_headers())

    def answer(self, request: ServiceRequest) -> ServiceAnswer:
        """The status and the JSON for a request."""
        method, path = request.method, unquote(urlsplit(request.target).path).rstrip("/")
        consent = self._consents.known(request.token)
        if path.startswith("/v1/devices/") and method == "GET":
            return self._address(path, consent)
        if path.startswith("/v2/accounts/~current/settings/"):
            return self._profile(path.rpartition("/")[2], consent)
        if path.startswith("/v2/devices/"):
            return self._setting(path.rpartition("/")[2])
        if "/inSkillProducts" in path or "/inSkillProductsTransactions" in path:
            return self._products(path, consent)
        if path.startswith("/v1/alerts/"):
            return self._alert(method, path, request.body, consent)
        if path == "/v1/directives" and method == "POST":
            return 204, None
        return _UNKNOWN

    def _address(self, path: str, consent: UserConsent) -> ServiceAnswer:
        if path.endswith("/countryAndPostalCode"):
            if not consent.allows("postal") and not consent.allows("address"):
                return _FORBIDDEN
            names = ("countryCode", "postalCode")
            return 200, {name: self._config.address.get(name) for name in names}
        return (200, dict(self._config.address)) if consent.allows("address") else _FORBIDDEN

    def _profile(self, name: str, consent: UserConsent) -> ServiceAnswer:
        config = self._config
        fields: dict[str, tuple[str, Any]] = {
            "Profile.name": ("name", config.name),
            "Profile.givenName": ("given_name", config.given_name),
            "Profile.email": ("email", config.email),
            "Profile.mobileNumber": (
                "mobile", {"countryCode": "+1", "mobileNumber": config.mobile}
            ),
        }  # fmt: skip
        if name not in fields:
            return _UNKNOWN
        what, value = fields[name]
        return (200, value) if consent.allows(what) else _FORBIDDEN

    def _setting(self, name: str) -> ServiceAnswer:
        settings = {
            "System.timeZone": self._timezone,
            "System.distanceUnits": self._config.distance_unit,
            "System.temperatureUnit": self._config.temperature_unit,
        }
        return (200, settings[name]) if name in settings else _UNKNOWN

    def _products(self, path: str, consent: UserConsent) -> ServiceAnswer:
        products = consent.all_products()
        if path.endswith("/inSkillProducts"):
            more = {"isTruncated": False, "nextToken": None}
            return 200, {"inSkillProducts": products, **more}
        wanted = path.rpartition("/")[2]
        for product in products:
            if product.get("productId") == wanted:
                return 200, product
        return 200, {"results": [], "metadata": {"resultSet": {"nextToken": None}}}

    def _alert(
        self, method: str, path: str, body: Mapping[str, Any], consent: UserConsent
    ) -> ServiceAnswer:
        kind = "timers" if "/timers" in path else "reminders"
        if not consent.allows(kind):
            return 401, {"code": "UNAUTHORIZED", "message": "the user has not allowed this"}
        name = path.rpartition("/")[2]
        if method == "POST" and name == kind:
            token = f"{kind}-{len(self._alerts) + 1}"
            self._alerts[token] = {**body, "id": token, "alertToken": token, "status": "ON"}
            return 200, self._alerts[token]
        if method == "GET" and name == kind:
            listed = [item for token, item in self._alerts.items() if token.startswith(kind)]
            more = {"alerts": listed} if kind == "reminders" else {"timers": listed}
            return 200, {"totalCount": len(listed), **more}
        if method == "DELETE":
            self._alerts.pop(name, None)
            return 200, None
        return (200, self._alerts[name]) if name in self._alerts else _UNKNOWN
