"""The loop: what is played, judged, told; what stops it; which exit code follows."""

import asyncio
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sparring.engine.session import RunResult
from sparring.errors import AppUnreachable, ConfigurationError, PluginError, StoredRunError
from sparring.interfaces.app_connector import AppSession
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.model.events import RunStarted
from sparring.model.run import Stop
from sparring.model.talk import IncidentKind, Observation, Say, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import RunLog, StoredRun
from sparring.testing.fakes import (
    FakeBatchStrategy,
    FakeConnector,
    FakeOracle,
    FakePlayer,
    FakeStrategy,
)

Play = Callable[..., RunResult]
FAKES = "sparring.testing.fakes:"
HERE = f"{__name__}:"


class Crashing(FakePlayer):
    async def act(self, task: Any) -> Trace:
        if task.case.params["n"] % 2:
            raise KeyError("a bug of the player")
        return await super().act(task)


class Exiting(FakePlayer):
    async def act(self, task: Any) -> Trace:
        raise SystemExit(3)


class Foreign(FakePlayer):
    async def act(self, task: Any) -> Trace:
        return 42  # type: ignore[return-value]


class Endless(FakePlayer):
    async def act(self, task: Any) -> Trace:
        await asyncio.Event().wait()
        raise AssertionError


class Raising(Oracle[PluginConfig]):
    async def judge(self, trace: Trace) -> list[Verdict]:
        raise ZeroDivisionError("a bug of the oracle")


class Slow(Oracle[PluginConfig]):
    async def judge(self, trace: Trace) -> list[Verdict]:
        await asyncio.Event().wait()
        return []


class Failing(FakeOracle):
    async def judge(self, trace: Trace) -> list[Verdict]:
        return [
            Verdict(oracle="x", check="odd", outcome=Outcome.FAIL, owner=Owner.APP,
                    case_ids=(trace.case.id,), reason="odd")
        ] if trace.case.params["n"] % 2 else []  # fmt: skip


class OpenEnded(FakeStrategy):
    def expected(self) -> int | None:
        return None


class Textless(FakeConnector):
    offers = frozenset()


class Odd(AppSession):
    async def send(self, act: Any) -> Observation:
        return "not an observation"  # type: ignore[return-value]


class OddConnector(FakeConnector):
    def open(self, case: Any) -> Any:
        class Context:
            async def __aenter__(self) -> Odd:
                return Odd()

            async def __aexit__(self, *_: object) -> None:
                raise RuntimeError("closing fails")

        return Context()


class NowAndThen(FakeConnector):
    """It is there for every third case."""

    def open(self, case: Any) -> Any:
        if case.params["n"] % 3:
            raise AppUnreachable("nobody there")
        return super().open(case)


class Branches(FakeConnector):
    """Three apps, of which only the second is there, or none."""

    there = "b"

    def apps(self) -> tuple[str, ...]:
        return ("a", "b", "c")

    def open(self, case: Any) -> Any:
        if case.params["app"] != self.there:
            raise AppUnreachable("nobody there")
        return super().open(case)


class Closed(Branches):
    """Three apps that are down."""

    there = ""


def test_every_case_is_played_once_and_in_the_log(play: Play) -> None:
    done = play(cases=7)
    assert done.folder
    stored = StoredRun(done.folder)
    assert [judged.trace.case.params["n"] for judged in stored.judged()] == list(range(7))
    assert done.summary.cases == {Outcome.PASS: 7}
    assert done.summary.usage.turns == 14
    assert stored.summary == done.summary


class SideBySide(FakeConnector):
    """Opens no session before four wait for it, and counts how many are open."""

    together: ClassVar[asyncio.Barrier]
    now_open: ClassVar[int] = 0
    most_open: ClassVar[int] = 0

    def open(self, case: Any) -> Any:
        return self._open(super().open(case))

    @asynccontextmanager
    async def _open(self, opened: Any) -> Any:
        kind = SideBySide  # the engine plays a subclass
        kind.now_open += 1
        kind.most_open = max(kind.most_open, kind.now_open)
        await kind.together.wait()  # for ever, if fewer are played side by side
        async with opened as session:
            yield session
        kind.now_open -= 1


def test_cases_run_side_by_side_up_to_the_limit(play: Play) -> None:
    SideBySide.together, SideBySide.now_open, SideBySide.most_open = asyncio.Barrier(4), 0, 0
    done = play(cases=12, concurrency=4, app={"use": f"{__name__}:SideBySide"})
    assert done.summary.cases == {Outcome.PASS: 12}
    assert SideBySide.most_open == 4


