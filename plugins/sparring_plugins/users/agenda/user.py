"""The simulated user without a language model."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import ExtractTask, Revision, UserMove, UserTask
from sparring.model.talk import Act, Say
from sparring_plugins.users.agenda.adversarial import attack, heeded, is_attack
from sparring_plugins.users.agenda.delivery import Delivery
from sparring_plugins.users.agenda.frames import LANGUAGES
from sparring_plugins.users.agenda.next_move import Agenda
from sparring_plugins.users.agenda.style import Manner, manner_of
from sparring_plugins.users.extraction.search import find_outputs


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
        manner = manner_of(task)
        agenda = self._agenda(task, manner)
        lure = attack(task, manner)
        if lure is not None:
            reason = "tries to throw the app off course"
            revised = _revisions(agenda.revised)
            return UserMove(act=lure, goals_met=agenda.goals_met, reason=reason, revised=revised)
        decision = agenda.decide()
        return UserMove(
            act=_delivered(decision.act, task, manner, agenda),
            goals_met=agenda.goals_met,
            reason=decision.reason,
            revised=_revisions({**agenda.revised, **decision.revised}),
        )

    def _agenda(self, task: UserTask, manner: Manner) -> Agenda:
        """The agenda of a user who thinks no more of what served no goal."""
        turns = heeded(task.turns)
        if len(turns) < len(task.turns) and is_attack(task.turns[-1]):
            task = task.model_copy(update={"situation": "normal" if turns else "start"})
        seen = task.model_copy(update={"turns": turns})
        return Agenda(
            seen,
            _missing(seen),
            patience=manner.traits.patience or self.config.patience,
            farewell=self.config.farewell,
            press=self.config.press and manner.traits.presses,
            concede=self.config.concede,
            manner=manner,
        )


def _delivered(act: Act | None, task: UserTask, manner: Manner, agenda: Agenda) -> Act | None:
    """An act as a user of that manner does it; with what it means, where it says it otherwise."""
    if not isinstance(act, Say):
        return act
    last = agenda.memory.last
    offered = () if last is None else last.options
    careful = task.situation in ("rephrase", "change_topic") or agenda.misunderstood
    text = Delivery(task, manner, offered, careful).put(act.text)
    return act if text == act.text else Say(text=text, meant=act.text)


def _revisions(values: Mapping[str, JsonValue]) -> tuple[Revision, ...]:
    return tuple(Revision(variable=name, value=value) for name, value in values.items())


def _missing(task: UserTask) -> list[str]:
    """The names of the outputs that the user has not seen yet."""
    from datetime import date

    asked = ExtractTask(
        turns=task.turns,
        outputs=task.outputs,
        inputs=task.inputs,
        domains=task.domains,
        language=task.language,
        today=date(2000, 1, 3),  # any day will do: only whether there is a value counts
    )
    return [output.name for output in find_outputs(asked) if output.value is None]
