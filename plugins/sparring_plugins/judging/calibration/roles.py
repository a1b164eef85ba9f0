"""The roles of agents that can be measured: their tasks, and how their answers are compared.

A role is added by a line in `ROLES`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue

from sparring.interfaces.roles import (
    Extraction,
    ExtractTask,
    GoalCheck,
    GoalTask,
    Judgement,
    JudgeTask,
    UserMove,
    UserTask,
)
from sparring.model.base import Value
from sparring.model.talk import Press, act_text
from sparring_plugins.judging.calibration.measures import answer_label, label_of
from sparring_plugins.search.roles import Fitness, FitnessTask

Plain = dict[str, Any]
# "about 1,500 euros" is 1500; "2 or 3" has two numbers and stays a text.
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
# "8 out of 10 because …": the number stands at the beginning.
_LONGEST = 200
# A fitness is good or bad for comparison with labels: the middle of 0 to 1.
_GOOD = 0.5
Slots = tuple[tuple[str | None, str | None], ...]
"""Parts of an answer: what was expected, what came; None for nothing."""


@dataclass(frozen=True, slots=True)
class Role:
    """What a role is given and answers, and what of the answer can be expected.

    `seen` makes plain data of an answer, given what is expected of it; `keys` are those that it may
    have (empty: any), `main` the one that is meant if `expected` is no map. With `options`, the
    role chooses among the texts in that field of its task. A role that is `classed` sorts into
    classes without being shown them.
    """

    task: type[Value]
    answer: type[Value]
    seen: Callable[[Any, Mapping[str, Any]], Plain]
    keys: tuple[str, ...]
    main: str | None = None
    options: str | None = None
    classed: bool = False

    def wanted(self, expected: JsonValue) -> Plain:
        """What is expected, as a map; raises ValueError if it has to be one."""
        if isinstance(expected, dict):
            return expected
        if self.main is None:
            raise ValueError("expected a map of what is right, by name")
        return {self.main: expected}


def _judgement(answer: Judgement, _: Mapping[str, Any]) -> Plain:
    return {"answer": answer.answer, "score": answer.score, "turns": sorted(answer.turns)}


def _move(answer: UserMove, wanted: Mapping[str, Any]) -> Plain:
    """What a user does; of the phrases that it should mention, those that it does."""
    act = answer.act
    said = "" if act is None else act_text(act)
    phrases = wanted.get("mentions")
    listed = cast("list[Any]", phrases) if isinstance(phrases, list) else [phrases]
    return {
        "act": "leave" if act is None else act.kind,
        "text": said,
        "press": act.label if isinstance(act, Press) else None,
        "goals_met": sorted(answer.goals_met),
        "mentions": [mention for mention in listed if str(mention).casefold() in said.casefold()],
    }


def _extraction(answer: Extraction, wanted: Mapping[str, Any]) -> Plain:
    """The outputs by name; where a number is expected, a text counts as the number in it."""
    outputs = cast("list[Plain]", answer.model_dump(mode="json")["outputs"])
    values = {output["name"]: output["value"] for output in outputs}
    for name, value in values.items():
        if isinstance(value, str) and isinstance(wanted.get(name), (int, float)):
            values[name] = _number_in(value)
    return values


def _number_in(text: str) -> Any:
    """The only number in a text, with or without grouped thousands; else the text itself."""
    numbers = _NUMBER.findall(text[:_LONGEST])
    if len(numbers) != 1:
        return text
    whole, mark, fraction = (
        numbers[0].rpartition(",") if "," in numbers[0] else (numbers[0], "", "")
    )
    if mark and (len(fraction) == 3 or "." in fraction):  # the comma groups thousands
        return float(numbers[0].replace(",", ""))
    plain = f"{whole.replace('.', '')}.{fraction}" if mark else whole
    return float(plain) if plain.count(".") < 2 else text


def _goals(answer: GoalCheck, _: Mapping[str, Any]) -> Plain:
    return {"met": sorted({met_goal.goal for met_goal in answer.met})}


def _fitness(answer: Fitness, _: Mapping[str, Any]) -> Plain:
    """The class of a value that has one part, and whether the value is good: half at least."""
    parts = list(answer.parts.values())
    return {
        "class": parts[0] if len(parts) == 1 else answer.value,
        "good": None if answer.value is None else answer.value >= _GOOD,
        "wrong": sorted(answer.wrong),
    }


ROLES: dict[str, Role] = {
    "judge": Role(
        JudgeTask, Judgement, _judgement, ("answer", "turns"), main="answer", options="options"
    ),
    "user": Role(
        UserTask, UserMove, _move, ("act", "text", "press", "mentions", "goals_met"), main="act"
    ),
    "extractor": Role(ExtractTask, Extraction, _extraction, ()),
    "fitness": Role(
        FitnessTask, Fitness, _fitness, ("class", "good", "wrong"), main="class", classed=True
    ),
    "goal_checker": Role(GoalTask, GoalCheck, _goals, ("met",), main="met"),
}


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer beside what was expected: its label, whether it is right, and its parts.

    `label` is None if nothing was decided. `right` is None if nothing is expected.
    """

    label: str | None
    right: bool | None
    slots: Slots = ()


def compared(seen: Mapping[str, JsonValue], wanted: Mapping[str, JsonValue]) -> Compared:
    """Compare an answer with what is expected of it, on the keys that are expected."""
    values = {key: seen.get(key) for key in wanted}
    right = all(_same(values[key], wanted[key]) for key in wanted)
    slots = tuple(slot for key in wanted for slot in _slots(key, wanted[key], values[key]))
    return Compared(answer_label(values), right, slots)


def _same(value: JsonValue, wanted: JsonValue) -> bool:
    return _canonical(value) == _canonical(wanted)


def _canonical(value: JsonValue) -> str:
    """The label of a value; the order of a list does not count."""
    if isinstance(value, list):
        return label_of(sorted(label_of(item) for item in value))
    return label_of(value)


def _slots(key: str, wanted: JsonValue, value: JsonValue) -> list[tuple[str | None, str | None]]:
    """The parts of a value: itself, or the items of a list, each of which can be found or not."""
    if not isinstance(wanted, list):
        return [(_part(wanted), _part(value))]
    listed = value if isinstance(value, list) else [] if value is None else [value]
    ones, others = ({label_of(item) for item in items} for items in (wanted, listed))
    both = [(item, item) for item in sorted(ones & others)]
    missing: list[tuple[str | None, str | None]] = [(item, None) for item in sorted(ones - others)]
    extra: list[tuple[str | None, str | None]] = [(None, item) for item in sorted(others - ones)]
    return [*both, *missing, *extra]


def _part(value: JsonValue) -> str | None:
    return None if value is None else label_of(value)
