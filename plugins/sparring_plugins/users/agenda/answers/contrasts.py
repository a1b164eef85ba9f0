"""What excludes what in a read-back: a single room a double one, Rome to Oslo the way back."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.facts import names_in


class ContrastWords(BaseModel):
    """The word lists of contrasts: see the comments of `contrasts.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    events: tuple[tuple[tuple[str, ...], ...], ...]
    classes: tuple[tuple[tuple[str, ...], ...], ...]
    greetings: tuple[str, ...]
    wanting: tuple[str, ...]
    excluding: tuple[str, ...]
    ways: tuple[str, ...]


@lru_cache(maxsize=1)
def _words() -> ContrastWords:
    data = bundled_yaml("sparring_plugins.users.agenda.answers", "contrasts.yaml")
    return ContrastWords.model_validate(data)


def contrasted(wish: str, text: str) -> Iterator[str]:
    """Yield what a text states otherwise than a wish, in the words of the wish.

    Args:
        wish: What the user wants: "book a double room with breakfast".
        text: What the app reads back: "So a single room without breakfast?".
    """
    own, said = folded(wish), f" {folded(text)} "
    for greeting in _words().greetings:
        said = said.replace(f" {greeting} ", " ")
    for groups in _words().classes:
        wanted = {word: group for group in groups if (word := _word_of(group, own))}
        stated = [group for group in groups if _word_of(group, said)]
        for word, group in wanted.items():
            other = _is_mixed_up(word, group, groups, wish, text)
            if other or (len(wanted) == 1 and stated and group not in stated):
                yield _with_thing(word, wish)
    yield from _additions_denied(wish, text)
    yield from _additions_replaced(wish, text)


def event_contrasted(fact: str, text: str) -> Iterator[str]:
    """Yield what happened by a fact, if a text has the contrary: "stolen" for "as lost"."""
    own, said = folded(fact), folded(text)
    for groups in _words().events:
        happened = [word for group in groups if (word := _word_of(group, own))]
        stated = [group for group in groups if _word_of(group, said)]
        if len(happened) == 1 and len(stated) == 1 and happened[0] not in stated[0]:
            yield happened[0]


def _is_mixed_up(
    word: str, group: Sequence[str], groups: Sequence[Sequence[str]], wish: str, text: str
) -> bool:
    """Whether a thing of a wish is stated with another word only: small pizzas for large ones.

    The word may stand behind its thing: "1 x calzone large".
    """
    said = f" {folded(text)} "
    phrase = _with_thing(word, wish)
    thing = names_in(phrase.rpartition(f"{word} ")[2]) if f"{word} " in phrase else frozenset[str]()
    stated = {
        other
        for others in groups
        for other in others
        for match in (
            *re.finditer(rf"\b{re.escape(other)} (\w+)", said),
            *re.finditer(rf"\b(\w+) {re.escape(other)}(?=\s*(?:[,.;)\n]|$))", text, re.IGNORECASE),
        )
        if names_in(match[1]) & thing
    }
    return bool(stated) and stated.isdisjoint(group)


def _word_of(group: Sequence[str], words: str) -> str | None:
    return next((word for word in group if contains(words, word)), None)


def _with_thing(word: str, wish: str) -> str:
    """A word of a wish with the one behind it: "double room"; alone before a preposition."""
    behind = r"(?:\s+(?!(?:at|on|for|from|to|in|of|and)\b)\w+)?"
    match = re.search(rf"\b(?:an? )?{re.escape(word)}\b{behind}", wish, re.IGNORECASE)
    return match[0] if match is not None else word


def _additions_denied(wish: str, text: str) -> Iterator[str]:
    """What a wish has "with" it and a text has not: "without breakfast", "breakfast: no"."""
    said = folded(text)
    for thing, whole in _additions(wish):
        if any(contains(said, f"{word} {thing}") for word in _words().excluding):
            yield whole


def _additions_replaced(wish: str, text: str) -> Iterator[str]:
    """What a wish has with a thing, if a text names the same thing with something else.

    "two pizzas with olives" is wrong for "two pizzas with mushrooms".
    """
    said = folded(text)
    lead = "|".join(map(re.escape, _words().wanting))
    pattern = re.compile(rf"\b(\w+) (?:{lead}) (?!(?:the|your|my|a|an)\b)(\w+)")
    stated = {match[1]: match[2] for match in pattern.finditer(said)}
    for match in pattern.finditer(folded(wish)):
        thing, addition = match[1], match[2]
        other = next((stated[label] for label in stated if names_in(label) & names_in(thing)), None)
        if other is not None and other != addition and not contains(said, addition):
            yield f"with {addition}"


def _additions(wish: str) -> Iterator[tuple[str, str]]:
    lead = "|".join(map(re.escape, _words().wanting))
    for match in re.finditer(rf"\b(?:{lead}) (?:(?:the|a|an) )?(\w+)", folded(wish)):
        yield match[1], match[0]


def swapped_ends(begin: str, end: str, text: str) -> bool:
    """Return whether a text goes the other way: "Rome to Oslo" for a way from Oslo to Rome."""
    ways = "|".join(map(re.escape, _words().ways))
    back = rf"\b{re.escape(folded(end))} (?:{ways}) (?:the )?{re.escape(folded(begin))}\b"
    return re.search(back, folded(text)) is not None
