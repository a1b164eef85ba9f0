"""A server on the loopback that behaves as Amazon's simulation API and its login do.

``with SmapiServer() as server:`` and then `server.url`, `server.faults`, `server.requests`. The
skill behind it greets, counts words, ends at "stop", and understands nothing else that has
"nonsense" in it. Tests import it with ``from tests.servers.smapi_server import SmapiServer``.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs

SKILL = "amzn1.ask.skill.00000000-0000-0000-0000-000000000001"
NOT_RESOLVED = (
    "This utterance did not resolve to any intent in your skill. Please invoke your skill and try "
    "again."
)


class SmapiServer:
    """The server, in threads of its own while it is entered.

    `polls` is how often a result is still in progress; `faults` are statuses of the coming calls
    that start a simulation, one each (200 for none); `failure` is the message with which
    simulations fail; `expires` forgets results at once; `busy` refuses as many starts with 409.
    """

    def __init__(self, *, polls: int = 1) -> None:
        self.polls = polls
        self.faults: list[int] = []
        self.failure: str | None = None
        self.expires = False
        self.busy = 0
        self.requests: list[tuple[str, str, Any]] = []
        self.tokens = 0
        self.at_once = 0
        self.most_at_once = 0
        self._simulations: dict[str, dict[str, Any]] = {}
        self._turn: int | None = None
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}
        )

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the connector for the skill here."""
        return {
            "skill_id": SKILL,
            "name": "word counter",
            "client_id": "client",
            "client_secret": "secret",
            "refresh_token": "refresh",
            "endpoint": self.url,
            "auth_endpoint": self.url,
            "poll_s": 0.01,
            "busy_s": 2,
            "timeout_s": 5,
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def login(self, form: dict[str, list[str]]) -> tuple[int, Any]:
        if form.get("refresh_token") != ["refresh"] or form.get("client_id") != ["client"]:
            return 400, {"error": "invalid_grant", "error_description": "unknown"}
        self.tokens += 1
        return 200, {
            "access_token": "Atza|token",
            "expires_in": 3600,
            "token_type": "bearer",
            "scope": "alexa::ask:skills:test",
        }

    def start(self, skill: str, body: Any) -> tuple[int, Any]:
        with self._lock:
            if skill != SKILL:
                return 404, {"message": f"Skill not found for skillId {skill}"}
            if self.faults and (status := self.faults.pop(0)) != 200:
                extra = {"violations": [{"message": "input is wrong"}]} if status == 400 else {}
                return status, {"message": f"refused with {status}", **extra}
            if self.busy:
                self.busy -= 1
                return 409, {"message": "Simulation in progress."}
            running = [item for item in self._simulations.values() if item["left"] > 0]
            if running:
                return 409, {"message": "Simulation in progress."}
            name = f"sim-{len(self._simulations) + 1}"
            fresh = (body.get("session") or {}).get("mode") == "FORCE_NEW_SESSION"
            self._simulations[name] = {
                "left": self.polls,
                "result": self._played(body["input"]["content"], fresh=fresh),
            }
            return 200, {"id": name, "status": "IN_PROGRESS"}

    def fetch(self, name: str) -> tuple[int, Any]:
        with self._lock:
            known = self._simulations.get(name)
            if known is None or self.expires:
                return 404, {"message": f"Simulation {name} not found"}
            if known["left"] > 0:
                known["left"] -= 1
                return 200, {"id": name, "status": "IN_PROGRESS", "result": None}
            failed = "error" in known["result"]
            status = "FAILED" if failed else "SUCCESSFUL"
            return 200, {"id": name, "status": status, "result": known["result"]}

    def _played(self, said: str, *, fresh: bool) -> dict[str, Any]:
        if self.failure is not None:
            return {"error": {"message": self.failure}}
        if fresh:
            self._turn = None
        opens = said.startswith("open ")
        if "nonsense" in said or (self._turn is None and not opens and said != "exit"):
            self._turn = None
            return {"error": {"message": NOT_RESOLVED}}
        if said == "exit":
            self._turn = None
            return _result("", {"type": "SessionEndedRequest", "reason": "USER_INITIATED"}, None)
        self._turn = 0 if opens else (self._turn or 0) + 1
        ends = said == "stop"
        heard = "Goodbye." if ends else "Welcome." if opens else f"{self._turn}: {said[:200]}"
        if ends:
            self._turn = None
        return _result(heard, {"type": "IntentRequest"}, ends)


def _result(heard: str, request: dict[str, Any], ends: bool | None) -> dict[str, Any]:
    response: dict[str, Any] = {"shouldEndSession": ends} if ends is not None else {}
    if heard:
        response["outputSpeech"] = {"type": "PlainText", "text": heard}
    return {
        "alexaExecutionInfo": {
            "alexaResponses": [{"type": "Speech", "content": {"caption": heard}}] if heard else [],
            "consideredIntents": [{"name": "CountIntent", "confirmationStatus": "NONE"}],
        },
        "skillExecutionInfo": {
            "invocations": [
                {
                    "invocationRequest": {
                        "endpoint": "arn:aws:lambda:us-east-1:000000000000:function:count",
                        "body": {"version": "1.0", "request": request},
                    },
                    "invocationResponse": {"body": {"version": "1.0", "response": response}},
                    "metrics": {"skillExecutionTimeInMilliseconds": 12},
                }
            ]
        },
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms
    owner: SmapiServer

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/auth/O2/token":
            self._answer(*self.owner.login(parse_qs(data.decode())))
            return
        body = json.loads(data)
        self.owner.requests.append(("POST", self.path, body))
        match = re.fullmatch(
            r"/v2/skills/([^/]+)/stages/(?:development|live)/simulations", self.path
        )
        if match is None:
            self._answer(404, {"message": "no such path"})
        elif self._may():
            self._answer(*self.owner.start(match[1], body))

    def do_GET(self) -> None:
        self.owner.requests.append(("GET", self.path, None))
        if self._may():
            self._answer(*self.owner.fetch(self.path.rpartition("/")[2]))

    def _may(self) -> bool:
        if self.headers.get("Authorization") == "Bearer Atza|token":
            return True
        self._answer(401, {"message": "Token is invalid/expired"})
        return False

    def _answer(self, status: int, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""
