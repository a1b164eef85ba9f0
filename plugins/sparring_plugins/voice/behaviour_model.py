"""The behaviour model of an app: a finite automaton with counts (Elevate, section 3.3).

It is ⟨Q, Σ, δ, s0, F⟩: the states Q, the inputs Σ, the transitions δ, the state `START` before
anything was said, and the states F after which the conversation is over. Each input of each state
counts how often it was tried there, and where it led to. An app that does not always answer an
input in the same way has several targets for it, of which the last counts as δ.
"""

import asyncio
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sparring.errors import ConfigurationError, Problem
from sparring.model.base import AppText
from sparring.model.talk import Artifact
from sparring_plugins.voice.outputs.words import input_key
from sparring_plugins.voice.roles import Effect, InputOrigin, OutputKind

START = "start"
END = "end"
FAILURE = "failure"
ELSEWHERE = "elsewhere"
"""The state of another app than the one under test, which is not explored."""

UNREACHABLE = "unreachable"
"""The target of an input that needs a host which cannot be reached from here."""

FIXED_STATES = (START, END, FAILURE, ELSEWHERE, UNREACHABLE)
VERSION = 1
MAX_OUTPUTS = 12
"""Different outputs of a state that are kept; more are only counted."""

FOLDER = "models"
"""The folder of the models inside a run's folder."""

MEDIA_TYPE = "application/vnd.sparring.behaviour+json"


class _Part(BaseModel):
    """A part of the model; it changes as the app is explored."""

    model_config = ConfigDict(extra="forbid")


class Input(_Part):
    """An input of a state.

    `count` is how often it was tried there, `targets` how often it led to which state, `last` where
    it led to last, `news` whether it brought sentences then that had not occurred before. `value`
    is what is sent for a choice that is pressed, `part` what the app's definition understood it as.
    `novelty` is what the baseline `vitas` learns of it.
    """

    text: AppText
    origin: InputOrigin = InputOrigin.CONTEXT
    slot: str | None = None
    pressed: bool = False
    value: AppText | None = None
    count: int = 0
    targets: dict[str, int] = {}
    last: str | None = None
    news: bool = False
    part: str = ""
    novelty: float = 0.0

    @property
    def steady(self) -> bool:
        """Whether it always led to the same state."""
        return len(self.targets) <= 1


class State(_Part):
    """A state: the outputs of the app in it, and its possible inputs.

    `visits` is how often it was reached, `different` how many different outputs it had, of which
    the first `MAX_OUTPUTS` are kept. `final` means that the conversation was over there at least
    once, `confused` that the app does not understand what led here. `repairs` counts how often the
    generator was asked again, `first_turn` is after how many turns it was found, and `reward` what
    the baseline `vitas` learns of it.
    """

    id: str
    outputs: list[AppText] = []
    choices: list[AppText] = []
    expects: OutputKind = OutputKind.OTHER
    inputs: dict[str, Input] = {}
    visits: int = 0
    different: int = 0
    final: bool = False
    confused: bool = False
    generated: bool = False
    repairs: int = 0
    first_turn: int = 0
    reward: int = 0

    @property
    def output(self) -> str:
        """The first output."""
        return self.outputs[0] if self.outputs else ""

    def add_output(self, text: str) -> bool:
        """Keep an output; returns whether it is new, as far as outputs are kept."""
        if text in self.outputs:
            return False
        self.different += 1
        if len(self.outputs) < MAX_OUTPUTS:
            self.outputs.append(text)
        return True

    def add_input(self, candidate: Input) -> Input:
        """Return the known input with that text and its counts, or add this one."""
        known = self.inputs.setdefault(input_key(candidate.text), candidate)
        if candidate.pressed and not known.pressed:
            known.pressed, known.value = True, candidate.value
        return known


