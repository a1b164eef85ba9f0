"""Goals: templates with holes, and the values that fill them."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.roles import Goal
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_source import (
    Part,
    Parts,
    Path_,
    Source,
    listed,
    mapping,
    quoting,
)

_HOLE = re.compile(r"\{\{([^{}]*)\}\}")
_ONE = re.compile(r"(?<![\w.,:/-])1 ([a-z]{3,30})\b")
"""One thing stands in the singular: "1 boxes" becomes "1 box"."""
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
    return tuple(dict.fromkeys(_name(inside, exact) for inside in _HOLE.findall(template)))


def _name(inside: str, exact: bool) -> str:
    return inside if exact else inside.strip()


def goals_of(profile: Profile, params: Mapping[str, JsonValue]) -> tuple[Goal, ...]:
    """The goals of a case: its values in words in the holes of the profile's templates.

    Raises ConfigurationError if the case has no value for a variable.
    """
    return tuple(_goal(profile, template, params) for template in profile.goals)


def _goal(profile: Profile, template: str, params: Mapping[str, JsonValue]) -> Goal:
    exact = profile.compat == "sensei"
    declared = {variable.name for variable in profile.variables}
    inputs = tuple(name for name in holes(template, exact=exact) if name in declared)
    for name in inputs:
        if name not in params:
            message = f"the case has no value for {name!r}"
            raise ConfigurationError(Problem(message, profile.source, key=profile.name))
    phrase = _fill_template(template, inputs, params, profile.language, exact=exact)
    return Goal(phrase=phrase, template=template, inputs=inputs)


def _fill_template(
    template: str,
    inputs: Collection[str],
    params: Mapping[str, JsonValue],
    language: str,
    *,
    exact: bool,
) -> str:
    """A template with values in its holes; `exact` as SENSEI fills them."""

    def filled(match: re.Match[str]) -> str:
        name = _name(match[1], exact)
        if name not in inputs:
            return match[0]
        return spoken(params[name], None if exact else language)

    phrase = _HOLE.sub(filled, template)
    # "book {{n}} nights" with 1 would be "book 1 nights"
    ones = any(spoken(params[name]) == "1" for name in inputs)
    if ones and not exact and language == "English":
        phrase = _ONE.sub(lambda match: f"1 {_singular(match[1])}", phrase)
    return phrase


def filled_text(template: str, values: Mapping[str, JsonValue]) -> str:
    """A text with values in its holes; holes of unknown names stay."""

    def filled(match: re.Match[str]) -> str:
        name = match[1].strip()
        return spoken(values[name]) if name in values else match[0]

    return _HOLE.sub(filled, template)


def revised_goals(
    goals: Sequence[Goal],
    before: Mapping[str, JsonValue],
    revised: Mapping[str, JsonValue],
    language: str,
) -> tuple[Goal, ...]:
    """The goals with other values in them, for the inputs that are revised.

    `before` has the values that their phrases were made with.
    """
    return tuple(_revise_goal(goal, before, revised, language) for goal in goals)


def _revise_goal(
    goal: Goal, before: Mapping[str, JsonValue], revised: Mapping[str, JsonValue], language: str
) -> Goal:
    changed = [name for name in goal.inputs if name in revised and name in before]
    if not changed or any(name not in before for name in goal.inputs):
        return goal
    now = {**before, **revised}
    # a phrase that was made in the way of SENSEI is made anew in that way
    for exact in (False, True):
        if _fill_template(goal.template, goal.inputs, before, language, exact=exact) == goal.phrase:
            phrase = _fill_template(goal.template, goal.inputs, now, language, exact=exact)
            return goal.model_copy(update={"phrase": phrase})
    phrase = goal.phrase  # not made from its template: put the words in the place of the words
    for name in changed:
        old, new = spoken(before[name], language), spoken(now[name], language)
        phrase = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new.replace("\\", r"\\"), phrase)
    return goal.model_copy(update={"phrase": phrase})


def _singular(noun: str) -> str:
    """The singular of a regular English plural; any other word as it is."""
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "xes", "sses")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is", "as", "ves")):
        return noun[:-1]
    return noun


def spoken(value: JsonValue, language: str | None = "English") -> str:
    """A value as people say it: ``cheese, ham and corn``.

    Without a language, or in one whose word for "and" is not known here, commas alone.
    """
    if not isinstance(value, list):
        return _single(value)
    items = [_single(item) for item in value]
    word = _AND.get(language or "")
    # "cheese, ham" is understood in any language
    if word is None or len(items) < 2:
        return ", ".join(items)
    # Spanish: "queso e hinojo", but "agua y hielo"
    if word == "y" and re.match(r"h?i(?![ae])", items[-1].casefold()):
        word = "e"
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def _single(value: JsonValue) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


# --- Reading goals from a profile


class GoalReader:
    """Reads the goals of one profile: `templates`, and `declared` variables by name."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.templates: list[tuple[str, Path_]] = []
        self.declared: dict[str, Part] = {}

    def read(self, parts: Parts) -> None:
        """Read SENSEI's list, which mixes both, or the paper's ``templates`` and ``inputs``."""
        value, at = parts.value("goals"), parts.at("goals")
        errors = len(self.source.problems)
        entries = mapping(value)
        if entries is None:
            self._items(value, at, "goal")
        else:
            self._paper_form(entries, at)
        if not self.templates and len(self.source.problems) == errors:
            self.source.error("missing: a profile has at least one goal", at)
        self._check_holes(parts)

    def _paper_form(self, entries: dict[Any, Any], at: Path_) -> None:
        self.source.spellings.add("templates")
        for key, value in entries.items():
            if key == "templates":
                self._items(value, (*at, key), "template")
            elif key == "inputs":
                self._items(value, (*at, key), "input")
            else:
                hint = nearest(str(key), ("templates", "inputs"))
                self.source.error(f"unknown key.{hint}", (*at, str(key)))

    def _items(self, value: Any, at: Path_, kind: Literal["goal", "template", "input"]) -> None:
        for item, here in listed(value, at):
            entries = mapping(item)
            if item is None or item == "":
                self.source.warn("an empty goal is passed over", here)
            elif isinstance(item, str) and kind != "input":
                self.templates.append((item.strip(), here))
            elif entries is not None and kind != "template":
                for name, spec in entries.items():
                    self._declare(str(name).strip(), Part(spec, (*here, name)))
            else:
                what = "variable with function, type and data" if kind == "input" else "goal"
                shown_item = f"{shown(item)}{quoting(item)}"
                self.source.error(f"expected a {what}, found {shown_item}", here)

    def _declare(self, name: str, part: Part) -> None:
        if name in self.declared:
            line = self.source.document.line(self.declared[name].at)
            self.source.error(f"the variable is declared twice (first on line {line})", part.at)
        elif not isinstance(part.value, (dict, list)):
            expected = "expected a variable with function, type and data"
            hint = "a goal with a colon needs quotes"
            self.source.error(f"{expected}, found {shown(part.value)}; {hint}", part.at)
        else:
            self.declared[name] = part

    def _check_other_holes(self, parts: Parts) -> set[str]:
        """The variables that role and context use; unknown ones are problems.

        A hole that nobody fills would be said to the app as it stands.
        """
        used: set[str] = set()
        if self.source.compat:
            return used
        for key in ("role", "context"):
            for text, at in listed(parts.value(key), parts.at(key)):
                for name in holes(text) if isinstance(text, str) else ():
                    used.add(name)
                    if name not in self.declared:
                        hint = nearest(name, list(self.declared))
                        self.source.error(f"uses an undeclared variable {name!r}.{hint}", at)
        return used

    def _check_holes(self, parts: Parts) -> None:
        used: set[str] = set()
        for template, at in self.templates:
            for name in holes(template, exact=self.source.compat):
                used.add(name)
                if name not in self.declared:
                    hint = nearest(name, list(self.declared))
                    self.source.strict(f"uses an undeclared variable {name!r}.{hint}", at)
        used |= self._check_other_holes(parts)
        for name, part in self.declared.items():
            if name not in used:
                message = f"the variable {name!r} is declared but no goal uses it"
                self.source.warn(message, part.at)
            if not name.isidentifier():
                message = f"rules cannot name the variable {name!r}: it is no identifier"
                self.source.warn(message, part.at)
