"""The file that says what the backend `scripted` answers."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import regex
from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from sparring.documents.checking import at_path, checked, nearest
from sparring.documents.reading import Document, Key, read
from sparring.errors import ConfigurationError, Problem

_PATTERN_LENGTH = 1_000
_PLACEHOLDER = re.compile(r"\{(\{[^{}]*\}|[A-Za-z_]\w*(?:\|json)?)\}")
BUILT_IN = frozenset({"asker", "prompt", "case", "sample", "round"})
"""What templates may name without a pattern: things of the question itself."""

Texts = str | tuple[str, ...]


class Part(BaseModel):
    """The base of a script's parts: unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Prices(Part):
    """What the model pretends to cost, in US dollars for a million tokens; a token is a word."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class When(Part):
    """Which questions an entry is for: those for which all of its keys hold.

    `asker`, `prompt` and `case` are names, or patterns with ``*`` and ``?``, or a list of which
    one must fit. `contains` and `lacks` are texts, or a list of which all must hold. `matches` is
    a regular expression, or a list of which all must match; its last match counts, and its named
    groups can be used in the answer. `in` says where these three look.
    """

    asker: Texts = ()
    prompt: Texts = ()
    case: Texts = ()
    sample: int | None = None
    round: int | None = None
    contains: Texts = ()
    lacks: Texts = ()
    matches: Texts = ()
    where: Literal["all", "last", "system"] = Field(default="all", alias="in")

    @field_validator("matches")
    @classmethod
    def _are_patterns(cls, value: Texts) -> Texts:
        for pattern in listed(value):
            if len(pattern) > _PATTERN_LENGTH:
                raise ValueError(f"longer than {_PATTERN_LENGTH} characters")
            groups_of(pattern)
        return value


class Answer(Part):
    """One answer: a text to `say`, `data` to write as JSON, or an `error` to end in.

    A text alone is short for `say`. `delay` is waited first, in seconds. `message` is what an
    error says, `retry_after` how long the service wants to be left alone, in seconds.
    """

    say: str | None = None
    data: JsonValue = None
    error: Literal["busy", "unavailable", "other"] | None = None
    message: str | None = None
    retry_after: float | None = Field(default=None, ge=0)
    reasoning: str = ""
    finish_reason: str = "stop"
    delay: float | None = Field(default=None, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"say": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_of_them(self) -> "Answer":
        kinds = [name for name in self._kinds() if name in self.model_fields_set]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none of them"
            raise ValueError(f"an answer has one of {', '.join(self._kinds())}; found {found}")
        if self.error is None and {"message", "retry_after"} & self.model_fields_set:
            raise ValueError("message and retry_after belong to an error")
        return self

    def _kinds(self) -> tuple[str, ...]:
        return ("say", "data", "error")

    def texts(self) -> Iterator[tuple[tuple[Key, ...], str]]:
        """Every text that may have placeholders, with its path."""
        for name in ("say", "message", "reasoning"):
            text: str | None = getattr(self, name)
            if text:
                yield (name,), text
        yield from _texts(self.data, ("data",))


class Entry(Answer):
    """An answer, or a `sequence` of them given one after the other, to the questions in `when`.

    `times` is how often the entry, or its whole sequence, is given in one case to one asker: then
    the next that fits is taken. An answer alone is given always, a sequence once.
    """

    name: str = ""
    when: When = When()
    sequence: tuple[Answer, ...] = ()
    times: int | None = Field(default=None, gt=0)

    def _kinds(self) -> tuple[str, ...]:
        return ("say", "data", "error", "sequence")

    @field_validator("sequence")
    @classmethod
    def _has_answers(cls, value: tuple[Answer, ...]) -> tuple[Answer, ...]:
        if not value:
            raise ValueError("has no answers")
        return value

    def answer(self, given: int) -> Answer | None:
        """The answer after so many were given; None where they are used up."""
        if not self.sequence:
            return None if self.times is not None and given >= self.times else self
        if given >= len(self.sequence) * (self.times or 1):
            return None
        return self.sequence[given % len(self.sequence)]


class Script(Part):
    """A script: entries, of which the first that fits a question answers it.

    `else` answers what no entry fits; without it such a question ends in an error. `model` is the
    name in the replies. Without `prices` the model is free. `delay` is waited before every
    answer, in seconds.
    """

    answers: tuple[Entry, ...] = ()
    otherwise: Answer | None = Field(default=None, alias="else")
    model: str = "scripted"
    prices: Prices | None = None
    delay: float = Field(default=0.0, ge=0)


def read_script(path: Path, shown: str) -> tuple[Script, Document]:
    """Read and check a script; raises ConfigurationError naming file and line."""
    document = read(path, shown=shown)
    script = checked(Script, document)
    if not script.answers and script.otherwise is None:
        raise ConfigurationError(document.problem("has neither answers nor else"))
    problems = list(_wrong_placeholders(script, document))
    if problems:
        raise ConfigurationError(*problems)
    return script, document


def _wrong_placeholders(script: Script, document: Document) -> Iterator[Problem]:
    """Placeholders that nothing fills."""
    parts: list[tuple[tuple[Key, ...], Answer, frozenset[str]]] = []
    for number, entry in enumerate(script.answers):
        at: tuple[Key, ...] = ("answers", number)
        known = BUILT_IN.union(*map(groups_of, listed(entry.when.matches)))
        parts.append((at, entry, known))
        for step, answer in enumerate(entry.sequence):
            parts.append(((*at, "sequence", step), answer, known))
    if script.otherwise is not None:
        parts.append((("else",), script.otherwise, BUILT_IN))
    for at, answer, known in parts:
        for inside, text in answer.texts():
            for name in placeholders(text):
                if name not in known:
                    where = (*at, *inside) if _stands(document, (*at, *inside)) else at
                    hint = nearest(name, sorted(known))
                    yield document.problem(
                        f"nothing fills {{{name}}}: no group of `matches` is called so.{hint}",
                        where,
                    )


def _stands(document: Document, at: Sequence[Key]) -> bool:
    try:
        at_path(document.data, at)
    except (LookupError, TypeError):
        return False
    return True


def listed(texts: Texts) -> tuple[str, ...]:
    """One text or several, as several."""
    return (texts,) if isinstance(texts, str) else texts


def groups_of(pattern: str) -> frozenset[str]:
    """The named groups of a regular expression; raises ValueError where it is none."""
    compiled: Any = regex
    try:
        found: dict[str, int] = compiled.compile(pattern).groupindex
    except (compiled.error, RecursionError, OverflowError) as err:
        raise ValueError(f"is no regular expression: {err}") from err
    return frozenset(found)


def placeholders(text: str) -> list[str]:
    """The names in a template: ``{name}``, or ``{name|json}``; ``{{name}}`` is none."""
    found = (match[1] for match in _PLACEHOLDER.finditer(text))
    return [name.removesuffix("|json") for name in found if not name.startswith("{")]


def filled(value: JsonValue, values: dict[str, str]) -> Any:
    """Text or data with its placeholders filled; what is filled in is not looked at again.

    A text that is ``{name|json}`` alone becomes the value that is written there as JSON. Raises
    ValueError where it is none.
    """
    if isinstance(value, dict):
        return {key: filled(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, values) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACEHOLDER.fullmatch(value)
    if whole and whole[1].endswith("|json"):
        return _read(values[whole[1].removesuffix("|json")])
    return _PLACEHOLDER.sub(lambda match: _fill(match[1], values), value)


def _fill(name: str, values: dict[str, str]) -> str:
    return name if name.startswith("{") else values[name.removesuffix("|json")]


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as err:
        raise ValueError(f"{text[:80]!r} is no JSON") from err


def _texts(value: JsonValue, at: tuple[Key, ...]) -> Iterator[tuple[tuple[Key, ...], str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[JsonValue]", value)):
            yield from _texts(item, (*at, index))
