"""The report's charts as plain geometry; the page draws them as inline SVG."""

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

from sparring.model.verdict import Outcome
from sparring_plugins.language.quantities import OUTCOME_ORDER, duration, plural
from sparring_plugins.reporting.html.timings import MOST_TIMELINE_BARS, Durations, Timings

_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 342.0, 12.0, 172.0
# More bars than this are narrower than the gaps between them.
_BARS = 24
# One lane a case under way: a hundred at once would make a picture of several screens.
_MOST_LANES = 40

_BUCKETS = 50
# A run that was stopped overnight and resumed would be a dot at each end of an empty chart.
_IDLE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle with its tooltip; `kind` becomes its class."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str
    case_id: str | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line or an area through points (SVG's notation)."""

    points: str
    kind: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything that the page needs to draw one chart."""

    title: str
    summary: str
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    x_ticks: tuple[Tick, ...] = ()
    y_ticks: tuple[Tick, ...] = ()
    x_label: str = ""


def charts(timings: Timings, noun: str = "conversation") -> list[Chart]:
    """The charts that there is data for; `noun` is what a case is called."""
    drawn: list[Chart] = []
    if timings.responses.count:
        drawn.append(response_times(timings.responses, timings.unanswered))
        if sum(each.count > 0 for each in timings.by_turn) > 1:
            drawn.append(turn_by_turn(timings.by_turn))
    if any(timings.lengths):
        drawn.append(timeline(timings, noun))
    return drawn


def response_times(responses: Durations, unanswered: int = 0) -> Chart:
    """A histogram of all response times over a logarithmic axis."""
    edges, counts = responses.columns(_BARS)
    # Logarithmic, since one answer after 30 s would squeeze a hundred within 0.2 s into one bar.
    low, high = math.log10(edges[0]), math.log10(edges[-1])
    most = max(counts) or 1
    room = (_RIGHT - _LEFT) / len(counts)
    bars = [
        _column(_LEFT + room * i, room - 2, n / most, "plain", _bin_title(edges[i : i + 2], n))
        for i, n in enumerate(counts)
        if n
    ]
    missing = f"; {plural(unanswered, 'turn')} without an answer" if unanswered else ""
    p50, p90 = responses.quantile(0.5), responses.quantile(0.9)
    return Chart(
        title="Response times",
        summary=f"{plural(responses.count, 'answer')}: half within {duration(p50)}, "
        f"90 % within {duration(p90)}, slowest {duration(responses.longest)}{missing}",
        bars=tuple(bars),
        x_ticks=tuple(_log_ticks(low, high)),
        y_ticks=(Tick(_BOTTOM, "0"), Tick(_TOP, f"{most:,}")),
        x_label="time to answer, logarithmic",
    )


def turn_by_turn(by_turn: Sequence[Durations]) -> Chart:
    """How response times change as conversations grow: the median and the 90th percentile."""
    measured = [(index, each) for index, each in enumerate(by_turn, 1) if each.count]
    medians = [each.quantile(0.5) for _, each in measured]
    highs = [each.quantile(0.9) for _, each in measured]
    # An axis to 2 s is read, one to 1.73 s is calculated with.
    top = _nice(max(highs))
    room = (_RIGHT - _LEFT) / max(1, len(by_turn))
    xs = [_LEFT + room * (index - 0.5) for index, _ in measured]
    low = [(x, _height(m / top)) for x, m in zip(xs, medians, strict=True)]
    high = [(x, _height(h / top)) for x, h in zip(xs, highs, strict=True)]
    bars = [
        Bar(x - room / 2, _TOP, room, _BOTTOM - _TOP, "touch", _turn_title(index, each))
        for x, (index, each) in zip(xs, measured, strict=True)
    ]
    every = max(1, math.ceil(len(by_turn) / 10))  # labels of 40 turns would overlap
    ticks = [Tick(x, str(i)) for x, (i, _) in zip(xs, measured, strict=True) if i % every == 0]
    return Chart(
        title="Turn by turn",
        summary=f"median and 90th percentile over {plural(len(by_turn), 'turn')}: "
        f"{duration(medians[0])} at the first, {duration(medians[-1])} at the last",
        bars=tuple(bars),
        lines=(
            Line(_points([*low, *reversed(high)]), "area"),
            Line(_points(high), "upper"),
            Line(_points(low), "middle"),
        ),
        x_ticks=tuple(ticks),
        y_ticks=tuple(Tick(_height(s), duration(top * s)) for s in (0.0, 0.5, 1.0)),
        x_label="turn",
    )


def timeline(timings: Timings, noun: str = "conversation") -> Chart:
    """When each conversation was played, pauses between sessions left out."""
    order = _order_by_start(timings.starts)
    starts, total = _without_pauses(timings, order)
    total = total or 1.0
    if len(starts) <= MOST_TIMELINE_BARS:
        bars = _lanes(timings, starts, order, total)
    else:
        bars = _stacks(timings, starts, total)
    side = _most_side_by_side(timings, starts, order)
    ticks = [Tick(_LEFT + (_RIGHT - _LEFT) * s, duration(total * s)) for s in (0, 1 / 3, 2 / 3, 1)]
    return Chart(
        title="Timeline",
        summary=f"{plural(len(starts), noun)} in {duration(total)}, "
        + (f"up to {side} side by side" if side > 1 else "one after the other"),
        bars=tuple(bars),
        x_ticks=tuple(ticks),
        x_label="time since the run began",
    )


def _order_by_start(starts: Sequence[float]) -> Sequence[int]:
    """Places of the cases by when they began; of a million cases, most often nothing is sorted."""
    if all(before <= after for before, after in pairwise(starts)):
        return range(len(starts))
    return array("l", sorted(range(len(starts)), key=starts.__getitem__))


def _without_pauses(timings: Timings, order: Sequence[int]) -> tuple[Sequence[float], float]:
    """Starts from 0 with idle times cut short, in the order of the cases, and the end."""
    busy = sum(timings.lengths)
    # Runs of a few milliseconds have gaps of a second that are none.
    longest_pause = max(1.0, busy * _IDLE_SHARE)
    starts = array("d", timings.starts)
    shift, end = timings.starts[order[0]], timings.starts[order[0]]
    for index in order:
        start = timings.starts[index]
        if start - end > longest_pause:
            shift += start - end
        starts[index] = start - shift
        end = max(end, start + timings.lengths[index])
    return starts, end - shift


def _lanes(
    timings: Timings, starts: Sequence[float], order: Sequence[int], total: float
) -> list[Bar]:
    """A bar per case, in as few lanes as keep them apart."""
    free: list[float] = []
    placed: list[tuple[int, int]] = []
    for index in order:
        end = starts[index] + timings.lengths[index]
        lane = next((n for n, until in enumerate(free) if until <= starts[index]), len(free))
        if lane == len(free):
            free.append(0.0)
        free[lane] = end
        placed.append((index, min(lane, _MOST_LANES - 1)))
    lanes = min(len(free), _MOST_LANES)
    height = (_BOTTOM - _TOP) / lanes
    scale = (_RIGHT - _LEFT) / total
    return [
        Bar(
            _LEFT + starts[index] * scale,
            _BOTTOM - height * (lane + 1),
            # A case of a millisecond in a run of an hour is still a bar that one can point at.
            max(1.5, timings.lengths[index] * scale - 0.6),
            max(1.5, height - 1.5),
            timings.outcome(index).value,
            f"{timings.outcome(index).value}, {duration(timings.lengths[index])}",
            timings.case_ids[index],
        )
        for index, lane in placed
    ]


def _stacks(timings: Timings, starts: Sequence[float], total: float) -> list[Bar]:
    """How many conversations ended in each fiftieth of the time, by outcome."""
    ended: list[Counter[Outcome]] = [Counter() for _ in range(_BUCKETS)]
    for index, start in enumerate(starts):
        share = (start + timings.lengths[index]) / total
        ended[min(_BUCKETS - 1, int(share * _BUCKETS))][timings.outcome(index)] += 1
    most = max(counts.total() for counts in ended)
    room = (_RIGHT - _LEFT) / _BUCKETS
    bars: list[Bar] = []
    for bucket, counts in enumerate(ended):
        bottom = _BOTTOM
        for outcome in OUTCOME_ORDER:
            height = (_BOTTOM - _TOP) * counts[outcome] / most
            bottom -= height
            if height:
                title = f"{counts[outcome]:,} {outcome.value}"
                x = _LEFT + room * bucket
                bars.append(Bar(x, bottom, room - 1, height, outcome.value, title))
    return bars


def _most_side_by_side(timings: Timings, starts: Sequence[float], order: Sequence[int]) -> int:
    """How many conversations went on at once at most."""
    ends: list[float] = []
    most = 1
    for index in order:
        while ends and ends[0] <= starts[index]:
            heappop(ends)
        heappush(ends, starts[index] + timings.lengths[index])
        most = max(most, len(ends))
    return most


def _column(x: float, width: float, share: float, kind: str, title: str) -> Bar:
    height = max(1.0, (_BOTTOM - _TOP) * share)
    return Bar(x + 1, _BOTTOM - height, width, height, kind, title)


def _height(share: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * min(1.0, share)


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _bin_title(edges: Sequence[float], count: int) -> str:
    return f"{plural(count, 'answer')} in {duration(edges[0])} to {duration(edges[1])}"


def _turn_title(index: int, each: Durations) -> str:
    low, high = duration(each.quantile(0.5)), duration(each.quantile(0.9))
    return f"turn {index}: {plural(each.count, 'answer')}, median {low}, 90 % within {high}"


def _log_ticks(low: float, high: float) -> Iterator[Tick]:
    """Marks at 1, 2 and 5 of each decade, or at the decades alone if there are many."""
    # Over three decades nine labels would overlap.
    steps = (1,) if high - low > 2 else (1, 2, 5)
    for decade in range(math.floor(low), math.ceil(high) + 1):
        for step in steps:
            at = decade + math.log10(step)
            if low - 1e-9 <= at <= high + 1e-9:
                x = _LEFT + (_RIGHT - _LEFT) * (at - low) / (high - low)
                yield Tick(x, duration(10**decade * step))


def _nice(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 5, 7.5 times a power of ten."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return next((power * f for f in (1, 1.5, 2, 3, 5, 7.5) if power * f >= value), power * 10)
