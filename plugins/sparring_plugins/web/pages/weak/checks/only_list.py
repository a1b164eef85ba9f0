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
_ASIDE = frozenset({"navigation", "banner", "contentinfo", "complementary", "menu", "tablist"})


def read_only_list(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """Judge ``five should be left``: true if the only list has as many; false in no case.

    Something else may be counted, so that another number denies nothing.
    """
    numbers = [(number, behind) for number, behind in s.numbers if number >= 0]
    if len(numbers) != 1 or s.quoted or s.denies or s.comparison != "==" or s.position:
        return None
    words = set(split_words(s.low))
    said = [w for w in split_words(s.low) if w not in FREE.stop and w not in FREE.counted]
    nouns = [w for w in said if w not in FREE.statements and w not in FREE.tables]
    nouns = [w for w in nouns if w not in FREE.numbers and not w.isdigit()]
    if not words & _LEFT or len(nouns) > 1:
        return None
    lists = _main_lists(page)
    if len(lists) != 1 or len(lists[0].data) != numbers[0][0]:
        return None
    return answer("only list", True, f"the only list has {len(lists[0].data)}")


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
