"""``sparring convert``."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import click

from sparring.cli.output import plain, plain_lines, shown
from sparring.discovery import hooks
from sparring.discovery.hookspecs import hookspec
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.language.yaml_files import yaml_text
from sparring_plugins.sensei.conversion import Converted, Converter

HELP_SECTION = "write"

_SUFFIXES = (".yml", ".yaml")
# A folder of studies has hundreds; a home folder that was named by mistake has all of them.
_MOST_FILES = 10_000


@dataclass(frozen=True, slots=True)
class _Item:
    """A file to convert, and the folder that it stands in below the output folder."""

    path: Path
    folder: PurePosixPath
    named: bool


@hookspec
def sparring_converters() -> Iterable[Any] | None:
    """What this listener can write in the current form, for ``sparring convert``.

    It is asked whenever that command runs: import what reads the files in the converter.
    """


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write to; without it the files are printed.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files that are there.")
def convert(paths: tuple[Path, ...], output: Path | None, force: bool) -> int:
    """Write profiles, personas and rules of other forms in the current one.

    PATHS are files, or folders with files in YAML. What is not known in a folder is passed over,
    and so are comments. Nothing that a file names is run, and the files themselves stay as they
    are.
    """
    converters = _converters()
    done: list[tuple[_Item, Converted]] = []
    problems: list[Problem] = []
    for item in _items(paths):
        try:
            converted = _convert_file(item, converters)
        except ConfigurationError as err:
            problems += err.problems
            continue
        if converted is not None:
            done.append((item, converted))
    if problems:
        raise ConfigurationError(*problems)
    if not done:
        raise ConfigurationError("there is nothing to convert")
    texts = _texts(done)
    if output is None:
        _print(texts)
    else:
        _write(texts, output, force)
    for item, converted in done:
        click.echo(f"{shown(item.path)}: {plain(converted.kind, 200)}", err=True)
        for note in converted.notes:
            click.echo(f"note: {plain(note)}", err=True)
    return 0


def _converters() -> list[Converter]:
    listeners = hooks.load(specs=[sparring_converters])
    converters = [
        converter for _, answer in listeners.answers("sparring_converters") for converter in answer
    ]
    for problem in listeners.problems:
        click.echo(f"warning: {plain(problem)}", err=True)
    return converters


def _items(paths: Sequence[Path]) -> Iterator[_Item]:
    for path in paths:
        if path.is_dir():
            inside = (file for suffix in _SUFFIXES for file in path.rglob(f"*{suffix}"))
            for number, file in enumerate(sorted(each for each in inside if each.is_file())):
                if number >= _MOST_FILES:
                    raise ConfigurationError(
                        Problem(f"has more than {_MOST_FILES:,} files", str(path))
                    )
                folder = PurePosixPath(file.relative_to(path).parent.as_posix())
                yield _Item(file, folder, named=False)
        elif path.is_file():
            yield _Item(path, PurePosixPath(), named=True)
        else:
            raise ConfigurationError(Problem("there is no such file or folder", str(path)))


def _convert_file(item: _Item, converters: Sequence[Converter]) -> Converted | None:
    """The file in the current form; None for a file of a folder that nothing here knows."""
    for converter in converters:
        if converter.knows(item.path):
            return converter.convert(item.path)
    if not item.named:
        return None
    formats = "; ".join(converter.about for converter in converters) or "nothing"
    raise ConfigurationError(
        Problem(f"is none of what can be converted: {formats}", str(item.path))
    )


def _texts(done: Sequence[tuple[_Item, Converted]]) -> dict[PurePosixPath, str]:
    """The text of each file, by its path below the output folder; raises for two of one path."""
    texts: dict[PurePosixPath, str] = {}
    owners: dict[PurePosixPath, Path] = {}
    for item, converted in done:
        own, *others = converted.files
        for file, folder in ((own, item.folder), *((other, PurePosixPath()) for other in others)):
            place = folder / file.path
            if place.is_absolute() or ".." in place.parts:
                raise ConfigurationError(
                    Problem(f"would be written outside: {file.path}", str(item.path))
                )
            text = yaml_text(file.documents)
            if texts.setdefault(place, text) != text:
                both = f"{shown(owners[place])} and {shown(item.path)}"
                raise ConfigurationError(f"{both} would both be written to {place}")
            owners.setdefault(place, item.path)
    return texts


def _print(texts: dict[PurePosixPath, str]) -> None:
    for place, text in texts.items():
        if len(texts) > 1:
            click.echo(f"--- # {plain(str(place))}")
        if sys.stdout.isatty():
            text = "\n".join(plain_lines(text)) + "\n"
        click.echo(text, nl=False)


def _write(texts: dict[PurePosixPath, str], output: Path, force: bool) -> None:
    there = [output / place for place in texts if (output / place).exists()]
    if there and not force:
        listed = ", ".join(shown(path) for path in there[:10])
        more = f" and {len(there) - 10} more" if len(there) > 10 else ""
        raise ConfigurationError(f"there already is {listed}{more}; use --force to replace them")
    for place, text in texts.items():
        path = output / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"wrote {shown(path)}")
