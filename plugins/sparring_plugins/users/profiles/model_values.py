"""Values for ``any(...)`` from a language model: a list, told what to leave out."""

from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import BuildContext
from sparring_plugins.prompting.asker import Asker
from sparring_plugins.prompting.prompts import Prompts
from sparring_plugins.prompting.question import Question
from sparring_plugins.users.profiles.profile_source import Wish
from sparring_plugins.users.profiles.requested_values import MOST, wanted

ROLE = "values"
PROMPTS = Path(__file__).with_name("prompts")
_LONGEST = 200
_KINDS = {"int": "whole numbers in digits", "float": "numbers in digits"}


class Values(BaseModel):
    """Values of the kind that was asked for."""

    model_config = ConfigDict(extra="forbid")

    values: list[str] = Field(description="the values, each once; empty where there are none")


def asker_of(context: BuildContext, prompts: str | None) -> Asker | None:
    """What asks the suite's model in the role ``values``; None where there is none."""
    backend = context.llm(ROLE)
    if backend is None:
        return None
    return Asker(backend, Prompts.of(context, PROMPTS, prompts), role=ROLE, temperature=0.7)


async def asked_words(asker: Asker, wish: Wish, seed: int) -> tuple[str, ...]:
    """The values that the model gives; raises LookupError where it knows none, or ModelError.

    An answer that repeats known values, or has another number of them than was asked for, is sent
    back. The same wish with the same seed is the same question.
    """
    what, count = wanted(wish.text)
    question = Question(
        prompt="values",
        answer=Values,
        values={
            "wanted": what[:_LONGEST],
            "count": count,
            "known": list(wish.known[:MOST]),
            "language": wish.language,
            "kind": _KINDS.get(wish.kind or "", "text"),
        },
        checkers=(lambda answer: _objection(answer, wish, count),),
        seed=_seed(wish, seed),
    )
    found = tuple(_cleaned((await asker.ask(question)).value))
    if not found:
        raise LookupError("the model knows none")
    return found


def _cleaned(answer: Values) -> list[str]:
    return [" ".join(value.split()) for value in answer.values]


def _objection(answer: Values, wish: Wish, count: int | None) -> str | None:
    values = _cleaned(answer)
    if not values:
        return None
    folded = [value.casefold() for value in values]
    known = {value.casefold() for value in wish.known}
    reasons: list[str] = []
    if len(set(folded)) < len(folded):
        reasons.append("The values must differ from each other.")
    if again := [value for value in values if value.casefold() in known]:
        reasons.append(f"Known already, give others: {', '.join(again[:MOST])}.")
    if any(not value or len(value) > _LONGEST for value in values):
        reasons.append("Each value must be a few words.")
    if not all(_fits(value, wish.kind) for value in values):
        reasons.append(f"Each value must be of the form: {_KINDS[wish.kind or '']}.")
    if len(values) != count if count is not None else len(values) > MOST:
        reasons.append(f"Give {count or 5} values, not {len(values)}.")
    return " ".join(reasons) or None


def _fits(value: str, kind: str | None) -> bool:
    if kind not in _KINDS:
        return True
    try:
        number = int(value) if kind == "int" else float(value)
    except ValueError:
        return False
    return abs(number) < 1e15


def _seed(wish: Wish, seed: int) -> int:
    digest = sha256(f"{seed}/{wish.variable}/{wish.text}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
