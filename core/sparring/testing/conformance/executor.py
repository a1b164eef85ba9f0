"""The conformance kit of the interface `Executor`."""

from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.interfaces.abilities import AsksMore
from sparring.interfaces.search_strategy import Learning
from sparring.model.events import CaseJudged, CaseStarted, TurnTaken
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring.testing.conformance.kit import Build, PluginKit

_FAKES = "sparring.testing.fakes:"
_CASES = 7


class ExecutorKit(PluginKit, kit=True):
    """Tests of an executor: override the fixtures `plugin` and `settings`.

    The kit runs small suites with it, in a folder of their own.
    """

    @pytest.fixture
    def beside(self) -> dict[str, object]:
        """What the suite says beside the executor's own settings, such as `workers`."""
        return {}

    def _run(self, folder: Path, plugin: Any, settings: dict[str, object], **app: Any) -> RunResult:
        use = f"{plugin.__module__}:{plugin.__qualname__}"
        suite = {
            "name": "executor",
            "app": {"use": f"{_FAKES}FakeConnector", **app},
            "agent": {"use": f"{_FAKES}FakePlayer", "lines": ["one {n}", "two {n}"]},
            "strategy": {
                "use": f"{_FAKES}FakeStrategy",
                "params": [{"n": n} for n in range(_CASES)],
            },
            "oracles": [{"use": f"{_FAKES}FakeOracle"}],
            "reporters": [],
            "execution": {"use": use, **settings},
        }
        path = folder / "suite.yaml"
        path.write_text(yaml.safe_dump(suite), encoding="utf-8")
        return conduct(load_suite(path), RunOptions())

    def test_each_case_is_played_and_logged_once(
        self, plugin: Any, settings: dict[str, object], beside: dict[str, object], tmp_path: Path
    ) -> None:
        done = self._run(tmp_path, plugin, settings | beside)
        assert done.exit_code == 0, done.problems
        assert done.folder is not None
        events = list(StoredRun(done.folder).events())
        started = [event.case.id for event in events if isinstance(event, CaseStarted)]
        judged = [event for event in events if isinstance(event, CaseJudged)]
        assert len(set(started)) == len(started) == len(judged) == _CASES
        assert sum(isinstance(event, TurnTaken) for event in events) == 2 * _CASES
        for event in judged:
            _check_conversation(event)

    def test_a_failure_of_the_app_is_data(
        self, plugin: Any, settings: dict[str, object], beside: dict[str, object], tmp_path: Path
    ) -> None:
        done = self._run(tmp_path, plugin, settings | beside, raises={1: "crash"})
        assert done.folder is not None
        for event in StoredRun(done.folder).judged():
            assert [str(incident.kind) for incident in event.trace.incidents] == ["crash"]

    def test_there_is_a_place_for_a_case(self, build: Build) -> None:
        for learns in get_args(Learning):
            for concurrency in (1, 7):
                executor = build()
                if not isinstance(executor, AsksMore):
                    pytest.skip("no more cases are asked for it than the suite's `concurrency`")
                places = executor.places(concurrency, learns)
                assert places >= 1
                assert learns != "per-case" or places <= concurrency, "it cannot know that many"

    def test_it_can_be_closed_before_it_started(self, build: Build) -> None:
        self.run(build().close())


def _check_conversation(event: CaseJudged) -> None:
    heard = [turn.observation.text for turn in event.trace.turns if turn.observation]
    number = event.trace.case.params["n"]
    assert heard == [f"one {number}", f"two {number}"]
    assert [str(verdict.outcome) for verdict in event.verdicts] == ["pass"]
