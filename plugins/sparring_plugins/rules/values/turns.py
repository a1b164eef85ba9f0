"""The turns of a conversation, as rules with `for_each` see them."""

from collections.abc import Callable
from typing import Any, Literal

from sparring.model.talk import Listen, Observation, Trace, Turn, act_text, meant_by
from sparring_plugins.rules.values.record import Record

Each = Literal["turn", "answer"]


class TurnRecord(Record):
    """One turn's values by name, each found when it is first asked for."""

    __slots__ = ("index",)

    def __init__(self, trace: Trace, index: int) -> None:
        super().__init__(trace)
        self.index = index

    def __bool__(self) -> bool:
        return True

    def find(self, name: str) -> Any:
        """The value of a name of `TURN_NAMES`; raises KeyError for any other."""
        return TURN_NAMES[name](self)

    @property
    def turn(self) -> Turn:
        """The turn itself."""
        return self.trace.turns[self.index]

    @property
    def seen(self) -> Observation:
        """What the app answered; an empty answer where there was none."""
        return self.turn.observation or _NOTHING


_NOTHING = Observation()


def turn_records(trace: Trace, each: Each) -> list[TurnRecord]:
    """The turns that a rule is judged on: all of them, or those that the app answered."""
    return [
        TurnRecord(trace, index)
        for index, turn in enumerate(trace.turns)
        if each == "turn" or turn.observation is not None
    ]


def _assistant(one: TurnRecord) -> str | None:
    return None if one.turn.observation is None else one.turn.observation.text


def _attachments(one: TurnRecord) -> list[dict[str, Any]]:
    return [attachment.model_dump(mode="json") for attachment in one.seen.attachments]


def _incidents(one: TurnRecord) -> list[str]:
    """The kinds of what went wrong in this turn."""
    return [each.kind.value for each in one.trace.incidents if each.turn == one.index]


TURN_NAMES: dict[str, Callable[[TurnRecord], Any]] = {
    "number": lambda one: one.index + 1,
    "index": lambda one: one.index,
    "first": lambda one: one.index == 0,
    "last": lambda one: one.index == len(one.trace.turns) - 1,
    "user": lambda one: act_text(one.turn.act),
    "meant": lambda one: meant_by(one.turn.act),
    "act": lambda one: one.turn.act.kind,
    "spoke": lambda one: not isinstance(one.turn.act, Listen),
    "assistant": _assistant,
    "answered": lambda one: one.turn.observation is not None,
    "latency": lambda one: one.turn.latency_s,
    "started": lambda one: one.turn.started_s,
    "choices": lambda one: [choice.label for choice in one.seen.choices],
    "links": lambda one: [choice.url for choice in one.seen.choices if choice.url is not None],
    "attachments": _attachments,
    "payload": lambda one: one.seen.payload,
    "ended": lambda one: one.seen.ended,
    "incidents": _incidents,
}
"""What a turn has, by name: `turn.user`, `previous.assistant` ..."""
