"""The behaviour model as a picture: layers from the start, drawn as SVG without any library.

States stand in columns by how many inputs they are away from the start; within a column they are
ordered by the states that lead to them, as in Sugiyama's method, which keeps crossings few.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from sparring_plugins.behaviour.exports import Edge, edges, label
from sparring_plugins.behaviour.model import START, BehaviourModel, State
from sparring_plugins.behaviour.naming import on_a_line

MOST_STATES = 80
"""States in a picture: the most visited ones of more."""

WIDTH, HEIGHT = 190, 44
_GAP_X, _GAP_Y, _MARGIN = 110, 26, 20
_SWEEPS = 4
_LINE = 28


@dataclass(frozen=True, slots=True)
class Place:
    """Where the box of a state stands."""

    x: float
    y: float


def as_svg(model: BehaviourModel) -> str:
    """The picture; it holds no script and no style, and whatever the app said is text in it."""
    shown = _shown(model)
    arrows = [one for one in edges(model) if one[0] in shown and one[1] in shown]
    places = _placed(shown, arrows)
    width = max((place.x for place in places.values()), default=0) + WIDTH + _MARGIN
    height = max((place.y for place in places.values()), default=0) + HEIGHT + _MARGIN + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}" font-family="sans-serif" font-size="11"'
        ' role="img">',
        f"<title>{escape(on_a_line(f'behaviour model of {model.app}', 120))}</title>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#666"/></marker></defs>',
    ]
    parts += [_arrow(one, places) for one in arrows if one[0] != one[1]]
    loops = {one[0]: one for one in arrows if one[0] == one[1]}
    parts += [_box(model.states[name], places[name], loops.get(name)) for name in places]
    return "\n".join([*parts, "</svg>", ""])


def _shown(model: BehaviourModel) -> list[str]:
    """The states of the picture, in the order of the model."""
    states = list(model.states.values())
    if len(states) > MOST_STATES:
        kept = sorted(states, key=lambda one: (one.id != START, -one.visits))[:MOST_STATES]
        states = [one for one in states if one in kept]
    return [one.id for one in states]


def _placed(names: Sequence[str], arrows: Sequence[Edge]) -> dict[str, Place]:
    columns = _ordered(_columns(names, arrows), arrows)
    tallest = max((len(column) for column in columns), default=0)
    found: dict[str, Place] = {}
    for at, column in enumerate(columns):
        free = (tallest - len(column)) * (HEIGHT + _GAP_Y) / 2
        for row, name in enumerate(column):
            x = _MARGIN + at * (WIDTH + _GAP_X)
            found[name] = Place(x, _MARGIN + free + row * (HEIGHT + _GAP_Y))
    return found


def _columns(names: Sequence[str], arrows: Sequence[Edge]) -> list[list[str]]:
    """The states by their distance from the start; those that nothing leads to come last."""
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


def _ordered(columns: list[list[str]], arrows: Sequence[Edge]) -> list[list[str]]:
    """Columns in which each state stands near those that it is joined to."""
    for _ in range(_SWEEPS):
        for at in range(1, len(columns)):
            rank = {name: row for row, name in enumerate(columns[at - 1])}
            columns[at].sort(key=lambda name: _middle(name, rank, arrows))
    return columns


def _middle(name: str, rank: dict[str, int], arrows: Sequence[Edge]) -> float:
    near = [rank[source] for source, target, _, _ in arrows if target == name and source in rank]
    return sum(near) / len(near) if near else len(rank)


def _arrow(edge: Edge, places: dict[str, Place]) -> str:
    source, target, text, times = edge
    a, b = places[source], places[target]
    forward = b.x > a.x
    x1, y1 = a.x + (WIDTH if forward else WIDTH / 2), a.y + (HEIGHT / 2 if forward else HEIGHT)
    x2, y2 = (b.x if forward else b.x + WIDTH / 2), b.y + (HEIGHT / 2 if forward else HEIGHT)
    if forward:
        bend = (x2 - x1) / 2
        path = f"M{x1:g} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2:g} {y2:g}"
        tx, ty = (x1 + x2) / 2, (y1 + y2) / 2 - 3
    else:
        drop = max(y1, y2) + 22
        path = f"M{x1:g} {y1:g}C{x1:g} {drop:g} {x2:g} {drop:g} {x2:g} {y2:g}"
        tx, ty = (x1 + x2) / 2, drop - 8
    shown = escape(on_a_line(text, 20))
    tip = escape(f"{text} ({times})")
    return (
        f'<g><title>{tip}</title><path d="{path}" fill="none" stroke="#888"'
        f' stroke-width="{min(1 + times / 4, 4):g}" marker-end="url(#arrow)"/>'
        f'<text x="{tx:g}" y="{ty:g}" text-anchor="middle" fill="#555" font-size="9">'
        f"{shown}</text></g>"
    )


def _box(state: State, place: Place, loop: Edge | None) -> str:
    fill = "#fbeaea" if state.confused else "#eaf3ea" if state.final else "#f2f5fa"
    lines = _lines(label(state))
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


def _lines(text: str) -> list[str]:
    """A text on two lines at most."""
    if len(text) <= _LINE:
        return [text]
    cut = text.rfind(" ", 0, _LINE + 1)
    cut = cut if cut > 8 else _LINE
    return [text[:cut], on_a_line(text[cut:].strip(), _LINE)]
