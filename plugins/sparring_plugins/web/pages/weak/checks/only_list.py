"""How many things the only list of a page has, whatever a sentence calls them: "five are left"."""

from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, split_words
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.page.page_content import Collection, PageContent

_LEFT = frozenset(
    {"left", "remaining", "remain", "remains", "listed", "shown", "displayed", "there"}
)
_MANY = 2
_ASIDE = frozenset({"navigation", "banner", "contentinfo", "complementary", "menu", "tablist"})


def read_only_list(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """Judge ``five should be left``: true if the only list has as many; false in no case.

    Something else may be counted, so that another number denies nothing.
    """
    if len(s.numbers) != 1 or s.quoted or s.denies or s.comparison != "==" or s.position:
        return None
    lists = _main_lists(page) if _counts_one_thing(s) else ()
    if len(lists) != 1 or len(lists[0].data) != s.numbers[0][0]:
        return None
    return answer("only list", True, f"the only list has {len(lists[0].data)}")


def _counts_one_thing(s: Statement) -> bool:
    """Return whether a statement only says how many of one thing there are."""
    words = split_words(s.low)
    quiet = FREE.stop | FREE.counted | FREE.statements | FREE.tables | set(FREE.numbers)
    nouns = [w for w in words if w not in quiet and not w.isdigit()]
    return bool(_LEFT & set(words)) and len(nouns) < _MANY


def _main_lists(page: PageContent) -> Sequence[Collection]:
    """Return the tables; without any, the lists that lie in no menu, header or footer."""
    if page.tables:
        return page.tables
    layout: Layout = page.layout
    found: list[Collection] = []
    for group in page.lists:
        first = layout.by_id.get(group.items[0].element or "") if group.items else None
        aside = first is None or any(h.role in _ASIDE for h in layout.above(first))
        if not aside:
            found.append(group)
    return found
