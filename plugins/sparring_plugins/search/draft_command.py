"""The command ``sparring draft``: a feature space from what an author has."""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from sparring.cli.output import plain, shown
from sparring.documents.reading import read_document
from sparring.errors import AnswerInvalid, ConfigurationError, Problem
from sparring.suite.building import SuiteContext
from sparring.suite.model import LLMUse
from sparring_plugins.output import arguments
from sparring_plugins.prompting.model_agent import ModelAgentConfig
from sparring_plugins.search.drafting.features import Draft
from sparring_plugins.search.drafting.model_drafter import (
    Material,
    ModelDrafter,
    add_found,
    known_features,
    parts_of,
    shown_requests,
    weigh,
)
from sparring_plugins.search.drafting.openapi import draft_openapi, is_openapi
from sparring_plugins.search.drafting.requests import draft_requests
from sparring_plugins.search.drafting.space_files import draft_files, imported_files
from sparring_plugins.search.drafting.texts import draft_text
from sparring_plugins.search.interchange.imports import feature_name, import_space
from sparring_plugins.search.prompter.retrieval import SUFFIXES, read_utterances

HELP_SECTION = "write"

_PROSE = (".md", ".rst", ".prompt", ".html")
# Which words occur together is known after some thousand requests; a year's log has millions.
_MOST_REQUESTS = 50_000
_MOST_NOTES = 20


@click.command()
@click.argument("sources", nargs=-1, required=True,
                type=click.Path(path_type=Path, exists=True))  # fmt: skip
@click.option("--to", default=".", show_default=True, type=click.Path(path_type=Path),
              help="The folder to write into.")  # fmt: skip
@click.option("--name", help="The name of the space; else that of the first source.")
@click.option("--prose", is_flag=True,
              help="Read text files as prompts or documents, not as a request a line.")  # fmt: skip
@click.option("--llm", metavar="LLM",
              help="A language model to read prose and requests, as a suite names it: "
              "'{use: openai, model: gpt-4o-mini}'.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files that are there.")
def draft(
    sources: tuple[Path, ...],
    to: Path,
    name: str | None,
    prose: bool,
    llm: str | None,
    force: bool,
) -> int:
    """Draft a feature space, to be looked at by a person; a model is asked only with --llm.

    SOURCES are real requests or logs (.txt with one a line, .jsonl, .csv, or a folder of them), a
    system prompt or documents (.md, or text with --prose), an OpenAPI description (.json, .yaml),
    or a model of PICT, ACTS or STELLAR, which is imported as it is.
    """
    name = feature_name(name or sources[0].stem, [])
    path, templates = to / f"{name}.yaml", to / f"{name}-templates.yaml"
    for source in sources:
        _require_text(source)
    imported = import_space(sources[0]) if sources[0].is_file() and len(sources) == 1 else None
    if imported is not None:
        (space, words), notes = imported_files(imported.data, name), imported.notes
    else:
        drafted = asyncio.run(_drafted(sources, prose, llm))
        if not drafted.features:
            raise ConfigurationError(
                f"{_names(sources)}: no features found: expected requests (.txt, .jsonl, .csv), "
                "prose that lists or limits something (.md), or an OpenAPI description with "
                "operations"
            )
        space, words = draft_files(drafted, name, _names(sources))
        notes = drafted.notes
    files = {path: space, templates: words}
    _write(files, force)
    for note in notes[:_MOST_NOTES]:
        click.echo(f"note: {plain(note, 300)}", err=True)
    if len(notes) > _MOST_NOTES:
        click.echo(f"note: {len(notes) - _MOST_NOTES} more like these", err=True)
    click.echo(f"look at it:  sparring space {shown(path)}")
    return 0


def _write(files: dict[Path, str], force: bool) -> None:
    """Write files; raises ConfigurationError if one is there and may not be replaced."""
    there = [path for path in files if path.exists()]
    if there and not force:
        raise ConfigurationError(f"there already is {shown(there[0])}; use --force to replace it")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        click.echo(f"wrote {shown(file)}")


def _names(sources: tuple[Path, ...]) -> str:
    return ", ".join(source.name for source in sources)


@dataclass
class _Material:
    """The texts and requests of the sources, in their order."""

    texts: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])


