"""Finds the values of ``any(...)``: from a model, from word lists, or from an earlier session."""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import WORD_LISTS
from sparring.errors import BudgetSpent, ModelError, PluginError, StoredRunError
from sparring.interfaces.plugin import BuildContext
from sparring_plugins.language.word_lists import WordList
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.model_agent import Asker
from sparring_plugins.prompting.prompts import Prompts
from sparring_plugins.users.profiles.profile_source import (
    MOST_WANTED,
    Pending,
    ValueRequest,
    wanted,
)

# --- Values from a language model: a list, told what to leave out


ROLE = "values"
PROMPTS = Path(__file__).with_name("prompts")
_LONGEST = 200
_KINDS = {"int": "whole numbers in digits", "float": "numbers in digits"}


class Values(BaseModel):
    """Values of the kind that was asked for."""

    model_config = ConfigDict(extra="forbid")

    values: list[str] = Field(description="the values, each once; empty where there are none")


def asker_of(context: BuildContext, prompts: str | None) -> Asker | None:
    """What asks the suite's model in the role ``values``; None if there is none."""
    backend = context.llm(ROLE)
    if backend is None:
        return None
    return Asker(backend, Prompts.of(context, PROMPTS, prompts), role=ROLE, temperature=0.7)


async def asked_words(asker: Asker, request: ValueRequest, seed: int) -> tuple[str, ...]:
    """The values that the model gives; raises LookupError if it knows none, or ModelError.

    An answer that repeats known values, or has another number of them than was asked for, is sent
    back. The same request with the same seed is the same question.
    """
    what, count = wanted(request.text)
    question = Question(
        prompt="values",
        answer=Values,
        values={
            "wanted": what[:_LONGEST],
            "count": count,
            "known": list(request.known[:MOST_WANTED]),
            "language": request.language,
            "kind": _KINDS.get(request.kind or "", "text"),
        },
        checkers=(lambda answer: _objection(answer, request, count),),
        seed=_seed(request, seed),
    )
    values = tuple(_clean_answer((await asker.ask(question)).value))
    if not values:
        raise LookupError("the model knows none")
    return values


def _clean_answer(answer: Values) -> list[str]:
    return [" ".join(value.split()) for value in answer.values]


def _objection(answer: Values, request: ValueRequest, count: int | None) -> str | None:
    """What is wrong with an answer, for the model; one without values says that it knows none."""
    values = _clean_answer(answer)
    reasons = [*_wrong_values(values, request), *_wrong_count(values, count)] if values else []
    return " ".join(reasons) or None


def _wrong_values(values: Sequence[str], request: ValueRequest) -> Iterator[str]:
    """What is wrong with single values: repeated, known already, too long, of another form."""
    if len({value.casefold() for value in values}) < len(values):
        yield "The values must differ from each other."
    excluded = {value.casefold() for value in request.known}
    if again := [value for value in values if value.casefold() in excluded]:
        yield f"Known already, give others: {', '.join(again[:MOST_WANTED])}."
    if any(not value or len(value) > _LONGEST for value in values):
        yield "Each value must be a few words."
    if not all(_fits(value, request.kind) for value in values):
        yield f"Each value must be of the form: {_KINDS[request.kind or '']}."


def _wrong_count(values: Sequence[str], count: int | None) -> Iterator[str]:
    if len(values) != count if count is not None else len(values) > MOST_WANTED:
        yield f"Give {count or 5} values, not {len(values)}."


def _fits(value: str, kind: str | None) -> bool:
    if kind not in _KINDS:
        return True
    try:
        number = int(value) if kind == "int" else float(value)
    except ValueError:
        return False
    return abs(number) < 1e15


