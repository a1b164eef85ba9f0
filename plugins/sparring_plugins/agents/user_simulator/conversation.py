"""When conversations are over, in what style they are held, and how many there are."""

from collections.abc import Sequence
from typing import Any, cast

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring_plugins.agents.user_simulator.languages import language_name
from sparring_plugins.agents.user_simulator.shapes import Part, Parts
from sparring_plugins.agents.user_simulator.source import Path_, Source
from sparring_plugins.strategies.selectors.notation import Number, parse_number

STYLES: tuple[str, ...] = (
    "default",
    "long phrases",
    "short phrases",
    "make spelling mistakes",
    "single question",
    "all questions",
    "change your mind",
    "change language",
)
"""The interaction styles; ``random`` chooses among them."""

DEFAULT_LIMIT = 30
_SENSEI_MOST_STEPS = 19
_ALIASES = {
    "long phrase": "long phrases",
    "short phrase": "short phrases",
    "spelling mistakes": "make spelling mistakes",
    "single questions": "single question",
    "change languages": "change language",
}
_GOAL_STYLES = ("all_answered", "steps", "random steps", "default")


def read_number(source: Source, parts: Parts) -> Number:
    """How many conversations the author wants."""
    try:
        return parse_number(parts.value("number"))
    except ValueError as err:
        source.error(str(err), parts.at("number"))
        return Number()


def read_goal_style(source: Source, parts: Parts) -> dict[str, Any]:
    """When a conversation is over, as fields of the profile."""
    part = parts.get("goal_style")
    given = _given_styles(source, part)
    found: dict[str, Any] = {"goal_style": "default", "limit": DEFAULT_LIMIT}
    for name, inner in given.items():
        if name in ("steps", "random steps"):
            if "steps" in found:
                source.error("steps and random steps exclude each other", inner.at)
            found["steps"] = _steps(source, inner)
            if found["goal_style"] == "default":
                found["goal_style"] = name
        else:
            found |= _all_answered(source, inner) | {"goal_style": name}
    if found.get("steps") is not None and found["goal_style"] == "default" and "default" in given:
        found["goal_style"] = "all_answered"
    return found


def _given_styles(source: Source, part: Part | None) -> dict[str, Part]:
    """The goal styles given by name: a map, a name alone, or a list of these."""
    if part is None or part.value is None:
        return {}
    items = cast("list[Any]", part.value) if isinstance(part.value, list) else [part.value]
    given: dict[str, Part] = {}
    for index, item in enumerate(items):
        at = (*part.at, index) if isinstance(part.value, list) else part.at
        if isinstance(item, str):
            item, inner_at = {item: None}, at
        elif isinstance(item, dict):
            inner_at = None
        else:
            expected = f"expected one of {', '.join(_GOAL_STYLES)}"
            source.error(f"{expected}, found {shown(item)}", at)
            continue
        for key, value in cast("dict[Any, Any]", item).items():
            here = inner_at or (*at, key)
            name = " ".join(str(key).replace("_", " ").split()).casefold()
            name = "all_answered" if name == "all answered" else name
            if name not in _GOAL_STYLES:
                source.error(f"unknown goal style.{nearest(str(key), _GOAL_STYLES)}", here)
            else:
                given[name] = Part(value, here)
    return given


def _steps(source: Source, part: Part) -> int | None:
    steps = _positive(source, part.value, part.at)
    if source.compat and steps is not None and steps > _SENSEI_MOST_STEPS:
        source.error(f"SENSEI takes fewer than 20 steps, found {steps}", part.at)
    return steps


def _positive(source: Source, value: Any, at: Path_) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    source.error(f"expected a whole number of at least 1, found {shown(value)}", at)
    return None


