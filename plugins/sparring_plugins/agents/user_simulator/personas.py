"""What the simulated user is like: the profile's context and persona files."""

from typing import Any, cast

from sparring.documents.checking import nearest, shown
from sparring.documents.reading import read
from sparring.errors import ConfigurationError
from sparring_plugins.agents.user_simulator.shapes import Parts
from sparring_plugins.agents.user_simulator.source import Path_, Source, quoting


def read_context(source: Source, parts: Parts) -> tuple[str, ...]:
    """The persona's sentences, then the profile's own.

    A list of sentences of which one may be ``{personality: path}``, one such map alone, one
    sentence, or nothing. Where no persona is named, the one of the settings is taken.
    """
    value, at = parts.value("context"), parts.at("context")
    listed = isinstance(value, list)
    items = cast("list[Any]", value) if listed else [] if value is None else [value]
    own: list[str] = []
    persona: list[str] | None = None
    for index, item in enumerate(items):
        here = (*at, index) if listed else at
        if item is None:
            continue
        if isinstance(item, str):
            own.append(item.strip())
        elif isinstance(item, dict) and "personality" in item:
            if persona is not None:
                source.error("names a second personality; a profile has at most one", here)
            persona = _named(source, cast("dict[Any, Any]", item), here)
        elif isinstance(item, dict) and len(cast("dict[Any, Any]", item)) == 1:
            _refuse(source, cast("dict[Any, Any]", item), here)
        else:
            source.error(f"expected a sentence, found {shown(item)}{quoting(item)}", here)
    if persona is None and source.settings.persona is not None:
        persona = _sentences(source, str(source.settings.persona), at)
    return (*(persona or ()), *own)


def _refuse(source: Source, item: dict[Any, Any], at: Path_) -> None:
    key = str(next(iter(item)))
    hint = nearest(key, ("personality",)).split(" Known:")[0]
    expected = "expected a sentence (in quotes if it has a colon) or {personality: path}"
    source.error(f"{expected}, found the key {shown(key)}.{hint}", (*at, key))


def _named(source: Source, item: dict[Any, Any], at: Path_) -> list[str]:
    for key in item:
        if key != "personality":
            source.error("unknown key beside personality", (*at, str(key)))
    written = item["personality"]
    if written is None:
        return []
    if not isinstance(written, str):
        source.error(f"expected the path of a persona file, found {shown(written)}", at)
        return []
    return _sentences(source, written, (*at, "personality"))


def _sentences(source: Source, written: str, at: Path_) -> list[str]:
    """The sentences of a persona file: the key ``context`` and nothing else."""
    found, places = source.find(written)
    if found is None:
        source.missing("persona file", written, places, at)
        return []
    try:
        document = read(found, "yaml11")
    except ConfigurationError as err:
        source.problems += err.problems
        return []
    data = document.data
    if not isinstance(data, dict) or "context" not in data:
        source.problems.append(document.problem("expected the key 'context' with sentences"))
        return []
    for key in cast("dict[Any, Any]", data):
        if key != "context":
            message = f"unknown key.{nearest(str(key), ('context',))}"
            source.problems.append(document.problem(message, (str(key),)))
    context = cast("dict[Any, Any]", data)["context"]
    items = cast("list[Any]", context) if isinstance(context, list) else [context]
    sentences: list[str] = []
    for index, item in enumerate(items):
        if isinstance(item, str):
            sentences.append(item.strip())
        elif item is not None:
            message = f"expected a sentence, found {shown(item)}{quoting(item)}"
            source.problems.append(document.problem(message, ("context", index)))
    return sentences
