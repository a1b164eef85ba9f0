"""Whatever an oracle does, the others' verdicts stand, and an error says who has to act."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.core.engine import odd_oracles as odd
from tests.processes import has_ended

from sparring import event_loop, time_limits
from sparring.engine.judge import MOST_OF_A_CASE, MOST_OF_ALL, conclude, judge_trace
from sparring.errors import BudgetSpent
from sparring.model.case import Case
from sparring.model.talk import Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.suite.building import Judge, SuiteContext, build_judges
from sparring.suite.model import LLMUse, OracleUse
from sparring.testing.conversations import stored_run, trace_of
from sparring_plugins.judging import isolation

T = TypeVar("T")

ODD = "odd_oracles:"
SOFT_S = 0.1
"""How long an oracle may block here."""

PATIENT_S = 120.0
"""A time limit that no right judgement comes near."""

HANGING_S = 1.0
"""A time limit that is waited for in full."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the oracles importable for other processes, and wait for nobody who never ends."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setattr(time_limits, "GRACE_S", 0.05)
    yield
    time_limits.left_behind.clear()


def trace(n: int = 0) -> Trace:
    return trace_of([("hi", "hello")], case=Case.of("talk", {"n": n}, run_seed=0))


class Bench:
    """Judges built as a run builds them, with a well-behaved one after them."""

    def __init__(self, folder: Path, name: str, llm: LLMUse | None = None, **settings: Any) -> None:
        self.context = SuiteContext(folder, llm=llm)
        uses = [
            OracleUse.model_validate({"use": f"{ODD}{name}", "name": "odd", **settings}),
            OracleUse.model_validate({"use": f"{ODD}OddInTheEnd", "name": "steady"}),
        ]
        self.judges: Sequence[Judge] = build_judges(uses, self.context)

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        async def closing() -> T:
            try:
                return await work()
            finally:
                await self.context.close()

        return event_loop.run(closing())

    async def judged(
        self, n: int = 0, timeout_s: float = PATIENT_S, soft_s: float = PATIENT_S
    ) -> Any:
        """What the odd oracle says; the other one has to be right."""
        verdicts = await judge_trace(self.judges, trace(n), timeout_s, soft_limit_s=soft_s)
        steady = [verdict for verdict in verdicts if verdict.oracle == "steady"]
        assert [verdict.outcome for verdict in steady] == [Outcome.PASS]
        return [verdict for verdict in verdicts if verdict.oracle != "steady"]

    async def concluded(
        self, folder: Path, timeout_s: float = PATIENT_S, soft_s: float = PATIENT_S
    ) -> list[Verdict]:
        traces = StoredRun(folder).traces()
        verdicts = await conclude(self.judges, traces, timeout_s, soft_limit_s=soft_s)
        steady = [verdict for verdict in verdicts if verdict.oracle == "steady"]
        assert [(verdict.outcome, len(verdict.case_ids)) for verdict in steady] == [
            (Outcome.PASS, 2)
        ]
        return [verdict for verdict in verdicts if verdict.oracle != "steady"]


def only_error(verdicts: Sequence[Verdict], owner: Owner) -> Verdict:
    assert [verdict.outcome for verdict in verdicts] == [Outcome.ERROR], verdicts
    (verdict,) = verdicts
    assert (verdict.oracle, verdict.check, verdict.owner) == ("odd", "judge", owner), verdict.reason
    assert "\n" not in verdict.reason
    return verdict


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return stored_run(tmp_path / "run", [trace(0), trace(1)]).folder


def a_third(faults: Sequence[Any]) -> list[Any]:
    """Every third fault; the others are thorough, since each starts processes."""
    thorough = pytest.mark.thorough
    return [
        pytest.param(fault, marks=thorough) if number % 3 else fault
        for number, fault in enumerate(faults)
    ]


@pytest.mark.parametrize("fault", a_third([*odd.WRONG, *odd.RAISING, "cancels_itself"]))
class TestWhatIsNoJudgement:
    def test_of_one_conversation(self, tmp_path: Path, fault: str) -> None:
        bench = Bench(tmp_path, "Odd", judge=fault)
        *kept, error = bench.run(bench.judged)
        error = only_error([error], Owner.TOOL)
        assert error.case_ids == (trace().case.id,)
        assert "'odd'" in error.reason
        assert len(kept) == {"many": MOST_OF_A_CASE, "endless": MOST_OF_A_CASE}.get(
            fault, fault == "some_no_verdicts"
        )

    def test_of_all_conversations(self, tmp_path: Path, folder: Path, fault: str) -> None:
        bench = Bench(tmp_path, "OddInTheEnd", conclude=fault)
        *kept, error = bench.run(lambda: bench.concluded(folder))
        error = only_error([error], Owner.TOOL)
        assert error.case_ids == ()
        assert "'odd'" in error.reason
        assert len(kept) == {"many": MOST_OF_ALL, "endless": MOST_OF_ALL}.get(
            fault, fault == "some_no_verdicts"
        )

    def test_in_another_process(self, tmp_path: Path, fault: str) -> None:
        bench = Bench(tmp_path, "Odd", judge=fault)

        async def both() -> tuple[Any, Any]:
            return await bench.judged(), await bench.judged(soft_s=0)

        here, there = bench.run(both)
        assert here == there


