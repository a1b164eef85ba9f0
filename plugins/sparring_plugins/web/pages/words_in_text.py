"""Clicks on words within a text that are no element of their own: "Click on the word 'lamp'".

The middle of the text, on which a click would go, is any other word, and a script that listens on
the whole text asks where the click went.
"""

import re

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.controls import VOCABULARY, takes_clicks
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.step import Target

_CLICKS = frozenset({"click", "double_click", "right_click"})
_PROSE = VOCABULARY.sets["PROSE"]
_WRITTEN = "|".join(sorted(VOCABULARY.written))


def aim_at_words(act: GuiAction, target: Target, element: Element) -> GuiAction:
    """Return a click on the quoted words within a text that takes clicks as a whole."""
    is_click = act.action in _CLICKS and act.value is None
    if not (is_click and target.quoted and element.role in _PROSE):
        return act
    is_part = plain(target.text) != plain(element.text) and contains(target.text, element.text)
    return act.model_copy(update={"value": target.text}) if is_part else act


def find_words(sentence: str, target: Target, layout: Layout) -> Element | None:
    """Return the first text in view with the words that a step calls a word or a phrase.

    Nothing that takes clicks is called so: a page may listen for clicks on its whole document.
    "Click on 'Save'" means no text that mentions it.
    """
    is_placed = target.region or target.row or target.row_number or target.ordinal or target.by
    named = rf"""\b(?:{_WRITTEN}) ['"“‘]{re.escape(target.text)}['"”’]"""
    if not target.quoted or is_placed or not re.search(named, sentence, re.I):
        return None
    texts = (e for e in layout.snapshot.elements if e.role == "text" and e.visible)
    holders = (e for e in texts if contains(target.text, e.text))
    return next((e for e in holders if not any(map(takes_clicks, layout.above(e)))), None)
