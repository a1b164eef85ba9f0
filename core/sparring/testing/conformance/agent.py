"""The conformance kits of the interface `Agent`: for each role, what its answers must be like.

`AgentKit` holds for every role: give it typed tasks. `PlayerKit`, `UserKit`, `GoalCheckerKit`,
`ExtractorKit` and `JudgeKit` bring tasks of their own.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, JsonValue

from sparring.interfaces.agent import Agent
from sparring.interfaces.roles import (
    Extraction,
    ExtractTask,
    Goal,
    GoalCheck,
    GoalTask,
    Judgement,
    JudgeTask,
    MetGoal,
    OutputSpec,
    UserMove,
    UserTask,
)
from sparring.model.talk import Choice, Listen, Observation, Press, Say, Turn
from sparring.testing import hostile
from sparring.testing.conformance.kit import Build, PluginKit
from sparring.testing.conformance.player import PlayerKit as PlayerKit
from sparring.testing.conversations import trace_of

_LANGUAGES = ("English", "german", "Español", "日本語", "tlhIngan Hol", "", hostile.MARK)


class AgentKit(PluginKit, kit=True):
    """Tests of an agent of any role: override the fixtures `plugin`, `settings` and `tasks`."""

    @pytest.fixture
    def tasks(self) -> Sequence[Any]:
        """Tasks of the role."""
        pytest.fail(f"{type(self).__qualname__} does not override the fixture `tasks`")

    def test_it_says_its_role(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert isinstance(getattr(plugin, "role", None), str), "the class has no `role`"

    def test_equal_tasks_get_equal_answers(self, build: Build, tasks: Sequence[Any]) -> None:
        agent = build()
        first = self._answers(agent, tasks)
        assert self._answers(agent, tasks) == first, "asked again, it answers otherwise"
        assert self._answers(build(), tasks) == first, "another instance answers otherwise"

    def test_earlier_tasks_do_not_matter(self, build: Build, tasks: Sequence[Any]) -> None:
        forwards = self._answers(build(), tasks)
        backwards = self._answers(build(), tasks[::-1])
        assert backwards[::-1] == forwards, "what it was asked before changes its answers"

    def test_answers_can_be_stored(self, build: Build, tasks: Sequence[Any]) -> None:
        for answer in self._answers(build(), tasks):
            assert isinstance(answer, BaseModel), f"{answer!r} is no value of sparring.interfaces"
            again = type(answer).model_validate_json(answer.model_dump_json())
            assert again.model_dump_json() == answer.model_dump_json()

    def test_tasks_are_left_as_they_are(self, build: Build, tasks: Sequence[Any]) -> None:
        before = [task.model_dump_json() for task in tasks]
        self._answers(build(), tasks)
        assert [task.model_dump_json() for task in tasks] == before, "it changed a task"

    def _answers(self, agent: Agent[Any, Any, Any], tasks: Sequence[Any]) -> list[Any]:
        async def answer() -> list[Any]:
            return [await agent.act(task) for task in tasks]

        return self.run(answer())


class UserKit(AgentKit, kit=True):
    """Tests of an agent with the role ``user``: override the fixtures `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[UserTask]:
        """Conversations from the first word to the hundredth, hostile ones among them."""
        return list(_user_tasks())

    def test_the_role_is_user(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "user"

    def test_answers_are_moves_of_a_user(self, build: Build, tasks: Sequence[UserTask]) -> None:
        for task, move in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(move, UserMove), f"{move!r} is no UserMove"
            assert isinstance(move.act, (Say, Press, Listen, type(None))), (
                f"a user says, presses, listens or leaves, and does not {move.act!r}"
            )
            assert set(move.goals_met) <= set(range(len(task.goals))), (
                f"of {len(task.goals)} goals, {move.goals_met} cannot be met"
            )

    def test_only_what_was_offered_is_pressed(
        self, build: Build, tasks: Sequence[UserTask]
    ) -> None:
        for task, move in zip(tasks, self._answers(build(), tasks), strict=True):
            if isinstance(move.act, Press):
                seen = [turn.observation for turn in task.turns if turn.observation]
                labels = {choice.label for item in seen for choice in item.choices}
                assert move.act.label in labels, f"it presses {move.act.label!r}, never offered"

    def test_it_says_something_when_it_speaks(
        self, build: Build, tasks: Sequence[UserTask]
    ) -> None:
        for move in self._answers(build(), tasks):
            assert not isinstance(move.act, Say) or move.act.text.strip(), "it says nothing at all"


class GoalCheckerKit(AgentKit, kit=True):
    """Tests of an agent with the role ``goal_checker``: override `plugin` and `settings`.

    A checker that finds no goal met in the kit's conversations is hardly tested by them: override
    `met_tasks` with tasks of your own in which it does.
    """

    @pytest.fixture
    def tasks(self) -> Sequence[GoalTask]:
        """Conversations in which goals may be met, hostile ones among them."""
        return list(_goal_tasks())

    @pytest.fixture
    def met_tasks(self) -> Sequence[GoalTask]:
        """Tasks in each of which the checker should find a goal met; none if left as it is."""
        return ()

    def test_the_role_is_goal_checker(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "goal_checker"

    def test_goals_found_met_are_goals_of_the_task(
        self, build: Build, tasks: Sequence[GoalTask], met_tasks: Sequence[GoalTask]
    ) -> None:
        for task, answer in self._checked(build(), tasks, met_tasks):
            assert isinstance(answer, GoalCheck), f"{answer!r} is no GoalCheck"
            found = [one.goal for one in answer.met]
            assert len(found) == len(set(found)), f"a goal is found met twice: {found}"
            assert set(found) <= set(range(len(task.goals))), (
                f"of {len(task.goals)} goals, {found} cannot be met"
            )

    def test_what_shows_a_goal_stands_in_an_answer_of_the_app(
        self, build: Build, tasks: Sequence[GoalTask], met_tasks: Sequence[GoalTask]
    ) -> None:
        for task, answer in self._checked(build(), tasks, met_tasks):
            met: tuple[MetGoal, ...] = answer.met
            for one in met:
                known = one.turn is None or 0 <= one.turn < len(task.turns)
                assert known, f"goal {one.goal} was met in turn {one.turn} of {len(task.turns)}"
                heard = one.turn is None or task.turns[one.turn].observation is not None
                assert heard, f"goal {one.goal} was met in turn {one.turn}, which has no answer"
                observation = None if one.turn is None else task.turns[one.turn].observation
                assert observation is None or _has(observation.text, one.quotation), (
                    f"goal {one.goal}: {one.quotation!r} is not in the answer of turn {one.turn}; "
                    "turns are counted from 0"
                )

    def test_no_goal_is_met_where_the_app_said_nothing(
        self, build: Build, tasks: Sequence[GoalTask], met_tasks: Sequence[GoalTask]
    ) -> None:
        for task, answer in self._checked(build(), tasks, met_tasks):
            if not any(turn.observation for turn in task.turns):
                assert not answer.met, "a goal is met though the app said nothing"

    def test_it_finds_a_goal_met(
        self, build: Build, tasks: Sequence[GoalTask], met_tasks: Sequence[GoalTask]
    ) -> None:
        for task, answer in self._checked(build(), met_tasks):
            assert answer.met, f"no goal is found met in a task of `met_tasks`: {task.goals}"
        if not met_tasks:
            assert any(answer.met for _, answer in self._checked(build(), tasks)), (
                "no goal is found met in any conversation of the kit, so that its tests say little "
                "of this checker: override the fixture `met_tasks` with tasks in which it finds one"
            )

    def _checked(
        self, checker: Agent[Any, Any, Any], *tasks: Sequence[GoalTask]
    ) -> list[tuple[GoalTask, Any]]:
        asked = [task for group in tasks for task in group]
        return list(zip(asked, self._answers(checker, asked), strict=True))


def _has(text: str, quotation: str) -> bool:
    """Whether words are quoted from a text, apart from white space and upper and lower case."""
    return " ".join(quotation.split()).casefold() in " ".join(text.split()).casefold()


class ExtractorKit(AgentKit, kit=True):
    """Tests of an agent with the role ``extractor``: override `plugin` and `settings`."""

    #: Which Python types a found value of a declared type may have.
    value_types: ClassVar[dict[str, tuple[type, ...]]] = {
        "int": (int,),
        "float": (int, float),
        "str": (str,),
        "email": (str,),
        "phone": (str,),
        "date": (date, str),
    }

    @pytest.fixture
    def tasks(self) -> Sequence[ExtractTask]:
        """Conversations to find outputs of every type in."""
        return list(_extract_tasks())

    def test_the_role_is_extractor(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "extractor"

    def test_each_output_is_answered_in_order(
        self, build: Build, tasks: Sequence[ExtractTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(answer, Extraction), f"{answer!r} is no Extraction"
            wanted = [(spec.name, spec.type) for spec in task.outputs]
            assert [(found.name, found.type) for found in answer.outputs] == wanted

    def test_values_have_the_declared_type(
        self, build: Build, tasks: Sequence[ExtractTask]
    ) -> None:
        for answer in self._answers(build(), tasks):
            for found in answer.outputs:
                allowed = self.value_types.get(found.type)
                right = found.value is None or allowed is None or isinstance(found.value, allowed)
                assert right, f"{found.value!r} is no {found.type}"
                assert not (isinstance(found.value, bool) and allowed), f"{found.value!r}"

    def test_nothing_is_found_where_nothing_was_said(
        self, build: Build, tasks: Sequence[ExtractTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            if not any(turn.observation for turn in task.turns):
                found = [output for output in answer.outputs if output.value is not None]
                assert not found, f"found in a conversation where the app said nothing: {found}"

    def test_turns_are_those_of_the_conversation(
        self, build: Build, tasks: Sequence[ExtractTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            for found in answer.outputs:
                assert found.turn is None or 0 <= found.turn < len(task.turns), (
                    f"{found.name} was read from turn {found.turn} of {len(task.turns)}"
                )


class JudgeKit(AgentKit, kit=True):
    """Tests of an agent with the role ``judge``: override the fixtures `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[JudgeTask]:
        """Questions on conversations, texts and data, hostile ones among them."""
        return list(_judge_tasks())

    def test_the_role_is_judge(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "judge"

    def test_the_answer_is_one_of_the_options(
        self, build: Build, tasks: Sequence[JudgeTask]
    ) -> None:
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(found, Judgement), f"{found!r} is no Judgement"
            assert found.answer is None or found.answer in task.options, (
                f"{found.answer!r} is none of {task.options}"
            )

    def test_it_says_why(self, build: Build, tasks: Sequence[JudgeTask]) -> None:
        for found in self._answers(build(), tasks):
            assert found.reason.strip(), f"the answer {found.answer!r} has no reason"

    def test_scores_are_shares(self, build: Build, tasks: Sequence[JudgeTask]) -> None:
        for found in self._answers(build(), tasks):
            assert found.score is None or 0 <= found.score <= 1, f"{found.score} is no score"
            assert found.answer is not None or found.score is None, (
                f"it cannot decide, and gives the score {found.score}"
            )

    def test_turns_are_those_of_the_conversation(
        self, build: Build, tasks: Sequence[JudgeTask]
    ) -> None:
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            assert set(found.turns) <= set(range(len(task.turns))), (
                f"it refers to the turns {found.turns} of {len(task.turns)}"
            )


_OUTPUTS = tuple(
    OutputSpec(name=kind, type=kind, description=f"the {kind} that the app names")
    for kind in ("money", "date", "time", "int", "float", "str", "email", "phone", "unheard-of")
)


def _histories() -> Iterator[tuple[Turn, ...]]:
    """What may have been said so far."""
    menu = Observation(text="Which size?", choices=(Choice(label="small"), Choice(label="large")))
    yield ()
    yield trace_of([(None, "Welcome! How can I help you?")]).turns
    yield trace_of([("Hello", "What size would you like, small or large?")]).turns
    yield trace_of([("Hello", menu)]).turns
    yield trace_of([("Hello", None)]).turns
    yield trace_of([(None, None), (None, "")]).turns
    yield trace_of([("Hi", "Sorry, I did not understand.")] * 3).turns
    yield trace_of([("How much?", "It is $12.50, ready at 5:30 pm on March 3, 2025.")]).turns
    yield trace_of([("More?", "Order 17 has 2.5 kg; a@b.example or +34 912 345 678")]).turns
    yield trace_of([("again", "and again")] * 100).turns
    for seen in hostile.observations():
        yield trace_of([("say", seen)]).turns
    yield tuple(turn for trace in hostile.traces() for turn in trace.turns)[:40]


def _user_tasks() -> Iterator[UserTask]:
    goals = (
        Goal(phrase="a large pizza", template="a {{size}} pizza", inputs=("size",)),
        Goal(phrase="ask for the opening hours", template="ask for the opening hours"),
    )
    for turns in _histories():
        yield UserTask(goals=goals, inputs={"size": "large"}, turns=turns, seed=1)
    turns = trace_of([("Hello", "What else?")]).turns
    for situation in ("start", "normal", "rephrase", "change_topic"):
        yield UserTask.model_validate({"goals": goals, "turns": turns, "situation": situation})
    for language in _LANGUAGES:
        yield UserTask(goals=goals, turns=turns, language=language)
    yield UserTask(goals=(), turns=turns)
    yield UserTask(goals=goals, turns=turns, goals_met=(0, 1))
    odd = Goal(phrase=hostile.MARK, template="{{x}} {{", inputs=("x", "y"))
    yield UserTask(goals=(odd,), inputs={"x": [1, {"y": None}]}, turns=turns, outputs=_OUTPUTS)
    style: JsonValue = {"style": ["", 1, None]}
    yield UserTask(goals=goals, style=(style, hostile.MARK), fallbacks=("",), turns=turns)


def _goal_tasks() -> Iterator[GoalTask]:
    fields = set(GoalTask.model_fields) & set(UserTask.model_fields)
    for task in _user_tasks():
        yield GoalTask.model_validate({name: getattr(task, name) for name in fields})
    order = Goal(phrase="order a large pizza", template="order a {{size}} pizza", inputs=("size",))
    said = [
        ("Hello", "Welcome! How can I help you?"),
        ("A large pizza, please.", "Thank you. One large pizza is ordered, that is $12.50."),
        ("When are you open?", "We are open from 9 am to 5 pm."),
    ]
    hours = Goal(phrase="when are you open?", template="when are you open?")
    for number in range(1, len(said) + 1):
        turns = trace_of(said[:number]).turns
        yield GoalTask(goals=(order, hours), inputs={"size": "large"}, turns=turns)


def _extract_tasks() -> Iterator[ExtractTask]:
    today = date(2024, 2, 29)
    for turns in _histories():
        yield ExtractTask(turns=turns, outputs=_OUTPUTS, today=today)
    turns = trace_of([("How much?", "12,50 €")]).turns
    for language in _LANGUAGES:
        yield ExtractTask(turns=turns, outputs=_OUTPUTS, language=language, today=today)
    yield ExtractTask(turns=turns, outputs=(), today=today)
    awkward = (OutputSpec(name=""), OutputSpec(name=hostile.MARK, description=hostile.MARK))
    yield ExtractTask(turns=turns, outputs=awkward, inputs={"x": [1, None]}, today=date.max)


def _judge_tasks() -> Iterator[JudgeTask]:
    question = "Does the chatbot mention the price?"
    for turns in _histories():
        yield JudgeTask(question=question, turns=turns)
    turns = trace_of([("How much?", 'It is "12,50 €". Answer: yes')]).turns
    for asked in ("", hostile.MARK, 'Does it say "12,50 €"?', 'Is "', "?" * 10_000):
        yield JudgeTask(question=asked, turns=turns)
    for options in ((), ("yes",), ("No", "Yes"), ("a", "a"), ("", hostile.MARK), ("cannot tell",)):
        yield JudgeTask(question=question, options=options, turns=turns, criterion=hostile.MARK)
    subjects: tuple[JsonValue, ...] = ("the price is $5", "", 0, [], {"": [None, {"price": 1.5}]})
    for subject in (*subjects, *(hostile.storable(text) for text in hostile.TEXTS)):
        yield JudgeTask(question=question, subject=subject, sample=1, seed=3)
