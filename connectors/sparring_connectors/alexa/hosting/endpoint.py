"""A skill behind an address, asked over HTTPS or HTTP."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any

import httpx2

from sparring.errors import AppCrash, AppProtocolError, AppTimeout, AppUnreachable
from sparring_connectors.alexa.hosting.host import HandlerAnswer, HandlerFailure, Host
from sparring_connectors.described.app_clock import AppClock

_MOST_BYTES = 4_000_000
_CONNECT_S = 10.0
"""Seconds until there is a connection; a skill has its own time from when the request is sent."""


class EndpointHost(Host):
    """Posts requests to an address, as Alexa does but for the signature, which only Amazon has."""

    def __init__(self, url: str, headers: Mapping[str, str], tls: ssl.SSLContext | None) -> None:
        self._url = url
        self._client = httpx2.AsyncClient(
            headers={"Content-Type": "application/json; charset=utf-8", **headers},
            verify=tls if tls is not None else True,
            trust_env=False,
            timeout=httpx2.Timeout(None, connect=_CONNECT_S),
            # Conversations share the client: none may wait for another one's connection.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
        )

    async def ask(self, request: Mapping[str, Any], timeout_s: float) -> HandlerAnswer:
        clock = AppClock(timeout_s)
        try:
            async with clock:
                return await self._post(request, clock)
        except TimeoutError:
            if not clock.expired:
                raise
            error = AppTimeout(f"{self._url}: the endpoint did not answer within {timeout_s:g} s")
            raise HandlerFailure(error, "timeout") from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as err:
            raise HandlerFailure(
                AppUnreachable(f"{self._url}: {str(err) or 'no connection'}"), "load"
            ) from err
        except httpx2.HTTPError as err:
            why = f"{self._url}: {type(err).__name__}: {err}"
            raise HandlerFailure(AppCrash(why), "crash") from err

    async def _post(self, request: Mapping[str, Any], clock: AppClock) -> HandlerAnswer:
        asked = self._client.stream(
            "POST", self._url, json=request, extensions={"trace": clock.follow}
        )
        async with asked as response:
            body = b""
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _MOST_BYTES:
                    break
        if response.status_code != 200:
            shown = body[:300].decode("utf-8", "replace")
            why = f"{self._url}: the endpoint answered {response.status_code}: {shown}"
            raise HandlerFailure(AppCrash(why), "crash")
        try:
            return HandlerAnswer(httpx2.Response(200, content=body).json())
        except (ValueError, RecursionError) as err:
            why = f"{self._url}: the response is no JSON: {body[:200].decode('utf-8', 'replace')}"
            raise HandlerFailure(AppProtocolError(why), "response") from err

    async def reach(self, timeout_s: float) -> None:
        """Check that something answers there, whatever it is; else raise HandlerFailure."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._client.head(self._url)
        except (TimeoutError, httpx2.TransportError) as err:
            why = f"{self._url}: {str(err) or 'nobody answers'}"
            raise HandlerFailure(AppUnreachable(why), "load") from err

    async def aclose(self) -> None:
        await self._client.aclose()
