"""The conformance kits of search-based testing: fitness, writer, perturbation, similarity."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pytest
from pydantic import JsonValue

from sparring.interfaces.agent import Agent
from sparring.model.talk import Incident, IncidentKind, Observation, Say, Turn
from sparring.model.verdict import Owner
from sparring.testing import hostile
from sparring.testing.conformance.agent import AgentKit
from sparring.testing.conformance.kit import Build, Kit
from sparring_plugins.search.roles import (
    Feature,
    Fitness,
    FitnessTask,
    Perturbed,
    PerturbTask,
    Shot,
    Utterance,
    WriteTask,
)
from sparring_plugins.search.similarity import Similarity, SimilarityIndex


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
        for answer in self._answers(build(), tasks):
            assert isinstance(answer, Fitness), f"{answer!r} is no Fitness"
            assert answer.value is not None or answer.reason.strip(), "undecided without a reason"

    def test_what_is_wrong_is_a_feature_of_the_case(
        self, build: Build, tasks: Sequence[FitnessTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            features = task.features.keys() | task.wanted.keys()
            named = {*answer.wrong, *answer.misread}
            assert named <= features, f"{named - features} are no features of the case"

    def test_it_refers_to_turns_that_there_are(
        self, build: Build, tasks: Sequence[FitnessTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            assert all(0 <= turn < len(task.turns) for turn in answer.turns), answer.turns


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
    observation = Observation(text=answer, payload=payload)
    fields: dict[str, Any] = {
        "request": said,
        "said": f"Well, {said}",
        "answer": observation.text,
        "payload": observation.payload,
        "turns": (Turn(act=Say(text=f"Well, {said}"), observation=observation),),
        "features": {"category": "restaurant", "food": "italian", "rating": 4.5, "tone": "rude"},
        "labels": {"category": "restaurant", "food": "italian", "rating": "4.5", "tone": "rude"},
        "wanted": {
            "category": ("restaurant", "place to eat"),
            "food": ("Italian",),
            "rating": ("4.5", "four and a half"),
        },
        "seed": 2**47,
    }
    return FitnessTask(**{**fields, **more})


def _tasks() -> Iterator[FitnessTask]:
    place: JsonValue = {"category": "restaurant", "food": "italian", "rating": 5}
    yield _task("I found an Italian restaurant with 4.5 stars. Shall I go?", {"items": [place]})
    yield _task("I found nothing.", {"items": []})
    yield _task("Sorry, I did not understand that.", None, sample=1)
    yield _task("", None, wanted={}, features={}, labels={})
    crash = Incident(kind=IncidentKind.CRASH, message="500", owner=Owner.APP, turn=0)
    yield _task("", None, turns=(Turn(act=Say(text="hi")),), incidents=(crash,))
    yield from (_task("There you go.", payload) for payload in _PAYLOADS)
    overlong: JsonValue = {"rating": "x" * 10_000, "food": [[]]}
    many: list[JsonValue] = [overlong] * 200
    yield _task("There you go.", {"items": many})
    for text in hostile.TEXTS:
        yield _task(hostile.storable(text)[:50_000], {"items": [{"food": hostile.MARK}]})


class WriterKit(AgentKit, kit=True):
    """Tests of an agent with the role ``writer``: override `plugin` and `settings`.

    A writer that needs a file of templates is given one by overriding the fixture `templates`; it
    has the features `politeness` (style), `place` and `price` (content).
    """

    @pytest.fixture
    def templates(self) -> str | None:
        """The file of templates of the tasks."""
        return None

    @pytest.fixture
    def tasks(self, templates: str | None) -> Sequence[WriteTask]:
        """Features of every group, some left out, some hostile."""
        return [task.model_copy(update={"templates": templates}) for task in _write_tasks()]

    def test_the_role_is_writer(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "writer"

    def test_it_writes_an_utterance(self, build: Build, tasks: Sequence[WriteTask]) -> None:
        for answer in self._answers(build(), tasks):
            assert isinstance(answer, Utterance), f"{answer!r} is no Utterance"
            assert answer.text.strip(), "it says nothing"

    def test_the_words_that_say_content_stand_in_the_text(
        self, build: Build, tasks: Sequence[WriteTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            content = {
                feature.name
                for feature in task.features
                if feature.group == "content" and not feature.none
            }
            assert set(answer.spoken) <= content, (
                f"{set(answer.spoken) - content} is not to be said"
            )
            said = [words for several in answer.spoken.values() for words in several]
            missing = [phrase for phrase in said if phrase.casefold() not in answer.text.casefold()]
            assert not missing, f"{missing} is not in {answer.text!r}"

    def test_a_seed_of_its_own_for_each_sample(
        self, build: Build, tasks: Sequence[WriteTask]
    ) -> None:
        task = tasks[0]
        samples = [task.model_copy(update={"sample": number}) for number in range(3)]
        assert self._answers(build(), samples) == self._answers(build(), samples)


class PerturbationKit(AgentKit, kit=True):
    """Tests of an agent with the role ``perturbation``: override `plugin` and `settings`."""

    #: Whether it changes anything in a text of thirty words.
    changes_something: ClassVar[bool] = True

    @pytest.fixture
    def tasks(self) -> Sequence[PerturbTask]:
        """Texts of every length, protected words in some, hostile ones among them."""
        return list(_perturb_tasks())

    def test_the_role_is_perturbation(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "perturbation"

    def test_it_declares_whether_meaning_stays(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        declared = getattr(plugin, "keeps_meaning", None)
        assert isinstance(declared, bool), "the class has no `keeps_meaning`"

    def test_protected_words_stay(self, build: Build, tasks: Sequence[PerturbTask]) -> None:
        agent = build()
        if getattr(agent, "keeps_protected", True) is False:
            return
        for task, answer in zip(tasks, self._answers(agent, tasks), strict=True):
            for words in filter(str.strip, task.protected):
                before, after = _times(words, task.text), _times(words, answer.text)
                assert after >= before, f"{words!r} is gone from {answer.text!r}"

    def test_what_it_says_of_its_changes_is_true(
        self, build: Build, tasks: Sequence[PerturbTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(answer, Perturbed), f"{answer!r} is no Perturbed"
            changed = answer.text != task.text
            assert changed or not answer.changes or task.text.isspace(), "it says it changed a text"
            assert len(answer.what) <= answer.changes, "it names more changes than it counts"

    def test_something_changes(self, build: Build) -> None:
        if not self.changes_something:
            return
        texts = [PerturbTask(text=text, seed=seed) for text in _TEXTS for seed in range(5)]
        answers = self._answers(build(), texts)
        changed = [answer.text != task.text for task, answer in zip(texts, answers, strict=True)]
        quoted = " and ".join(map(repr, _TEXTS))
        assert any(changed), (
            f"five times each, nothing was changed in {quoted}; if that is right, set "
            "`changes_something = False` in the class of the kit"
        )

    def test_chance_comes_from_the_seed(self, build: Build) -> None:
        for text in _TEXTS:
            tasks = [PerturbTask(text=text, seed=seed) for seed in (1, 2, 1)]
            first, _, again = self._answers(build(), tasks)
            assert first == again


_LONG = (
    "Hello. Could you please find me a cheap Italian restaurant with at least 4.5 stars, where I "
    "can park the car and buy wine for my friends, and where the food is very good today?"
)


# Letters with accents, capitals, signs and numbers: what other perturbations change.
_MIXED = (
    "Café Zoë in MALMÖ serves crème brûlée for €12.50 at 7:30 pm, doesn't it? Señor Łukasz says "
    "that naïve guests pay 15 % more on 3/4, and that Zürich is cheaper."
)
_TEXTS = (_LONG, _MIXED)


def _times(words: str, text: str) -> int:
    pattern = rf"(?<!\w){re.escape(words)}(?!\w)"
    return len(re.findall(pattern, text, re.IGNORECASE))


def _features(place: str, price: str | None, style: str) -> tuple[Feature, ...]:
    return (
        Feature(name="politeness", group="style", value=style, label=style, words=(f"be {style}",)),
        Feature(name="place", group="content", value=place, label=place, words=(place,)),
        Feature(
            name="price",
            group="content",
            value=price,
            label=price or "none",
            words=(price,) if price else (),
            none=price is None,
        ),
    )


def _write_tasks() -> Iterator[WriteTask]:
    yield WriteTask(space="places", features=_features("bakery", "cheap", "polite"), seed=1)
    yield WriteTask(space="places", features=_features("bar", None, "rude"), seed=2)
    yield WriteTask(
        space="places",
        features=_features("hotel", "cheap", "polite"),
        about="finds places",
        speaker="a driver",
        language="",
        guidelines=("be brief", hostile.MARK),
        shots=(Shot(features={"place": "bar"}, utterance="Find me a bar."),),
        examples=("find me a bar", hostile.MARK, *map(hostile.storable, hostile.TEXTS)),
        seed=2**47,
        sample=1,
    )


def _perturb_tasks() -> Iterator[PerturbTask]:
    for text in ("", " ", "a", "I", "Find me a bar.", _LONG, f"{_LONG} " * 40, "4.5 ... !?"):
        yield PerturbTask(text=text, seed=3)
    for words in ("Italian", "4.5 stars", "cheap Italian restaurant", "park", "not in it", "", "("):
        yield PerturbTask(text=_LONG, protected=(words, "friends"), seed=5)
    for words in ("Café Zoë", "crème brûlée", "€12.50", "MALMÖ", "doesn't", "Łukasz", "3/4"):
        yield PerturbTask(text=_MIXED, protected=(words, "naïve"), seed=5)
    yield PerturbTask(text=_LONG, protected=(_LONG,), seed=7)
    for language in ("Spanish", "klingon", ""):
        yield PerturbTask(text="Hola, quiero una pizza grande con queso.", language=language)
    for text in hostile.TEXTS:
        yield PerturbTask(text=hostile.storable(text)[:50_000], protected=("x",), seed=11)


# Sums of floating-point numbers: a text is like itself by 0.9999998.
_ALIKE = 0.999
TEXTS = (
    "find an italian restaurant near the station",
    "where can I park my car tonight",
    "book a table for two at eight",
)


class LikenessKit(Kit, kit=True):
    """Tests of a similarity measure: override the fixture `likeness`."""

    @pytest.fixture
    def likeness(self) -> Similarity:
        """The measure under test."""
        pytest.fail(f"{type(self).__qualname__} does not override the fixture `likeness`")

    @pytest.fixture
    def filled(self, likeness: Similarity) -> SimilarityIndex:
        """An index of `TEXTS`, with their places as keys."""
        index = likeness.index()
        index.prepare(TEXTS)
        for place, text in enumerate(TEXTS):
            index.add(str(place), text)
        return index

    def test_it_says_what_it_compares(self, likeness: Similarity) -> None:
        assert likeness.of in ("words", "values"), f"`of` is {likeness.of!r}"

    def test_nothing_is_like_a_text_where_there_is_none(self, likeness: Similarity) -> None:
        assert likeness.index().nearest("hello") is None

    def test_a_text_is_like_itself(self, filled: SimilarityIndex) -> None:
        for place, text in enumerate(TEXTS):
            nearest = filled.nearest(text)
            assert nearest is not None, f"nothing is like {text!r}"
            assert nearest[0] == str(place), f"{TEXTS[int(nearest[0])]!r} is more like {text!r}"
            assert nearest[1] >= _ALIKE, f"{text!r} is like itself by {nearest[1]} only"

    def test_other_texts_are_less_alike(self, filled: SimilarityIndex) -> None:
        for place, text in enumerate(TEXTS):
            others = {str(other) for other in range(len(TEXTS))} - {str(place)}
            nearest = filled.nearest(text, others)
            assert nearest is not None
            assert nearest[0] in others, "a key is named that was not among those asked for"
            assert nearest[1] < _ALIKE, f"{TEXTS[int(nearest[0])]!r} is taken for {text!r}"

    def test_of_equals_the_first_is_named(self, likeness: Similarity) -> None:
        index = likeness.index()
        for key in ("first", "second"):
            index.add(key, TEXTS[0])
        nearest = index.nearest(TEXTS[0])
        assert nearest is not None
        assert nearest[0] == "first"

    def test_it_always_measures_the_same(self, likeness: Similarity) -> None:
        measured: list[tuple[str, float] | None] = []
        for _ in range(2):
            index = likeness.index()
            for place, text in enumerate(TEXTS):
                index.add(str(place), text)
            measured.append(index.nearest("find a restaurant"))
        assert measured[0] == measured[1]

    def test_it_bears_any_text(self, likeness: Similarity) -> None:
        index = likeness.index()
        for place, text in enumerate(hostile.TEXTS):
            told = hostile.storable(text)[:10_000]
            index.add(str(place), told)
            nearest = index.nearest(told)
            assert nearest is not None
            assert nearest[1] == pytest.approx(min(max(nearest[1], -1.0), 1.0), abs=0.001)
