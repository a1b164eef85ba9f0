"""The behaviour model for people and other tools: SVG, Graphviz's DOT, Mermaid, and JSON.

The SVG is drawn without any library. States stand in columns by how many inputs they are away from
the start; within a column they are ordered by the states that lead to them, as in Sugiyama's
method, which keeps crossings few.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from unicodedata import east_asian_width

from pydantic import JsonValue

from sparring_plugins.voice.behaviour_model import (
    ELSEWHERE,
    END,
    FAILURE,
    START,
    UNREACHABLE,
    BehaviourModel,
    State,
)
from sparring_plugins.voice.outputs.words import on_a_line
from sparring_plugins.voice.roles import Effect

MOST_STATES = 80
"""States in a picture: the most visited ones of more."""

_MAX_LABEL = 48
_MAX_INPUTS = 3
Edge = tuple[str, str, str, int]
"""Source, target, the inputs in words, and how often they led there."""


def edges(model: BehaviourModel) -> list[Edge]:
    """Return the transitions, those between the same two states as one, in the order first seen."""
    uses: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for source, by, target, count in model.transitions():
        uses.setdefault((source, target), []).append((by.text, count))
    return [
        (source, target, _inputs([text for text, _ in pairs]), sum(count for _, count in pairs))
        for (source, target), pairs in uses.items()
    ]


def label(state: State) -> str:
    """Return the label of a state in a picture."""
    if state.id in (START, END, FAILURE, UNREACHABLE):
        return state.id
    shown = state.output or " / ".join(state.choices)
    return f"{state.id}: {on_a_line(shown, _MAX_LABEL)}"


def _inputs(texts: list[str]) -> str:
    shown = [on_a_line(text, 30) for text in texts[:_MAX_INPUTS] if text]
    more = len(texts) - _MAX_INPUTS
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


# SVG

WIDTH, HEIGHT = 190, 44
_GAP_X, _GAP_Y, _MARGIN = 140, 26, 20
# Crossings hardly get fewer after the fourth sweep over the columns.
_SWEEPS = 4
# Characters in a box of the picture; longer labels are set in several lines.
_MAX_LINE = 28
_LOOP_COLUMNS = 5
"""What the mark of a loop takes of the first line of a box."""
_LABEL_CHARACTER = 5.2
"""The width of a letter of the labels, in pixels: 9 px of a sans-serif, wide letters included."""
_FILLS = {FAILURE: "#f3c9c9", ELSEWHERE: "#e4e4e4", UNREACHABLE: "#e4e4e4"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the box of a state stands."""

    x: float
    y: float


def as_svg(model: BehaviourModel) -> str:
    """Return the picture, without script or style; whatever the app said is escaped text."""
    shown = _shown_states(model)
    arrows = [one for one in edges(model) if one[0] in shown and one[1] in shown]
    places = _placement(shown, arrows)
    width = max((place.x for place in places.values()), default=0) + WIDTH + _GAP_X
    height = max((place.y for place in places.values()), default=0) + HEIGHT + _MARGIN + 16
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
            f' width="{width:g}" height="{height:g}" font-family="sans-serif" font-size="11"'
            ' role="img">'
        ),
        f"<title>{escape(on_a_line(f'behaviour model of {model.app}', 120))}</title>",
        (
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
            ' markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">'
            '<path d="M0 0 8 4 0 8z" fill="#666"/></marker></defs>'
        ),
    ]
    between = [one for one in arrows if one[0] != one[1]]
    loops = {one[0]: one for one in arrows if one[0] == one[1]}
    parts += [_arrow(one, places) for one in between]
    parts += [_box(model.states[name], places[name], loops.get(name)) for name in places]
    parts += _edge_labels(between, places)
    return "\n".join([*parts, "</svg>", ""])


def _shown_states(model: BehaviourModel) -> list[str]:
    """Return the ids of the states in the picture, in the order of the model."""
    states = list(model.states.values())
    if len(states) > MOST_STATES:
        shown = sorted(states, key=lambda one: (one.id != START, -one.visits))[:MOST_STATES]
        states = [one for one in states if one in shown]
    return [one.id for one in states]


def _placement(names: Sequence[str], arrows: Sequence[Edge]) -> dict[str, Place]:
    columns = _order_columns(_columns(names, arrows), arrows)
    tallest = max((len(column) for column in columns), default=0)
    places: dict[str, Place] = {}
    for at, column in enumerate(columns):
        free = (tallest - len(column)) * (HEIGHT + _GAP_Y) / 2
        for row, name in enumerate(column):
            x = _MARGIN + at * (WIDTH + _GAP_X)
            places[name] = Place(x, _MARGIN + free + row * (HEIGHT + _GAP_Y))
    return places


