"""When conversations are over, in what style they are held, and how many there are."""

import re
from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring_plugins.language.vocabulary import language_name
from sparring_plugins.users.profiles.profile_source import (
    Part,
    Parts,
    Path_,
    Source,
    listed,
    mapping,
    sequence,
)
from sparring_plugins.users.selectors.notation import Number, parse_number

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
_GOAL_STYLES = ("all_answered", "steps", "random steps", "default", "cost")
_COST = re.compile(
    r"(?:\$|USD|US\$)?\s?(\d{1,9}(?:\.\d{1,9})?)\s?(?:\$|USD|US dollars?|dollars?)?", re.IGNORECASE
)


def read_number(source: Source, parts: Parts) -> Number:
    """How many conversations the author wants."""
    try:
        return parse_number(parts.value("number"))
    except ValueError as err:
        source.error(str(err), parts.at("number"))
        return Number()


def read_goal_style(source: Source, parts: Parts) -> dict[str, Any]:
    """When a conversation is over, as fields of the profile."""
    styles = _given_styles(source, parts)
    fields: dict[str, Any] = {"goal_style": "default", "limit": DEFAULT_LIMIT}
    if "cost" in parts and "cost" in styles:
        source.error("says again what goal_style.cost says", parts.at("cost"))
    cost = styles.pop("cost", None)
    limit = parts.get("cost") if cost is None else cost
    if limit is not None:
        fields["cost"] = _cost(source, limit)
    if cost is not None and not styles:
        return fields | {"goal_style": "cost"}
    for name in ("all_answered", "default"):
        if name in styles:
            fields |= _all_answered(source, styles[name]) | {"goal_style": name}
    return fields | _counted_steps(source, styles)


def _counted_steps(source: Source, styles: dict[str, Part]) -> dict[str, Any]:
    """The steps of a goal style, with what ends a conversation if other styles stand beside it."""
    counted = [name for name in ("steps", "random steps") if name in styles]
    if not counted:
        return {}
    fields = [{"steps": _steps(source, styles[name])} for name in counted][-1]
    name = counted[0]
    if len(counted) > 1 or (name == "random steps" and len(styles) > 1):
        source.error("random steps stands alone", styles["random steps"].at)
    if len(styles) == 1:
        return fields | {"goal_style": name}
    if source.compat:
        source.warn("SENSEI counts the steps only", styles[name].at)
        return fields | {"goal_style": name}
    return fields | {"goal_style": "all_answered"}


def _cost(source: Source, part: Part) -> float | None:
    """A sum of money in US dollars: a number, or a text such as ``0.50 USD``."""
    value = part.value
    if isinstance(value, str) and (match := _COST.fullmatch(value.strip())):
        value = float(match[1])
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e9:
        return float(value)
    source.error(
        f"expected a sum in US dollars, such as 0.05 or '0.05 USD', found {shown(part.value)}",
        part.at,
    )
    return None


def _given_styles(source: Source, parts: Parts) -> dict[str, Part]:
    """The goal styles given by name: a map, a name alone, or a list of these."""
    styles: dict[str, Part] = {}
    for item, at in listed(parts.value("goal_style"), parts.at("goal_style")):
        entries = {item: None} if isinstance(item, str) else mapping(item)
        if entries is None:
            expected = f"expected one of {', '.join(_GOAL_STYLES)}"
            source.error(f"{expected}, found {shown(item)}", at)
            continue
        for key, value in entries.items():
            here = at if isinstance(item, str) else (*at, key)
            name = " ".join(str(key).replace("_", " ").split()).casefold()
            name = "all_answered" if name == "all answered" else name
            if name not in _GOAL_STYLES:
                source.error(f"unknown goal style.{nearest(str(key), _GOAL_STYLES)}", here)
            else:
                styles[name] = Part(value, here)
    return styles


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
    fields: dict[str, Any] = {}
    entries = mapping(part.value)
    if entries is None and part.value not in (None, True):
        source.error(f"expected export and limit, found {shown(part.value)}", part.at)
    for key, value in (entries or {}).items():
        at = (*part.at, key)
        if key == "limit":
            fields["limit"] = _positive(source, value, at) or DEFAULT_LIMIT
        elif key != "export":
            source.error(f"unknown key.{nearest(str(key), ('export', 'limit'))}", at)
        elif isinstance(value, bool):
            fields["export"] = value
        else:
            source.error(f"expected true or false, found {shown(value)}", at)
    return fields


def read_styles(source: Source, parts: Parts) -> tuple[JsonValue, ...]:
    """The interaction styles; one ``{random: [...]}`` alone if they are chosen by chance."""
    at = parts.at("interaction_style")
    items = listed(parts.value("interaction_style"), at)
    if items:
        choice = mapping(items[0][0])
        if choice is not None and "random" in choice:
            if len(items) > 1 or len(choice) > 1:
                source.strict("random stands alone: put the other styles into its list", at)
            return _random(source, choice["random"], (*items[0][1], "random"))
    return tuple(_styles(source, items)) or ("default",)


def _random(source: Source, inner: Any, at: Path_) -> tuple[JsonValue, ...]:
    if not sequence(inner):
        source.error(f"expected a list of styles to choose from, found {shown(inner)}", at)
        return ("default",)
    styles = _styles(source, listed(inner, at))
    return ({"random": styles},) if styles else ("default",)


def _styles(source: Source, items: Sequence[tuple[Any, Path_]]) -> list[JsonValue]:
    """The styles of a list; SENSEI drops an unknown one and all that follow."""
    styles: list[JsonValue] = []
    for item, at in items:
        entries = mapping(item) or {}
        written, settings = next(iter(entries.items())) if len(entries) == 1 else (item, None)
        name = _ALIASES.get(str(written).strip(), str(written).strip())
        if name not in STYLES:
            hint = nearest(str(written), (*STYLES, "random"))
            source.strict(f"unknown interaction style {shown(written)}.{hint}", at)
            if source.compat:
                return styles
        elif name == "change language":
            styles += _change_language(source, settings, (*at, written) if entries else at)
        elif settings is not None:
            source.error(f"the style {name!r} takes no settings, found {shown(settings)}", at)
        else:
            styles.append(name)
    return styles


def _change_language(source: Source, languages: Any, at: Path_) -> list[JsonValue]:
    names = listed(languages, at)
    if not names:
        hint = "write {change language: [French, Spanish]}"
        source.error(f"change language needs a list of languages: {hint}", at)
        return []
    for name, here in names:
        try:
            language_name(str(name))
        except ValueError as err:
            source.strict(str(err), here)
    return [{"change language": [str(name) for name, _ in names]}]


def recorded(
    styles: Sequence[JsonValue], number: int | str | None, goals: dict[str, Any]
) -> tuple[JsonValue, ...]:
    """The conversation block as SENSEI stores it with each conversation.

    Styles and a random number of steps are those of the profile; whoever plays a case puts in
    what was chosen for it.
    """
    steps = goals.get("steps")
    stop: dict[str, JsonValue]
    if goals["goal_style"] == "steps":
        stop = {"steps": steps}
    elif goals["goal_style"] == "cost":
        stop = {"goal_style": {"cost": goals["cost"]}}
    elif goals["goal_style"] == "random steps":
        stop = {"goal_style": {"random steps": steps}}
    else:
        answered: JsonValue = {"export": goals.get("export", False), "limit": goals["limit"]}
        stop = {"all_answered": answered} | ({"steps": steps} if steps else {})
    kept = ["single questions" if style == "single question" else style for style in styles]
    return ({"interaction_style": kept}, {"number": number}, stop)
