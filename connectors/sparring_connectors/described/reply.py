"""An app's reply to an observation, and to what the next requests need."""

import math
import mimetypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pydantic import JsonValue

from sparring.errors import AppCrash, AppProtocolError
from sparring.model.talk import Attachment, Choice, Observation
from sparring_connectors.described import extraction
from sparring_connectors.described.extraction import AppMessage, decode_json, decode_text
from sparring_connectors.described.http_text import json_kind
from sparring_connectors.described.reply_config import (
    AttachmentsConfig,
    ChoicesConfig,
    EndedConfig,
    HeaderSource,
    ReplyConfig,
)
from sparring_connectors.described.template import to_text

MAX_LEARNT = 8_192
"""Longest value that is kept for the next requests, in characters."""

_DEFAULT_TEXTS = ("text", "reply", "message", "response", "answer")
_NOTHING: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class ReplyReading:
    """What was found in a reply: what the user sees, and what the next requests need.

    `has_text` means that something was at `reply.text`, even if null or empty; `content` describes
    a reply without it.
    """

    observation: Observation
    remembered: dict[str, Any] = field(default_factory=dict[str, Any])
    has_text: bool = True
    content: str = ""


def read_reply(reply: AppMessage, config: ReplyConfig, *, optional: bool = False) -> ReplyReading:
    """Find everything in a reply.

    `optional` is for requests whose reply need not say anything, such as one that opens a
    session. Raises AppProtocolError if the reply is not what it should be, and AppCrash if it
    reports an error of the app's.
    """
    if config.read_as == "text":
        return ReplyReading(
            Observation(text=decode_text(reply).strip("\r\n")), read_remembered(reply, None, config)
        )
    return read_data(reply, decode_json(reply), config, optional=optional)


def read_data(
    reply: AppMessage, data: Any, config: ReplyConfig, *, optional: bool = False
) -> ReplyReading:
    """Find everything in a reply that was decoded already; raises as `read_reply` does."""
    check_error(reply, data, config)
    observation = _read_observation(reply, data, config)
    remembered = read_remembered(reply, data, config)
    if config.strict and not optional and not remembered and observation == Observation():
        _check_shape(reply, data, config)
    has_text = bool(observation.text) or any(
        extraction.find_values(path, data) for path in config.text or ()
    )
    return ReplyReading(
        observation, remembered, has_text, "" if has_text else _describe_content(reply, data)
    )


def join_observations(said: Sequence[Observation]) -> Observation:
    """Several answers as one."""
    answers = [answer for answer in said if answer != Observation()]
    if len(answers) <= 1:
        return answers[0] if answers else Observation()
    return Observation(
        text="\n".join(filter(None, (answer.text for answer in answers))),
        choices=tuple(chain.from_iterable(answer.choices for answer in answers)),
        attachments=tuple(chain.from_iterable(answer.attachments for answer in answers)),
        payload=_single([answer.payload for answer in answers if answer.payload is not None]),
        ended=any(answer.ended for answer in answers),
    )


def _single(values: list[JsonValue]) -> JsonValue:
    """Return the only value as it is, several as a list, and `None` for none."""
    return values[0] if len(values) == 1 else values or None


def check_error(reply: AppMessage, data: Any, config: ReplyConfig) -> None:
    """Raise AppCrash if a reply reports an error."""
    error = extraction.first_value((config.error,), data) if config.error else None
    if error is not False and error not in _NOTHING:
        raise AppCrash(f"{reply.label}: the app reports an error: {reply.quote(to_text(error))}")


def _read_observation(reply: AppMessage, data: Any, config: ReplyConfig) -> Observation:
    choices = [choice for at in config.choices for choice in _read_choices(at, data)]
    links = [choice for at in config.links for choice in _read_choices(at, data, links=True)]
    files = [
        _to_image(url)
        for path in config.images
        for url in _flatten(extraction.find_values(path, data))
    ]
    for at in config.attachments:
        files += [
            _to_attachment(item, at) for item in _flatten(extraction.find_values(at.at, data))
        ]
    return Observation(
        text="\n".join(_read_texts(reply, data, config)),
        choices=tuple(choices + links),
        attachments=tuple(file for file in files if file),
        payload=_read_payload(data, config),
        ended=config.ended is not None and has_flag(config.ended, data),
    )


def _read_texts(reply: AppMessage, data: Any, config: ReplyConfig) -> list[str]:
    if config.text is None:
        return [text for item in _flatten([data]) if (text := _default_text(item))]
    return [text for path in config.text for text in _read_texts_at(reply, path, data)]


def _read_texts_at(reply: AppMessage, path: str, data: Any) -> Iterator[str]:
    for value in _flatten(extraction.find_values(path, data)):
        if isinstance(value, (dict, list)):
            raise AppProtocolError(
                f"{reply.label}: {json_kind(value)} is at {path} of the reply, "
                "where a text should be"
            )
        if value is not None and value != "":
            yield to_text(value)


def _default_text(item: Any) -> str:
    """The text of a message if `reply.text` is not set."""
    if isinstance(item, str):
        return item
    if not isinstance(item, dict):
        return ""
    text: Any = next((item[key] for key in _DEFAULT_TEXTS if item.get(key) is not None), "")  # pyright: ignore
    return text if isinstance(text, str) else ""


def _flatten(values: list[Any]) -> Iterator[Any]:
    """Values, and instead of a list its items."""
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def _read_choices(at: ChoicesConfig, data: Any, *, links: bool = False) -> Iterator[Choice]:
    for item in _flatten(extraction.find_values(at.at, data)):
        if isinstance(item, dict):
            label, value, url = (_read_part(p, item) for p in (at.label, at.value, at.url))
            if shown := label or value or url:
                yield Choice(label=shown, value=value, url=url)
        elif item not in _NOTHING:
            text = to_text(item)
            yield Choice(label=text, url=text) if links else Choice(label=text, value=text)


