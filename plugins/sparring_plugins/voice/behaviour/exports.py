"""The behaviour model for other tools: Graphviz's DOT, Mermaid, and JSON."""

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import JsonValue

from sparring_plugins.voice.behaviour.edges import edges, label
from sparring_plugins.voice.behaviour.model import START, BehaviourModel
from sparring_plugins.voice.behaviour.names import on_a_line
from sparring_plugins.voice.roles.explorer import Effect


def as_json(model: BehaviourModel) -> dict[str, JsonValue]:
    """The automaton as plain data: states, inputs, transitions with counts, start and final."""
    return {
        "app": model.app,
        "states": [
            {
                "id": state.id,
                "outputs": list[JsonValue](state.outputs),
                "expects": state.expects.value,
                "visits": state.visits,
                "confused": state.confused,
            }
            for state in model.states.values()
        ],
        "inputs": list[JsonValue](model.alphabet()),
        "transitions": [
            {
                "from": source,
                "input": by.text,
                "to": target,
                "count": times,
                "origin": by.origin.value,
                "effect": _effect(model, source, by.text).value,
            }
            for source, by, target, times in model.transitions()
        ],
        "start": START,
        "final": list[JsonValue](model.final_states()),
        "turns": model.turns,
        "sessions": model.sessions,
    }


def as_dot(model: BehaviourModel) -> str:
    """The automaton for Graphviz."""
    lines = ["digraph behaviour {", "  rankdir=LR;", '  node [shape=box, style="rounded"];']
    for state in model.states.values():
        more = ", peripheries=2" if state.final else ""
        more += ', color="gray50"' if state.confused else ""
        lines.append(f"  {_quoted(state.id)} [label={_quoted(label(state))}{more}];")
    for source, target, inputs, times in edges(model):
        text = f"{inputs} ({times})" if inputs else f"({times})"
        lines.append(f"  {_quoted(source)} -> {_quoted(target)} [label={_quoted(text)}];")
    return "\n".join([*lines, "}", ""])


def as_mermaid(model: BehaviourModel) -> str:
    """The automaton for Mermaid's flowcharts."""
    number = {name: f"n{at}" for at, name in enumerate(model.states)}
    lines = ["flowchart LR"]
    for state in model.states.values():
        opening, closing = ("([", "])") if state.final else ("[", "]")
        lines.append(f"  {number[state.id]}{opening}{_mermaid(label(state))}{closing}")
    for source, target, inputs, times in edges(model):
        text = _mermaid(f"{inputs} ({times})" if inputs else f"({times})")
        lines.append(f"  {number[source]} -->|{text}| {number[target]}")
    return "\n".join([*lines, ""])


def write_exports(folder: Path) -> Iterable[Path]:
    """Write the last model of each exploration of a run as JSON, DOT, Mermaid and SVG."""
    from sparring_plugins.voice.behaviour.svg import as_svg

    written: list[Path] = []
    for place in sorted((folder / "models").glob("*.model.json")):
        model = BehaviourModel.loaded(place.read_text(encoding="utf-8"), str(place))
        text = json.dumps(as_json(model), ensure_ascii=False, indent=1) + "\n"
        forms = {".json": text, ".dot": as_dot(model), ".mmd": as_mermaid(model)}
        forms[".svg"] = as_svg(model)
        for ending, content in forms.items():
            path = place.with_name(place.name.removesuffix(".model.json") + ending)
            path.write_text(content, encoding="utf-8")
            written.append(path)
    return written


def _effect(model: BehaviourModel, source: str, text: str) -> Effect:
    state = model.states[source]
    found = next((one for one in state.inputs.values() if one.text == text), None)
    return model.effect(state, found) if found is not None else Effect.UNKNOWN


def _quoted(text: str) -> str:
    escaped = on_a_line(text, 200).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _mermaid(text: str) -> str:
    """A text in quotation marks, in which Mermaid finds no syntax: entities for its signs."""
    line = on_a_line(text, 200)
    plain = " .,:()-"
    safe = "".join(one if one.isalnum() or one in plain else f"#{ord(one)};" for one in line)
    return f'"{safe}"'
