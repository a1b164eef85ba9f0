"""The variables of one conversation, as rules see them."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Output, Trace, act_text
from sparring_plugins.rules.values.errors import UnknownName


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


def _flatten(prefix: str, block: Any, found: dict[str, Any]) -> None:
    """Add the leaves of a map, each under its path and under its own key."""
    for key, value in block.items():
        if isinstance(value, dict):
            _flatten(f"{prefix}_{key}", value, found)
        else:
            found[f"{prefix}_{key}"] = found[str(key)] = value


def blocks(trace: Trace) -> dict[str, Any]:
    """The leaves of the conversation block and of the outputs, under SENSEI's names.

    Of several leaves with one name the last counts.
    """
    found: dict[str, Any] = {}
    recorded = trace.meta.get("conversation")
    for item in recorded if isinstance(recorded, list) else ():
        if isinstance(item, dict):
            _flatten("conversation", item, found)
    for output in trace.outputs:
        value = output_value(output)
        if isinstance(value, dict):
            _flatten(f"data_output_{output.name}", value, found)
        else:
            found[f"data_output_{output.name}"] = found[output.name] = value
    return found


def conversation_value(trace: Trace, name: str) -> Any:
    """A leaf of the conversation block or of the outputs; raises UnknownName."""
    try:
        return blocks(trace)[name]
    except KeyError:
        raise UnknownName(name) from None


def interaction(trace: Trace) -> list[dict[str, str]]:
    """What was said, as SENSEI stores it: one-key maps ``User`` and ``Assistant``."""
    said: list[dict[str, str]] = []
    for turn in trace.turns:
        if not isinstance(turn.act, Listen):
            said.append({"User": act_text(turn.act)})
        if turn.observation is not None:
            said.append({"Assistant": turn.observation.text})
    return said


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
            "choices": [one.label for one in turn.observation.choices] if turn.observation else [],
            "response_time": turn.latency_s,
        }
        for turn in trace.turns
    ]


def _choices(trace: Trace) -> list[list[str]]:
    seen = (turn.observation for turn in trace.turns if turn.observation is not None)
    return [[choice.label for choice in observation.choices] for observation in seen]


def _links(trace: Trace) -> list[str]:
    seen = (turn.observation for turn in trace.turns if turn.observation is not None)
    return [choice.url for one in seen for choice in one.choices if choice.url is not None]


def _incidents(trace: Trace) -> list[dict[str, Any]]:
    return [
        {"kind": one.kind.value, "message": one.message, "owner": one.owner.value, "turn": one.turn}
        for one in trace.incidents
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
    "errors": lambda trace: [one.kind.value for one in trace.incidents],
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
