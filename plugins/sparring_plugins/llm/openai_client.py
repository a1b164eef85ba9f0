"""The official SDK on one service: a client per event loop, and one attempt per call."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.request import getproxies

import httpx2
import openai

from sparring_plugins.llm.asyncio_transport import AsyncioTransport
from sparring_plugins.llm.openai_refusal import Explainer, Refusal
from sparring_plugins.llm.openai_service import OpenAIService
from sparring_plugins.llm.retry_after import retry_after_s

_NO_KEY = "no-key"
_CHAT = "/chat/completions"


@dataclass
class _Line:
    """What belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    keeper: AsyncGenerator[openai.AsyncOpenAI, None]
    client: openai.AsyncOpenAI
    first: asyncio.Lock = field(default_factory=asyncio.Lock)


class OpenAIClient:
    """Posts chat completions to one service.

    Connections cannot be shared by event loops: each gets a client when it first calls, which is
    closed by `close`, or when the loop ends.
    """

    def __init__(self, service: OpenAIService, explain: Explainer) -> None:
        self._service, self._explain = service, explain
        self._line: _Line | None = None

    async def line(self) -> _Line:
        """The client of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._line is None or self._line.loop is not loop:
            keeper = self._kept_open()
            self._line = _Line(loop, keeper, await anext(keeper))
        return self._line

    async def _kept_open(self) -> AsyncGenerator[openai.AsyncOpenAI, None]:
        """The client until it is closed; an event loop that ends closes its generators."""
        client = _connected(self._service)
        try:
            yield client
        finally:
            await client.close()

    async def post(self, body: dict[str, Any], timeout_s: float) -> object:
        """The JSON of the answer; raises Refusal where the service refuses, else ModelError."""
        client = (await self.line()).client
        refusal: Exception
        try:
            # The SDK's own models of request and answer cost three times as much as the call.
            answer = await client.post(
                _CHAT,
                body=body,
                cast_to=httpx2.Response,
                options={"timeout": timeout_s, "security": {"bearer_auth": True}},
            )
        except openai.APIStatusError as err:
            wait_s = retry_after_s(err.response.headers)
            refusal = Refusal(err.status_code, _whole(err), wait_s)
        except openai.APITimeoutError:
            refusal = self._explain.unavailable(f"no answer within {timeout_s:g} s")
        except openai.APIConnectionError as err:
            refusal = self._explain.unavailable(_broken(err))
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as err:
            refusal = self._explain.misfit(f"{type(err).__name__}: {err}")
        else:
            return self._payload(answer)
        raise refusal  # here, so that it carries no request, and no key, with it

    def _payload(self, answer: httpx2.Response) -> object:
        text = answer.content.decode("utf-8", "replace")
        try:
            return cast("object", json.loads(text))
        except (ValueError, RecursionError):
            pass
        if text.lstrip()[:1] == "<":
            raise self._explain.misfit(
                "it answers with a web page: check base_url, it often ends in /v1"
            )
        what = "is no whole JSON" if text.strip() else "is empty"
        raise self._explain.unavailable(f"the answer {what}")

    async def close(self) -> None:
        """Close the client, if its event loop is the running one."""
        line, self._line = self._line, None
        if line is not None and line.loop is asyncio.get_running_loop():
            await line.keeper.aclose()


def _connected(service: OpenAIService) -> openai.AsyncOpenAI:
    proxies = getproxies()
    direct = not any(proxies.get(scheme) for scheme in ("http", "https", "all"))
    http = httpx2.AsyncClient(
        transport=AsyncioTransport() if direct else None,
        limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=1000),
        timeout=None,
        follow_redirects=True,
    )
    common: dict[str, Any] = {
        "api_key": service.key or _NO_KEY,
        "organization": service.organization,
        "max_retries": 0,
        "http_client": http,
    }
    if service.azure_api_version is None:
        return openai.AsyncOpenAI(base_url=service.base_url, **common)
    return openai.AsyncAzureOpenAI(
        azure_endpoint=service.base_url, api_version=service.azure_api_version, **common
    )


def _whole(err: openai.APIStatusError) -> object:
    """The whole body of an error: the SDK keeps what is below its `error` alone."""
    try:
        return cast("object", err.response.json())
    except (ValueError, RecursionError):
        return err.response.text


def _broken(err: openai.APIConnectionError) -> str:
    """What went wrong with a connection, in the words of whoever noticed."""
    cause = err.__cause__
    said = f"{type(cause).__name__}: {cause}" if str(cause or "") else type(cause).__name__
    if isinstance(cause, httpx2.ConnectError):
        return f"cannot be reached ({cause})"
    return f"the connection broke off ({said})"
