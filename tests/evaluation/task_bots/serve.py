"""Serve one of the task bots over HTTP: `python serve.py BOT PORT` (BUGS=1 for the bot with its bug).

`POST /chat {"session", "text"}` answers a message (an empty text greets), `GET /state` is what the
bot has stored, for judging only.
"""

import importlib
import json
import os
import sys
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))


def main() -> None:
    module = importlib.import_module(f"tests.evaluation.task_bots.{sys.argv[1]}.bot")
    bots: dict[str, Any] = {}

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def reply(self, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            state: dict[str, Any] = {}
            for session, bot in bots.items():
                for table, rows in bot.state.items():
                    state.setdefault(table, []).extend({"session": session, **row} for row in rows)
            self.reply(state)

        def do_POST(self) -> None:
            data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not data["text"].strip():
                bots[data["session"]] = module.Bot(bugs=os.environ.get("BUGS") == "1")
                buttons = getattr(module.Bot, "buttons", [])
                self.reply({"messages": [module.Bot.greeting], "buttons": buttons, "ended": False})
                return
            self.reply(asdict(bots[data["session"]].answer(data["text"])))

    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()


if __name__ == "__main__":
    main()
