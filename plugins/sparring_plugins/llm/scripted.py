"""A model that answers from a script, and the script's format: for tests and tutorials."""

import asyncio
import json
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Literal, cast

import regex
from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator
from rapidfuzz import fuzz

from sparring.documents.checking import at_path, checked, nearest, shown
from sparring.documents.reading import Document, Key, read_document
from sparring.errors import ConfigurationError, ModelBusy, ModelError, ModelUnavailable, Problem
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.language.text import one_line

# The file that says what the backend `scripted` answers.

# Patterns are tried on each question: a line of a person's is far shorter.
_PATTERN_LENGTH = 1_000
# `{price}` and `{price|json}` are filled; `{{price}}` is a hole of a profile, and stays.
_PLACEHOLDER = re.compile(r"\{(\{[^{}]*\}|[A-Za-z_]\w*(?:\|json)?)\}")
BUILT_IN = frozenset({"asker", "prompt", "case", "sample", "round"})
"""What templates may name without a pattern: things of the question itself."""

Texts = str | tuple[str, ...]


class AnswerPart(BaseModel):
    """The base of a script's parts: unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ScriptedPrices(AnswerPart):
    """What the model pretends to cost, in US dollars for a million tokens; a token is a word."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class When(AnswerPart):
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
    def _check_patterns(cls, value: Texts) -> Texts:
        for pattern in listed(value):
            if len(pattern) > _PATTERN_LENGTH:
                raise ValueError(f"longer than {_PATTERN_LENGTH} characters")
            groups_of(pattern)
        return value


class ScriptedAnswer(AnswerPart):
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
    def _check_one_kind(self) -> "ScriptedAnswer":
        kinds = [name for name in self._kinds() if name in self.model_fields_set]
        if len(kinds) != 1:
            joined = " and ".join(kinds) or "none of them"
            raise ValueError(f"an answer has one of {', '.join(self._kinds())}; found {joined}")
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


class ScriptEntry(ScriptedAnswer):
    """An answer, or a `sequence` of them given one after the other, to the questions in `when`.

    `times` is how often the entry, or its whole sequence, is given in one case to one asker: then
    the next that fits is taken. An answer alone is given always, a sequence once.
    """

    name: str = ""
    when: When = When()
    sequence: tuple[ScriptedAnswer, ...] = ()
    times: int | None = Field(default=None, gt=0)

    def _kinds(self) -> tuple[str, ...]:
        return ("say", "data", "error", "sequence")

    @field_validator("sequence")
    @classmethod
    def _check_answers(cls, value: tuple[ScriptedAnswer, ...]) -> tuple[ScriptedAnswer, ...]:
        if not value:
            raise ValueError("has no answers")
        return value

    def answer(self, groups: int) -> ScriptedAnswer | None:
        """The answer after this many were given; `None` if they are used up."""
        if not self.sequence:
            return None if self.times is not None and groups >= self.times else self
        if groups >= len(self.sequence) * (self.times or 1):
            return None
        return self.sequence[groups % len(self.sequence)]


class ScriptFile(AnswerPart):
    """A script: entries, of which the first that fits a question answers it.

    `else` answers what no entry fits; without it such a question ends in an error. `model` is the
    name in the replies. Without `prices` the model is free. `delay` is waited before every
    answer, in seconds.
    """

    answers: tuple[ScriptEntry, ...] = ()
    otherwise: ScriptedAnswer | None = Field(default=None, alias="else")
    model: str = "scripted"
    prices: ScriptedPrices | None = None
    delay: float = Field(default=0.0, ge=0)


def read_script(path: Path, shown: str) -> tuple[ScriptFile, Document]:
    """Read and check a script; raises ConfigurationError naming file and line."""
    document = read_document(path, shown=shown)
    script = checked(ScriptFile, document)
    if not script.answers and script.otherwise is None:
        raise ConfigurationError(document.problem("has neither answers nor else"))
    problems = list(_wrong_placeholders(script, document))
    if problems:
        raise ConfigurationError(*problems)
    return script, document


def _wrong_placeholders(script: ScriptFile, document: Document) -> Iterator[Problem]:
    """Placeholders that nothing fills."""
    parts: list[tuple[tuple[Key, ...], ScriptedAnswer, frozenset[str]]] = []
    for number, entry in enumerate(script.answers):
        at: tuple[Key, ...] = ("answers", number)
        groups = BUILT_IN.union(*map(groups_of, listed(entry.when.matches)))
        parts.append((at, entry, groups))
        for step, answer in enumerate(entry.sequence):
            parts.append(((*at, "sequence", step), answer, groups))
    if script.otherwise is not None:
        parts.append((("else",), script.otherwise, BUILT_IN))
    for at, answer, groups in parts:
        for inside, text in answer.texts():
            for name in placeholders(text):
                if name not in groups:
                    where = (*at, *inside) if _has_placeholder(document, (*at, *inside)) else at
                    hint = nearest(name, sorted(groups))
                    yield document.problem(
                        f"nothing fills {{{name}}}: no group of `matches` is called so.{hint}",
                        where,
                    )


