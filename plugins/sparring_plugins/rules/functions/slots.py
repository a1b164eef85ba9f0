"""Which declared outputs have no value: `missing_slots` and `data_collected`."""

from sparring.interfaces.rule_function import rule_function
from sparring.model.talk import Trace


def is_missing(value: object) -> bool:
    """Whether an output has no value: None, or the text ``None`` that old files hold."""
    return value is None or value == "None"


def _cost(trace: Trace) -> int:
    return 1 + len(trace.outputs) // 4


@rule_function(conversation=True, cost=_cost)
def missing_slots(trace: Trace) -> list[str]:
    """The names of the outputs that have no value, in the order declared."""
    return [output.name for output in trace.outputs if is_missing(output.value)]


@rule_function(conversation=True, cost=_cost)
def data_collected(trace: Trace) -> bool:
    """Whether every declared output has a value."""
    return not any(is_missing(output.value) for output in trace.outputs)
