"""Local apps that give the answers of `generated_answers`, one door each, and runs against them."""

import html
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from .generated_answers import body, skill_response, text

LINES = 5
"""Messages of one conversation."""

_WRAPPER = """
import sys
from sparring.cli.app import invoke
code = invoke(["run", "suite.yaml", "--set", "runs=runs"])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
open("peak.txt", "w").write(peak.split()[1])
sys.exit(code)
"""
"""Runs the suite, and notes the peak of its own memory in KiB."""


class Served:
    """How many answers an app has given."""

    def __init__(self) -> None:
        self.count = 0

    def next(self, said: str) -> int:
        """The number of the answer to a text such as ``answer 12-3``."""
        self.count += 1
        named = re.search(r"(\d+)-(\d+)", said)
        return int(named[1]) * LINES + int(named[2]) if named else self.count


@contextmanager
def rest_app(served: Served) -> Iterator[str]:
    """An HTTP server; ``GET /`` is a page with a chat, whose answers come as markup."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._send(_PAGE.encode(), [("Content-Type", "text/html; charset=utf-8")])

        def do_POST(self) -> None:
            said = self.rfile.read(int(self.headers["Content-Length"])).decode()
            number = served.next(said)
            if self.path == "/markup":
                marked = number % 2
                answer = text(number)[:20_000]
                answer = answer if marked else html.escape(answer)
                self._send(answer.encode("utf-8", "replace"), [("Content-Type", "text/html")])
            else:
                self._send(*body(number))

        def _send(self, data: bytes, headers: list[tuple[str, str]]) -> None:
            self.send_response(200)
            for name, value in (*headers, ("Content-Length", str(len(data)))):
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


_PAGE = """<!doctype html><meta charset="utf-8"><title>Chat</title>
<div id="log" role="log"></div><textarea id="say"></textarea><button id="send">Send</button>
<script>
send.onclick = async () => {
  const said = say.value; say.value = "";
  const own = document.createElement("p"); own.textContent = said; log.append(own);
  const answer = await (await fetch("/markup", {method: "POST", body: said})).text();
  const bot = document.createElement("div"); bot.className = "bot"; bot.innerHTML = answer;
  log.append(bot);
};
</script>"""


@contextmanager
def websocket_app(served: Served) -> Iterator[str]:
    """A WebSocket server in a thread."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.server import serve

    def talk(connection: Any) -> None:
        with suppress(ConnectionClosed):
            for said in connection:
                data, _ = body(served.next(str(said)))
                readable = data.decode("utf-8", "replace")
                connection.send(data if served.count % 3 == 0 else readable)

    with serve(talk, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}/"
        server.shutdown()
        thread.join()


def write_skill(folder: Path, cases: int) -> None:
    """A skill in Python that returns the answers of a file one after the other."""
    (folder / "skill" / "lambda").mkdir(parents=True)
    (folder / "skill" / "models").mkdir()
    answers = [skill_response(number) for number in range(cases * LINES)]
    (folder / "skill" / "lambda" / "answers.json").write_text(json.dumps(answers))
    (folder / "skill" / "lambda" / "lambda_function.py").write_text(
        "import json, pathlib, re\n"
        "answers = json.loads((pathlib.Path(__file__).parent / 'answers.json').read_text())\n"
        "count = -1\n"
        "def lambda_handler(event, context):\n"
        "    global count\n"
        "    count += 1\n"
        "    return answers[count % len(answers)]\n"
    )
    model = {
        "languageModel": {
            "invocationName": "corner shop",
            "intents": [
                {"name": "AMAZON.StopIntent"},
                {"name": "AMAZON.HelpIntent"},
                {"name": "OrderIntent", "samples": ["answer", "order", "tell me more"]},
            ],
        }
    }
    (folder / "skill" / "models" / "en-US.json").write_text(json.dumps({"interactionModel": model}))


def app_settings(door: str, url: str) -> dict[str, Any]:
    """The key `app` of a suite for a door."""
    reply = {"text": "$.reply", "choices": "$.buttons[*]", "payload": "$"}
    return {
        "rest": {"use": "rest", "url": url, "body": {"text": "{text}"}, "reply": reply},
        "websocket": {
            "use": "websocket",
            "url": url,
            "body": {"text": "{text}"},
            "reply": reply,
            "over": {"count": 1},
        },
        "page": {
            "use": "browser",
            "url": url,
            "chat": {"input": "#say", "send": "#send", "bot": "#log .bot", "quiet_s": 0.2},
        },
        "skill": {"use": "alexa", "skill": "./skill"},
    }[door]


def suite(door: str, url: str, cases: int) -> dict[str, Any]:
    """The suite: so many conversations of `LINES` messages, all rules and reporters."""
    spoken = [f"answer {{nr}}-{line}" for line in range(LINES)]
    if door == "skill":
        spoken = ["open corner shop", "order", "tell me more", "answer", "order"]
    numbers = {"name": "nr", "domain": list(range(cases))}
    return {
        "name": "generated",
        "app": app_settings(door, url),
        "agent": {
            "use": "sparring.testing.fakes.agents:FakePlayer",
            "lines": spoken,
            "space": {"scenarios": [{"name": "talk", "variables": [numbers]}]},
        },
        "strategy": {"use": "exhaustive"},
        "oracles": [
            "generic-failures",
            {"use": "rules", "libraries": ["general", "manners"]},
            {"use": "rules", "name": "own", "files": "rules.yaml"},
        ],
        "reporters": ["console", "html", "junit", "csv", "jsonl"],
        "budget": {"unreachable": None},
    }


RULES = """
name: texts
oracle: extract_float(chatbot_phrases[-1]) == 17 and debris(chatbot_phrases) == []
yields: f'{chatbot_phrases} {payloads} {choices}'
"""


def run(folder: Path, door: str, url: str, cases: int, patience: float) -> tuple[Any, float]:
    """Run the suite; returns how the program ended, and the peak of its memory in MiB."""
    (folder / "rules.yaml").write_text(RULES)
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite(door, url, cases)))
    done = subprocess.run(
        [sys.executable, "-c", _WRAPPER],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=patience,
    )
    peak = folder / "peak.txt"
    return done, int(peak.read_text()) / 1024 if peak.exists() else 0.0
