"""``sparring profiles``."""

import re
from pathlib import Path

import click

from sparring.cli.outcome import shown
from sparring.cli.terminal import plain
from sparring.cli.yaml_text import yaml_text
from sparring.discovery import hooks
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.model.drafts import Drafts, ProfileDraft, ProfileSource

_SUITE = "suite.yaml"


@click.group()
def profiles() -> None:
    """Propose user profiles, to be looked at by a person."""


@profiles.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=True))
@click.option("--from", "kind", required=True, help="What FOLDER holds: see `profiles sources`.")
@click.option(
    "--to", default=".", show_default=True, type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the suite.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files that are there.")
def new(folder: Path, kind: str, to: Path, force: bool) -> int:
    """Propose profiles from the files of a chatbot: what it can do, and with which values.

    They are written into the folder `profiles` of the suite, with comments that say what to look
    at, and a suite that plays them where there is none yet. The chatbot itself is not called, and
    nothing of it is run.
    """
    source = _source(kind)
    if not folder.exists():
        raise ConfigurationError(Problem("there is no such file or folder", str(folder)))
    drafts = source.read(folder)
    wanted = _files(drafts, source, to)
    there = [path for path in wanted if path.exists() and path.name != _SUITE]
    if there and not force:
        listed = ", ".join(shown(path) for path in there)
        raise ConfigurationError(f"there already is {listed}; use --force to replace them")
    _write(wanted, force)
    for note in drafts.notes:
        click.echo(f"note: {plain(note)}", err=True)
    noted = sum(bool(draft.notes) for draft in drafts.profiles)
    if noted:
        click.echo(f"look at the comments at the top of {noted} of them", err=True)
    _check(to / _SUITE)
    return 0


@profiles.command()
def sources() -> int:
    """List what profiles can be proposed from."""
    found = _sources()
    for kind, source in found.items():
        click.echo(f"{kind:16} {plain(source.about)}")
    if not found:
        click.echo("no installed package proposes profiles", err=True)
    return 0


def _sources() -> dict[str, ProfileSource]:
    listeners = hooks.load()
    found: dict[str, ProfileSource] = {}
    owners: dict[str, str] = {}
    for owner, answer in listeners.answers("sparring_profile_sources"):
        for source in answer:
            if source.kind in found:
                raise ConfigurationError(
                    f"profiles from {source.kind!r} are proposed by {owners[source.kind]} and by "
                    f"{owner}; uninstall one of them"
                )
            found[source.kind], owners[source.kind] = source, owner
    for problem in listeners.problems:
        click.echo(f"warning: {plain(problem)}", err=True)
    return dict(sorted(found.items()))


def _source(kind: str) -> ProfileSource:
    found = _sources()
    if kind not in found:
        raise ConfigurationError(
            f"no package proposes profiles from {kind!r}.{nearest(kind, list(found))}"
        )
    return found[kind]


def _files(drafts: Drafts, source: ProfileSource, to: Path) -> dict[Path, str]:
    """What to write, by file."""
    if not drafts.profiles:
        raise ConfigurationError(f"nothing in it makes a profile ({source.about})")
    files: dict[Path, str] = {}
    for draft in drafts.profiles:
        path = to / "profiles" / f"{_file_name(draft.name)}.yml"
        if path in files:
            raise ConfigurationError(f"two profiles are called {draft.name!r}")
        files[path] = _profile_text(draft, source)
    if drafts.suite is not None:
        files[to / _SUITE] = yaml_text([drafts.suite])
    return files


def _file_name(name: str) -> str:
    """A name that every file system takes: what comes from foreign files is never a path."""
    return re.sub(r"[^\w-]+", "_", name, flags=re.ASCII).strip("_")[:80].lower() or "profile"


def _profile_text(draft: ProfileDraft, source: ProfileSource) -> str:
    notes = (f"Proposed from {source.kind}; look through it before you trust it.", *draft.notes)
    comments = "".join(f"# {plain(' '.join(note.split()), 400)}\n" for note in notes)
    return comments + yaml_text([draft.data])


def _write(wanted: dict[Path, str], force: bool) -> None:
    for path, text in wanted.items():
        if path.name == _SUITE and path.exists() and not force:
            click.echo(f"kept  {shown(path)}")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"wrote {shown(path)}")


def _check(suite: Path) -> None:
    """Say what to do next."""
    if suite.is_file():
        click.echo(f"now: sparring validate {shown(suite)}")