class BehaviourModel(_Part):
    """All that is known of an app, over all sessions so far.

    `turns` counts the inputs that were sent, `seconds` the time that sessions took. `sentences`
    are the different sentences of the app in the order of their first occurrence, `phrases` the
    inputs that it named anywhere. `utterances` are what the app's definition says that it
    understands, as part and words by input key, `openings` requests that were not yet said to open
    it, `opened` how many sessions began with one, `reached` the parts that inputs were understood
    as, `unlaunched` those that were said in a session that such a request had opened. `compared`
    are the states whose yes and no were compared in one session, `repeated` counts the sessions
    that were played twice in a row. `language` is that of the app, if it is known, `series` are the
    intents that were said until the app had no further answer.
    """

    version: int = VERSION
    app: str = ""
    states: dict[str, State] = Field(default_factory=lambda: {START: State(id=START)})
    sessions: int = 0
    turns: int = 0
    seconds: float = 0.0
    idle_sessions: int = 0
    phrases: dict[str, InputOrigin] = {}
    sentences: list[AppText] = []
    utterances: dict[str, tuple[str, AppText]] = {}
    openings: list[AppText] = []
    opened: int = 0
    reached: list[str] = []
    unlaunched: list[str] = []
    compared: list[str] = []
    repeated: int = 0
    language: str = ""
    series: list[str] = []

    @property
    def start(self) -> State:
        """The state before the first input (s0)."""
        return self.states[START]

    def final_states(self) -> list[str]:
        """Return the states after which the conversation is over (F)."""
        return [state.id for state in self.states.values() if state.final]

    def alphabet(self) -> list[str]:
        """Return every input that was tried anywhere (Σ), in the order first tried."""
        inputs = (one for state in self.states.values() for one in state.inputs.values())
        return list(dict.fromkeys(one.text for one in inputs if one.count and one.text))

    def transitions(self) -> Iterator[tuple[str, Input, str, int]]:
        """Yield source, input, target and count of every transition that occurred (δ)."""
        for state in self.states.values():
            for by in state.inputs.values():
                for target, count in by.targets.items():
                    yield state.id, by, target, count

    def add_state(self, identity: str | None = None) -> State:
        """Add a state, numbered unless it has a name of its own."""
        name = identity or f"s{sum(one not in FIXED_STATES for one in self.states) + 1}"
        state = self.states[name] = State(id=name, first_turn=self.turns)
        return state

    def fixed_state(self, identity: str) -> State:
        """Return the final state of a fixed name, such as `END`, added when first needed."""
        state = self.states.get(identity)
        if state is None:
            state = self.add_state(identity)
            state.final = True
        return state

    def count_transition(
        self, source: State, by: Input, target: State, *, news: bool = False
    ) -> None:
        """Count that an input led from one state to another; silence is an input, too.

        `news` means that the target's output has sentences that had not occurred before.
        """
        known = source.inputs.setdefault(input_key(by.text), by)
        known.news = news
        known.count += 1
        known.targets[target.id] = known.targets.get(target.id, 0) + 1
        known.last = target.id
        target.visits += 1

    def effect(self, state: State, by: Input) -> Effect:
        """Return what an input is known to do in a state."""
        if by.last is None:
            return Effect.UNKNOWN
        target = self.states[by.last]
        if target.id in (FAILURE, UNREACHABLE):
            return Effect.FAILED
        # "open weather" leads out of the app under test: its session is over, whatever the other
        # app says.
        if target.id == ELSEWHERE:
            return Effect.ENDED
        # The next question of a quiz is in the same state, in words that were never heard: that is
        # gone on with.
        if target.id == state.id and not by.news:
            return Effect.SAME
        if target.confused:
            return Effect.CONFUSED
        return Effect.ENDED if target.final else Effect.NEW

    def add_sentences(self, sentences: list[str]) -> None:
        """Keep the sentences that had not occurred before."""
        earlier = set(self.sentences)
        self.sentences += [one for one in dict.fromkeys(sentences) if one not in earlier]

    def deep_copy(self) -> "BehaviourModel":
        """Return a copy that shares nothing."""
        return self.model_copy(deep=True)

    def to_json(self) -> str:
        """Return the model as the text of a file."""
        return self.model_dump_json(indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str = "the behaviour model") -> "BehaviourModel":
        """Read what `to_json` wrote; raises ConfigurationError if it is anything else."""
        try:
            model = cls.model_validate_json(text)
        except ValueError as err:
            reason = " ".join(str(err).splitlines()[:3])
            raise ConfigurationError(Problem(f"is no behaviour model: {reason}", name)) from err
        model._check(name)
        return model

    def _check(self, name: str) -> None:
        """Raise ConfigurationError if the version is newer, or a state is missing."""
        if self.version > VERSION:
            message = f"was written by a newer Sparring (version {self.version}, known {VERSION})"
            raise ConfigurationError(Problem(message, name))
        if START not in self.states:
            raise ConfigurationError(Problem(f"has no state {START!r}", name))
        targets = {target for _, _, target, _ in self.transitions()}
        lasts = {one.last for state in self.states.values() for one in state.inputs.values()}
        missing = sorted((targets | lasts) - {None} - set(self.states), key=str)
        if missing:
            raise ConfigurationError(Problem(f"has a transition to {missing[0]!r}, no state", name))
        misnamed = [key for key, state in self.states.items() if state.id != key]
        if misnamed:
            raise ConfigurationError(Problem(f"calls the state {misnamed[0]!r} otherwise", name))


