"""The oracle ``consistency``: would a test case get the same verdict again?

It judges the test and its agents and not the app, so it complements the assertions and never
replaces them: a test case can be wrong every time, and perfectly consistent.
"""

import json
from collections.abc import Iterable, Sequence

from pydantic import Field, JsonValue

from sparring.errors import ConfigurationError
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.judging.calibration.results import Calibration
from sparring_plugins.web.assertion_oracle import record_of
from sparring_plugins.web.repeated_runs import (
    Proposition,
    RelativeErrors,
    RepeatedRuns,
    Sigmas,
    compare_runs,
    consistency,
    proposition,
    relative_errors,
    step_decisions,
)
from sparring_plugins.web.runner.records import GuiRecord

_ROLES = ("readiness", "navigator", "assertion")
_WEAKEST_FIRST: tuple[Proposition, ...] = ("none", "2", "3")
_TRUST: dict[Proposition, str] = {
    "3": "plain rules decided every step (Proposition 3)",
    "2": "every agent that was asked is within three sigma (Proposition 2)",
    "none": "no proposition says that a fail may be trusted: calibrate the agents",
}


class SigmaConfig(PluginConfig):
    """Standard deviations of the agents that ask a model, as ``sparring calibrate`` tells them."""

    readiness: float | None = Field(default=None, ge=0, le=0.5)
    navigator: float | None = Field(default=None, ge=0, le=0.5)
    assertion: float | None = Field(default=None, ge=0, le=0.5)


class ConsistencyConfig(PluginConfig):
    """Settings of the oracle `consistency`."""

    sigma: SigmaConfig = Field(
        SigmaConfig(), description="The agents' standard deviations, from 0 to 0.5."
    )
    least: float = Field(
        1.0, ge=0, le=1, description="The observed consistency below which a test case is flaky."
    )


