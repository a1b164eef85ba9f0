"""The form in which an app wants an answer: "(Y/N)", "S=small", "cash / card", "by commas"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.words.knowledge import knowledge


class FormatWords(BaseModel):
    """The word lists of forms of answers: see the comments of `answer_formats.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    yes_letters: frozenset[str]
    no_letters: frozenset[str]
    by_comma: tuple[str, ...]
    by_semicolon: tuple[str, ...]
    by_line: tuple[str, ...]
    of_lists: tuple[str, ...]


@lru_cache(maxsize=1)
def _words() -> FormatWords:
    data = bundled_yaml("sparring_plugins.users.agenda.replies", "answer_formats.yaml")
    return FormatWords.model_validate(data)


_EITHER = re.compile(
    r"(?P<mark>[(\[?:,]?)\s*(?<![^\W\d_])(?P<yes>[^\W\d_]{1,3})\s?[/|]\s?(?P<no>[^\W\d_]{1,4})\b"
)
_AMBIGUOUS = frozenset({"s", "o"})
"""Letters for a yes that need a mark before them: "ENTER THE S/N" asks for a serial number."""


def yes_and_no(text: str) -> tuple[str, str] | None:
    """Return the words for yes and no that a question shows; None if it shows none.

    ("Y", "N") of "LIFT (Y/N)?", ("yes", "no") of "Is there a lift? yes/no".
    """
    agreeing = knowledge().yes_words | _words().yes_letters
    declining = knowledge().no_words | _words().no_letters
    for match in _EITHER.finditer(text):
        yes, no = folded(match["yes"]), folded(match["no"])
        is_marked = bool(match["mark"]) or yes not in _AMBIGUOUS
        if is_marked and yes in agreeing and no in declining:
            return match["yes"], match["no"]
    return None


_KEYED = re.compile(r"(?P<key>\w{1,3})\s?=\s?(?P<label>\S.*)")


def keyed_options(options: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return labels and keys of options such as "S=small"; None unless all of them have a key."""
    matches = [_KEYED.fullmatch(option.strip()) for option in options]
    keyed = [match for match in matches if match is not None]
    if len(keyed) < max(2, len(matches)):
        return None
    return tuple(m["label"].strip() for m in keyed), tuple(m["key"] for m in keyed)


_BEHIND = re.compile(
    r"\s*[(\[]?\s*((?:\w[\w '-]{0,30}\s?[/|]\s?)+\w[\w '-]{0,30})[)\]]?\s*[.?]?\s*"
)


def options_behind(text: str, question: str) -> tuple[str, ...]:
    """Return the options that a reply ends with after its question: "Payment? cash / card"."""
    _, asked, rest = text.rpartition(question)
    match = _BEHIND.fullmatch(rest) if asked else None
    if match is None:
        return ()
    options = tuple(part.strip() for part in re.split(r"[/|]", match[1]))
    if any(_PART_OF_DATE.fullmatch(option) for option in options):
        return ()  # "Which day? DD/MM/YYYY"
    return options if all(re.search(r"[^\W\d_]", option) for option in options) else ()


_PART_OF_DATE = re.compile(r"[DTJGMYAdtjgmya]{2,4}")


def format_words() -> tuple[str, ...]:
    """Return all phrases that say how a list is to be written."""
    lists = _words()
    return (*lists.by_comma, *lists.by_semicolon, *lists.by_line, *lists.of_lists)


def list_separator(text: str) -> str | None:
    """Return what several things are to be separated by; None if a text does not say."""
    words, lists = folded(text), _words()
    for phrases, separator in (
        (lists.by_semicolon, "; "),
        (lists.by_comma, ", "),
        (lists.by_line, "\n"),
    ):
        if any(contains(words, phrase) for phrase in phrases):
            return separator
    return None
