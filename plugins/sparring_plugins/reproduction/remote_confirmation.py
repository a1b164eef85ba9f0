"""Confirm faults on workers, each with its repeats and its minimisation."""

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel, ConfigDict

from sparring.errors import ExecutorLost, PartError
from sparring.interfaces.agent import Player
from sparring.model.confirmation import Confirmation, Fault
from sparring.model.talk import Trace
from sparring.suite.model import Confirm
from sparring_plugins.execution.worker import PlayingSession
from sparring_plugins.execution.workers import Workers, WorkersDied
from sparring_plugins.reproduction.confirmation import Confirmer, Suspect, not_played


class SuspectMessage(BaseModel):
    """A suspect as it is sent to a worker; `judge` is a label."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fault: Fault
    app: str
    judge: str
    case_ids: tuple[str, ...]
    examples: tuple[tuple[Fault, Trace], ...]
    settings: Confirm


def play_on(workers: Workers, settings: Confirm) -> Callable[[Suspect], Awaitable[Confirmation]]:
    """Return a function that has a worker play a suspect again."""

    async def play_again(suspect: Suspect) -> Confirmation:
        message = SuspectMessage(
            fault=suspect.fault,
            app=suspect.app,
            judge=suspect.judge.label,
            case_ids=tuple(suspect.case_ids),
            examples=tuple(suspect.examples),
            settings=settings,
        )
        try:
            delivered = await workers.call(confirm_suspect, message.model_dump_json().encode())
        except (ExecutorLost, WorkersDied, PartError) as err:
            return not_played(suspect, str(err))
        return Confirmation.model_validate_json(delivered.answer)

    return play_again


async def confirm_suspect(
    session: PlayingSession, payload: bytes
) -> tuple[bytes, dict[str, bytes]]:
    """Play a suspect again in a worker; see `worker.Work`."""
    message = SuspectMessage.model_validate_json(payload)
    session.begin_case(message.case_ids[0] if message.case_ids else None)
    context, suite = session.context_apart(), session.suite

    def make_player() -> Player[Any]:
        return context.part(Player[Any], suite.agent, role="player")

    confirmer = Confirmer(
        session.connector,
        context,
        message.settings,
        suite.case_timeout,
        suite.judge_timeout,
        make_player,
    )
    judge = next(judge for judge in session.judges if judge.label == message.judge)
    suspect = Suspect(
        message.fault, message.app, judge, list(message.case_ids), list(message.examples)
    )
    confirmation = await confirmer.play_again(suspect)
    cleaned: Confirmation = session.redactor.cleaned(confirmation)
    return cleaned.model_dump_json().encode(), {}
