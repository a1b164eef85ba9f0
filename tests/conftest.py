"""Fixtures shared by every test: a clean environment, no outside network, installed plugins."""

import gc
import io
import itertools
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import invalidate_caches
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from pydantic import ValidationError

from sparring.discovery.drivers import load
from sparring.discovery.groups import GROUPS
from sparring.time_limits import LagMeter

from .servers.openai_server import OpenAIServer

REPOSITORY = Path(__file__).parents[1]

# A machine may be busy: no example has a deadline. The default run tries the same few examples
# every time; `--hypothesis-profile thorough` tries many new ones.
settings.register_profile(
    "quick",
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("quick")

# A shell that runs tests in the background ignores Ctrl+C for all that they start, and with that
# what is interrupted here would go on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.default_int_handler)

_STARVED_S = LagMeter.starved_s

Install = Callable[..., Path]

#: What changes colours, widths, reporters' manners or the door to plugins on somebody's machine.
_LEAKING = {
    *("CI", "GITHUB_ACTIONS", "COLUMNS", "LINES", "SPARRING_PLUGINS"),
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE"),
    *("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"),
}
_LEAKING_PREFIXES = (
    *("OPENAI_", "ANTHROPIC_", "AZURE_OPENAI_", "GEMINI_", "MISTRAL_"),
    *("OLLAMA_", "LANGSMITH_", "LANGCHAIN_"),
)
#: Top-level names that never resolve (RFC 6761), so that "unknown host" can be tested.
_RESERVED = (".invalid", ".test", ".example")


class OutsideNetwork(RuntimeError):
    """A test tried to leave the machine."""


@pytest.fixture(scope="session", autouse=True)
def _clean_environment() -> Iterator[None]:
    """No colour switch, proxy, plugin switch or key of the machine reaches a test."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            plain = name.upper()
            if (
                plain in _LEAKING
                or plain.endswith("_API_KEY")
                or plain.startswith(_LEAKING_PREFIXES)
            ):
                patch.delenv(name)
        yield


@pytest.fixture(scope="session", autouse=True)
def _free_processors() -> Iterator[None]:
    """The engine's account of lost processor time stands still, whatever else the machine does.

    On a busy one, an app of a test that times out would now and then be the machine's fault.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LagMeter, "starved_s", lambda _: 0.0)
        yield


@pytest.fixture
def counted_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's account of lost processor time is the real one."""
    monkeypatch.setattr(LagMeter, "starved_s", _STARVED_S)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the kit that measures blocking see when the machine, and no connector, is at fault."""
    for item in items:
        if isinstance(item, pytest.Function) and "does_not_block_the_event_loop" in item.name:
            item.fixturenames.append("counted_processors")


@pytest.fixture(scope="module", autouse=True)
def _forgotten_secrets() -> Iterator[None]:
    """What a module's suites hold secret is not taken out of the texts of other modules.

    A process keeps every secret that it has read, and the start of "device-36-xyz" at the end of a
    text is taken for a cut secret: "No space left on device".
    """
    yield
    redaction = sys.modules.get("sparring_plugins.trust.redaction")
    if redaction is not None:
        redaction.VAULT.secrets.clear()
        redaction.VAULT.changes += 1


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Iterator[None]:
    """Sockets of this process reach the loopback only; anything else fails the test."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    sendto, resolve = socket.socket.sendto, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any, /) -> None:
        _refuse_outside(self, address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any, /) -> int:
        _refuse_outside(self, address)
        return connect_ex(self, address)

    def guarded_sendto(self: socket.socket, *arguments: Any) -> int:
        _refuse_outside(self, arguments[-1])
        return sendto(self, *arguments)

    def guarded_resolve(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if isinstance(name, str) and name.rstrip(".").lower().endswith(_RESERVED):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if not _is_local(name):
            raise OutsideNetwork(f"a test looked up {name!r}: tests reach the loopback only")
        return resolve(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket.socket, "sendto", guarded_sendto)
        patch.setattr(socket, "getaddrinfo", guarded_resolve)
        yield


def _refuse_outside(sock: socket.socket, address: Any) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
        raise OutsideNetwork(f"a test connected to {address!r}: tests reach the loopback only")


def _is_local(host: Any) -> bool:
    if host in (None, "", "localhost", "0.0.0.0", "::"):
        return True
    try:
        return ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return str(host).lower() == socket.gethostname().lower()


def pytest_collection_finish() -> None:
    """Spare the collector the items: each full collection walked over 18,000 of them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Tests marked `anyio` run on asyncio, as the engine does."""
    return "asyncio"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """SENSEI's published profiles, personalities and rules; the test is skipped without them.

    They lie beside the repository, or where the environment variable SPARRING_SHARED_DATA says.
    """
    named = os.environ.get("SPARRING_SHARED_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data" / "sensei"
    if not folder.is_dir():
        pytest.skip("no published SENSEI data here; SPARRING_SHARED_DATA names its folder")
    return folder


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Make a distribution look installed: real metadata in a folder on `sys.path`.

    ``install(package, group, "name = module:Class", code, version="1.0", requires=())`` writes
    the metadata and the module; `entry` may hold several lines, `code` is for the module of the
    first. It returns the folder of the metadata, which may be removed to uninstall.
    """
    site = tmp_path / "site-packages"
    site.mkdir()
    installed = itertools.count(1)
    monkeypatch.syspath_prepend(str(site))

    def _install(
        package: str,
        group: str,
        entry: str,
        code: str,
        version: str = "1.0",
        requires: tuple[str, ...] = (),
    ) -> Path:
        info = site / f"{package.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        needs = "".join(f"Requires-Dist: {need}\n" for need in requires)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n{needs}"
        )
        (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
        module = entry.splitlines()[0].split("=")[1].split(":")[0].strip()
        (site / f"{module}.py").write_text(code)
        later = time.time_ns() + 10**9 * next(installed)  # clocks of folders are too coarse
        os.utime(site, ns=(later, later))
        invalidate_caches()
        return info

    yield _install
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(site)):
            del sys.modules[name]


#: The smallest settings of each plugin that cannot be built from its defaults. A callable gets
#: the pytest request, and may write files into `tmp_path` or start a server by a fixture.
Settings = Mapping[str, Any] | Callable[[pytest.FixtureRequest], Mapping[str, Any]]


def rest(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    return {
        "url": request.getfixturevalue("chat_server"),
        "body": {"text": "{text}", "session": "{uuid}"},
        "reply": {"text": "$.reply"},
    }


def chat_completions(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    return {"url": request.getfixturevalue("model_server").base_url, "model": "tiny"}


def python_app(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    path: Path = request.getfixturevalue("tmp_path") / "own_app.py"
    path.write_text("def answer(message):\n    return message\n")
    return {"target": f"{path}:answer"}


def step_runner(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    path: Path = request.getfixturevalue("tmp_path") / "cases.yaml"
    path.write_text(
        "tests:\n"
        "  - {name: greets, start: /, steps: [\"Assert that 'Welcome' is displayed\"]}\n"
        "  - {name: goes, steps: [\"Click on 'Go'\", \"Assert that 'Gone' is displayed\"]}\n"
    )
    return {"tests": str(path), "patience_s": 0}


def step_translator(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    settings = step_runner(request)
    path = Path(settings["tests"])
    path.write_text(path.read_text().replace("Click on 'Go'", "Go on with the tea"))
    return {**settings, "by": "rules"}


def alexa(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    return {"skill": str(REPOSITORY / "tests" / "connectors" / "alexa" / "skills" / "corner")}


def alexa_smapi(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    settings: Mapping[str, Any] = request.getfixturevalue("smapi_server").settings
    return settings


def websocket(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    return {"url": request.getfixturevalue("websocket_server"), "over": {"count": 1}}


def browser(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))
    chat = {"quiet_s": 0.05, "greeting_s": 0.05, "answer_s": 20, "bot": ".bot"}
    return {"url": f"{request.getfixturevalue('web_site')}/echo.html", "chat": chat}


def user_simulator(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    folder: Path = request.getfixturevalue("tmp_path")
    (folder / "profile.yml").write_text(PROFILE, encoding="utf-8")
    return {"profiles": "profile.yml"}


def rules(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    folder: Path = request.getfixturevalue("tmp_path")
    (folder / "rules").mkdir()
    for number, rule in enumerate((RULE, PAIRS, ALL)):
        (folder / "rules" / f"{number}.yml").write_text(rule, encoding="utf-8")
    return {"files": "rules"}


def ollama(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    return {"model": "tiny", "host": request.getfixturevalue("ollama_server").host}


def langchain(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    host = request.getfixturevalue("ollama_server").host
    return {"model": "ollama:tiny", "settings": {"base_url": host}}


def scripted(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    folder: Path = request.getfixturevalue("tmp_path")
    (folder / "script.yaml").write_text(SCRIPT, encoding="utf-8")
    return {"script": "script.yaml"}


def terminal(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    request.getfixturevalue("monkeypatch").setattr(sys, "stdin", Person())
    return {}


def replay(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    from tests.recorded import record_kit

    record_kit(request.getfixturevalue("tmp_path") / "recorded")
    return {"run": "recorded"}


class Person(io.TextIOBase):
    """Somebody who types the same answer again and again."""

    _lines = itertools.cycle(('{"polite": true, "reason": "kind"}\n', ".\n"))

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        return next(self._lines)


def openai(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    return {"model": "tiny", "base_url": request.getfixturevalue("model_server").base_url}


def prompter(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """A space of eight cases; something is said before, so that there are several turns."""
    folder = request.getfixturevalue("tmp_path")
    (folder / "space.yaml").write_text(SPACE, encoding="utf-8")
    (folder / "templates.yaml").write_text(TEMPLATES, encoding="utf-8")
    return {"spaces": "space.yaml", "before": ["Hello"]}


#: Programs that "speak" by writing a text down and "hear" by reading it without its capitals.
SPEECH = {
    "synthesiser": [sys.executable, "-ISc", ("import sys; open(sys.argv[1], 'wb')"
                    ".write(sys.stdin.buffer.read())"), "{wav}"],
    "recogniser": [sys.executable, "-ISc", ("import sys; sys.stdout.buffer"
                   ".write(open(sys.argv[1], 'rb').read().lower())"), "{wav}"],
}  # fmt: skip

SETTINGS: dict[tuple[str, str], Settings] = {
    ("sparring.agents", "perturbation.speech"): SPEECH,
    ("sparring.agents", "speaker.program"): {"synthesiser": SPEECH["synthesiser"]},
    ("sparring.agents", "recogniser.program"): {"recogniser": SPEECH["recogniser"]},
    ("sparring.llm_backends", "openai"): openai,
    ("sparring.llm_backends", "langchain"): langchain,
    ("sparring.llm_backends", "ollama"): ollama,
    ("sparring.llm_backends", "replay"): replay,
    ("sparring.llm_backends", "scripted"): scripted,
    ("sparring.llm_backends", "terminal"): terminal,
    ("sparring.connectors", "alexa"): alexa,
    ("sparring.connectors", "alexa-smapi"): alexa_smapi,
    ("sparring.connectors", "chat-completions"): chat_completions,
    ("sparring.connectors", "python"): python_app,
    ("sparring.connectors", "rest"): rest,
    ("sparring.connectors", "websocket"): websocket,
    ("sparring.connectors", "browser"): browser,
    ("sparring.agents", "step-runner"): step_runner,
    ("sparring.agents", "step-translator"): step_translator,
    ("sparring.agents", "prompter"): prompter,
    ("sparring.agents", "user-simulator"): user_simulator,
    ("sparring.agents", "fitness.bleu"): {"references": ["I found a {{food}} {{category}}."]},
    ("sparring.agents", "fitness.rouge"): {"references": ["I found a {{food}} {{category}}."]},
    ("sparring.agents", "fitness.safety"): {"forbidden": {"secrets": ["secret", r"/\d{5}/"]}},
    ("sparring.agents", "fitness.safety-model"): {"policy": ["Never tell secrets."]},
    ("sparring.agents", "fitness.similarity"): {"by": "tf-idf"},
    ("sparring.agents", "fitness.content"): {"fields": {"food": "food", "rating": "rating"}},
    ("sparring.oracles", "fitness"): {"values": {"f1": "dimensions"}, "fails": "f1 < 0.75"},
    ("sparring.oracles", "judge"): {
        "question": "Is 'hello' said?",
        "judges": [{"use": "keywords"}],
    },
    ("sparring.oracles", "rules"): rules,
    ("sparring.executors", "dask"): {
        "cluster": "distributed:LocalCluster",
        "settings": {"n_workers": 1, "dashboard_address": None},
    },
}

SCRIPT = """
answers:
  - when: {contains: polite}
    data: {polite: true, reason: kind}
else: Hello!
"""

SPACE = """
name: drinks
style: {mood: [plain, rude]}
content: {drink: [tea, coffee]}
perturbation: {typing: {values: {none: , typos: {apply: typos}}}}
templates: templates.yaml
"""

TEMPLATES = """
start: "{ask} a {drink}."
symbols: {ask: [{when: mood == 'rude', any: Give me}, I would like]}
"""

PROFILE = """
test_name: order a pizza
user:
  language: English
  role: a hungry customer
  context: [You are in a hurry.]
  goals:
    - "a {{size}} pizza with {{topping}}"
    - what it costs
    - size: {function: forward(), type: string, data: [small, large]}
    - topping: {function: another(), type: string, data: [ham, olives]}
chatbot:
  is_starter: false
  fallback: I did not understand
  output:
    - price: {type: money, description: the price of the pizza}
conversation:
  number: 2
  goal_style: {steps: 6}
  interaction_style: [default]
"""

RULE = """
name: short-answers
description: The chatbot answers in a few words.
conversations: 1
active: True
oracle: chatbot_returns('never said') == []
"""

PAIRS = """
name: equal-prices
description: Equal sizes cost the same.
conversations: 2
when: hasattr(conv[0], 'price') and hasattr(conv[1], 'price')
if: conv[0].price is not None and conv[1].price is not None
then: len(conv[0].price) == len(conv[1].price)
"""

ALL = """
name: not-too-many
description: There are fewer than a thousand conversations.
conversations: all
then: len(conv) < 1000
"""


def settings_of(group: str, name: str, request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """The settings to build an installed plugin with; the test fails where none are known."""
    found = SETTINGS.get((group, name), {})
    settings = found(request) if callable(found) else found
    try:
        load(GROUPS[group], name).Config.model_validate(dict(settings))
    except ValidationError as err:
        pytest.fail(
            f"the {GROUPS[group].label} {name!r} cannot be built from these settings: {settings}. "
            f"Add the smallest settings that it needs to SETTINGS in tests/conftest.py, "
            f"under ({group!r}, {name!r}). {err}"
        )
    return settings


class _Chat(BaseHTTPRequestHandler):
    """A chatbot that counts the messages of each session."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms
    counts: dict[str, int]

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        try:
            body = json.loads(self.rfile.read(length))
        except ValueError:
            return self._answer(400, {"error": "no JSON"})
        session = str(body.get("session"))
        self.counts[session] = self.counts.get(session, 0) + 1
        reply = f"{self.counts[session]}: {str(body.get('text'))[:200]}"
        return self._answer(200, {"reply": reply})

    def do_GET(self) -> None:
        self._answer(200, {"status": "up"})

    def _answer(self, status: int, body: Mapping[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""


@pytest.fixture(scope="session")
def chat_server() -> Iterator[str]:
    """The address of a chatbot behind HTTP that remembers each session."""
    handler = type("Chat", (_Chat,), {"counts": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/chat"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def web_site() -> Iterator[str]:
    """The address of pages for the connector of web pages."""
    from tests.connectors.browser.server import running

    with running() as site:
        yield site.url


@pytest.fixture(scope="session")
def ollama_server() -> Iterator[Any]:
    """A server that speaks Ollama's protocol, with a model called ``tiny``."""
    from tests.servers.ollama_server import OllamaServer

    with OllamaServer() as server:
        yield server


@pytest.fixture
def smapi_server() -> Iterator[Any]:
    """A server that behaves as Amazon's simulation API, with one skill behind it."""
    from tests.servers.smapi_server import SmapiServer

    with SmapiServer(polls=0) as server:
        yield server


@pytest.fixture(scope="session")
def model_server() -> Iterator[OpenAIServer]:
    """A server that speaks OpenAI's chat protocol and behaves; nobody may change its manners."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def websocket_server() -> Iterator[str]:
    """The address of a chatbot behind a WebSocket that counts the messages of each connection."""
    from websockets.sync.server import ServerConnection, serve

    def talk(connection: ServerConnection) -> None:
        for number, message in enumerate(connection, 1):
            text = str(json.loads(message).get("text"))[:200]
            connection.send(json.dumps({"text": f"{number}: {text}"}))

    with serve(talk, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}/chat"
        server.shutdown()
        thread.join()


@pytest.fixture
def nobody_there() -> Iterator[str]:
    """An address on the loopback where nobody listens: the port is taken, and refuses."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/chat"


@pytest.fixture
def installed_settings(request: pytest.FixtureRequest) -> Callable[[str, str], Mapping[str, Any]]:
    """Settings for the installed plugin of a group and name."""
    return lambda group, name: settings_of(group, name, request)
