"""A rule as written, and compiled."""

from dataclasses import dataclass
from typing import Literal

from sparring_plugins.oracles.rules.syntax import Source

Conversations = int | Literal["all"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as read from its file.

    `filters` are `when` and `if`, in this order; `oracle` is `oracle` or `then`; `message` is
    `yields` or `on-error`. `check` is what verdicts call the rule: its name, made unique.
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
