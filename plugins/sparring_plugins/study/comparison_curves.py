"""Curves per app, explorer and seed: how much was covered and found over turns."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.model.events import CaseJudged
from sparring.model.talk import AppFacts, Listen, Trace, Turn
from sparring.store import StoredRun, find_run
from sparring_plugins.reporting.apps_seen import Problem, app_of
from sparring_plugins.reproduction.failure_identity import faults_of
from sparring_plugins.voice.coverage import SemanticStates, sentence_states
from sparring_plugins.voice.session_view import own_words

MEASURES = (
    *("sentences", "semantic", "intents", "slots", "samples", "handlers", "lines"),
    "problems",
)
"""What is counted, in the order of tables: states of two kinds, parts of the app, problems."""

_MOST_OUTPUTS = 2_000
"""Different outputs of one app that are compared by what they mean."""


@dataclass(frozen=True, slots=True)
class Series:
    """One exploration of one app by one tester: its conversations in the order played."""

    tester: str
    app: str
    seed: str
    judged: Sequence[CaseJudged]


@dataclass(frozen=True, slots=True)
class Curve:
    """What one series had seen of a measure after each turn (after none first): its elements."""

    series: Series
    steps: Sequence[frozenset[str]]

    @property
    def elements(self) -> frozenset[str]:
        """All of them."""
        return frozenset(element for step in self.steps for element in step)

    def counts(self, turns: int) -> list[int]:
        """How many after each of so many turns; after its last one a series finds no more."""
        seen: set[str] = set()
        counts: list[int] = []
        for place in range(turns + 1):
            if place < len(self.steps):
                seen |= self.steps[place]
            counts.append(len(seen))
        return counts


@dataclass(slots=True)
class Measured:
    """The curves of one measure of one app; `whole` is what all testers together saw."""

    app: str
    measure: str
    curves: list[Curve] = field(default_factory=list[Curve])
    declared: frozenset[str] = frozenset()

    @property
    def whole(self) -> frozenset[str]:
        """The denominator: what the app declares, else the union over all testers and seeds."""
        return self.declared or frozenset(e for curve in self.curves for e in curve.elements)


def measured(series: Sequence[Series]) -> list[Measured]:
    """The curves of every measure that there is anything of, app by app."""
    apps = list(dict.fromkeys(tester_series.app for tester_series in series))
    measurements: list[Measured] = []
    for app in apps:
        mine = [tester_series for tester_series in series if tester_series.app == app]
        for measure in MEASURES:
            measurement = _measure_series(app, measure, mine)
            if measurement.whole:
                measurements.append(measurement)
    return measurements


def _measure_series(app: str, measure: str, series: Sequence[Series]) -> Measured:
    elements = _elements(measure, series)
    measurement = Measured(app, measure)
    measurement.curves = [
        Curve(tester_series, list(_steps(tester_series, elements))) for tester_series in series
    ]
    if measure in ("sentences", "semantic", "problems"):
        return measurement
    facts = (judged.trace.app for tester_series in series for judged in tester_series.judged)
    measurement.declared = frozenset(_parts(measure, facts, reached=False))
    return measurement


_Elements = Callable[[CaseJudged, int], Iterable[str]]
"""The elements that a turn of a conversation brought."""


def _elements(measure: str, series: Sequence[Series]) -> _Elements:
    match measure:
        case "sentences":
            return lambda judged, turn: _list_said(judged.trace.turns[turn], sentence_states)
        case "semantic":
            states = _states(series)
            return lambda judged, turn: _list_said(judged.trace.turns[turn], states)
        case "problems":
            return _Problems().of
        case "intents":
            return _intents
        case _:
            return lambda judged, turn: _at_end(measure, judged.trace, turn)


def _steps(series: Series, elements: _Elements) -> Iterator[frozenset[str]]:
    """What each turn brought; an answer without an input belongs to the turn before."""
    waiting: set[str] = set()
    for judged in series.judged:
        for number, turn in enumerate(judged.trace.turns):
            if not isinstance(turn.act, Listen):
                yield frozenset(waiting)
                waiting = set()
            waiting.update(elements(judged, number))
    yield frozenset(waiting)


def _list_said(turn: Turn, states: Callable[[str], Iterable[str]]) -> Iterable[str]:
    text = own_words(turn.observation)
    return states(text) if text.strip() else ()


def _states(series: Sequence[Series]) -> Callable[[str], Iterable[str]]:
    turns = (
        t for tester_series in series for judged in tester_series.judged for t in judged.trace.turns
    )
    replies = (own_words(turn.observation) for turn in turns)
    outputs = sorted({text for text in replies if text.strip()})[:_MOST_OUTPUTS]
    states = SemanticStates(outputs)
    declared = frozenset(outputs)
    return lambda text: (states.state(text),) if text in declared else (text,)


def _intents(judged: CaseJudged, turn: int) -> Iterable[str]:
    """The intents that a turn asked the app for, as its payload tells."""
    trace = judged.trace
    if trace.app is None:
        return ()
    observation = trace.turns[turn].observation
    payload = observation.payload if observation is not None else None
    exchanges = payload.get("exchanges") if isinstance(payload, dict) else None
    reached = set(_parts("intents", [trace.app], reached=True))
    intents = (
        {_intent(exchange) for exchange in exchanges} if isinstance(exchanges, list) else set[str]()
    )
    if turn == len(trace.turns) - 1:
        return reached
    return reached & intents


def _intent(exchange: JsonValue) -> str:
    request = exchange.get("request") if isinstance(exchange, dict) else None
    inner = request.get("request", request) if isinstance(request, dict) else None
    intent = inner.get("intent") if isinstance(inner, dict) else None
    name = intent.get("name") if isinstance(intent, dict) else None
    return name if isinstance(name, str) else ""


def _at_end(kind: str, trace: Trace, turn: int) -> Iterable[str]:
    """Parts that are only known of a whole conversation count with its last turn."""
    if trace.app is None or turn != len(trace.turns) - 1:
        return ()
    return _parts(kind, [trace.app], reached=True)


def _parts(kind: str, facts: Iterable[AppFacts | None], *, reached: bool) -> Iterator[str]:
    from sparring_plugins.reporting.apps_seen import part_names

    for fact in facts:
        for parts in fact.parts if fact is not None else ():
            if parts.kind == kind:
                yield from part_names(kind, parts.reached if reached else parts.whole)


class _Problems:
    """Gives each fault a name that is the same for all testers of an app."""

    def __init__(self) -> None:
        self._known: list[Problem] = []

    def of(self, judged: CaseJudged, turn: int) -> Iterable[str]:
        """The faults that show in a turn; those without a turn in the last one."""
        last = len(judged.trace.turns) - 1
        for fault in faults_of(judged.verdicts, judged.trace):
            at = last if fault.turn is None else min(fault.turn, last)
            if at != turn:
                continue
            place = next(
                (n for n, problem in enumerate(self._known) if problem.is_same(fault)), None
            )
            if place is None:
                place = len(self._known)
                self._known.append(Problem(fault, [], 0))
            yield f"{fault.check} {place}"


def series_of(tester: str, seed: str, judged: Iterable[CaseJudged]) -> list[Series]:
    """The explorations of a run: one for each app, and for each repetition of it."""
    by_app: dict[tuple[str, str], list[CaseJudged]] = {}
    for case_judged in judged:
        repetition = case_judged.trace.case.params.get("exploration")
        key = app_of(case_judged.trace), "" if repetition is None else str(repetition)
        by_app.setdefault(key, []).append(case_judged)
    return [
        Series(tester, app, f"{seed}/{number}" if number else seed, each)
        for (app, number), each in by_app.items()
    ]


def by_tester(curves: Sequence[Curve]) -> Mapping[str, list[Curve]]:
    """The curves of each tester, in the order in which they were given."""
    curves_by_tester: dict[str, list[Curve]] = {}
    for curve in curves:
        curves_by_tester.setdefault(curve.series.tester, []).append(curve)
    return curves_by_tester


# The runs that are compared: who tested, with which seed, and what is needed of conversations.


def loaded(names: Sequence[str], runs: Path) -> list[Series]:
    """The explorations of runs that are named as `RUN` or `TESTER=RUN`; raises SparringError."""
    all_series: list[Series] = []
    seen: Counter[tuple[str, str]] = Counter()
    for name in names:
        tester, stored = _found(name, runs)
        seed = str(stored.manifest.seed)
        seen[tester, seed] += 1
        if seen[tester, seed] > 1:  # the same seed again is one more repetition
            seed = f"{seed}#{seen[tester, seed]}"
        all_series += series_of(tester, seed, _slim(stored))
    if not any(tester_series.judged for tester_series in all_series):
        raise ConfigurationError("these runs have no conversations to compare")
    return all_series


def _found(name: str, runs: Path) -> tuple[str, StoredRun]:
    if (Path(name) / "run.json").is_file():
        stored = StoredRun(Path(name))
        return tester_of(stored), stored
    tester, sign, run = name.partition("=")
    stored = find_run(run if sign else name, runs, played=True)
    return (tester if sign and tester else tester_of(stored)), stored


def tester_of(stored: StoredRun) -> str:
    """The name of the agent that played a run, with the parts that were switched off."""
    agent = stored.manifest.suite.get("agent")
    if isinstance(agent, str):
        return agent
    settings = agent if isinstance(agent, dict) else {}
    without = settings.get("without")
    off = [without] if isinstance(without, str) else without if isinstance(without, list) else []
    name = settings.get("use")
    shown = name if isinstance(name, str) else stored.manifest.name
    return f"{shown} without {', '.join(map(str, off))}" if off else shown


def _slim(stored: StoredRun) -> Iterator[CaseJudged]:
    """The conversations without what takes room and is not measured."""
    for judged in stored.judged():
        turns = tuple(_slim_turn(turn) for turn in judged.trace.turns)
        trace = judged.trace.model_copy(update={"turns": turns, "meta": {}})
        yield judged.model_copy(update={"trace": trace})


def _slim_turn(turn: Turn) -> Turn:
    observation = turn.observation
    if observation is None or observation.payload is None:
        return turn
    kept = observation.model_copy(
        update={"payload": _recorded_intents(observation.payload), "page": None}
    )
    return turn.model_copy(update={"observation": kept})


def _recorded_intents(payload: JsonValue) -> JsonValue:
    """Of a structured answer, the intents that the app was asked for."""
    exchanges = payload.get("exchanges") if isinstance(payload, dict) else None
    values: list[JsonValue] = []
    for exchange in exchanges if isinstance(exchanges, list) else []:
        request = exchange.get("request") if isinstance(exchange, dict) else None
        inner = request.get("request", request) if isinstance(request, dict) else None
        if isinstance(inner, dict) and "intent" in inner:
            intent = inner["intent"]
            name = intent.get("name") if isinstance(intent, dict) else None
            values.append({"request": {"intent": {"name": name}}})
    return {"exchanges": values}