def _all_answered(source: Source, part: Part) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if part.value is None or part.value is True:
        return found
    if not isinstance(part.value, dict):
        source.error(f"expected export and limit, found {shown(part.value)}", part.at)
        return found
    for key, value in cast("dict[Any, Any]", part.value).items():
        at = (*part.at, key)
        if key == "limit":
            found["limit"] = _positive(source, value, at) or DEFAULT_LIMIT
        elif key == "export":
            if isinstance(value, bool):
                found["export"] = value
            else:
                source.error(f"expected true or false, found {shown(value)}", at)
        else:
            source.error(f"unknown key.{nearest(str(key), ('export', 'limit'))}", at)
    return found


def read_styles(source: Source, parts: Parts) -> tuple[JsonValue, ...]:
    """The interaction styles; one ``{random: [...]}`` alone where they are chosen by chance."""
    value, at = parts.value("interaction_style"), parts.at("interaction_style")
    if value is None:
        return ("default",)
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    if items and isinstance(items[0], dict) and "random" in items[0]:
        inner_at = (*at, 0) if isinstance(value, list) else at
        return _random(source, items, cast("dict[str, Any]", items[0]), at, inner_at)
    return tuple(_styles(source, items, at)) or ("default",)


def _random(
    source: Source, items: list[Any], choice: dict[str, Any], at: Path_, inner_at: Path_
) -> tuple[JsonValue, ...]:
    if len(items) > 1 or len(choice) > 1:
        source.strict("random stands alone: put the other styles into its list", at)
    inner = choice["random"]
    at = (*inner_at, "random")
    if not isinstance(inner, list) or not inner:
        source.error(f"expected a list of styles to choose from, found {shown(inner)}", at)
        return ("default",)
    styles = _styles(source, cast("list[Any]", inner), at)
    return ({"random": styles},) if styles else ("default",)


def _styles(source: Source, items: Sequence[Any], at: Path_) -> list[JsonValue]:
    """The styles of a list; SENSEI drops an unknown one and all that follow."""
    styles: list[JsonValue] = []
    for index, item in enumerate(items):
        here = (*at, index)
        languages = None
        if isinstance(item, dict) and len(cast("dict[Any, Any]", item)) == 1:
            item, languages = next(iter(cast("dict[Any, Any]", item).items()))
        name = _ALIASES.get(str(item).strip(), str(item).strip())
        if name not in STYLES:
            source.strict(f"unknown interaction style {shown(item)}.{_known_styles(item)}", here)
            if source.compat:
                return styles
        elif name == "change language":
            styles += _change_language(source, languages, here)
        elif languages is not None:
            source.error(f"the style {name!r} takes no settings, found {shown(languages)}", here)
        else:
            styles.append(name)
    return styles


def _known_styles(item: Any) -> str:
    return nearest(str(item), (*STYLES, "random"))


def _change_language(source: Source, languages: Any, at: Path_) -> list[JsonValue]:
    listed = [languages] if isinstance(languages, str) else languages
    if not isinstance(listed, list) or not listed:
        hint = "write {change language: [French, Spanish]}"
        source.error(f"change language needs a list of languages: {hint}", at)
        return []
    kept: list[JsonValue] = []
    for index, name in enumerate(cast("list[Any]", listed)):
        try:
            language_name(str(name))
        except ValueError as err:
            source.strict(str(err), (*at, "change language", index))
        kept.append(str(name))
    return [{"change language": kept}]


def recorded(
    styles: Sequence[JsonValue], number: int | str | None, goals: dict[str, Any]
) -> tuple[JsonValue, ...]:
    """The conversation block as SENSEI stores it with each conversation.

    Styles and a random number of steps are those of the profile; whoever plays a case puts in
    what was chosen for it.
    """
    stop: dict[str, JsonValue] = {}
    if goals["goal_style"] in ("steps", "random steps"):
        inner: JsonValue = {goals["goal_style"]: goals.get("steps")}
        stop = {"goal_style": inner} if goals["goal_style"] == "random steps" else inner
    else:
        answered: JsonValue = {"export": goals.get("export", False), "limit": goals["limit"]}
        stop = {"all_answered": answered}
        if goals.get("steps"):
            stop["steps"] = goals["steps"]
    kept = ["single questions" if style == "single question" else style for style in styles]
    return ({"interaction_style": kept}, {"number": number}, stop)
