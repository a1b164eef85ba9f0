"""The simulated user that asks a language model."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Revision, UserMove, UserTask
from sparring.model.talk import Act, Choice, Listen, act_text, meant_by
from sparring_plugins.language.text import folded, plain, sentences
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.fallback import with_fallback
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.users.agenda.state.value_changes import in_shape_of
from sparring_plugins.users.agenda.state.value_matching import mentions
from sparring_plugins.users.model_user.goal_ticks import GoalTicks
from sparring_plugins.users.model_user.move_checks import ChangingMove, MoveChecks, NextMove, act_of
from sparring_plugins.users.model_user.particulars import details_in_words
from sparring_plugins.users.model_user.prompt_data import (
    PROMPTS,
    chat,
    labels,
    language_now,
    lines,
    on_one_line,
    outputs_in_words,
    prompt_sentences,
    seed_of,
    situation_in_words,
    spoken_turns,
    style_names,
    styles_in_words,
)
from sparring_plugins.users.personas.traits import traits_in_words
from sparring_plugins.users.profiles.goals import spoken

_TAGS = re.compile(r"\{%.{0,400}?%\}|\{\{.{0,400}?\}\}|\{#.{0,1000}?#\}", re.DOTALL)
_REASON = 300


class ModelUserConfig(ModelAgentConfig):
    """Settings of the user that asks a language model."""

    cooperative: Literal["low", "normal", "high"] = Field(
        "low",
        description="How much the user helps an app that makes mistakes, unless its persona says:"
        " low corrects only what goes against its own values, high asks about everything that"
        " seems wrong.",
    )
    press: bool = Field(
        True, description="Whether the user presses offered choices; else it types their label."
    )


class ModelUser(ModelAgent[UserTask, UserMove, ModelUserConfig]):
    """Role ``user``: a language model plays the user (SENSEI, figure 4).

    It is told who it is, what it wants with the case's values filled in, how it writes and in
    which language, and what was said so far; what the app said stands in a block of data. It
    writes one message, presses a choice, or leaves. A move that falls out of its part is sent
    back: one that speaks for the chatbot, leaves a blank, repeats itself, names other values than
    the case has. A goal is met only if the app said the words that the model quotes for it, and
    until the model says that the app has taken it back.

    The same task asks the same question: the seed, and whatever a style leaves to chance, come from
    the case's seed and the number of the turn.
    """

    Config: ClassVar[type[PluginConfig]] = ModelUserConfig
    role: ClassVar[str] = "user"
    folder: ClassVar[Path] = PROMPTS
    twin: ClassVar[str | None] = "agenda"
    temperature: ClassVar[float | None] = 0.8  # SENSEI's default
    plays_styles: ClassVar[bool] = True
    takes_back: ClassVar[bool] = True
    """Whether a goal that it leaves out of `goals_met` is not met any more."""
    reads_last_words: ClassVar[bool] = True
    """Whether it says what an app has met that ended the conversation."""

    @with_fallback
    async def act(self, task: UserTask) -> UserMove:
        language, styles = language_now(task), style_names(task)
        spoken = spoken_turns(task.turns)
        answered = await self.asker.ask(
            Question(
                prompt="user",
                answer=ChangingMove if _changeable(task, styles) else NextMove,
                values=_values(task, language, styles, self.config.cooperative),
                later=spoken > 0,
                checkers=()
                if _is_over(task)
                else MoveChecks(
                    task, language, _list_checked_styles(task, styles), telltale()
                ).checkers(),
                seed=seed_of(task.seed, spoken),
                temperature=task.temperature if self.config.temperature is None else None,
            )
        )
        move = answered.value
        return UserMove(
            act=None if _is_over(task) else self._act(task, move),
            goals_met=_goals_met(task, move),
            reason=on_one_line(move.reason)[:_REASON],
            revised=_list_revisions(task, move),
        )

    def _act(self, task: UserTask, move: NextMove) -> Act | None:
        """What the user does; it says goodbye once, and not again."""
        if move.leaves and _said_goodbye(task):
            return None
        press = self.config.press and task.traits.get("presses") is not False
        act = act_of(move, _choices(task), press=press)
        repeated = act is not None and folded(act_text(act)) == folded(_last_said(task))
        return None if move.leaves and repeated else act


@lru_cache(maxsize=1)
def telltale() -> tuple[str, ...]:
    """The sentences of our own prompt, folded: no user would say them."""
    text = _TAGS.sub("\n", (PROMPTS / "user.jinja").read_text("utf-8"))
    prompt_lines = [folded(line.lstrip("- ")) for line in sentences(plain(text))]
    return tuple(line for line in prompt_lines if len(line.split()) > 5)


def _values(
    task: UserTask, language: str, styles: frozenset[str], cooperative: str
) -> dict[str, Any]:
    """What the prompt is made of; texts of the author are on one line each."""
    opened = _open(task)
    goals = [
        {"number": number + 1, "phrase": on_one_line(goal.phrase), "met": number not in opened}
        for number, goal in enumerate(task.goals)
    ]
    return {
        "role": on_one_line(task.role),
        "context": lines(task.context),
        "particulars": details_in_words(task),
        "goals": goals,
        "all_met": bool(task.goals) and not opened,
        "outputs": outputs_in_words(task),
        "fallbacks": lines(task.fallbacks),
        "changeable": _changeable(task, styles),
        "styles": list(dict.fromkeys((*styles_in_words(styles), *traits_in_words(task.traits)))),
        "language": language,
        "cooperative": prompt_sentences().cooperative[
            str(task.traits.get("cooperative") or cooperative)
        ],
        "situation": situation_in_words(task),
        "conversation": chat(task.turns),
        "choices": labels(_choices(task)),
        "ended": _is_over(task),
    }


def _changeable(task: UserTask, styles: frozenset[str]) -> list[tuple[str, str]]:
    """The values that the user may change its mind about, in words; none in other styles."""
    if "change your mind" not in styles:
        return []
    return [
        (on_one_line(name), on_one_line(spoken(value, task.language)))
        for name, value in task.inputs.items()
    ]


def _list_revisions(task: UserTask, move: NextMove) -> tuple[Revision, ...]:
    """What the user changed its mind about: other values of the case's, which it has said."""
    if not isinstance(move, ChangingMove):
        return ()
    said = folded(" ".join((*(meant_by(turn.act) for turn in task.turns), move.text)))
    named = {change.name: change.value for change in move.changed if change.name in task.inputs}
    return tuple(
        Revision(variable=name, value=in_shape_of(task.inputs[name], value))
        for name, value in named.items()
        if folded(value) != folded(spoken(task.inputs[name], task.language))
        and mentions(said, value)
    )


