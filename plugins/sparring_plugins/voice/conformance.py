"""The conformance kits of the explorer's roles: ``observer``, ``generator``, ``planner``."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sparring.interfaces.agent import Agent
from sparring.model.talk import Choice, Observation
from sparring.testing import hostile
from sparring.testing.conformance.agent import AgentKit
from sparring.testing.conformance.kit import Build
from sparring_plugins.voice.roles import (
    Effect,
    FailedInput,
    Generated,
    GenerateTask,
    InputOrigin,
    KnownInput,
    KnownState,
    ObserveTask,
    Plan,
    PlanTask,
    Sighting,
)

_SAID = (
    "Welcome to the kit. You can say play, or rules.",
    "Would you like to play again?",
    "Which colour do you want, red or blue?",
    "How old are you?",
    "You have 3 points.",
    "Sorry, I did not understand.",
    "",
)


class ObserverKit(AgentKit, kit=True):
    """Tests of an agent with the role ``observer``: override `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[ObserveTask]:
        """Outputs that occurred before, new ones, and hostile ones."""
        return list(_observe_tasks())

    def test_the_role_is_observer(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "observer"

    def test_it_names_a_known_state_or_none(
        self, build: Build, tasks: Sequence[ObserveTask]
    ) -> None:
        for task, sighting in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(sighting, Sighting), f"{sighting!r} is no Sighting"
            names = {None, *(state.id for state in task.states)}
            assert sighting.state in names, f"{sighting.state!r} is unknown"

    def test_an_output_that_was_heard_is_known_again(self, build: Build) -> None:
        states = tuple(_states(_SAID[:3]))
        for state in states:
            heard = Observation(text=state.outputs[0])
            (sighting,) = self._answers(build(), [ObserveTask(observation=heard, states=states)])
            assert sighting.state == state.id, f"{heard.text!r} was heard in {state.id}"

    def test_without_states_all_is_new(self, build: Build) -> None:
        (sighting,) = self._answers(build(), [ObserveTask(observation=Observation(text="Hello"))])
        assert sighting.state is None


class GeneratorKit(AgentKit, kit=True):
    """Tests of an agent with the role ``generator``: override `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[GenerateTask]:
        """Outputs of every type, with and without inputs that were in vain, and hostile ones."""
        return list(_generate_tasks())

    def test_the_role_is_generator(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "generator"

    def test_candidates_can_be_said_and_differ(
        self, build: Build, tasks: Sequence[GenerateTask]
    ) -> None:
        for generated in self._answers(build(), tasks):
            assert isinstance(generated, Generated), f"{generated!r} is no Generated"
            texts = [candidate.text for candidate in generated.candidates]
            assert all(text.strip() for text in texts), f"there is nothing to say in {texts}"
            assert len(set(texts)) == len(texts), f"named twice: {texts}"

    def test_what_was_in_vain_is_not_proposed_again(
        self, build: Build, tasks: Sequence[GenerateTask]
    ) -> None:
        for task, generated in zip(tasks, self._answers(build(), tasks), strict=True):
            failed = {one.text for one in task.failed}
            again = failed & {one.text for one in generated.candidates}
            assert not again, f"{again} did not lead on"


class PlannerKit(AgentKit, kit=True):
    """Tests of an agent with the role ``planner``: override `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[PlanTask]:
        """Inputs that were tried and that were not, of every origin and effect."""
        return list(_plan_tasks())

    def test_the_role_is_planner(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "planner"

    def test_it_chooses_an_input_of_the_task(self, build: Build, tasks: Sequence[PlanTask]) -> None:
        for task, plan in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(plan, Plan), f"{plan!r} is no Plan"
            texts = [one.text for one in task.inputs]
            assert plan.input in texts, f"{plan.input!r} is none of {texts}"


def _states(outputs: Sequence[str]) -> Iterator[KnownState]:
    for number, text in enumerate(outputs, 1):
        yield KnownState(id=f"s{number}", outputs=(text,), inputs=("yes", "no"))


def _heard() -> Iterator[Observation]:
    for text in _SAID:
        yield Observation(text=text)
    yield Observation(text="Choose:", choices=(Choice(label="one"), Choice(label="two")))
    yield Observation(text="Bye", ended=True)
    yield from hostile.observations()


def _observe_tasks() -> Iterator[ObserveTask]:
    states = tuple(_states([*_SAID, hostile.MARK]))
    for heard in _heard():
        yield ObserveTask(observation=heard, states=states, came_from="s1", by="play", seed=1)
    yield ObserveTask(observation=Observation(text="Hello"), expected=("a", "b"))
    again = Observation(text="You have 4 points.")
    yield ObserveTask(observation=again, states=states, came_from="s1", by="go", led_to=("s5",))


def _generate_tasks() -> Iterator[GenerateTask]:
    for heard in _heard():
        yield GenerateTask(observation=heard, seed=1)
    question = Observation(text="Which colour do you want, red or blue?")
    vain = FailedInput(text="red", effect=Effect.SAME)
    yield GenerateTask(observation=question, known=("red", "blue"), failed=(vain,))
    yield GenerateTask(observation=question, document='Say "play" or "stop".', everything=True)
    yield GenerateTask(observation=question, samples=("paint it",), language="tlhIngan Hol")
    yield GenerateTask(observation=question, document=hostile.MARK, known=("", hostile.MARK))


def _plan_tasks() -> Iterator[PlanTask]:
    for effect in Effect:
        for origin in InputOrigin:
            inputs = (
                KnownInput(text="play", origin=origin, count=2, effect=effect, target="s2"),
                KnownInput(text="help", origin=InputOrigin.SYSTEM),
                KnownInput(text=hostile.MARK, origin=InputOrigin.CONTEXT, count=1, distance=3),
            )
            yield PlanTask(state="s1", output="Say play.", inputs=inputs, turns_left=5, seed=3)
    only = (KnownInput(text="x", origin=InputOrigin.SYSTEM, count=9, effect=Effect.FAILED),)
    yield PlanTask(state="s1", output=hostile.MARK, inputs=only, recent=("x", "x"))
