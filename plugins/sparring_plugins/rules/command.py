"""``sparring rules``."""

import json
import re
from pathlib import Path

import click

from sparring.cli.outcome import shown
from sparring.cli.terminal import plain
from sparring.discovery import hooks
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, PluginError, Problem, SparringError
from sparring.model.drafts import RuleDraft, RuleListing

_SUFFIXES = (".yaml", ".yml")


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
    wanted = _files(drafts, folder)
    there = [path for path in wanted if path.exists()]
    if there and not force:
        listed = ", ".join(shown(path) for path in there)
        raise ConfigurationError(f"there already is {listed}; use --force to replace them")
    folder.mkdir(parents=True, exist_ok=True)
    for path, draft in wanted.items():
        path.write_text(_text(draft), encoding="utf-8")
        off = f", {draft.doubtful} of them off" if draft.doubtful else ""
        click.echo(f"wrote {shown(path)} ({len(draft.rules)} rules{off})")
    click.echo("look through them; on stored conversations try them with: ", nl=False)
    click.echo(f"sparring check RUN --rules {shown(folder)}")
    return 0


@rules.command()
@click.argument("names", nargs=-1, metavar="[LIBRARY]...")
def libraries(names: tuple[str, ...]) -> int:
    """List the general rules that suites may switch on by name."""
    found = _listings()
    known = list(dict.fromkeys(one.library for one in found))
    for name in names:
        if name not in known:
            raise ConfigurationError(f"no rule library is called {name!r}.{nearest(name, known)}")
    for one in found:
        if not names or one.library in names:
            _show(one)
    if not found:
        click.echo("no installed package has libraries of rules", err=True)
    return 0


def _show(one: RuleListing) -> None:
    off = "" if one.active else " (off by default)"
    click.echo(f"{one.library}.{one.name}{off}")
    click.echo(f"    {plain(' '.join(one.description.split()), 400)}")
    for name, value in one.parameters.items():
        given = "required" if value is None else json.dumps(value, ensure_ascii=False)
        click.echo(f"    {plain(name)}: {plain(given, 200)}")


def _profiles(paths: list[Path]) -> list[Path]:
    """The files that paths name; those below a folder sorted."""
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise ConfigurationError(Problem("there is no such file or folder", str(path)))
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files = [one for one in inside if one.is_file()]
        chosen = [one for one in files if path.is_file() or one.suffix.lower() in _SUFFIXES]
        if not chosen:
            raise ConfigurationError(Problem("holds no profile", str(path)))
        found.update(dict.fromkeys(chosen))
    return list(found)


def _drafts(paths: list[Path]) -> list[RuleDraft]:
    listeners = hooks.load()
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
    listeners = hooks.load()
    found = [one for _, answer in listeners.answers("sparring_rule_libraries") for one in answer]
    for problem in listeners.problems:
        click.echo(f"warning: {plain(problem)}", err=True)
    return found


def _files(drafts: list[RuleDraft], folder: Path) -> dict[Path, RuleDraft]:
    """The file of each draft; equal names are told apart by numbers."""
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


def _text(draft: RuleDraft) -> str:
    head = f"# Proposed for {plain(draft.about, 100)}; look through it before you trust it.\n"
    return head + "---\n".join(draft.rules)
