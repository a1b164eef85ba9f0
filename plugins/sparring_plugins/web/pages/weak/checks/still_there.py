"""Whether a thing with a name of its own is listed, by the rows of which one is called just so.

A message may still say "Oak was deleted": the name can be read, and yet no row has it.
"""

import re
from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, has_phrase, split_words
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer, literals
from sparring_plugins.web.pages.weak.checks.count_readings import has_further_pages
from sparring_plugins.web.pages.weak.checks.records import read_records
from sparring_plugins.web.pages.weak.page.page_content import (
    RECENT_PAGES,
    PageContent,
    page_content,
)

_EXISTING = frozenset(
    {"exist", "exists", "there", "listed", "shown", "displayed", "visible", "present"}
)
_QUIET = frozenset({"any", "longer", "anymore", "doesn", "isn", "hasn", "t", "s", "now", "have"})


def read_still_there(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """Judge ``plan.txt doesn't exist any more``, ``Oak has vanished from the list``."""
    names = _names(s)
    if len(names) != 1:
        return None
    words = set(split_words(re.sub(re.escape(names[0]), " ", s.unmask(s.text))))
    if not _only_exists(words, has_phrase(s.low, FREE.absence)):
        return None
    records = [r for group in page.collections for r in read_records(group, page)]
    if any(record.named(names[0]) for record in records):
        return answer("still there", not s.denies, f"'{names[0]}' is in a list")
    of_list = bool(words & FREE.tables) and s.denies
    if not of_list or has_further_pages(page) or not _was_listed(names[0], page, before):
        return None
    held = any(record.has_part(names[0]) for record in records)
    return None if held else answer("still there", True, f"no list has '{names[0]}'")


def _names(s: Statement) -> list[str]:
    """Return the names in a subject; none if an order or a number is spoken of, too."""
    if not s.verb or s.position or s.comparison != "==":
        return []
    return [n for n in literals(s, f"a {s.text}") if plain(n) in plain(s.unmask(s.subject))]


def _only_exists(words: set[str], gone: str) -> bool:
    """Return whether all that is said beside a name is that it is there, or that it is gone."""
    more = {*_QUIET, *FREE.stop, *FREE.negations, *FREE.statements, *FREE.tables, *_EXISTING}
    says = bool(gone or words & _EXISTING)
    return says and not words - more - set(split_words(gone))


def _was_listed(name: str, page: PageContent, before: Sequence[PageView]) -> bool:
    """Return whether a list of the same columns had the name on a page of before."""
    shown = {(group.kind, group.columns, group.key) for group in page.collections if group.items}
    for view in before[-RECENT_PAGES:]:
        earlier = page_content(view)
        for group in earlier.collections:
            is_same = (group.kind, group.columns, group.key) in shown
            if is_same and any(r.named(name) for r in read_records(group, earlier)):
                return True
    return False
