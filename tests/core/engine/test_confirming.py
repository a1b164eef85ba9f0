"""Faults are played again from fresh sessions, minimised, and told in the log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.cli.app import invoke
from sparring.engine.conduct import RunOptions, conduct
from sparring.model.confirmation import Confirmation
from sparring.model.events import FaultConfirmed
from sparring.model.talk import act_text
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.store import StoredRun
from sparring.suite.model import Confirm
from sparring.suite.reading import load_suite
from sparring_plugins.reproduction.confirm_run import confirm
from sparring_plugins.reproduction.failure_identity import faults_of

from .conftest import FAKES

APP = '''
from contextlib import asynccontextmanager
from typing import Literal

from sparring.errors import AppCrash
from sparring.interfaces.app_connector import AppConnector, AppSession
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Observation, act_text

OPENED = []


class Config(PluginConfig):
    crashes: Literal["always", "first", "every second time"] = "always"


class Fragile(AppConnector[Config]):
    """Crashes when it is told to pay after an order was made."""

    Config = Config

    @asynccontextmanager
    async def open(self, case):
        OPENED.append(case.id)
        yield Session(self.config.crashes, len(OPENED))


class Session(AppSession):
    def __init__(self, crashes, number):
        self.crashes, self.number, self.said = crashes, number, []

    async def send(self, act):
        self.said.append(act_text(act))
        if self.said[-1] == "pay" and "order" in self.said and self.is_due():
            raise AppCrash(f"no price of item {self.number}")
        return Observation(text=f"You said {self.said[-1]}.")

    def is_due(self):
        return {"always": True, "first": self.number == 1}.get(self.crashes, self.number % 2)
'''
LINES = ["hello", "menu", "order", "a drink", "is it cold", "pay", "bye"]


@pytest.fixture
def fragile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A suite whose app crashes for two of seven lines that are said."""
    import sys

    (tmp_path / "fragile_app.py").write_text(APP, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "suite.yaml"
    sys.modules.pop("fragile_app", None)


def suite(path: Path, crashes: str = "always", **changes: Any) -> Path:
    data = {
        "name": "fragile",
        "app": {"use": "fragile_app:Fragile", "crashes": crashes},
        "agent": {"use": f"{FAKES}FakePlayer", "lines": LINES},
        "strategy": {"use": f"{FAKES}FakeStrategy", "params": [{"n": 1}, {"n": 2}]},
        "oracles": ["generic-failures"],
        "reporters": [],
        "concurrency": 1,
        **changes,
    }
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def confirmations(path: Path) -> list[Confirmation]:
    done = conduct(load_suite(path), RunOptions())
    assert done.folder
    return StoredRun(done.folder).confirmations()


def test_a_fault_is_confirmed_with_the_fewest_inputs(fragile: Path) -> None:
    (found,) = confirmations(suite(fragile, confirm=True))
    assert found.outcome == "confirmed"
    assert (found.shown, found.tried) == (3, 3)
    assert found.trace is not None
    assert [act_text(turn.act) for turn in found.trace.turns] == ["order", "pay"]
    assert (found.inputs, found.inputs_before) == (2, 6)
    assert found.turns == (1,)
    assert len(found.case_ids) == 2, "one fault of two conversations"
    assert found.why == "it shows in each of 3 fresh sessions, with 2 inputs instead of 6"


def test_it_may_be_left_as_long_as_it_was(fragile: Path) -> None:
    (found,) = confirmations(suite(fragile, confirm={"minimise": False, "replays": 2}))
    assert (found.inputs, found.conversations) == (6, 2)


def test_a_fault_that_comes_now_and_then_is_told_as_such(fragile: Path) -> None:
    (found,) = confirmations(
        suite(fragile, "every second time", confirm={"minimise": False, "replays": 4})
    )
    assert found.outcome == "unsteady"
    assert 0 < found.shown < found.tried == 4
    assert f"in {found.shown} of 4 fresh sessions" in found.why


def test_a_fault_that_never_comes_again_is_not_confirmed(fragile: Path) -> None:
    (found,) = confirmations(suite(fragile, "first", confirm=True))
    assert found.outcome == "not confirmed"
    assert found.shown == 0
    assert found.trace is None
    assert found.why.startswith("it did not show again in ")


def test_only_so_many_conversations_are_played_for_a_fault(fragile: Path) -> None:
    (found,) = confirmations(suite(fragile, confirm={"conversations": 1, "replays": 1}))
    assert found.outcome == "confirmed"
    assert found.conversations == 1


def test_what_is_not_played_says_why(fragile: Path) -> None:
    path = suite(fragile, confirm={"minutes": 0.0000001})
    (found,) = confirmations(path)
    assert (found.outcome, found.trace) == ("not played", None)
    assert found.why == "not played again: the time for it is up (confirm.minutes)"


def test_a_resumed_run_plays_again_only_what_is_open(fragile: Path) -> None:
    path = suite(fragile, confirm=True)
    done = conduct(load_suite(path), RunOptions())
    assert done.folder
    before = StoredRun(done.folder).confirmations()
    conduct(load_suite(path), RunOptions(resume=StoredRun(done.folder)))
    stored = StoredRun(done.folder)
    assert stored.confirmations() == before
    assert sum(isinstance(event, FaultConfirmed) for event in stored.events()) == 1


def test_verdicts_and_sums_are_those_of_the_run_alone(fragile: Path) -> None:
    plain = conduct(load_suite(suite(fragile)), RunOptions())
    again = conduct(load_suite(suite(fragile, confirm=True)), RunOptions())
    assert plain.summary.outcomes == again.summary.outcomes
    assert plain.summary.usage.turns == again.summary.usage.turns


def test_a_stored_run_is_confirmed_later_and_at_any_concurrency(fragile: Path) -> None:
    path = suite(fragile, concurrency=4)
    done = conduct(load_suite(path), RunOptions())
    assert done.folder
    assert StoredRun(done.folder).confirmations() == []
    first = confirm(load_suite(path), StoredRun(done.folder), Confirm())
    again = confirm(load_suite(path), StoredRun(done.folder), Confirm())
    assert [one.outcome for one in first.confirmations] == ["confirmed"]
    assert again.confirmations == first.confirmations


def test_the_command_tells_the_shortest_way(
    fragile: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = suite(fragile)
    done = conduct(load_suite(path), RunOptions())
    capfd.readouterr()
    report = path.parent / "after.xml"
    code = invoke(["confirm", str(done.folder), "--replays", "2", "-o", str(report)])
    out, err = capfd.readouterr()
    assert code == 1
    assert err == "sparring: 1 gating fault is confirmed (exit code 1)\n"
    assert "confirmed     generic-failures / no_response" in out
    assert "> order > pay" in out
    assert "shortest: order &gt; pay" in report.read_text(encoding="utf-8")


ABSENT = {"use": f"{FAKES}FakeConnector", "fails_to_open": "unreachable"}
HEALED = {"use": f"{FAKES}FakeConnector"}


@pytest.mark.parametrize(
    ("crashes", "now", "code", "why"),
    [
        ("always", None, 1, "1 gating fault is confirmed"),
        ("every second time", None, 3, "1 gating fault is neither confirmed nor gone"),
        ("always", HEALED, 0, ""),
        ("always", ABSENT, 3, "1 gating fault is neither confirmed nor gone"),
    ],
)
def test_the_exit_code_says_what_became_of_the_faults(
    fragile: Path,
    capfd: pytest.CaptureFixture[str],
    crashes: str,
    now: dict[str, Any] | None,
    code: int,
    why: str,
) -> None:
    """An app that is not there shows no fault, and that is no proof that the fault is gone."""
    path = suite(fragile, crashes)
    done = conduct(load_suite(path), RunOptions())
    capfd.readouterr()
    changed = ["--set", f"app={json.dumps(now)}"] if now else []
    assert invoke(["confirm", str(done.folder), *changed]) == code
    out, err = capfd.readouterr()
    assert why in err
    assert ("not played again: the fake app was told not to open" in out) is (now is ABSENT)


def test_a_run_without_faults_confirms_nothing(
    fragile: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    done = conduct(load_suite(suite(fragile, "first", app=HEALED)), RunOptions())
    assert invoke(["confirm", str(done.folder)]) == 5
    assert "no fault of this run can be played again" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"confirm": {"replays": 0}}, "greater than or equal to 1"),
        ({"confirm": {"replay": 3}}, "replays"),
        ({"confirm": {"minutes": 0}}, "greater than 0"),
    ],
)
def test_wrong_settings_are_refused(
    fragile: Path, settings: dict[str, Any], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["validate", str(suite(fragile, **settings))]) == 2
    assert message in capfd.readouterr().err


def test_only_a_run_can_be_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["confirm", "nothing"]) == 2
    assert "no run is called 'nothing'" in capfd.readouterr().err


def failing(**changes: Any) -> Verdict:
    return Verdict(
        oracle="o", check="c", outcome=Outcome.FAIL, owner=Owner.APP, case_ids=("x",),
        reason="it took 17 s to say 'hello' (x)", turns=(TurnRef(case_id="x", turn=4),), **changes,
    )  # fmt: skip


def test_a_fault_is_known_by_its_reason_without_what_differs() -> None:
    (fault,) = faults_of([failing()])
    assert fault.key == "it took # s to say # (#)"
    assert fault.turn == 4


def test_problems_that_an_oracle_lists_are_faults_of_their_own() -> None:
    listed: list[Any] = [
        {"key": "a", "turn": 1, "certainty": "likely", "reason": "first"},
        {"key": "b", "turn": "soon"},
        {"turn": 3},
        "no problem",
    ]
    first, second = faults_of([failing(details={"problems": listed})])
    assert (first.key, first.turn, first.certainty, first.reason) == ("a", 1, "likely", "first")
    assert (second.key, second.turn) == ("b", None)
