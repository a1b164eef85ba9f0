"""What the simulated user is like: the profile's context, its persona and the persona's traits."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.documents.reading import Document, read_document
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import BuildContext
from sparring_plugins.users.personas.traits import plain_traits, trait_problems, traits_of
from sparring_plugins.users.profiles.profile_source import (
    Parts,
    Path_,
    Source,
    listed,
    mapping,
    quoting,
)

_LIBRARY = files("sparring_plugins.users.personas").joinpath("library")


@lru_cache(maxsize=1)
def persona_names() -> tuple[str, ...]:
    """The names of all bundled personas, in order."""
    names = (Path(file.name) for file in _LIBRARY.iterdir())
    return tuple(sorted(name.stem for name in names if name.suffix == ".yml"))


def persona_file(name: str) -> Path | None:
    """The file of a bundled persona; None if there is none of the name.

    Case does not count, and a blank or an underscore is as good as a hyphen.
    """
    wanted = "-".join(name.strip().lower().replace("_", " ").split())
    if wanted not in persona_names():
        return None
    with as_file(_LIBRARY.joinpath(f"{wanted}.yml")) as path:
        return path


_KEYS = ("context", "traits")
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Persona:
    """What a persona file says: sentences, and traits by name that differ from the usual ones."""

    name: str = ""
    sentences: tuple[str, ...] = ()
    traits: tuple[tuple[str, JsonValue], ...] = ()


@dataclass(frozen=True, slots=True)
class Character:
    """What the user is like: the persona's sentences first, then the profile's own."""

    context: tuple[str, ...]
    persona: Persona


def read_character(source: Source, parts: Parts) -> Character:
    """The profile's sentences and its persona.

    A list of sentences of which one may be ``{personality: ...}``, one such map alone, one
    sentence, or nothing. Where no persona is named, the one of the settings is taken.
    """
    own: list[str] = []
    persona: Persona | None = None
    for item, at in listed(parts.value("context"), parts.at("context")):
        entries = mapping(item)
        if isinstance(item, str):
            own.append(item.strip())
        elif entries is not None and "personality" in entries:
            if persona is not None:
                source.error("names a second personality; a profile has at most one", at)
            persona = _read_persona(source, entries, at)
        elif entries is not None and len(entries) == 1:
            _refuse(source, str(next(iter(entries))), at)
        elif item is not None:
            source.error(f"expected a sentence, found {shown(item)}{quoting(item)}", at)
    if persona is None and source.settings.persona is not None:
        persona = _persona(source, str(source.settings.persona), parts.at("context"))
    persona = persona or Persona()
    return Character((*persona.sentences, *own), persona)


def suite_persona(written: str, context: BuildContext) -> Path:
    """The file of a persona that a suite names: a bundled one by its name, else a path.

    Raises ConfigurationError; for what can be no path, with the nearest name.
    """
    bundled = persona_file(written)
    if bundled is not None:
        return bundled
    if not set(written) & set("/\\.*") and not (context.base_dir / written).exists():
        hint = nearest(written[:_LONGEST_NAME], persona_names())
        message = f"no persona is called {shown(written)}, and no file.{hint}"
        raise ConfigurationError(Problem(message, key="persona"))
    return context.files(written)[0]


def _refuse(source: Source, key: str, at: Path_) -> None:
    hint = nearest(key, ("personality",)).split(" Known:")[0]
    expected = "expected a sentence (in quotes if it has a colon) or {personality: path}"
    source.error(f"{expected}, found the key {shown(key)}.{hint}", (*at, key))


def _read_persona(source: Source, item: dict[Any, Any], at: Path_) -> Persona | None:
    for key in item:
        if key != "personality":
            source.error("unknown key beside personality", (*at, str(key)))
    written = item["personality"]
    if isinstance(written, str):
        return _persona(source, written, (*at, "personality"))
    if written is not None:
        expected = "expected a persona's name or the path of its file"
        source.error(f"{expected}, found {shown(written)}", at)
    return None


def _persona(source: Source, written: str, at: Path_) -> Persona:
    """The persona of a file: sentences, and traits if it has some."""
    try:
        path = _file(source, written)
        document = read_document(path, "yaml11")
    except ValueError as err:
        source.strict(str(err), at)
        return Persona()
    except ConfigurationError as err:
        source.problems += err.problems
        return Persona()
    data = mapping(document.data)
    if data is None or not any(key in data for key in _KEYS):
        source.problems.append(document.problem("expected the key 'context' with sentences"))
        return Persona()
    for key in data:
        if key not in _KEYS:
            message = f"unknown key.{nearest(str(key), _KEYS)}"
            source.problems.append(document.problem(message, (str(key),)))
    return Persona(path.stem, _sentences(source, document, data), _traits(source, document, data))


def _file(source: Source, written: str) -> Path:
    """The file of a persona: of the profile's author, else a bundled one by its name.

    Raises ValueError with the nearest name, or the places looked in.
    """
    try:
        return source.find(written, "persona file")
    except ValueError as err:
        bundled = persona_file(written)
        if bundled is not None:
            return bundled
        if set(written) & set("/\\.\0"):  # a path
            raise
        hint = nearest(written[:_LONGEST_NAME], persona_names())
        raise ValueError(f"{err}; no persona of ours has that name.{hint}") from err


def _sentences(source: Source, document: Document, data: dict[Any, Any]) -> tuple[str, ...]:
    sentences: list[str] = []
    for item, here in listed(data.get("context"), ("context",)):
        if isinstance(item, str):
            sentences.append(item.strip())
        elif item is not None:
            message = f"expected a sentence, found {shown(item)}{quoting(item)}"
            source.problems.append(document.problem(message, here))
    return tuple(sentences)


def _traits(
    source: Source, document: Document, data: dict[Any, Any]
) -> tuple[tuple[str, JsonValue], ...]:
    written = data.get("traits")
    if written is None:
        return ()
    traits = mapping(written)
    if traits is None:
        message = f"expected traits by name, found {shown(written)}"
        source.problems.append(document.problem(message, ("traits",)))
        return ()
    wrong = trait_problems(traits)
    for place, message in wrong:
        source.problems.append(document.problem(message, ("traits", *place)))
    return () if wrong else tuple(plain_traits(traits_of(traits)).items())
