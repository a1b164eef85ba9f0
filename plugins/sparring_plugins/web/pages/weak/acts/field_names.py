"""The field that a sentence names by its whole label, a part of a word, its value or its place."""

import re
from collections.abc import Sequence

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.words import content, split_words, stem
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS
from sparring_plugins.web.pages.controls import takes_text
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.acts.form_plans import is_search
from sparring_plugins.web.pages.weak.page.choosing import NAME_OF_ACT

_FIELD_NOUN = re.compile(r"\b(?:box|field|input|prompt)$", re.I)
_LONGEST_LABEL = 5


def only_described(intent: Intent, fields: Sequence[Element]) -> Element | None:
    """Return the only field of a page if a whole sentence labels it, or nothing does.

    "Type 'yes' into the safety box" below "To drop the table, write the word in capitals".
    """
    entries = [e for e in fields if takes_text(e) and not is_search(e)]
    if len(entries) != 1 or len(fields) != 1 or not _FIELD_NOUN.search(intent.words):
        return None
    label = entries[0].label or entries[0].name
    return entries[0] if not label or len(split_words(label)) > _LONGEST_LABEL else None


#: "In the second line enter the price 5": the second of the fields 'Price'
_AT_PLACE = re.compile(r"\b(?:in|for|of) the ([a-z-]+)(?= [a-z])", re.I)


def at_place(intent: Intent, fields: Sequence[Element]) -> Sequence[Element] | None:
    """Return the field at a place among several of one name, if it is there.

    Returns `None` if the sentence names no place, or there are not several.
    """
    names = (match[1].lower() for match in _AT_PLACE.finditer(intent.context))
    place = next((WORDS.ordinals[name] for name in names if name in WORDS.ordinals), 0)
    wanted = " ".join(content(_FIELD_NOUN.sub("", intent.words)))
    same = [
        e for e in fields
        if any(" ".join(content(t)) == wanted for t in (e.label, e.name, e.placeholder) if t)
    ]  # fmt: skip
    if not place or len(same) < 2:
        return None
    index = place - 1 if place > 0 else len(same) + place
    return same[index : index + 1] if index >= 0 else ()


def called_within(words: str, fields: Sequence[Element]) -> Element | None:
    """Return the only field whose label ends in the word: 'Username' for "your name".

    Returns `None` if a label has the word itself.
    """
    said = [w for w in content(_FIELD_NOUN.sub("", words)) if len(w) >= _SHORTEST_PART]
    shown = {e.id: set(split_words(f"{e.label} {e.name} {e.placeholder}")) for e in fields}
    if len(said) != 1 or any(stem(said[0]) in map(stem, own) for own in shown.values()):
        return None
    # 'Rename' is no kind of name
    fits = re.compile(rf"[a-z]{{3,}}{re.escape(said[0])}")
    within = [e for e in fields if any(map(fits.fullmatch, shown[e.id]))]
    return within[0] if len(within) == 1 else None


_SHORTEST_PART = 4


def holding(value: str, fields: Sequence[Element]) -> Element | None:
    """Return the only field or list that shows a value now."""
    shown = [
        e for e in fields
        if plain(e.value or "") == plain(value)
        or any(o.selected and plain(o.label) == plain(value) for o in e.options)
    ]  # fmt: skip
    return shown[0] if len(shown) == 1 else None


#: What a thing is called: "change the title" means the field that holds it, if none is called so.
_TITLES = frozenset({"title", "name", "heading", "headline", "caption"})


def holding_old(
    intent: Intent, fields: Sequence[Element], acts: Sequence[GuiAction]
) -> Element | None:
    """Return the field that holds what is to be changed: an old value, or the thing's own title.

    "Change the title to 'Elm'" where a field without a name holds 'Oak', which was clicked on or
    entered before.
    """
    if intent.old:
        return holding(intent.old, fields)
    words = content(intent.words)
    if not words or not _TITLES.issuperset(words):
        return None
    known = _names_acted_upon(acts)
    titles = [e for e in fields if _is_nameless_text(e) and plain(e.value or "") in known]
    return titles[0] if len(titles) == 1 else None


def _is_nameless_text(element: Element) -> bool:
    """Return whether it is a field with a text that no label, name or hint says more of."""
    is_named = any((element.name, element.label, element.placeholder, element.title))
    return takes_text(element) and not is_search(element) and bool(element.value) and not is_named


def _names_acted_upon(acts: Sequence[GuiAction]) -> set[str]:
    """Return the names of what was acted upon, and the texts that were entered."""
    names = [m[1] for act in acts if (m := NAME_OF_ACT.search(act.described or ""))]
    values = [act.value for act in acts if act.action == "fill" and isinstance(act.value, str)]
    return set(map(plain, (*names, *values)))


def called_in_full(words: str, fields: Sequence[Element]) -> Element | None:
    """Return the field whose label of several words stands in the sentence, the longest one.

    "the address to redirect from" is 'Redirect from', and not 'Redirect to'.
    """
    said = f" {plain(words)} "
    labels = {e.id: {plain(t).strip(" :*?") for t in (e.label, e.name) if t} for e in fields}
    spoken = {
        id_: max((len(t) for t in texts if " " in t and f" {t} " in said), default=0)
        for id_, texts in labels.items()
    }
    longest = max(spoken.values(), default=0)
    best = [e for e in fields if longest and spoken[e.id] == longest]
    return best[0] if len(best) == 1 else None
