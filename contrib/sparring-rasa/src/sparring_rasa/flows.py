"""Stories and rules: what follows what."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["intent", "action", "form"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: an intent of the user's, an action of the assistant's, or a form it begins."""

    kind: Kind
    name: str


@dataclass(frozen=True, slots=True)
class Flow:
    """A story or rule: its steps in order."""

    name: str
    kind: Literal["story", "rule"]
    steps: tuple[Step, ...]

    @property
    def intents(self) -> tuple[str, ...]:
        """What the user means, in order."""
        return tuple(step.name for step in self.steps if step.kind == "intent")

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that it begins."""
        return tuple(step.name for step in self.steps if step.kind == "form")


def flows_in(data: dict[Any, Any]) -> Iterator[Flow]:
    """The stories and rules of a file."""
    for key, kind in (("stories", "story"), ("rules", "rule")):
        given = data.get(key)
        for item in given if isinstance(given, list) else ():
            if isinstance(item, dict) and isinstance(item.get("steps"), list):
                steps = tuple(step for each in item["steps"] for step in _steps(each))
                yield Flow(str(item.get(kind, kind)), "story" if kind == "story" else "rule", steps)


def _steps(given: Any) -> Iterator[Step]:
    """The step that one entry is; of several that may stand there, the first."""
    if not isinstance(given, dict):
        return
    alternatives = given.get("or")
    if isinstance(alternatives, list) and alternatives:
        yield from _steps(alternatives[0])
    if (intent := given.get("intent")) is not None:
        yield Step("intent", str(intent))
    elif (action := given.get("action")) is not None:
        yield Step("action", str(action))
    elif isinstance(form := given.get("active_loop"), str) and form:
        yield Step("form", form)
