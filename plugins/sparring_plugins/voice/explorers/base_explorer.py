"""What the explorer and its baselines share: sessions, budgets, what is kept, and the trace."""

from abc import abstractmethod
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any, TypeVar

from pydantic import JsonValue

from sparring.engine.play import incident_of
from sparring.errors import AppError, AppUnreachable, BudgetSpent, SparringError
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.app_connector import AppSession
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring.model.space import Scenario, Space, Variable
from sparring.model.talk import (
    Act,
    Ended,
    Incident,
    Listen,
    Observation,
    Press,
    Say,
    Trace,
)
from sparring_plugins.language.text import plain, sentences
from sparring_plugins.voice.behaviour.model import FAILURE, BehaviourModel, Input, State
from sparring_plugins.voice.explorers.model_files import ModelKeeper
from sparring_plugins.voice.explorers.settings import TesterConfig

OVER = "exploration_over"
"""The key of `Trace.meta` that says that no further session is wanted."""

IDLE_SESSIONS = 3
"""So many sessions in a row in which nothing could be said end an exploration."""

_RECENT = 6

ConfigT = TypeVar("ConfigT", bound=TesterConfig)


@dataclass
class Talk:
    """One session that is being played: the open conversation and the model that it goes on with.

    `taken` counts its turns, `steps` has for each input the state reached and why it was chosen.
    """

    config: TesterConfig
    model: BehaviourModel
    session: AppSession
    seed: int
    taken: int = 0
    ended: bool = False
    failed: AppError | None = None
    steps: list[dict[str, JsonValue]] = field(default_factory=list[dict[str, JsonValue]])
    began: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self.draw = Random(self.seed)
        self.recent: list[str] = []

    @property
    def goes_on(self) -> bool:
        """Whether another turn may be taken in this session."""
        return not self.ended and self.taken < self.config.session_turns and not self.spent()

    def spent(self) -> bool:
        """Whether the exploration has no turn or no time left."""
        if self.model.turns >= self.config.turns:
            return True
        minutes = self.config.minutes
        seconds = self.model.seconds + monotonic() - self.began
        return minutes is not None and seconds >= minutes * 60

    async def listen(self) -> Observation | None:
        """What the app says first; None where it says nothing."""
        self.model.sessions += 1
        self.model.start.visits += 1
        heard = await self._heard(Listen())
        if heard is None:
            return None
        if not (heard.text.strip() or heard.choices):
            self.ended = False  # nothing has begun that could be over
            return None
        return heard

    async def say(self, by: Input) -> Observation | None:
        """Say or press an input, as a turn; None where the app failed."""
        self.taken += 1
        self.model.turns += 1
        self.recent = [*self.recent, by.text][-_RECENT:]
        act: Act = Press(label=by.text, value=by.value) if by.pressed else Say(text=by.text)
        return await self._heard(act)

    def fail(self, source: State, by: Input) -> State:
        """Count that an input broke the app."""
        return self.arrived(source, by, self.model.named(FAILURE), type(self.failed).__name__)

    def arrived(
        self, source: State, by: Input, target: State, reason: str, *, news: bool = False
    ) -> State:
        """Count where an input led, and note it for the trace."""
        self.model.lead(source, by, target, news=news)
        self.steps.append({"input": by.text, "state": target.id, "reason": reason})
        return target

    async def _heard(self, act: Act) -> Observation | None:
        """The app's answer; None if it failed. What is not the app's doing passes."""
        try:
            heard = await self.session.send(act)
        except AppUnreachable:
            raise
        except AppError as err:
            self.failed, self.ended = err, True
            return None
        self.ended = heard.ended
        self.model.heard(list(sentences(plain(heard.text))))
        return heard


