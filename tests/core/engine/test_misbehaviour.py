"""Whatever one method of one part does, the run ends, says so, and blames nobody else."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.core.engine import misbehaving
from tests.core.engine.conftest import fake_suite

from sparring import time_limits
from sparring.engine import play
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import ERRORS, INTERNAL, NOTHING, PASSED
from sparring.engine.session import RunResult
from sparring.errors import PartError, SparringError
from sparring.model.events import ProblemNoted
from sparring.model.run import Stop
from sparring.model.verdict import Outcome, Owner
from sparring.store import StoredRun
from sparring.suite import building
from sparring.suite.reading import load_suite

HERE = "tests.core.engine.misbehaving:"
CASES = 3

HARMLESS = {
    ("connector", "exit"), ("connector", "facts"), ("connector", "close"),
    ("player", "close"), ("strategy", "close"), ("oracle", "close"),
    ("reporter", "close"), ("llm", "close"),
}  # fmt: skip
"""What is over, or only informs: the verdicts stand, and the run tells of the problem."""

RETURNS = {
    ("strategy", "played"), ("batch", "played"), ("steady", "played"),
    ("strategy", "tell"), ("batch", "tell"), ("steady", "tell"),
    ("strategy", "start"), ("reporter", "handle"), ("player", "prepare"),
}  # fmt: skip
"""What returns nothing that anybody reads."""

MAY_RETURN_NONE = {
    ("connector", "recorded"), ("connector", "exit"), ("connector", "facts"),
    ("strategy", "expected"), ("strategy", "state"), ("batch", "state"), ("steady", "state"),
    ("llm", "model"),
}  # fmt: skip

ENDLESS = ("spins", "sleeps", *misbehaving.ASYNCHRONOUS)

MAKES = {
    "connector": "app", "player": "agent", "strategy": "strategy", "batch": "strategy",
    "steady": "strategy", "oracle": "oracles", "reporter": "reporters", "llm": "llm",
}  # fmt: skip

NAMED = {"batch": "strategy", "steady": "strategy", "player": "agent", "llm": "LLM backend"}


def _suite(part: str, method: str, fault: str) -> dict[str, Any]:
    name = {"use": f"{HERE}{part}__{method}__{fault}"}
    # A busy machine must not make others run into the limits of what blocks or never returns.
    limit = 1.0 if fault in ENDLESS else 60.0
    changes: dict[str, Any] = {
        "case_timeout": limit, "judge_timeout": limit, "part_timeout": limit, "concurrency": 3,
    }  # fmt: skip
    if method == "open_ended":  # asked only if a budget may be how the run ends
        changes["budget"] = {"cases": 2}
    key = MAKES[part]
    suite = fake_suite(CASES, **changes)
    if key in ("oracles", "reporters"):
        suite[key] = [*suite[key], {**name, **({"name": "odd"} if key == "oracles" else {})}]
    elif key == "llm":
        suite["agent"] = {**suite["agent"], "use": f"{HERE}AskingPlayer"}
        suite["llm"] = {**name, "attempts": 1, "timeout": limit, "deadline": limit}
    else:
        suite[key] = {**suite.get(key, {}), **name}
    return suite


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Do not wait long for what does not end."""
    monkeypatch.setattr(time_limits, "GRACE_S", 0.05)
    monkeypatch.setattr(play, "_FACTS_S", 1.0)
    monkeypatch.setattr(building, "_CLOSING_S", 1.0)
    yield
    time_limits.left_behind.clear()


def _run(tmp_path: Path, suite: dict[str, Any]) -> RunResult | SparringError:
    path = tmp_path / "suite.yaml"
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    try:
        return conduct(load_suite(path), RunOptions())
    except SparringError as err:
        return err


def _parameters() -> Iterator[Any]:
    """All combinations: a fifth, of those that wait for a limit a ninth; the rest if thorough."""
    for index, one in enumerate(misbehaving.combinations()):
        rarely = index % (9 if one[2] in ENDLESS else 5)
        yield pytest.param(*one, id="-".join(one), marks=pytest.mark.thorough if rarely else ())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("part", "method", "fault"), list(_parameters()))
