"""``sparring profiles``, and drafts of profiles as files in the folder of a suite."""

import re
from collections.abc import Iterable
from pathlib import Path

import click

from sparring.cli.output import plain, shown
from sparring.discovery import hooks
from sparring.discovery.hookspecs import hookspec
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.language.yaml_files import yaml_text
from sparring_plugins.trust.options import may_be_untrusted
from sparring_plugins.users.drafts import Drafts, ProfileDraft, ProfileSource

HELP_SECTION = "write"

SUITE = "suite.yaml"


def draft_files(drafts: Drafts, origin: str, nothing: str, to: Path) -> dict[Path, str]:
    """What to write, by file; `origin` says in each what it was proposed from.

    Raises ConfigurationError with `nothing` if there is no profile.
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
    """Raise ConfigurationError if a file is there already, unless it may be replaced."""
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


@hookspec
def sparring_profile_sources() -> Iterable[ProfileSource] | None:
    """What this listener can propose user profiles from, for ``sparring profiles new``.

    It is asked whenever that command runs: import what reads the files in the source's `read`.
    """


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
@may_be_untrusted
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
    wanted = draft_files(drafts, source.kind, f"nothing in it makes a profile ({source.about})", to)
    require_free(wanted, force)
    write_drafts(wanted, drafts, force)
    say_next(to / SUITE)
    return 0


@profiles.command()
def sources() -> int:
    """List what profiles can be proposed from."""
    by_kind = _sources()
    for kind, source in by_kind.items():
        click.echo(f"{kind:16} {plain(source.about)}")
    if not by_kind:
        click.echo("no installed package proposes profiles", err=True)
    return 0


def _sources() -> dict[str, ProfileSource]:
    listeners = hooks.load(specs=[sparring_profile_sources])
    by_kind: dict[str, ProfileSource] = {}
    owners: dict[str, str] = {}
    for owner, answer in listeners.answers("sparring_profile_sources"):
        for source in answer:
            if source.kind in by_kind:
                raise ConfigurationError(
                    f"profiles from {source.kind!r} are proposed by {owners[source.kind]} and by "
                    f"{owner}; uninstall one of them"
                )
            by_kind[source.kind], owners[source.kind] = source, owner
    for problem in listeners.problems:
        click.echo(f"warning: {plain(problem)}", err=True)
    return dict(sorted(by_kind.items()))


def _source(kind: str) -> ProfileSource:
    by_kind = _sources()
    if kind not in by_kind:
        raise ConfigurationError(
            f"no package proposes profiles from {kind!r}.{nearest(kind, list(by_kind))}"
        )
    return by_kind[kind]
