"""Readings of what a field holds that is named by a part of its label: "the deposit is 20".

A label often says more than a tester: 'Deposit in percent', 'Name of the hall'. It is taken only if
no label on the page is just what the sentence says, and no other field has these words.
"""

import re
from collections.abc import Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, content, stems
from sparring_plugins.web.pages.controls import in_words, offers_choices, takes_text
from sparring_plugins.web.pages.predicates import compare, held_value
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_KINDS = frozenset({"field", "box", "value", "input", "setting", "option", "selection"})
_BE = frozenset({"is", "are", "was", "were", "holds", "reads", "shows", "contains"})
_QUANTITY = re.compile(
    r"^(?:set to |now |still |again )*(?P<number>[£$€]?\d[\d.,]*)\s?(?P<unit>\D*)$"
)


def read_field(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The deposit is 20 percent``: the only field whose label has 'deposit', and no label is it.

    Only numbers and quotations are denied: other words may be put otherwise.
    """
    words = [w for w in content(s.unmask(s.subject)) if w not in _KINDS | FREE.neutral]
    if s.verb not in _BE or not words or s.position:
        return None
    wanted = set(stems(" ".join(words)))
    if any(set(stems(fact.label)) <= wanted for fact in page.facts):
        return None
    fields = [e for e in page.elements if _takes_value(e) and wanted <= set(stems(_label(e)))]
    if (
        len(fields) != 1
        or not _is_head(words, _label(fields[0]))
        or page.visible.has_entered(fields[0], held_value(fields[0]))
    ):
        return None
    truth = _holds(s, fields[0])
    if truth is None:
        return None
    reason = f"{in_words(fields[0])} holds '{held_value(fields[0])[:60]}'"
    return answer("field", truth, reason, denies=s.denies)


def _is_head(words: Sequence[str], label: str) -> bool:
    """Return whether a label begins with the words: 'Max price' may be a filter, and no price."""
    heads = [word for word in stems(label) if word not in FREE.stop][: len(words)]
    return heads == list(stems(" ".join(words)))


def _takes_value(element: Element) -> bool:
    return (takes_text(element) or offers_choices(element)) and element.input_type != "password"


def _label(element: Element) -> str:
    return element.label or element.name


def _holds(s: Statement, field: Element) -> bool | None:
    said, held = s.unmask(s.complement), held_value(field)
    match = _QUANTITY.match(re.sub(r"^(?:not |no longer )", "", plain(said)))
    number = read_number(match["number"]) if match else None
    shown = read_number(held.strip()) if held.strip() else None
    if match is not None and number is not None and shown is not None:
        unit = {"percent" if word == "%" else word for word in match["unit"].split()}
        # "20 percent" of 'Deposit in percent'; of 'Deposit' it may be pounds
        known = set(stems(_label(field)))
        if unit and not set(stems(" ".join(unit))) <= known:
            return None
        return compare(shown, s.comparison, number)
    if plain(said) == plain(held) and held.strip():
        return True
    return False if s.quoted and plain(s.quoted[-1]) == plain(said) else None
