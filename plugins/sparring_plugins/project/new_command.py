"""``sparring new``: the beginning of a plugin of one's own, with its conformance test."""

import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click
import yaml

import sparring
from sparring.cli.output import shown
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError

HELP_SECTION = "develop"

# The name becomes a package on the index and a module: "my-oracle" is `my_oracle`, "My Oracle" is
# neither.
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_COMMON = {"pyproject.toml.txt": "pyproject.toml", "README.md.txt": "README.md"}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plugin: its group, its entry point there, and how a suite names it."""

    group: str
    use: str
    entry: str = "NAME"


def _templates() -> Traversable:
    return files("sparring_plugins.project").joinpath("plugin_templates")


def plugin_kinds() -> dict[str, Kind]:
    """Return the kinds of plugins that there is a template for."""
    text = _templates().joinpath("kinds.yaml").read_text(encoding="utf-8")
    return {name: Kind(**data) for name, data in yaml.safe_load(text).items()}


@click.group()
def new() -> None:
    """Begin something of your own from a template: a plugin."""


@new.command("plugin")
@click.argument("kind")
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
def plugin(kind: str, name: str, folder: Path | None) -> int:
    """Write a package with one plugin that works, and its conformance test.

    KIND is connector, oracle, strategy, reporter, agent or function; NAME is what suites call it,
    in lower case with hyphens; rules call the function longest-answer as longest_answer. FOLDER is
    where the package goes, ./sparring-NAME if left out.
    """
    kinds = plugin_kinds()
    if kind not in kinds:
        raise ConfigurationError(f"there is no kind {kind!r}.{nearest(kind, sorted(kinds))}")
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ConfigurationError(f"{name!r}: expected lower case and hyphens, as in my-{kind}")
    target = folder or Path(f"sparring-{name}")
    if target.exists() and any(target.iterdir()):
        raise ConfigurationError(
            f"{target} is not empty: name another folder. To add a plugin to the package there, "
            "write it elsewhere, copy its module and test, and add its line to the entry points "
            "in pyproject.toml and its module to `packages` (sparring docs add-a-part)"
        )
    described_name = name.replace("-", "_") if kind == "function" else name
    for path, text in plugin_files(kind, name).items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")
        click.echo(f"wrote {shown(target / path)}")
    if described_name != name:
        click.echo(f"rules call it {described_name}")
    click.echo(f"now: cd {shown(target)} && pip install -e '.[test]' && pytest")
    return 0


def plugin_files(kind: str, name: str) -> dict[str, str]:
    """Return the files of a package with a plugin, by their paths."""
    function = name.replace("-", "_")
    described = plugin_kinds()[kind]
    values = {
        "NAME": name,
        "KIND": kind,
        "CLASS": function if kind == "function" else name.title().replace("-", ""),
        "FUNCTION": function,
        "PACKAGE": f"sparring_{function}",
        "GROUP": described.group,
        "ENTRY": described.entry.replace("NAME", name).replace("FUNCTION", function),
        "USE": described.use.replace("NAME", name).replace("FUNCTION", function),
        "VERSION": ".".join(sparring.__version__.split(".")[:2]),
    }
    own = {
        "module.py.txt": f"sparring_{function}.py",
        "test.py.txt": f"tests/test_{function}.py",
    }
    places = [(_templates(), _COMMON), (_templates().joinpath(kind), own)]
    return {
        path: _fill(folder.joinpath(template).read_text(encoding="utf-8"), values)
        for folder, written in places
        for template, path in written.items()
    }


def _fill(template: str, values: dict[str, str]) -> str:
    return re.sub(r"@@([A-Z]+)@@", lambda match: values[match[1]], template)
