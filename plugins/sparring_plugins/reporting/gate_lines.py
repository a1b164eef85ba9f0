"""What a gate of repeats or a baseline decided, for the console."""

from collections.abc import Iterator

from sparring.model.run import Summary
from sparring_plugins.gating.gate_result import GateResult, Rate, gate_of
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.console_medium import Span

# A screen of lines; `sparring compare` and the page have the others.
_MOST = 20
# Forty plays beside a name and its rate fit into a line of a terminal.
_PLAYS = 40


def gate_headline(summary: Summary) -> str:
    """Return the gate's own headline; empty for a run without repeats and baseline."""
    gate = gate_of(summary)
    return gate.headline if gate else ""


def gate_lines(summary: Summary, room: int) -> Iterator[list[Span]]:
    """Yield the rates of repeated checks that did not always pass, and what changed."""
    gate = gate_of(summary)
    if gate is None:
        return
    if gate.rates:
        yield from _rate_lines(gate, room)
    if gate.pass_at:
        yield [("repeats  ", "dim"), (pass_at_words(gate), "")]
    if gate.baseline is not None:
        yield [("baseline ", "dim"), (one_line(gate.baseline.file, room), "")]
        for change in gate.baseline.changes[:_MOST]:
            yield [(f"         {change.kind}: ", "dim"), (one_line(change.words, room), "")]
        hidden = sum(gate.baseline.counts.values()) - _MOST
        if hidden > 0:
            yield [(f"         ... and {hidden:,} more: sparring compare", "dim")]
        for line in gate.baseline.statistics:
            yield [("         ", ""), (one_line(line, room), "dim")]
        yield []


def pass_at_words(gate: GateResult) -> str:
    """Return ``pass@1 53.3%; pass@10 66.7%, pass^10 33.3%``."""
    words = (
        f"pass@{at.k} {at.any:.1%}" + (f", pass^{at.k} {at.all:.1%}" if at.k > 1 else "")
        for at in gate.pass_at
    )
    return "; ".join(words)


def _rate_lines(gate: GateResult, room: int) -> Iterator[list[Span]]:
    yield [(f"Rates at {gate.rules.confidence:.0%}, at least {gate.rules.min_rate:.0%} wanted:",
            "bold")]  # fmt: skip
    for rate in gate.rates[:_MOST]:
        yield from _rate(rate, room)
    if len(gate.rates) > _MOST:
        yield [(f"... and {len(gate.rates) - _MOST:,} more", "dim")]
    yield []


def _rate(rate: Rate, room: int) -> Iterator[list[Span]]:
    label = "FAIL" if rate.decision == "fail" else rate.decision
    style = {"fail": "bold red", "flaky": "yellow"}.get(rate.decision, "")
    dots = rate.plays[:_PLAYS] + ("" if len(rate.plays) <= _PLAYS else "...")
    place = one_line(f"{rate.case_id}  {rate.check}", room)
    yield [(f"{label:<9} ", style), (f"{place}  ", ""), (f"{rate.words}  ", "dim"), (dots, "")]
