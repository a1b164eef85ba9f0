"""How far a run is, counted from its events, and that as one line."""

from collections import Counter
from time import monotonic

from sparring.model.events import CaseJudged, CaseStarted, Event, ModelCalled, TurnTaken
from sparring.model.verdict import Outcome
from sparring_plugins.execution import status
from sparring_plugins.language import quantities
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.console_medium import Span
from sparring_plugins.reporting.findings import worst

STYLES = {
    Outcome.PASS: "green",
    Outcome.FAIL: "bold red",
    Outcome.ERROR: "magenta",
    Outcome.INCONCLUSIVE: "yellow",
    Outcome.SKIPPED: "dim",
}
# Counts, rate and time left take so much; in less a bar would push them out.
_BAR_ROOM = 64
_LONGEST_BAR = 30


class Progress:
    """The counts of a running run; `before` cases were judged in earlier sessions."""

    def __init__(self, expected: int | None, before: int) -> None:
        self.expected = expected
        self.before = before
        self.outcomes: Counter[Outcome] = Counter()
        self.playing: dict[str, int] = {}
        self.calls = 0
        self.tokens = 0
        self.cost_usd: float | None = 0.0
        self._began = monotonic()

    def hear(self, event: Event) -> None:
        """Count an event."""
        match event:
            case CaseStarted():
                self.playing[event.case.id] = 0
            case TurnTaken():
                if event.case_id in self.playing:
                    self.playing[event.case_id] = event.index + 1
            case CaseJudged():
                self.playing.pop(event.trace.case.id, None)
                self.outcomes[worst(event.verdicts)] += 1
            case ModelCalled():
                self._call(event)
            case _:
                pass

    def _call(self, event: ModelCalled) -> None:
        self.calls += 1
        # Answers of the cache and of a recording were paid for before.
        if event.reply is None or event.source != "service":
            return
        self.tokens += event.reply.input_tokens + event.reply.output_tokens
        # One call without a price makes the sum unknown: a number that is too small would be
        # believed.
        is_known = self.cost_usd is not None and event.reply.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0) + (event.reply.cost_usd or 0) if is_known else None

    @property
    def done(self) -> int:
        """How many cases were judged, in all sessions."""
        return self.before + self.outcomes.total()

    @property
    def seconds(self) -> float:
        """Seconds since this session began."""
        return monotonic() - self._began

    def place(self) -> str:
        """``12/100``, or ``12`` if the end is unknown; as wide for every case."""
        if self.expected is None:
            return f"{self.done}"
        total = f"{max(self.expected, self.done)}"
        return f"{self.done:>{len(total)}}/{total}"

    def left(self) -> str:
        """About how long it still takes; empty if that is unknown."""
        finished = self.outcomes.total()
        if self.expected is None or finished == 0 or self.done >= self.expected:
            return ""
        # By this session alone: what was judged before a resume took its own time.
        rest = self.seconds / finished * (self.expected - self.done)
        return f"about {quantities.duration(rest)} left"

    def rate(self) -> str:
        """How many cases are judged in a second or a minute; empty before the first ones."""
        finished, seconds = self.outcomes.total(), self.seconds
        # One case says nothing of a rate: it has waited for browsers and models to start.
        if finished < 2 or seconds <= 0:
            return ""
        per_second = finished / seconds
        if per_second >= 1:
            return f"{per_second:,.0f} cases/s" if per_second >= 10 else f"{per_second:.1f} cases/s"
        return f"{per_second * 60:.1f} cases/min"

    def workers(self) -> str:
        """Who plays, and what waits; empty if this process plays."""
        playing = status.current()
        return "" if playing is None else playing.text()

    def spent(self) -> str:
        """Tokens and money so far; empty if no model was asked."""
        if not self.calls:
            return ""
        return f"{quantities.plural(self.tokens, 'token')}, {quantities.money(self.cost_usd)}"

    def summary_line(self) -> str:
        """All of it as plain text, for a line every few seconds."""
        parts = [quantities.outcomes(self.outcomes), quantities.duration(self.seconds)]
        parts += [self.left(), self.rate(), self.workers(), self.spent()]
        return f"[{self.place()}] " + ", ".join(part for part in parts if part)

    def live_line(self, width: int, *, fancy: bool) -> list[Span]:
        """The first line of the live display, with what fits into `width` columns."""
        spans: list[Span] = [(f"{self.place()} ", "bold")]
        if self.expected and width >= _BAR_ROOM:
            spans += self._bar(min(_LONGEST_BAR, width - _BAR_ROOM + 10), fancy=fancy)
        for outcome in quantities.OUTCOME_ORDER:
            if self.outcomes[outcome]:
                spans.append((f" {self.outcomes[outcome]} {outcome.value} ", STYLES[outcome]))
        own = quantities.duration(self.seconds)
        for text in (own, self.left(), self.rate(), self.workers(), self.spent()):
            if text:
                spans.append((f" {text} ", "dim"))
        return fitted(spans, width)

    def playing_line(self, width: int) -> list[Span]:
        """The second line: the conversations that go on, and at which turn they are."""
        # Those that have been played longest: the first four of a hundred.
        names = [f"{one_line(i, 60)} ({turn})" for i, turn in list(self.playing.items())[:4]]
        more = len(self.playing) - len(names)
        if more > 0:
            names.append(f"and {more} more")
        return fitted([(", ".join(names), "dim")], width)

    def _bar(self, length: int, *, fancy: bool) -> list[Span]:
        full, empty = ("━", "─") if fancy else ("#", "-")
        filled = round(length * min(1.0, self.done / max(1, self.expected or 1)))
        return [(full * filled, "cyan"), (empty * (length - filled) + " ", "dim")]


def fitted(spans: list[Span], width: int) -> list[Span]:
    """The leading spans that fit into `width` columns; only the first is ever cut."""
    kept: list[Span] = []
    room = width
    for text, style in spans:
        if kept and len(text) > room:
            break
        kept.append((text[:room], style))
        room -= len(text)
    return kept
