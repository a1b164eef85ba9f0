"""The kit over an app that greets, must be ready, and can tell how many are connected."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from websockets.sync.server import Server, ServerConnection, serve

from sparring.interfaces.app_connector import AppConnector
from sparring.testing.conformance.app_connector import AppConnectorKit
from sparring_connectors.websocket.connector import WebSocketConnector


class Counting:
    """A server that counts its open connections."""

    def __init__(self) -> None:
        self.open = 0
        self._lock = threading.Lock()
        self.server: Server = serve(self._talk, "127.0.0.1", 0)
        self.url = f"ws://127.0.0.1:{self.server.socket.getsockname()[1]}/"
        self._thread = threading.Thread(target=self.server.serve_forever)
        self._thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self._thread.join()

    def _talk(self, connection: ServerConnection) -> None:
        self._count(1)
        try:
            for message in connection:
                said = json.loads(message)
                if "hello" in said:
                    connection.send(json.dumps({"type": "welcome", "id": "s"}))
                    connection.send(json.dumps({"type": "say", "text": "What can I do for you?"}))
                else:
                    connection.send(json.dumps({"type": "typing"}))
                    connection.send(json.dumps({"type": "say", "text": said["text"][:100]}))
                connection.send(json.dumps({"type": "done"}))
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            self.open += change


class TestWebSocketConnector(AppConnectorKit):
    @pytest.fixture
    def counting(self) -> Iterator[Counting]:
        server = Counting()
        yield server
        server.stop()

    @pytest.fixture
    def plugin(self) -> type[WebSocketConnector]:
        return WebSocketConnector

    @pytest.fixture
    def settings(self, counting: Counting) -> dict[str, Any]:
        return {
            "url": counting.url,
            "starts": "app",
            "open": {"hello": "{uuid}"},
            "ready": {"at": "$.type", "equals": "welcome"},
            "answers": {"at": "$.type", "equals": "say"},
            "typing": {"at": "$.type", "equals": "typing"},
            "over": {"end": {"at": "$.type", "equals": "done"}},
            "reply": {"session": "$.id"},
        }

    @pytest.fixture
    def unreachable_settings(self, nobody: str) -> dict[str, Any]:
        return {"url": nobody, "reconnect": {"attempts": 1}}

    @pytest.fixture
    def open_sessions(self, counting: Counting) -> Callable[[AppConnector[Any]], int]:
        return lambda connector: counting.open
