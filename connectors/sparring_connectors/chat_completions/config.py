"""Settings of the connector `chat-completions`."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, JsonValue, model_validator

from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.described.http_text import split_url
from sparring_connectors.described.request_config import HeaderName, Texts
from sparring_connectors.described.tls import TlsConfig
from sparring_connectors.rest.config import RestConfig, RetryConfig, TimeoutConfig

PATH = "/chat/completions"
OWN_KEYS = frozenset({"model", "messages", "stream", "tools"})
"""Keys of the request that have a setting of their own."""


def _address(text: str) -> str:
    split_url(text)
    return text


class ChatCompletionsConfig(PluginConfig):
    """A model, its system prompt and its tools as the app under test."""

    url: Annotated[str, AfterValidator(_address)] = Field(
        description="The service, such as `https://host/v1`; `/chat/completions` is added."
    )
    model: str = Field(description="The model's name at the service.")
    system: str | None = Field(default=None, description="The system prompt.")
    greeting: str | None = Field(
        default=None, description="What the app says first; it is part of the history."
    )
    api_key: str | None = Field(
        default=None, description="Sent as a bearer token; write `${NAME}` of the environment."
    )
    headers: Annotated[dict[HeaderName, str | None], Texts] = Field(
        default={}, description="Further headers, such as `api-key` for Azure."
    )
    parameters: dict[str, JsonValue] = Field(
        default={},
        description="Further keys of the request, such as `temperature`, `max_tokens` or `seed`.",
    )
    stream: bool = Field(default=False, description="Whether to ask for the answer in pieces.")
    tools: tuple[dict[str, JsonValue], ...] = Field(
        default=(), description="Tools that the model may call, as the API describes them."
    )
    tool_results: dict[str, JsonValue] = Field(
        default={}, description="What each tool returns, by the tool's name."
    )
    max_tool_rounds: int = Field(
        default=5, ge=0, le=100, description="How often in one turn results of tools are sent."
    )
    history_turns: int | None = Field(
        default=None,
        ge=1,
        description="How many of the latest turns are sent; without it, all of them.",
    )
    timeout: TimeoutConfig = Field(
        default=TimeoutConfig(turn_s=120, read_s=120), description="How long the app may take."
    )
    retry: RetryConfig = Field(
        default=RetryConfig(attempts=10, on=frozenset({429, 503}), wait_s=0.5, max_wait_s=60),
        description="What is sent again; a request changes nothing at the service.",
    )
    tls: TlsConfig = Field(default=TlsConfig(), description="How https is checked.")
    proxies: bool = Field(
        default=True,
        description="Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY hold; never for this machine.",
    )
    max_bytes: int = Field(
        default=5_000_000, ge=1, le=100_000_000, description="The largest reply that is taken."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> "ChatCompletionsConfig":
        if own := sorted(OWN_KEYS & self.parameters.keys()):
            hint = "the connector writes it" if own[0] == "messages" else f"write it as {own[0]}"
            raise ValueError(f"parameters: {own[0]} has a setting of its own; {hint}")
        names = {_tool_name(tool) for tool in self.tools}
        if unknown := sorted(set(self.tool_results) - names):
            known = ", ".join(sorted(filter(None, names))) or "none"
            raise ValueError(f"tool_results: {unknown[0]!r} is no tool of `tools` ({known})")
        self.to_rest()  # headers and addresses are checked as those of `rest` are
        return self

    def to_rest(self) -> RestConfig:
        """The settings with which requests are sent, as the connector `rest` sends its own."""
        url = self.url.rstrip("/")
        headers: dict[str, Any] = dict(self.headers)
        if self.api_key is not None and not any(n.lower() == "authorization" for n in headers):
            headers["Authorization"] = f"Bearer {self.api_key}"
        settings: dict[str, Any] = {
            "url": url if url.endswith(PATH) else url + PATH,
            "headers": headers,
            "timeout": self.timeout,
            "retry": self.retry,
            "proxies": self.proxies,
            "max_bytes": self.max_bytes,
        }
        if url.startswith("https:"):
            settings["tls"] = self.tls
        return RestConfig.model_validate(settings)


def _tool_name(tool: dict[str, JsonValue]) -> str | None:
    function = tool.get("function")
    name = function.get("name") if isinstance(function, dict) else tool.get("name")
    return name if isinstance(name, str) else None
