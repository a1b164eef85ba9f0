"""Checks what an extractor found before any rule judges the app by it."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sparring.engine.play import incident_of
from sparring.errors import BudgetSpent, PartError, SparringError
from sparring.interfaces.agent import Agent
from sparring.interfaces.roles import Extraction, ExtractTask, OutputSpec
from sparring.model.talk import Ended, Output
from sparring_plugins.users.dialogue import Dialogue

_NUMBERS = {"int": (int,), "float": (int, float), "bool": (bool,)}
_TYPES: dict[str, tuple[type, ...]] = {**_NUMBERS, "date": (date, str)}


def extracted(task: ExtractTask, found: Extraction, extractor: str) -> tuple[Output, ...]:
    """Return one output per specification, in their order.

    `extractor` is how the suite names the part. Raises PartError if outputs are missing or have
    other names, or a value is not of its declared type: a rule that compares a list with a price
    would fail, and the app be blamed.
    """
    outputs = found.outputs
    names = [spec.name for spec in task.outputs]
    if [one.name for one in outputs] != names:
        told = ", ".join(one.name for one in outputs) or "nothing"
        raise _broken(extractor, f"returned {told}, not {', '.join(names)}")
    for spec, output in zip(task.outputs, outputs, strict=True):
        if not _fits(spec, output):
            kind = type(output.value).__name__
            raise _broken(extractor, f"{spec.name} is of type {kind}, not {spec.type}")
    return outputs


async def extract(
    extractor: Agent[ExtractTask, Extraction, Any], task: ExtractTask, name: str, dialogue: Dialogue
) -> tuple[Output, ...]:
    """Return what the extractor called `name` finds in a dialogue, one output per specification.

    If it fails, the outputs have no value, and the dialogue gets an incident that says so. Raises
    BudgetSpent.
    """
    try:
        return extracted(task, await extractor.act(task), name)
    except BudgetSpent:
        raise
    except SparringError as err:
        dialogue.incidents.append(incident_of(err, None))
        dialogue.ended = Ended.INCIDENT
        return without_values(task.outputs)


def without_values(specs: Sequence[OutputSpec]) -> tuple[Output, ...]:
    """Return the outputs of a conversation of which nothing could be extracted."""
    return tuple(
        Output(name=spec.name, type=spec.type, description=spec.description) for spec in specs
    )


def _fits(spec: OutputSpec, output: Output) -> bool:
    """Whether a value can be one of the declared type; numbers may also be texts as said."""
    value = output.value
    if value is None:
        return True
    kinds = _TYPES.get(spec.type)
    if kinds is None:
        return isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return isinstance(value, kinds) and (spec.type == "bool" or not isinstance(value, bool))


def _broken(extractor: str, message: str) -> PartError:
    return PartError("agent", extractor, "act", message)
