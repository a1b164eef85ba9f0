"""The transitions of a behaviour model as edges with labels, for pictures and exports."""

from sparring_plugins.voice.behaviour.model import END, FAILURE, START, BehaviourModel, State
from sparring_plugins.voice.behaviour.names import on_a_line

_LABEL = 48
_MOST_INPUTS = 3
Edge = tuple[str, str, str, int]
"""From, to, the inputs in words, and how often."""


def edges(model: BehaviourModel) -> list[Edge]:
    """The transitions, those between the same two states as one, in the order first seen."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for source, by, target, times in model.transitions():
        found.setdefault((source, target), []).append((by.text, times))
    return [
        (source, target, _inputs([text for text, _ in taken]), sum(times for _, times in taken))
        for (source, target), taken in found.items()
    ]


def label(state: State) -> str:
    """What a picture calls a state."""
    if state.id in (START, END, FAILURE):
        return state.id
    shown = state.output or " / ".join(state.choices)
    return f"{state.id}: {on_a_line(shown, _LABEL)}"


def _inputs(texts: list[str]) -> str:
    shown = [on_a_line(text, 30) for text in texts[:_MOST_INPUTS] if text]
    more = len(texts) - _MOST_INPUTS
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