class Consistency(Oracle[ConsistencyConfig]):
    """Judges for each test case its computed and observed consistency, and whether to trust a fail.

    Run each test case several times (strategy ``every`` with `repeats`) to observe it. A test
    case that did not come out the same often enough fails; its owner is the app if the pages
    differed after equal acts, the judge if they were equal. If a tool, a model without a usable
    answer or a busy machine interfered, it is inconclusive and theirs. Runs that an incident broke
    off do not count, and a test case of which no run was decided is skipped: that it is undecided
    every time must not look like a pass. The last verdict has the mean relative errors of the
    computed values.
    """

    Config = ConsistencyConfig

    def __init__(self, config: ConsistencyConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._measured: dict[str, float] = {}

    def calibrated(self, measured: Calibration) -> bool:
        """Take the sigmas of the agents that ask a model; returns whether there are any agents."""
        agents = [agent for agent in measured.judges if agent.role in _ROLES]
        for agent in agents:
            if agent.settings.get("strict") or agent.sigma is None:
                continue
            role = agent.role or ""
            if role in self._measured:
                raise ConfigurationError(
                    f"the calibration {measured.name!r} has two agents of the role {role!r}"
                )
            self._measured[role] = agent.sigma
        duplicates = sorted(self._measured.keys() & self.config.sigma.model_fields_set)
        if duplicates:
            raise ConfigurationError(
                f"sigma.{duplicates[0]} is given, and measured in the calibration"
            )
        return bool(agents)

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        groups: dict[str, list[tuple[str, GuiRecord]]] = {}
        for trace in traces:
            record = record_of(trace)
            if record is not None and not trace.incidents:
                key = json.dumps([trace.case.scenario, trace.case.params], sort_keys=True)
                groups.setdefault(key, []).append((trace.case.id, record))
        sigmas = Sigmas(**{**self.config.sigma.model_dump(), **self._measured})
        verdicts: list[Verdict] = []
        pairs: list[tuple[float, float]] = []
        for runs in groups.values():
            verdict, pair = self._judge_test_case(runs, sigmas)
            verdicts.append(verdict)
            pairs += [pair] if pair else []
        if not verdicts:
            return [_no_runs_verdict()]
        errors = relative_errors(pairs)
        return [*verdicts, *([_errors_verdict(errors, len(pairs))] if errors else [])]

    def _judge_test_case(
        self, runs: list[tuple[str, GuiRecord]], sigmas: Sigmas
    ) -> tuple[Verdict, tuple[float, float] | None]:
        """Return the verdict, and the pair of predicted and observed consistency if both exist."""
        comparison = compare_runs([record for _, record in runs])
        decisions = [step_decisions(record) for _, record in runs]
        computed = [value for d in decisions if (value := consistency(d, sigmas)) is not None]
        predicted = sum(computed) / len(computed) if len(computed) == len(runs) else None
        propositions: list[Proposition] = [proposition(d, sigmas) for d in decisions]
        trust = min(propositions, key=_WEAKEST_FIRST.index)
        verdict = self._verdict(runs, comparison, predicted, trust)
        pair = None
        if predicted is not None and comparison.runs > 1 and _is_decided(runs):
            pair = (predicted, comparison.observed)
        return verdict, pair

    def _verdict(
        self,
        runs: list[tuple[str, GuiRecord]],
        comparison: RepeatedRuns,
        predicted: float | None,
        trust: Proposition,
    ) -> Verdict:
        details: dict[str, JsonValue] = {
            "runs": comparison.runs,
            "observed": round(comparison.observed, 4),
            "computed": None if predicted is None else round(predicted, 4),
            "correct": comparison.correct,
            "proposition": trust,
            "flaky": comparison.flaky,
        }
        base = Verdict(
            oracle="consistency",
            check=runs[0][1].test,
            outcome=Outcome.PASS,
            case_ids=tuple(case for case, _ in runs),
            score=comparison.observed,
            reason=_reason(comparison, predicted, trust),
            details=details,
        )
        if comparison.observed >= self.config.least:
            if _is_decided(runs):
                return base
            reason = f"{base.reason}; no run of this test case was decided"
            return base.model_copy(update={"outcome": Outcome.SKIPPED, "reason": reason})
        outcome = Outcome.INCONCLUSIVE if comparison.flaky == "other" else Outcome.FAIL
        owner = comparison.owner or Owner.JUDGE
        return base.model_copy(update={"outcome": outcome, "owner": owner})


def _is_decided(runs: list[tuple[str, GuiRecord]]) -> bool:
    """Return whether at least one run of a test case passed or failed."""
    return any(record.verdict != "inconclusive" for _, record in runs)


def _reason(runs: RepeatedRuns, predicted: float | None, trust: Proposition) -> str:
    computed = "not known without the agents' sigma" if predicted is None else f"{predicted:.4f}"
    reason = f"consistency {computed}"
    if runs.runs > 1:
        reason += f", observed {runs.observed:.2f} over {runs.runs} runs"
    if runs.flaky == "app":
        reason += f"; the app showed another page at step {runs.step}"
    elif runs.flaky == "agent":
        reason += f"; the agents differed at step {runs.step} on equal pages"
    elif runs.flaky == "other" and runs.owner is not None:
        reason += f"; the runs differed because of the {runs.owner.value} at step {runs.step}"
    return f"{reason}; {_TRUST[trust]}"


def _no_runs_verdict() -> Verdict:
    return Verdict(
        oracle="consistency",
        check="consistency",
        outcome=Outcome.SKIPPED,
        reason="no test case in plain language was played to its end",
    )


def _errors_verdict(errors: RelativeErrors, number: int) -> Verdict:
    return Verdict(
        oracle="consistency",
        check="mean relative error",
        outcome=Outcome.PASS,
        reason=(
            f"computed against observed consistency over {number} test cases: "
            f"{errors.signed:+.4f} signed, {errors.absolute:.4f} absolute"
        ),
        details={"signed": errors.signed, "absolute": errors.absolute, "tests": number},
    )
