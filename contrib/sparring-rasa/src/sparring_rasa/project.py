"""A Rasa project as its files describe it: read as data, never run.

A project is a folder of YAML files, of which each may hold anything: the domain may be one file or
many, training data lie where their author put them. What decides are the keys at the top.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sparring import ConfigurationError, Document, Problem, read_document

from sparring_rasa.flows import Flow, flows_in
from sparring_rasa.nlu import Training, add_training

_SKIPPED = frozenset({"tests", "models", "results", "actions", "node_modules", "venv", "env"})
_DOMAIN = ("intents", "entities", "slots", "responses", "forms")
_MOST_FILES = 2_000


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot: how its values come about."""

    name: str
    type: str = "text"
    values: tuple[str, ...] = ()
    mappings: tuple[dict[str, Any], ...] = ()

    @property
    def is_yes_or_no(self) -> bool:
        """Whether the user agrees to it or not, rather than names a value."""
        told = [rule.get("value") for rule in self.mappings if rule.get("type") == "from_intent"]
        return self.type == "bool" or (bool(told) and all(isinstance(one, bool) for one in told))


@dataclass(frozen=True, slots=True)
class Response:
    """One way in which the assistant says something."""

    name: str
    text: str
    buttons: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Project:
    """What the files say together."""

    name: str
    language: str = "en"
    intents: list[str] = field(default_factory=list[str])
    slots: dict[str, Slot] = field(default_factory=dict[str, Slot])
    forms: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    responses: dict[str, list[Response]] = field(default_factory=dict[str, list[Response]])
    training: Training = field(default_factory=Training)
    flows: list[Flow] = field(default_factory=list[Flow])
    notes: list[str] = field(default_factory=list[str])


def read_project(folder: Path) -> Project:
    """Read a project's folder, or its domain file alone; raises ConfigurationError."""
    project = Project(name=(folder if folder.is_dir() else folder.parent).resolve().name)
    found = False
    for document in _documents(folder):
        data = document.data
        if not isinstance(data, dict):
            continue
        found = found or any(key in data for key in _DOMAIN)
        _add(project, data, document)
    if not found:
        raise ConfigurationError(
            Problem("no Rasa project: no file has intents, slots, responses or forms", str(folder))
        )
    return project


def _documents(folder: Path) -> Iterator[Document]:
    if folder.is_file():
        yield read_document(folder, "yaml11")
        return
    files = sorted(path for path in _walk_project(folder) if path.suffix in (".yml", ".yaml"))
    if len(files) > _MOST_FILES:
        raise ConfigurationError(
            Problem(f"{len(files):,} YAML files are no Rasa project", str(folder))
        )
    for path in files:
        yield read_document(path, "yaml11", shown=str(path))


def _walk_project(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name.startswith("."):
            continue
        if path.is_dir():
            if path.name not in _SKIPPED:
                yield from _walk_project(path)
        elif path.is_file():
            yield path


def _add(project: Project, data: dict[Any, Any], document: Document) -> None:
    language = data.get("language")
    if isinstance(language, str) and ("pipeline" in data or "policies" in data):
        project.language = language
    project.intents += [name for name, _ in _iterate_names(data.get("intents"))]
    for name, given in _iterate_names(data.get("slots")):
        known = project.slots.get(name, Slot(name))  # a form may have told of it before
        found = _slot(name, given)
        project.slots[name] = replace(found, mappings=found.mappings or known.mappings)
    for name, given in _iterate_names(data.get("forms")):
        project.forms[name] = tuple(slot for slot, _ in _list_required_slots(given))
        for slot, rules in _list_required_slots(given):
            known = project.slots.get(slot, Slot(slot))
            if not known.mappings:  # Rasa 2 has them in the form
                project.slots[slot] = replace(known, mappings=_rules(rules))
    for name, given in _iterate_names(data.get("responses")):
        project.responses.setdefault(name, []).extend(_responses(name, given))
    problems = add_training(project.training, data.get("nlu"))
    project.notes += [f"{document.file}: {problem}" for problem in problems]
    project.flows += flows_in(data)


def _iterate_names(given: Any) -> Iterator[tuple[str, Any]]:
    """Names with what is said of each: a map, or a list of names and one-key maps."""
    if isinstance(given, dict):
        for name, value in given.items():
            yield str(name), value
    elif isinstance(given, list):
        for item in given:
            if isinstance(item, dict):
                yield from _iterate_names(item)
            elif item is not None:
                yield str(item), None


def _slot(name: str, given: Any) -> Slot:
    if not isinstance(given, dict):
        return Slot(name)
    listed = given.get("values")
    values = [str(value) for value in listed] if isinstance(listed, list) else []
    return Slot(
        name,
        str(given.get("type", "text")),
        tuple(value for value in values if not value.startswith("__")),
        _rules(given.get("mappings")),
    )


def _rules(given: Any) -> tuple[dict[str, Any], ...]:
    return tuple(
        rule for rule in (given if isinstance(given, list) else ()) if isinstance(rule, dict)
    )


def _list_required_slots(given: Any) -> list[tuple[str, Any]]:
    """The slots of a form with their rules, in either way of writing it (Rasa 2 and 3)."""
    if not isinstance(given, dict):
        return []
    own = {key: value for key, value in given.items() if key != "ignored_intents"}
    return list(_iterate_names(given.get("required_slots", own)))


def _responses(name: str, given: Any) -> Iterator[Response]:
    for item in given if isinstance(given, list) else [given]:
        if isinstance(item, str):
            yield Response(name, item)
        elif isinstance(item, dict):
            buttons = item.get("buttons")
            yield Response(
                name,
                str(item.get("text") or ""),
                tuple(
                    (str(button.get("title") or ""), str(button.get("payload") or ""))
                    for button in (buttons if isinstance(buttons, list) else ())
                    if isinstance(button, dict)
                ),
            )
