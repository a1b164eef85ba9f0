"""The goal checker that asks a language model."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import GoalCheck, GoalTask, MetGoal
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.fallback import with_fallback
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.users.model_user.prompt_data import (
    PROMPTS,
    on_one_line,
    said_by_app,
    seed_of,
    transcript,
)
from sparring_plugins.users.model_user.quotations import Place, find_quotation


class Wish(BaseModel):
    """Whether one wish is met."""

    model_config = ConfigDict(extra="forbid")

    number: int = Field(description="the number of the wish")
    quotation: str | None = Field(description="the chatbot's words that show it, letter for letter")
    turn: int | None = Field(description="the number of the turn that they stand in")
    met: bool = Field(description="whether the chatbot has answered or confirmed it")


class Wishes(BaseModel):
    """Which wishes the chatbot has met."""

    model_config = ConfigDict(extra="forbid")

    wishes: list[Wish]


class GoalCheckerConfig(ModelAgentConfig):
    """Settings of the goal checker that asks a language model."""

    rounds: int = Field(
        default=1, ge=0, le=10, description="how often a false quotation is sent back"
    )


class ModelGoalChecker(ModelAgent[GoalTask, GoalCheck, GoalCheckerConfig]):
    """Role ``goal_checker``: one question on all open goals, each with the words that show it.

    A goal counts as met only if the app said the words that are quoted for it. An answer that
    quotes others is sent back; a goal whose quotation is still false then is not met. Nothing is
    asked while the app has said nothing, or once all goals are met.
    """

    Config: ClassVar[type[PluginConfig]] = GoalCheckerConfig
    role: ClassVar[str] = "goal_checker"
    folder: ClassVar[Path] = PROMPTS
    twin: ClassVar[str | None] = "agenda"
    temperature: ClassVar[float | None] = 0.0

    @with_fallback
    async def act(self, task: GoalTask) -> GoalCheck:
        opened = [number for number in range(len(task.goals)) if number not in task.goals_met]
        if not opened or not any(said_by_app(turn.observation) for turn in task.turns):
            return GoalCheck()
        goals = [
            {"number": number + 1, "phrase": on_one_line(task.goals[number].phrase)}
            for number in opened
        ]
        answered = await self.asker.ask(
            Question(
                prompt="goals",
                answer=Wishes,
                values={
                    "goals": goals,
                    "language": on_one_line(task.language) or "English",
                    "conversation": transcript(task.turns),
                },
                checkers=(lambda answer: _objection(answer, task, opened),),
                accept_last=True,
                seed=seed_of(task.seed, len(task.turns)),
            )
        )
        return GoalCheck(met=tuple(_met(answered.value, task, opened)))


def _met(answer: Wishes, task: GoalTask, opened: list[int]) -> Iterator[MetGoal]:
    """The goals whose quotations hold, each once."""
    for number in opened:
        wishes = [
            wish_met for wish_met in answer.wishes if wish_met.number == number + 1 and wish_met.met
        ]
        places = [place for wish in wishes if (place := _place(wish, task)) is not None]
        if places:
            yield MetGoal(goal=number, quotation=places[0].text, turn=places[0].turn)


def _objection(answer: Wishes, task: GoalTask, opened: list[int]) -> str | None:
    """What is wrong with an answer: wishes that are none, or words that the chatbot never said."""
    reasons: list[str] = []
    for wish in answer.wishes:
        if wish.number - 1 not in opened:
            reasons.append(f"There is no open wish {wish.number}.")
        elif wish.met and _place(wish, task) is None:
            reasons.append(
                f"Wish {wish.number}: the chatbot did not say the words quoted. Copy its words"
                " letter for letter, from one turn, or say that the wish is not met."
            )
    missing = sorted(set(opened) - {wish.number - 1 for wish in answer.wishes})
    if missing:
        reasons.append(f"Missing: wish {', '.join(str(number + 1) for number in missing)}.")
    return " ".join(reasons[:10]) or None


def _place(wish: Wish, task: GoalTask) -> Place | None:
    turn = None if wish.turn is None else wish.turn - 1
    return find_quotation(wish.quotation or "", task.turns, turn)
