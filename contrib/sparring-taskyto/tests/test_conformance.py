"""The kit of Sparring over the connector."""

from typing import Any

import pytest
from sparring.testing import AppConnectorKit

from sparring_taskyto.connector import TaskytoConnector


class TestTaskytoConnector(AppConnectorKit):
    texts = ("How much is a ticket?", "hello", "thank you")

    @pytest.fixture
    def plugin(self) -> type[TaskytoConnector]:
        return TaskytoConnector

    @pytest.fixture
    def settings(self, taskyto: Any) -> dict[str, Any]:
        return {"url": taskyto.url, "starts": "app", "greeting": "Hello"}

    @pytest.fixture
    def unreachable_settings(self) -> dict[str, Any]:
        return {"url": "http://127.0.0.1:9", "retry": {"attempts": 1}}
