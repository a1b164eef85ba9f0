"""Whether a thing with a name of its own is there, by the rows of which one is called just so."""

import re

from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, split_words
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer, literals
from sparring_plugins.web.pages.weak.checks.records import read_records
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_EXISTING = frozenset(
    {"exist", "exists", "there", "listed", "shown", "displayed", "gone", "visible"}
)


def read_still_there(s: Statement, page: PageContent) -> WeakAnswer | None:
    """``plan.txt doesn't exist any more`` is false if a row is called just so, and says no more."""
    names = [n for n in literals(s, f"a {s.text}") if plain(n) in plain(s.unmask(s.subject))]
    if len(names) != 1 or not s.verb or s.position or s.comparison != "==":
        return None
    rest = re.sub(re.escape(names[0]), " ", s.unmask(s.text))
    says_there = s.denies or set(split_words(rest)) & _EXISTING
    more = {"any", "longer", "anymore", *FREE.stop, *FREE.negations, *FREE.statements, *_EXISTING}
    if not says_there or set(split_words(rest)) - more - {"doesn", "isn", "t", "s"}:
        return None
    for group in page.collections:
        for record in read_records(group, page):
            if record.named(names[0]):
                return answer("still there", not s.denies, f"'{names[0]}' is in a list")
    return None
