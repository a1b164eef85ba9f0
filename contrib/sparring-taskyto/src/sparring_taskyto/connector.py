"""The connector `taskyto`: a chatbot behind Taskyto's server.

A conversation is made by ``POST /conversation/new``, whose answer has its id; what the user says
goes to ``POST /conversation/user_message`` with that id, and comes back as ``message``, or as
``error`` with a status that tells whose fault it is.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError, model_validator
from sparring import (
    AppConnector,
    AppProtocolError,
    AppSession,
    BuildContext,
    Capability,
    Case,
    PluginConfig,
)
from sparring_connectors.described.tls import TlsConfig
from sparring_connectors.rest.config import RestConfig, RetryConfig, TimeoutConfig
from sparring_connectors.rest.connector import RestConnector


class TaskytoConfig(PluginConfig):
    """A chatbot that Taskyto serves."""

    url: str = Field(description="The server's address, such as http://localhost:5000.")
    headers: dict[str, str] = Field(default={}, description="Headers for a gateway in front of it.")
    starts: Literal["user", "app"] = Field(
        default="user",
        description="Who speaks first; app where the server says something when a conversation is "
        "made, or with `greeting`.",
    )
    greeting: str | None = Field(
        default=None,
        min_length=1,
        description="What makes the chatbot greet, where it starts and its server says nothing.",
    )
    timeout: TimeoutConfig = Field(
        default=TimeoutConfig(turn_s=120, read_s=120),
        description="How long the chatbot may take, which asks a model, as for rest.",
    )
    retry: RetryConfig = Field(
        default=RetryConfig(), description="What is sent again, as for rest."
    )
    tls: TlsConfig = Field(default=TlsConfig(), description="How https is checked, as for rest.")
    proxies: bool = Field(default=True, description="Whether the environment's proxies hold.")
    max_bytes: int = Field(
        default=1_000_000, ge=1, le=100_000_000, description="The largest reply that is taken."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> "TaskytoConfig":
        if self.greeting and self.starts == "user":
            raise ValueError("there is a greeting, but starts is user; write starts: app")
        try:
            self.as_rest()
        except ValidationError as err:
            first = err.errors(include_url=False, include_context=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            text = str(first["msg"]).removeprefix("Value error, ")
            raise ValueError(f"{key}: {text}" if key else text) from None
        return self

    def as_rest(self) -> RestConfig:
        """The same app as settings of the connector `rest`."""
        said = {"text": "$.message", "error": "$.error"}
        settings: dict[str, Any] = {
            "url": self.url,
            "headers": self.headers,
            "open": {
                "path": "/conversation/new",
                "body": {},
                "reply": {**said, "session": "$.id"},
            },
            "path": "/conversation/user_message",
            "body": {"id": "{session}", "message": "{text}"},
            "reply": said,
            "starts": self.starts,
            "probe": {"method": "POST", "path": "/conversation/new", "body": {}},
            **{key: getattr(self, key) for key in ("timeout", "retry", "proxies", "max_bytes")},
        }
        if self.greeting:
            settings["greeting"] = {"say": self.greeting}
        if "tls" in self.model_fields_set:
            settings["tls"] = self.tls
        return RestConfig.model_validate(settings)


class TaskytoConnector(AppConnector[TaskytoConfig]):
    """Talks to a chatbot over Taskyto's HTTP server, one conversation per session."""

    Config: ClassVar[type[PluginConfig]] = TaskytoConfig
    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT, Capability.SESSIONS})

    def __init__(self, config: TaskytoConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._rest = RestConnector(config.as_rest(), context)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession, None]:
        async with self._rest.open(case) as session:
            yield session

    async def probe(self) -> None:
        """Make a conversation; nothing is said in it."""
        try:
            await self._rest.probe()
        except AppProtocolError as err:
            raise AppProtocolError(f"{err}; is it Taskyto's server?") from None

    async def close(self) -> None:
        await self._rest.close()
