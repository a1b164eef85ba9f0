"""Parts of names: "Click on 'Delete'" on a page whose buttons are called "Delete account" ..."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sparring.model.page import Element
from sparring_plugins.web.pages.controls import VOCABULARY, in_words, takes_text
from sparring_plugins.web.pages.grounding import ENOUGH, Grounding, score
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import differ_in_number, fit, plain
from sparring_plugins.web.step import Target

_WORD = re.compile(r"\w+")


class PartialName(NamedTuple):
    """Why an element is not acted upon, or what to note if it is; both empty for a whole name."""

    refusal: str = ""
    note: str = ""


def check_partial_name(target: Target, grounding: Grounding, layout: Layout) -> PartialName:
    """Check that words which are only a part of a control's name cannot mean another one.

    A part of a name is enough if no other control has it, and if the rest of the name does not
    say that something is lost: 'Save' is not "Permanently remove everything and save".
    """
    chosen = grounding.chosen
    if chosen is None or not target.text.strip():
        return PartialName()
    _, channel, is_whole = score(target.text, chosen)
    name = chosen.name or chosen.text or chosen.label
    if is_whole or channel not in ("name", "label", "text") or not fit(target.text, name):
        return PartialName()
    given = _words_of(target.text)
    grave = sorted((_words_of(name) - given) & VOCABULARY.grave)
    if grave:
        return PartialName(
            f"'{target.text}' is only a part of the name of the {in_words(chosen)}, and the step "
            f"does not name '{grave[0]}': write the whole name if it is meant"
        )
    rivals = [
        element
        for element in _iterate_grounded(grounding, layout)
        if element is not chosen and _has_another_name(element, name, given)
    ]
    if rivals:
        names = ", ".join(in_words(element) for element in (chosen, *rivals[:3]))
        return PartialName(
            f"'{target.text}' is only a part of {len(rivals) + 1} names: {names}; write a whole one"
        )
    if differ_in_number(target.text, name):
        return PartialName(note=f"; '{target.text}' is its name in the other grammatical number")
    return PartialName(note=f"; '{target.text}' is only a part of its name, which no other has")


def _words_of(text: str) -> set[str]:
    return set(_WORD.findall(plain(text)))


def _iterate_grounded(grounding: Grounding, layout: Layout) -> Iterator[Element]:
    """Yield the elements that fit the step's words well enough to be meant by them."""
    for candidate in grounding.candidates:
        element = layout.by_id.get(candidate.element)
        if candidate.score >= ENOUGH and element is not None:
            yield element


def _has_another_name(element: Element, name: str, given: set[str]) -> bool:
    """Return whether a control that can be seen has the given words in a name of its own."""
    if not element.visible or takes_text(element):
        return False
    other = element.name or element.text
    return plain(other) != plain(name) and _words_of(other) >= given
