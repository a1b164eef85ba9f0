"""The settings of the explorer and of its baselines."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from sparring.interfaces.plugin import PluginConfig, Use, UseOf

SYSTEM_INPUTS = {
    "chat": (
        "help",
        "what can you do?",
        "when are you open?",
        "where are you?",
        "how much does it cost?",
        "how can I contact you?",
        "cancel",
        "I changed my mind",
        "start over",
        "thank you",
        "goodbye",
    ),
    "voice": ("help", "pause", "resume", "stop", "what's the time"),
}
"""Words that every app of a kind should know something of."""

STANDARD = ("cancel", "say that again", "start over", "go back", "next", "go home", "never mind")
"""Words for the standard intents of voice platforms, which an app may know."""

OPENINGS = ("hello",)
"""What is said first to an app that does not speak first."""

Without = Literal["observer", "generator", "planner", "model"]


class TesterConfig(PluginConfig):
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
    minutes: float | None = Field(default=None, gt=0)
    explorations: int = Field(default=1, ge=1, le=1_000)
    medium: Literal["chat", "voice"] = "chat"
    system_inputs: tuple[str, ...] | None = None
    openings: tuple[str, ...] = OPENINGS
    farewell: str | None = None
    language: str = "English"

    @field_validator("apps")
    @classmethod
    def _differ(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        twice = sorted({name for name in value if value.count(name) > 1})
        if twice:
            raise ValueError(f"names {twice[0]!r} twice")
        return value

    @property
    def system(self) -> tuple[str, ...]:
        """The inputs of the system."""
        if self.system_inputs is not None:
            return self.system_inputs
        return SYSTEM_INPUTS[self.medium]


class ExplorerConfig(TesterConfig):
    """Settings of the player `explorer`.

    `observer`, `generator` and `planner` are its agents. `without` switches parts off, to measure
    what they are worth: without the observer every different output is a state, without the
    generator only words of the system and quoted phrases are said, without the planner inputs are
    drawn by lot, and without the model nothing is known of earlier turns. `document` is the app's
    own description, as a text or a file; `samples` are phrases of its definition, which makes it a
    white-box test. `repairs` is how often the generator is asked again for one state whose inputs
    were in vain. `start_from` is a stored behaviour model to go on from.
    """

    observer: Annotated[Use, UseOf("sparring.agents", role="observer")] = Use(use="similarity")
    generator: Annotated[Use, UseOf("sparring.agents", role="generator")] = Use(use="rules")
    planner: Annotated[Use, UseOf("sparring.agents", role="planner")] = Use(use="rules")
    without: tuple[Without, ...] = ()
    document: str | None = None
    samples: tuple[str, ...] = ()
    repairs: int = Field(default=3, ge=0, le=20)
    start_from: str | None = None

    @property
    def system(self) -> tuple[str, ...]:
        """The inputs of the system; for voice also the words for the platforms' own intents."""
        own = super().system
        if self.system_inputs is not None or self.medium != "voice":
            return own
        return (*own, *STANDARD)

    @field_validator("without", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value
