"""Putting wants and values into words, differently each time."""

from collections.abc import Sequence
from random import Random

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import vocabulary
from sparring_plugins.users.agenda.frame_text import LONGEST, filled, sentence
from sparring_plugins.users.agenda.frames import Frames, frames
from sparring_plugins.users.agenda.style import Manner
from sparring_plugins.users.agenda.user_goals import Want

_EQUAL = 2


def phrasings(want: Want, seed: int, manner: Manner | None = None) -> list[str]:
    """All ways to say a want: natural ones first, shorter and simpler ones after them.

    A user that speaks short or long begins with the shortest or longest of the natural ones; in
    another language than the profile's the goal's own words stand in phrases of that language.
    """
    texts: list[str]
    if manner is not None and manner.abroad and want.language != manner.language:
        texts = _abroad(want, frames(manner.language))
    elif want.language == "Other":
        texts = [sentence(want.words)]
    else:
        texts = [filled(frame, want.words) for frame in getattr(frames(want.language), want.frame)]
        if want.frame in ("request", "action") and Random(f"{seed} {want.key}").random() < 0.5:
            texts[:_EQUAL] = texts[:_EQUAL][::-1]
    short = keywords(want.words)
    if want.frame != "statement":  # whose second frame is for saying it again
        texts = _by_length(texts, manner)
    ways = [*texts, *([short] if short else []), want.words]
    return list(dict.fromkeys(ways))


def _abroad(want: Want, known: Frames) -> list[str]:
    """Words of another language in phrases of one: never the bare words alone."""
    listed: tuple[str, ...] = () if want.language == "Other" else getattr(known, want.frame)
    kept = [frame for frame in listed if len(folded(frame.replace("{X}", "{x}")).split()) > 1]
    if want.frame == "statement":
        kept = []
    return [filled(frame, want.words) for frame in (*kept, *known.quote)]


def _by_length(texts: Sequence[str], manner: Manner | None) -> list[str]:
    """Ways to say a thing, those that suit the user's length of sentences first."""
    length = manner.length if manner is not None else "normal"
    if length == "normal":
        return list(texts)
    sign = 1 if length == "short" else -1
    return sorted(texts, key=lambda text: sign * len(text.split()))


def keywords(words: str) -> str:
    """The content words of a text alone, as people type them into a search field."""
    stop = vocabulary().stop
    kept = [
        word
        for word in words.replace("?", " ").replace(",", " ").split()
        if folded(word) and not all(part in stop for part in folded(word).split())
    ]
    return " ".join(kept)[:LONGEST].strip(".¿?!:; ")


def joined(values: list[str], language: str) -> str:
    """Values as people list them."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} {frames(language).and_} {values[-1]}"


def said(manner: Manner, what: str, seed: int, turn: int = 0) -> str:
    """One of the frames called `what`, chosen by the seed; later ones as the turn grows.

    A user that speaks short or long takes the shortest or longest ones first.
    """
    texts: tuple[str, ...] = getattr(frames(manner.language), what)
    if manner.length != "normal":
        return _by_length(texts, manner)[turn % len(texts)]
    return texts[(Random(f"{seed} {what}").randrange(len(texts)) + turn) % len(texts)]
