"""What SENSEI lets expressions see, for ``compat: sensei``."""

from functools import lru_cache
from keyword import iskeyword
from typing import Any

from sparring.model.talk import Trace
from sparring_plugins.rules.values.errors import UnknownName
from sparring_plugins.rules.values.record import (
    Record,
    blocks,
    chatbot_phrases,
    data_output,
    interaction,
    user_phrases,
)

_LISTS = {
    "interaction": interaction,
    "chatbot_phrases": chatbot_phrases,
    "user_phrases": user_phrases,
    "data_output": data_output,
}

SHORT_FORMS = frozenset(
    {
        "conversation_length",
        "only_talks_about",
        "utterance_index",
        "chatbot_returns",
        "repeated_answers",
        "data_collected",
        "missing_slots",
        "responds_in_same_language",
    }
)
"""Functions that SENSEI knows in an oracle, but not in `when` and `if`."""

PLAIN_FUNCTIONS = frozenset(
    {
        "extract_float",
        "currency",
        "language",
        "length",
        "tone",
        "is_unique",
        "exists",
        "num_exist",
        "semantic_content",
    }
)
"""Functions that SENSEI knows everywhere; variables of these names hide behind them."""


class SenseiRecord(Record):
    """A conversation's variables in SENSEI's order, in which later ones replace earlier ones."""

    __slots__ = ("_built",)

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self._built: dict[str, Any] | None = None

    def build(self) -> dict[str, Any]:
        """All variables but the lists that SENSEI makes of the conversation."""
        if self._built is None:
            self._built = {**self.trace.inputs, **blocks(self.trace)}
        return self._built

    def find(self, name: str) -> Any:
        """The value of a name, not kept; raises UnknownName."""
        if name in _LISTS:
            return _LISTS[name](self.trace)
        try:
            return self.build()[name]
        except KeyError:
            raise UnknownName(name) from None

    def names(self) -> set[str]:
        """All names that the conversation has."""
        return {*self.build(), *_LISTS}


def spoils_every_oracle(record: Record) -> bool:
    """Whether a variable's name makes SENSEI's generated source invalid for the conversation."""
    if not isinstance(record, SenseiRecord):
        return False
    return any(map(_is_odd, record.build()))


@lru_cache(maxsize=4096)
def _is_odd(name: str) -> bool:
    return not name.isidentifier() or iskeyword(name)


def hidden_in_sensei(name: str, record: Record) -> bool:
    """Whether a name is an input here, but SENSEI shows the conversation block's value."""
    trace = record.trace
    if isinstance(record, SenseiRecord) or name not in trace.inputs:
        return False
    return name in blocks(trace)
