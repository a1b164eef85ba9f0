"""The variables of a conversation or of one of its turns, as rules see them."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import lru_cache
from keyword import iskeyword
from typing import Any, Literal

from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Observation, Output, Trace, Turn, act_text, meant_by
from sparring_plugins.rules.values.work import UnknownName, UnreadValue


class Record(dict[str, Any]):
    """A conversation's variables by name, each found when it is first asked for.

    Raises UnknownName for a name that the conversation does not have. Outputs come before
    inputs, these before the conversation block, and all of them before Sparring's own names.
    """

    __slots__ = ("results", "trace")

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.trace = trace
        #: What functions about the conversation returned, by function and arguments.
        self.results: dict[Any, Any] = {}

    def __missing__(self, name: str) -> Any:
        value = self[name] = self.find(name)
        return value

    def find(self, name: str) -> Any:
        """The value of a name, not kept; raises UnknownName."""
        trace = self.trace
        for output in reversed(trace.outputs):
            if output.name == name:
                if output.unread and output.value is None:
                    raise UnreadValue(name, output.unread)
                return output_value(output)
        if name in (inputs := trace.inputs):
            return inputs[name]
        if name in (own := OWN_NAMES):
            return own[name](trace)
        return conversation_value(trace, name)

    def has(self, name: str) -> bool:
        """Whether the conversation has a variable of the name."""
        try:
            self[name]  # pyright: ignore[reportUnusedExpression]
        except UnreadValue:
            return True
        except UnknownName:
            return False
        return True

    def names(self) -> set[str]:
        """All names that the conversation has."""
        trace = self.trace
        names = {output.name for output in trace.outputs} | set(trace.inputs)
        return names | set(OWN_NAMES) | set(blocks(trace))


EMPTY_TRACE = Trace(
    case=Case(id="", scenario=""),
    ended=Ended.SCRIPT_DONE,
    started=datetime.fromtimestamp(0, UTC),
)
"""A conversation in which nothing was said."""


def output_value(output: Output) -> Any:
    """The value of an output; a date read back from a log is a date again."""
    value = output.value
    if output.type == "date" and isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return value
    return value


def _flatten(prefix: str, block: Any, leaves: dict[str, Any]) -> None:
    """Add the leaves of a map, each under its path and under its own key."""
    for key, value in block.items():
        if isinstance(value, dict):
            _flatten(f"{prefix}_{key}", value, leaves)
        else:
            leaves[f"{prefix}_{key}"] = leaves[str(key)] = value


def blocks(trace: Trace) -> dict[str, Any]:
    """The leaves of the conversation block and of the outputs, under SENSEI's names.

    Of several leaves with one name the last counts.
    """
    leaves: dict[str, Any] = {}
    recorded = trace.meta.get("conversation")
    for item in recorded if isinstance(recorded, list) else ():
        if isinstance(item, dict):
            _flatten("conversation", item, leaves)
    for output in trace.outputs:
        value = output_value(output)
        if isinstance(value, dict):
            _flatten(f"data_output_{output.name}", value, leaves)
        else:
            leaves[f"data_output_{output.name}"] = leaves[output.name] = value
    return leaves


def conversation_value(trace: Trace, name: str) -> Any:
    """A leaf of the conversation block or of the outputs; raises UnknownName."""
    try:
        return blocks(trace)[name]
    except KeyError:
        raise UnknownName(name) from None


def interaction(trace: Trace) -> list[dict[str, str]]:
    """The messages as SENSEI stores them: one-key maps ``User`` and ``Assistant``."""
    messages: list[dict[str, str]] = []
    for turn in trace.turns:
        if not isinstance(turn.act, Listen):
            messages.append({"User": act_text(turn.act)})
        if turn.observation is not None:
            messages.append({"Assistant": turn.observation.text})
    return messages


def chatbot_phrases(trace: Trace) -> list[str]:
    """Everything the chatbot said."""
    return [turn.observation.text for turn in trace.turns if turn.observation is not None]


def user_phrases(trace: Trace) -> list[str]:
    """Everything the user said."""
    return [act_text(turn.act) for turn in trace.turns if not isinstance(turn.act, Listen)]


def data_output(trace: Trace) -> list[dict[str, Any]]:
    """The outputs as SENSEI stores them: a list of one-key maps."""
    return [{output.name: output_value(output)} for output in trace.outputs]


def _response_times(trace: Trace) -> list[float]:
    """Seconds until each answer; a greeting that was listened for answers nothing."""
    answered = (turn for turn in trace.turns if turn.observation is not None)
    return [turn.latency_s for turn in answered if not isinstance(turn.act, Listen)]


def _max_response_time(trace: Trace) -> float | None:
    return max(_response_times(trace), default=None)


def _average_response_time(trace: Trace) -> float | None:
    times = _response_times(trace)
    return sum(times) / len(times) if times else None


def _turns(trace: Trace) -> list[dict[str, Any]]:
    return [
        {
            "user": act_text(turn.act),
            "act": turn.act.kind,
            "assistant": turn.observation.text if turn.observation else None,
            "choices": [choice.label for choice in turn.observation.choices]
            if turn.observation
            else [],
            "response_time": turn.latency_s,
        }
        for turn in trace.turns
    ]


def _choices(trace: Trace) -> list[list[str]]:
    observations = (turn.observation for turn in trace.turns if turn.observation is not None)
    return [[choice.label for choice in observation.choices] for observation in observations]


def _links(trace: Trace) -> list[str]:
    observations = (turn.observation for turn in trace.turns if turn.observation is not None)
    return [
        choice.url
        for observation in observations
        for choice in observation.choices
        if choice.url is not None
    ]


def _incidents(trace: Trace) -> list[dict[str, Any]]:
    return [
        {
            "kind": incident.kind.value,
            "message": incident.message,
            "owner": incident.owner.value,
            "turn": incident.turn,
        }
        for incident in trace.incidents
    ]


def _meta(key: str, otherwise: Any = None) -> Callable[[Trace], Any]:
    return lambda trace: trace.meta.get(key, otherwise)


OWN_NAMES: dict[str, Callable[[Trace], Any]] = {
    "interaction": interaction,
    "chatbot_phrases": chatbot_phrases,
    "user_phrases": user_phrases,
    "data_output": data_output,
    "inputs": lambda trace: trace.inputs,
    "outputs": lambda trace: {output.name: output_value(output) for output in trace.outputs},
    "turns": _turns,
    "choices": _choices,
    "links": _links,
    "payloads": lambda trace: [
        turn.observation.payload for turn in trace.turns if turn.observation is not None
    ],
    "response_times": _response_times,
    "max_response_time": _max_response_time,
    "average_response_time": _average_response_time,
    "conversation_time": lambda trace: trace.duration_s,
    "started_on": lambda trace: trace.started.date(),
    "errors": lambda trace: [incident.kind.value for incident in trace.incidents],
    "incidents": _incidents,
    "ended": lambda trace: trace.ended.value,
    "case_id": lambda trace: trace.case.id,
    "scenario": lambda trace: trace.case.scenario,
    "repeat": lambda trace: trace.case.repeat,
    "profile": _meta("profile"),
    "serial": _meta("serial"),
    "language": _meta("language"),
    "role": _meta("role"),
    "persona": _meta("persona"),
    "context": _meta("context", []),
    "goals": _meta("goals", []),
    "goals_met": _meta("goals_met", []),
    "goals_unmet": _meta("goals_unmet", []),
    "source": _meta("source"),
}
"""Sparring's own names, which any input or output of the same name hides."""


