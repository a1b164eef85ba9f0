"""The conformance kits of the roles that test or drive a page.

Kits for ``navigator``, ``readiness``, ``assertion``, ``translator``, ``page_reader`` and
``driver``.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import PageSession
from sparring.model.page import Element, Option, PageSnapshot, PageView
from sparring.model.talk import Act, Observation
from sparring.testing import hostile
from sparring.testing.conformance.agent import AgentKit
from sparring.testing.conformance.kit import Build
from sparring_plugins.web.roles import (
    DriveTask,
    Judged,
    Navigation,
    PageReading,
    PageTask,
    ReadTask,
    WantedValue,
)
from sparring_plugins.web.step import Displayed, Reading, Step, Target
from sparring_plugins.web.translation.check_sentences import read_checks
from sparring_plugins.web.translation.model_translator import TranslatedCheck


class PageAgentKit(AgentKit, kit=True):
    """Tests of all three roles: steps with several readings, and hostile pages."""

    @pytest.fixture
    def tasks(self) -> Sequence[PageTask]:
        """Steps and assertions on a usual page, an empty one and hostile ones."""
        return list(page_tasks())


class NavigatorKit(PageAgentKit, kit=True):
    """Tests of an agent with the role ``navigator``: override `plugin` and `settings`."""

    def test_the_role_is_navigator(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "navigator"

    def test_it_acts_only_on_elements_of_the_page(
        self, build: Build, tasks: Sequence[PageTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(answer, Navigation), f"{answer!r} is no Navigation"
            ids = {element.id for element in task.view.snapshot.elements}
            named = {id_ for act in answer.acts for id_ in (act.target, act.destination) if id_}
            named |= {candidate.element for candidate in answer.candidates}
            assert named <= ids, f"{sorted(named - ids)} are not on the page"

    def test_it_says_why_it_does_nothing(self, build: Build, tasks: Sequence[PageTask]) -> None:
        for answer in self._answers(build(), tasks):
            assert answer.acts or answer.reason, "neither an act nor a reason"


class _JudgingKit(PageAgentKit, kit=True):
    """Tests of agents that answer true, false or don't know."""

    def test_it_says_true_false_or_nothing_with_a_reason(
        self, build: Build, tasks: Sequence[PageTask]
    ) -> None:
        for task, answer in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(answer, Judged), f"{answer!r} is no Judged"
            assert answer.reason.strip(), f"{answer.truth} without a reason"
            ids = {element.id for element in task.view.snapshot.elements}
            unknown = set(answer.elements) - ids
            assert not unknown, f"{sorted(unknown)} are not on the page"


class ReadinessKit(_JudgingKit, kit=True):
    """Tests of an agent with the role ``readiness``: override `plugin` and `settings`."""

    def test_the_role_is_readiness(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "readiness"


class AssertionKit(_JudgingKit, kit=True):
    """Tests of an agent with the role ``assertion``: override `plugin` and `settings`."""

    def test_the_role_is_assertion(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "assertion"


class TranslatorKit(PageAgentKit, kit=True):
    """Tests of an agent with the role ``translator``: override `plugin` and `settings`."""

    def test_the_role_is_translator(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "translator"

    def test_what_it_means_is_canonical(self, build: Build, tasks: Sequence[PageTask]) -> None:
        for answer in self._answers(build(), tasks):
            assert isinstance(answer, TranslatedCheck), f"{answer!r} is no TranslatedCheck"
            assert answer.judged.reason.strip(), "a translation without a reason"
            assert bool(answer.means) is (answer.condition is not None)
            fault = read_checks(answer.means).fault if answer.means else ""
            assert not fault, f"{answer.means}: {fault}"


def page_tasks() -> Iterator[PageTask]:
    """Yield tasks of all kinds on pages of all kinds."""
    readings = (
        Reading(action="click", target=Target(text="Save")),
        Reading(action="fill", target=Target(text="Name"), value="Ann"),
        Reading(action="select", value="Red"),
        Reading(action="check", target=Target(text="I agree")),
        Reading(action="open", value="/start"),
        Reading(action="assert", condition=Displayed(target=Target(text="Welcome"))),
        None,
    )
    for view in _views():
        for number, reading in enumerate(readings, 1):
            readings_ = (reading,) if reading else ()
            text = f"a step of the kit, number {number}"
            step = Step(number=number, text=text, readings=readings_)
            yield PageTask(step=step, reading=reading, view=view, seed=number)


def _views() -> Iterator[PageView]:
    yield PageView(snapshot=PageSnapshot(url="http://kit.test/", elements=_elements("Welcome")))
    yield PageView(snapshot=PageSnapshot(url="about:blank"))
    yield PageView(
        snapshot=PageSnapshot(url=hostile.MARK, elements=_elements(hostile.MARK), truncated=3)
    )


def _elements(words: str) -> tuple[Element, ...]:
    colours = (Option(label="Red", value="r"), Option(label=words, selected=True))
    return (
        Element(id="h", role="heading", name=words, text=words, tag="h1"),
        Element(id="t", role="text", text=words, parent="h"),
        Element(id="n", role="textbox", name="Name", value="", editable=True, interactive=True),
        Element(id="c", role="combobox", name="Colour", options=colours, interactive=True),
        Element(id="a", role="checkbox", name="I agree", checked=False, interactive=True),
        Element(id="s", role="button", name="Save", text="Save", interactive=True),
        Element(id="d", role="button", name=words, disabled=True, interactive=True),
        Element(id="x", role="button", name="Hidden", visible=False, interactive=True),
    )


_WANTED = (
    WantedValue(path="name", words=("name", "Name")),
    WantedValue(path="total", words=("total",), kind="number"),
    WantedValue(path="lines.*.price", words=("price",), kind="number"),
)


def page_views() -> list[PageView]:
    """A usual page, an empty one and hostile ones, each once."""
    return list({id(task.view): task.view for task in page_tasks()}.values())


class PageReaderKit(AgentKit, kit=True):
    """Tests of an agent with the role ``page_reader``: override `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[ReadTask]:
        """The same values on several pages."""
        return [
            ReadTask(instruction="the order", wanted=_WANTED, view=view) for view in page_views()
        ]

    def test_the_role_is_page_reader(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "page_reader"

    def test_it_reads_only_what_is_wanted_from_elements_of_the_page(
        self, build: Build, tasks: Sequence[ReadTask]
    ) -> None:
        for task, reading in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(reading, PageReading), f"{reading!r} is no PageReading"
            ids = {element.id for element in task.view.snapshot.elements}
            unknown = [value.element for value in reading.found if value.element not in ids]
            assert not unknown, f"{unknown} are not on the page"
            assert {value.path for value in reading.found} <= {value.path for value in _WANTED}


class _UnchangingPage(PageSession):
    """A page on which nothing ever happens."""

    def __init__(self, view: PageView) -> None:
        self._view = view

    async def send(self, act: Act) -> Observation:
        return Observation(page=self._view)


class PageDriverKit:
    """What a driver does on pages that never change; no full kit of an agent: it needs a session.

    Call `check` with a finished driver.
    """

    @staticmethod
    def check(driver: Any) -> None:
        """Fails where it raises, or says that an instruction nobody understands was done."""
        for view in page_views():
            task = DriveTask(
                _UnchangingPage(view), "Bring it to a good end", patience_s=0, timeout_s=10
            )
            acted = asyncio.run(driver.act(task))
            assert acted.outcome != "done", "it was never told what to do"
            assert acted.reason, "it says nothing of why it was not done"
            assert asyncio.run(driver.holds(task)).truth is None
