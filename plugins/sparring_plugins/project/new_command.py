"""``sparring new``: the beginning of a plugin of one's own, with its conformance test."""

import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import click
import yaml

import sparring
from sparring.cli.output import shown
from sparring.discovery.catalog import listings
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
    use: str = ""
    entry: str = "NAME"


def _templates() -> Traversable:
    return files("sparring_plugins.project").joinpath("plugin_templates")


def _read_kinds() -> dict[str, Any]:
    kinds: dict[str, Any] = yaml.safe_load(
        _templates().joinpath("kinds.yaml").read_text(encoding="utf-8")
    )
    return kinds


def plugin_kinds() -> dict[str, Kind]:
    """Return the kinds of plugins that there is a template for."""
    return {name: Kind(**data) for name, data in _read_kinds().items() if name != "roles"}


def agent_roles() -> dict[str, str]:
    """Return the roles of agents that there is a template for, each with its use in a suite."""
    roles: dict[str, str] = _read_kinds()["roles"]
    return roles


@click.group()
def new() -> None:
    """Begin something of your own from a template: a plugin."""


@new.command("plugin")
@click.argument("kind")
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--role",
    metavar="ROLE",
    help="What an agent is for: judge (if left out), user, goal_checker, extractor, writer,"
    " perturbation or fitness.",
)
def plugin(kind: str, name: str, folder: Path | None, role: str | None) -> int:
    """Write a package with one plugin that works, and its conformance test.

    KIND is connector, oracle, strategy, reporter, agent or function; NAME is what suites call it,
    in lower case with hyphens; rules call the function longest-answer as longest_answer. FOLDER is
    where the package goes, ./sparring-NAME if left out. A NAME that an installed plugin of that
    kind has is refused.
    """
    kinds = plugin_kinds()
    if kind not in kinds:
        raise ConfigurationError(f"there is no kind {kind!r}.{nearest(kind, sorted(kinds))}")
    _check_role(kind, role)
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ConfigurationError(f"{name!r}: expected lower case and hyphens, as in my-{kind}")
    target = folder or Path(f"sparring-{name}")
    if target.exists() and any(target.iterdir()):
        raise ConfigurationError(
            f"{target} is not empty: name another folder. To add a plugin to the package there, "
            "write it elsewhere, copy its module and test, and add its line to the entry points "
            "in pyproject.toml and its module to `packages` (sparring docs add-a-part)"
        )
    _check_unused(kind, name, role)
    described_name = name.replace("-", "_") if kind == "function" else name
    for path, text in plugin_files(kind, name, role).items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")
        click.echo(f"wrote {shown(target / path)}")
    if described_name != name:
        click.echo(f"rules call it {described_name}")
    click.echo(f"now: cd {shown(target)} && pip install -e '.[test]' && pytest")
    click.echo(f"what it has to hold, and a plugin in ten minutes: sparring docs {kind}")
    return 0


def _check_role(kind: str, role: str | None) -> None:
    """Raise ConfigurationError for a role without a template."""
    if role is None:
        return
    if kind != "agent":
        raise ConfigurationError(f"--role belongs to agents, and not to the kind {kind}")
    roles = agent_roles()
    if role not in roles:
        raise ConfigurationError(
            f"there is no template for the role {role!r}.{nearest(role, sorted(roles))}"
            f" There are templates for {', '.join(roles)}; players, and the roles of web pages and"
            " voice, are written by hand (sparring docs interfaces)"
        )


def _check_unused(kind: str, name: str, role: str | None) -> None:
    """Raise ConfigurationError if a suite could not tell the plugin from an installed one."""
    described = plugin_kinds()[kind]
    entry = _entry(kind, name, role)
    for listing in listings(described.group):
        if listing.name == entry and listing.package != f"sparring-{name}":
            raise ConfigurationError(
                f"{listing.package} has the {kind} {entry!r} already, and suites that name it would"
                " be refused as ambiguous: choose another name"
            )


def _entry(kind: str, name: str, role: str | None) -> str:
    """Return the name of the entry point."""
    entry = plugin_kinds()[kind].entry.replace("ROLE", role or next(iter(agent_roles())))
    return entry.replace("NAME", name).replace("FUNCTION", name.replace("-", "_"))


def plugin_files(kind: str, name: str, role: str | None = None) -> dict[str, str]:
    """Return the files of a package with a plugin, by their paths; `role` is that of an agent."""
    function = name.replace("-", "_")
    described = plugin_kinds()[kind]
    role = role or next(iter(agent_roles()))
    is_function = kind == "function"
    use = agent_roles()[role] if kind == "agent" else described.use
    values = {
        "NAME": name,
        "KIND": kind,
        "CLASS": function if is_function else name.title().replace("-", ""),
        "FUNCTION": function,
        "PACKAGE": f"sparring_{function}",
        "GROUP": described.group,
        "ENTRY": _entry(kind, name, role),
        "USE": use.replace("NAME", name).replace("FUNCTION", function),
        "THEN": then_words(kind),
        "CONTRACT": contract_words(kind),
        "VERSION": ".".join(sparring.__version__.split(".")[:2]),
    }
    own = {
        "module.py.txt": f"sparring_{function}.py",
        "test.py.txt": f"tests/test_{function}.py",
    }
    place = _templates().joinpath(kind)
    places = [(_templates(), _COMMON), (place.joinpath(role) if kind == "agent" else place, own)]
    return {
        path: _fill(folder.joinpath(template).read_text(encoding="utf-8"), values)
        for folder, written in places
        for template, path in written.items()
    }


def then_words(kind: str) -> str:
    """Return how the README begins to say what names the plugin."""
    return "Then rules call it" if kind == "function" else "Then a suite names it"


def contract_words(kind: str) -> str:
    """Return where the README sends its reader for what the code must do."""
    if kind == "function":
        return "`rule_function` says what its arguments mean"
    return "its base class says what each method may do"


def _fill(template: str, values: dict[str, str]) -> str:
    return re.sub(r"@@([A-Z]+)@@", lambda match: values[match[1]], template)
