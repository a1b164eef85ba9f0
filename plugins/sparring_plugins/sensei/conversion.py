"""Profiles, personas and rules of SENSEI's and of older forms in the current one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import JsonValue

from sparring.documents.reading import read_all, read_document
from sparring.errors import ConfigurationError, Problem
from sparring.model.base import AppText, Value
from sparring_plugins.sensei.documents import is_map

# Files of another tool, or of an older form, in the current one.


class ConvertedFile(Value):
    """A file to write: its path below the output folder, with slashes, and its YAML documents."""

    path: AppText
    documents: tuple[dict[str, JsonValue], ...]


class Converted(Value):
    """What a file became.

    `kind` says what it is and in which form it was read. The first of `files` is the file itself,
    under its own name; others are those that it names and that moved with it. `notes` are for the
    person who converts: what is left to do.
    """

    kind: str
    files: tuple[ConvertedFile, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Converter:
    """Converts files of one kind, for ``sparring convert``.

    `about` says in a line which. `knows` looks at a file and says whether it is of the kind;
    `convert` raises ConfigurationError if it cannot be read, with everything wrong in it.
    Neither runs anything that a file names.
    """

    about: str
    knows: Callable[[Path], bool]
    convert: Callable[[Path], Converted]


_RULE = {"oracle", "then"}
_PERSONA = {"context", "traits"}
_ORDER = (
    *("name", "description", "active", "conversations", "for_each", "group_by", "parameters"),
    *("when", "if", "oracle", "yields"),
)


def _documents(path: Path) -> list[Any]:
    """The documents of a file; none if it cannot be read."""
    try:
        return [document.data for document in read_all(path, "yaml11")]
    except ConfigurationError:
        return []


def _is_rule(path: Path) -> bool:
    return any(
        is_map(document) and "name" in document and _RULE & document.keys()
        for document in _documents(path)
    )


def _is_persona(path: Path) -> bool:
    documents = _documents(path)
    return len(documents) == 1 and is_map(documents[0]) and 0 < len(documents[0]) <= 2 and (
        documents[0].keys() <= _PERSONA
    )  # fmt: skip


def _is_profile(path: Path) -> bool:
    from sparring_plugins.users.profiles.current_form import looks_like_a_profile

    return looks_like_a_profile(path, Path.cwd())


def _convert_profile(path: Path) -> Converted:
    from sparring_plugins.users.profiles.current_form import current_form

    form = current_form(path, Path.cwd())
    files = [ConvertedFile(path=path.name, documents=(form.data,))]
    notes: list[str] = []
    for written, place in form.personas.items():
        target = PurePosixPath(written.replace("\\", "/"))
        if target.is_absolute() or ".." in target.parts:
            target = PurePosixPath("personalities") / place.name
            _rename(form.data, written, str(target))
        files.append(ConvertedFile(path=str(target), documents=(_persona(place),)))
    for file in form.python:
        notes.append(f"{path.name} names the Python file {file!r}, which is not copied")
    return Converted(kind=f"profile, {form.shape}", files=tuple(files), notes=tuple(notes))


def _rename(data: dict[str, JsonValue], written: str, target: str) -> None:
    user = data.get("user")
    context = user.get("context") if isinstance(user, dict) else None
    for item in context if isinstance(context, list) else ():
        if isinstance(item, dict) and item.get("personality") == written:
            item["personality"] = target


def _persona(path: Path) -> dict[str, JsonValue]:
    """A persona's sentences as a list, and its traits."""
    data = read_document(path, "yaml11").data
    if not is_map(data):
        raise ConfigurationError(Problem("a persona has the key context", str(path)))
    persona: dict[str, JsonValue] = {}
    for key, value in data.items():
        persona[str(key)] = [value] if key == "context" and not isinstance(value, list) else value
    return persona


def _convert_persona(path: Path) -> Converted:
    file = ConvertedFile(path=path.name, documents=(_persona(path),))
    return Converted(kind="persona", files=(file,))


def _convert_rules(path: Path) -> Converted:
    """Rules with one name for each thing, in the usual order; SENSEI's readings of them kept."""
    documents: list[dict[str, JsonValue]] = []
    notes: list[str] = []
    for data in _documents(path):
        if data is None:
            continue
        if not is_map(data):
            raise ConfigurationError(
                Problem("a rule is a map with a name and an oracle", str(path))
            )
        rule, said = _rule(data, path.name)
        documents.append(rule)
        notes += said
    file = ConvertedFile(path=path.name, documents=tuple(documents))
    return Converted(kind="rules", files=(file,), notes=tuple(notes))


def _rule(data: dict[Any, Any], file: str) -> tuple[dict[str, JsonValue], list[str]]:
    rule = {str(key): value for key, value in data.items()}
    notes = list(_notes(rule, file))
    oracle = rule.pop("oracle", None)
    then = rule.pop("then", None)
    message = rule.pop("on-error", None)
    rule["oracle"] = then if oracle is None else oracle
    if message is not None:
        rule.setdefault("yields", message)
    ordered = [*_ORDER, *(key for key in rule if key not in _ORDER)]
    written = {key: rule[key] for key in ordered if rule.get(key) is not None}
    for key in ("when", "if", "oracle", "yields"):
        if isinstance(written.get(key), (bool, int, float)):
            written[key] = str(written[key])
        elif isinstance(written.get(key), str):
            written[key] = written[key].strip()
    return written, notes


def _notes(rule: dict[str, Any], file: str) -> Iterator[str]:
    name = str(rule.get("name"))[:80]
    if rule.get("oracle") is not None and rule.get("then") is not None:
        yield f"{file}: the rule {name!r} has oracle and then; SENSEI takes oracle, and so it stays"
    count = rule.get("conversations")
    if isinstance(count, int) and count not in (-1, 1, 2):
        yield f"{file}: the rule {name!r} is about {count} conversations; SENSEI takes that for 2"
    if count == -1:
        rule["conversations"] = "all"


CONVERTERS = (
    Converter("rules (name, oracle)", _is_rule, _convert_rules),
    Converter("personas (context)", _is_persona, _convert_persona),
    Converter("user profiles of every shape", _is_profile, _convert_profile),
)
