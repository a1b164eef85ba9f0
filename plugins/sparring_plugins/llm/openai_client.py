"""The official SDK on one service: a client per event loop, and one attempt per call."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.request import getproxies

import httpx2
import openai

from sparring.errors import ModelUnavailable
from sparring.llm.rate_headers import read_quota, retry_after_s
from sparring.model.chat import Quota
from sparring_plugins.llm.asyncio_transport import AsyncioTransport
from sparring_plugins.llm.chat_completions import OpenAIService
from sparring_plugins.llm.refusals import ErrorExplainer, ServiceRefusal

_NO_KEY = "no-key"


@dataclass
class _LoopClient:
    """The client of one event loop, and the lock by which one call goes first."""

    loop: asyncio.AbstractEventLoop
    keeper: AsyncGenerator[openai.AsyncOpenAI, None]
    client: openai.AsyncOpenAI
    first: asyncio.Lock = field(default_factory=asyncio.Lock)


class OpenAIClient:
    """Posts chat completions to one service.

    Connections cannot be shared by event loops: each gets a client when it first calls, which is
    closed by `close`, or when the loop ends.
    """

    def __init__(
        self,
        service: OpenAIService,
        explain: ErrorExplainer,
        refusal: type[ServiceRefusal] = ServiceRefusal,
    ) -> None:
        self._service, self._explain, self._refusal = service, explain, refusal
        self._line: _LoopClient | None = None

    async def line(self) -> _LoopClient:
        """The client of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._line is None or self._line.loop is not loop:
            keeper = self._keep_open()
            self._line = _LoopClient(loop, keeper, await anext(keeper))
        return self._line

    async def _keep_open(self) -> AsyncGenerator[openai.AsyncOpenAI, None]:
        """The client until it is closed; an event loop that ends closes its generators."""
        client = _connect(self._service)
        try:
            yield client
        finally:
            await client.close()

    async def post(self, body: dict[str, Any], timeout_s: float) -> tuple[object, Quota | None]:
        """The JSON of the answer, and the quota that the service announces with it.

        Raises ServiceRefusal if the service refuses, else ModelError.
        """
        client = (await self.line()).client
        options: openai.RequestOptions = {"timeout": timeout_s, "security": {"bearer_auth": True}}
        if not self._service.needs_key and not self._service.key:
            options["headers"] = {"Authorization": openai.Omit()}
        failure: Exception
        try:
            # The SDK's own models of request and answer cost three times as much as the call.
            answer = await client.post(
                self._service.path,
                body=body,
                cast_to=httpx2.Response,
                options=options,
            )
        except openai.APIStatusError as err:
            wait_s = retry_after_s(err.response.headers)
            failure = self._refusal(err.status_code, _whole_body(err), wait_s)
        except openai.APITimeoutError:
            failure = self._explain.unavailable(f"no answer within {timeout_s:g} s")
        except openai.APIConnectionError as err:
            failure = self._connection_error(err)
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as err:
            failure = self._explain.format_error(f"{type(err).__name__}: {err}")
        else:
            return self._read_json(answer), read_quota(answer.headers)
        raise failure  # outside of the handlers, so that it carries neither request nor key

    def _read_json(self, answer: httpx2.Response) -> object:
        text = answer.content.decode("utf-8", "replace")
        try:
            return cast("object", json.loads(text))
        except (ValueError, RecursionError):
            pass
        raise self._explain.unreadable(text)

    def _connection_error(self, err: openai.APIConnectionError) -> ModelUnavailable:
        """The error for a connection that failed, in the words of the library that noticed."""
        cause = err.__cause__
        if isinstance(cause, httpx2.ConnectError):
            return self._explain.unreachable(cause)
        reason = f"{type(cause).__name__}: {cause}" if str(cause or "") else type(cause).__name__
        return self._explain.broken_off(reason)

    async def close(self) -> None:
        """Close the client, if its event loop is the running one."""
        line, self._line = self._line, None
        if line is not None and line.loop is asyncio.get_running_loop():
            await line.keeper.aclose()


def _connect(service: OpenAIService) -> openai.AsyncOpenAI:
    proxies = getproxies()
    direct = service.is_local or not any(proxies.get(scheme) for scheme in ("http", "https", "all"))
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


def _whole_body(err: openai.APIStatusError) -> object:
    """The whole body of an error: the SDK keeps what is below its `error` alone."""
    try:
        return cast("object", err.response.json())
    except (ValueError, RecursionError):
        return err.response.text
