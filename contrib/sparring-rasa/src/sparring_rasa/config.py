"""Settings of the connector `rasa`, and the settings of `rest` that they come to.

Rasa's REST channel is an HTTP app as any other; what its tester has to know besides is written
here once: how sessions are told apart, made to begin and restarted, and what its messages hold.
"""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import BeforeValidator, Field, JsonValue, ValidationError, model_validator
from sparring import PluginConfig
from sparring_connectors.described.reply_config import JsonPath
from sparring_connectors.described.tls import TlsConfig
from sparring_connectors.rest.config import RestConfig, RetryConfig, TimeoutConfig

_RESTART = {"event": "restart"}
_SHARED = "{uuid}", "{case}"


def _as_list(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else [value]


Paths = Annotated[
    tuple[JsonPath, ...], BeforeValidator(_as_list, json_schema_input_type=str | list[str])
]


class CustomConfig(PluginConfig):
    """Where things are in a custom payload, as JSONPath from the payload."""

    text: Paths = Field(default=(), description="Texts, besides those of the messages.")
    choices: Paths = Field(default=(), description="Buttons.")
    images: Paths = Field(default=(), description="Addresses of pictures.")
    attachments: Paths = Field(default=(), description="Files and cards.")
    ended: JsonPath | None = Field(
        default=None, description="What tells that the conversation is over."
    )


class RasaConfig(PluginConfig):
    """A Rasa server with a channel like REST."""

    url: str = Field(description="The server's address, such as http://localhost:5005.")
    channel: str = Field(
        default="rest",
        pattern=r"^[\w.-]+$",
        description="The channel's name in credentials.yml; one of your own if it derives from "
        "RestInput.",
    )
    sender: str = Field(
        default="{uuid}",
        min_length=1,
        description="Who the user is to Rasa; with {uuid} every conversation is one of its own.",
    )
    metadata: JsonValue = Field(
        default=None, description="What to send as metadata with each message."
    )
    headers: dict[str, str] = Field(
        default={}, description="Headers for a gateway in front of Rasa."
    )
    token: str | None = Field(
        default=None, description="The server's --auth-token, for its API; from the environment."
    )
    jwt: str | None = Field(
        default=None, description="A JSON Web Token for the API instead; from the environment."
    )
    starts: Literal["user", "app"] = Field(default="user", description="Who speaks first.")
    greeting: str = Field(
        default="/session_start",
        min_length=1,
        description="What makes the assistant greet, where it starts.",
    )
    restart: Literal["never", "message", "tracker"] = Field(
        default="never",
        description="How a conversation is restarted before it begins and after it: by the "
        "message /restart, or through the API (--enable-api).",
    )
    custom: CustomConfig = Field(
        default=CustomConfig(), description="Where things are in custom payloads."
    )
    probe: Literal["channel", "version", "status"] = Field(
        default="channel",
        description="What `sparring doctor` asks: whether the channel is there, or through the "
        "API whether the server is (version) or has a model loaded (status).",
    )
    timeout: TimeoutConfig = Field(
        default=TimeoutConfig(), description="How long the assistant may take, as for rest."
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
    def _fits_together(self) -> "RasaConfig":
        if self.shared and self.restart == "never":
            raise ValueError(
                "sender: one without {uuid} is shared by all conversations, which would remember "
                "each other; write {uuid} into it, or restart: message"
            )
        if self.token and self.jwt:
            raise ValueError("give either token or jwt, not both")
        if "greeting" in self.model_fields_set and self.starts == "user":
            raise ValueError("there is a greeting, but starts is user; write starts: app")
        try:
            self.as_rest()
        except ValidationError as err:
            first = err.errors(include_url=False, include_context=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            text = str(first["msg"]).removeprefix("Value error, ")
            raise ValueError(f"{key}: {text}" if key else text) from None
        return self

    @property
    def shared(self) -> bool:
        """Whether all conversations are one to Rasa, so that they take turns."""
        return not any(placeholder in self.sender for placeholder in _SHARED)

    def as_rest(self) -> RestConfig:
        """The same app as settings of the connector `rest`."""
        webhook = f"/webhooks/{self.channel}/webhook"
        settings: dict[str, Any] = {
            "url": self.url,
            "path": webhook,
            "headers": {**self.headers, **self._bearer()},
            "body": self._describe_text("{text}"),
            "reply": self._reply(),
            "starts": self.starts,
            "probe": self._probe(),
            **{key: getattr(self, key) for key in ("timeout", "retry", "proxies", "max_bytes")},
        }
        if self.starts == "app":
            settings["greeting"] = {"say": self.greeting}
        if self.restart != "never":
            settings["open"] = settings["close"] = self._restart(webhook)
        if "tls" in self.model_fields_set:
            settings["tls"] = self.tls
        return RestConfig.model_validate(settings)

    def _describe_text(self, text: str) -> dict[str, JsonValue]:
        said: dict[str, JsonValue] = {"sender": self.sender, "message": text}
        return said if self.metadata is None else {**said, "metadata": self.metadata}

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.jwt}"} if self.jwt else {}

    def _query(self) -> dict[str, str]:
        return {"token": self.token} if self.token else {}

    def _restart(self, webhook: str) -> dict[str, Any]:
        heard = {"text": "$.nothing", "strict": False}  # what it says to that is no answer
        if self.restart == "message":
            return {"path": webhook, "body": self._describe_text("/restart"), "reply": heard}
        path = f"/conversations/{self.sender}/tracker/events"
        return {"path": path, "query": self._query(), "body": dict(_RESTART), "reply": heard}

    def _probe(self) -> dict[str, Any]:
        if self.probe == "channel":
            return {"path": f"/webhooks/{quote(self.channel)}/"}
        return {"path": f"/{self.probe}", "query": self._query()}

    def _reply(self) -> dict[str, Any]:
        """Where everything is in a list of messages."""
        custom = self.custom
        choices: list[Any] = [{"at": "$[*].buttons", "label": ["$.title", "$.payload"]}]
        choices += [{"at": _inside(path)} for path in custom.choices]
        reply: dict[str, Any] = {
            "text": ["$[*].text", *map(_inside, custom.text)],
            "choices": choices,
            "images": ["$[*].image", *map(_inside, custom.images)],
            "attachments": ["$[*].attachment", *map(_inside, custom.attachments)],
            "payload": "$[*].custom",
        }
        return reply if custom.ended is None else {**reply, "ended": _inside(custom.ended)}


def _inside(path: str) -> str:
    """A path from a custom payload as one from the whole reply."""
    return f"$[*].custom{path.removeprefix('$')}"
