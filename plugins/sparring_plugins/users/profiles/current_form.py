"""A profile of any shape as data in the current one."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from sparring.documents.reading import read_document
from sparring.errors import ConfigurationError
from sparring_plugins.users.profiles.conversation_settings import DEFAULT_LIMIT
from sparring_plugins.users.profiles.goals import GoalReader
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles
from sparring_plugins.users.profiles.profile_source import (
    Parts,
    Settings,
    Source,
    listed,
    mapping,
    parts_of,
)

_VARIABLE = ("function", "type", "data")


@dataclass(frozen=True, slots=True)
class CurrentForm:
    """A profile in the current form.

    `shape` is the one that was read, `personas` the files of the personas that it names, by the
    path that it names them by, `python` the Python files that it names.
    """

    data: dict[str, JsonValue]
    shape: str
    personas: dict[str, Path]
    python: tuple[str, ...]


def current_form(path: Path, base_dir: Path) -> CurrentForm:
    """Read a profile and write it anew; raises ConfigurationError with all that is wrong with it.

    The result, read from a file of the same name with the same seed, gives the same cases.
    """
    profile = read_profiles([path], base_dir=base_dir, seed=0, keep_unresolved=True)[0]
    source = Source(
        read_document(path, "yaml11"), path, Settings(base_dir, 0, keep_unresolved=True)
    )
    parts = parts_of(source)
    reader = GoalReader(source)
    reader.read(parts)
    variables = {name: _variable(part.value) for name, part in reader.declared.items()}
    goals: list[JsonValue] = [template for template, _ in reader.templates]
    data: dict[str, Any] = {
        "test_name": parts.value("test_name"),
        "tags": list(profile.tags),
        "llm": dict(profile.llm),
        "user": {
            "language": profile.language if parts.value("language") else None,
            "role": profile.role,
            "context": _context(parts),
            "goals": [*goals, *({name: spec} for name, spec in variables.items())],
            "done_when": _plain(parts.value("done_when")),
        },
        "chatbot": _chatbot(profile),
        "conversation": _conversation(profile),
    }
    return CurrentForm(
        data=_kept(data),
        shape=profile.shape,
        personas=dict(_personas(source, parts)),
        python=tuple(_python(variables)),
    )


def _variable(written: Any) -> dict[str, JsonValue]:
    """A variable with the names of the current form; a list alone means all of its values."""
    fields = mapping(written)
    if fields is None:
        return {"function": "default()", "data": _plain(written)}
    selector = fields.get("function", fields.get("selector"))
    renamed = {"function": selector, "type": fields.get("type"), "data": fields.get("data")}
    return {key: _plain(renamed[key]) for key in _VARIABLE if renamed[key] is not None}


def _plain(value: Any) -> Any:
    """Values as they can be written; a date that YAML made of a text is that text again."""
    if isinstance(value, dict):
        entries = mapping(value) or {}
        return {str(key): _plain(item) for key, item in entries.items()}
    if isinstance(value, list):
        return [_plain(item) for item, _ in listed(value, ())]
    return value.isoformat() if isinstance(value, date) else value


def _context(parts: Parts) -> list[JsonValue]:
    """The sentences and the persona, as a list."""
    items = [item for item, _ in listed(parts.value("context"), ())]
    return [_plain(item) for item in items if item is not None]


def _chatbot(profile: Profile) -> dict[str, JsonValue]:
    phrases = list(profile.fallbacks)
    outputs: list[JsonValue] = [
        {output.name: {"type": output.type, "description": output.description}}
        for output in profile.outputs
    ]
    fallback: Any = phrases[0] if len(phrases) == 1 else phrases
    return {"is_starter": profile.starts == "app", "fallback": fallback, "output": outputs}


def _conversation(profile: Profile) -> dict[str, JsonValue]:
    number: JsonValue = profile.number
    if profile.sample is not None:
        number = f"sample({profile.sample:.15g})"
    return {
        "number": "all_combinations" if number == "all" else number,
        "goal_style": _goal_style(profile),
        "cost": None if profile.goal_style == "cost" else profile.cost,
        "interaction_style": [] if profile.styles == ("default",) else list(profile.styles),
    }


def _goal_style(profile: Profile) -> JsonValue:
    if profile.goal_style == "cost":
        return {"cost": profile.cost}
    if profile.goal_style in ("steps", "random steps"):
        return {profile.goal_style: profile.steps}
    answered: dict[str, JsonValue] = {"export": True} if profile.export else {}
    if profile.limit != DEFAULT_LIMIT:
        answered["limit"] = profile.limit
    if profile.goal_style == "default" and not answered and profile.steps is None:
        return None
    name = "all_answered" if profile.steps is not None else profile.goal_style
    steps: dict[str, JsonValue] = {} if profile.steps is None else {"steps": profile.steps}
    return {**steps, name: answered or None}


def _kept(data: dict[str, Any]) -> dict[str, JsonValue]:
    """The data without what says nothing."""
    filled: dict[str, JsonValue] = {}
    for key, value in data.items():
        item = _kept(value) if key in ("user", "chatbot", "conversation") else value
        if item not in (None, "", [], {}):
            filled[key] = item
    return filled


def _personas(source: Source, parts: Parts) -> Iterator[tuple[str, Path]]:
    """The persona files that the profile's author wrote; a bundled one stays a name."""
    for item, _ in listed(parts.value("context"), ()):
        written = (mapping(item) or {}).get("personality")
        if isinstance(written, str):
            try:
                yield written, source.find(written, "persona file")
            except ValueError:
                continue


def _python(variables: dict[str, dict[str, JsonValue]]) -> Iterator[str]:
    for spec in variables.values():
        data = spec.get("data")
        if isinstance(data, dict) and isinstance(data.get("file"), str):
            yield str(data["file"])


def looks_like_a_profile(path: Path, base_dir: Path) -> bool:
    """Whether a file has goals where a profile of some shape has them."""
    try:
        source = Source(read_document(path, "yaml11"), path, Settings(base_dir, 0))
    except ConfigurationError:
        return False
    return "goals" in parts_of(source)
