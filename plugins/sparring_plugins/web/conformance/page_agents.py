"""The conformance kits of the roles ``navigator``, ``readiness`` and ``assertion``."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sparring.interfaces.agent import Agent
from sparring.model.page import Element, Option, PageSnapshot, PageView
from sparring.testing import hostile
from sparring.testing.conformance.agent import AgentKit
from sparring.testing.conformance.kit import Build
from sparring_plugins.web.roles.page_agents import Judged, Navigation, PageTask
from sparring_plugins.web.roles.step import Displayed, Reading, Step, Target


class PageAgentKit(AgentKit, kit=True):
    """What holds for all three roles. Steps are read in several ways, and pages are hostile."""

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
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(found, Navigation), f"{found!r} is no Navigation"
            known = {element.id for element in task.view.snapshot.elements}
            named = [one for act in found.acts for one in (act.target, act.destination) if one]
            named += [one.element for one in found.candidates]
            assert set(named) <= known, f"{sorted(set(named) - known)} are not on the page"

    def test_it_says_why_it_does_nothing(self, build: Build, tasks: Sequence[PageTask]) -> None:
        for found in self._answers(build(), tasks):
            assert found.acts or found.reason, "neither an act nor a reason"


class _JudgingKit(PageAgentKit, kit=True):
    """What holds for agents that say true, false or don't know."""

    def test_it_says_true_false_or_nothing_with_a_reason(
        self, build: Build, tasks: Sequence[PageTask]
    ) -> None:
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(found, Judged), f"{found!r} is no Judged"
            assert found.reason.strip(), f"{found.truth} without a reason"
            known = {element.id for element in task.view.snapshot.elements}
            strangers = set(found.elements) - known
            assert not strangers, f"{sorted(strangers)} are not on the page"


class ReadinessKit(_JudgingKit, kit=True):
    """Tests of an agent with the role ``readiness``: override `plugin` and `settings`."""

    def test_the_role_is_readiness(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "readiness"


class AssertionKit(_JudgingKit, kit=True):
    """Tests of an agent with the role ``assertion``: override `plugin` and `settings`."""

    def test_the_role_is_assertion(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "assertion"


def page_tasks() -> Iterator[PageTask]:
    """Tasks of all kinds on pages of all kinds."""
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
            known = (reading,) if reading else ()
            step = Step(number=number, text=f"a step of the kit, number {number}", readings=known)
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
