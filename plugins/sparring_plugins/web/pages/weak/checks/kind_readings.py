"""Readings of what kind a thing is: "Ida is an admin", by the column that says so of others."""

import re
from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import stems
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.property_readings import find_item
from sparring_plugins.web.pages.weak.page.page_content import Collection, PageContent

_KIND = re.compile(
    r"^(?:(?:now|still|also|not|no longer|only) )*an? (?P<kind>[a-z][\w-]*(?: [a-z][\w-]*)?)$"
)


def read_kind(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Ida is an admin``: her cell in the only column in which a row is called so."""
    match = _KIND.match(s.unmask(s.complement))
    if match is None or s.verb not in ("is", "isn't", "was") or s.numbers or s.position:
        return None
    wanted = stems(match["kind"])
    thing = re.sub(r"^(?:that )?(?:the )?", "", s.unmask(s.subject), flags=re.I)
    for table in page.tables:
        item, column = find_item(thing, table), _column_with(wanted, table)
        if item is None or column is None or column >= len(item.cells):
            continue
        head, shown = item.cells[column]
        reason = f"{head or 'the cell'} of '{thing}' is '{shown.strip()[:60]}'"
        return answer("kind", stems(shown) == wanted, reason, denies=s.denies)
    return None


def _column_with(wanted: tuple[str, ...], table: Collection) -> int | None:
    columns = {
        number
        for item in table.data
        for number, (_, text) in enumerate(item.cells)
        if stems(text) == wanted
    }
    return columns.pop() if len(columns) == 1 else None