class Tester(Player[ConfigT]):
    """The base of players that talk to an app to learn what it can do, session by session."""

    def __init__(self, config: ConfigT, context: BuildContext) -> None:
        super().__init__(config, context)
        self._keeper = ModelKeeper(context.run_dir)

    @abstractmethod
    async def converse(self, talk: Talk) -> None:
        """Play one session, to its end or as long as `talk.goes_on`."""

    def fresh_model(self) -> BehaviourModel:
        """What the first session begins with."""
        return BehaviourModel()

    def kept_model(self, model: BehaviourModel) -> BehaviourModel:
        """What of a session's model the next one begins with."""
        return model

    def space(self) -> Space:
        return space_of(self.config)

    def meta(self, case: Case) -> dict[str, JsonValue]:
        name, number = exploration_name(case), case.repeat
        return self._meta(name, number, self._keeper.kept(name, number))

    async def act(self, task: PlayTask) -> Trace:
        name, number = exploration_name(task.case), task.case.repeat
        self._keeper.begin(name, number)
        try:
            model = await self._keeper.before(name, number) or self.fresh_model()
            model.app = name
            seed = Random(task.case.seed).randrange(2**31)
            talk = Talk(self.config, model, task.session, seed)
            return await self._played(task, talk, name, number)
        finally:
            self._keeper.over(name, number)

    async def _played(self, task: PlayTask, talk: Talk, name: str, number: int) -> Trace:
        incidents: list[Incident] = []
        try:
            await self.converse(talk)
        except BudgetSpent:
            raise
        except SparringError as err:
            incidents.append(incident_of(err, _last(task)))
        except BaseException:
            self._close(talk, name, number)
            raise
        artifacts = self._close(talk, name, number)
        if talk.failed is not None:
            incidents.append(incident_of(talk.failed, _last(task)))
        ended = Ended.APP_ENDED if talk.ended else Ended.TURN_LIMIT
        meta: dict[str, JsonValue] = {
            **self._meta(name, number, talk.model),
            OVER: talk.spent() or talk.model.idle_sessions >= IDLE_SESSIONS,
            "steps": list[JsonValue](talk.steps),
        }
        return task.trace(
            Ended.INCIDENT if incidents else ended,
            incidents=incidents,
            artifacts=artifacts,
            meta=meta,
        )

    def _close(self, talk: Talk, name: str, number: int) -> list[Any]:
        model = talk.model
        if self.config.minutes is not None:
            model.seconds += monotonic() - talk.began
        model.idle_sessions = 0 if talk.taken else model.idle_sessions + 1
        kept = self._keeper.keep(name, number, self.kept_model(model))
        return [kept] if kept else []

    def _meta(self, name: str, number: int, model: BehaviourModel | None) -> dict[str, JsonValue]:
        spent = model is not None and (
            model.turns >= self.config.turns or model.idle_sessions >= IDLE_SESSIONS
        )
        return {
            "exploration": name,
            "session": number,
            "states": len(model.states) if model else 0,
            "turns": model.turns if model else 0,
            OVER: spent,
        }


def space_of(config: TesterConfig) -> Space:
    """What varies from case to case for a tester: the apps, and repeated explorations."""
    numbers = tuple(range(1, config.explorations + 1))
    repeated = [Variable(name="exploration", domain=numbers, scale="ordinal")]
    variables = repeated if config.explorations > 1 else list[Variable]()
    made = [
        Scenario(
            name=app or "exploration",
            variables=(*([Variable(name="app", domain=(app,))] if app else []), *variables),
            description=f"exploration of {app}" if app else "exploration of the app",
        )
        for app in config.apps or ("",)
    ]
    return Space(scenarios=tuple(made))


def exploration_name(case: Case) -> str:
    """What an exploration is called: its app, and which repetition it is."""
    app, number = case.params.get("app"), case.params.get("exploration")
    name = app if isinstance(app, str) and app else case.scenario
    return name if number is None else f"{name} {number}"


def _last(task: PlayTask) -> int | None:
    return len(task.turns) - 1 if task.turns else None
