"""An app and a strategy that repeat a stored run, for ``sparring replay``."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from pydantic import Field, JsonValue

from sparring.engine.play import KINDS, CaseTimeout
from sparring.errors import (
    AppCrash,
    ConfigurationError,
    EnvironmentFailure,
    MachineBusy,
    PartError,
    SparringError,
)
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.talk import (
    Act,
    AppFacts,
    Ended,
    Incident,
    IncidentKind,
    Listen,
    Observation,
    Trace,
    act_text,
)
from sparring.model.verdict import Owner
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring_plugins.reproduction.survived_errors import survived_error


class ReplayDiverged(SparringError):
    """A repeated conversation went another way than the recorded one."""


class RecordedConfig(PluginConfig):
    """Which run is repeated."""

    run: str = Field(description="the folder of a stored run")


class RecordedApp(AppConnector[RecordedConfig]):
    """Answers as the app did in a stored run, as long as it is told the same.

    Errors of the app, of the connector and of the machine are raised again where they came. Raises
    ReplayDiverged for anything that was not said in the recorded conversation.
    """

    Config: ClassVar[type[PluginConfig]] = RecordedConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(Capability)

    def __init__(self, config: RecordedConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._stored = StoredRun(Path(config.run))
        self._redactor = Redactor()
        self._running: dict[str, _Script] = {}

    def recorded(self, case: Case) -> Trace | None:
        """See `AppConnector.recorded`."""
        try:
            stored = self._stored.case(case.id).trace
        except KeyError:
            return None
        # What the user now says has no secrets taken out yet.
        trace: Trace = self._redactor.restored(stored)
        return trace

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        """A session that goes through the recorded turns; sessions of one case share them."""
        script = self._running.get(case.id)
        if script is None:
            trace = self.recorded(case)
            if trace is None:
                raise ReplayDiverged(f"the run {self._stored.manifest.id} has no case {case.id!r}")
            script = self._running[case.id] = _Script(trace)
        script.sessions += 1
        try:
            if script.unopened is not None:
                raise _error(script.unopened)
            yield script
        finally:
            script.sessions -= 1
            if not script.sessions:
                del self._running[case.id]


class _Script(AppSession):
    """The turns of one recorded conversation, and how far it got."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.sessions = 0
        self._next = 0

    @property
    def unopened(self) -> Incident | None:
        """Why the app could not be reached at all."""
        return None if self.trace.turns else self._ending

    @property
    def _ending(self) -> Incident | None:
        """What broke the conversation off, other than the player itself."""
        if self.trace.ended is not Ended.INCIDENT:
            return None
        return next((one for one in self.trace.incidents if one.kind in _FROM_OUTSIDE), None)

    def facts(self) -> AppFacts | None:
        """What was told of the app then."""
        return self.trace.app

    def upcoming(self) -> tuple[Act, ...]:
        """See `AppSession.upcoming`."""
        return tuple(turn.act for turn in self.trace.turns[self._next : self._next + 1])

    async def send(self, act: Act) -> Observation:
        """What was answered to this act; raises ReplayDiverged, or the error of then."""
        turns = self.trace.turns
        turn = turns[self._next] if self._next < len(turns) else None
        if turn is None or turn.act != act:
            if isinstance(act, Listen):
                return Observation()  # silence that was waited for is not kept in a trace
            if turn is None and self._ending is not None:
                raise _error(self._ending)  # a case that was over time, for example
            then = f"{act_text(turn.act)[:100]!r}" if turn else "nothing more"
            raise ReplayDiverged(
                f"in turn {self._next + 1} of {self.trace.case.id} the user now says "
                f"{act_text(act)[:100]!r}; recorded was {then}"
            )
        self._next += 1
        if turn.observation is not None:
            return turn.observation
        raise self._failure(self._next - 1)

    def _failure(self, turn: int) -> SparringError:
        for incident in self.trace.incidents:
            if incident.turn == turn:
                return _error(incident)
        return survived_error(self.trace, turn) or AppCrash(
            "there was no answer, and no reason is recorded"
        )


_FROM_OUTSIDE = frozenset(
    {
        *(kind for kind, _ in KINDS.values()),
        IncidentKind.CASE_TIMEOUT,
        IncidentKind.CONNECTOR_ERROR,
        IncidentKind.ENVIRONMENT,
        IncidentKind.MACHINE_BUSY,
    }
)
"""Incidents that a player that repeats a conversation does not bring about itself."""