def test_a_run_survives_a_misbehaving_part(
    tmp_path: Path, part: str, method: str, fault: str
) -> None:
    # An interruption may come while Python calls a finalizer, which says so and goes on.
    done = _run(tmp_path, _suite(part, method, fault))
    if isinstance(done, SparringError):
        assert isinstance(done, PartError), "the suite is right: the part is at fault"
        _require_named(str(done), part)
        return
    stored = StoredRun(done.folder) if done.folder else None
    verdicts = [v for judged in (stored.judged() if stored else ()) for v in judged.verdicts]
    assert not [v for v in verdicts if v.owner is Owner.APP], "the app did nothing wrong"
    verdicts += stored.concluded if stored else ()
    said = "\n".join(
        [
            done.summary.reason,
            *done.problems,
            *(f"{v.oracle}: {v.reason}" for v in verdicts),
            *done.warnings,
        ]
    )
    assert not [c for c in said if not c.isprintable() and c != "\n"]
    nothing_wrong = (
        (fault == "none" and (part, method) in MAY_RETURN_NONE)
        or (fault in ("none", "wrong_type") and (part, method) in {*RETURNS, *HARMLESS})
        or (method in ("__init__", "close") and fault in ("none",))
    )
    if nothing_wrong:
        assert done.exit_code in (PASSED, ERRORS, NOTHING, INTERNAL)
    elif (part, method) in HARMLESS:
        assert done.exit_code == PASSED
    else:
        assert done.exit_code in (ERRORS, INTERNAL, NOTHING), (done.exit_code, done.summary)
        _require_named(said, part)
    if stored is not None and done.summary.stopped is Stop.COMPLETE:
        assert len(stored.case_ids) == CASES, "asked is ended"


def _require_named(text: str, part: str) -> None:
    names = {"oracle": ("odd", "oracle"), "llm": ("LLM backend", "model_error", "AskingPlayer")}
    assert any(name in text for name in names.get(part, (NAMED.get(part, part),))), text
    assert "\x1b" not in text


def test_a_strategy_that_proposes_nothing_judges_nothing(play: Callable[..., RunResult]) -> None:
    done = play(strategy={"use": f"{HERE}NeverAsking", "params": [{"n": 1}]})
    assert done.exit_code == NOTHING


def test_a_case_that_is_proposed_again_is_not_played_twice(play: Callable[..., RunResult]) -> None:
    done = play(strategy={"use": f"{HERE}Repeating", "params": [{"n": 1}]})
    assert done.folder is not None
    assert len(StoredRun(done.folder).case_ids) == 1
    assert done.summary.stopped is Stop.BROKEN
    assert done.exit_code == INTERNAL
    assert "proposes only cases that it has proposed before" in done.summary.reason
    events = StoredRun(done.folder).events()
    notes = [event.message for event in events if isinstance(event, ProblemNoted)]
    (note,) = [note for note in notes if "again" in note and "only cases" not in note]
    assert re.search(r"^ask: proposed \d+ cases again, such as '", note), notes


def test_a_strategy_whose_done_is_a_method_is_broken(play: Callable[..., RunResult]) -> None:
    done = play(strategy={"use": f"{HERE}DoneByMethod", "params": [{"n": 1}]})
    assert done.exit_code == INTERNAL
    assert done.summary.stopped is Stop.BROKEN
    assert "is a method, not a @property" in done.summary.reason


def test_a_trace_of_another_case_is_the_players_fault(play: Callable[..., RunResult]) -> None:
    done = play(cases=2, agent={"use": f"{HERE}NoTrace"})
    assert done.exit_code == ERRORS
    assert done.summary.owners == {Owner.TOOL: 2}


def test_a_background_task_cannot_end_the_run(play: Callable[..., RunResult]) -> None:
    done = play(cases=2, app={"use": f"{HERE}Background"})
    assert done.summary.cases == {Outcome.PASS: 2}


def test_a_run_of_skipped_checks_is_not_green(play: Callable[..., RunResult]) -> None:
    done = play(cases=2, oracles=[{"use": f"{HERE}SkippingOracle"}])
    assert done.summary.cases == {Outcome.SKIPPED: 2}
    assert done.exit_code == NOTHING
