"""Readings of what stands in an edge of the page, and of what is by somebody."""

import re
from collections.abc import Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.pages.text_fit import contains
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_IN_EDGE = re.compile(
    r"^(?i:(?:that )?(?:(?:the|my|his|her|its|our|user|name|login|word|text|title|label) ){0,3})"
    r"(?P<name>⟦\d+⟧|[\w.@-]+(?: [A-Z][\w-]*){0,3}) (?:now |also |still )?"
    r"(?:appears|stands|can be (?:seen|read)|is (?:now |also |still )?(?:shown|displayed|visible|"
    r"listed|there|to be seen)) (?:now )?(?:in|at|on) the (?:top |page |site )?(?:right |left )?"
    r"(?P<edge>header|footer|sidebar|side bar|top bar|navigation|navbar|nav bar|menu bar|banner)"
    r"(?: of the page)?$"
)
_ROLES = {
    "header": "banner", "banner": "banner", "footer": "contentinfo", "top bar": "banner",
    "navigation": "navigation", "sidebar": "complementary", "side bar": "complementary",
}  # fmt: skip
_CLASSES = {
    "header": ("header", "topbar", "navbar"), "banner": ("header", "banner", "topbar"),
    "footer": ("footer",), "top bar": ("topbar", "navbar", "header"),
    "sidebar": ("sidebar", "sidenav", "aside"), "side bar": ("sidebar", "sidenav", "aside"),
    "navigation": ("nav", "navbar", "navigation"), "navbar": ("navbar", "nav"),
    "nav bar": ("navbar", "nav"), "menu bar": ("menubar", "navbar"),
}  # fmt: skip


def read_edge(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The name ida appears in the header``: by the role of that part, or by its class.

    That a part has not got the name says nothing: the page may draw its header in several parts.
    """
    match = _IN_EDGE.match(s.text)
    if match is None or s.denies or len(s.quoted) > 1:
        return None
    name, edge = s.unmask(match["name"]), match["edge"].lower()
    for element in page.elements:
        if contains(name, element.text or element.name) and _lies_in(element, edge, page):
            return answer("edge", True, f"'{name}' stands in the {edge}")
    return None


def _lies_in(element: Element, edge: str, page: PageContent) -> bool:
    for holder in (element, *page.layout.above(element)):
        if holder.role == _ROLES.get(edge):
            return True
        classes = re.split(r"[\s_-]+", holder.attributes.get("class", "").lower())
        if set(classes) & set(_CLASSES[edge]):
            return True
    return False


_BY = re.compile(
    r"^(?i:(?:that )?(?:an?|one|the|another) )(?:[a-z]+ )?[a-z]+ (?:by|from|of) (?P<name>[\w.@-]+) "
    r"is (?:now |also |still )?(?:shown|listed|displayed|there|visible)$"
)


def read_by_whom(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``A comment by ida is shown``: not if her name, which other pages show, is not there."""
    match = _BY.match(s.text)
    if match is None or s.denies or s.quoted:
        return None
    name = match["name"]
    if contains(name, page.text) or not _is_known(name, before):
        return None
    return answer("by whom", False, f"'{name}', whom other pages name, can't be read anywhere")


_MOST_PAGES = 6


def _is_known(name: str, before: Sequence[PageView]) -> bool:
    """Return whether an earlier page has a line that is just the name, as users are named."""
    return any(
        line.strip().casefold() == name.casefold()
        for view in before[-_MOST_PAGES:]
        for line in VisibleContent(view).blocks
    )
