"""The oracle `voice-problems`: the five problems, one set for every tester."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.engine.foreign_incident import broken_off
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.voice.problems.privacy import allowed
from sparring_plugins.voice.problems.problem_identity import problem_key, problem_kind, same_problem
from sparring_plugins.voice.problems.problem_types import (
    KINDS,
    Certainty,
    Kind,
    Known,
    VoiceProblem,
    problems,
)
from sparring_plugins.voice.problems.session_view import Heard, heard, plain_words

ORACLE = "voice-problems"
_ORDER: dict[Certainty, int] = {"sure": 0, "likely": 1, "possible": 2}
_Key = tuple[str, str, str, str]
_Distinct = dict[_Key, tuple[VoiceProblem, list[str]]]
"""Problems by app, kind, form and state, with the sessions that show them."""
_LONGEST = 300
_SCORES: dict[Certainty, float] = {"sure": 0.0, "likely": 0.2, "possible": 0.5}


class VoiceProblemsConfig(PluginConfig):
    """Settings of the oracle `voice-problems`.

    `names` are the names by which the app may be asked for; left out, any name that the user asks
    the platform for. `permissions` are those that the app declares, in Alexa's spelling, beside
    those that the connector tells of: what they allow is no violation. Problems less certain than
    `least` are inconclusive.
    """

    checks: tuple[Kind, ...] = Field(default=KINDS, min_length=1, description="which to look for")
    names: tuple[str, ...] = Field(default=(), description="the app's own names")
    permissions: tuple[str, ...] = Field(default=(), description="permissions it declares")
    least: Certainty = Field(
        default="likely", description="how sure a problem must be to count as a failure"
    )


class VoiceProblems(Oracle[VoiceProblemsConfig]):
    """Unexpected exit, privacy violation, unstoppable, unexpected app, unstartable.

    Each is a check of every session, and passes if the session shows no such problem. If the
    session broke off and the app was not to blame, a problem that it shows counts, and none is
    inconclusive. At the end the problems of all sessions stand together, one for each kind, form
    and state, with the shortest inputs that led to it.
    """

    Config: ClassVar[type[PluginConfig]] = VoiceProblemsConfig
    local: ClassVar[bool] = True

    def __init__(self, config: VoiceProblemsConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        names = frozenset(plain_words(name) for name in config.names)
        self._known = Known(names, allowed(config.permissions))

    def same(self, one: str, other: str) -> bool:
        return same_problem(one, other)

    def checks(self) -> frozenset[str]:
        return frozenset(self.config.checks)

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        turns = heard(trace)
        found = self._problems(trace, turns)
        return tuple(self._verdict(trace, kind, found, turns) for kind in self.config.checks)

    def _problems(self, trace: Trace, turns: Sequence[Heard]) -> list[VoiceProblem]:
        known = self._known
        if trace.app is not None and trace.app.permissions:
            known = replace(known, allowed=known.allowed | allowed(trace.app.permissions))
        return [one for one in problems(turns, known) if one.kind in self.config.checks]

    def _verdict(
        self, trace: Trace, kind: Kind, found: Sequence[VoiceProblem], turns: Sequence[Heard]
    ) -> Verdict:
        mine = sorted((one for one in found if one.kind == kind), key=lambda p: _ORDER[p.certainty])
        base = Verdict(
            oracle=ORACLE, check=kind, outcome=Outcome.PASS, case_ids=(trace.case.id,), score=1.0
        )
        if not mine and (broken := broken_off(trace)) is not None:
            reason = f"the session broke off ({broken.kind.value}): {_one_line(broken.message)}"
            update = {"outcome": Outcome.INCONCLUSIVE, "owner": broken.owner, "score": None}
            return base.model_copy(update={**update, "reason": reason})
        if not mine and not any(one.said or one.output for one in turns):
            reason = "does not apply: nothing was said in the session"
            return base.model_copy(
                update={"outcome": Outcome.SKIPPED, "score": None, "reason": reason}
            )
        if not mine:
            return base
        worst = mine[0]
        counts = _ORDER[worst.certainty] <= _ORDER[self.config.least]
        return base.model_copy(
            update={
                "outcome": Outcome.FAIL if counts else Outcome.INCONCLUSIVE,
                "owner": Owner.APP,
                "score": _SCORES[worst.certainty],
                "reason": f"{worst.form}: {worst.reason} ({worst.certainty})",
                "turns": tuple(TurnRef(case_id=trace.case.id, turn=one.turn) for one in mine),
                "details": {
                    "kind": list[JsonValue](sorted({problem_kind(one) for one in mine})),
                    "problems": list[JsonValue](_plain(one, turns) for one in mine),
                },
            }
        )

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        distinct: _Distinct = {}
        sessions = 0
        for trace in traces:
            turns = heard(trace)
            sessions += any(one.said or one.output for one in turns)
            app = str(trace.case.params.get("app", ""))
            for one in self._problems(trace, turns):
                self._collect(distinct, (app, one.kind, one.form, one.state), one, trace.case.id)
        return [] if not sessions else [self._summed(distinct, sessions)]

    def _collect(
        self,
        distinct: _Distinct,
        key: _Key,
        one: VoiceProblem,
        case_id: str,
    ) -> None:
        known, cases = distinct.get(key, (one, list[str]()))
        better = (_ORDER[one.certainty], len(one.path)) < (_ORDER[known.certainty], len(known.path))
        distinct[key] = (one if better else known, [*cases, case_id][:50])

    def _summed(
        self,
        distinct: _Distinct,
        sessions: int,
    ) -> Verdict:
        listed: list[JsonValue] = [
            {**_plain(one), "app": app, "sessions": list[JsonValue](cases)}
            for (app, *_), (one, cases) in distinct.items()
        ]
        words = ", ".join(f"{count} {kind}" for kind, count in _counts(distinct)) or "none"
        return Verdict(
            oracle=ORACLE,
            check="problems",
            outcome=Outcome.PASS,
            reason=f"distinct problems over {sessions} sessions: {words}",
            details={"problems": listed},
        )


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


def _counts(
    distinct: _Distinct,
) -> Iterator[tuple[str, int]]:
    for kind in KINDS:
        number = sum(1 for _, found, *_ in distinct if found == kind)
        if number:
            yield kind, number


def _plain(one: VoiceProblem, turns: Sequence[Heard] | None = None) -> dict[str, JsonValue]:
    key: dict[str, JsonValue] = {} if turns is None else {"key": problem_key(one, turns)}
    return {
        **key,
        "kind": one.kind,
        "form": one.form,
        "state": one.state,
        "certainty": one.certainty,
        "reason": one.reason,
        "path": list[JsonValue](one.path),
        "turn": one.turn,
    }
