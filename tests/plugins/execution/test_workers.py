"""Cases that workers play: the same as those of one process, once each, whatever happens."""

import shutil
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.core.engine.conftest import FAKES, Play

from sparring.engine.session import RunResult
from sparring.errors import ConfigurationError
from sparring.model.events import ModelCalled, TurnTaken
from sparring.model.run import Stop
from sparring.store import StoredRun
from sparring_plugins.execution import cluster_executor, worker_facts, workers
from sparring_plugins.execution.bundle import Bundle, bundle_of
from sparring_plugins.execution.dask_library import forget_task_keys, require_dask
from sparring_plugins.execution.shared_turns import AppTurns, AskTurn

from .conftest import Cluster, view


@pytest.fixture(autouse=True)
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts lie beside the suite, as users' own do."""
    shutil.copy(Path(__file__).parent / "parts.py", tmp_path / "worker_parts.py")
    monkeypatch.syspath_prepend(tmp_path)


def odd_suite(**app: Any) -> dict[str, Any]:
    return {
        "app": {"use": "worker_parts:App", **app},
        "agent": {"use": "worker_parts:Painter", "lines": ["hello", "bye"]},
        "oracles": [{"use": "worker_parts:Odd"}],
    }


def on(cluster: Cluster, **more: Any) -> dict[str, Any]:
    return {"use": "dask", "address": cluster.address, **more}


def events(done: RunResult, kind: Any) -> list[Any]:
    assert done.folder
    return [event for event in StoredRun(done.folder).events() if isinstance(event, kind)]


def test_verdicts_are_those_of_one_process(play: Play, cluster: Cluster, tmp_path: Path) -> None:
    local = play(cases=12, **odd_suite(crash=5))
    remote = play(cases=12, **odd_suite(crash=5), execution=on(cluster))
    assert view(remote) == view(local)
    assert remote.summary.exit_code == local.summary.exit_code == 1
    turns = [(event.case_id, event.index, event.turn.act) for event in events(remote, TurnTaken)]
    assert sorted(turns, key=str) == sorted(
        ((event.case_id, event.index, event.turn.act) for event in events(local, TurnTaken)),
        key=str,
    )
    assert remote.folder
    for judged in StoredRun(remote.folder).judged():
        for artifact in judged.trace.artifacts:
            text = (remote.folder / (artifact.path or "")).read_text()
            assert text == f"a picture of {judged.trace.case.params['n']}"


def test_a_stored_run_is_resumed_by_another_executor(play: Play, cluster: Cluster) -> None:
    first = play(cases=6, **odd_suite(), budget={"cases": 2}, execution=on(cluster))
    assert first.summary.stopped is Stop.BUDGET
    second = play(cases=6, resume=first.folder, **odd_suite(), execution="local")
    assert view(second) == view(play(cases=6, **odd_suite()))


def test_models_are_asked_by_the_run_and_held_to_its_budget(play: Play, cluster: Cluster) -> None:
    changes = odd_suite() | {
        "oracles": [{"use": "worker_parts:Asking"}],
        "llm": {"use": f"{FAKES}FakeLLM", "answers": {"*": "fine"}, "cost_usd": 0.25},
        "execution": on(cluster),
        "concurrency": 2,
    }
    done = play(cases=8, budget={"cost": 1}, **changes)
    calls = events(done, ModelCalled)
    assert done.summary.stopped is Stop.BUDGET
    assert {call.request.asker for call in calls} == {"judge"}
    assert 1 <= sum(call.reply.cost_usd for call in calls) <= 1 + 4 * 0.25  # four play at once
    assert done.summary.usage.cost_usd == sum(call.reply.cost_usd for call in calls)
    rest = play(cases=8, resume=done.folder, **changes)
    assert rest.summary.exit_code == 0
    assert len(events(rest, ModelCalled)) == 8  # what was paid for is not asked again
    assert len({call.request.case_id for call in events(rest, ModelCalled)}) == 8


