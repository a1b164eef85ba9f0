"""Settings: what is sent to the app, which of its messages count, and when an answer is over."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue

from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.described.reply_config import EndedConfig
from sparring_connectors.described.request_config import Where, checked_body
from sparring_connectors.described.template import texts_in

DEFAULT_BODY = {"text": "{text}", "session": "{session}"}


def _matches(value: Any) -> Any:
    """One match is short for a list, a plain path short for ``{at: path}``."""
    items: Any = value if isinstance(value, (list, tuple)) else [value]  # pyright: ignore[reportUnknownVariableType]
    return [{"at": item} if isinstance(item, str) else item for item in items]


def _bodies(value: Any) -> Any:
    return value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]


def _sendable(body: JsonValue) -> JsonValue:
    if body is None:
        raise ValueError("is empty; write keys and values, a list, or a text")
    if isinstance(body, str) and body.lstrip()[:1] in ("{", "[") and '"{' in body:
        raise ValueError(
            "looks like JSON written as a text, which a quote in the user's words would break; "
            "write it as YAML keys and values, or {text|json} without quotes around it"
        )
    checked_body(body)
    return body


class Match(EndedConfig):
    """Which messages are meant. A plain path is short for ``{at: path}``.

    Without `equals`, messages that have something there; a message that is plain text is at ``$``.
    """


Matches = Annotated[
    tuple[Match, ...],
    BeforeValidator(_matches, json_schema_input_type=str | Match | list[str | Match]),
]
Body = Annotated[JsonValue, AfterValidator(_sendable)]
Bodies = Annotated[
    tuple[Body, ...], BeforeValidator(_bodies, json_schema_input_type=JsonValue | list[JsonValue])
]


class OverConfig(PluginConfig):
    """When an answer is over: at the first of these that is given."""

    count: int | None = Field(
        default=None, ge=1, le=1000, description="After so many messages of the app's."
    )
    end: Matches = Field(
        default=(), description="At a message that says so, whether it is an answer itself or not."
    )
    quiet_s: float | None = Field(
        default=None,
        gt=0,
        le=600,
        description="When nothing more has come for so long after a message, in seconds; "
        "0.5 where neither count nor end is given.",
    )
    silence_s: float | None = Field(
        default=None,
        gt=0,
        le=3600,
        description="After so many seconds without any message, which is then silence; without "
        "it, an app that says nothing is a time-out.",
    )

    @property
    def settles_s(self) -> float | None:
        """The quiet time that holds, None for none."""
        if self.quiet_s is None and self.count is None and not self.end:
            return 0.5
        return self.quiet_s


class GreetingConfig(PluginConfig):
    """What makes the app greet, where it does not do so by itself."""

    say: str = Field(default="", description="What `{text}` stands for in it, such as `/start`.")
    body: Body | None = Field(
        default=None, description="The message; without it, one like the user's."
    )


class AnswerBackConfig(PluginConfig):
    """Something that the app wants answered at once, whenever it comes, such as its own pings."""

    to: Matches = Field(min_length=1, description="Which messages; they are no answers.")
    body: Body = Field(description="What is sent back.")


class MessageParts(PluginConfig):
    """What is said to the app, and what counts of what it says."""

    open: Bodies = Field(default=(), description="What is sent first, in order.")
    ready: Matches = Field(
        default=(), description="The message that must have come before anything is said."
    )
    body: Body = Field(
        default_factory=lambda: dict[str, JsonValue](DEFAULT_BODY),
        description="What is sent for what the user says: keys and values, a list, or a text.",
    )
    press: Body | None = Field(
        default=None,
        description="What is sent for a pressed choice, where that is not a message like others.",
    )
    greeting: GreetingConfig | None = Field(
        default=None, description="What makes the app greet, where it does not by itself."
    )
    close: Body | None = Field(default=None, description="What is sent at the end.")
    back: tuple[AnswerBackConfig, ...] = Field(
        default=(), description="What the app wants answered at once."
    )
    answers: Matches = Field(
        default=(), description="Which messages are answers; all but those ignored, without it."
    )
    ignore: Matches = Field(default=(), description="Which messages are none, whatever they hold.")
    typing: Matches = Field(
        default=(), description="Which messages say that more is coming, so that quiet starts anew."
    )
    echoes: bool = Field(
        default=True,
        description="Whether a message that is the same as one we sent may be an answer.",
    )
    over: OverConfig = Field(default=OverConfig(), description="When an answer is over.")

    def bodies(self) -> Iterator[tuple[Where, Any]]:
        """Everything that is sent, with the path to it; `body` first."""
        yield ("body",), self.body
        for number, body in enumerate(self.open):
            yield ("open", number), body
        for key in ("press", "close"):
            if (body := getattr(self, key)) is not None:
                yield (key,), body
        if self.greeting is not None and self.greeting.body is not None:
            yield ("greeting", "body"), self.greeting.body
        for number, back in enumerate(self.back):
            yield ("back", number, "body"), back.body

    def templates(self) -> Iterator[tuple[Where, str]]:
        """Every text of what is sent that may hold placeholders, with the path to it."""
        for at, body in self.bodies():
            yield from texts_in(body, at)
