"""The interface `Agent`, and the role `player`."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import ClassVar, Generic, TypeVar

from pydantic import JsonValue

from sparring.interfaces.app_connector import AppSession, Capability
from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.talk import Artifact, Ended, Incident, Output, Trace, Turn

TaskT = TypeVar("TaskT", contravariant=True)
AnswerT = TypeVar("AnswerT", covariant=True)


class Agent(Plugin[ConfigT], Generic[TaskT, AnswerT, ConfigT]):
    """Something that is given a typed task and answers it.

    `role` says which task and answer: ``player`` (`PlayTask` to `Trace`), and the roles of
    `sparring.interfaces.roles` (``user``, ``extractor`` ...). Whether a language model is
    behind it is the plugin's own business; both kinds obey the same contract.
    """

    role: ClassVar[str]

    @abstractmethod
    async def act(self, task: TaskT) -> AnswerT:
        """Answer the task."""


@dataclass(frozen=True, slots=True)
class PlayTask:
    """A case to play and an open session to play it in.

    `turns` grows as the session is used: every `session.send` is measured and recorded by
    the engine, also those that raise. The player ends by returning `trace(...)`.
    """

    case: Case
    session: AppSession
    turns: Sequence[Turn]
    started: datetime
    clock: float = field(default_factory=monotonic)

    def trace(
        self,
        ended: Ended,
        *,
        outputs: Sequence[Output] = (),
        incidents: Sequence[Incident] = (),
        artifacts: Sequence[Artifact] = (),
        meta: Mapping[str, JsonValue] | None = None,
    ) -> Trace:
        """The trace of everything recorded so far, with what the player adds."""
        return Trace(
            case=self.case,
            turns=tuple(self.turns),
            outputs=tuple(outputs),
            incidents=tuple(incidents),
            artifacts=tuple(artifacts),
            ended=ended,
            started=self.started,
            duration_s=monotonic() - self.clock,
            meta=dict(meta or {}),
        )


class Player(Agent[PlayTask, Trace, ConfigT]):
    """The role ``player``: turns a case and an open session into a trace.

    A player may let AppErrors of the session pass: the engine then makes the trace of the
    turns so far, adds the incident and the result of `meta`. It may also catch them, and
    return a trace with incidents of its own.
    """

    role: ClassVar[str] = "player"
    #: What it needs of the app.
    needs: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT})
    #: Names of oracles that judge its conversations too, unless a suite names them itself.
    oracles: ClassVar[tuple[str, ...]] = ()

    async def prepare(self) -> None:
        """Find out what `space` depends on and only a language model or the app can tell.

        Called once in every session of a run, before its first case is planned and with its log
        open; `space` is asked again afterwards. A run that is taken up again must find the same
        (keep it in `context.run_dir`). Not called if nothing is run, as by ``sparring
        validate``: `space` must work without it. Raises ConfigurationError.
        """

    @abstractmethod
    def space(self) -> Space:
        """What may vary from case to case; raises ConfigurationError for bad inputs."""

    def meta(self, case: Case) -> dict[str, JsonValue]:
        """What a trace of `case` says in `Trace.meta` when the player itself could not finish."""
        return {}
