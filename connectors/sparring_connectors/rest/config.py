"""Settings of the connector `rest`, their presets, and the checks that they fit together."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator, Field, model_validator

from sparring.documents.checking import nearest
from sparring.documents.reading import read_document
from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.described.request_config import (
    Address,
    GreetingConfig,
    PollConfig,
    ReadRequestConfig,
    RequestConfig,
    RequestParts,
    VariantConfig,
)
from sparring_connectors.described.template import (
    ALWAYS,
    SPOKEN,
    SettingPath,
    Template,
    authorization_problem,
    greeting_problem,
    refuse_settings,
    remembered_name_problems,
    unknown_placeholders,
)
from sparring_connectors.described.tls import TlsConfig
from sparring_connectors.rest.signing import SigningConfig

# What no single setting can tell: placeholders that nothing fills, and contradictions.


class RestConfigCheck:
    """Whether the settings of an app fit together."""

    def __init__(self, config: "RestConfig") -> None:
        self.config = config
        replies = [config.reply, *(request.reply for _, request in config.requests())]
        self.remembered = {name for reply in replies for name in reply.remember}
        self.session_late = config.session_from_reply()

    def problems(self) -> Iterator[tuple[SettingPath, str]]:
        """Everything that does not fit: the path of the setting, and what to do."""
        yield from self._remembered_names()
        yield from self._placeholders()
        yield from self._first_requests()
        yield from self._contradictions()

    def _remembered_names(self) -> Iterator[tuple[SettingPath, str]]:
        owners: list[tuple[SettingPath, RequestParts]] = [
            ((), self.config),
            *self.config.requests(),
        ]
        for path, owner in owners:
            yield from remembered_name_problems(owner.reply.remember, path)

    def _placeholders(self) -> Iterator[tuple[SettingPath, str]]:
        always = {*ALWAYS, "session", *self.remembered}
        yield from unknown_placeholders(self.config.templates(), (), always | {*SPOKEN})
        for at, request in self.config.requests():
            spoken = {*SPOKEN} if at[0] in ("press", "greeting") else {"history"}
            yield from unknown_placeholders(request.templates(), at, always | spoken)

    def _first_requests(self) -> Iterator[tuple[SettingPath, str]]:
        config = self.config
        if not self.session_late:
            return
        known_after_open = config.open is not None and config.open.reply.session is not None
        if config.open is not None:
            for at, text in config.open.templates():
                if _uses(text, "session"):
                    yield (
                        ("open", *at),
                        (
                            "{session} is not known before the session is open; {uuid} stands for "
                            "an id that is made here"
                        ),
                    )
        if not known_after_open:
            for at, text in config.templates():
                if at[0] in ("url", "path") and _uses(text, "session"):
                    yield (
                        at,
                        (
                            "{session} is not known at the first message, which is the one that "
                            "brings it; take it from `open`, or write {uuid}"
                        ),
                    )

    def _contradictions(self) -> Iterator[tuple[SettingPath, str]]:
        config = self.config
        if not any(_uses(text, *SPOKEN) for _, text in config.templates()):
            yield (
                (),
                "what the user says is nowhere in the request: write {text} in body, query or path",
            )
        if config.starts == "app" and not self._has_greeting():
            yield (
                ("starts",),
                (
                    "the app speaks first, but nothing says where its greeting comes from: give "
                    "open.reply.text, greeting or poll"
                ),
            )
        yield from authorization_problem(config.url, config.headers)
        if "tls" in config.model_fields_set and not config.speaks_tls():
            yield ("tls",), "has no effect: no address here starts with https://"
        yield from greeting_problem(config.greeting, config.starts)

    def _has_greeting(self) -> bool:
        config = self.config
        if config.greeting or config.poll:
            return True
        opening = config.open.reply if config.open else None
        return opening is not None and bool(opening.text or opening.read_as == "text")


def _uses(text: str, *names: str) -> bool:
    return any(slot.name in names for slot in Template.of(text).slots)


# Presets: descriptions of known kinds of apps, each a YAML file in the folder `presets`.

FOLDER = Path(__file__).with_name("presets")

_WHOLE = frozenset({"body"})
"""Keys whose value is data of the app's, so that one given replaces the preset's whole."""


@lru_cache(maxsize=1)
def preset_names() -> tuple[str, ...]:
    """The known presets."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


@lru_cache(maxsize=32)
def _read_preset(name: str) -> dict[str, Any]:
    settings: dict[str, Any] = read_document(FOLDER / f"{name}.yaml", shown=f"preset {name}").data
    return settings


def check_preset_name(name: str) -> str:
    """Check a preset's name; raises ValueError that names the nearest one."""
    if name not in preset_names():
        raise ValueError(f"unknown preset {name!r}.{nearest(name, preset_names())}")
    return name


def apply_preset(data: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with the preset's for those that are not given.

    Maps are filled in key by key, except a body; null takes a preset's setting away.
    """
    name = data.get("preset")
    if not isinstance(name, str) or name not in preset_names():
        return dict(data)  # an unknown one is refused by `known`
    defaults = deepcopy(_read_preset(name))
    filled = _merge(defaults, data)
    if "path" not in data and isinstance(filled.get("url"), str):
        filled["url"] = _without_path(filled["url"], defaults.get("path", ""))
    return filled


def _merge(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(defaults)
    for key, value in given.items():
        default = merged.get(key)
        if isinstance(value, dict) and isinstance(default, dict) and key not in _WHOLE:
            merged[key] = _merge(default, value)  # pyright: ignore[reportUnknownArgumentType]
        elif value is None and key in defaults:
            del merged[key]
        else:
            merged[key] = value
    return merged


def _without_path(url: str, path: str) -> str:
    """An address that was pasted with the preset's own path, without it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url  # refused where addresses are checked
    if path and parts.path.rstrip("/").endswith(path.rstrip("/")):
        kept = parts.path.rstrip("/").removesuffix(path.rstrip("/"))
        return urlunsplit(parts._replace(path=kept))
    return url


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
        description="Statuses after which any request is sent again; without it, 429, "
        "and for GET requests 503.",
    )
    dropped: bool = Field(
        default=False,
        description="Whether to send again when the connection was dropped after sending.",
    )
    wait_s: float = Field(
        default=0.2, ge=0, le=600, description="Wait before the second attempt; doubles."
    )
    max_wait_s: float = Field(
        default=90,  # most limits are per minute
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

    preset: Annotated[str, AfterValidator(check_preset_name)] | None = Field(
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
    sign: SigningConfig | None = Field(
        default=None, description="How requests are signed, for services of AWS."
    )
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
        """The preset's settings, and a body if the user's words would stand nowhere else."""
        if not isinstance(data, dict):
            return data
        filled = apply_preset(data)  # pyright: ignore[reportUnknownArgumentType]
        method = filled.get("method", "POST")
        if "body" not in filled and str(method).upper() != "GET" and not _mentions_text(filled):
            filled["body"] = dict(DEFAULT_BODY)
        return filled

    @model_validator(mode="after")
    def _fits_together(self) -> "RestConfig":
        refuse_settings("RestConfig", [*RestConfigCheck(self).problems()])
        return self

    def templates(self) -> Iterator[tuple[SettingPath, str]]:
        """Every text that may hold placeholders, with the path to it."""
        yield ("url",), self.url
        yield from super().templates()

    def requests(self) -> Iterator[tuple[SettingPath, RequestConfig]]:
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
