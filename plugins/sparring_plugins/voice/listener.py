"""Exploring: which player explores, and who drafts profiles of its finds."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.discovery.hookspecs import hookimpl

if TYPE_CHECKING:
    from sparring.model.drafts import Drafts


@hookimpl
def sparring_exploration(turns: int, minutes: float | None) -> "dict[str, Any]":
    """The parts of a suite that explores an app."""
    agent: dict[str, Any] = {"use": "explorer", "turns": turns}
    if minutes is not None:
        agent["minutes"] = minutes
    return {"agent": agent, "strategy": {"use": "sessions"}}


@hookimpl
def sparring_explored(folder: Path) -> "Drafts | None":
    """Drafts of profiles for what an exploration found."""
    from sparring_plugins.voice.drafts.profile_drafts import drafts_of_run

    return drafts_of_run(folder)


@hookimpl
def sparring_exploration_files(folder: Path) -> Iterable[Path]:
    """The behaviour models as pictures and graphs, written into the run's folder."""
    from sparring_plugins.voice.behaviour.exports import write_exports

    return write_exports(folder)
