"""The agents that need no language model: the user and the goal checker."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import (
    ExtractTask,
    GoalCheck,
    GoalTask,
    MetGoal,
    Revision,
    UserMove,
    UserTask,
)
from sparring.model.talk import Act, Listen, Say, Turn
from sparring_plugins.language.text import plain
from sparring_plugins.users.agenda.app_reply import read_app_reply
from sparring_plugins.users.agenda.delivery import Delivery
from sparring_plugins.users.agenda.next_move import Agenda, Decision
from sparring_plugins.users.agenda.phrase_book import LANGUAGES
from sparring_plugins.users.agenda.phrasing import Style, style_of_turn
from sparring_plugins.users.extraction.extractor import find_outputs
from sparring_plugins.users.personas.speech import persona_speech
from sparring_plugins.users.personas.traits import Attack

MOST_ATTACKS = 3
"""Attacks of one conversation at most, so that the goals are still pursued."""

FLOOD = 3_000
"""Characters of a very long message, at least."""


def is_attack(turn: Turn) -> bool:
    """Whether the user's act in a turn served no goal."""
    return isinstance(turn.act, Say) and turn.act.meant == ""


def attack(task: UserTask, style: Style) -> Say | None:
    """A message of an adversarial persona that serves no goal; None if there is none now.

    Never twice in a row, and never instead of an answer that only the user can give: the app would
    take the attack for the answer.
    """
    traits = style.traits
    attacks = [turn for turn in task.turns if is_attack(turn)]
    if not traits.attacks or len(attacks) >= MOST_ATTACKS or not _is_occasion(task.turns):
        return None
    draw = Random(f"{task.seed}/attack/{style.turn}")
    if draw.random() >= traits.attacks:
        return None
    start = Random(f"{task.seed}/attacks").randrange(len(traits.attack_kinds))
    kind = traits.attack_kinds[(start + len(attacks)) % len(traits.attack_kinds)]
    return Say(text=_attack_text(kind, style.language, draw), meant="")


def _is_occasion(turns: Sequence[Turn]) -> bool:
    """Whether an attack now would not be taken for an answer, and comes after none."""
    spoken = [turn for turn in turns if not isinstance(turn.act, Listen)]
    if not spoken or is_attack(spoken[-1]):
        return False
    reply = read_app_reply(spoken[-1].observation)
    return not (reply.fallback or reply.empty or reply.asks("open", "confirm", "select"))


