"""How the user speaks in one case: the interaction styles, drawn with the case's seed."""

from collections.abc import Callable, Sequence
from random import Random
from typing import cast

from pydantic import JsonValue

CHANGE = 0.3
"""How often a user who changes languages speaks another one (SENSEI: 30 of 100 turns)."""

_CHANGING = "change language"
_MOST = 100
_STORED = {"single question": "single questions"}


def styles_of_case(styles: Sequence[JsonValue], seed: int) -> tuple[JsonValue, ...]:
    """The styles of a case: the profile's own, or some of those to choose among.

    Of ``{random: [...]}`` as many as a first draw says, from one to all, are drawn with the seed.
    """
    among = _list_style_values(styles[0], "random") if styles else []
    if not among:
        return tuple(styles)
    draw = Random(f"{seed}/styles")
    return tuple(draw.sample(among, draw.randint(1, len(among))))


def language_of_turn(styles: Sequence[JsonValue], language: str, seed: int, spoken: int) -> str:
    """The language that the user speaks next, after `spoken` turns of its own.

    It is `language`, unless the styles of the case change languages: then it is, in 30 of 100
    turns, one of those listed, drawn with the seed.
    """
    among = [name for name in languages_of(styles) if name.strip()]
    draw = Random(f"{seed}/language/{spoken}")
    return draw.choice(among) if among and draw.random() < CHANGE else language


def languages_of(styles: Sequence[JsonValue]) -> list[str]:
    """The languages that the styles of a case change among; none if they do not."""
    listed = [name for style in styles[:_MOST] for name in _list_style_values(style, _CHANGING)]
    return [name for name in listed if isinstance(name, str)]


def languages_in(styles: Sequence[JsonValue]) -> list[str]:
    """The languages that any style of a profile may change to, also those drawn at random."""
    among = [inner for style in styles for inner in _list_style_values(style, "random")]
    return list(dict.fromkeys(name for name in languages_of([*styles, *among]) if name.strip()))


def speakable(styles: Sequence[JsonValue], speaks: Callable[[str], bool]) -> tuple[JsonValue, ...]:
    """The styles without the languages that the user does not speak."""
    return tuple(_speakable(style, speaks) for style in styles)


def _speakable(style: JsonValue, speaks: Callable[[str], bool]) -> JsonValue:
    if among := _list_style_values(style, "random"):
        return {"random": [_speakable(inner, speaks) for inner in among]}
    if names := _list_style_values(style, _CHANGING):
        return {_CHANGING: [inner for inner in names if isinstance(inner, str) and speaks(inner)]}
    return style


def names_of(styles: Sequence[JsonValue]) -> frozenset[str]:
    """The names of the styles of a case."""
    names = [next(iter(style), "") if isinstance(style, dict) else style for style in styles]
    return frozenset(name for name in names if isinstance(name, str))


def played(
    conversation: Sequence[JsonValue],
    styles: Sequence[JsonValue],
    *,
    language: str,
    seed: int,
    spoken: int,
) -> list[JsonValue]:
    """The conversation block of a profile, with the styles as a case of it was played.

    `spoken` is how many turns the user took: SENSEI stores the language of each.
    """
    own = styles_of_case(styles, seed)
    said: list[JsonValue] = [
        language_of_turn(own, language, seed, number) for number in range(spoken)
    ]
    kept: list[JsonValue] = [
        {"change languages": said}
        if _list_style_values(style, _CHANGING)
        else _STORED.get(style, style)
        if isinstance(style, str)
        else style
        for style in own
    ]
    return [
        {**block, "interaction_style": kept}
        if isinstance(block, dict) and "interaction_style" in block
        else block
        for block in conversation
    ]


def _list_style_values(style: JsonValue, name: str) -> list[JsonValue]:
    """What a style ``{name: [...]}`` lists; nothing for any other."""
    items = style.get(name) if isinstance(style, dict) else None
    return cast("list[JsonValue]", items) if isinstance(items, list) else []