class InPairs(Oracle[PluginConfig]):
    """Ends no judgement before another one has begun."""

    together: ClassVar[asyncio.Barrier]

    async def judge(self, trace: Trace) -> list[Verdict]:
        await InPairs.together.wait()  # for ever, if the next case waits for this judgement
        return [Verdict(oracle="x", check="overlaps", outcome=Outcome.PASS)]


def test_judging_overlaps_playing(play: Play) -> None:
    InPairs.together = asyncio.Barrier(2)
    done = play(cases=4, concurrency=1, oracles=[{"use": f"{HERE}InPairs"}])
    assert done.summary.gating == {Outcome.PASS: 4}


WIDE: dict[str, Any] = {
    "use": f"{FAKES}FakePlayer",
    "space": {
        "scenarios": [{"name": "wide", "variables": [{"name": "n", "domain": list(range(9))}]}]
    },
}

EXIT_CODES: dict[str, tuple[dict[str, Any], int]] = {
    "all passed": ({}, 0),
    "a gating verdict failed": ({"oracles": [{"use": f"{HERE}Failing"}]}, 1),
    "a failure that does not gate": ({"oracles": [{"use": f"{HERE}Failing", "gating": False}]}, 5),
    "the oracle raises": ({"oracles": [{"use": f"{HERE}Raising"}]}, 3),
    "the judge takes too long": ({"oracles": [{"use": f"{HERE}Slow"}], "judge_timeout": 0.05}, 3),
    "the player raises": ({"agent": {"use": f"{HERE}Crashing"}}, 3),
    "the player exits": ({"agent": {"use": f"{HERE}Exiting"}}, 3),
    "the player returns no trace": ({"agent": {"use": f"{HERE}Foreign"}}, 3),
    "a case never ends": ({"agent": {"use": f"{HERE}Endless"}, "case_timeout": 0.05}, 3),
    "the connector answers nonsense": ({"app": {"use": f"{HERE}OddConnector"}}, 3),
    "nobody is there": (
        {"app": {"use": f"{FAKES}FakeConnector", "fails_to_open": "unreachable"}}, 3,
    ),
    "the budget is too small": ({"budget": {"cases": 3}}, 4),
    "turns are spent": ({"budget": {"turns": 2}, "concurrency": 1}, 4),
    "failed before the budget": (
        {"budget": {"cases": 3}, "oracles": [{"use": f"{HERE}Failing"}]}, 1,
    ),
    "an open-ended search spends its cases": (
        {"budget": {"cases": 3},
         "strategy": {"use": f"{HERE}OpenEnded", "params": [{"n": n} for n in range(6)]}}, 0,
    ),
    "a sample without a number spends its cases": (
        {"budget": {"cases": 3}, "strategy": {"use": "random"}, "agent": WIDE}, 0,
    ),
    "a sample has fewer cases than were asked for": (
        {"budget": {"cases": 3}, "strategy": {"use": "random", "number": 5}, "agent": WIDE}, 4,
    ),
    "nothing selected": ({"select": ("no-such-scenario",)}, 5),
    "no cases": ({"cases": 0, "strategy": {
        "use": f"{FAKES}FakeStrategy", "params": []}, "agent": {
        "use": f"{FAKES}FakePlayer", "space": {"scenarios": []}}}, 5),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "code"), EXIT_CODES.values(), ids=EXIT_CODES)
def test_the_exit_code_says_how_it_went(play: Play, changes: dict[str, Any], code: int) -> None:
    done = play(**changes)
    assert done.summary.exit_code == code, done.summary
    if code == 5 and not done.summary.cases:
        assert done.folder is None, "nothing was played"


def test_the_number_of_cases_is_no_more_than_the_budget_of_a_sample(play: Play) -> None:
    done = play(budget={"cases": 3}, strategy={"use": "random"}, agent=WIDE)
    assert done.folder
    started = next(e for e in StoredRun(done.folder).events() if isinstance(e, RunStarted))
    assert started.expected == 3


def test_failures_stop_the_run_when_there_are_enough(play: Play) -> None:
    done = play(
        cases=20, concurrency=1, budget={"failures": 2}, oracles=[{"use": f"{HERE}Failing"}]
    )
    assert done.summary.stopped is Stop.BUDGET
    assert "budget.failures" in done.summary.reason
    assert done.summary.cases[Outcome.FAIL] in (2, 3)  # one more may have been under way


