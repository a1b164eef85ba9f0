"""The program as a hostile file or app meets it: a process of its own, watched from outside."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from sparring.cli.app import invoke

from .hostile_app import HostileApp

_spec = spec_from_file_location(
    "browser_conftest", Path(__file__).parents[1] / "browser" / "conftest.py"
)
assert _spec is not None
assert _spec.loader is not None
_browser = module_from_spec(_spec)
_spec.loader.exec_module(_browser)
chromium = _browser.chromium

Program = Callable[..., "Done"]

SANE = frozenset({0, 1, 2, 3, 4, 5, 7})
"""The exit codes that promise something."""


class Done:
    """How the program ended, and everything that it said."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err, self.said = code, out, err, out + err

    @classmethod
    def of(cls, done: "subprocess.CompletedProcess[bytes]") -> "Done":
        return cls(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    def check(self) -> "Done":
        """Whatever it was given: no traceback, a code that means something, no escape byte."""
        assert "Traceback" not in self.err, self.err[-3000:]
        assert self.code in SANE, (self.code, self.err[-1000:])
        steering = [c for c in self.said if c != "\n" and not c.isprintable() and c != "\t"]
        assert not steering, (steering[:5], self.said[-500:])
        return self


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Run ``sparring`` in `tmp_path` with little memory; what it said is checked.

    `file_limit` is the size in bytes that no file may exceed, as on a disk that is full.
    """

    def run(
        *arguments: str,
        environment: dict[str, str] | None = None,
        memory: int = 2 << 30,
        file_limit: int | None = None,
        patience: float = 60.0,
    ) -> Done:
        def confine() -> None:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            if file_limit is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        done = subprocess.run(
            [sys.executable, "-P", "-m", "sparring", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=patience,
            preexec_fn=confine,
        )
        return Done.of(done).check()

    return run


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Program]:
    """Run ``sparring`` in `tmp_path` in this process, which saves half a second; also watched.

    It may use a gigabyte more than this process has, and `patience` seconds.
    """
    import resource

    def expired(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt("it takes too long")  # which nothing but `invoke` catches

    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc").is_dir() else 0
    limits = resource.getrlimit(resource.RLIMIT_AS)
    if pages:
        most = pages * resource.getpagesize() + (1 << 30)
        resource.setrlimit(resource.RLIMIT_AS, (most, limits[1]))
    handler = signal.signal(signal.SIGALRM, expired)
    monkeypatch.chdir(tmp_path)

    def run(
        *arguments: str, environment: dict[str, str] | None = None, patience: float = 20.0
    ) -> Done:
        capfd.readouterr()
        signal.setitimer(signal.ITIMER_REAL, patience)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (environment or {}).items():
                patch.setenv(name, value)
            code = invoke(list(arguments))
        signal.setitimer(signal.ITIMER_REAL, 0)
        return Done(code, *capfd.readouterr()).check()

    yield run
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, handler)
    resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.fixture(scope="module")
def hostile_app() -> Iterator[HostileApp]:
    """The hostile app, for the tests of one module."""
    app = HostileApp()
    yield app
    app.stop()
