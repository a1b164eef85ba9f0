"""The oracle ``consistency``: would the verdict of a test case come again?

It is about the test and its agents and not about the app, so it stands beside the assertions and
never replaces them: a test case can be wrong every time, and perfectly consistent.
"""

import json
from collections.abc import Iterable, Sequence

from pydantic import Field, JsonValue

from sparring.errors import ConfigurationError
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.calibration import Calibration
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.web.oracles.assertions import record_of
from sparring_plugins.web.oracles.formulas import (
    Proposition,
    RelativeErrors,
    Sigmas,
    consistency,
    proposition,
    relative_errors,
)
from sparring_plugins.web.oracles.repeats import Repeated, compared, deciding
from sparring_plugins.web.runner.records import GuiRecord

_ROLES = ("readiness", "navigator", "assertion")
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
    """For each test case: its consistency as computed and as observed, and what a fail is worth.

    Run each test case several times (strategy ``every`` with `repeats`) to observe it. A test
    case that did not come out the same often enough fails, and belongs to the app if the pages
    differed after equal acts, to the judge if they were equal. If a tool, a model that gave no
    usable answer or a busy machine came between, it is inconclusive and theirs. Runs that an
    incident broke off do not count, and a test case of which no run was decided is skipped: that
    it is undecided every time must not look like a pass. At the end stand the mean relative errors
    of the computed values.
    """

    Config = ConsistencyConfig

    def __init__(self, config: ConsistencyConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._measured: dict[str, float] = {}

    def calibrated(self, measured: Calibration) -> bool:
        """Take the sigmas of the agents that ask a model; True where there are any agents."""
        agents = [one for one in measured.judges if one.role in _ROLES]
        for one in agents:
            if one.settings.get("strict") or one.sigma is None:
                continue
            role = one.role or ""
            if role in self._measured:
                raise ConfigurationError(
                    f"the calibration {measured.name!r} has two agents of the role {role!r}"
                )
            self._measured[role] = one.sigma
        both = sorted(self._measured.keys() & self.config.sigma.model_fields_set)
        if both:
            raise ConfigurationError(f"sigma.{both[0]} is given, and measured in the calibration")
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
            verdict, pair = self._of_one(runs, sigmas)
            verdicts.append(verdict)
            pairs += [pair] if pair else []
        if not verdicts:
            return [_nothing()]
        errors = relative_errors(pairs)
        return [*verdicts, *([_errors(errors, len(pairs))] if errors else [])]

    def _of_one(
        self, runs: list[tuple[str, GuiRecord]], sigmas: Sigmas
    ) -> tuple[Verdict, tuple[float, float] | None]:
        records = [record for _, record in runs]
        seen = compared(records)
        computed = [consistency(deciding(record), sigmas) for record in records]
        known = [value for value in computed if value is not None]
        predicted = sum(known) / len(known) if len(known) == len(computed) else None
        worth: list[Proposition] = [proposition(deciding(record), sigmas) for record in records]
        trust = min(worth, key=_weakest)
        verdict = self._verdict(runs, seen, predicted, trust)
        pair = None
        if predicted is not None and seen.runs > 1 and _is_decided(runs):
            pair = (predicted, seen.observed)
        return verdict, pair

    def _verdict(
        self,
        runs: list[tuple[str, GuiRecord]],
        seen: Repeated,
        predicted: float | None,
        trust: Proposition,
    ) -> Verdict:
        details: dict[str, JsonValue] = {
            "runs": seen.runs,
            "observed": round(seen.observed, 4),
            "computed": None if predicted is None else round(predicted, 4),
            "correct": seen.correct,
            "proposition": trust,
            "flaky": seen.flaky,
        }
        base = Verdict(
            oracle="consistency",
            check=runs[0][1].test,
            outcome=Outcome.PASS,
            case_ids=tuple(case for case, _ in runs),
            score=seen.observed,
            reason=_reason(seen, predicted, trust),
            details=details,
        )
        if seen.observed >= self.config.least:
            return base if _is_decided(runs) else _undecided(base)
        outcome = Outcome.INCONCLUSIVE if seen.flaky == "other" else Outcome.FAIL
        return base.model_copy(update={"outcome": outcome, "owner": seen.owner or Owner.JUDGE})


def _undecided(verdict: Verdict) -> Verdict:
    reason = f"{verdict.reason}; no run of this test case was decided"
    return verdict.model_copy(update={"outcome": Outcome.SKIPPED, "reason": reason})


def _is_decided(runs: list[tuple[str, GuiRecord]]) -> bool:
    """Whether at least one run of a test case passed or failed."""
    return any(record.verdict != "inconclusive" for _, record in runs)


def _weakest(one: Proposition) -> int:
    order: tuple[Proposition, ...] = ("none", "2", "3")
    return order.index(one)


def _reason(seen: Repeated, predicted: float | None, trust: Proposition) -> str:
    computed = "not known without the agents' sigma" if predicted is None else f"{predicted:.4f}"
    told = f"consistency {computed}"
    if seen.runs > 1:
        told += f", observed {seen.observed:.2f} over {seen.runs} runs"
    if seen.flaky == "app":
        told += f"; the app showed another page at step {seen.step}"
    elif seen.flaky == "agent":
        told += f"; the agents differed at step {seen.step} on equal pages"
    elif seen.flaky == "other" and seen.owner is not None:
        told += f"; the runs differed because of the {seen.owner.value} at step {seen.step}"
    return f"{told}; {_TRUST[trust]}"


def _nothing() -> Verdict:
    return Verdict(
        oracle="consistency",
        check="consistency",
        outcome=Outcome.SKIPPED,
        reason="no test case in plain language was played to its end",
    )


def _errors(errors: RelativeErrors, number: int) -> Verdict:
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
