"""What the user does next, and why."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from sparring.model.talk import Act


@dataclass(frozen=True, slots=True)
class Decision:
    """An act, or None to leave, and why.

    `revised` are the inputs that it changes, `exact` says that it is a value that a form asks for.
    """

    act: Act | None
    reason: str
    revised: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    exact: bool = False
