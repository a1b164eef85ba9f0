"""What the explorer and its baselines share: settings, sessions, budgets, and the trace."""

from abc import abstractmethod
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from sparring.engine.play import incident_of
from sparring.errors import AppError, AppUnreachable, BudgetSpent, SparringError
from sparring.interfaces.abilities import CaseSequence
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.app_connector import AppSession
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.case import Case
from sparring.model.space import Scenario, Space, Variable
from sparring.model.talk import (
    Act,
    Choice,
    Ended,
    Incident,
    Listen,
    Observation,
    Press,
    Say,
    Trace,
)
from sparring_plugins.language.text import plain, sentences
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.voice.behaviour_model import (
    FAILURE,
    FOLDER,
    UNREACHABLE,
    BehaviourModel,
    Input,
    ModelKeeper,
    State,
    file_name,
)
from sparring_plugins.voice.roles import InputOrigin

OVER = "exploration_over"
"""The key of `Trace.meta` that is true if no further session is wanted."""

MAX_IDLE_SESSIONS = 3
"""An exploration ends after so many sessions in a row in which nothing could be said."""

# A model needs the way that led here, not the whole conversation.
_MAX_RECENT = 6


class SystemInputs(BaseModel):
    """The content of ``system_inputs.yaml``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chat: tuple[str, ...]
    voice: tuple[str, ...]
    standard: tuple[str, ...]


SYSTEM_INPUTS = SystemInputs.model_validate(
    bundled_yaml("sparring_plugins.voice.explorers", "system_inputs.yaml")
)


class BaseExplorerConfig(PluginConfig):
    """Settings that the explorer and its baselines share.

    `apps` names several apps, each explored on its own (the connector gets the name as the case's
    parameter ``app``); left out there is one. `turns` is how many inputs each exploration sends in
    all, `session_turns` how many of one session, `minutes` how long an exploration takes at most.
    `explorations` repeats all of it with other seeds. `medium` chooses the `system_inputs`, words
    that are tried although the app says nothing of them. `openings` are said to an app that does
    not speak first. `farewell` is said at the end of a session that the app does not end itself; it
    counts as a turn.
    """

    apps: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = ()
    turns: int = Field(default=60, ge=1, le=100_000)
    session_turns: int = Field(default=20, ge=1, le=1_000)
    minutes: float | None = Field(default=None, gt=0, le=525_600)
    explorations: int = Field(default=1, ge=1, le=1_000)
    medium: Literal["chat", "voice"] = "chat"
    system_inputs: tuple[str, ...] | None = None
    openings: tuple[str, ...] = ("hello",)
    farewell: str | None = None
    language: str = "English"

    @field_validator("apps")
    @classmethod
    def _refuse_duplicates(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        twice = sorted({name for name in value if value.count(name) > 1})
        if twice:
            raise ValueError(f"names {twice[0]!r} twice")
        return value

    @property
    def system(self) -> tuple[str, ...]:
        """The inputs of the system."""
        if self.system_inputs is not None:
            return self.system_inputs
        return SYSTEM_INPUTS.voice if self.medium == "voice" else SYSTEM_INPUTS.chat


ConfigT = TypeVar("ConfigT", bound=BaseExplorerConfig)


@dataclass
class ExplorationSession:
    """One session that is being played: the open conversation and the model that it extends.

    `taken` counts its turns, `steps` has for each input the state reached and why it was chosen.
    """

    config: BaseExplorerConfig
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
        return not self.ended and self.taken < self.config.session_turns and not self.is_spent()

    def is_spent(self) -> bool:
        """Return whether the exploration has no turn or no time left."""
        if self.model.turns >= self.config.turns:
            return True
        minutes = self.config.minutes
        seconds = self.model.seconds + monotonic() - self.began
        return minutes is not None and seconds >= minutes * 60

    def begin(self) -> None:
        """Count the session."""
        self.model.sessions += 1
        self.model.start.visits += 1

    async def listen(self) -> Observation | None:
        """Return what the app says first, or `None` if it says nothing."""
        self.begin()
        output = await self._send(Listen())
        if output is None:
            return None
        if not (output.text.strip() or output.choices):
            self.ended = False  # nothing has begun that could be over
            return None
        return output

    async def say(self, by: Input) -> Observation | None:
        """Say or press an input, as a turn; returns `None` if the app failed."""
        self.taken += 1
        self.model.turns += 1
        self.recent = [*self.recent, by.text][-_MAX_RECENT:]
        act: Act = Press(label=by.text, value=by.value) if by.pressed else Say(text=by.text)
        return await self._send(act)

    def record_failure(self, source: State, by: Input) -> State:
        """Count that an input broke the app."""
        target = self.model.fixed_state(FAILURE)
        return self.record_step(source, by, target, type(self.failed).__name__)

    def record_unreachable(self, source: State, by: Input) -> State:
        """Count that an input cannot be answered here; that is no failure of the app."""
        target = self.model.fixed_state(UNREACHABLE)
        return self.record_step(source, by, target, AppUnreachable.__name__)

    def record_step(
        self, source: State, by: Input, target: State, reason: str, *, news: bool = False
    ) -> State:
        """Count where an input led, and note it for the trace; returns the target."""
        self.model.count_transition(source, by, target, news=news)
        self.steps.append({"input": by.text, "state": target.id, "reason": reason})
        return target

    async def _send(self, act: Act) -> Observation | None:
        """Return the app's answer, or `None` if it failed.

        Raises AppUnreachable and every error that is not the app's.
        """
        try:
            output = await self.session.send(act)
        except AppUnreachable:
            raise
        except AppError as err:
            self.failed, self.ended = err, True
            return None
        self.ended = output.ended
        self.model.add_sentences(list(sentences(plain(output.text))))
        return output


class BaseExplorer(Player[ConfigT]):
    """The base of players that talk to an app to learn what it can do, session by session."""

    def __init__(self, config: ConfigT, context: BuildContext) -> None:
        super().__init__(config, context)
        self._keeper = ModelKeeper(context.run_dir)

    @abstractmethod
    async def converse(self, session: ExplorationSession) -> None:
        """Play one session, to its end or as long as `session.goes_on`."""

    def fresh_model(self) -> BehaviourModel:
        """Return the model that the first session begins with."""
        return BehaviourModel()

    def kept_model(self, model: BehaviourModel) -> BehaviourModel:
        """Return what of a session's model the next one begins with."""
        return model

    def space(self) -> Space:
        return space_of(self.config)

    def sequence(self, case: Case) -> CaseSequence:
        """Return the exploration that a session belongs to (`PlaysSequences`)."""
        name = exploration_name(case)
        return CaseSequence(name=name, folder=f"{FOLDER}/{file_name(name)}")

    def meta(self, case: Case) -> dict[str, JsonValue]:
        name, number = exploration_name(case), case.repeat
        return self._meta(name, number, self._keeper.model_after(name, number))

    async def act(self, task: PlayTask) -> Trace:
        name, number = exploration_name(task.case), task.case.repeat
        self._keeper.begin(name, number)
        try:
            model = await self._keeper.model_before(name, number) or self.fresh_model()
            model.app = name
            seed = Random(task.case.seed).randrange(2**31)
            session = ExplorationSession(self.config, model, task.session, seed)
            return await self._play(task, session, name, number)
        finally:
            self._keeper.finish(name, number)

    async def _play(
        self, task: PlayTask, session: ExplorationSession, name: str, number: int
    ) -> Trace:
        incidents: list[Incident] = []
        try:
            await self.converse(session)
        except BudgetSpent:
            raise
        except SparringError as err:
            incidents.append(incident_of(err, _last_turn(task)))
        except BaseException:
            self._close(session, name, number)
            raise
        artifacts = self._close(session, name, number)
        if session.failed is not None:
            incidents.append(incident_of(session.failed, _last_turn(task)))
        ended = Ended.APP_ENDED if session.ended else Ended.TURN_LIMIT
        meta: dict[str, JsonValue] = {
            **self._meta(name, number, session.model),
            OVER: session.is_spent() or session.model.idle_sessions >= MAX_IDLE_SESSIONS,
            "steps": list[JsonValue](session.steps),
        }
        return task.trace(
            Ended.INCIDENT if incidents else ended,
            incidents=incidents,
            artifacts=artifacts,
            meta=meta,
        )

    def _close(self, session: ExplorationSession, name: str, number: int) -> list[Any]:
        """Keep the session's model; returns the artifacts."""
        model = session.model
        # Measured times would make the models of two equal runs differ: they are kept only if time
        # is limited.
        if self.config.minutes is not None:
            model.seconds += monotonic() - session.began
        # An app that cannot be opened would be tried until the budget of cases is spent.
        model.idle_sessions = 0 if session.taken else model.idle_sessions + 1
        kept = self._keeper.keep(name, number, self.kept_model(model))
        return [kept] if kept else []

    def _meta(self, name: str, number: int, model: BehaviourModel | None) -> dict[str, JsonValue]:
        over = model is not None and (
            model.turns >= self.config.turns or model.idle_sessions >= MAX_IDLE_SESSIONS
        )
        return {
            "exploration": name,
            "session": number,
            "states": len(model.states) if model else 0,
            "turns": model.turns if model else 0,
            OVER: over,
        }


