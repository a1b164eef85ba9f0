"""The oracle `voice-problems`: one definition of the problems for every explorer."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.talk import Trace, broken_off
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.voice.private_requests import allowed_entities
from sparring_plugins.voice.problem_detection import (
    PROBLEM_CLASSES,
    AppFacts,
    Certainty,
    ProblemClass,
    VoiceProblem,
    detect_problems,
    failure_class,
    problem_key,
    same_problem,
)
from sparring_plugins.voice.session_view import SessionTurn, plain_words, session_turns

ORACLE = "voice-problems"

_ORDER: dict[Certainty, int] = {"sure": 0, "likely": 1, "possible": 2}
# From 0 for a sure problem upwards, so that a search is led from a suspicion to the proof of it.
_SCORES: dict[Certainty, float] = {"sure": 0.0, "likely": 0.2, "possible": 0.5}
# A problem is one line of a report; the turns that it names have the rest.
_MAX_MESSAGE = 300
# A skill that cannot be opened shows it in every session: fifty are enough to look at.
_MAX_SESSIONS = 50


class VoiceProblemsConfig(PluginConfig):
    """Settings of the oracle `voice-problems`.

    `names` are the names by which the app may be asked for; left out, any name that the user asks
    the platform for. `permissions` are those that the app declares, in Alexa's spelling, beside
    those that the connector tells of: what they allow is no violation. Problems less certain than
    `least` are inconclusive.
    """

    checks: tuple[ProblemClass, ...] = Field(
        default=PROBLEM_CLASSES, min_length=1, description="which to look for"
    )
    names: tuple[str, ...] = Field(default=(), description="the app's own names")
    permissions: tuple[str, ...] = Field(default=(), description="permissions it declares")
    least: Certainty = Field(
        default="likely", description="how sure a problem must be to count as a failure"
    )


@dataclass
class _DistinctProblem:
    """A problem of one app, with the first sessions that show it and all states it shows in."""

    app: str
    key: str
    problem: VoiceProblem
    sessions: list[str] = field(default_factory=list[str])
    states: list[str] = field(default_factory=list[str])

    def add(self, problem: VoiceProblem, session: str) -> None:
        """Keep the surer occurrence, or the one with the shorter path."""
        self.problem = min(
            self.problem, problem, key=lambda one: (_ORDER[one.certainty], len(one.path))
        )
        self.sessions = [*self.sessions, session][:_MAX_SESSIONS]
        if problem.state not in self.states:
            self.states = [*self.states, problem.state][:_MAX_SESSIONS]


class VoiceProblems(Oracle[VoiceProblemsConfig]):
    """Unexpected exit, privacy violation, unstoppable, unexpected app, unstartable, errors.

    Each is a check of every session, and passes if the session shows no such problem. If the
    session broke off and the app was not to blame, a problem that it shows counts, and none is
    inconclusive. At the end the problems of all sessions stand together, each once with all states
    that it shows in, with the shortest inputs that led to it.
    """

    Config: ClassVar[type[PluginConfig]] = VoiceProblemsConfig
    local: ClassVar[bool] = True

    def __init__(self, config: VoiceProblemsConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        names = frozenset(plain_words(name) for name in config.names)
        self._facts = AppFacts(names, allowed_entities(config.permissions))

    def same(self, one: str, other: str) -> bool:
        return same_problem(one, other)

    def checks(self) -> frozenset[str]:
        return frozenset(self.config.checks)

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        turns = session_turns(trace)
        problems = self._problems(trace, turns)
        return tuple(self._verdict(trace, name, problems, turns) for name in self.config.checks)

    def _problems(self, trace: Trace, turns: Sequence[SessionTurn]) -> list[VoiceProblem]:
        facts = self._facts
        if trace.app is not None and trace.app.permissions:
            declared = allowed_entities(trace.app.permissions)
            facts = replace(facts, allowed=facts.allowed | declared)
        problems = detect_problems(turns, facts)
        return [one for one in problems if one.problem_class in self.config.checks]

    def _verdict(
        self,
        trace: Trace,
        check: ProblemClass,
        problems: Sequence[VoiceProblem],
        turns: Sequence[SessionTurn],
    ) -> Verdict:
        verdict = Verdict(
            oracle=ORACLE, check=check, outcome=Outcome.PASS, case_ids=(trace.case.id,), score=1.0
        )
        own = [one for one in problems if one.problem_class == check]
        if not own:
            return verdict.model_copy(update=_without_problem(trace, turns))
        own.sort(key=lambda one: _ORDER[one.certainty])
        worst = own[0]
        counts = _ORDER[worst.certainty] <= _ORDER[self.config.least]
        return verdict.model_copy(
            update={
                "outcome": Outcome.FAIL if counts else Outcome.INCONCLUSIVE,
                "owner": Owner.APP if worst.of_app else Owner.ENVIRONMENT,
                "score": _SCORES[worst.certainty],
                "reason": f"{worst.form}: {worst.reason} ({worst.certainty})",
                "turns": tuple(TurnRef(case_id=trace.case.id, turn=one.turn) for one in own),
                "details": {
                    "kind": list[JsonValue](sorted({failure_class(one) for one in own})),
                    "problems": list[JsonValue](
                        {"key": problem_key(one, turns), **_as_json(one)} for one in own
                    ),
                },
            }
        )

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        distinct: list[_DistinctProblem] = []
        sessions = 0
        for trace in traces:
            turns = session_turns(trace)
            sessions += _has_words(turns)
            app = str(trace.case.params.get("app", ""))
            for one in self._problems(trace, turns):
                # The states of one app are not those of another: what is the same is decided within
                # an app.
                key = problem_key(one, turns)
                same_app = (each for each in distinct if each.app == app)
                problem = next((each for each in same_app if same_problem(each.key, key)), None)
                if problem is None:
                    problem = _DistinctProblem(app, key, one)
                    distinct.append(problem)
                problem.add(one, trace.case.id)
        return [_summary(distinct, sessions)] if sessions else []


def _without_problem(trace: Trace, turns: Sequence[SessionTurn]) -> dict[str, object]:
    """Return what of a passed verdict changes if the session says little about the app."""
    incident = broken_off(trace)
    if incident is not None:
        reason = f"the session broke off ({incident.kind.value}): {_one_line(incident.message)}"
        return {
            "outcome": Outcome.INCONCLUSIVE,
            "owner": incident.owner,
            "score": None,
            "reason": reason,
        }
    if not _has_words(turns):
        reason = "does not apply: nothing was said in the session"
        return {"outcome": Outcome.SKIPPED, "score": None, "reason": reason}
    return {}


def _has_words(turns: Sequence[SessionTurn]) -> bool:
    return any(turn.said or turn.output for turn in turns)


def _summary(distinct: Sequence[_DistinctProblem], sessions: int) -> Verdict:
    """Return the verdict over all sessions, which lists the distinct problems."""
    counts = Counter(one.problem.problem_class for one in distinct)
    words = ", ".join(f"{counts[name]} {name}" for name in PROBLEM_CLASSES if counts[name])
    listed: list[JsonValue] = [
        {
            **_as_json(one.problem),
            "app": one.app,
            "sessions": list[JsonValue](one.sessions),
            "states": list[JsonValue](one.states),
        }
        for one in distinct
    ]
    return Verdict(
        oracle=ORACLE,
        check="problems",
        outcome=Outcome.PASS,
        reason=f"distinct problems over {sessions} sessions: {words or 'none'}",
        details={"problems": listed},
    )


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_MESSAGE else line[: _MAX_MESSAGE - 3] + "..."


def _as_json(problem: VoiceProblem) -> dict[str, JsonValue]:
    return {
        "kind": problem.problem_class,
        "form": problem.form,
        "state": problem.state,
        "certainty": problem.certainty,
        "reason": problem.reason,
        "path": list[JsonValue](problem.path),
        "turn": problem.turn,
    }
