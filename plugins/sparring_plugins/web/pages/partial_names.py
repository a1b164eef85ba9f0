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
    if _is_own_line(target.text, chosen, layout):
        return PartialName(note=f"; '{target.text}' is a text of its own in it")
    return _check_part(target, grounding, chosen, layout)


def _check_part(
    target: Target, grounding: Grounding, chosen: Element, layout: Layout
) -> PartialName:
    """Check words that are a part of a name and no text of their own."""
    name, given = chosen.name or chosen.text or chosen.label, _words_of(target.text)
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


def _is_own_line(words: str, element: Element, layout: Layout) -> bool:
    """Return whether the words are one whole text of a link in a list that no other link has.

    A link around the title, the sender and the date of a mail is called by its title. A button's
    parts are no titles: 'Save' over 'and delete the rest' does not only save.
    """
    if element.role not in ("link", "option", "listitem", "row") or not element.row:
        return False
    texts = [e for e in layout.snapshot.elements if e.role == "text" and e.visible]
    holders = [
        holder.id
        for text in texts
        if plain(text.text) == plain(words)
        for holder in layout.above(text)
        if holder.role == element.role
    ]
    return holders == [element.id]


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