def _read_part(where: tuple[str, ...], item: Any) -> str | None:
    value = extraction.first_value(where, item)
    return None if value is None else to_text(value)


def _to_image(value: Any) -> Attachment | None:
    if not isinstance(value, str) or not value:
        return None
    guessed = mimetypes.guess_type(value.partition("?")[0])[0] or ""
    return Attachment(media_type=guessed if guessed.startswith("image/") else "image/*", url=value)


def _to_attachment(item: Any, at: AttachmentsConfig) -> Attachment | None:
    sort, words = None, None
    if isinstance(item, dict):
        url, sort, words = (_read_part(p, item) for p in (at.url, at.media_type, at.description))
    else:
        url = None if item in _NOTHING else to_text(item)
    if not (url or words):
        return None
    guessed = mimetypes.guess_type((url or "").partition("?")[0])[0]
    return Attachment(
        media_type=sort or guessed or "application/octet-stream", url=url, description=words or ""
    )


def _read_payload(data: Any, config: ReplyConfig) -> Any:
    if config.payload is None:
        return None
    values = extraction.find_values(config.payload, data)
    return _single([_finite_numbers(value) for value in values if value is not None])


def _finite_numbers(value: Any) -> Any:
    """Numbers too large for a float, which no JSON file can hold, as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {key: _finite_numbers(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_finite_numbers(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def has_flag(config: EndedConfig, data: Any) -> bool:
    """Whether data has what a setting such as `ended` looks for."""
    values = extraction.find_values(config.at, data)
    if config.equals:
        return any(_is_same_json(value, wanted) for value in values for wanted in config.equals)
    return any(value and value not in ("false", "False", "no", "0") for value in values)


def _is_same_json(value: Any, wanted: Any) -> bool:
    """Equality as in JSON: true is not 1."""
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


def read_remembered(reply: AppMessage, data: Any, config: ReplyConfig) -> dict[str, Any]:
    """What a reply has of the values that are kept for what is sent next."""
    remembered: dict[str, Any] = {}
    for name, source in config.remembered_sources.items():
        if isinstance(source, HeaderSource):
            value = reply.headers.get(source.header)
        else:
            value = extraction.first_value((source,), data)
        if value is None or value == "":
            continue
        _check_remembered(reply, name, value)
        remembered[name] = value
    return remembered


def _check_remembered(reply: AppMessage, name: str, value: Any) -> None:
    if name == "session" and isinstance(value, (dict, list)):
        raise AppProtocolError(f"{reply.label}: the session id in the reply is {json_kind(value)}")
    if (length := len(to_text(value))) > MAX_LEARNT:
        raise AppProtocolError(
            f"{reply.label}: what the reply gives as {{{name}}} has {length:,} characters; "
            f"no more than {MAX_LEARNT:,} are sent back"
        )


def _check_shape(reply: AppMessage, data: Any, config: ReplyConfig) -> None:
    """Raise AppProtocolError for a reply of another shape, which is no silence."""
    if config.text is None:
        named = isinstance(data, dict) and any(key in data for key in _DEFAULT_TEXTS)
        wrong = data not in _NOTHING and not named and not isinstance(data, list)
        wanted = ", ".join(_DEFAULT_TEXTS)
    else:
        wrong = all(extraction.contradicts(path, data) for path in config.text)
        wanted = ", ".join(config.text)
    if wrong:
        raise AppProtocolError(
            f"{reply.label}: nothing is at {wanted} of the reply, "
            f"which has {_describe_content(reply, data)} (reply.text)"
        )


def _describe_content(reply: AppMessage, data: Any) -> str:
    """What a reply has instead of what was looked for; empty for one that has nothing."""
    if data in _NOTHING:
        return ""
    return f"the keys {_quote_keys(reply, data)}" if isinstance(data, dict) else json_kind(data)


def _quote_keys(reply: AppMessage, data: Any) -> str:
    shown = [reply.quote(key, 30) for key in list(data)[:8]]
    return ", ".join(shown) + (" …" if len(data) > 8 else "")


# Whether the paths to the app's words ever find anything, over all conversations of a run.
#
# A reply that has buttons but no words may be meant so, which is why a path that is wrong cannot be
# told from one reply. One that finds nothing in any reply most likely is.


@dataclass(slots=True)
class _MissCount:
    missed: int = 0
    content: str = ""
    found: bool = False


class TextPathMisses:
    """Counts the replies in which there was nothing at `reply.text`, for each such setting."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, ...], _MissCount] = {}

    def note(self, config: ReplyConfig, found: bool, content: str) -> None:
        """Count a reply that holds something; `content` says what, if no words were found."""
        if config.text is None or config.read_as == "text":
            return
        count = self._counts.setdefault(config.text, _MissCount())
        count.found = count.found or found
        if not found and content:
            count.missed += 1
            count.content = count.content or content

    def problems(self) -> Iterator[str]:
        """Yield a warning for each path that found nothing in any reply."""
        for text, count in self._counts.items():
            if count.missed and not count.found:
                what = f"{text[0]} has" if len(text) == 1 else f"none of {', '.join(text)} has"
                times = "the only reply" if count.missed == 1 else f"{count.missed:,} replies"
                nothing = "nothing" if len(text) == 1 else "anything"
                which = "it" if count.missed == 1 else "the first of them"
                yield (
                    f"reply.text: {what} matched {nothing} in {times}; {which} has {count.content}"
                )
