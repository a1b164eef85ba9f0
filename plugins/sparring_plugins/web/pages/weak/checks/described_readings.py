"""Readings of what is there by what it does or has: "a button to clear the list", "no deadline"."""

import re
from collections.abc import Iterable, Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    content,
    described,
    has_phrase,
    split_words,
    stem,
    word_similarity,
)
from sparring_plugins.web.pages.controls import in_words, takes_clicks, takes_text
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import SAME, WeakAnswer, answer, covers
from sparring_plugins.web.pages.weak.checks.page_readings import has_login_form
from sparring_plugins.web.pages.weak.checks.property_readings import find_item
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_TO_DO = re.compile(
    r"^(?:that )?(?:there (?:is|are) |(?:it|the page|the (?:menu|form|table|list)) "
    r"(?:has|offers|shows) )(?:still |now |also )?(?P<how>an?|the|no|any|not an?) (?:[a-z]+ )?"
    r"(?P<kind>button|link|icon|control|option|way) (?:to|for|that|which) (?P<what>[^⟦]+)$",
    re.I,
)


def read_described(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``There is a button to clear the list``: one is called by the verb and what it is done to.

    It is never false that there is one: it may be called otherwise.
    """
    match = _TO_DO.match(s.text)
    words = list(content(match["what"])) if match else []
    if match is None or not words:
        return None
    clickable = [e for e in page.elements if takes_clicks(e) and not takes_text(e)]
    fitting = [e for e in clickable if covers(words, _name(e))]
    denied = match["how"].lower() in ("no", "any", "not a", "not an")
    if fitting:
        return answer("described", not denied, f"{in_words(fitting[0])} is there")
    # "no button to delete it": nothing on the page says the verb
    if denied and not any(_has_any(words, _name(e)) for e in clickable):
        return answer("described", True, f"nothing that can be clicked on says '{words[0]}'")
    return None


def _name(element: Element) -> str:
    texts = (element.name, element.value or "", element.title, element.text[:80])
    return " ".join(text for text in texts if text)


def _has_any(words: Iterable[str], text: str) -> bool:
    shown = split_words(text)
    return any(word_similarity(w, other) >= SAME for w in words for other in shown)


# Who is logged in

_SESSION = re.compile(
    r"^(?:that )?(?P<who>we|i|you|one|he|she|the (?:user|tester|visitor)|⟦\d+⟧|[\w.@-]+) "
    r"(?:is|are|am|was|were|has been|have been) (?P<adverbs>(?:now |still |again |really )*)"
    r"(?P<not>not |no longer )?(?:logged|signed) (?P<way>in|on|out|off)"
    r"(?: (?:as|under the name) (?P<name>⟦\d+⟧|[^\s,]+))?(?: (?:now|any ?more|again))?$",
    re.I,
)
_ANYBODY = frozenset({"we", "i", "you", "one", "he", "she", "user", "tester", "visitor"})


def read_session(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``We are logged in as Ida``: one can log out, and the name is there."""
    match = _SESSION.match(s.text)
    if match is None:
        return None
    inside = _is_logged_in(page)
    if inside is None:
        return None
    who = _person_named(s, match)
    wants_in = match["way"].lower() in ("in", "on")
    if match["not"]:
        wants_in = not wants_in
        who = ""
    if inside and wants_in and who and not contains(who, page.text):
        return answer("session", None, f"'{who}' can't be read on the page")
    if inside and wants_in and who and (shown_as := _SHOWN_AS.findall(page.text)):
        # of the page's own words for it no other name counts
        is_named = plain(who) in shown_as
        return answer("session", is_named, f"the page says that it is {shown_as[0]}")
    shown = "one can log out" if inside else "one can log in"
    return answer("session", inside is wants_in, shown)


def _person_named(s: Statement, match: re.Match[str]) -> str:
    """Return who is said to be logged in, by name; nothing for "we" and "the user"."""
    if match["name"]:
        return s.unmask(match["name"])
    last = split_words(match["who"])[-1:]
    return s.unmask(match["who"]) if last and last[0] not in _ANYBODY else ""


_SHOWN_AS = re.compile(r"\b(?:logged|signed) in as:? ([\w.@-]+)")


def _is_logged_in(page: PageContent) -> bool | None:
    """Return whether one can log out, also in a folded menu, or log in; None if that is unclear."""
    controls = [e for e in page.view.snapshot.elements if takes_clicks(e) and not takes_text(e)]
    out = any(_says_only(FREE.log_out, e) for e in controls)
    into = has_login_form(page) or any(_says_only(FREE.log_in, e) for e in controls if e.visible)
    return None if out == into else out


def _says_only(phrases: tuple[str, ...], element: Element) -> bool:
    name = plain(element.name or element.value or element.text or element.title)
    return len(name.split()) <= 4 and bool(has_phrase(name, phrases))


# What a thing does not have

_HAS_NO = re.compile(
    r"^(?:that )?(?P<thing>.+?) (?:has|have|shows|contains|gets|lists) "
    r"(?:no|not any|no longer an?y?) (?P<noun>[a-z][\w-]*(?: [a-z][\w-]*){0,2})"
    r"(?: (?:yet|set|at all|so far|any ?more))?$",
    re.I,
)
_NONE = frozenset({"none", "no", "0", "-", "–", "—", "n/a", "null", "empty", "(empty)", "nil", ""})
_PRONOUNS = frozenset({"it", "this", "that", "he", "she", "the page"})


def read_has_no(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The ferry has no deadline``: its row, or the page, says none, 0 or nothing of it."""
    match = _HAS_NO.match(s.text)
    if match is None or s.position:
        return None
    thing = re.sub(r"^(?:the |an? )", "", s.unmask(match["thing"]), flags=re.I)
    wanted = list(described(match["noun"]))
    if not wanted:
        return None
    if plain(thing) in _PRONOUNS:
        values = {plain(f.value) for f in page.facts if not f.row and _is_label(wanted, f.label)}
    else:
        values = set(_cells_of(thing, wanted, page))
    if len(values) != 1:
        return None
    (value,) = values
    is_none = value.strip(" .") in _NONE or re.match(r"(?:no|0) ", value) is not None
    return answer("has no", is_none, f"{match['noun']}: '{value[:40]}'")


def _is_label(wanted: Sequence[str], label: str) -> bool:
    words = [w for w in split_words(label) if w not in FREE.stop]
    return len(words) == len(wanted) and covers(wanted, label)


def _cells_of(thing: str, wanted: Sequence[str], page: PageContent) -> Iterable[str]:
    for table in page.tables:
        item = find_item(thing, table)
        for head, text in item.cells if item else ():
            if _is_label(wanted, head):
                yield plain(text)


# Columns

_COLUMNS = re.compile(
    r"^(?:that )?(?:.{0,80}?\b(?:has|have|shows?|contains?|with) (?:the |these |now the )?"
    r"columns? |the columns are )(?P<names>[^,]+(?:, [^,]+)*)$",
    re.I,
)


def read_columns(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The table has the columns Name and Size``: one table has headings called so."""
    match = _COLUMNS.match(s.text)
    names = _names_of_columns(s, match["names"]) if match and not s.denies else []
    if not names or s.position:
        return None
    heads = [
        {plain(head).strip(" ▲▼↑↓⇅") for head in table.columns}
        for table in page.tables
        if len(list(filter(str.strip, table.columns))) > 1
    ]
    if any(set(names) <= shown for shown in heads):
        return answer("columns", True, f"there are the columns {', '.join(names)}")
    missing = [name for name in names if len(heads) == 1 and _lacks(name, heads[0])]
    if missing and not contains(missing[0], page.text):
        return answer("columns", False, f"no column is called '{missing[0]}'")
    return None


def _lacks(name: str, heads: Iterable[str]) -> bool:
    return not any(_is_close(name, head) for head in heads)


def _names_of_columns(s: Statement, text: str) -> list[str]:
    parts = [part for part in LIST_JOINT.split(text) if part.strip()]
    names = [plain(s.unmask(re.sub(r"^(?:the |an? )", "", part))) for part in parts]
    vague = {"more", "less", "only"} & {word for name in names for word in name.split()}
    return [] if vague else names


def _is_close(name: str, head: str) -> bool:
    return stem(name) == stem(head) or any(
        word_similarity(w, other) >= SAME for w in split_words(name) for other in split_words(head)
    )
