"""The player `explorer`: finds out what an unknown app can do, session by session."""

from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, ClassVar

from pydantic import JsonValue

from sparring.errors import (
    AppCrash,
    AppError,
    AppProtocolError,
    AppTimeout,
    AppUnreachable,
    ConfigurationError,
    Problem,
)
from sparring.interfaces.agent import Agent, Player, PlayTask
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use
from sparring.model.case import Case
from sparring.model.space import Scenario, Space, Variable
from sparring.model.talk import Ended, Incident, IncidentKind, Trace
from sparring.model.verdict import Owner
from sparring_plugins.agents.explorer.ablation import (
    ExactObserver,
    PlainGenerator,
    RandomPlanner,
)
from sparring_plugins.agents.explorer.keeping import ModelKeeper
from sparring_plugins.agents.explorer.session import Agents, Exploration
from sparring_plugins.agents.explorer.settings import ExplorerConfig, TesterConfig
from sparring_plugins.behaviour.model import BehaviourModel

OVER = "exploration_over"
SESSION = "session"
IDLE_SESSIONS = 3
"""So many sessions in a row in which nothing could be said end an exploration."""

_INCIDENTS: dict[type[AppError], tuple[IncidentKind, Owner]] = {
    AppCrash: (IncidentKind.CRASH, Owner.APP),
    AppTimeout: (IncidentKind.TIMEOUT, Owner.APP),
    AppProtocolError: (IncidentKind.PROTOCOL, Owner.APP),
    AppUnreachable: (IncidentKind.UNREACHABLE, Owner.INFRASTRUCTURE),
}


def space_of(config: TesterConfig, name: str) -> Space:
    """What varies from case to case for a tester: the apps, and repeated explorations."""
    variables = []
    if config.explorations > 1:
        numbers = tuple(range(1, config.explorations + 1))
        variables.append(Variable(name="exploration", domain=numbers, scale="ordinal"))
    made = [
        Scenario(
            name=app or name,
            variables=(*([Variable(name="app", domain=(app,))] if app else []), *variables),
            description=f"exploration of {app}" if app else "exploration of the app",
        )
        for app in config.apps or ("",)
    ]
    return Space(scenarios=tuple(made))


def exploration_name(case: Case) -> str:
    """What an exploration is called: its app, and which repetition it is."""
    number = case.params.get("exploration")
    return case.scenario if number is None else f"{case.scenario} {number}"


def session_number(case: Case) -> int:
    """Which session of its exploration a case is, from 1."""
    number = case.params.get(SESSION)
    return number if isinstance(number, int) and number >= 1 else 1


def incident_of(err: AppError, turn: int | None) -> Incident:
    """The incident that an app's failure is recorded as."""
    kind, owner = next(
        (found for error, found in _INCIDENTS.items() if isinstance(err, error)),
        (IncidentKind.CRASH, Owner.APP),
    )
    return Incident(kind=kind, message=str(err), owner=owner, turn=turn)


class Explorer(Player[ExplorerConfig]):
    """Talks to an unknown app to see as much of it as it can (Elevate, section 3).

    After each answer the observer says in which state the app is, the generator what could be said
    there, and the planner what is said next; the behaviour model keeps states, inputs, and where
    they led. The strategy `sessions` plays session after session, each with the model of the one
    before, until the turns or minutes are spent.
    """

    Config: ClassVar[type[PluginConfig]] = ExplorerConfig

    def __init__(self, config: ExplorerConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        without = config.without
        self.agents = Agents(
            ExactObserver() if "observer" in without else self._part(config.observer, "observer"),
            PlainGenerator()
            if "generator" in without
            else self._part(config.generator, "generator"),
            RandomPlanner() if "planner" in without else self._part(config.planner, "planner"),
        )
        self._document = _document(config.document, context)
        self._first = _stored(config.start_from, context)
        self._keeper = ModelKeeper(context.run_dir)

    def _part(self, use: Use, role: str) -> Any:
        return self.context.part(Agent[Any, Any, Any], use, role=role)

    def space(self) -> Space:
        return space_of(self.config, "exploration")

    async def act(self, task: PlayTask) -> Trace:
        name, number = exploration_name(task.case), session_number(task.case)
        self._keeper.begin(name, number)
        try:
            model = await self._keeper.before(name, number) or self._fresh(name)
            exploration = Exploration(
                agents=self.agents,
                config=self.config,
                model=model,
                session=task.session,
                document=self._document,
                seed=Random(task.case.seed).randrange(2**31),
            )
            await exploration.run()
            return self._trace(task, name, number, exploration)
        finally:
            self._keeper.over(name, number)

    def _fresh(self, name: str) -> BehaviourModel:
        model = self._first.copied() if self._first is not None else BehaviourModel()
        model.app = name
        return model

    def _trace(self, task: PlayTask, name: str, number: int, done: Exploration) -> Trace:
        model = done.model
        model.seconds += monotonic() - done.began if self.config.minutes is not None else 0.0
        model.idle_sessions = 0 if done.taken else model.idle_sessions + 1
        over = done.spent() or model.idle_sessions >= IDLE_SESSIONS
        kept = model if "model" not in self.config.without else _forgotten(model)
        artifact = self._keeper.keep(name, number, kept)
        incidents = [incident_of(done.failed, len(task.turns) - 1)] if done.failed else []
        meta: dict[str, JsonValue] = {
            OVER: over,
            "exploration": name,
            "session": number,
            "steps": [dict(step) for step in done.steps],
            "states": len(model.states),
            "turns": model.turns,
        }
        ended = (
            Ended.INCIDENT if done.failed else Ended.APP_ENDED if done.ended else Ended.TURN_LIMIT
        )
        return task.trace(
            ended, incidents=incidents, artifacts=[artifact] if artifact else [], meta=meta
        )


def _forgotten(model: BehaviourModel) -> BehaviourModel:
    """A model of which only the counters of the budget are left."""
    return BehaviourModel(
        app=model.app,
        sessions=model.sessions,
        turns=model.turns,
        seconds=model.seconds,
        idle_sessions=model.idle_sessions,
    )


def _document(written: str | None, context: BuildContext) -> str:
    """The app's description: the text itself, or that of the file which it names."""
    if written is None:
        return ""
    if "\n" in written or len(written.split()) > 3:
        return written
    paths = context.files(written)
    try:
        return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", written)) from err


def _stored(path: str | None, context: BuildContext) -> BehaviourModel | None:
    if path is None:
        return None
    found: Path = context.files(path)[0]
    try:
        text = found.read_text(encoding="utf-8", errors="replace")
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(found))) from err
    model = BehaviourModel.loaded(text, str(found))
    model.sessions = model.turns = model.idle_sessions = 0
    model.seconds = 0.0
    return model
