"""The conformance kit of the role ``fitness``."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from pydantic import JsonValue

from sparring.interfaces.agent import Agent
from sparring.model.talk import Incident, IncidentKind, Observation, Say, Turn
from sparring.model.verdict import Owner
from sparring.testing import hostile
from sparring.testing.conformance.agent import AgentKit
from sparring.testing.conformance.kit import Build
from sparring_plugins.search.roles.fitness import Fitness, FitnessTask


class FitnessKit(AgentKit, kit=True):
    """Tests of an agent with the role ``fitness``: override `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[FitnessTask]:
        """Good, bad, empty and hostile answers, with structured answers of every shape."""
        return list(_tasks())

    def test_the_role_is_fitness(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "fitness"

    def test_it_gives_a_value_or_says_why_not(
        self, build: Build, tasks: Sequence[FitnessTask]
    ) -> None:
        for found in self._answers(build(), tasks):
            assert isinstance(found, Fitness), f"{found!r} is no Fitness"
            assert found.value is not None or found.reason.strip(), "undecided without a reason"

    def test_what_is_wrong_is_a_feature_of_the_case(
        self, build: Build, tasks: Sequence[FitnessTask]
    ) -> None:
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            known = task.features.keys() | task.wanted.keys()
            named = {*found.wrong, *found.misread}
            assert named <= known, f"{named - known} are no features of the case"

    def test_it_refers_to_turns_that_there_are(
        self, build: Build, tasks: Sequence[FitnessTask]
    ) -> None:
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            assert all(0 <= turn < len(task.turns) for turn in found.turns), found.turns


_PAYLOADS: tuple[JsonValue, ...] = (
    7,
    "text",
    [],
    [[]],
    {"items": "none"},
    {"items": [1, None, {"food": {}}]},
)


def _task(answer: str, payload: JsonValue = None, **more: Any) -> FitnessTask:
    said = "Find me a cheap Italian restaurant with 4.5 stars."
    seen = Observation(text=answer, payload=payload)
    given: dict[str, Any] = {
        "request": said,
        "said": f"Well, {said}",
        "answer": seen.text,
        "payload": seen.payload,
        "turns": (Turn(act=Say(text=f"Well, {said}"), observation=seen),),
        "features": {"category": "restaurant", "food": "italian", "rating": 4.5, "tone": "rude"},
        "labels": {"category": "restaurant", "food": "italian", "rating": "4.5", "tone": "rude"},
        "wanted": {
            "category": ("restaurant", "place to eat"),
            "food": ("Italian",),
            "rating": ("4.5", "four and a half"),
        },
        "seed": 2**47,
    }
    return FitnessTask(**{**given, **more})


def _tasks() -> Iterator[FitnessTask]:
    place: JsonValue = {"category": "restaurant", "food": "italian", "rating": 5}
    yield _task("I found an Italian restaurant with 4.5 stars. Shall I go?", {"items": [place]})
    yield _task("I found nothing.", {"items": []})
    yield _task("Sorry, I did not understand that.", None, sample=1)
    yield _task("", None, wanted={}, features={}, labels={})
    gone = Incident(kind=IncidentKind.CRASH, message="500", owner=Owner.APP, turn=0)
    yield _task("", None, turns=(Turn(act=Say(text="hi")),), incidents=(gone,))
    yield from (_task("There you go.", payload) for payload in _PAYLOADS)
    odd: JsonValue = {"rating": "x" * 10_000, "food": [[]]}
    many: list[JsonValue] = [odd] * 200
    yield _task("There you go.", {"items": many})
    for text in hostile.TEXTS:
        yield _task(hostile.storable(text)[:50_000], {"items": [{"food": hostile.MARK}]})
