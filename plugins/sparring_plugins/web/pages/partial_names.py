"""Parts of names: "Click on 'Delete'" on a page whose buttons are called "Delete account" ..."""

import re
from typing import NamedTuple

from sparring_plugins.web.pages.controls import VOCABULARY, in_words, takes_text
from sparring_plugins.web.pages.grounding import ENOUGH, Grounding, score
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import fit, plain
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
    given = set(_WORD.findall(plain(target.text)))
    grave = sorted((set(_WORD.findall(plain(name))) - given) & VOCABULARY.grave)
    if grave:
        return PartialName(
            f"'{target.text}' is only a part of the name of the {in_words(chosen)}, and the step "
            f"does not name '{grave[0]}': write the whole name if it is meant"
        )
    rivals = [
        element
        for candidate in grounding.candidates
        if candidate.score >= ENOUGH and (element := layout.by_id.get(candidate.element))
        if element is not chosen and element.visible and not takes_text(element)
        if plain(element.name or element.text) != plain(name)
        and set(_WORD.findall(plain(element.name or element.text))) >= given
    ]
    if rivals:
        names = ", ".join(in_words(element) for element in (chosen, *rivals[:3]))
        return PartialName(
            f"'{target.text}' is only a part of {len(rivals) + 1} names: {names}; write a whole one"
        )
    return PartialName(note=f"; '{target.text}' is only a part of its name, which no other has")
