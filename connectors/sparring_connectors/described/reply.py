"""An app's reply to an observation, and to what the next requests need."""

import math
import mimetypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from sparring.errors import AppCrash, AppProtocolError
from sparring.model.talk import Attachment, Choice, Observation
from sparring_connectors.described import paths
from sparring_connectors.described.decoding import Said, json_of, text_of
from sparring_connectors.described.http_text import kind
from sparring_connectors.described.reply_config import (
    AttachmentsConfig,
    ChoicesConfig,
    EndedConfig,
    HeaderSource,
    ReplyConfig,
)
from sparring_connectors.described.template import plain

MAX_LEARNT = 8_192
"""Longest value that is kept for the next requests, in characters."""

_DEFAULT_TEXTS = ("text", "reply", "message", "response", "answer")
_NOTHING: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in a reply: what the user sees, and what the next requests need.

    `worded` says that there was something at `reply.text`, be it null or empty; `held` says
    what there was in a reply without.
    """

    observation: Observation
    learnt: dict[str, Any] = field(default_factory=dict[str, Any])
    worded: bool = True
    held: str = ""


def read_reply(reply: Said, config: ReplyConfig, *, optional: bool = False) -> Reading:
    """Find everything in a reply.

    `optional` is for requests whose reply need not say anything, such as one that opens a
    session. Raises AppProtocolError where the reply is not what it should be, and AppCrash
    where it reports an error of the app's.
    """
    if config.read_as == "text":
        return Reading(
            Observation(text=text_of(reply).strip("\r\n")), learnt_from(reply, None, config)
        )
    return read_data(reply, json_of(reply), config, optional=optional)


def read_data(reply: Said, data: Any, config: ReplyConfig, *, optional: bool = False) -> Reading:
    """Find everything in a reply that was decoded already; raises as `read_reply` does."""
    check_error(reply, data, config)
    observation = _observation(reply, data, config)
    learnt = learnt_from(reply, data, config)
    if config.strict and not optional and not learnt and observation == Observation():
        _check_shape(reply, data, config)
    worded = bool(observation.text) or any(paths.find(path, data) for path in config.text or ())
    return Reading(observation, learnt, worded, "" if worded else _held(reply, data))


def together(said: Sequence[Observation]) -> Observation:
    """Several answers as one."""
    heard = [one for one in said if one != Observation()]
    if len(heard) <= 1:
        return heard[0] if heard else Observation()
    payloads: list[JsonValue] = [one.payload for one in heard if one.payload is not None]
    return Observation(
        text="\n".join(one.text for one in heard if one.text),
        choices=tuple(choice for one in heard for choice in one.choices),
        attachments=tuple(file for one in heard for file in one.attachments),
        payload=payloads[0] if len(payloads) == 1 else payloads or None,
        ended=any(one.ended for one in heard),
    )


def check_error(reply: Said, data: Any, config: ReplyConfig) -> None:
    """Raise AppCrash where a reply reports an error."""
    found = paths.first((config.error,), data) if config.error else None
    if found is not False and found not in _NOTHING:
        raise AppCrash(f"{reply.label}: the app reports an error: {reply.quoted(plain(found))}")


def _observation(reply: Said, data: Any, config: ReplyConfig) -> Observation:
    choices = [choice for at in config.choices for choice in _choices(at, data)]
    links = [choice for at in config.links for choice in _choices(at, data, links=True)]
    files = [_image(url) for path in config.images for url in _flat(paths.find(path, data))]
    for at in config.attachments:
        files += [_attachment(item, at) for item in _flat(paths.find(at.at, data))]
    return Observation(
        text="\n".join(_texts(reply, data, config)),
        choices=tuple(choices + links),
        attachments=tuple(file for file in files if file),
        payload=_payload(data, config),
        ended=config.ended is not None and flagged(config.ended, data),
    )


def _texts(reply: Said, data: Any, config: ReplyConfig) -> list[str]:
    if config.text is None:
        return [text for item in _flat([data]) if (text := _default_text(item))]
    return [text for path in config.text for text in _texts_at(reply, path, data)]


def _texts_at(reply: Said, path: str, data: Any) -> Iterator[str]:
    for value in _flat(paths.find(path, data)):
        if isinstance(value, (dict, list)):
            raise AppProtocolError(
                f"{reply.label}: {kind(value)} is at {path} of the reply, where a text should be"
            )
        if value is not None and value != "":
            yield plain(value)


def _default_text(item: Any) -> str:
    """The text of a message whose author was told of no place for it."""
    if isinstance(item, str):
        return item
    if not isinstance(item, dict):
        return ""
    found: Any = next((item[key] for key in _DEFAULT_TEXTS if item.get(key) is not None), "")  # pyright: ignore
    return found if isinstance(found, str) else ""


def _flat(values: list[Any]) -> Iterator[Any]:
    """Values, and instead of a list its items."""
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def _choices(at: ChoicesConfig, data: Any, *, links: bool = False) -> Iterator[Choice]:
    for item in _flat(paths.find(at.at, data)):
        if isinstance(item, dict):
            label, value, url = (_part(p, item) for p in (at.label, at.value, at.url))
            if shown := label or value or url:
                yield Choice(label=shown, value=value, url=url)
        elif item not in _NOTHING:
            text = plain(item)
            yield Choice(label=text, url=text) if links else Choice(label=text, value=text)


def _part(where: tuple[str, ...], item: Any) -> str | None:
    value = paths.first(where, item)
    return None if value is None else plain(value)


def _image(value: Any) -> Attachment | None:
    if not isinstance(value, str) or not value:
        return None
    guessed = mimetypes.guess_type(value.partition("?")[0])[0] or ""
    return Attachment(media_type=guessed if guessed.startswith("image/") else "image/*", url=value)


def _attachment(item: Any, at: AttachmentsConfig) -> Attachment | None:
    sort, words = None, None
    if isinstance(item, dict):
        url, sort, words = (_part(p, item) for p in (at.url, at.media_type, at.description))
    else:
        url = None if item in _NOTHING else plain(item)
    if not (url or words):
        return None
    guessed = mimetypes.guess_type((url or "").partition("?")[0])[0]
    return Attachment(
        media_type=sort or guessed or "application/octet-stream", url=url, description=words or ""
    )


def _payload(data: Any, config: ReplyConfig) -> Any:
    if config.payload is None:
        return None
    kept = [_finite(value) for value in paths.find(config.payload, data) if value is not None]
    return kept[0] if len(kept) == 1 else kept or None


def _finite(value: Any) -> Any:
    """Numbers too large for a float, which no JSON file can hold, as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_finite(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def flagged(config: EndedConfig, data: Any) -> bool:
    """Whether data has what a setting such as `ended` looks for."""
    found = paths.find(config.at, data)
    if config.equals:
        return any(_same(value, wanted) for value in found for wanted in config.equals)
    return any(value and value not in ("false", "False", "no", "0") for value in found)


def _same(value: Any, wanted: Any) -> bool:
    """Equality as in JSON, where true is not 1."""
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


def learnt_from(reply: Said, data: Any, config: ReplyConfig) -> dict[str, Any]:
    """What a reply has of the values that are kept for what is sent next."""
    learnt: dict[str, Any] = {}
    for name, source in config.learns.items():
        if isinstance(source, HeaderSource):
            value = reply.headers.get(source.header)
        else:
            value = paths.first((source,), data)
        if value is None or value == "":
            continue
        _check_learnt(reply, name, value)
        learnt[name] = value
    return learnt


def _check_learnt(reply: Said, name: str, value: Any) -> None:
    if name == "session" and isinstance(value, (dict, list)):
        raise AppProtocolError(f"{reply.label}: the session id in the reply is {kind(value)}")
    if (length := len(plain(value))) > MAX_LEARNT:
        raise AppProtocolError(
            f"{reply.label}: what the reply gives as {{{name}}} has {length:,} characters; "
            f"no more than {MAX_LEARNT:,} are sent back"
        )


def _check_shape(reply: Said, data: Any, config: ReplyConfig) -> None:
    """Tell a reply of another shape from silence."""
    if config.text is None:
        named = isinstance(data, dict) and any(key in data for key in _DEFAULT_TEXTS)
        wrong = data not in _NOTHING and not named and not isinstance(data, list)
        wanted = ", ".join(_DEFAULT_TEXTS)
    else:
        wrong = all(paths.contradicted(path, data) for path in config.text)
        wanted = ", ".join(config.text)
    if wrong:
        raise AppProtocolError(
            f"{reply.label}: nothing is at {wanted} of the reply, "
            f"which has {_held(reply, data)} (reply.text)"
        )


def _held(reply: Said, data: Any) -> str:
    """What a reply has instead of what was looked for; empty for one that has nothing."""
    if data in _NOTHING:
        return ""
    return f"the keys {_keys(reply, data)}" if isinstance(data, dict) else kind(data)


def _keys(reply: Said, data: Any) -> str:
    shown = [reply.quoted(key, 30) for key in list(data)[:8]]
    return ", ".join(shown) + (" …" if len(data) > 8 else "")