_ERRORS: dict[IncidentKind, type[SparringError]] = {
    **{kind: error for error, (kind, _) in KINDS.items()},
    IncidentKind.CASE_TIMEOUT: CaseTimeout,
    IncidentKind.ENVIRONMENT: EnvironmentFailure,
    IncidentKind.MACHINE_BUSY: MachineBusy,
}


class _ConnectorBroke(PartError):
    """What a connector raised then: its text names the connector and the call already."""

    def __init__(self, text: str) -> None:
        super().__init__("connector", "recorded", "send", text)
        self.args = (text,)


def _error(incident: Incident) -> SparringError:
    """Return the error from which the engine makes an incident that is equal to a recorded one."""
    if incident.kind is IncidentKind.CONNECTOR_ERROR:
        return _ConnectorBroke(incident.message)
    if incident.kind is IncidentKind.PLAYER_ERROR and incident.owner is Owner.TEST:
        return ConfigurationError(incident.message)
    return _ERRORS.get(incident.kind, SparringError)(incident.message)


class RecordedCasesConfig(RecordedConfig):
    """Which run is repeated, and which of its cases; all of them if none is named."""

    cases: tuple[str, ...] = ()


class RecordedCases(SearchStrategy[RecordedCasesConfig]):
    """Asks the judged cases of a stored run again, in the order in which they were asked."""

    Config: ClassVar[type[PluginConfig]] = RecordedCasesConfig
    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "never"

    def __init__(self, config: RecordedCasesConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._stored = StoredRun(Path(config.run))
        case_ids = frozenset(config.cases)
        ids = self._stored.case_ids
        self._ids = tuple(i for i in ids if i in case_ids) if case_ids else ids
        self._asked = 0

    def start(self, space: Space, seed: int) -> None:
        """Begin with the first case, whatever the space."""
        self._asked = 0

    def ask(self, n: int) -> Sequence[Case]:
        """The next cases."""
        ids = self._ids[self._asked : self._asked + n]
        self._asked += len(ids)
        return [self._stored.case(case_id).trace.case for case_id in ids]

    @property
    def done(self) -> bool:
        """Whether all were asked."""
        return self._asked >= len(self._ids)

    def state(self) -> JsonValue:
        """How many were asked."""
        return self._asked

    def restore(self, state: JsonValue) -> None:
        """Go on after this many cases."""
        self._asked = state if isinstance(state, int) else 0

    def expected(self) -> int | None:
        """All of them."""
        return len(self._ids)


RECORDED_MODEL = "sparring_plugins.llm.replay:RecordedModel"
"""Answers what it was asked in the stored run, and nothing else."""


def repeated(
    suite: dict[str, Any], stored: StoredRun, cases: Sequence[str] = (), model: str = RECORDED_MODEL
) -> dict[str, Any]:
    """What of a suite is replaced to repeat a stored run: the app, the strategy, the models.

    `cases` are the ids of those that are repeated; all if there are none. `model` is the import
    path of what answers for the models. Another one than `RECORDED_MODEL` also answers in a suite
    that named none.

    Of the models stays what they were asked with (temperature, seed ...), so that the questions
    are the recorded ones; limits of the budget do not count again.
    """
    run = str(stored.folder.resolve())
    named = {"cases": list(cases)} if cases else {}
    changes: dict[str, Any] = {
        "app": {"use": f"{__name__}:RecordedApp", "run": run},
        "strategy": {"use": f"{__name__}:RecordedCases", "run": run, **named},
        "budget": {},
        "confirm": False,
    }
    if suite.get("llm") is not None or model != RECORDED_MODEL:
        changes["llm"] = _recorded_llm(_keys(suite.get("llm")), run, model)
    return changes


_ASKED_WITH = ("temperature", "seed", "max_tokens")


def _recorded_llm(llm: Mapping[str, Any], run: str, use: str) -> dict[str, Any]:
    model_settings = {key: llm[key] for key in _ASKED_WITH if key in llm}
    own: dict[str, Any] = {}
    for role, said in _keys(llm.get("roles")).items():
        own[role] = {key: value for key, value in _keys(said).items() if key in _ASKED_WITH}
    return {"use": use, "run": run, **model_settings, **({"roles": own} if own else {})}


def _keys(value: Any) -> Mapping[str, Any]:
    """The keys of a map; none of a short form."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