def test_an_app_that_is_down_is_not_asked_for_all_cases(play: Play) -> None:
    down = {"use": f"{FAKES}FakeConnector", "fails_to_open": "unreachable"}
    done = play(cases=30, concurrency=1, app=down, budget={"unreachable": 4})
    assert done.summary.stopped is Stop.BUDGET
    assert done.summary.exit_code == 4
    assert "not be reached for 4 cases in a row (budget.unreachable)" in done.summary.reason
    assert done.summary.cases == {Outcome.ERROR: 4}
    few = play(cases=3, app=down, budget={"unreachable": 4})
    assert few.summary.stopped is Stop.COMPLETE, "all were played"
    assert few.summary.exit_code == 3


EACH = {"use": f"{FAKES}FakeStrategy", "params": [{"n": n, "app": a} for a in "abc" for n in "123"]}


def test_of_several_apps_one_that_is_down_harms_no_other(play: Play) -> None:
    app = {"use": f"{HERE}Branches"}
    done = play(app=app, strategy=EACH, concurrency=1, budget={"unreachable": 2})
    assert done.summary.stopped is Stop.COMPLETE
    assert done.summary.cases == {Outcome.ERROR: 6, Outcome.PASS: 3}


def test_several_apps_that_are_all_down_end_the_run(play: Play) -> None:
    app = {"use": f"{HERE}Closed"}
    done = play(app=app, strategy=EACH, concurrency=1, budget={"unreachable": 2})
    assert done.summary.stopped is Stop.BUDGET
    assert done.summary.exit_code == 4
    assert "none of 3 apps could be reached for 2 cases in a row" in done.summary.reason
    assert done.summary.cases == {Outcome.ERROR: 8}, "the first two apps had three each"


def test_an_app_that_is_back_is_asked_on(play: Play) -> None:
    app = {"use": f"{HERE}NowAndThen"}
    done = play(cases=12, concurrency=1, app=app, budget={"unreachable": 3})
    assert done.summary.stopped is Stop.COMPLETE
    assert done.summary.cases[Outcome.ERROR] == 8


def test_a_player_that_raises_is_an_error_of_the_tool(play: Play) -> None:
    done = play(agent={"use": f"{HERE}Crashing"}, cases=4)
    assert done.folder
    incidents = [i for judged in StoredRun(done.folder).judged() for i in judged.trace.incidents]
    assert {i.kind for i in incidents} == {IncidentKind.PLAYER_ERROR}
    assert {i.owner for i in incidents} == {Owner.TOOL}
    assert "a bug of the player" in incidents[0].message


def test_a_case_without_end_is_cut_off_by_its_time_limit(play: Play) -> None:
    done = play(agent={"use": f"{HERE}Endless"}, case_timeout=0.05, cases=2)
    assert done.folder
    for judged in StoredRun(done.folder).judged():
        assert judged.trace.incidents[0].kind is IncidentKind.CASE_TIMEOUT
        assert "case_timeout" in judged.verdicts[0].reason or judged.verdicts


@pytest.mark.parametrize(
    ("failure", "kind", "owner"),
    [
        ("crash", IncidentKind.CRASH, Owner.APP),
        ("timeout", IncidentKind.TIMEOUT, Owner.APP),
        ("protocol", IncidentKind.PROTOCOL, Owner.APP),
        ("unreachable", IncidentKind.UNREACHABLE, Owner.ENVIRONMENT),
    ],
)
def test_what_the_app_does_wrong_becomes_an_incident(
    play: Play, failure: str, kind: IncidentKind, owner: Owner
) -> None:
    done = play(app={"use": f"{FAKES}FakeConnector", "raises": {1: failure}}, cases=1)
    assert done.folder
    (judged,) = StoredRun(done.folder).judged()
    (incident,) = judged.trace.incidents
    assert (incident.kind, incident.owner, incident.turn) == (kind, owner, 1)
    assert len(judged.trace.turns) == 2
    assert judged.trace.turns[1].observation is None


def test_a_suite_whose_parts_do_not_fit_is_refused_before_anything_runs(
    play: Play, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=r"needs an app with text.*does not offer"):
        play(app={"use": f"{HERE}Textless"})
    assert not (tmp_path / "runs").exists()


def test_a_part_that_cannot_be_built_is_named(play: Play) -> None:
    with pytest.raises((PluginError, ConfigurationError), match="no_such_module"):
        play(app={"use": "no_such_module:Connector"})


