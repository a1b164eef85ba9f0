"""The simulated user without a language model."""

from typing import ClassVar

from pydantic import Field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import ExtractTask, UserMove, UserTask
from sparring_plugins.agents.agenda.deciding import Agenda
from sparring_plugins.agents.patterns.finding import find_outputs


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
    the same move. Words are English or Spanish; in other languages the goals are said as written.
    The interaction styles of a profile are not acted out: it always speaks in the default style.
    """

    Config: ClassVar[type[PluginConfig]] = AgendaUserConfig
    role: ClassVar[str] = "user"
    plays_styles: ClassVar[bool] = False

    async def act(self, task: UserTask) -> UserMove:
        agenda = Agenda(
            task,
            _missing(task),
            patience=self.config.patience,
            farewell=self.config.farewell,
            press=self.config.press,
            concede=self.config.concede,
        )
        decision = agenda.decide()
        return UserMove(act=decision.act, goals_met=agenda.goals_met, reason=decision.reason)


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