def test_workers_that_lack_the_suite_get_it(
    play: Play, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(base_dir: Path, *rest: Any) -> Bundle:
        bundle = bundle_of(base_dir, *rest)
        return Bundle("/no/such/folder", bundle.suite, bundle.digests, bundle.contents)

    monkeypatch.setattr(cluster_executor, "bundle_of", elsewhere)
    assert view(play(**odd_suite(), execution=on(cluster))) == view(play(**odd_suite()))


def test_variables_are_the_workers_own(play: Play, cluster: Cluster, monkeypatch: Any) -> None:
    monkeypatch.setenv("WORKERS_OWN", "99")
    done = play(cases=1, **odd_suite(crash="${WORKERS_OWN}"), execution=on(cluster))
    assert done.summary.exit_code == 3  # case 0 crashed, as the worker's environment says
    execution = on(cluster, forward_env=["FORWARDED_NAME"])
    monkeypatch.setenv("FORWARDED_NAME", "0")
    done = play(cases=1, **odd_suite(crash="${FORWARDED_NAME}"), execution=execution)
    assert done.summary.exit_code == 3


def test_a_variable_that_a_worker_lacks_is_its_problem(
    play: Play, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONLY_HERE", "x")
    done = play(cases=1, **odd_suite(word="${ONLY_HERE}"), execution=on(cluster))
    assert done.summary.exit_code == 3
    assert done.folder
    (judged,) = StoredRun(done.folder).judged()
    assert "ONLY_HERE" in judged.verdicts[0].reason


def test_no_more_cases_of_an_app_at_once_than_its_limit(
    play: Play, cluster: Cluster, tmp_path: Path
) -> None:
    from sparring_plugins.execution.cases import AppLimits

    limits = AppLimits({"api.example.com": 2, "other": 1}, {"url": "https://api.example.com/x"})
    assert limits._hosts == ["api.example.com"]


@pytest.mark.parametrize("strategy", ["local", "dask"])
def test_a_strategy_that_learns_in_step_proposes_the_same(
    strategy: str, play: Play, cluster: Cluster, tmp_path: Path
) -> None:
    changes = odd_suite() | {"strategy": {"use": "worker_parts:Climber"}, "concurrency": 3}
    one = play(**changes, execution={"use": "local", "deterministic": True})
    execution = {**(on(cluster) if strategy == "dask" else {"use": "local"}), "deterministic": True}
    slow = changes | {"app": {"use": "worker_parts:App", "delay_s": 0.002}}
    assert [case[0] for case in view(play(**slow, execution=execution))[0]] == [
        case[0] for case in view(one)[0]
    ]


WRONG = {
    "no scheduler": ({"use": "dask", "address": "tcp://127.0.0.1:9", "connect_timeout_s": 0.5}, "cannot be reached"),
    "no address": ({"use": "dask", "address": "nonsense://x", "timeout_s": 1}, "cannot be reached"),
    "neither": ({"use": "dask"}, "say either 'address'"),
    "a bare host": ({"use": "dask", "address": "10.0.0.5"}, "write tcp://HOST:PORT"),
    "no certificates": ({"use": "dask", "address": "tls://127.0.0.1:9"}, "needs certificates"),
    "no class": ({"use": "dask", "cluster": "no.such:Cluster"}, "cannot be imported"),
    "no workers": ({"use": "processes", "workers": 0}, "workers"),
    "local workers": ({"use": "local", "workers": 2}, "use: processes"),
    "certificates": (
        {"use": "dask", "address": "tls://127.0.0.1:9", "tls": {"ca_file": "ca.pem", "cert_file": "c.pem"}},
        "there is no file ca.pem",
    ),
    "unset": ({"use": "local", "forward_env": ["X"], "limits": {"a": 0}}, "limits.a"),
    "misspelt": ({"use": "proceses"}, "processes"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_work_is_refused_before_anything_is_stored(
    name: str, play: Play, tmp_path: Path
) -> None:
    execution, message = WRONG[name]
    with pytest.raises(ConfigurationError, match=message):
        play(**odd_suite(), execution=execution)
    assert not (tmp_path / "runs").exists()


def test_a_server_of_another_kind_is_no_scheduler(play: Play) -> None:
    """What Dask reads of an HTTP answer is the length of a message of some exbibytes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_answer_as_http, args=(server,), daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConfigurationError, match="is no Dask scheduler"):
            play(**odd_suite(), execution={"use": "dask", "address": address})


def _answer_as_http(server: socket.socket) -> None:
    with suppress(OSError):  # the test is over
        while True:
            connection, _ = server.accept()
            connection.sendall(
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n" + b"." * 4096
            )


def test_a_variable_to_forward_must_be_set(play: Play, cluster: Cluster) -> None:
    with pytest.raises(ConfigurationError, match="NOT_SET_ANYWHERE"):
        play(**odd_suite(), execution=on(cluster, forward_env=["NOT_SET_ANYWHERE"]))


def test_versions_that_differ_name_both_sides(
    play: Play, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = worker_facts.describe_worker()
    other = {**facts, "python": "3.9", "plugins": {"sparring-extra": "1.0"}}
    monkeypatch.setattr(workers, "describe_here", lambda: other)
    with pytest.raises(ConfigurationError) as caught:
        play(**odd_suite(), execution=on(cluster))
    message = str(caught.value)
    assert f"Python {facts['python']} there, 3.9 here" in message
    assert "sparring-extra 1.0 is missing there" in message


class _Busy(BaseHTTPRequestHandler):
    """Takes `most` requests in each `window_s` and refuses the others, naming the time."""

    most, window_s, refused_first = 8, 0.5, 4
    lock = threading.Lock()
    window = (0.0, 0)
    refused = answered = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        kind = type(self)
        with kind.lock:
            now = time.monotonic()
            began, count = kind.window
            if now - began >= self.window_s:
                began, count = now, 0
            # The first ones always: a busy machine may send fewer in half a second than it takes.
            is_free = count < self.most and kind.answered + kind.refused >= self.refused_first
            kind.window = (began, count + is_free)
            kind.answered += is_free
            kind.refused += not is_free
            wait_s = began + self.window_s - now
        body = b'{"text": "fine"}' if is_free else b"{}"
        self.send_response(200 if is_free else 429)
        if not is_free:
            self.send_header("Retry-After", f"{max(wait_s, 0.01):.2f}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.mark.thorough
def test_an_app_that_refuses_one_worker_is_left_alone_by_all(
    play: Play, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking: set[str] = set()
    ask = AppTurns.ask

    async def noted(self: AppTurns, question: AskTurn) -> None:
        asking.add(question.worker)
        await ask(self, question)

    monkeypatch.setattr(AppTurns, "ask", noted)

    class Busy(_Busy):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = play(
            cases=40,
            app={
                "use": "rest",
                "url": f"http://127.0.0.1:{server.server_port}",
                "reply": {"text": "$.text"},
            },
            agent={"use": f"{FAKES}FakePlayer", "lines": ["hello"]},
            oracles=["generic-failures"],
            concurrency=8,
            execution=on(cluster),
        )
        server.shutdown()
    assert done.summary.exit_code == 0, done.summary
    assert Busy.answered == 40
    assert len(asking) == 2  # both workers wait for their turns with the run
    assert Busy.refused <= 24  # as many as are refused before all know, and a few while it learns


def test_names_of_tasks_are_not_remembered_for_ever(
    play: Play, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[int] = []
    monkeypatch.setattr(workers, "_REMEMBERED", 5)
    monkeypatch.setattr(workers, "forget_task_keys", lambda: forgotten.append(1))
    play(cases=20, **odd_suite(), execution=on(cluster))
    assert len(forgotten) >= 4


def test_names_that_dask_remembers_are_forgotten() -> None:
    from dask.utils import key_split

    key_split("sparring-case-1")
    assert key_split.cache_info().currsize
    forget_task_keys()
    assert not key_split.cache_info().currsize


def test_dask_keeps_few_of_the_messages_that_are_over() -> None:
    from dask import config

    require_dask({"scheduler.worker-ttl": "61s"})
    for key, most in (("admin.low-level-log-length", 20), ("scheduler.worker-ttl", "61s")):
        assert config.get(f"distributed.{key}") == most
