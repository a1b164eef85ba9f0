"""One conversation as the page shows it: every text visible, of bounded size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from sparring.model.confirmation import Confirmation
from sparring.model.events import CaseJudged
from sparring.model.talk import Ended, Incident, Trace, Turn
from sparring.model.verdict import Outcome, Verdict
from sparring_plugins.language.quantities import duration
from sparring_plugins.language.text import cut, one_line
from sparring_plugins.reporting.app_tables import path_of
from sparring_plugins.reporting.commands import show_command
from sparring_plugins.reporting.findings import (
    RANK,
    Findings,
    brief_reason_of,
    description_of,
    length,
    worst,
)
from sparring_plugins.reporting.html.messages import (
    LABEL,
    VALUE,
    Message,
    act,
    answer,
    artifact,
    brief,
    label,
    shown,
)
from sparring_plugins.reporting.html.steps import Pictures, Shot, StepsView, steps_view

# A reason may quote a page of the app; the conversation beside it has the rest.
_REASON = 4000
# A hostile app returns ten thousand outputs: a browser does not lay out such a table.
_MOST_ROWS = 200
# Of a conversation in a loop (2,000 turns) the beginning shows what was wanted and the end how it
# got stuck; what lies between repeats itself.
_FIRST_TURNS, _LAST_TURNS = 100, 200
_ENDINGS = {
    Ended.GOALS_REACHED: "the user has reached the goals",
    Ended.USER_LEFT: "the user left",
    Ended.APP_ENDED: "the app ended the conversation",
    Ended.TURN_LIMIT: "ended by the limit of turns",
    Ended.COST_LIMIT: "ended by the limit of costs",
    Ended.LOOP: "ended because it went round in circles",
    Ended.INCIDENT: "broken off",
    Ended.SCRIPT_DONE: "the end of the script",
}
# What the page shows elsewhere (`source`, the steps of `gui`), or what only a program reads.
_HIDDEN_META = frozenset({"source", "conversation", "serial", "gui"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of hostile conversations a page shows, in characters, and of pictures in bytes."""

    message: int
    conversation: int
    pictures: int = 24_000_000


@dataclass(frozen=True, slots=True)
class Note:
    """A verdict or an incident, where it shows; `see` is the number of the turn that has it all."""

    kind: str
    label: str
    reason: str = ""
    description: str = ""
    owner: str = ""
    fault: int | None = None
    see: int | None = None
    gating: bool = True
    elsewhere: tuple[str, ...] = ()
    pictures: tuple[tuple[str, Shot], ...] = ()


