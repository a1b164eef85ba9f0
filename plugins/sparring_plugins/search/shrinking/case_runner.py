"""Run smaller cases against the run's suite and app, within a budget of executions."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from pydantic import JsonValue

from sparring.engine.budget import Spending
from sparring.engine.judge import judge_trace
from sparring.engine.metering import Meter
from sparring.engine.play import play
from sparring.errors import AppUnreachable, BudgetSpent
from sparring.interfaces.abilities import Previewing, Recalling
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.app_connector import AppSession
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.llm.ledger import CASE
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.talk import Act, IncidentKind, Observation, Say, Trace
from sparring.model.verdict import Verdict
from sparring.suite.building import Parts, SuiteContext, build
from sparring.suite.environment import Redaction, Redactor
from sparring.suite.reading import LoadedSuite
from sparring_plugins.search.failure_classes import failure_class_of
from sparring_plugins.search.space import CaseSpace


class OutOfBudget(Exception):
    """No further execution is allowed."""


class Rewording(NamedTuple):
    """The words to send instead of the player's own.

    `written` is the text before perturbations.
    """

    text: str
    written: str


@dataclass(frozen=True)
class Execution:
    """The result of a case: its conversation, its verdicts, and the parts of its failure class."""

    trace: Trace
    verdicts: tuple[Verdict, ...]
    kinds: frozenset[str]

    def verdict_of(self, kind: str) -> Verdict | None:
        """Return the first verdict with a part in its failure class."""
        return next(
            (verdict for verdict in self.verdicts if kind in failure_class_of([verdict])), None
        )


@dataclass
class CaseRunner:
    """Executes cases against the app, up to `budget` of them in all.

    `asks` is true once a model was seen to put cases into words. `seen` are the ids of the cases
    that were executed.
    """

    parts: Parts
    loaded: LoadedSuite
    spaces: Mapping[str, CaseSpace]
    budget: int
    executed: int = 0
    asks: bool = False
    problems: list[str] = field(default_factory=list[str])
    seen: set[str] = field(default_factory=set[str])
    _redactor: Redaction = field(default_factory=Redactor)
    _own: dict[tuple[str, int], dict[str, JsonValue]] = field(
        default_factory=dict[tuple[str, int], dict[str, JsonValue]]
    )

    async def preview(self, case: Case) -> str | None:
        """Return what would be said for a case, or None if the player cannot preview.

        Raises ModelError.
        """
        player = self.parts.player
        if not isinstance(player, Previewing):
            return None
        preview = await player.preview(case)
        self.asks = self.asks or bool(preview.wording)
        return preview.text

    async def execute(self, case: Case, said: Rewording | None = None) -> Execution:
        """Play and judge a case, in the player's own words or in others.

        Raises OutOfBudget, and AppUnreachable if the app cannot be reached.
        """
        try:
            return await self._execute(case, said)
        except BudgetSpent as err:
            self._note(str(err))
            raise OutOfBudget from err

    def recall(self, trace: Trace) -> None:
        """Say a case as it was said in a conversation, if the player can recall words."""
        if isinstance(self.parts.player, Recalling):
            self._own[trace.case.id, trace.case.seed] = trace.meta
            self.parts.player.recall(trace.case, trace.meta)

    async def _execute(self, case: Case, said: Rewording | None) -> Execution:
        CASE.set(case.id)
        player = self.parts.player if said is None else await self._reword(case, said)
        if self.executed >= self.budget:
            raise OutOfBudget
        self.executed += 1
        self.seen.add(case.id)
        try:
            return await self._play(player, case)
        finally:
            if said is not None and isinstance(self.parts.player, Recalling):
                self.parts.player.recall(case, self._own.get((case.id, case.seed)))

    async def _reword(self, case: Case, said: Rewording) -> Player[Any]:
        """Return a player that says a case in other words than its own."""
        player = self.parts.player
        if isinstance(player, Recalling):
            player.recall(case, {"utterance": said.text, "written": said.written})
            return player
        own_words = await self.preview(case)
        return (
            player
            if own_words in (None, said.text)
            else RewordingPlayer(player, own_words, said.text)
        )

    async def _play(self, player: Player[Any], case: Case) -> Execution:
        suite = self.loaded.suite
        trace = await play(
            player,
            self.parts.connector,
            case,
            timeout_s=suite.case_timeout,
            on_turn=lambda _case, _index, _turn: None,
            problem=self._note,
        )
        unreachable = next(
            (incident for incident in trace.incidents if incident.kind is IncidentKind.UNREACHABLE),
            None,
        )
        if unreachable is not None:
            raise AppUnreachable(unreachable.message)
        trace = self._redactor.for_judges(trace)
        verdicts = await judge_trace(self.parts.judges, trace, suite.judge_timeout)
        return Execution(trace, tuple(verdicts), frozenset(failure_class_of(verdicts)))

    def _note(self, message: str) -> None:
        if message not in self.problems:
            self.problems.append(message)


@asynccontextmanager
async def case_runner(loaded: LoadedSuite, budget: int) -> AsyncGenerator[CaseRunner]:
    """Open the runner of a suite; raises SparringError if its parts cannot be built."""
    suite = loaded.suite
    meter = Meter(Spending(suite.budget.model_copy(update={"cases": None, "failures": None})))
    context = SuiteContext(loaded.base_dir, seed=suite.seed, llm=suite.llm, wrap=meter.wrap)
    try:
        parts = build(suite, context, loaded.document)
        await parts.player.prepare()
        space = parts.space()
        context.names = space.names()
        spaces = {scenario.name: CaseSpace(scenario, context) for scenario in space.scenarios}
        yield CaseRunner(parts, loaded, spaces, budget)
    finally:
        await context.close()
        meter.close()


class _RewordingSession(AppSession):
    """A session that receives another text than the one that the player says."""

    def __init__(self, inner: AppSession, old: str, new: str) -> None:
        self._inner = inner
        self._old = old
        self._new = new

    async def send(self, act: Act) -> Observation:
        if isinstance(act, Say) and act.text == self._old:
            act = act.model_copy(update={"text": self._new})
        return await self._inner.send(act)


class RewordingPlayer(Player[PluginConfig]):
    """Another player, with one of its texts in other words."""

    Config: ClassVar[type[PluginConfig]] = PluginConfig

    def __init__(self, player: Player[Any], old: str, new: str) -> None:
        context: BuildContext = player.context
        super().__init__(PluginConfig(), context)
        self._player = player
        self._old = old
        self._new = new

    def space(self) -> Space:
        return self._player.space()

    async def act(self, task: PlayTask) -> Trace:
        session = _RewordingSession(task.session, self._old, self._new)
        trace = await self._player.act(replace(task, session=session))
        if trace.meta.get("utterance") == self._old:
            return trace.model_copy(update={"meta": {**trace.meta, "utterance": self._new}})
        return trace
