"""The commands that every report ends with."""

import shlex
from functools import lru_cache
from pathlib import Path

from sparring_plugins.language.text import visible


def run_name(folder: Path) -> str:
    """How to name a stored run in a command: its folder, relative if that is shorter."""
    return _relative(folder, Path.cwd())


@lru_cache(maxsize=8)
def _relative(folder: Path, here: Path) -> str:
    resolved = folder.resolve()
    shown = resolved.relative_to(here) if resolved.is_relative_to(here) else resolved
    return shlex.quote(shown.as_posix())


def show_command(folder: Path, case_id: str) -> str:
    """The command that shows one conversation of a stored run."""
    return visible(f"sparring show {run_name(folder)} {shlex.quote(case_id)}")


def resume_command(folder: Path) -> str:
    """The command that goes on with a run."""
    return visible(f"sparring run --resume {run_name(folder)}")


def retry_command(folder: Path) -> str:
    """The command that plays again what the environment broke."""
    return f"{resume_command(folder)} --retry-errors"
