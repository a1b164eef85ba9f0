"""The server of an example as a process, and requests to it."""

import http.client
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"


@contextmanager
def serving(example: str, *options: str) -> Iterator[str]:
    """The address of the server of an example, which must stop cleanly in the end."""
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLES / example / "server.py"), "--port", "0", *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    try:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], 60)
        assert ready, "the server said nothing for 60 seconds"
        said = process.stdout.readline()
        assert said.startswith("Listening on http://"), said
        yield said.split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0, "the server does not stop cleanly"


def ask(url: str, method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
    """The status and the JSON of an answer, {} where it has none."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=120)
    connection.request(method, path, body)
    reply = connection.getresponse()
    data = reply.read()
    connection.close()
    return reply.status, json.loads(data or b"{}")