@dataclass
class ModelKeeper:
    """The models of all explorations: the last ones in memory, all of them in the run's folder.

    A session begins with the model as the session before left it, and leaves its own. Played again,
    it begins with the same one: so a case plays the same whatever ran before it, and a killed run
    resumes at the end of its log.
    """

    run_dir: Path | None
    _kept: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    _running: dict[tuple[str, int], asyncio.Event] = field(
        default_factory=dict[tuple[str, int], asyncio.Event]
    )

    async def model_before(self, name: str, session: int) -> BehaviourModel | None:
        """Return the model that a session begins with, or `None` for an empty one.

        Waits for the session before if that is still being played.
        """
        if session <= 1:
            return None
        running = self._running.get((name, session - 1))
        if running is not None:
            await running.wait()
        for earlier in range(session - 1, 0, -1):
            text = self._kept.get((name, earlier)) or self._read(name, earlier)
            if text is not None:
                return BehaviourModel.from_json(text)
        return None

    def model_after(self, name: str, session: int) -> BehaviourModel | None:
        """Return the model that a session left, if it is still in memory."""
        text = self._kept.get((name, session))
        return BehaviourModel.from_json(text) if text is not None else None

    def begin(self, name: str, session: int) -> None:
        """Mark a session as being played."""
        self._running[name, session] = asyncio.Event()

    def finish(self, name: str, session: int) -> None:
        """Mark a session as over."""
        done = self._running.pop((name, session), None)
        if done is not None:
            done.set()

    def keep(self, name: str, session: int, model: BehaviourModel) -> Artifact | None:
        """Keep the model that a session left; returns its file if there is a run's folder."""
        text = model.to_json()
        self._kept[name, session] = text
        # A run that was killed resumes at the last session in its log, or at the one before if that
        # was cut off: older models are asked for by nobody.
        self._kept.pop((name, session - 2), None)
        if self.run_dir is None:
            return None
        latest = self.run_dir / FOLDER / f"{file_name(name)}.model.json"
        for path in (self._path(name, session), latest):
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_suffix(".new")
            fresh.write_text(text, encoding="utf-8")
            os.replace(fresh, path)  # noqa: PTH105 - a whole file or the old one, never half
        if session > 2:
            self._path(name, session - 2).unlink(missing_ok=True)
        shown = latest.relative_to(self.run_dir).as_posix()
        return Artifact(name="behaviour model", media_type=MEDIA_TYPE, path=shown)

    def _read(self, name: str, session: int) -> str | None:
        if self.run_dir is None:
            return None
        try:
            text = self._path(name, session).read_text(encoding="utf-8")
            BehaviourModel.from_json(text)
        except (OSError, ValueError, ConfigurationError):
            return None
        return text

    def _path(self, name: str, session: int) -> Path:
        folder = self.run_dir or Path()
        return folder / FOLDER / file_name(name) / f"session-{session}.json"


def file_name(name: str) -> str:
    """Return a name that every file system takes, different for different names."""
    plain = re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-")[:60]
    digest = sha256(name.encode("utf-8", "replace")).hexdigest()[:6]
    # "tea shop" and "tea/shop" both become "tea-shop".
    return plain if plain == name else f"{plain or 'app'}-{digest}"
