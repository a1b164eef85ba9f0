"""Settings of the connector `rest`, and everything about them that must fit together."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.described.placeholders import SPOKEN
from sparring_connectors.described.request_config import (
    Address,
    GreetingConfig,
    PollConfig,
    ReadRequestConfig,
    RequestConfig,
    RequestParts,
    VariantConfig,
    Where,
)
from sparring_connectors.described.tls import TlsConfig
from sparring_connectors.rest.fit import Fit
from sparring_connectors.rest.presets import known, with_preset

DEFAULT_BODY = {"text": "{text}", "session": "{session}"}


class TimeoutConfig(PluginConfig):
    """How long the app may take, in seconds."""

    turn_s: float = Field(
        default=60,
        gt=0,
        le=3600,
        description="That the app may take for a whole turn, with redirects and polling.",
    )
    connect_s: float = Field(default=5, gt=0, le=600, description="Until there is a connection.")
    read_s: float = Field(
        default=60, gt=0, le=3600, description="Until the next piece of a reply comes."
    )
    close_s: float = Field(
        default=5, gt=0, le=600, description="For the request that closes a session."
    )


class RetryConfig(PluginConfig):
    """What is sent again. A message that the app may have taken is not, unless told here."""

    attempts: int = Field(
        default=3, ge=1, le=100, description="How often a request is sent at most."
    )
    on: frozenset[int] | None = Field(
        default=None,
        description="Statuses after which any request is sent again; without it, 429 and 503 "
        "for GET requests only.",
    )
    dropped: bool = Field(
        default=False,
        description="Whether to send again when the connection was dropped after sending.",
    )
    wait_s: float = Field(
        default=0.2, ge=0, le=600, description="Wait before the second attempt; doubles."
    )
    max_wait_s: float = Field(
        default=30,
        gt=0,
        le=3600,
        description="Longest wait; a longer Retry-After is not waited for.",
    )

    @model_validator(mode="after")
    def _only_failures(self) -> "RetryConfig":
        if self.on and (odd := sorted(s for s in self.on if not 400 <= s <= 599)):
            raise ValueError(f"on: {odd[0]} is not the status of a failure (400 to 599)")
        return self


class HistoryConfig(PluginConfig):
    """How `{history}` writes the conversation so far, for apps that remember nothing."""

    role: str = Field(default="role", description="Key that says who spoke.")
    text: str = Field(default="content", description="Key of what was said.")
    user: str = Field(default="user", description="What the user is called.")
    app: str = Field(default="assistant", description="What the app is called.")


class RestConfig(RequestParts):
    """An app behind HTTP. The request described at the top is the one for a user's message."""

    preset: Annotated[str, AfterValidator(known)] | None = Field(
        default=None, description="A known kind of app; it fills in what is not given here."
    )
    url: Address = Field(description="The app's address; requests add their `path` to it.")
    starts: Literal["app", "user"] = Field(default="user", description="Who speaks first.")
    open: RequestConfig | None = Field(
        default=None, description="The request that opens a session."
    )
    greeting: GreetingConfig | None = Field(
        default=None, description="The request that makes the app greet, where opening does not."
    )
    press: VariantConfig | None = Field(
        default=None,
        description="The request for a pressed choice, where it is not a message like others.",
    )
    poll: PollConfig | None = Field(
        default=None,
        description="The request that fetches the app's messages, where they come later.",
    )
    close: RequestConfig | None = Field(
        default=None, description="The request that closes a session."
    )
    probe: ReadRequestConfig | None = Field(
        default=None,
        description="The request with which `sparring doctor` asks whether the app is there.",
    )
    history: HistoryConfig = Field(
        default=HistoryConfig(), description="How `{history}` is written."
    )
    timeout: TimeoutConfig = Field(
        default=TimeoutConfig(), description="How long the app may take."
    )
    retry: RetryConfig = Field(default=RetryConfig(), description="What is sent again.")
    tls: TlsConfig = Field(default=TlsConfig(), description="How https is checked.")
    proxies: bool = Field(
        default=True,
        description="Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY hold; never for this machine.",
    )
    redirects: int = Field(
        default=5, ge=0, le=20, description="How many redirects to follow, on the same host only."
    )
    max_bytes: int = Field(
        default=1_000_000, ge=1, le=100_000_000, description="The largest reply that is taken."
    )

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: Any) -> Any:
        """The preset's settings, and a body where the user's words would stand nowhere."""
        if not isinstance(data, dict):
            return data
        filled = with_preset(data)  # pyright: ignore[reportUnknownArgumentType]
        method = filled.get("method", "POST")
        if "body" not in filled and str(method).upper() != "GET" and not _mentions_text(filled):
            filled["body"] = dict(DEFAULT_BODY)
        return filled

    @model_validator(mode="after")
    def _fits_together(self) -> "RestConfig":
        problems = [*Fit(self).problems()]
        if problems:
            raise ValidationError.from_exception_data(
                "RestConfig",
                [
                    InitErrorDetails(
                        type=PydanticCustomError("value_error", "{problem}", {"problem": text}),
                        loc=where,
                        input=None,
                    )
                    for where, text in problems
                ],
            )
        return self

    def templates(self) -> Iterator[tuple[Where, str]]:
        """Every text that may hold placeholders, with the path to it."""
        yield ("url",), self.url
        yield from super().templates()

    def requests(self) -> Iterator[tuple[Where, RequestConfig]]:
        """The requests beside the user's messages, with the path to each."""
        for key in ("open", "greeting", "press", "poll", "close", "probe"):
            if (request := getattr(self, key)) is not None:
                yield (key,), request

    def speaks_tls(self) -> bool:
        """Whether any request goes to an https address."""
        urls = [self.url, *(request.url or "" for _, request in self.requests())]
        return any(url.startswith("https:") for url in urls)

    def session_from_reply(self) -> bool:
        """Whether the app makes the session ids."""
        return self.reply.session is not None or any(
            request.reply.session is not None for _, request in self.requests()
        )


def _mentions_text(data: dict[str, Any]) -> bool:
    parts = [data.get("url"), data.get("path"), data.get("query"), data.get("headers")]
    return any(f"{{{name}" in str(parts) for name in SPOKEN)
