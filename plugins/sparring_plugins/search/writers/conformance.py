"""The conformance kits of search-based testing's roles: ``writer``, ``perturbation``."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pytest

from sparring.interfaces.agent import Agent
from sparring.testing import hostile
from sparring.testing.conformance.agent import AgentKit
from sparring.testing.conformance.kit import Build
from sparring_plugins.search.roles.writing import (
    Feature,
    Perturbed,
    PerturbTask,
    Shot,
    Utterance,
    WriteTask,
)


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
        for found in self._answers(build(), tasks):
            assert isinstance(found, Utterance), f"{found!r} is no Utterance"
            assert found.text.strip(), "it says nothing"

    def test_the_words_that_say_content_stand_in_the_text(
        self, build: Build, tasks: Sequence[WriteTask]
    ) -> None:
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            content = {one.name for one in task.features if one.group == "content" and not one.none}
            assert set(found.spoken) <= content, f"{set(found.spoken) - content} is not to be said"
            said = [words for several in found.spoken.values() for words in several]
            missing = [one for one in said if one.casefold() not in found.text.casefold()]
            assert not missing, f"{missing} is not in {found.text!r}"

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
        for task, found in zip(tasks, self._answers(agent, tasks), strict=True):
            for words in filter(str.strip, task.protected):
                before, after = _times(words, task.text), _times(words, found.text)
                assert after >= before, f"{words!r} is gone from {found.text!r}"

    def test_what_it_says_of_its_changes_is_true(
        self, build: Build, tasks: Sequence[PerturbTask]
    ) -> None:
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(found, Perturbed), f"{found!r} is no Perturbed"
            changed = found.text != task.text
            assert changed or not found.changes or task.text.isspace(), "it says it changed a text"
            assert len(found.what) <= found.changes, "it names more changes than it counts"

    def test_something_changes(self, build: Build) -> None:
        if not self.changes_something:
            return
        texts = [PerturbTask(text=_LONG, seed=seed) for seed in range(5)]
        found = self._answers(build(), texts)
        assert any(one.text != _LONG for one in found), "five times nothing was changed"

    def test_chance_comes_from_the_seed(self, build: Build) -> None:
        tasks = [PerturbTask(text=_LONG, seed=seed) for seed in (1, 2, 1)]
        first, _, again = self._answers(build(), tasks)
        assert first == again


_LONG = (
    "Hello. Could you please find me a cheap Italian restaurant with at least 4.5 stars, where I "
    "can park the car and buy wine for my friends, and where the food is very good today?"
)


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
    yield PerturbTask(text=_LONG, protected=(_LONG,), seed=7)
    for language in ("Spanish", "klingon", ""):
        yield PerturbTask(text="Hola, quiero una pizza grande con queso.", language=language)
    for text in hostile.TEXTS:
        yield PerturbTask(text=hostile.storable(text)[:50_000], protected=("x",), seed=11)