def _list_checked_styles(task: UserTask, styles: frozenset[str]) -> frozenset[str]:
    """The styles that a message is held against: a wordy persona may write long ones."""
    wordy = task.traits.get("sentence_length") == "long" or bool(task.traits.get("attacks"))
    return styles | {"long phrases"} if wordy else styles


def _goals_met(task: UserTask, move: NextMove) -> tuple[int, ...]:
    """The indexes of the goals met by now: those that were, and those that the app's words show."""
    undone = {number - 1 for number in move.goals_undone}
    return tuple(sorted((set(task.goals_met) - undone) | GoalTicks(task).met(move.goals_met)))


def _is_over(task: UserTask) -> bool:
    """Whether the app has ended the conversation, so that only goals are left to be ticked."""
    last = task.turns[-1].observation if task.turns else None
    return last is not None and last.ended


def _open(task: UserTask) -> set[int]:
    return set(range(len(task.goals))) - set(task.goals_met)


def _choices(task: UserTask) -> Sequence[Choice]:
    last = task.turns[-1].observation if task.turns else None
    return last.choices if last else ()


def _last_said(task: UserTask) -> str:
    said = [act_text(turn.act) for turn in task.turns if not isinstance(turn.act, Listen)]
    return said[-1] if said else ""


def _said_goodbye(task: UserTask) -> bool:
    """Whether the user has said goodbye, and nothing was asked back."""
    last = task.turns[-1].observation if task.turns else None
    asked = last is not None and ("?" in plain(last.text) or bool(last.choices))
    return has_cue(folded(_last_said(task)), "farewell") and not asked
