"""Profile files to profiles."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.documents.reading import read_document
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.roles import OutputSpec
from sparring_plugins.language.vocabulary import language_name
from sparring_plugins.users.profiles.character import read_character
from sparring_plugins.users.profiles.conversation_settings import (
    read_goal_style,
    read_number,
    read_styles,
    recorded,
)
from sparring_plugins.users.profiles.goals import GoalReader
from sparring_plugins.users.profiles.profile import Profile, read_evidence, scenarios
from sparring_plugins.users.profiles.profile_source import (
    Parts,
    Path_,
    Settings,
    Source,
    Words,
    listed,
    mapping,
    parts_of,
    plain_path,
    shape_of,
)
from sparring_plugins.users.profiles.variables import read_variables
from sparring_plugins.users.selectors.plan import plan_of

# --- Declared outputs

TYPES = ("str", "int", "float", "money", "bool", "time", "date", "email", "phone", "url")
"""The types of outputs."""

_ALIASES = {
    "string": "str",
    "text": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "e-mail": "email",
    "telefono": "phone",
    "teléfono": "phone",
    "telephone": "phone",
}


def read_outputs(source: Source, parts: Parts) -> tuple[OutputSpec, ...]:
    """The declared outputs: a list of one-key maps, or one map."""
    outputs: dict[str, OutputSpec] = {}
    for item, at in listed(parts.value("output"), parts.at("output")):
        entries = mapping(item)
        if entries is None:
            source.error(f"expected a name with type and description, found {shown(item)}", at)
        for name, spec in (entries or {}).items():
            if str(name) in outputs:
                source.error("the output is declared twice", (*at, name))
            outputs[str(name)] = _output(source, str(name), spec, (*at, name))
    return tuple(outputs.values())


def _output(source: Source, name: str, spec: Any, at: Path_) -> OutputSpec:
    if isinstance(spec, str):
        return OutputSpec(name=name, description=spec.strip())
    fields = mapping(spec)
    if fields is None:
        source.error(f"expected type and description, found {shown(spec)}", at)
        return OutputSpec(name=name)
    for key in fields:
        if key not in ("type", "description"):
            hint = nearest(str(key), ("type", "description"))
            source.error(f"unknown key.{hint}", (*at, str(key)))
    return OutputSpec(
        name=name,
        type=_type(source, fields.get("type"), (*at, "type")),
        description=source.text(fields.get("description"), (*at, "description")),
    )


def _type(source: Source, written: Any, at: Path_) -> str:
    if written is None:
        return "str"
    folded = str(written).strip().casefold()
    kind = _ALIASES.get(folded, folded)
    if kind not in TYPES:
        source.strict(f"unknown output type {shown(written)}.{nearest(folded, TYPES)}", at)
        return "str"
    return kind


MOST_PROBLEMS = 20
"""How many problems of one file are shown."""


def read_profiles(
    paths: Sequence[Path],
    *,
    base_dir: Path,
    seed: int,
    allow_python: bool = False,
    compat: Literal["sensei"] | None = None,
    today: date | None = None,
    persona: Path | None = None,
    words: Words | None = None,
    keep_unresolved: bool = False,
) -> list[Profile]:
    """Read profiles of any shape, in order, with names that differ.

    Args:
        paths: The files.
        base_dir: The suite's folder; personas and Python files are also looked for there.
        seed: What random dates are drawn from.
        allow_python: Whether functions of Python files named in profiles may be run.
        compat: ``sensei`` reads values exactly as SENSEI does, and lets pass with a warning
            what it lets pass.
        today: The day that relative dates count from; the day of the run if not given.
        persona: A persona file for the profiles whose context names none.
        words: Finds values for ``any(...)``; without it they stay unresolved.
        keep_unresolved: Keep the values of Python functions that cannot be run as unresolved,
            instead of refusing the profile.

    Raises:
        ConfigurationError: With everything that is wrong with all of the files.
    """
    settings = Settings(
        base_dir, seed, allow_python, compat, today, persona, words, keep_unresolved
    )
    profiles: list[Profile] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            profiles.append(_read(path, settings))
        except ConfigurationError as err:
            problems += err.problems
    if problems:
        raise ConfigurationError(*problems)
    return _named_apart(profiles)


def _read(path: Path, settings: Settings) -> Profile:
    place, base = plain_path(path), plain_path(settings.base_dir)
    name = str(place.relative_to(base)) if place.is_relative_to(base) else str(path)
    source = Source(read_document(path, "yaml11", shown=name), path, settings)
    parts = parts_of(source)
    if source.problems and not parts:
        raise ConfigurationError(*source.problems)
    profile = _profile(source, parts, path)
    if source.problems:
        ordered = sorted(dict.fromkeys(source.problems), key=lambda p: (p.file or "", p.line or 0))
        more = len(ordered) - MOST_PROBLEMS
        if more > 0:
            ordered[MOST_PROBLEMS:] = [Problem(f"and {more:,} more", source.document.file)]
        raise ConfigurationError(*ordered)
    return profile


def _profile(source: Source, parts: Parts, path: Path) -> Profile:
    test_name = source.text(parts.value("test_name"), parts.at("test_name")) or path.stem
    source.language = _language(source, parts)
    reader = GoalReader(source)
    reader.read(parts)
    variables, unresolved = read_variables(source, reader.declared)
    number = read_number(source, parts)
    stop = read_goal_style(source, parts)
    styles = read_styles(source, parts)
    character = read_character(source, parts)
    outputs = read_outputs(source, parts)
    evidence = read_evidence(
        source, parts, goals=len(reader.templates), outputs={output.name for output in outputs}
    )
    fields: dict[str, Any] = {
        "done_when": tuple(evidence),
        "test_name": test_name,
        "source": source.document.file,
        "tags": _tags(source, parts),
        "language": source.language,
        "role": source.text(parts.value("role"), parts.at("role")),
        "context": character.context,
        "persona": character.persona.name,
        "traits": dict(character.persona.traits),
        "goals": tuple(template for template, _ in reader.templates),
        "variables": variables,
        "outputs": outputs,
        "starts": _starts(source, parts),
        "fallbacks": _fallbacks(source, parts),
        "number": number.count,
        "sample": number.sample,
        "styles": styles,
        "llm": _llm(source, parts),
        "unresolved": unresolved,
        "compat": source.settings.compat,
        "shape": shape_of(source),
    }
    profile = Profile(name=test_name, **fields, **stop) if not source.problems else _broken(path)
    count = number.count if isinstance(number.count, int) else _count_conversations(profile, source)
    return profile.model_copy(
        update={
            "conversation": recorded(styles, count, stop),
            "warnings": tuple(dict.fromkeys(source.warnings)),
        }
    )


def _broken(path: Path) -> Profile:
    """Stands for a profile with problems, which is never handed out."""
    return Profile(name=path.stem, test_name=path.stem, source=str(path), shape="")


def _count_conversations(profile: Profile, source: Source) -> int:
    """How many conversations the profile gives, as the strategy `selectors` counts them."""
    scenario = scenarios([profile]).scenarios[0]
    return plan_of(scenario, 0, compat=source.settings.compat).count


def _language(source: Source, parts: Parts) -> str:
    written = source.text(parts.value("language"), parts.at("language"))
    if not written:
        return "English"
    try:
        name = language_name(written)
    except ValueError as err:
        source.strict(str(err), parts.at("language"))
        return "English"
    if source.compat and name != written:
        source.warn(f"SENSEI takes {written!r} for English", parts.at("language"))
        return "English"
    return name


def _tags(source: Source, parts: Parts) -> tuple[str, ...]:
    """Return the tags: a text, or a list of texts."""
    value, at = parts.value("tags"), parts.at("tags")
    if value is None:
        return ()
    tags = (source.text(item, place) for item, place in listed(value, at))
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def _starts(source: Source, parts: Parts) -> Literal["user", "app"]:
    value = parts.value("is_starter")
    if value is not None and not isinstance(value, bool):
        source.error(f"expected true or false, found {shown(value)}", parts.at("is_starter"))
    return "user" if value is False else "app"


def _fallbacks(source: Source, parts: Parts) -> tuple[str, ...]:
    phrases = listed(parts.value("fallback"), parts.at("fallback"))
    texts = [source.text(phrase, at) for phrase, at in phrases]
    return tuple(text for text in texts if text)


def _llm(source: Source, parts: Parts) -> dict[str, JsonValue]:
    """The settings of the model: a map, a model's name alone, or the oldest temperature."""
    value, at = parts.value("llm"), parts.at("llm")
    entries = {"model": value} if isinstance(value, str) else mapping(value)
    if entries is None and value is not None:
        source.error(f"expected model and temperature, found {shown(value)}", at)
    settings: dict[str, JsonValue] = {}
    settings_read: list[tuple[str, Any, Path_]] = [
        (str(key), item, (*at, str(key))) for key, item in (entries or {}).items()
    ]
    if "temperature" in parts:
        settings_read.append(("temperature", parts.value("temperature"), parts.at("temperature")))
    for key, item, here in settings_read:
        if key not in ("model", "temperature"):
            source.error(f"unknown key.{nearest(key, ('model', 'temperature'))}", here)
        elif isinstance(item, str) if key == "model" else _is_number(item):
            settings[key] = item
        elif item is not None:
            expected = "a model's name" if key == "model" else "a number"
            source.error(f"expected {expected}, found {shown(item)}", here)
    return settings


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _named_apart(profiles: Sequence[Profile]) -> list[Profile]:
    """Give profiles of one name different ones: by file name, by folders, then by number.

    Names that differ only in case count as one, because some file systems think so.
    """
    shared = Counter(profile.test_name.casefold() for profile in profiles)
    used = {name for name, count in shared.items() if count == 1}
    named: list[Profile] = []
    for profile in profiles:
        name = profile.test_name
        if shared[name.casefold()] > 1:
            alike = [other for other in profiles if other.test_name.casefold() == name.casefold()]
            stem = f"{name}.{_place(profile, alike)}"
            name, number = stem, 1
            while name.casefold() in used:
                number += 1
                name = f"{stem}.{number}"
            used.add(name.casefold())
        named.append(profile.model_copy(update={"name": name}))
    return named


def _place(profile: Profile, alike: Sequence[Profile]) -> str:
    """The shortest unambiguous end of the profile's path, with dots between."""
    parts = Path(profile.source).with_suffix("").parts
    others = [Path(other.source).with_suffix("").parts for other in alike if other is not profile]
    for length in range(1, len(parts) + 1):
        end = [part.casefold() for part in parts[-length:]]
        if all([part.casefold() for part in other[-length:]] != end for other in others):
            return ".".join(parts[-length:])
    return parts[-1]
