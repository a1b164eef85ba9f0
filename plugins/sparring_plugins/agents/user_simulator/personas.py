"""What the simulated user is like: the profile's context and persona files."""

from typing import Any

from sparring.documents.checking import nearest, shown
from sparring.documents.reading import read
from sparring.errors import ConfigurationError
from sparring_plugins.agents.user_simulator.shapes import Parts
from sparring_plugins.agents.user_simulator.source import (
    Path_,
    Source,
    listed,
    mapping,
    quoting,
)


def read_context(source: Source, parts: Parts) -> tuple[str, ...]:
    """The persona's sentences, then the profile's own.

    A list of sentences of which one may be ``{personality: path}``, one such map alone, one
    sentence, or nothing. Where no persona is named, the one of the settings is taken.
    """
    own: list[str] = []
    persona: list[str] | None = None
    for item, at in listed(parts.value("context"), parts.at("context")):
        entries = mapping(item)
        if isinstance(item, str):
            own.append(item.strip())
        elif entries is not None and "personality" in entries:
            if persona is not None:
                source.error("names a second personality; a profile has at most one", at)
            persona = _named(source, entries, at)
        elif entries is not None and len(entries) == 1:
            _refuse(source, str(next(iter(entries))), at)
        elif item is not None:
            source.error(f"expected a sentence, found {shown(item)}{quoting(item)}", at)
    if persona is None and source.settings.persona is not None:
        persona = _sentences(source, str(source.settings.persona), parts.at("context"))
    return (*(persona or ()), *own)


def _refuse(source: Source, key: str, at: Path_) -> None:
    hint = nearest(key, ("personality",)).split(" Known:")[0]
    expected = "expected a sentence (in quotes if it has a colon) or {personality: path}"
    source.error(f"{expected}, found the key {shown(key)}.{hint}", (*at, key))


def _named(source: Source, item: dict[Any, Any], at: Path_) -> list[str] | None:
    for key in item:
        if key != "personality":
            source.error("unknown key beside personality", (*at, str(key)))
    written = item["personality"]
    if isinstance(written, str):
        return _sentences(source, written, (*at, "personality"))
    if written is not None:
        source.error(f"expected the path of a persona file, found {shown(written)}", at)
    return None


def _sentences(source: Source, written: str, at: Path_) -> list[str]:
    """The sentences of a persona file: the key ``context`` and nothing else."""
    try:
        document = read(source.find(written, "persona file"), "yaml11")
    except ValueError as err:
        source.strict(str(err), at)
        return []
    except ConfigurationError as err:
        source.problems += err.problems
        return []
    data = mapping(document.data)
    if data is None or "context" not in data:
        source.problems.append(document.problem("expected the key 'context' with sentences"))
        return []
    for key in data:
        if key != "context":
            message = f"unknown key.{nearest(str(key), ('context',))}"
            source.problems.append(document.problem(message, (str(key),)))
    sentences: list[str] = []
    for item, here in listed(data["context"], ("context",)):
        if isinstance(item, str):
            sentences.append(item.strip())
        elif item is not None:
            message = f"expected a sentence, found {shown(item)}{quoting(item)}"
            source.problems.append(document.problem(message, here))
    return sentences
