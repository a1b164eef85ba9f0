"""A stored run repeated from its log, with no app and no model."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sparring.cli.app import invoke
from sparring.engine.session import RunResult
from sparring.errors import ConfigurationError, EnvironmentFailure, MachineBusy
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import PluginConfig
from sparring.model.case import Case
from sparring.model.events import ModelCalled
from sparring.model.run import Spent
from sparring.model.talk import Act, Observation, act_text
from sparring.store import StoredRun

from .test_models import Asking

Play = Callable[..., RunResult]
FAKES = "sparring.testing.fakes:"


def recorded(play: Play, **changes: Any) -> Path:
    """A finished run with a judge that asks a model."""
    suite: dict[str, Any] = {
        "oracles": [{"use": f"{__name__}:{Asking.__name__}"}, {"use": f"{FAKES}FakeOracle"}],
        "llm": {"use": f"{FAKES}FakeLLM", "answers": {"judge": "fine"}, "temperature": 0.3},
        **changes,
    }
    done = play(**{"cases": 5, **suite})
    assert done.folder
    return done.folder


def verdicts(folder: Path) -> list[str]:
    stored = StoredRun(folder)
    judged = {one.trace.case.id: one.verdicts for one in stored.judged()}
    lines = [[one.model_dump_json() for one in judged[case]] for case in sorted(judged)]
    return [json.dumps(lines), json.dumps([one.model_dump_json() for one in stored.concluded])]


def replayed(folder: Path, *args: str) -> tuple[int, Path]:
    code = invoke(["replay", str(folder), *args])
    (found,) = [path for path in folder.parent.iterdir() if path != folder]
    return code, found


def test_every_verdict_is_the_same(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    first = recorded(
        play, app={"use": f"{FAKES}FakeConnector", "raises": {1: "crash", 3: "timeout"}}
    )
    code, second = replayed(first)
    assert verdicts(second) == verdicts(first)
    assert "same verdicts" in capsys.readouterr().out
    summary = StoredRun(first).summary
    assert summary is not None
    assert code == summary.exit_code


def test_conversations_have_the_times_of_then(play: Play) -> None:
    first = recorded(play)
    _, second = replayed(first)
    before = {one.trace.case.id: one.trace for one in StoredRun(first).judged()}
    after = {one.trace.case.id: one.trace for one in StoredRun(second).judged()}
    assert after == before


def test_no_service_is_asked_and_nothing_spent(play: Play) -> None:
    first = recorded(play)
    _, second = replayed(first)
    calls = [one for one in StoredRun(second).events() if isinstance(one, ModelCalled)]
    assert len(calls) == 5
    assert {call.service for call in calls} == {"sparring.llm.recordings.RecordedModel"}
    summary = StoredRun(second).summary
    assert summary is not None
    assert summary.usage.models == Spent(reused=5)


def test_a_replay_is_not_the_last_run(play: Play) -> None:
    first = recorded(play)
    replayed(first)
    assert StoredRun(first).manifest.kind == "run"
    assert invoke(["replay", "--runs", str(first.parent)]) == 0
    kinds = sorted(StoredRun(path).manifest.kind for path in first.parent.iterdir())
    assert kinds == ["replay", "replay", "run"]


def test_other_words_of_the_user_are_named(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    first = recorded(play)
    code, second = replayed(first, "--set", "agent.lines=['good evening']")
    assert code in (1, 3)
    said = " ".join(i.message for one in StoredRun(second).judged() for i in one.trace.incidents)
    assert "'good evening'" in said
    assert "recorded was 'hello'" in said
    assert "other verdicts" in capsys.readouterr().out


def test_a_question_that_was_not_recorded_names_the_nearest(play: Play) -> None:
    first = recorded(play)
    _, second = replayed(first, "--set", "llm.temperature=0.9")
    reasons = " ".join(v.reason for one in StoredRun(second).judged() for v in one.verdicts)
    assert "temperature is 0.9, recorded was 0.3" in reasons


def test_a_run_cut_off_by_its_budget_is_repeated_as_far_as_it_came(play: Play) -> None:
    first = recorded(play, budget={"cases": 3})
    _, second = replayed(first)
    assert len(StoredRun(second).case_ids) == 3
    assert verdicts(second) == verdicts(first)


def test_a_check_is_not_repeated(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    first = recorded(play)
    runs = first.parent
    assert invoke(["check", str(first), "--runs", str(runs)]) == 0
    check = next(path for path in runs.iterdir() if path != first)
    assert invoke(["replay", str(check)]) == 2
    assert "not made by 'sparring run'" in capsys.readouterr().err


class Breaking(AppConnector[PluginConfig]):
    """Breaks, in each case in another way, as machines and connectors do."""

    offers = frozenset({Capability.TEXT})

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        if case.params["n"] == 0:
            raise EnvironmentFailure("the browser opened no tab within 60 s")
        yield _Broken(case.params["n"])


class _Broken(AppSession):
    def __init__(self, how: object) -> None:
        self._how = how

    async def send(self, act: Act) -> Observation:
        if act_text(act) == "hello":
            return Observation(text="hello")
        match self._how:
            case 1:
                raise MachineBusy("no answer within 5 s; Sparring had no processor time for 4 s")
            case 2:
                raise EnvironmentFailure("the browser ended")
            case 3:
                raise ValueError("the connector is broken")
            case 4:
                raise ConfigurationError("this app is no chat")
            case 5:
                await asyncio.sleep(60)
        return Observation(text="bye")


@pytest.mark.thorough
def test_what_machine_connector_and_suite_broke_off_is_broken_off_again(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing of it becomes the app's crash, nor another way that the user went."""
    oracles = [{"use": "generic-failures"}, {"use": f"{FAKES}FakeOracle"}]
    app = {"use": f"{__name__}:{Breaking.__name__}"}
    first = recorded(play, app=app, cases=7, case_timeout=8, oracles=oracles)
    _, second = replayed(first)
    assert verdicts(second) == verdicts(first)
    assert "same verdicts" in capsys.readouterr().out
    before = {one.trace.case.id: one.trace.incidents for one in StoredRun(first).judged()}
    after = {one.trace.case.id: one.trace.incidents for one in StoredRun(second).judged()}
    assert after == before
    kinds = sorted(incident.kind for incidents in before.values() for incident in incidents)
    assert kinds == [
        "case_timeout", "connector_error", "environment", "environment", "machine_busy",
        "player_error",
    ]  # fmt: skip
