"""Stored runs to look at, and a viewer that serves them on this machine."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from sparring.model.talk import Trace
from sparring.model.verdict import Verdict
from sparring.store import StoredRun
from sparring.testing.conversations import stored_run, trace_of, verdict_of

TOKEN = "the-token-of-the-test"


def some_talks(count: int = 12, answer: str = "answer number") -> list[Trace]:
    return [
        trace_of(
            [("hi", "Welcome!"), (f"question {nr}", f"{answer} {nr}.")],
            scenario="hours" if nr % 3 else "order",
            nr=nr,
            size="large" if nr % 2 else "small",
        )
        for nr in range(count)
    ]


def judged(trace: Trace) -> list[Verdict]:
    nr = trace.case.params["nr"]
    assert isinstance(nr, int)
    if nr % 4 == 1:
        return [verdict_of(trace, "fail", check="price", reason=f"the price {nr} is wrong")]
    if nr % 6 == 2:
        return [verdict_of(trace, "inconclusive", oracle="judge", reason="no JSON")]
    return [verdict_of(trace)]


@dataclass
class Served:
    """A viewer at work: its runs, and requests as the page makes them."""

    runs: Path
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={TOKEN}"

    def request(
        self, path: str, method: str = "GET", data: Any = None, **headers: str
    ) -> tuple[int, bytes, dict[str, str]]:
        """One request with the token, unless headers say otherwise (None: leave it out)."""
        host = f"127.0.0.1:{self.port}"
        sent = {"Host": host, "Cookie": f"sparring-view-{self.port}={TOKEN}"}
        if method != "GET":
            sent |= {"Origin": f"http://{host}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        body = None if data is None else json.dumps(data)
        connection.request(method, path, body, {n: v for n, v in sent.items() if v})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text, {name.lower(): value for name, value in answer.getheaders()}

    def get(self, path: str) -> Any:
        status, text, _ = self.request(path)
        assert status == 200, text
        return json.loads(text)


Serve = Callable[[Path], Served]


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """Serve a folder of runs until the module's tests are over."""
    uvicorn = pytest.importorskip("uvicorn", reason="the extra `view` is not installed")
    from sparring_plugins.viewer.application import viewer_application

    servers: list[tuple[Any, threading.Thread]] = []

    def start(runs: Path) -> Served:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        application = viewer_application(runs, token=TOKEN, port=port)
        config = uvicorn.Config(
            application, log_level="warning", access_log=False, ws="none", lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        servers.append((server, thread))
        return Served(runs, port)

    yield start
    for server, thread in servers:
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite's folder with two runs below ``runs``; the second has other answers."""
    base = tmp_path_factory.mktemp("suite")
    suite = {"name": "shop", "oracles": [{"use": "rules", "files": "rules/*.yaml"}]}
    stored_run(base / "runs/first", some_talks(), judged, name="shop", suite=suite)
    later = some_talks(10, answer="another answer")
    stored_run(base / "runs/second", later, lambda trace: [verdict_of(trace)], name="shop")
    return base


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Indexes of the tests stay out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def first(folder: Path) -> StoredRun:
    return StoredRun(folder / "runs/first")
