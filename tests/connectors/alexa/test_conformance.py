"""The conformance kit over a skill in Python, one in Node, and one behind an address."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.interfaces.app_connector import AppConnector
from sparring.testing.conformance.app_connector import AppConnectorKit
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector

from .conftest import SKILLS
from .test_trouble import children


class Voice(AppConnectorKit, kit=True):
    texts = ("how often was i here", "order a tea", "large")

    @pytest.fixture
    def plugin(self) -> type[AlexaConnector]:
        return AlexaConnector

    @pytest.fixture
    def context(self) -> FakeContext:
        return FakeContext(base_dir=SKILLS)

    @pytest.fixture
    def open_sessions(self) -> Callable[[AppConnector[Any]], int] | None:
        """Each open session has a process, which is new; without /proc nobody can count them."""
        return (lambda connector: len(children())) if Path("/proc/self/stat").exists() else None


class TestPythonSkill(Voice):
    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"skill": "corner", "process": "new"}

    @pytest.fixture
    def unreachable_settings(self, nobody_there: str) -> dict[str, Any]:
        return {"skill": {"folder": "corner", "endpoint": nobody_there}}


class TestNodeSkill(Voice):
    texts = ("dig five steps to the north", "how often did i dig", "stop")

    @pytest.fixture
    def settings(self, node: str) -> dict[str, Any]:
        return {"skill": "island", "process": "new"}
