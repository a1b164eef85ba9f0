"""Hooks of ``sparring explore``: the player that explores, and drafts of profiles from its runs."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.discovery.hookspecs import hookimpl

if TYPE_CHECKING:
    from sparring_plugins.users.drafts import Drafts


@hookimpl
def sparring_exploration(turns: int, minutes: float | None) -> "dict[str, Any]":
    """Return the parts of a suite that explores an app."""
    agent: dict[str, Any] = {"use": "explorer", "turns": turns}
    if minutes is not None:
        agent["minutes"] = minutes
    return {"agent": agent, "strategy": {"use": "sessions"}}


@hookimpl
def sparring_explored(folder: Path) -> "Drafts | None":
    """Return drafts of profiles for what an exploration found."""
    from sparring_plugins.voice.profile_drafts import drafts_of_run

    return drafts_of_run(folder)


@hookimpl
def sparring_exploration_files(folder: Path) -> Iterable[Path]:
    """Write the behaviour models as pictures and graphs into the run's folder."""
    from sparring_plugins.voice.behaviour_exports import write_exports

    return write_exports(folder)
