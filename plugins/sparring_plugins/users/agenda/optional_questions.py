"""Questions that need no answer: whether one is optional, and what skips it."""

import re

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.knowledge import knowledge, says
from sparring_plugins.users.agenda.open_form import OpenForm

_QUOTED = re.compile(r"[\"'\u201c\u2018*]([^\"'\u201d\u2019*]{1,20})[\"'\u201d\u2019*]")

_NUMBER_TO_SKIP = re.compile(r"\b(\d) (?:for no|for none|to leave|to skip)\b")
"""The number that skips a question: "Your mobile, or 0 for no reminder."."""

_DASH = "-"
_SIGN = re.compile(r"[(\"'\u201c]\s?[-\u2013]\s?[)\"'\u201d]")
"""A dash that an app shows by itself: 'a dash (-) leaves it empty'."""


def is_optional(form: OpenForm) -> bool:
    """Return whether the app says that its question needs no answer."""
    if _NUMBER_TO_SKIP.search(folded(form.reply.text)) or types_dash(form.reply.text):
        return True  # "A note for us? Type it, or 0 to leave it out."
    words = form.question.words or folded(form.reply.text)
    return says(words, "anything") or says(words, "optional")


def types_dash(text: str) -> bool:
    """Return whether a dash is to be typed for nothing: "enter the code; otherwise a dash"."""
    if not says(folded(text), "dashes"):
        return bool(_SIGN.search(text)) and says(folded(text), "optional")
    return says(folded(text), "optional") or says(folded(text), "otherwise")


def skip_word(form: OpenForm) -> str | None:
    """Return the word that skips an optional question, as the app names it; None if it is not."""
    words = folded(form.hint)
    number = _NUMBER_TO_SKIP.search(words)
    if number is not None:
        return number[1]
    if types_dash(form.hint):
        return _DASH
    if not says(words, "optional"):
        return None
    for match in _QUOTED.finditer(form.hint):
        if folded(match[1]) in map(folded, knowledge().skips):
            return match[1]
    named = (word for word in knowledge().skips if f" {folded(word)} " in f" {words} ")
    return next((word for word in named if word != "no"), None)
