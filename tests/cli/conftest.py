"""The program in process: what it prints on both streams, and its exit code."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sparring.cli.app import invoke


@dataclass(frozen=True)
class Ran:
    """How a command line went."""

    code: int
    out: str
    err: str


Program = Callable[..., Ran]


@pytest.fixture
def program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Program:
    """Run ``sparring …`` in an empty folder; the paths of the machine are taken out."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: Any) -> Ran:
        capfd.readouterr()
        code = invoke([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Ran(code, out.replace(str(tmp_path), "HERE"), err.replace(str(tmp_path), "HERE"))

    return run