def _seed(request: ValueRequest, seed: int) -> int:
    digest = sha256(f"{seed}/{request.variable}/{request.text}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


# --- Values from any source


if TYPE_CHECKING:
    from sparring_plugins.prompting.model_agent import Asker


UNSAID = 5
"""How many values are taken if no number is said."""


def listed_words(request: ValueRequest) -> tuple[str, ...] | None:
    """The first words that a list knows of what is wished for, in its order.

    None if no list knows it. Raises LookupError if one knows fewer than are asked for, or
    if a list is broken.
    """
    what, count = wanted(request.text)
    excluded = {word.casefold() for word in request.known}
    most: list[str] = []
    for name, words in _lists():
        try:
            values = words.find(what, request.language)
        except Exception as err:
            raise LookupError(f"the word list {name!r} failed: {type(err).__name__}") from err
        fresh = [word for word in dict.fromkeys(values or ()) if word.casefold() not in excluded]
        if len(fresh) >= (count or 1):
            return tuple(fresh[: count or UNSAID])
        most = max(most, fresh, key=len)
    if most:
        raise LookupError(f"the word lists know {len(most)} of it besides those that are listed")
    return None


def _lists() -> Iterator[tuple[str, WordList]]:
    for name in catalog.names(WORD_LISTS):
        try:
            yield name, drivers.load_value(WORD_LISTS, name, WordList)
        except PluginError as err:
            raise LookupError(str(err)) from err


Where = Literal["auto", "model", "lists"]

FILE = "any-values.json"
"""Where the values of a run are kept, so that a run that is taken up again has the same ones."""

MOST_QUESTIONS = 200
_MOST_BYTES = 10_000_000


class ValueFinder:
    """Answers wishes, and remembers which ones only a model can answer.

    With `where` ``model`` a model is asked, with ``lists`` the word lists; with ``auto`` the model
    of the suite if there is one, and the lists if there is none or if it fails.
    """

    def __init__(self, context: BuildContext, where: Where, prompts: str | None) -> None:
        self._context = context
        self._where = where
        self._prompts = prompts
        self._asker: Asker | None = None
        self._looked = False
        self._answers: dict[ValueRequest, tuple[str, ...] | str] = {}
        self._open: dict[str, ValueRequest] = {}
        self._refused: set[ValueRequest] = set()
        self._questions = 0

    def find(self, wish: ValueRequest) -> tuple[str, ...] | None:
        """The values; None if nobody knows them.

        Raises Pending if a model is to be asked first, LookupError with any other reason.
        """
        answer = self._answers.get(wish)
        if isinstance(answer, str):
            raise LookupError(answer)
        if answer is not None:
            return answer
        if self._where == "lists" or self._model() is None:
            if self._where == "model":
                raise LookupError("the suite names no model (any_values: model)")
            return listed_words(wish)
        self._open.setdefault(wish.variable, wish)
        raise Pending("a language model is asked for them when the run begins")

    @property
    def waits(self) -> bool:
        """Whether there are wishes that a model is to be asked for."""
        return bool(self._open)

    async def ask(self) -> bool:
        """Ask for one wish of each variable; False if there is none that waits.

        Wishes of one variable wait for each other: the prompt of each lists the values before it.
        """
        waiting = [wish for wish in self._open.values() if wish not in self._answers]
        self._open.clear()
        for wish in waiting:
            self._answers[wish] = await self._answer(wish)
        return bool(waiting)

    async def _answer(self, wish: ValueRequest) -> tuple[str, ...] | str:
        from sparring_plugins.users.profiles.any_values import asked_words

        asker = self._model()
        assert asker is not None  # else nothing waits
        self._questions += 1
        if self._questions > MOST_QUESTIONS:
            return f"a run asks for at most {MOST_QUESTIONS} lists of values"
        try:
            return await asked_words(asker, wish, self._context.seed)
        except BudgetSpent as err:
            self._refused.add(wish)
            return str(err)
        except (ModelError, LookupError) as err:
            reason = str(err)
        if self._where == "auto":
            try:
                return listed_words(wish) or reason
            except LookupError:
                return reason
        return reason

    def _model(self) -> "Asker | None":
        if not self._looked:
            from sparring_plugins.users.profiles.any_values import asker_of

            self._looked = True
            self._asker = asker_of(self._context, self._prompts)
        return self._asker

    @property
    def _file(self) -> Path | None:
        folder = self._context.run_dir
        return None if folder is None else folder / FILE

    def recall(self) -> None:
        """Take the values of an earlier session of the run; raises StoredRunError."""
        path = self._file
        if path is None or not path.is_file():
            return
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise ValueError("it is too large")
            for entry in json.loads(path.read_text("utf-8")):
                wish, values = _read_entry(entry)
                self._answers[wish] = values
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as err:
            raise StoredRunError(f"{path} cannot be read: {err}") from err

    def keep(self) -> None:
        """Store the values that a model was asked for, for later sessions of the run."""
        path = self._file
        if path is None or not self._answers:
            return
        answers = self._answers.items()
        entries = [_entry(wish, answer) for wish, answer in answers if wish not in self._refused]
        new = path.with_suffix(".new")
        new.write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", "utf-8")
        new.replace(path)


def _entry(wish: ValueRequest, answer: tuple[str, ...] | str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "variable": wish.variable,
        "any": wish.text,
        "known": list(wish.known),
        "language": wish.language,
        "kind": wish.kind,
    }
    return data | ({"reason": answer} if isinstance(answer, str) else {"values": list(answer)})


def _read_entry(entry: Any) -> tuple[ValueRequest, tuple[str, ...] | str]:
    wish = ValueRequest(
        str(entry["any"]),
        tuple(str(value) for value in entry["known"]),
        str(entry["language"]),
        None if entry["kind"] is None else str(entry["kind"]),
        str(entry["variable"]),
    )
    if "reason" in entry:
        return wish, str(entry["reason"])
    return wish, tuple(str(value) for value in entry["values"])
