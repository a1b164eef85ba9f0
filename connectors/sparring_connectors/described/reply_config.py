"""Settings: where everything is in an app's reply."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, model_validator

from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.described import extraction
from sparring_connectors.described.http_text import header_name


def _jsonpath(text: str) -> str:
    extraction.compile_path(text)
    return text


def _as_list(value: Any) -> Any:
    """One thing is short for a list of it."""
    return value if isinstance(value, (list, tuple)) else [value]  # pyright: ignore[reportUnknownVariableType]


def _at(value: Any) -> Any:
    """A plain path is short for ``{at: path}``."""
    return {"at": value} if isinstance(value, str) else value


JsonPath = Annotated[str, AfterValidator(_jsonpath)]
JsonPaths = Annotated[
    tuple[JsonPath, ...], BeforeValidator(_as_list, json_schema_input_type=str | list[str])
]


class HeaderSource(PluginConfig):
    """A value that comes in a header of the reply: ``{header: X-Session}``."""

    header: Annotated[str, AfterValidator(header_name)] = Field(description="The header's name.")


Source = JsonPath | HeaderSource


class ChoicesConfig(PluginConfig):
    """Where buttons or links are. A plain path is short for ``{at: path}``.

    What `at` finds is a list of choices or each of them. A choice that is a plain text is its
    own label and value; in an object, each part is at the first of its paths that has one.
    """

    at: JsonPath = Field(description="Where the choices are in the reply.")
    label: JsonPaths = Field(
        default=("$.label", "$.title", "$.text", "$.name"),
        description="Where the label is in a choice; the first path that has one.",
    )
    value: JsonPaths = Field(
        default=("$.value", "$.payload"),
        description="Where the value is that the app wants to be sent when it is pressed.",
    )
    url: JsonPaths = Field(
        default=("$.url", "$.link", "$.href"), description="Where the address is, for a link."
    )


class AttachmentsConfig(PluginConfig):
    """Where files and cards are. A plain path is short for ``{at: path}``."""

    at: JsonPath = Field(description="Where the attachments are in the reply.")
    url: JsonPaths = Field(
        default=("$.url", "$.src", "$.href", "$.payload.src", "$.payload.url"),
        description="Where the address is in an attachment.",
    )
    media_type: JsonPaths = Field(
        default=("$.media_type", "$.contentType", "$.mime_type", "$.type"),
        description="Where the media type is in an attachment.",
    )
    description: JsonPaths = Field(
        default=("$.description", "$.title", "$.alt", "$.name"),
        description="Where a text for people is in an attachment.",
    )


class EndedConfig(PluginConfig):
    """When a reply ends the conversation. A plain path is short for ``{at: path}``."""

    at: JsonPath = Field(description="Where the end flag is in the reply.")
    equals: Annotated[
        tuple[JsonValue, ...], BeforeValidator(_as_list, json_schema_input_type=JsonValue)
    ] = Field(
        default=(), description="The values that mean the end; without them, any but false does."
    )


Choices = Annotated[
    tuple[Annotated[ChoicesConfig, BeforeValidator(_at)], ...],
    BeforeValidator(
        _as_list, json_schema_input_type=str | ChoicesConfig | list[str | ChoicesConfig]
    ),
]
Attachments = Annotated[
    tuple[Annotated[AttachmentsConfig, BeforeValidator(_at)], ...],
    BeforeValidator(
        _as_list, json_schema_input_type=str | AttachmentsConfig | list[str | AttachmentsConfig]
    ),
]
Ended = Annotated[EndedConfig, BeforeValidator(_at, json_schema_input_type=str | EndedConfig)]


class ReplyConfig(PluginConfig):
    """Where everything is in a reply, as JSONPath.

    Without `text`, it is looked for at ``text``, ``reply``, ``message``, ``response`` and
    ``answer``, also in the items of a list. Replies of ``null``, ``[]``, ``{}``, an empty body
    and a text that is null are silence, which is allowed.
    """

    read_as: Literal["json", "text"] = Field(
        default="json", description="What the reply's body is: JSON, or the text itself."
    )
    text: JsonPaths | None = Field(
        default=None, description="Where the texts are; all paths, in order."
    )
    choices: Choices = Field(default=(), description="Where buttons are that can be pressed.")
    links: Choices = Field(default=(), description="Where links are; a plain text is an address.")
    images: JsonPaths = Field(default=(), description="Where addresses of pictures are.")
    attachments: Attachments = Field(default=(), description="Where files and cards are.")
    payload: JsonPath | None = Field(
        default=None, description="What of the reply to keep as the structured answer; `$` for all."
    )
    ended: Ended | None = Field(
        default=None, description="What tells that the app ended the conversation."
    )
    error: JsonPath | None = Field(
        default=None, description="Where an error message is in an answer with a good status."
    )
    session: Source | None = Field(
        default=None, description="Where the session id is; then known as `{session}`."
    )
    remember: dict[str, Source] = Field(
        default={},
        description="Other values to keep for the next requests: name to path or header.",
    )
    strict: bool = Field(
        default=True,
        description="Whether a reply in which nothing is where it should be is a protocol "
        "error (true) or silence (false).",
    )

    @model_validator(mode="after")
    def _text_has_no_paths(self) -> "ReplyConfig":
        if self.read_as == "json":
            return self
        sources = {"session": self.session, **self.remember}
        named = [name for name in _JSON_ONLY if getattr(self, name)]
        named += [name for name, source in sources.items() if isinstance(source, str)]
        if named:
            raise ValueError(
                f"read_as: text takes the whole reply as the text, so there is no {named[0]!r} "
                "to find in it; drop it, or write read_as: json"
            )
        return self

    @property
    def remembered_sources(self) -> dict[str, "str | HeaderSource"]:
        """Every value that is kept for the next requests, the session id among them."""
        own: dict[str, str | HeaderSource] = {"session": self.session} if self.session else {}
        return {**own, **self.remember}


_JSON_ONLY = ("text", "choices", "links", "images", "attachments", "payload", "ended", "error")
