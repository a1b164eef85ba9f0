"""Agents that say what they are given: player, user, goal checker, extractor, judge."""

from collections.abc import Callable
from typing import ClassVar

from pydantic import JsonValue
from pydantic.json_schema import SkipJsonSchema

from sparring.interfaces.agent import Agent, Player, PlayTask
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.roles import (
    Extraction,
    ExtractTask,
    GoalCheck,
    GoalTask,
    Judgement,
    JudgeTask,
    MetGoal,
    UserMove,
    UserTask,
)
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.talk import Ended, Listen, Output, Say, Trace


class FakePlayerConfig(PluginConfig):
    """What the player says and what may vary.

    ``{name}`` in a line is replaced by the case's value of that variable. `listens` takes the
    app's greeting first.
    """

    lines: tuple[str, ...] = ("Hello.",)
    space: Space = Space(scenarios=(Scenario(name="talk"),))
    listens: bool = False


class FakePlayer(Player[FakePlayerConfig]):
    """Says its lines one after the other, until the app ends the conversation.

    `played` are the cases that it was given, in order. AppErrors pass, as the interface allows.
    """

    Config: ClassVar[type[PluginConfig]] = FakePlayerConfig

    def __init__(self, config: FakePlayerConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.played: list[Case] = []

    def space(self) -> Space:
        """The space of the settings."""
        return self.config.space

    def meta(self, case: Case) -> dict[str, JsonValue]:
        """The name of the scenario, under ``scenario``."""
        return {"scenario": case.scenario}

    async def act(self, task: PlayTask) -> Trace:
        """Say the lines."""
        self.played.append(task.case)
        meta = self.meta(task.case)
        if self.config.listens and (await task.session.send(Listen())).ended:
            return task.trace(Ended.APP_ENDED, meta=meta)
        for line in self.config.lines:
            if (await task.session.send(Say(text=filled(line, task.case)))).ended:
                return task.trace(Ended.APP_ENDED, meta=meta)
        return task.trace(Ended.SCRIPT_DONE, meta=meta)


def filled(line: str, case: Case) -> str:
    """A line with each ``{name}`` replaced by the case's value."""
    for name, value in case.params.items():
        line = line.replace("{" + name + "}", str(value))
    return line


class FakeUserConfig(PluginConfig):
    """What the user says: a line per turn of theirs, or a callable that makes the move."""

    lines: tuple[str, ...] | SkipJsonSchema[Callable[[UserTask], UserMove]] = ("Hello.",)


class FakeUser(Agent[UserTask, UserMove, FakeUserConfig]):
    """Role ``user``: says its lines and leaves.

    A goal counts as met with each line that was answered. `tasks` are all that it was given.
    """

    Config: ClassVar[type[PluginConfig]] = FakeUserConfig
    role: ClassVar[str] = "user"

    def __init__(self, config: FakeUserConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.tasks: list[UserTask] = []

    async def act(self, task: UserTask) -> UserMove:
        """The line whose turn it is."""
        self.tasks.append(task)
        lines = self.config.lines
        if callable(lines):
            return lines(task)
        said = [turn for turn in task.turns if not isinstance(turn.act, Listen)]
        answered = sum(turn.observation is not None for turn in said)
        act = Say(text=lines[len(said)]) if len(said) < len(lines) else None
        return UserMove(act=act, goals_met=tuple(range(min(answered, len(task.goals)))))


class FakeGoalCheckerConfig(PluginConfig):
    """Which goals are met: for the index of each the words of the app that show it."""

    shown_by: dict[int, str] = {}


class FakeGoalChecker(Agent[GoalTask, GoalCheck, FakeGoalCheckerConfig]):
    """Role ``goal_checker``: a goal is met once the app has said the words given for it."""

    Config: ClassVar[type[PluginConfig]] = FakeGoalCheckerConfig
    role: ClassVar[str] = "goal_checker"

    async def act(self, task: GoalTask) -> GoalCheck:
        """The goals of the task whose words were said, each with the first turn that has them."""
        met: list[MetGoal] = []
        for goal, words in self.config.shown_by.items():
            turns = [
                index
                for index, turn in enumerate(task.turns)
                if turn.observation is not None and words in turn.observation.text
            ]
            if turns and goal in range(len(task.goals)):
                met.append(MetGoal(goal=goal, quotation=words, turn=turns[0]))
        return GoalCheck(met=tuple(met))


class FakeExtractorConfig(PluginConfig):
    """What was learnt: a value for each output's name, or a callable that finds it."""

    values: dict[str, JsonValue] | SkipJsonSchema[Callable[[ExtractTask, str], JsonValue]] = {}


class FakeExtractor(Agent[ExtractTask, Extraction, FakeExtractorConfig]):
    """Role ``extractor``: gives the values that it was told to give, None for others."""

    Config: ClassVar[type[PluginConfig]] = FakeExtractorConfig
    role: ClassVar[str] = "extractor"

    async def act(self, task: ExtractTask) -> Extraction:
        """One output per specification, in order; None as long as the app has said nothing."""
        heard = any(turn.observation is not None for turn in task.turns)
        return Extraction(
            outputs=tuple(
                Output(
                    name=spec.name,
                    type=spec.type,
                    description=spec.description,
                    value=self._value(task, spec.name) if heard else None,
                )
                for spec in task.outputs
            )
        )

    def _value(self, task: ExtractTask, name: str) -> JsonValue:
        values = self.config.values
        return values(task, name) if callable(values) else values.get(name)


class FakeJudgeConfig(PluginConfig):
    """What it answers: the answer to each question, or a callable that judges.

    A question that is not there gets the first option; None is the judge who cannot decide.
    """

    answers: dict[str, str | None] | SkipJsonSchema[Callable[[JudgeTask], Judgement]] = {}


class FakeJudge(Agent[JudgeTask, Judgement, FakeJudgeConfig]):
    """Role ``judge``: answers as it was told to. `tasks` are all that it was given."""

    Config: ClassVar[type[PluginConfig]] = FakeJudgeConfig
    role: ClassVar[str] = "judge"

    def __init__(self, config: FakeJudgeConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.tasks: list[JudgeTask] = []

    async def act(self, task: JudgeTask) -> Judgement:
        """The answer given for the question."""
        self.tasks.append(task)
        answers = self.config.answers
        if callable(answers):
            return answers(task)
        answer = answers.get(task.question, next(iter(task.options), None))
        return Judgement(answer=answer, reason="it was told to say so")
