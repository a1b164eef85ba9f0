"""``sparring rules``."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import click

from sparring.cli.output import plain, shown
from sparring.discovery import hooks
from sparring.discovery.hookspecs import hookspec
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, PluginError, Problem, SparringError
from sparring_plugins.language.quantities import plural
from sparring_plugins.users.drafts import RuleDraft, RuleListing

HELP_SECTION = "write"

_SUFFIXES = (".yaml", ".yml")


@hookspec
def sparring_rule_proposals(profiles: list[Path]) -> Iterable[RuleDraft] | None:
    """Which rules the inputs and outputs of these profiles suggest, for ``sparring rules new``.

    Raises ConfigurationError for profiles that are wrong; `None` if the listener knows no such
    profiles.
    """


@hookspec
def sparring_rule_libraries() -> Iterable[RuleListing] | None:
    """The general rules that suites may switch on by name, for ``sparring rules libraries``."""


@click.group()
def rules() -> None:
    """Propose rules, to be looked at by a person, and list those of libraries."""


@rules.command()
@click.option(
    "--from-profile", "profiles", multiple=True, required=True, metavar="PROFILE",
    type=click.Path(path_type=Path), help="A profile, or a folder of profiles; may be repeated.",
)  # fmt: skip
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="[PROFILE]...")
@click.option(
    "-o", "--output", "folder", default="rules", show_default=True, metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False), help="Where the rules are written.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files that are there.")
def new(profiles: tuple[Path, ...], more: tuple[Path, ...], folder: Path, force: bool) -> int:
    """Propose rules from what profiles ask for and want to learn.

    Each says in a comment why it should hold; those that may well not are switched off with
    `active: false`. There is one file for each profile, and one for all of them.
    """
    drafts = _drafts(_profiles([*profiles, *more]))
    by_path = _paths_of(drafts, folder)
    there = [path for path in by_path if path.exists()]
    if there and not force:
        listed = ", ".join(shown(path) for path in there)
        raise ConfigurationError(f"there already is {listed}; use --force to replace them")
    folder.mkdir(parents=True, exist_ok=True)
    for path, draft in by_path.items():
        path.write_text(_file_text(draft), encoding="utf-8")
        off = f", {draft.doubtful} of them off" if draft.doubtful else ""
        count = plural(len(draft.rules), "rule")
        click.echo(f"wrote {shown(path)} ({count}{off})")
    click.echo("look through them; on stored conversations try them with: ", nl=False)
    click.echo(f"sparring check RUN --rules {shown(folder)}")
    return 0


@rules.command()
@click.argument("names", nargs=-1, metavar="[LIBRARY]...")
def libraries(names: tuple[str, ...]) -> int:
    """List the general rules that suites may switch on by name."""
    listings = _listings()
    known_names = list(dict.fromkeys(listing.library for listing in listings))
    for name in names:
        if name not in known_names:
            raise ConfigurationError(
                f"no rule library is called {name!r}.{nearest(name, known_names)}"
            )
    for listing in listings:
        if not names or listing.library in names:
            _print_rule(listing)
    if not listings:
        click.echo("no installed package has libraries of rules", err=True)
    return 0


def _print_rule(listing: RuleListing) -> None:
    off = "" if listing.active else " (off by default)"
    click.echo(f"{listing.library}.{listing.name}{off}")
    click.echo(f"    {plain(' '.join(listing.description.split()), 400)}")
    for name, value in listing.parameters.items():
        default = "required" if value is None else json.dumps(value, ensure_ascii=False)
        click.echo(f"    {plain(name)}: {plain(default, 200)}")


def _profiles(paths: list[Path]) -> list[Path]:
    """The files that paths name; those below a folder sorted."""
    profiles: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise ConfigurationError(Problem("there is no such file or folder", str(path)))
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files = [entry for entry in inside if entry.is_file()]
        chosen = [file for file in files if path.is_file() or file.suffix.lower() in _SUFFIXES]
        if not chosen:
            raise ConfigurationError(Problem("holds no profile", str(path)))
        profiles.update(dict.fromkeys(chosen))
    return list(profiles)


def _drafts(paths: list[Path]) -> list[RuleDraft]:
    listeners = hooks.load(specs=[sparring_rule_proposals])
    try:
        answers = listeners.manager.hook.sparring_rule_proposals(profiles=paths)
    except SparringError:
        raise
    except Exception as err:
        raise PluginError(f"no rules can be proposed: {type(err).__name__}: {err}") from err
    drafts = [draft for answer in answers for draft in answer]
    if not drafts:
        raise ConfigurationError("no installed package proposes rules from such profiles")
    return drafts


def _listings() -> list[RuleListing]:
    listeners = hooks.load(specs=[sparring_rule_libraries])
    listings = [
        listing for _, answer in listeners.answers("sparring_rule_libraries") for listing in answer
    ]
    for problem in listeners.problems:
        click.echo(f"warning: {plain(problem)}", err=True)
    return listings


def _paths_of(drafts: list[RuleDraft], folder: Path) -> dict[Path, RuleDraft]:
    """The file of each draft; equal names get numbers."""
    files: dict[Path, RuleDraft] = {}
    for draft in drafts:
        name = _file_name(draft.name)
        path, number = folder / f"{name}.yaml", 1
        while path in files:
            number += 1
            path = folder / f"{name}_{number}.yaml"
        files[path] = draft
    return files


def _file_name(name: str) -> str:
    """A name that every file system takes: what comes from foreign files is never a path."""
    return re.sub(r"[^\w-]+", "_", name, flags=re.ASCII).strip("_")[:80].lower() or "rules"


def _file_text(draft: RuleDraft) -> str:
    head = f"# Proposed for {plain(draft.about, 100)}; look through it before you trust it.\n"
    return head + "---\n".join(draft.rules)
