"""A reading of what is said of the one thing that a page shows: "It is filed under Trees"."""

import re
from collections.abc import Iterator, Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, LIST_JOINT, has_phrase, split_words
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer, literals
from sparring_plugins.web.pages.weak.page.choosing import EDGES
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_ONE_THING = re.compile(
    r"^(?:that )?(?i:it|this|he|she|(?:the|this)(?= [a-z]))(?: [a-z][a-z-]*){0,2}$"
)
_VERBS = frozenset({"is", "was", "has", "have", "carries", "belongs", "shows", "comes"})
#: What stands in front of a value: "called Oak", "written by Ida", "filed under Trees".
_RELATION = re.compile(
    r"^(?:(?:now|still|also|already) )*(?:the |an? )?"
    r"(?:(?:called|named|titled|entitled)|[a-z]+(?:ed|en|s|ing|de|lt|nt|ld)? "
    r"(?:by|under|in|to|at|on|from|with|for|as|of)|(?:tags?|labels?|categor(?:y|ies)|names?))"
    r" (?:the |an? )?",
    re.I,
)
_ALREADY_LISTED = frozenset({"columnheader", "option", "menuitem", "tab"})
_FEWEST_CHARACTERS = 3
#: A list of fewer links may be the tags of the thing.
_FEWEST_ENTRIES = 4


def read_detail(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``It is called Oak and was planted by Ida``: each value is a text of its own on the page.

    Only where the page shows one thing: a table of several may have the values anywhere. As a page
    says in many ways what something is, it is never false.
    """
    if not _says_what_it_is(s) or any(len(t.data) > 1 for t in page.main_tables):
        return None
    values = [plain(value) for value in _values_of(s)]
    if not values or (len(values) < 2 and not set(values) & _specific(s)):
        return None
    shown = {plain(text) for text in _own_texts(page)}
    if set(values) <= shown:
        return answer("detail", True, f"the page has {', '.join(values)}")
    return None


def _says_what_it_is(s: Statement) -> bool:
    plainly = not (s.denies or s.position or s.numbers) and s.comparison == "=="
    if not plainly or s.verb not in _VERBS or not _ONE_THING.match(s.subject):
        return False
    if set(split_words(s.subject)) & {"tab", "window", "browser", "title"}:
        return False  # what stands on the page is not the title of its tab
    relating = set(split_words(s.low)) & FREE.relating - {"under", "each", "both", "like"}
    return not relating and not has_phrase(s.low, FREE.absence)


def _specific(s: Statement) -> frozenset[str]:
    return frozenset(plain(text) for text in literals(s, f"a {s.complement}"))


def _values_of(s: Statement) -> Iterator[str]:
    for part in LIST_JOINT.split(s.complement):
        value = s.unmask(_RELATION.sub("", part.strip(), count=1)).strip(" .,;")
        if value:
            yield value


def _own_texts(page: PageContent) -> Iterator[str]:
    """Yield the texts of elements in the main part of a page, and what its labels have."""
    menus = _menu_lists(page)
    for element in page.elements:
        if element.role in _ALREADY_LISTED or not _is_in_main_part(element, page, menus):
            continue
        for text in (element.text, element.name):
            if text and len(text) >= _FEWEST_CHARACTERS and read_number(text) is None:
                yield text
    for fact in page.facts:
        if not fact.row and not fact.is_entered:
            yield fact.value


def _is_in_main_part(element: Element, page: PageContent, menus: frozenset[str]) -> bool:
    holders = tuple(page.layout.above(element))
    if any(h.id in menus for h in holders):
        return False
    return not any(h.role in EDGES | _ALREADY_LISTED | {"menu", "tablist"} for h in holders)


def _menu_lists(page: PageContent) -> frozenset[str]:
    """Return the lists whose items are nothing but links: menus, whatever they are drawn as."""
    links: dict[str, list[bool]] = {}
    for element in page.elements:
        if element.role != "listitem" or not element.parent:
            continue
        inner = [e for e in page.elements if e.parent == element.id and e.role != "text"]
        only_link = [e.role for e in inner] == ["link"] and plain(inner[0].text) == plain(
            element.text
        )
        links.setdefault(element.parent, []).append(only_link)
    return frozenset(
        key for key, items in links.items() if len(items) >= _FEWEST_ENTRIES and all(items)
    )