@pytest.mark.parametrize("strategy", ["FakeStrategy", "FakeBatchStrategy", "FakeSteadyStrategy"])
def test_verdicts_do_not_depend_on_concurrency(play: Play, strategy: str) -> None:
    def run(concurrency: int) -> list[tuple[str, tuple[Verdict, ...], tuple[Any, ...]]]:
        done = play(
            cases=15, concurrency=concurrency, seed=3, oracles=[{"use": f"{HERE}Failing"}],
            strategy={"use": f"{FAKES}{strategy}", "params": [{"n": n} for n in range(15)]},
        )  # fmt: skip
        assert done.folder
        return [
            (j.trace.case.id, j.verdicts, tuple(turn.act for turn in j.trace.turns))
            for j in StoredRun(done.folder).judged()
        ]

    assert run(1) == run(7)


def test_a_batch_is_told_in_the_order_asked(play: Play) -> None:
    _TOLD.clear()
    play(
        cases=9, concurrency=5, strategy={"use": f"{HERE}NotingBatches", "batch": 3,
                                          "params": [{"n": n} for n in range(9)]},
        app={"use": f"{HERE}Jittery"},
    )  # fmt: skip
    assert list(range(9)) == _TOLD


_TOLD: list[int] = []


class NotingBatches(FakeBatchStrategy):
    def tell(self, case: Any, verdicts: Any) -> None:
        _TOLD.append(case.params["n"])
        super().tell(case, verdicts)


class Jittery(FakeConnector):
    def open(self, case: Any) -> Any:
        self.config = self.config.model_copy(update={"delay_s": 0.001 * (9 - case.params["n"])})
        return super().open(case)


def test_conditions_over_all_conversations_are_judged_at_the_end(play: Play) -> None:
    done = play(cases=5, oracles=[{"use": f"{HERE}Counting", "name": "count"}])
    assert done.folder
    (verdict,) = StoredRun(done.folder).concluded
    assert (verdict.oracle, verdict.check, verdict.reason) == ("count", "five", "5 conversations")
    assert done.summary.exit_code == 1


class Counting(Oracle[PluginConfig]):
    async def conclude(self, traces: Any) -> list[Verdict]:
        first, again = len(list(traces)), len(list(traces))
        assert first == again
        return [
            Verdict(oracle="?", check="five", outcome=Outcome.FAIL, owner=Owner.APP,
                    reason=f"{first} conversations")
        ]  # fmt: skip


def test_secrets_of_the_environment_never_reach_the_log(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAT_API_KEY", 'sésame-"123456"')
    done = play(cases=2, agent={"use": f"{FAKES}FakePlayer", "lines": ['say sésame-"123456" now']})
    assert done.folder
    text = (done.folder / "log.jsonl").read_text(encoding="utf-8")
    assert "123456" not in text
    (judged, _) = StoredRun(done.folder).judged()
    assert judged.trace.turns[0].act == Say(text="say [CHAT_API_KEY] now")


class Surrogates(Oracle[PluginConfig]):
    async def judge(self, trace: Trace) -> list[Verdict]:
        return [Verdict(oracle="x", check="y", outcome=Outcome.PASS, details={"said": "\ud800"})]


def test_text_that_no_file_can_hold_stops_nothing(play: Play) -> None:
    done = play(cases=2, oracles=[{"use": f"{HERE}Surrogates"}])
    assert done.folder
    details = [judged.verdicts[0].details for judged in StoredRun(done.folder).judged()]
    assert details == [{"said": "?"}] * 2
    assert done.summary.exit_code == 0


def test_a_log_that_cannot_be_written_ends_the_run_with_a_message(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: RunLog, line: bytes) -> None:
        if b"case_judged" in line:
            self.failure = OSError(28, "No space left on device")
            raise self.failure

    monkeypatch.setattr(RunLog, "append", full)
    with pytest.raises(StoredRunError, match=r"cannot be written: No space left.*--resume"):
        play(cases=20, concurrency=4)


def test_oracles_know_the_names_of_scenarios_that_were_not_selected(play: Play) -> None:
    scenarios = [
        {"name": "small", "variables": [{"name": "n", "domain": [1]}]},
        {"name": "large", "variables": [{"name": "m", "domain": [1]}], "outputs": ["price"]},
    ]
    done = play(
        select=("small",),
        agent={"use": f"{FAKES}FakePlayer", "space": {"scenarios": scenarios}},
        oracles=[{"use": f"{HERE}Naming"}],
    )
    assert done.folder
    stored = StoredRun(done.folder)
    assert stored.manifest.names == ("m", "n", "price")
    assert next(stored.judged()).verdicts[0].details == {"names": ["m", "n", "price"]}


class Naming(Oracle[PluginConfig]):
    async def judge(self, trace: Trace) -> list[Verdict]:
        names: Any = sorted(self.context.names)
        return [Verdict(oracle="x", check="y", outcome=Outcome.PASS, details={"names": names})]
