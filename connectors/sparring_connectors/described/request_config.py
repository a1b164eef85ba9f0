"""Settings: what one request to the app looks like."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, model_validator

from sparring.documents.checking import nearest
from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.described.http_text import header_name, header_problem, split_url
from sparring_connectors.described.reply_config import ReplyConfig
from sparring_connectors.described.template import ENCODERS, PLACEHOLDER, SettingPath, texts_in


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _as_texts(value: Any) -> Any:
    """Numbers and true/false in a map of texts are written as JSON writes them."""
    if not isinstance(value, dict):
        return value
    return {key: _as_text(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def _encoders(text: str) -> str:
    for placeholder in PLACEHOLDER.finditer(text):
        how = placeholder["how"]
        if how and how not in ENCODERS:
            hint = nearest(how, sorted(ENCODERS))
            raise ValueError(f"unknown encoding in {placeholder[0]!r}.{hint}")
    return text


def _header_value(text: str) -> str:
    if problem := header_problem(text):
        raise ValueError(problem)
    return text


_OWN = {
    "content-length": "is computed; leave it out",
    "transfer-encoding": "is decided by the body; leave it out",
    "cookie": "would hide the cookies that the app sets; write them under cookies",
}


def _no_own_header(headers: dict[str, str | None]) -> dict[str, str | None]:
    for name in headers:
        if why := _OWN.get(name.lower()):
            raise ValueError(f"{name} {why}")
    return headers


def _cookie_value(text: str) -> str:
    _header_value(text)
    if ";" in text or "," in text:
        raise ValueError("has a ; or , which a cookie cannot hold; write %3B or %2C")
    return text


def _address(text: str) -> str:
    split_url(text)
    return _encoders(text)


def _path(text: str) -> str:
    if "://" in text:
        raise ValueError("is a whole address; write it as `url`, or only what follows the host")
    if any(c <= " " or c == "\x7f" for c in text):
        raise ValueError("has a blank or a control character; write %20 for a blank")
    return _encoders(text)


def check_body(data: Any) -> Any:
    """Check the placeholders in a body; raises ValueError."""
    for _, text in texts_in(data):
        _encoders(text)
    return data


Method = Annotated[Literal["GET", "POST", "PUT", "PATCH", "DELETE"], BeforeValidator(_upper)]
Text = Annotated[str, AfterValidator(_encoders)]
Header = Annotated[str, AfterValidator(_header_value), AfterValidator(_encoders)]
Cookie = Annotated[str, AfterValidator(_cookie_value), AfterValidator(_encoders)]
HeaderName = Annotated[str, AfterValidator(header_name)]
Texts = BeforeValidator(
    _as_texts, json_schema_input_type=dict[str, str | int | float | bool | None]
)
Address = Annotated[str, AfterValidator(_address)]


class RequestParts(PluginConfig):
    """What any request is made of. Placeholders such as ``{session}`` may stand in all of it."""

    method: Method = Field(default="POST", description="The request's method.")
    path: Annotated[str, AfterValidator(_path)] | None = Field(
        default=None, description="What follows the app's `url` for this request."
    )
    headers: Annotated[dict[HeaderName, Header | None], Texts, AfterValidator(_no_own_header)] = (
        Field(default={}, description="Headers; null drops one that is given for all requests.")
    )
    query: Annotated[dict[str, Text | None], Texts] = Field(
        default={}, description="What follows the ? of the address; null drops one given for all."
    )
    cookies: Annotated[dict[HeaderName, Cookie | None], Texts] = Field(
        default={}, description="Cookies to send beside those that the app sets."
    )
    body: Annotated[JsonValue, AfterValidator(check_body)] = Field(
        default=None, description="The body: keys and values, a list, or a text."
    )
    body_as: Literal["json", "form", "text"] | None = Field(
        default=None, description="How the body is sent; json for keys and values, text for a text."
    )
    reply: ReplyConfig = Field(
        default=ReplyConfig(), description="Where everything is in the reply."
    )

    @model_validator(mode="after")
    def _body_fits(self) -> "RequestParts":
        if self.body is None:
            if self.body_as:
                raise ValueError(f"body_as: {self.body_as} needs a body")
            return self
        if self.method == "GET":
            raise ValueError("a GET request has no body; write query, or method: POST")
        if self.body_as == "form":
            _check_form(self.body)
        elif self.body_as == "text" and not isinstance(self.body, str):
            raise ValueError("body_as: text needs a body that is a text")
        elif isinstance(self.body, str) and self.body_as != "text":
            _check_text_body(self.body)
        return self

    def templates(self) -> Iterator[tuple[SettingPath, str]]:
        """Every text that may hold placeholders, with the path to it."""
        if self.path is not None:
            yield ("path",), self.path
        for key in ("headers", "query", "cookies"):
            for name, text in getattr(self, key).items():
                if text is not None:
                    yield (key, name), text
        yield from texts_in(self.body, ("body",))


def _check_form(body: JsonValue) -> None:
    flat = isinstance(body, dict) and not any(
        isinstance(item, dict)
        for value in body.values()
        for item in (value if isinstance(value, list) else [value])
    )
    if not flat:
        raise ValueError("body_as: form needs keys with plain values")


def _check_text_body(body: str) -> None:
    if body.lstrip()[:1] in ("{", "[") and '"' in body:
        raise ValueError(
            "looks like JSON written as a text, which a quote in the user's words would break; "
            "write the body as YAML keys and values, or add body_as: text"
        )


class RequestConfig(RequestParts):
    """A request beside the user's messages; address, headers, query and cookies of the app hold."""

    url: Address | None = Field(default=None, description="A whole address instead of `path`.")

    @model_validator(mode="after")
    def _one_address(self) -> "RequestConfig":
        if self.url is not None and self.path is not None:
            raise ValueError("give either url or path, not both")
        return self

    def templates(self) -> Iterator[tuple[SettingPath, str]]:
        """Every text that may hold placeholders, with the path to it."""
        if self.url is not None:
            yield ("url",), self.url
        yield from super().templates()


class ReadRequestConfig(RequestConfig):
    """A request that only reads."""

    method: Method = Field(default="GET", description="The request's method.")


class VariantConfig(RequestConfig):
    """A message of another kind: what is not given is as in the user's messages."""


class GreetingConfig(VariantConfig):
    """The request that makes the app greet."""

    say: str = Field(default="", description="What `{text}` stands for in it, such as `/start`.")


class PollConfig(ReadRequestConfig):
    """A request that is repeated until the app's messages come."""

    every_s: float = Field(default=0.5, gt=0, le=60, description="Seconds between two requests.")
    for_s: float = Field(
        default=10, gt=0, le=3600, description="Seconds after which no message means silence."
    )
    settle_s: float = Field(
        default=0,
        ge=0,
        le=60,
        description="Seconds to wait for further messages after the last one; 0 for none.",
    )


def join_url(url: str, path: str | None) -> str:
    """An address with a path behind it; the address's query stays at the end."""
    if not path:
        return url
    parts = urlsplit(url)
    own, _, query = path.partition("?")
    base = parts.path.rstrip("/")
    merged = "&".join(part for part in (parts.query, query) if part)
    return f"{parts.scheme}://{parts.netloc}{base}/{own.lstrip('/')}" + (
        f"?{merged}" if merged else ""
    )
