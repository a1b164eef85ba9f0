"""Goals: templates with holes, and the values that fill them."""

import re
from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.roles import Goal
from sparring_plugins.agents.user_simulator.profile import Profile
from sparring_plugins.agents.user_simulator.shapes import Part, Parts
from sparring_plugins.agents.user_simulator.source import Path_, Source, quoting

_HOLE = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_EXACT_HOLE = re.compile(r"\{\{(.*?)\}\}")
_AND = {
    "Catalan": "i",
    "Dutch": "en",
    "English": "and",
    "French": "et",
    "Galician": "e",
    "German": "und",
    "Italian": "e",
    "Polish": "i",
    "Portuguese": "e",
    "Romanian": "și",
    "Spanish": "y",
    "Swedish": "och",
}


def holes(template: str, *, exact: bool = False) -> tuple[str, ...]:
    """The variables that a template uses, each once; `exact` takes blanks for a part of names."""
    pattern = _EXACT_HOLE if exact else _HOLE
    return tuple(dict.fromkeys(pattern.findall(template)))


def goals_of(profile: Profile, params: Mapping[str, JsonValue]) -> tuple[Goal, ...]:
    """The goals of a case: its values in words in the holes of the profile's templates.

    Raises ConfigurationError where the case has no value for a variable.
    """
    return tuple(_goal(profile, template, params) for template in profile.goals)


def _goal(profile: Profile, template: str, params: Mapping[str, JsonValue]) -> Goal:
    exact = profile.compat == "sensei"
    declared = {variable.name for variable in profile.variables}
    inputs = tuple(name for name in holes(template, exact=exact) if name in declared)
    for name in inputs:
        if name not in params:
            raise ConfigurationError(
                Problem(f"the case has no value for {name!r}", profile.source, key=profile.name)
            )

    def filled(match: re.Match[str]) -> str:
        if match[1] not in inputs:
            return match[0]
        return spoken(params[match[1]], None if exact else profile.language)

    phrase = (_EXACT_HOLE if exact else _HOLE).sub(filled, template)
    return Goal(phrase=phrase, template=template, inputs=inputs)


def spoken(value: JsonValue, language: str | None = "English") -> str:
    """A value as people say it: ``cheese, ham and corn``.

    Without a language, or in one whose word for "and" is not known here, commas alone.
    """
    if not isinstance(value, list):
        return _single(value)
    items = [_single(item) for item in value]
    word = _AND.get(language or "")
    if word is None or len(items) < 2:
        return ", ".join(items)
    if word == "y" and re.match(r"h?i(?![ae])", items[-1].casefold()):
        word = "e"
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def _single(value: JsonValue) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def read_goals(source: Source, parts: Parts) -> tuple[tuple[str, ...], dict[str, Part]]:
    """The templates and the declared variables, checked against each other."""
    value, at = parts.value("goals"), parts.at("goals")
    templates: list[tuple[str, Path_]] = []
    declared: dict[str, Part] = {}
    if isinstance(value, dict):
        _paper_form(source, cast("dict[Any, Any]", value), at, templates, declared)
    elif isinstance(value, list):
        _items(source, cast("list[Any]", value), at, templates, declared)
    elif isinstance(value, str):
        templates.append((value.strip(), at))
    elif value is not None:
        source.error(f"expected a list of goals, found {shown(value)}", at)
    if not templates and not source.problems:
        source.error("missing: a profile has at least one goal", at)
    _check_holes(source, templates, declared)
    return tuple(template for template, _ in templates), declared


def _paper_form(
    source: Source,
    data: dict[Any, Any],
    at: Path_,
    templates: list[tuple[str, Path_]],
    declared: dict[str, Part],
) -> None:
    """The paper's spelling: ``templates`` and ``inputs``."""
    source.spellings.add("templates")
    for key, value in data.items():
        here = (*at, str(key))
        if key == "templates":
            listed = cast("list[Any]", value) if isinstance(value, list) else [value]
            _items(source, listed, here, templates, {}, only="template")
        elif key == "inputs":
            listed = isinstance(value, list)
            _items(
                source,
                cast("list[Any]", value) if listed else [value],
                here,
                [],
                declared,
                only="input",
                listed=listed,
            )
        else:
            source.error(f"unknown key.{nearest(str(key), ('templates', 'inputs'))}", here)


def _items(
    source: Source,
    items: list[Any],
    at: Path_,
    templates: list[tuple[str, Path_]],
    declared: dict[str, Part],
    *,
    only: str = "",
    listed: bool = True,
) -> None:
    for index, item in enumerate(items):
        here = (*at, index) if listed else at
        if item is None:
            source.warn("an empty goal is passed over", here)
        elif isinstance(item, str) and only != "input":
            templates.append((item.strip(), here))
        elif isinstance(item, dict) and only != "template":
            for name, spec in cast("dict[Any, Any]", item).items():
                _declare(source, str(name).strip(), Part(spec, (*here, name)), declared)
        else:
            expected = "a variable with function, type and data" if only == "input" else "a goal"
            source.error(f"expected {expected}, found {shown(item)}{quoting(item)}", here)


def _declare(source: Source, name: str, part: Part, declared: dict[str, Part]) -> None:
    if name in declared:
        line = source.document.line(declared[name].at)
        source.error(f"the variable is declared twice (first on line {line})", part.at)
    elif not isinstance(part.value, (dict, list)):
        hint = "a goal with a colon needs quotes"
        expected = "expected a variable with function, type and data"
        source.error(f"{expected}, found {shown(part.value)}; {hint}", part.at)
    else:
        declared[name] = part


def _check_holes(
    source: Source, templates: list[tuple[str, Path_]], declared: dict[str, Part]
) -> None:
    used: set[str] = set()
    for template, at in templates:
        for name in holes(template, exact=source.compat):
            used.add(name)
            if name not in declared:
                hint = nearest(name, list(declared))
                source.strict(f"uses an undeclared variable {name!r}.{hint}", at)
    for name, part in declared.items():
        if name not in used:
            source.warn(f"the variable {name!r} is declared but no goal uses it", part.at)
        if not name.isidentifier():
            source.warn(f"rules cannot name the variable {name!r}: it is no identifier", part.at)
