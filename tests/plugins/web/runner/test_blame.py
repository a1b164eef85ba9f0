"""A part of the step runner that breaks is never the app's fault, through the front door."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from tests.plugins.web.runner.pages import element, page, text

from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import (
    AppCrash,
    AppTimeout,
    EnvironmentFailure,
    MachineBusy,
    ModelUnavailable,
    PartError,
)
from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import PluginConfig
from sparring.model.case import Case
from sparring.model.talk import Act, GuiAction, Observation
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.web.roles import Judged, Navigation, PageTask

BEFORE = page(element("button", "Go", id="go"))
AFTER = page(element("button", "Go", id="go"), text("Hello"))
TESTS = {
    "tests": [{"name": "greets", "steps": ["Click on 'Go'", "Assert that 'Hello' is displayed"]}]
}


class Site(AppSession):
    """A page that greets after a click; `on_click` may do something else."""

    def __init__(self, on_click: Callable[[], Any]) -> None:
        self.view, self.on_click = BEFORE, on_click

    async def send(self, act: Act) -> Observation:
        if isinstance(act, GuiAction) and act.action == "click":
            if (answer := self.on_click()) is not None:
                return answer
            self.view = AFTER
        return Observation(page=self.view)


class Pages(AppConnector[PluginConfig]):
    """Shows the pages of `Site`."""

    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.PAGE})
    on_click: ClassVar[Callable[[], Any]] = staticmethod(lambda: None)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        yield Site(type(self).on_click)


class Faulty:
    """What the roles below do; set by each test."""

    act: Callable[[], Any] = staticmethod(lambda: None)


class FaultyReadiness(Agent[PageTask, Judged, PluginConfig]):
    """Readiness that breaks."""

    role: ClassVar[str] = "readiness"

    async def act(self, task: PageTask) -> Judged:
        answer: Judged = Faulty.act()
        return answer


class FaultyAssertion(Agent[PageTask, Judged, PluginConfig]):
    """An assertion agent that breaks."""

    role: ClassVar[str] = "assertion"

    async def act(self, task: PageTask) -> Judged:
        answer: Judged = Faulty.act()
        return answer


class FaultyNavigator(Agent[PageTask, Navigation, PluginConfig]):
    """A navigator that breaks."""

    role: ClassVar[str] = "navigator"

    async def act(self, task: PageTask) -> Navigation:
        answer: Navigation = Faulty.act()
        return answer


def run(folder: Path, **agent: Any) -> tuple[int, list[Verdict]]:
    """Play the test case; the exit code, and all verdicts."""
    (folder / "cases.yaml").write_text(yaml.safe_dump(TESTS))
    suite = {
        "name": "blame",
        "app": f"{__name__}:Pages",
        "agent": {"use": "step-runner", "tests": "cases.yaml", "patience_s": 0, **agent},
        "strategy": "exhaustive",
        "oracles": ["assertions", "consistency"],
        "reporters": [],
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite))
    done = conduct(load_suite(folder / "suite.yaml"), RunOptions(runs=folder / "runs"))
    assert done.folder is not None
    stored = StoredRun(done.folder)
    verdicts = [one for judged in stored.judged() for one in judged.verdicts]
    return done.summary.exit_code, [*verdicts, *stored.concluded]


def raises(error: BaseException) -> Callable[[], Any]:
    def act() -> Any:
        raise error

    return act


FAULTS: dict[str, Callable[[], Any]] = {
    "KeyError": raises(KeyError("injected")),
    "SystemExit": raises(SystemExit(0)),
    "CancelledError": raises(asyncio.CancelledError()),
    "None": lambda: None,
    "a text": lambda: "true",
    "a dict": lambda: {"truth": False, "acts": []},
}
ROLES = {
    "readiness": "FaultyReadiness",
    "navigator": "FaultyNavigator",
    "assertion": "FaultyAssertion",
}


def owners(verdicts: list[Verdict]) -> set[Owner]:
    return {one.owner for one in verdicts if one.owner is not None}


def test_without_a_fault_the_test_case_passes(tmp_path: Path) -> None:
    code, verdicts = run(tmp_path)
    assert (code, owners(verdicts)) == (0, set())


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("role", ROLES)
def test_a_role_that_breaks_is_the_tools_fault(
    role: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Faulty, "act", staticmethod(FAULTS[fault]))
    agent = {role: f"{__name__}:{ROLES[role]}", "strict_first": False}
    code, verdicts = run(tmp_path, **agent)
    assert code == 3
    assert owners(verdicts) == {Owner.TOOL}
    steps = next(one for one in verdicts if one.check == "steps")
    assert steps.outcome is Outcome.ERROR


@pytest.mark.parametrize("fault", [name for name in FAULTS if name != "None"])
def test_a_connector_that_breaks_is_the_tools_fault(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pages, "on_click", staticmethod(FAULTS[fault]))
    code, verdicts = run(tmp_path)
    assert (code, owners(verdicts)) == (3, {Owner.TOOL})


@pytest.mark.parametrize("fault", FAULTS)
def test_an_observation_of_an_act_that_breaks_is_the_tools_fault(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = lambda *_, **__: FAULTS[fault]()  # noqa: E731
    monkeypatch.setattr("sparring_plugins.web.runner.algorithm.observe", observe)
    code, verdicts = run(tmp_path)
    assert (code, owners(verdicts)) == (3, {Owner.TOOL})


ERRORS: list[tuple[BaseException, Outcome, Owner]] = [
    (AppTimeout("the page has hung"), Outcome.ERROR, Owner.APP),
    (AppCrash("the page crashed"), Outcome.ERROR, Owner.APP),
    (EnvironmentFailure("the browser ended"), Outcome.ERROR, Owner.ENVIRONMENT),
    (MachineBusy("no processor time"), Outcome.INCONCLUSIVE, Owner.ENVIRONMENT),
    (ModelUnavailable("no service"), Outcome.ERROR, Owner.ENVIRONMENT),
    (PartError("connector", "browser", "send", "it broke"), Outcome.ERROR, Owner.TOOL),
]


@pytest.mark.parametrize(("error", "outcome", "owner"), ERRORS)
def test_what_breaks_a_case_off_is_told_with_its_step_and_never_green(
    error: BaseException,
    outcome: Outcome,
    owner: Owner,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Pages, "on_click", staticmethod(raises(error)))
    code, verdicts = run(tmp_path)
    assert code == 3
    by_check = {one.check: one for one in verdicts}
    steps = by_check["steps"]
    assert (steps.outcome, steps.owner) == (outcome, owner)
    assert "step 1 'Click on 'Go'' was broken off" in steps.reason
    assert by_check["Assert that 'Hello' is displayed"].outcome is Outcome.SKIPPED
