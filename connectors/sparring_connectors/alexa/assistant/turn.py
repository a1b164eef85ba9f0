"""What happened in one turn: who said what, and everything that was sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import JsonValue

from sparring.errors import SparringError
from sparring_connectors.alexa.nlu.understanding import Understood
from sparring_connectors.alexa.skill.installed import InstalledSkill

Speaker = Literal["skill", "platform"]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A text that was heard; `prompt` says that Alexa asks it for the skill, by its model."""

    by: Speaker
    text: str
    prompt: bool = False


@dataclass(slots=True)
class Exchange:
    """A request to a skill and what came of it."""

    skill: str
    request: Mapping[str, Any]
    response: Any = None
    error: str | None = None
    log: str = ""
    calls: tuple[str, ...] = ()

    def told(self, *, full: bool) -> dict[str, JsonValue]:
        """For the trace."""
        request: Any = self.request if full else self.request.get("request")
        found: dict[str, JsonValue] = {"skill": self.skill, "request": request}
        found["response"] = self.response
        if self.error is not None:
            found["error"] = self.error
        if self.log:
            found["log"] = self.log[-2_000:]
        if self.calls:
            found["calls"] = list(self.calls)
        return found


@dataclass(slots=True)
class TurnRecord:
    """Collects what happens in a turn; `failure` is how a skill failed in it.

    `opened` is the skill that was opened last in it.
    """

    spoken: list[Spoken] = field(default_factory=list[Spoken])
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    cards: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    problems: list[str] = field(default_factory=list[str])
    understood: Understood | None = None
    slots: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    reason: str | None = None
    failure: SparringError | None = None
    requests: int = 0
    opened: InstalledSkill | None = None

    def skill_says(self, text: str, *, prompt: bool = False) -> None:
        """A skill speaks, or Alexa for it."""
        if text:
            self.spoken.append(Spoken("skill", text, prompt))

    def platform_says(self, text: str) -> None:
        """Alexa speaks for herself."""
        if text:
            self.spoken.append(Spoken("platform", text))

    @property
    def text(self) -> str:
        """Everything that was heard, a line for each who spoke."""
        return "\n".join(item.text for item in self.spoken)

    @property
    def speaker(self) -> str:
        """Who spoke last: ``skill``, ``platform`` or ``nobody``."""
        return self.spoken[-1].by if self.spoken else "nobody"
