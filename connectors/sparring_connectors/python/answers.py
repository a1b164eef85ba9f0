"""What a Python app may return as its answer, and how it becomes an observation."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic import ValidationError

from sparring.documents.checking import nearest
from sparring.errors import AppProtocolError
from sparring.model.talk import Attachment, Choice, Observation

KEYS = ("text", "choices", "attachments", "payload", "ended")
MOST_PIECES = 10_000
"""Most messages of one answer: an app that yields for ever is stopped there."""

EXPECTED = (
    "a text, None for silence, a list of texts, a mapping with the keys "
    f"{', '.join(KEYS)}, or an Observation"
)


def read_answer(answer: object) -> Observation:
    """The observation for what the app returned; raises AppProtocolError for anything else.

    Objects with an attribute `content` or `text` that is a text, as the messages of LangChain and
    of the clients of model providers are, count as that text.
    """
    if answer is None:
        return Observation()
    if isinstance(answer, Observation):
        return answer
    if isinstance(answer, str):
        return Observation(text=answer)
    if isinstance(answer, Mapping):
        return _read_mapping(cast(Mapping[object, object], answer))
    for name in ("content", "text"):
        text = getattr(answer, name, None)
        if isinstance(text, str):
            return Observation(text=text)
    if isinstance(answer, (list, tuple)):
        return join_pieces(cast(Iterable[object], answer))
    raise AppProtocolError(f"the app returned {_describe(answer)}; expected {EXPECTED}")


def join_pieces(pieces: Iterable[object]) -> Observation:
    """Several messages as one answer: texts joined with line feeds, the last payload counts."""
    observations = [read_answer(piece) for piece in pieces]
    payloads = [each.payload for each in observations if each.payload is not None]
    return Observation(
        text="\n".join(each.text for each in observations if each.text),
        choices=tuple(choice for each in observations for choice in each.choices),
        attachments=tuple(item for each in observations for item in each.attachments),
        payload=payloads[-1] if payloads else None,
        ended=any(each.ended for each in observations),
    )


def _read_mapping(answer: Mapping[object, object]) -> Observation:
    for key in answer:
        if key not in KEYS:
            hint = nearest(str(key), KEYS) or f" Known keys: {', '.join(KEYS)}."
            raise AppProtocolError(f"the app's answer has the unknown key {str(key)[:60]!r}.{hint}")
    given = dict(cast(Mapping[str, Any], answer))
    given["text"] = "" if given.get("text") is None else given["text"]
    try:
        given["choices"] = tuple(_read_choice(item) for item in given.get("choices") or ())
        given["attachments"] = tuple(
            Attachment.model_validate(item) for item in given.get("attachments") or ()
        )
        return Observation.model_validate(given)
    except (ValidationError, TypeError, ValueError) as err:
        raise AppProtocolError(f"the app's answer cannot be read: {_first_line(err)}") from err


def _read_choice(item: object) -> Choice:
    return Choice(label=item) if isinstance(item, str) else Choice.model_validate(item)


def _first_line(err: Exception) -> str:
    if isinstance(err, ValidationError):
        first = err.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
    return str(err).split("\n", 1)[0]


def _describe(answer: object) -> str:
    kind = type(answer).__name__
    return f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"