def _attack_text(kind: Attack, language: str, draw: Random) -> str:
    speech = persona_speech(language)
    match kind:
        case "injection":
            return draw.choice(speech.injections)
        case "contradiction":
            return draw.choice(speech.contradictions)
        case "flood":
            return (speech.flood * (FLOOD // len(speech.flood) + 1)).strip()
        case "nonsense":
            return " ".join(_letters(draw) for _ in range(draw.randint(3, 8)))


def _letters(draw: Random) -> str:
    return "".join(draw.choice("bcdfghjklmpqrstvwxz") for _ in range(draw.randint(3, 9)))


def without_attacks(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns as the user remembers them: without attacks.

    If the app answered an attack with something else than that it did not understand, the user goes
    on from that answer.
    """
    kept: list[Turn] = []
    for turn in turns:
        if not is_attack(turn):
            kept.append(turn)
            continue
        reply = read_app_reply(turn.observation)
        if kept and not reply.fallback and not reply.empty:
            kept[-1] = kept[-1].model_copy(update={"observation": turn.observation})
    return tuple(kept)


class AgendaUserConfig(PluginConfig):
    """Settings of the agenda-based user."""

    patience: int = Field(
        3, ge=1, description="How often a goal is brought up before the user gives it up."
    )
    farewell: bool = Field(True, description="Whether the user says goodbye before it leaves.")
    concede: bool = Field(
        False,
        description="Whether the user takes what the app offers for a value that it turns down;"
        " else it gives the goal up, so that rules on the case's inputs stay true.",
    )
    press: bool = Field(
        True, description="Whether the user presses offered choices; else it types their label."
    )


class AgendaUser(Agent[UserTask, UserMove, AgendaUserConfig]):
    """Role ``user``: pursues its goals with an agenda, deterministically (Schatzmann et al., 2007).

    It reads each answer for what it asks (to confirm, to choose, to give a value or a particular,
    yes or no, what else), answers from the case's values, and otherwise brings up its goals one by
    one; it says them in other words where it was not understood, gives them up after some tries,
    asks for declared outputs that it has not seen, and takes its leave. The same task always gives
    the same move. It speaks English, Spanish, French, German, Italian and Portuguese; in other
    languages the goals are said as written.
    How it puts things follows the interaction styles of the profile and the traits of its persona;
    what it means is kept beside what it says. Chance comes from the case's seed and the turn alone.
    """

    Config: ClassVar[type[PluginConfig]] = AgendaUserConfig
    role: ClassVar[str] = "user"
    plays_styles: ClassVar[bool] = True
    languages: ClassVar[tuple[str, ...]] = LANGUAGES

    async def act(self, task: UserTask) -> UserMove:
        style = style_of_turn(task)
        agenda = self._agenda(task, style)
        message = attack(task, style)
        if message is not None:
            reason = "tries to throw the app off course"
            revised = _revisions(agenda.revised)
            return UserMove(act=message, goals_met=agenda.goals_met, reason=reason, revised=revised)
        decision = agenda.decide()
        return UserMove(
            act=_deliver(decision, task, style, agenda),
            goals_met=agenda.goals_met,
            reason=decision.reason,
            revised=_revisions({**agenda.revised, **decision.revised}),
        )

    def _agenda(self, task: UserTask, style: Style) -> Agenda:
        """The agenda of a user who has forgotten its attacks."""
        turns = without_attacks(task.turns)
        if len(turns) < len(task.turns) and is_attack(task.turns[-1]):
            task = task.model_copy(update={"situation": "normal" if turns else "start"})
        seen = task.model_copy(update={"turns": turns})
        return Agenda(
            seen,
            missing_outputs(seen),
            patience=style.traits.patience or self.config.patience,
            farewell=self.config.farewell,
            press=self.config.press and style.traits.presses,
            concede=self.config.concede,
            style=style,
        )


def _deliver(decision: Decision, task: UserTask, style: Style, agenda: Agenda) -> Act | None:
    """An act in the user's style; with what it means if it says it otherwise."""
    act = decision.act
    if not isinstance(act, Say):
        return act
    last = agenda.memory.last
    offered = () if last is None else last.options
    careful = task.situation in ("rephrase", "change_topic") or agenda.misunderstood
    text = Delivery(task, style, offered, careful, decision.exact).put(act.text)
    return act if text == act.text else Say(text=text, meant=act.text)


def _revisions(values: Mapping[str, JsonValue]) -> tuple[Revision, ...]:
    return tuple(Revision(variable=name, value=value) for name, value in values.items())


def missing_outputs(task: UserTask) -> list[str]:
    """The names of the outputs that the user has not seen yet."""
    from datetime import date

    task_so_far = ExtractTask(
        turns=task.turns,
        outputs=task.outputs,
        inputs=task.inputs,
        domains=task.domains,
        language=task.language,
        today=date(2000, 1, 3),  # any day will do: only whether there is a value counts
    )
    return [output.name for output in find_outputs(task_so_far) if output.value is None]


_QUOTED = 600
_PATIENCE = 3


class AgendaGoalChecker(Agent[GoalTask, GoalCheck, PluginConfig]):
    """Role ``goal_checker``: decides as the user `agenda` does for itself, whoever speaks.

    A goal that was brought up is met when the app then answers it with a value of the kind that is
    asked for, or says its values back and that it is done. What shows it is the whole answer of
    the first turn after which that holds.
    """

    role: ClassVar[str] = "goal_checker"

    async def act(self, task: GoalTask) -> GoalCheck:
        met = [goal for goal in _met(task, len(task.turns)) if goal not in task.goals_met]
        return GoalCheck(met=tuple(self._evidence(task, goal) for goal in met))

    def _evidence(self, task: GoalTask, goal: int) -> MetGoal:
        """A goal that is met, with the first reply after which it was."""
        counts = range(1, len(task.turns) + 1)
        turn = bisect_left(counts, True, key=lambda count: goal in _met(task, count))
        turn = min(turn, len(task.turns) - 1)
        return MetGoal(goal=goal, quotation=_answer(task.turns[turn]), turn=turn)


def _met(task: GoalTask, count: int) -> tuple[int, ...]:
    """The goals that are met after so many turns; those that are met stay so."""
    seen = UserTask(
        goals=task.goals,
        inputs=task.inputs,
        domains=task.domains,
        outputs=task.outputs,
        fallbacks=task.fallbacks,
        language=task.language,
        turns=without_attacks(task.turns[:count]),
        seed=task.seed,
    )
    return Agenda(seen, (), patience=_PATIENCE, farewell=True).goals_met


def _answer(turn: Turn) -> str:
    text = plain(turn.observation.text) if turn.observation else ""
    return " ".join(text.split())[:_QUOTED]
