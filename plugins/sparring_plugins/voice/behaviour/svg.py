"""The behaviour model as a picture: layers from the start, drawn as SVG without any library.

States stand in columns by how many inputs they are away from the start; within a column they are
ordered by the states that lead to them, as in Sugiyama's method, which keeps crossings few.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from sparring_plugins.voice.behaviour.edges import Edge, edges, label
from sparring_plugins.voice.behaviour.model import ELSEWHERE, FAILURE, START, BehaviourModel, State
from sparring_plugins.voice.behaviour.names import on_a_line

MOST_STATES = 80
"""States in a picture: the most visited ones of more."""

WIDTH, HEIGHT = 190, 44
_GAP_X, _GAP_Y, _MARGIN = 140, 26, 20
_SWEEPS = 4
_LINE = 28
_FILLS = {FAILURE: "#f3c9c9", ELSEWHERE: "#e4e4e4"}


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
    width = max((place.x for place in places.values()), default=0) + WIDTH + _GAP_X
    height = max((place.y for place in places.values()), default=0) + HEIGHT + _MARGIN + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}" font-family="sans-serif" font-size="11"'
        ' role="img">',
        f"<title>{escape(on_a_line(f'behaviour model of {model.app}', 120))}</title>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
        ' markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#666"/></marker></defs>',
    ]
    between = [one for one in arrows if one[0] != one[1]]
    loops = {one[0]: one for one in arrows if one[0] == one[1]}
    parts += [_arrow(one, places) for one in between]
    parts += [_box(model.states[name], places[name], loops.get(name)) for name in places]
    parts += [_named(one, places) for one in between]
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
    """The line of a transition; a title tells everything that a label has no room for."""
    _, _, text, times = edge
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = _curve(edge, places)
    return (
        f"<g><title>{escape(f'{text} ({times})')}</title>"
        f'<path d="M{x0:g} {y0:g}C{x1:g} {y1:g} {x2:g} {y2:g} {x3:g} {y3:g}" fill="none"'
        f' stroke="#999" stroke-width="{min(1 + times / 6, 3):g}" marker-end="url(#arrow)"/></g>'
    )


def _named(edge: Edge, places: dict[str, Place]) -> str:
    """The label of a transition, near to where it leads, with a rim that covers lines below."""
    curve = _curve(edge, places)
    long = abs(curve[3][0] - curve[0][0]) > WIDTH
    x, y = (_on(curve, axis, 0.93 if long else 0.66) for axis in (0, 1))
    return (
        f'<text x="{x:g}" y="{y + 3:g}" text-anchor="middle" fill="#555" font-size="9"'
        f' stroke="#fff" stroke-width="3" paint-order="stroke">{escape(on_a_line(edge[2], 20))}'
        "</text>"
    )


def _curve(edge: Edge, places: dict[str, Place]) -> Sequence[tuple[float, float]]:
    """The four points of a curve: to the right, back to the left, or round within a column."""
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


def _on(curve: Sequence[tuple[float, float]], axis: int, t: float) -> float:
    """A point of a curve, after the share `t` of its way."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return sum(weight * point[axis] for weight, point in zip(weights, curve, strict=True))


def _box(state: State, place: Place, loop: Edge | None) -> str:
    fill = _FILLS.get(state.id) or ("#fbeaea" if state.confused else "")
    fill = fill or ("#eaf3ea" if state.final else "#f2f5fa")
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
