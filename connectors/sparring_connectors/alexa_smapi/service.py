"""Amazon's simulation API through its official SDK, over a transport of our own.

The SDK's own transport has no time limit and follows proxies of the environment; this one has a
limit, and can be pointed at a server on this machine for tests. The SDK is synchronous: calls are
made in a thread.
"""

import json
import warnings
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2

from sparring_connectors.alexa.shapes import mapping, text
from sparring_connectors.alexa_smapi.config import SmapiConfig

with warnings.catch_warnings():  # its sources hold sequences that newer Pythons warn of
    warnings.simplefilter("ignore")
    from ask_sdk_model_runtime.api_client import ApiClient
    from ask_sdk_model_runtime.api_client_response import ApiClientResponse
    from ask_sdk_model_runtime.exceptions import ServiceException
    from ask_smapi_model.v2.skill import simulations
    from ask_smapi_sdk import CustomSmapiClientBuilder  # pyright: ignore[reportMissingTypeStubs]

_AUTH = "https://api.amazon.com"
_LIMIT_S = 15.0


class ServiceError(Exception):
    """The service refused a call; `status` is the HTTP status, 0 if there was no answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Transport(ApiClient):
    """Sends the SDK's requests."""

    def __init__(self, auth_endpoint: str) -> None:
        self._auth = auth_endpoint
        self._client = httpx2.Client(timeout=_LIMIT_S)

    def invoke(self, request: Any) -> Any:
        """Send one request; raises httpx2.HTTPError if nobody answers."""
        headers = dict(request.headers or [])
        body: Any = request.body
        if body and "json" in headers.get("Content-type", ""):
            body = json.dumps(body)
        answer = self._client.request(
            request.method, self._replace_host(request.url), headers=headers, content=body or None
        )
        return ApiClientResponse(
            headers=list(answer.headers.items()), status_code=answer.status_code, body=answer.text
        )

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    def _replace_host(self, url: str) -> str:
        if not url.startswith(_AUTH + "/"):
            return url
        place = urlsplit(self._auth)
        return urlunsplit((place.scheme, place.netloc, *urlsplit(url)[2:]))


class SimulationService:
    """Starts simulations and fetches their results."""

    def __init__(self, config: SmapiConfig) -> None:
        self._config = config
        self._transport = Transport(config.auth_endpoint)
        builder: Any = CustomSmapiClientBuilder(
            config.client_id,
            config.client_secret,
            config.refresh_token,
            api_client=self._transport,
        )
        builder.api_endpoint = config.endpoint
        self._client: Any = builder.client()

    def start(self, said: str, *, fresh: bool) -> str:
        """Start a simulation; its id. Raises ServiceError."""
        api: Any = simulations
        kind = "NFI_ISOLATED_SIMULATION" if self._config.isolated else "DEFAULT"
        request: Any = api.SimulationsApiRequest(
            input=api.Input(content=said),
            device=api.Device(locale=self._config.locale),
            session=api.Session(mode=api.SessionMode("FORCE_NEW_SESSION" if fresh else "DEFAULT")),
            simulation=api.Simulation(object_type=api.SimulationType(kind)),
        )
        answer = self._call(
            self._client.simulate_skill_v2, self._config.skill_id, self._config.stage, request
        )
        simulation = text(answer.get("id"))
        if not simulation:
            raise ServiceError(200, "the service started no simulation")
        return simulation

    def result(self, simulation: str) -> dict[str, Any]:
        """What is known of a simulation: ``status`` and ``result``. Raises ServiceError."""
        return self._call(
            self._client.get_skill_simulation_v2,
            self._config.skill_id,
            self._config.stage,
            simulation,
        )

    def reach(self) -> None:
        """Get a token and ask for a simulation that is not there; raises ServiceError."""
        try:
            self.result("sparring-probe")
        except ServiceError as err:
            if err.status != 404:
                raise

    def close(self) -> None:
        """Close connections."""
        self._transport.close()

    def _call(self, call: Any, *arguments: Any) -> dict[str, Any]:
        """The JSON body of a call, as it came: the SDK's objects lose what they do not know."""
        try:
            answer = call(*arguments, full_response=True)
        except ServiceException as err:
            raise _to_service_error(err) from err
        except (ValueError, TypeError, AttributeError) as err:
            raise ServiceError(0, f"the answer cannot be read: {err}") from err
        return mapping(_to_plain(getattr(answer, "body", None)))


def _to_plain(value: Any) -> Any:
    """The SDK's objects as JSON values, with the names of the API."""
    if isinstance(value, list):
        return [_to_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    names: Any = getattr(value, "attribute_map", None)
    if isinstance(names, Mapping):
        plain = {names[own]: _to_plain(getattr(value, own)) for own in names}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return {name: item for name, item in plain.items() if item is not None}  # pyright: ignore[reportUnknownVariableType]
    return getattr(value, "value", value) if not isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType]


def _to_service_error(err: Any) -> ServiceError:
    cause = err.__context__
    if isinstance(cause, httpx2.HTTPError):
        return ServiceError(0, f"{type(cause).__name__}: {cause}")
    body = mapping(_to_plain(err.body))
    message = text(body.get("message")) or str(err)
    for violation in body.get("violations") or ():
        message += f"; {text(mapping(violation).get('message'))}"
    return ServiceError(int(err.status_code or 0), message[:600])
