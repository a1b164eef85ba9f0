"""How often the gate is wrong: simulated runs of a bot whose failure rates are known.

`python tests/evaluation/gate/simulation.py` prints the table of docs/how-to/gate-a-run.md. What is
simulated is only the app: plays are drawn, and judged by the code that judges runs.
"""

import sys
from collections.abc import Iterator
from random import Random

from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.verdict import Verdict
from sparring.suite.model import Gate, Repeats
from sparring.testing.conversations import trace_of, verdict_of
from sparring.testing.fakes import FakeContext, FakeStrategy
from sparring_plugins.gating.gate_result import Rules, decide
from sparring_plugins.gating.records import CheckCounts, gating_outcomes
from sparring_plugins.gating.repeats import RepeatedCases
from sparring_plugins.gating.sequential import next_look

RUNS = 1_000
RATES = (0.99, 0.95, 0.9, 0.8, 0.7, 0.5)
SETTINGS: tuple[tuple[str, Repeats], ...] = (
    ("3", Repeats(times=3)),
    ("10", Repeats(times=10)),
    ("30", Repeats(times=30)),
    ("±5 %, at most 200", Repeats(until=0.05, most=200)),
)
Row = tuple[str, float, float, float, float, float]


def simulate(settings: Repeats, rate: float, runs: int, rules: Rules) -> tuple[float, ...]:
    """Return the shares of runs that pass, are flaky and fail, and the mean number of plays."""
    rules = Rules.of(
        Gate(min_rate=rules.min_rate, confidence=rules.confidence, flaky=rules.flaky), settings
    )
    counts = {"pass": 0, "flaky": 0, "fail": 0}
    plays = 0
    draw = Random(f"{settings}{rate}")
    strategy = FakeContext().build(FakeStrategy, params=[{"n": n} for n in range(runs)])
    repeated = RepeatedCases(strategy, settings, rules, 0)
    outer = repeated.strategy
    outer.start(Space(scenarios=(Scenario(name="bot"),)), 0)
    checks: dict[object, CheckCounts] = {}
    while cases := outer.ask(100):
        for case in cases:
            verdicts = _play(case, draw.random() < rate)
            for outcome, _ in gating_outcomes(verdicts).values():
                checks.setdefault(case.params["n"], CheckCounts()).add(outcome)
            outer.tell(case, verdicts)
            plays += 1
    for check in checks.values():
        counts[decide(check, rules)] += 1
    return (*(counts[name] / runs for name in ("pass", "flaky", "fail")), plays / runs)


def exactly(settings: Repeats, rate: float, gate: Gate) -> dict[str, float]:
    """Return the probabilities that one check passes, is flaky and fails, over all its plays."""
    rules = Rules.of(gate, settings)
    strategy = FakeContext().build(FakeStrategy, params=[])
    repeated = RepeatedCases(strategy, settings, rules, 0)
    shares = {"pass": 0.0, "flaky": 0.0, "fail": 0.0}
    paths, before, most = {0: 1.0}, 0, repeated.most
    while paths:
        look = next_look(before, most) if settings.until else most
        paths = _played(paths, look - before, rate)
        for passed in list(paths):
            counts = CheckCounts(passed, look - passed)
            if look == most or repeated.is_known(counts, look):
                shares[decide(counts, rules)] += paths.pop(passed)
        before = look
    return shares


def _played(paths: dict[int, float], plays: int, rate: float) -> dict[int, float]:
    for _ in range(plays):
        further = dict.fromkeys(range(max(paths) + 2), 0.0)
        for passed, probability in paths.items():
            further[passed] += probability * (1 - rate)
            further[passed + 1] += probability * rate
        paths = further
    return paths


def _play(case: Case, passes: bool) -> list[Verdict]:
    return [verdict_of(trace_of([], case=case), "pass" if passes else "fail")]


def rows(runs: int = RUNS, rules: Rules | None = None) -> Iterator[Row]:
    """Yield a row for each setting and true rate."""
    for name, settings in SETTINGS:
        for rate in RATES:
            passes, flaky, fails, plays = simulate(settings, rate, runs, rules or Rules())
            yield name, rate, passes, flaky, fails, plays


def table(runs: int = RUNS) -> str:
    """Return the table in Markdown."""
    lines = [
        "| repeats | true rate | pass | flaky | fail | plays |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, rate, passes, flaky, fails, plays in rows(runs):
        alarm, miss = rate >= 0.9, rate < 0.9
        shown_pass = f"**{passes:.1%}**" if miss else f"{passes:.1%}"
        shown_fail = f"**{fails:.1%}**" if alarm else f"{fails:.1%}"
        lines.append(
            f"| {name} | {rate:.0%} | {shown_pass} | {flaky:.1%} | {shown_fail} | {plays:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