def _columns(names: Sequence[str], arrows: Sequence[Edge]) -> list[list[str]]:
    """Return the states by their distance from the start; unreached ones come last."""
    depth = {START: 0}
    queue = [START]
    for name in queue:
        for source, target, _, _ in arrows:
            if source == name and target not in depth:
                depth[target] = depth[name] + 1
                queue.append(target)
    last = max(depth.values()) + 1
    columns: list[list[str]] = [[] for _ in range(last + 1)]
    for name in names:
        columns[depth.get(name, last)].append(name)
    return [column for column in columns if column]


def _order_columns(columns: list[list[str]], arrows: Sequence[Edge]) -> list[list[str]]:
    """Order each column so that a state stands near those that lead to it."""
    for _ in range(_SWEEPS):
        for at in range(1, len(columns)):
            rank = {name: row for row, name in enumerate(columns[at - 1])}
            columns[at].sort(key=lambda name: _middle(name, rank, arrows))
    return columns


def _middle(name: str, rank: dict[str, int], arrows: Sequence[Edge]) -> float:
    near = [rank[source] for source, target, _, _ in arrows if target == name and source in rank]
    return sum(near) / len(near) if near else len(rank)


def _arrow(edge: Edge, places: dict[str, Place]) -> str:
    """Return the line of a transition; its title has what the label has no room for."""
    _, _, text, times = edge
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = _curve(edge, places)
    return (
        f"<g><title>{escape(f'{text} ({times})')}</title>"
        f'<path d="M{x0:g} {y0:g}C{x1:g} {y1:g} {x2:g} {y2:g} {x3:g} {y3:g}" fill="none"'
        f' stroke="#999" stroke-width="{min(1 + times / 6, 3):g}" marker-end="url(#arrow)"/></g>'
    )


@dataclass(frozen=True, slots=True)
class _Area:
    """A rectangle of the picture."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "_Area") -> bool:
        """Whether two rectangles have anything in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


_NEAR_TARGET = (0.66, 0.58, 0.74, 0.5, 0.82, 0.42, 0.34, 0.26, 0.18)
_LONG_WAY = (0.93, 0.9, 0.87, 0.84, 0.8, 0.1, 0.13, 0.16, 0.2, 0.3, 0.7, 0.4, 0.6, 0.5)
"""Where on its line a label may stand, the best first: a long line crosses others in its middle."""


def _edge_labels(arrows: Sequence[Edge], places: dict[str, Place]) -> list[str]:
    """Return the labels of transitions, each where it covers no box and no other label.

    One that has no such place is left out: the title of its line has the words, too.
    """
    areas = [_Area(one.x, one.y, one.x + WIDTH, one.y + HEIGHT) for one in places.values()]
    labels: list[str] = []
    for edge in sorted(arrows, key=lambda one: -one[3]):  # what is used the most is labelled first
        text = _cut(edge[2], 20)
        if not text:
            continue
        curve = _curve(edge, places)
        is_long = abs(curve[3][0] - curve[0][0]) > WIDTH
        for share in _LONG_WAY if is_long else _NEAR_TARGET:
            x, y = (_point(curve, axis, share) for axis in (0, 1))
            half = _columns_of(text) * _LABEL_CHARACTER / 2
            area = _Area(x - half, y - 6, x + half, y + 6)
            if area.left >= 0 and not any(area.meets(one) for one in areas):
                areas.append(area)
                labels.append(_edge_label(text, x, y))
                break
    return labels


def _edge_label(text: str, x: float, y: float) -> str:
    """Return a label with a rim that covers lines below."""
    return (
        f'<text x="{x:g}" y="{y + 3:g}" text-anchor="middle" fill="#555" font-size="9"'
        f' stroke="#fff" stroke-width="3" paint-order="stroke">{escape(text)}</text>'
    )


