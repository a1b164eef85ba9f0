"""The conformance kits of the roles ``page_reader`` and ``driver``."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import PageSession
from sparring.model.page import PageView
from sparring.model.talk import Act, Observation
from sparring.testing.conformance.agent import AgentKit
from sparring.testing.conformance.kit import Build
from sparring_plugins.web.conformance.page_agents import page_tasks
from sparring_plugins.web.roles.driver import DriveTask, PageReading, ReadTask, WantedValue

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
        for task, found in zip(tasks, self._answers(build(), tasks), strict=True):
            assert isinstance(found, PageReading), f"{found!r} is no PageReading"
            known = {element.id for element in task.view.snapshot.elements}
            strangers = [one.element for one in found.found if one.element not in known]
            assert not strangers, f"{strangers} are not on the page"
            assert {one.path for one in found.found} <= {one.path for one in _WANTED}


class _Still(PageSession):
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
            task = DriveTask(_Still(view), "Bring it to a good end", patience_s=0, timeout_s=10)
            acted = asyncio.run(driver.act(task))
            assert acted.outcome != "done", "it was never told what to do"
            assert acted.reason, "it says nothing of why it was not done"
            assert asyncio.run(driver.holds(task)).truth is None
