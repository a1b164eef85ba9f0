"""Values for ``any(...)`` from a language model: a list, told what to leave out."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import BuildContext
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.model_agent import Asker
from sparring_plugins.prompting.prompts import Prompts
from sparring_plugins.users.profiles.profile_source import MOST_WANTED, ValueRequest, wanted

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
