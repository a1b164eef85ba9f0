"""A user profile, whatever file shape it was read from."""

from typing import Literal

from pydantic import Field, JsonValue

from sparring.interfaces.roles import OutputSpec
from sparring.model.base import Value
from sparring.model.space import Variable


class Profile(Value):
    """One simulated user's test case (SENSEI, section 3).

    `name` is unique among the profiles of a suite, `test_name` is as written. `goals` are
    templates with ``{{variable}}`` holes. `context` has the persona's sentences first, then the
    profile's own. `goal_style` and its numbers say when a conversation is over: after `steps`
    user turns, after a random number of them up to `steps`, when all goals are met (at most
    `limit` user turns), or whichever comes first where both are given. `conversation` is the
    block as SENSEI records it with each conversation. `shape` names the file shape that was read.
    """

    name: str
    test_name: str
    source: str
    shape: str
    language: str = "English"
    role: str = ""
    context: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    starts: Literal["user", "app"] = "user"
    fallbacks: tuple[str, ...] = ()
    number: int | Literal["all"] | None = None
    sample: float | None = Field(default=None, gt=0, le=1)
    goal_style: Literal["steps", "random steps", "all_answered", "default"] = "default"
    steps: int | None = Field(default=None, gt=0)
    limit: int = Field(default=30, gt=0)
    export: bool = False
    styles: tuple[JsonValue, ...] = ("default",)
    conversation: tuple[JsonValue, ...] = ()
    warnings: tuple[str, ...] = ()