def _has_placeholder(document: Document, at: Sequence[Key]) -> bool:
    try:
        at_path(document.data, at)
    except (LookupError, TypeError):
        return False
    return True


def listed(texts: Texts) -> tuple[str, ...]:
    """One text or several, as several."""
    return (texts,) if isinstance(texts, str) else texts


def groups_of(pattern: str) -> frozenset[str]:
    """The named groups of a regular expression; raises ValueError if it is none."""
    compiled: Any = regex
    try:
        groups: dict[str, int] = compiled.compile(pattern).groupindex
    except (compiled.error, RecursionError, OverflowError) as err:
        raise ValueError(f"is no regular expression: {err}") from err
    return frozenset(groups)


def placeholders(text: str) -> list[str]:
    """The names in a template: ``{name}``, or ``{name|json}``; ``{{name}}`` is none."""
    names = (match[1] for match in _PLACEHOLDER.finditer(text))
    return [name.removesuffix("|json") for name in names if not name.startswith("{")]


def filled(value: JsonValue, values: dict[str, str]) -> Any:
    """Text or data with its placeholders filled; what is filled in is not looked at again.

    A text that is ``{name|json}`` alone becomes the value that is written there as JSON. Raises
    ValueError if it is none.
    """
    if isinstance(value, dict):
        return {key: filled(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, values) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACEHOLDER.fullmatch(value)
    # "{prices|json}" as a whole value is the list itself, not a text with brackets.
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


# Which entry of a script a question is for.

# `(a+)+$` on a long prompt never ends: such a pattern is named, and not waited for.
_PATTERN_S = 2.0
# Comparing texts takes the product of their lengths; what was asked last stands at the end.
_COMPARED = 5_000


def groups_where_it_fits(when: When, request: ChatRequest) -> dict[str, str] | None:
    """The texts of the named groups if all conditions hold, else `None`.

    Raises ModelError if a pattern needs more than two seconds.
    """
    groups: dict[str, str] = {}
    return groups if next(unmet(when, request, groups), None) is None else None


def unmet(when: When, request: ChatRequest, groups: dict[str, str]) -> Iterator[str]:
    """The conditions that a question does not meet, in words; fills the groups as it goes."""
    yield from _unmet_names(when, request)
    text = looked_at(when, request)
    for part in listed(when.contains):
        if part not in text:
            yield f"a prompt that contains {shown(part)}"
    for part in listed(when.lacks):
        if part in text:
            yield f"a prompt that lacks {shown(part)}"
    for pattern in listed(when.matches):
        match = _last_match(pattern, text)
        if match is None:
            yield f"a prompt that matches {shown(pattern)}"
        else:
            groups.update({name: value or "" for name, value in match.groupdict().items()})


def _unmet_names(when: When, request: ChatRequest) -> Iterator[str]:
    """The conditions on who asks what, and for which time, that are not met."""
    names = {"asker": request.asker, "prompt": request.prompt, "case": request.case_id or ""}
    for name, value in names.items():
        # `asker: user*` fits all roles that begin so, as file names are matched: no regular
        # expression is needed.
        patterns = listed(getattr(when, name))
        if patterns and not any(fnmatchcase(value, pattern) for pattern in patterns):
            yield f"{name} {_join_or(patterns)}, not {shown(value)}"
    for name, number in (("sample", request.sample), ("round", request.round)):
        if getattr(when, name) not in (None, number):
            yield f"{name} {getattr(when, name)}, not {number}"


def looked_at(when: When, request: ChatRequest) -> str:
    """The text of a question that an entry looks at."""
    messages = request.messages[-1:] if when.where == "last" else request.messages
    if when.where == "system":
        messages = tuple(message for message in messages if message.role == "system")
    return "\n\n".join(message.content for message in messages)


def nearest_entry(entries: Sequence[ScriptEntry], request: ChatRequest) -> int | None:
    """The number of the entry that lacks least to be for a question; `None` if there is none."""

    def similarity(number: int) -> tuple[int, float]:
        when = entries[number].when
        missing = len(list(unmet(when, request, {})))
        texts = (*listed(when.contains), *listed(when.matches))
        question = looked_at(when, request)[-_COMPARED:]
        # First by how many conditions fail, so that a slip in one text names the entry that was
        # meant.
        return -missing, max((fuzz.partial_ratio(text, question) for text in texts), default=0.0)

    return max(range(len(entries)), key=similarity, default=None)


def _last_match(pattern: str, text: str) -> Any:
    """The last match; a pattern that backtracks without end is stopped."""
    module: Any = regex
    try:
        last: deque[Any] = deque(module.finditer(pattern, text, timeout=_PATTERN_S), maxlen=1)
    except TimeoutError as err:
        raise ModelError(
            f"the script's pattern {shown(pattern)} takes longer than {_PATTERN_S:g} s"
        ) from err
    return last[0] if last else None


def _join_or(texts: Sequence[str]) -> str:
    return " or ".join(shown(text) for text in texts)


class ScriptedConfig(PluginConfig):
    """Settings of the backend `scripted`."""

    script: str = Field(min_length=1, description="the file that says what is answered")


class ScriptedBackend(LLMBackend[ScriptedConfig]):
    """Answers from a file: the first entry that fits a question answers it.

    How often an entry was used is counted for each case and asker alone, so that the answers do
    not depend on which cases are played side by side. A token is a word. A question that nothing
    fits is a ModelError that names the nearest entry.
    """

    Config: ClassVar[type[PluginConfig]] = ScriptedConfig

    def __init__(self, config: ScriptedConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        path = context.files(config.script)[0]
        self._script, self._document = read_script(path, config.script)
        self._given: Counter[tuple[str | None, str, int]] = Counter()
        self._digest = sha256(self._script.model_dump_json().encode()).hexdigest()[:16]
        self.free = self._script.prices is None

    async def complete(self, request: ChatRequest) -> ChatReply:
        began = monotonic()
        answer, values = self._choose(request)
        delay = self._script.delay if answer.delay is None else answer.delay
        try:
            async with asyncio.timeout(request.timeout_s):
                await asyncio.sleep(delay)
        except TimeoutError as err:
            raise ModelUnavailable(f"no answer within {request.timeout_s:g} s") from err
        return self._reply(request, answer, values, monotonic() - began)

    def _choose(self, request: ChatRequest) -> tuple[ScriptedAnswer, dict[str, str]]:
        """The answer to a question and what fills its placeholders; raises ModelError."""
        values = _known_values(request)
        for number, entry in enumerate(self._script.answers):
            groups = groups_where_it_fits(entry.when, request)
            if groups is None:
                continue
            place = (request.case_id, request.asker, number)
            answer = entry.answer(self._given[place])
            if answer is not None:
                self._given[place] += 1
                return answer, {**values, **groups}
        if self._script.otherwise is not None:
            return self._script.otherwise, values
        raise ModelError(self._no_entry_error(request))

    def _no_entry_error(self, request: ChatRequest) -> str:
        """Explain that no entry fits a question."""
        who = f" of {request.asker!r}" if request.asker else ""
        last = request.messages[-1].content if request.messages else ""
        message = (
            f"{self._document.file} has no answer to this question{who}: {one_line(last, 160)!r}"
        )
        number = nearest_entry(self._script.answers, request)
        if number is None:
            return message
        entry = self._script.answers[number]
        line = self._document.line(("answers", number))
        called = f" ({entry.name})" if entry.name else ""
        case = f" in case {request.case_id}" if request.case_id else ""
        missing = list(unmet(entry.when, request, {}))
        why = f"wants {missing[0]}" if missing else f"has no answers left{case}"
        return f"{message}. The nearest entry, in line {line}{called}, {why}"

    def _reply(
        self, request: ChatRequest, answer: ScriptedAnswer, values: dict[str, str], latency_s: float
    ) -> ChatReply:
        if answer.error is not None:
            raise _error(answer, values)
        try:
            text = _text(answer, values)
        except ValueError as err:
            raise ModelError(f"{self._document.file}: {err}") from err
        read = sum(len(message.content.split()) for message in request.messages)
        written = len(text.split()) + len(answer.reasoning.split())
        prices = self._script.prices
        cost = (read * prices.input + written * prices.output) / 1e6 if prices else 0.0
        return ChatReply(
            text=text,
            reasoning=filled(answer.reasoning, values),
            model=self._script.model,
            input_tokens=read,
            output_tokens=written,
            cost_usd=cost,
            latency_s=latency_s,
            finish_reason=answer.finish_reason,
        )

    def identity(self) -> str:
        return f"scripted {self._script.model} {self._digest}"

    def model(self) -> str | None:
        return self._script.model


def _known_values(request: ChatRequest) -> dict[str, str]:
    """The values that templates may name without a pattern."""
    return {
        "asker": request.asker,
        "prompt": request.prompt,
        "case": request.case_id or "",
        "sample": str(request.sample),
        "round": str(request.round),
    }


def _text(answer: ScriptedAnswer, values: dict[str, str]) -> str:
    """The text of an answer; raises ValueError if a placeholder's text is no JSON."""
    if answer.say is not None:
        return str(filled(answer.say, values))
    return json.dumps(filled(answer.data, values), ensure_ascii=False)


def _error(answer: ScriptedAnswer, values: dict[str, str]) -> ModelError:
    message = filled(answer.message or f"the script says: {answer.error}", values)
    if answer.error == "busy":
        return ModelBusy(message, answer.retry_after)
    if answer.error == "unavailable":
        return ModelUnavailable(message, answer.retry_after)
    return ModelError(message)