# What SENSEI lets expressions see, for ``compat: sensei``.

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


# The turns of a conversation, as rules with `for_each` see them.

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
        """The app's answer; an empty one if there was none."""
        return self.turn.observation or _NOTHING


_NOTHING = Observation()


def turn_records(trace: Trace, each: Each) -> list[TurnRecord]:
    """The turns that a rule is judged on: all of them, or those that the app answered."""
    return [
        TurnRecord(trace, index)
        for index, turn in enumerate(trace.turns)
        if each == "turn" or turn.observation is not None
    ]


def _assistant(record: TurnRecord) -> str | None:
    return None if record.turn.observation is None else record.turn.observation.text


def _attachments(record: TurnRecord) -> list[dict[str, Any]]:
    return [attachment.model_dump(mode="json") for attachment in record.seen.attachments]


def _incident_kinds(record: TurnRecord) -> list[str]:
    """The kinds of what went wrong in this turn."""
    return [
        incident.kind.value for incident in record.trace.incidents if incident.turn == record.index
    ]


TURN_NAMES: dict[str, Callable[[TurnRecord], Any]] = {
    "number": lambda record: record.index + 1,
    "index": lambda record: record.index,
    "first": lambda record: record.index == 0,
    "last": lambda record: record.index == len(record.trace.turns) - 1,
    "user": lambda record: act_text(record.turn.act),
    "meant": lambda record: meant_by(record.turn.act),
    "act": lambda record: record.turn.act.kind,
    "spoke": lambda record: not isinstance(record.turn.act, Listen),
    "assistant": _assistant,
    "answered": lambda record: record.turn.observation is not None,
    "latency": lambda record: record.turn.latency_s,
    "started": lambda record: record.turn.started_s,
    "choices": lambda record: [choice.label for choice in record.seen.choices],
    "links": lambda record: [
        choice.url for choice in record.seen.choices if choice.url is not None
    ],
    "attachments": _attachments,
    "payload": lambda record: record.seen.payload,
    "ended": lambda record: record.seen.ended,
    "incidents": _incident_kinds,
}
"""What a turn has, by name: `turn.user`, `previous.assistant` ..."""
