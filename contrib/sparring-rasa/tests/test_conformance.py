"""The kit of Sparring over the connector."""

from typing import Any

import pytest
from sparring.testing import AppConnectorKit

from sparring_rasa.connector import RasaConnector


class TestRasaConnector(AppConnectorKit):
    @pytest.fixture
    def plugin(self) -> type[RasaConnector]:
        return RasaConnector

    @pytest.fixture(params=["plain", "greeting and restart"])
    def settings(self, request: pytest.FixtureRequest, rasa: Any) -> dict[str, Any]:
        greeting = {"starts": "app", "restart": "tracker"}
        more: dict[str, Any] = greeting if request.param != "plain" else {}
        return {"url": rasa.url, **more}

    @pytest.fixture
    def unreachable_settings(self) -> dict[str, Any]:
        return {"url": "http://127.0.0.1:9", "retry": {"attempts": 1}}