def space_of(config: BaseExplorerConfig) -> Space:
    """Return what varies from case to case: the apps, and repeated explorations."""
    numbers = tuple(range(1, config.explorations + 1))
    repeated = [Variable(name="exploration", domain=numbers, scale="ordinal")]
    variables = repeated if config.explorations > 1 else list[Variable]()
    scenarios = [
        Scenario(
            name=app or "exploration",
            variables=(*([Variable(name="app", domain=(app,))] if app else []), *variables),
            description=f"exploration of {app}" if app else "exploration of the app",
        )
        for app in config.apps or ("",)
    ]
    return Space(scenarios=tuple(scenarios))


def exploration_name(case: Case) -> str:
    """Return the name of an exploration: its app, and which repetition it is."""
    app, number = case.params.get("app"), case.params.get("exploration")
    name = app if isinstance(app, str) and app else case.scenario
    return name if number is None else f"{name} {number}"


def add_choices(state: State, choices: tuple[Choice, ...]) -> None:
    """Add the choices that can be pressed now to the inputs of a state; links are left out."""
    for choice in choices:
        if choice.label.strip() and (choice.value is not None or choice.url is None):
            by = state.add_input(Input(text=choice.label, origin=InputOrigin.CHOICE))
            by.pressed, by.value = True, choice.value


def _last_turn(task: PlayTask) -> int | None:
    return len(task.turns) - 1 if task.turns else None
