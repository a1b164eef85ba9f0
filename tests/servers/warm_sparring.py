"""The program ``sparring`` in processes forked from one that has imported it already.

Each call is a process of its own, with its own folder, environment, output and exit code; only the
interpreter's start and the imports, the larger part of a short run, are done once. Tests use
``with WarmSparring(environment) as sparring:``. Run as a script it reads a call per line from
standard input, and writes for each the number of its process and, at its end, its exit code.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

#: What most commands import sooner or later.
_NEEDED = (
    *(
        "sparring_plugins.project.run_command",
        "sparring_plugins.reporting.stored_run_commands",
        "sparring_plugins.judging.check_command",
        "sparring_plugins.reporting.stored_run_commands",
    ),
    *(
        "sparring_plugins.project.installation_commands",
        "sparring_plugins.project.suite_commands",
        "sparring.engine.conduct",
    ),
    *("sparring_plugins.users.player", "sparring_plugins.users.agenda.agents"),
    *("sparring_plugins.rules.oracle", "sparring_plugins.reporting.html.reporter"),
    *("sparring_connectors.rest.connector", "jinja2", "httpx2"),
)


class WarmSparring:
    """The process that is forked, while it is entered; `started` are the processes it made."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self.started: list[int] = []

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # closes its standard input

    def run(self, words: Sequence[str], folder: Path, output: Path, patience_s: int) -> int:
        """The exit code of a command line; what it prints is in the file `output`."""
        asked = {"words": words, "folder": str(folder), "output": str(output)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({**asked, "patience_s": patience_s}) + "\n")
        self._process.stdin.flush()
        self.started.append(int(self._process.stdout.readline()))
        return int(self._process.stdout.readline())


def serve() -> None:
    """Fork for each line of standard input."""
    calls, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    for name in _NEEDED:
        import_module(name)
    for line in calls:
        child = os.fork()
        if not child:
            _play(json.loads(line))
        answers.write(f"{child}\n")
        answers.flush()
        _, status = os.waitpid(child, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


def _play(asked: Mapping[str, Any]) -> None:
    """Be the program in this process, and end."""
    from sparring.cli.app import main

    os.setsid()
    signal.alarm(asked["patience_s"])
    os.chdir(asked["folder"])
    output = os.open(asked["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdin = os.fdopen(0)
    sys.argv[:] = ["sparring", *asked["words"]]
    main()


if __name__ == "__main__":
    serve()