@dataclass(slots=True)
class TurnView:
    """A turn: what the user did, what the app answered, what is to be said of it."""

    number: int
    said: Message | None
    heard: Message | None
    latency: str
    notes: list[Note] = field(default_factory=list[Note])
    skipped_before: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table of checks."""

    outcome: str
    label: str
    reason: str
    count: int
    score: str
    turns: tuple[int, ...]
    gating: bool
    measures: bool


@dataclass(frozen=True, slots=True)
class ConversationView:
    """One conversation."""

    id: str
    scenario: str
    outcome: str
    brief: str
    headline: str
    length: str
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str, str], ...]
    facts: tuple[tuple[str, str], ...]
    artifacts: tuple[tuple[str, str, str], ...]
    turns: tuple[TurnView, ...]
    notes: tuple[Note, ...]
    checks: tuple[Check, ...]
    more_checks: int
    oracles: str
    faults: str
    ended: str
    command: str
    steps: StepsView | None = None


class Viewer:
    """Makes views; `concluded` are the non-passes over several conversations, by case."""

    def __init__(
        self,
        findings: Findings,
        concluded: dict[str, list[Verdict]],
        folder: Path | None,
        limits: Limits,
    ) -> None:
        self._findings = findings
        self._concluded = concluded
        self._folder = folder
        self._limits = limits
        self._pictures = Pictures(folder, limits.pictures)

    def view(self, judged: CaseJudged) -> ConversationView:
        """The view of one conversation."""
        trace, case = judged.trace, judged.trace.case
        outcome = worst(judged.verdicts)
        shared = self._concluded.get(case.id, [])[:_MOST_ROWS]
        own = [verdict for verdict in judged.verdicts if _matters(verdict)][:_MOST_ROWS]
        causes = own + shared
        notes = [(self._note(v, trace), _turns_of(v, case.id)) for v in own]
        notes += [(self._note(v, trace, several=True), _turns_of(v, case.id)) for v in shared]
        faults = {note.fault for note, _ in notes if note.fault is not None}
        steps, notes = _at_steps(steps_view(trace, self._pictures), notes)
        turns, loose = self._turns(trace, notes)
        ordered = sorted(judged.verdicts, key=lambda v: RANK[v.outcome])
        return ConversationView(
            id=case.id,
            scenario=case.scenario,
            outcome=outcome.value,
            brief=brief(case.params),
            headline=_headline(causes, outcome),
            length=_length(trace),
            inputs=tuple((label(n), shown(v)) for n, v in list(case.params.items())[:_MOST_ROWS]),
            outputs=tuple(
                (label(o.name), "" if o.value is None else shown(o.value), label(o.type))
                for o in trace.outputs[:_MOST_ROWS]
            ),
            facts=tuple(_facts(trace)),
            artifacts=tuple(artifact(a) for a in trace.artifacts[:_MOST_ROWS]),
            turns=tuple(turns),
            notes=tuple(loose),
            checks=tuple(_check(v) for v in ordered[:_MOST_ROWS]),
            more_checks=max(0, len(ordered) - _MOST_ROWS),
            oracles=" ".join(sorted({quote(v.oracle, safe="") for v in causes})),
            faults=" ".join(str(number) for number in sorted(faults)),
            ended=_ENDINGS[trace.ended],
            command=show_command(self._folder, case.id) if self._folder else "",
            steps=steps,
        )

    def turns(self, trace: Trace) -> list[TurnView]:
        """The turns of a conversation without any notes."""
        return self._turn_views(trace, {})

    def _note(self, verdict: Verdict, trace: Trace, *, several: bool = False) -> Note:
        others = tuple(i for i in verdict.case_ids[:6] if i != trace.case.id)
        return Note(
            kind=verdict.outcome.value,
            label=one_line(f"{verdict.oracle} / {verdict.check}", LABEL),
            reason=cut(verdict.reason, _REASON)[0],
            description=description_of(verdict),
            owner=verdict.owner.value if verdict.owner else "",
            fault=self._findings.number(verdict, None if several else trace),
            gating=verdict.gating,
            elsewhere=others,
            pictures=tuple(self._pictures.named(verdict.details.get("pictures"))),
        )

    def _turns(
        self, trace: Trace, notes: Sequence[tuple[Note, list[int]]]
    ) -> tuple[list[TurnView], list[Note]]:
        """The turns with the notes at them, and the notes that belong to none."""
        at: dict[int, list[Note]] = {}
        loose: list[Note] = []
        reasons = {" ".join(note.reason.split()) for note, _ in notes}
        for incident in trace.incidents[:_MOST_ROWS]:
            if " ".join(incident.message.split()) in reasons:
                continue  # the verdict on it says the same
            _place(_incident(incident), _turn_of(incident, trace), at, loose)
        for note, turns in notes:
            inside = [turn for turn in turns if 0 <= turn < len(trace.turns)]
            _place(note, inside[-1] if inside else None, at, loose)
            for turn in inside[:-1]:
                mark = Note(note.kind, note.label, fault=note.fault, see=inside[-1] + 1)
                at.setdefault(turn, []).append(mark)
        return self._turn_views(trace, at), loose

    def _turn_views(self, trace: Trace, at: dict[int, list[Note]]) -> list[TurnView]:
        total, room, skipped = len(trace.turns), self._limits.conversation, 0
        views: list[TurnView] = []
        for index, turn in enumerate(trace.turns):
            in_middle = _FIRST_TURNS <= index < total - _LAST_TURNS
            # A turn with a verdict is shown wherever it stands.
            if in_middle and index not in at:
                skipped += 1
                continue
            # When the room is used up, each turn is still there, in a line.
            limit = self._limits.message if room > 0 else VALUE
            view = _turn(index, turn, limit)
            view.notes, view.skipped_before, skipped = at.get(index, []), skipped, 0
            room -= sum(len(m.text) + len(m.payload) for m in (view.said, view.heard) if m)
            views.append(view)
        return views


_Placed = tuple[Note, list[int]]


def _at_steps(
    steps: StepsView | None, notes: list[_Placed]
) -> tuple[StepsView | None, list[_Placed]]:
    """Have each step name the finding that it shows; such a verdict needs no box of its own."""
    if steps is None:
        return None, notes
    faults: dict[tuple[str, str], int] = {}
    for note, _ in notes:
        if note.fault is not None and not note.pictures:
            faults.setdefault((note.label.partition(" / ")[2], note.reason), note.fault)
    views = tuple(replace(s, fault=faults.get((s.text, s.reason))) for s in steps.steps)
    named = {(step.text, step.reason) for step in views if step.fault is not None}
    left = [p for p in notes if (p[0].label.partition(" / ")[2], p[0].reason) not in named]
    return replace(steps, steps=views), left


def _length(trace: Trace) -> str:
    words = length(trace)
    return f"{words}, {duration(trace.duration_s)}" if trace.duration_s > 0 else words


def _matters(verdict: Verdict) -> bool:
    return RANK[verdict.outcome] < RANK[Outcome.PASS]


def _place(note: Note, turn: int | None, at: dict[int, list[Note]], loose: list[Note]) -> None:
    if turn is None:
        loose.append(note)
    else:
        at.setdefault(turn, []).append(note)


def _turns_of(verdict: Verdict, case_id: str) -> list[int]:
    return sorted({ref.turn for ref in verdict.turns[:_MOST_ROWS] if ref.case_id == case_id})


def _turn_of(incident: Incident, trace: Trace) -> int | None:
    turn = incident.turn
    return turn if turn is not None and 0 <= turn < len(trace.turns) else None


def _incident(incident: Incident) -> Note:
    reason = cut(incident.message, _REASON)[0]
    label = incident.kind.value.replace("_", " ")
    return Note("incident", label, reason, owner=incident.owner.value)


def _turn(index: int, turn: Turn, limit: int) -> TurnView:
    latency = duration(turn.latency_s) if turn.latency_s > 0 else ""
    reply = answer(turn.observation, limit) if turn.observation is not None else None
    return TurnView(index + 1, act(turn, limit), reply, latency)


def _check(verdict: Verdict) -> Check:
    return Check(
        outcome=verdict.outcome.value,
        label=one_line(f"{verdict.oracle} / {verdict.check}", LABEL),
        reason=one_line(verdict.reason, VALUE),
        count=verdict.count,
        score="" if verdict.score is None else f"{verdict.score:.2f}",
        turns=tuple(ref.turn + 1 for ref in verdict.turns[:8]),
        gating=verdict.gating,
        measures=verdict.measures,
    )


def _headline(verdicts: Sequence[Verdict], outcome: Outcome) -> str:
    for verdict in verdicts:
        if verdict.gating and verdict.outcome is outcome:
            label = one_line(f"{verdict.oracle} / {verdict.check}", 80)
            return f"{label}: {brief_reason_of(verdict, 240)}".removesuffix(": ")
    return ""


def _facts(trace: Trace) -> list[tuple[str, str]]:
    facts = [("ended", trace.ended.value.replace("_", " "))]
    facts += [
        (label(name), shown(value))
        for name, value in list(trace.meta.items())[:30]
        if name not in _HIDDEN_META and value not in (None, "", [], {})
    ]
    facts.append(("seed", str(trace.case.seed)))
    if trace.case.repeat > 1:
        facts.append(("repeat", str(trace.case.repeat)))
    facts.append(("started", trace.started.isoformat(sep=" ", timespec="seconds")))
    source = trace.meta.get("source")
    return [*facts, ("source", shown(source))] if isinstance(source, str) and source else facts


# The faults that were played again, as the page shows them: how sure, and the shortest way.

MOST = 300
"""Faults that a page shows."""

_EDGES = {"confirmed": "fail", "unsteady": "inconclusive", "not confirmed": "skipped"}
_CONFIRMED_REASON = 2000


@dataclass(frozen=True, slots=True)
class AgainView:
    """A fault: what became of it (`word`, coloured as the outcome `edge`), why, and how."""

    word: str
    edge: str
    app: str
    label: str
    reason: str
    why: str
    path: tuple[str, ...]
    turns: tuple[TurnView, ...]
    case_ids: tuple[str, ...]
    more: int


def again_views(confirmations: Sequence[Confirmation], viewer: Viewer) -> Iterator[AgainView]:
    """The views, those that are sure first."""
    # Those that came again are worked on first; those that were not played again come last.
    order = ["confirmed", "unsteady", "not confirmed", "not played"]
    ranked = sorted(confirmations, key=lambda confirmation: order.index(confirmation.outcome))
    for confirmation in ranked[:MOST]:
        yield AgainView(
            word=confirmation.outcome,
            edge=_EDGES.get(confirmation.outcome, "skipped"),
            app=one_line(confirmation.app, 120),
            label=one_line(f"{confirmation.fault.oracle} / {confirmation.fault.check}", 160),
            reason=cut(confirmation.fault.reason, _CONFIRMED_REASON)[0],
            why=one_line(confirmation.why, 600),
            path=tuple(path_of(confirmation)[:100]),
            turns=tuple(viewer.turns(confirmation.trace)) if confirmation.trace else (),
            case_ids=confirmation.case_ids[:6],
            more=max(0, len(confirmation.case_ids) - 6),
        )