async def _drafted(sources: tuple[Path, ...], prose: bool, llm: str | None) -> Draft:
    drafted, material = Draft(), _Material()
    for source in sources:
        _read(source, prose, drafted, material)
    if llm is not None:
        await _ask(llm, material, drafted)
        return drafted
    for text in material.texts:
        draft_text(text, drafted)
    if material.requests:
        draft_requests(material.requests, drafted)
    return drafted


async def _ask(llm: str, material: _Material, drafted: Draft) -> None:
    """Add what a model says of the material; what it gives no usable answer to is read by rules."""
    use = LLMUse.model_validate(arguments.overrides([f"llm={llm}"])["llm"])
    context = SuiteContext(Path.cwd(), llm=use)
    try:
        drafter = ModelDrafter(ModelAgentConfig(), context)
        for part in (part for text in material.texts for part in parts_of(text)):
            task = Material(kind="a prompt or document", text=part, known=known_features(drafted))
            try:
                add_found(await drafter.act(task), drafted)
            except AnswerInvalid as err:
                drafted.notes.append(f"read without the model, whose answer was unusable: {err}")
                draft_text(part, drafted)
        if material.requests:
            shown_text = shown_requests(material.requests)
            known = known_features(drafted)
            task = Material(kind="real requests, a line each", text=shown_text, known=known)
            try:
                add_found(await drafter.act(task), drafted)
                weigh(drafted, material.requests)
            except AnswerInvalid as err:
                drafted.notes.append(f"read without the model, whose answer was unusable: {err}")
                draft_requests(material.requests, drafted)
    finally:
        await context.close()


def _read(source: Path, prose: bool, drafted: Draft, material: _Material) -> None:
    """Add what a source says to a draft; raises ConfigurationError for what cannot be read."""
    if source.is_dir():
        _read_folder(source, prose, drafted, material)
        return
    described = _structured(source)
    if is_openapi(described):
        draft_openapi(described, drafted)
    elif source.suffix == ".json":
        raise ConfigurationError(Problem(
            "is no OpenAPI description (with `openapi` and `paths`), and no configuration of "
            "STELLAR; requests are a JSON object a line in a file that ends in .jsonl", str(source)
        ))  # fmt: skip
    elif source.suffix in _PROSE or (prose and source.suffix == ".txt"):
        material.texts.append(_text(source))
    else:
        _add_requests([source], material)


def _read_folder(folder: Path, prose: bool, drafted: Draft, material: _Material) -> None:
    """Add what all files of a folder say; requests of all of them count together."""
    inside = _readable(folder)
    if not inside:
        raise ConfigurationError(Problem("has no files that can be read", str(folder)))
    listed = () if prose else (".txt", ".jsonl", ".csv")
    requests = [path for path in inside if path.suffix in listed]
    if requests:
        _add_requests(requests, material)
    for path in inside:
        if path not in requests:
            _read(path, prose, drafted, material)


def _readable(folder: Path) -> list[Path]:
    suffixes = (*SUFFIXES, *_PROSE, ".json")
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in suffixes)


def _add_requests(paths: list[Path], material: _Material) -> None:
    utterances = [text for path in paths for text in read_utterances(path)]
    material.requests += utterances[: _MOST_REQUESTS - len(material.requests)]


def _structured(source: Path) -> Any:
    """Return the data of a JSON or YAML file; None for other files."""
    if source.suffix in (".yaml", ".yml"):
        return read_document(source).data
    if source.suffix != ".json":
        return None
    try:
        return json.loads(_text(source))
    except (ValueError, RecursionError) as err:
        raise ConfigurationError(Problem(f"is no JSON: {err}", str(source))) from err


def _require_text(source: Path) -> None:
    """Raise ConfigurationError for a file, or one in a folder, that has zero bytes."""
    for path in _readable(source) if source.is_dir() else [source]:
        try:
            with path.open("rb") as file:
                binary = b"\0" in file.read(8_192)
        except OSError as err:
            raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(path))) from err
        if binary:
            raise ConfigurationError(Problem("is not UTF-8 text", str(path)))


def _text(source: Path) -> str:
    try:
        return source.read_text("utf-8-sig", "replace")
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(source))) from err