@pytest.mark.parametrize("fault", a_third(odd.BLOCKING))
class TestWhatBlocks:
    def test_one_conversation(self, tmp_path: Path, fault: str) -> None:
        """It is ended, in this process and in the other; the next conversation is judged."""
        bench = Bench(tmp_path, "TestsFault", judge=fault, only=0)

        async def several() -> Any:
            blocked = await bench.judged(0, timeout_s=HANGING_S, soft_s=SOFT_S)
            return blocked, await bench.judged(1)

        blocked, right = bench.run(several)
        error = only_error(blocked, Owner.TEST)
        assert f"no judgement within {HANGING_S:g} seconds (judge_timeout)" in error.reason
        assert "was killed" in error.reason
        assert [verdict.outcome for verdict in right] == [Outcome.PASS]
        assert right[0].details["pid"] != os.getpid()

    def test_all_conversations(self, tmp_path: Path, folder: Path, fault: str) -> None:
        bench = Bench(tmp_path, "OddInTheEnd", conclude=fault)
        error = only_error(
            bench.run(lambda: bench.concluded(folder, timeout_s=HANGING_S, soft_s=SOFT_S)),
            Owner.TOOL,
        )
        assert "(judge_timeout)" in error.reason

    def test_what_cannot_be_built_again(
        self, tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is interrupted in this process, each time."""
        monkeypatch.setenv("ODD_ORACLES_PID", str(os.getpid()))
        bench = Bench(tmp_path, "NotTwice", judge=fault, only=0)

        async def several() -> Any:
            return [await bench.judged(n, soft_s=PATIENT_S if n else SOFT_S) for n in (0, 1, 0)]

        first, right, again = bench.run(several)
        for blocked in (first, again):
            error = only_error(blocked, Owner.TOOL)
            assert "did not return within 0.1 seconds" in error.reason
            assert "only once" in error.reason
        assert [verdict.details["pid"] for verdict in right] == [os.getpid()]

    def test_what_asks_a_model(self, tmp_path: Path, fault: str) -> None:
        """Another process cannot ask: it is interrupted in this one."""
        llm = LLMUse.model_validate(
            {"use": "sparring.testing.fakes:FakeLLM", "answers": {"judge": "yes"}}
        )
        bench = Bench(tmp_path, "Asking", llm=llm, judge=fault, only=0)

        async def several() -> Any:
            return [await bench.judged(n, soft_s=PATIENT_S if n else SOFT_S) for n in (0, 1)]

        blocked, right = bench.run(several)
        assert "language model" in only_error(blocked, Owner.TOOL).reason
        assert [verdict.details["pid"] for verdict in right] == [os.getpid()]


@pytest.mark.parametrize("fault", a_third(odd.ENDING))
def test_an_oracle_that_ends_its_process_is_an_error(
    tmp_path: Path, folder: Path, fault: str
) -> None:
    """From the second conversation on, there is a fresh process."""
    bench = Bench(tmp_path, "OddInTheEnd", judge=fault, conclude=fault, only=0)
    limit_s = HANGING_S if fault == "spins_in_c" else PATIENT_S

    async def several() -> Any:
        ended = await bench.judged(0, timeout_s=limit_s, soft_s=0)
        right = await bench.judged(1, soft_s=0)
        return ended, right, await bench.concluded(folder, timeout_s=limit_s, soft_s=0)

    ended, right, concluded = bench.run(several)
    how = {"exits": "exit code 7", "kills_itself": "SIGKILL", "spins_in_c": "was killed"}[fault]
    assert how in only_error(ended, Owner.TOOL).reason
    assert [verdict.outcome for verdict in right] == [Outcome.PASS]
    assert how in only_error(concluded, Owner.TOOL).reason


@pytest.mark.parametrize("fault", odd.WAITING)
def test_what_waits_for_ever_is_an_error_of_the_judge(tmp_path: Path, fault: str) -> None:
    bench = Bench(tmp_path, "Odd", judge=fault)
    verdicts = bench.run(lambda: bench.judged(timeout_s=HANGING_S))
    assert "judge_timeout" in only_error(verdicts, Owner.JUDGE).reason


@pytest.mark.parametrize("fault", odd.WAITING)
def test_what_waits_for_ever_is_inconclusive_on_a_busy_machine(tmp_path: Path, fault: str) -> None:
    class Busy:
        seconds = 0.0

        def starved_s(self) -> float:
            self.seconds += HANGING_S
            return self.seconds

    bench = Bench(tmp_path, "Odd", judge=fault)
    judging: Any = lambda: judge_trace(bench.judges[:1], trace(), HANGING_S, lag=Busy())  # type: ignore[arg-type]  # noqa: E731
    (verdict,) = bench.run(judging)
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.ENVIRONMENT)


@pytest.mark.parametrize(
    ("fault", "owner"),
    [("answer_invalid", Owner.JUDGE), ("unavailable", Owner.ENVIRONMENT)],
)
def test_a_model_that_fails_is_not_the_tool_s_fault(
    tmp_path: Path, fault: str, owner: Owner
) -> None:
    bench = Bench(tmp_path, "Odd", judge=fault)
    only_error(bench.run(bench.judged), owner)


def test_a_spent_budget_passes_when_all_oracles_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(odd.ALL, "spent", odd.raising(BudgetSpent("no money")))
    monkeypatch.setattr("odd_oracles.ALL", odd.ALL, raising=False)
    bench = Bench(tmp_path, "Odd", judge="spent")
    with pytest.raises(BudgetSpent):
        bench.run(bench.judged)


def test_a_cancelled_run_leaves_no_process(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "Odd", judge="sleeps")
    killed: list[int] = []
    before = _children()

    async def cancelled() -> None:
        judging = asyncio.create_task(bench.judged(0, soft_s=0))
        while not (pids := _children(before)):
            await asyncio.sleep(0.01)
        killed.extend(pids)
        judging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await judging

    bench.run(cancelled)
    assert killed
    assert not set(killed) & set(_children(before))


@pytest.mark.thorough
def test_a_process_ends_with_a_run_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "judging.py"
    script.write_text(
        "from pathlib import Path\n"
        "from tests.core.engine.test_judging import Bench\n"
        f"bench = Bench(Path({str(tmp_path)!r}), 'Odd', judge='says_its_process')\n"
        "bench.run(lambda: bench.judged(soft_s=0))\n",
        encoding="utf-8",
    )
    path = os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])
    with subprocess.Popen(
        [sys.executable, str(script)],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    ) as run:
        assert run.stderr is not None
        pid = int(next(line for line in run.stderr if line.strip().isdigit()))
        run.kill()
        assert run.stderr.read() == b"", "it is open as long as a process has it"
    assert has_ended(pid)


def test_processes_end_with_the_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "Odd")
    before = _children()

    async def judged() -> list[int]:
        await bench.judged(0, soft_s=0)
        return _children(before)

    pids = bench.run(judged)
    assert pids
    assert not set(pids) & set(_children(before))


BUNDLED: list[dict[str, Any]] = [
    {"use": "rules", "files": "pairs.yaml"},
    {"use": "rules", "libraries": "general"},
    {"use": "generic-failures"},
    {"use": "assertions"},
    {"use": "consistency"},
    {"use": "voice-problems"},
]


@pytest.mark.parametrize("use", a_third(BUNDLED), ids=lambda use: "-".join(map(str, use.values())))
def test_the_verdicts_of_another_process_are_the_same(tmp_path: Path, use: dict[str, Any]) -> None:
    (tmp_path / "pairs.yaml").write_text(
        "name: as_many\nconversations: 2\nwhen: conv[0].n < conv[1].n\nthen: conv[0].price == conv[1].price\n"
        "---\nname: greets\noracle: n == 1 or conversation_length() > 1\n",
        encoding="utf-8",
    )
    crashed = Incident(kind=IncidentKind.CRASH, message="hung up", owner=Owner.APP, turn=1)
    traces = [
        trace(0),
        trace_of([("price?", "12 EUR"), ("bye", None)], case=Case.of("talk", {"n": 1}, run_seed=0),
                 incidents=[crashed], outputs={"price": 12.5}),
    ]  # fmt: skip
    folder = stored_run(tmp_path / "run", traces).folder

    def verdicts(soft_s: float) -> list[Verdict]:
        context = SuiteContext(tmp_path)
        judges = build_judges([OracleUse.model_validate(use)], context)

        async def judging() -> list[Verdict]:
            judged: list[Verdict] = []
            for one in traces:
                judged += await judge_trace(judges, one, PATIENT_S, soft_limit_s=soft_s)
            stored = StoredRun(folder).traces()
            judged += await conclude(judges, stored, PATIENT_S, soft_limit_s=soft_s)
            await context.close()
            return judged

        return event_loop.run(judging())

    here = verdicts(PATIENT_S)
    assert here
    assert all(verdict.check != "judge" for verdict in here), here
    assert [v.model_dump_json() for v in verdicts(0)] == [v.model_dump_json() for v in here]


def test_many_conversations_are_judged_side_by_side_in_few_processes(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "Odd")

    async def judged() -> list[Any]:
        return await asyncio.gather(*(bench.judged(n, soft_s=0) for n in range(12)))

    answers = bench.run(judged)
    pids = {verdicts[0].details["pid"] for verdicts in answers}
    assert os.getpid() not in pids
    assert len(pids) <= isolation._MOST_PROCESSES


def _children(before: Collection[int] = ()) -> list[int]:
    """The processes that this one has started and that are still there, but for some.

    Those of other tests that this process has run may outlive them, such as a cluster of workers.
    """
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return [pid for pid in map(int, path.read_text(encoding="ascii").split()) if pid not in before]
