"""Places that are the page itself: "a.txt is in the trash" on the page *Trash*."""

import re
from dataclasses import replace

from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import split_words, stem
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_PLACE = re.compile(
    r"^(?P<thing>.{1,60}?) (?P<verb>is|are|stands|appears|isn't|aren't)(?P<not> (?:not|no longer))?"
    r"(?: (?:now|still|also|again|listed|shown|displayed|found))*"
    r" (?:in|under|on|among|below) (?:the )?(?P<place>[\w -]{2,30}?)"
    r"(?: (?:page|tab|list|folder|section|view|table))?$",
    re.I,
)


def drop_place(s: Statement, page: PageContent) -> Statement | None:
    """Return that a thing is listed, if the place that a statement names is in view as a whole."""
    match = _PLACE.match(s.text.strip(" ."))
    if match is None or not _is_here(match["place"], page):
        return None
    denied = match["not"] or match["verb"].endswith("n't")
    verb = match["verb"].removesuffix("n't")
    verb = verb if verb in ("is", "are") else "is"
    return replace(s, text=f"{match['thing']} {verb}{' not' if denied else ''} listed")


def _is_here(place: str, page: PageContent) -> bool:
    """Return whether the first heading, or the tab or link that is marked as open, is called so."""
    said = {stem(w) for w in split_words(place)}
    heads = [e.name or e.text for e in page.elements if e.role == "heading"][:1]
    tabs = [e.name or e.text for e in page.elements if e.role == "tab" and e.selected]
    links = [
        e.name or e.text for e in page.elements
        if e.attributes.get("aria-current", "false") not in ("false", "")
    ]  # fmt: skip
    return bool(said) and any(
        {stem(w) for w in split_words(t)} == said for t in (*heads, *tabs, *links)
    )
