"""Drafts of profiles as files in the folder of a suite."""

import re
from pathlib import Path

import click

from sparring.cli.outcome import shown
from sparring.cli.terminal import plain
from sparring.errors import ConfigurationError
from sparring.model.drafts import Drafts, ProfileDraft
from sparring_plugins.language.yaml_text import yaml_text

SUITE = "suite.yaml"


def draft_files(drafts: Drafts, origin: str, nothing: str, to: Path) -> dict[Path, str]:
    """What to write, by file; `origin` says in each what it was proposed from.

    Raises ConfigurationError with `nothing` where there is no profile.
    """
    if not drafts.profiles:
        raise ConfigurationError(nothing)
    files: dict[Path, str] = {}
    for draft in drafts.profiles:
        path = to / "profiles" / f"{_file_name(draft.name)}.yml"
        if path in files:
            raise ConfigurationError(f"two profiles are called {draft.name!r}")
        files[path] = _profile_text(draft, origin)
    if drafts.suite is not None:
        files[to / SUITE] = yaml_text([drafts.suite])
    return files


def require_free(wanted: dict[Path, str], force: bool) -> None:
    """Raise ConfigurationError where a file is there already, unless it may be replaced."""
    there = [path for path in wanted if path.exists() and path.name != SUITE]
    if there and not force:
        listed = ", ".join(shown(path) for path in there)
        raise ConfigurationError(f"there already is {listed}; use --force to replace them")


def write_drafts(wanted: dict[Path, str], drafts: Drafts, force: bool) -> None:
    """Write the files, say which, and what to look at; a suite that is there stays."""
    for path, text in wanted.items():
        if path.name == SUITE and path.exists() and not force:
            click.echo(f"kept  {shown(path)}")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"wrote {shown(path)}")
    for note in drafts.notes:
        click.echo(f"note: {plain(note)}", err=True)
    noted = sum(bool(draft.notes) for draft in drafts.profiles)
    if noted:
        click.echo(f"look at the comments at the top of {noted} of them", err=True)


def say_next(suite: Path) -> None:
    """Say what to do next."""
    if suite.is_file():
        click.echo(f"now: sparring validate {shown(suite)}")


def _file_name(name: str) -> str:
    """A name that every file system takes: what comes from foreign files is never a path."""
    return re.sub(r"[^\w-]+", "_", name, flags=re.ASCII).strip("_")[:80].lower() or "profile"


def _profile_text(draft: ProfileDraft, origin: str) -> str:
    notes = (f"Proposed from {origin}; look through it before you trust it.", *draft.notes)
    comments = "".join(f"# {plain(' '.join(note.split()), 400)}\n" for note in notes)
    return comments + yaml_text([draft.data])