def _curve(edge: Edge, places: dict[str, Place]) -> Sequence[tuple[float, float]]:
    """Return the four points of a curve: to the right, back to the left, or within a column."""
    a, b = places[edge[0]], places[edge[1]]
    y1, y2 = a.y + HEIGHT / 2, b.y + HEIGHT / 2
    if a.x == b.x:
        side = a.x + WIDTH
        bow = side + min(20 + abs(y2 - y1) / 6, _GAP_X)
        return (side, y1 + 6), (bow, y1 + 6), (bow, y2 - 6), (side, y2 - 6)
    forward = b.x > a.x
    x1, x2 = (a.x + WIDTH, b.x) if forward else (a.x, b.x + WIDTH)
    y1, y2 = (y1, y2) if forward else (y1 + 10, y2 + 10)
    bend = (x2 - x1) / 2
    return (x1, y1), (x1 + bend, y1), (x2 - bend, y2), (x2, y2)


def _point(curve: Sequence[tuple[float, float]], axis: int, t: float) -> float:
    """Return a coordinate of a curve after the share `t` of its way."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return sum(weight * point[axis] for weight, point in zip(weights, curve, strict=True))


def _box(state: State, place: Place, loop: Edge | None) -> str:
    fill = _FILLS.get(state.id) or ("#fbeaea" if state.confused else "")
    fill = fill or ("#eaf3ea" if state.final else "#f2f5fa")
    lines = _lines(label(state), _MAX_LINE - (_LOOP_COLUMNS if loop else 0))
    texts = "".join(
        f'<text x="{place.x + 8:g}" y="{place.y + 18 + 14 * row:g}">{escape(line)}</text>'
        for row, line in enumerate(lines)
    )
    tip = escape(on_a_line(state.output, 400) or state.id)
    again = f" ({loop[3]} times here again: {loop[2]})" if loop else ""
    mark = (
        f'<text x="{place.x + WIDTH - 6:g}" y="{place.y + 12:g}" text-anchor="end" fill="#888">'
        f"↻{loop[3]}</text>"
        if loop
        else ""
    )
    return (
        f"<g><title>{tip}{escape(again)}</title>"
        f'<rect x="{place.x:g}" y="{place.y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"'
        f' fill="{fill}" stroke="#567" stroke-width="{2 if state.final else 1}"/>{texts}{mark}</g>'
    )


def _lines(text: str, first: int = _MAX_LINE) -> list[str]:
    """Return a text on two lines at most, the first of so many columns."""
    if _columns_of(text) <= first:
        return [text]
    room = len(_cut(text, first).rstrip("\u2026"))
    cut = text.rfind(" ", 0, room + 1)
    cut = cut if cut > 8 else room
    return [text[:cut], _cut(text[cut:].strip(), _MAX_LINE)]


def _columns_of(text: str) -> int:
    """Return how wide a text is: a letter of Chinese or Japanese takes the room of two."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _cut(text: str, most: int) -> str:
    """Return a text on a line of so many columns."""
    line = on_a_line(text, len(text) + 1)
    if _columns_of(line) <= most:
        return line
    kept = line
    while kept and _columns_of(kept) > most - 1:
        kept = kept[:-1]
    return kept.rstrip() + "\u2026"


def as_json(model: BehaviourModel) -> dict[str, JsonValue]:
    """Return the automaton as plain data: states, inputs, transitions with counts."""
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
    """Return the automaton for Graphviz."""
    lines = ["digraph behaviour {", "  rankdir=LR;", '  node [shape=box, style="rounded"];']
    for state in model.states.values():
        more = ", peripheries=2" if state.final else ""
        more += ', color="gray50"' if state.confused else ""
        lines.append(f"  {_quote_text(state.id)} [label={_quote_text(label(state))}{more}];")
    for source, target, inputs, times in edges(model):
        text = f"{inputs} ({times})" if inputs else f"({times})"
        lines.append(
            f"  {_quote_text(source)} -> {_quote_text(target)} [label={_quote_text(text)}];"
        )
    return "\n".join([*lines, "}", ""])


def as_mermaid(model: BehaviourModel) -> str:
    """Return the automaton for Mermaid's flowcharts."""
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
    written: list[Path] = []
    for place in sorted((folder / "models").glob("*.model.json")):
        model = BehaviourModel.from_json(place.read_text(encoding="utf-8"), str(place))
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
    by = next((one for one in state.inputs.values() if one.text == text), None)
    return model.effect(state, by) if by is not None else Effect.UNKNOWN


def _quote_text(text: str) -> str:
    escaped = on_a_line(text, 200).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _mermaid(text: str) -> str:
    """Return a text in quotation marks, with entities for the signs of Mermaid's syntax."""
    line = on_a_line(text, 200)
    plain = " .,:()-"
    safe = "".join(one if one.isalnum() or one in plain else f"#{ord(one)};" for one in line)
    return f'"{safe}"'
