"""``sparring init``."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from sparring.cli.outcome import shown
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError


def _templates() -> dict[str, Traversable]:
    folder = files("sparring_plugins.project").joinpath("templates")
    return {item.name: item for item in folder.iterdir() if item.is_dir()}


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--template", default="echo", show_default=True, help="Which start: echo, rest or web."
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
def init(folder: Path, template: str, force: bool) -> int:
    """Make a first suite: profile, rule and suite file that run at once.

    The template 'echo' talks to a bundled app that repeats what it is told, so the first run
    needs nothing; 'rest' is the start for a chatbot behind HTTP, 'web' that for web pages, with
    test cases in plain language.
    """
    known = _templates()
    if template not in known:
        raise ConfigurationError(f"no template {template!r}.{nearest(template, sorted(known))}")
    wanted = list(_files(known[template], Path()))
    there = [path for path, _ in wanted if (folder / path).exists()]
    if there and not force:
        listed = ", ".join(str(path) for path in there)
        raise ConfigurationError(f"{folder} already has {listed}; use --force to replace them")
    for path, content in wanted:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        click.echo(f"wrote {shown(target)}")
    _schema(folder)
    where = "" if folder == Path() else f" {shown(folder)}"
    click.echo(f"now: sparring run{where}")
    return 0


def _files(folder: Traversable, at: Path) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = ".gitignore" if item.name == "gitignore" else item.name
        name = ".env.example" if name == "env.example" else name
        if item.is_dir():
            found += _files(item, at / name)
        elif not name.endswith((".py", ".pyc")):
            found.append((at / name, item.read_text(encoding="utf-8")))
    return found


def _schema(folder: Path) -> None:
    import json

    from sparring_plugins.project.suite_schema import suite_schema

    target = folder / "suite.schema.json"
    target.write_text(json.dumps(suite_schema()[0], indent=1) + "\n", encoding="utf-8")
    click.echo(f"wrote {shown(target)}")
