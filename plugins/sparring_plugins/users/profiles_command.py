"""``sparring profiles``."""

from pathlib import Path

import click

from sparring.cli.terminal import plain
from sparring.discovery import hooks
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.model.drafts import ProfileSource
from sparring_plugins.users.draft_files import (
    SUITE,
    draft_files,
    require_free,
    say_next,
    write_drafts,
)


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
    wanted = draft_files(drafts, source.kind, f"nothing in it makes a profile ({source.about})", to)
    require_free(wanted, force)
    write_drafts(wanted, drafts, force)
    say_next(to / SUITE)
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
