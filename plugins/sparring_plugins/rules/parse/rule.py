"""A rule as written, and compiled."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from sparring_plugins.rules.parse.syntax import Source
from sparring_plugins.rules.values.turns import Each

Conversations = int | Literal["all"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as read from its file.

    `filters` are `when` and `if`, in this order; `oracle` is `oracle` or `then`; `message` is
    `yields` or `on-error`. `check` is what verdicts call the rule: its name, made unique.
    `each` asks for a verdict on every turn or answer, `groups` are the expressions whose values a
    rule over all conversations is judged for one by one, and `parameters` are constants.
    """

    name: str
    check: str
    description: str
    conversations: Conversations
    filters: tuple[Source, ...]
    oracle: Source
    message: Source | None
    file: str
    line: int
    active: bool = True
    each: Each | None = None
    groups: tuple[Source, ...] = ()
    parameters: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
