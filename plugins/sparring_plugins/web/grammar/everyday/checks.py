"""Readers of everyday checks: cells, sums, sort order, links, patterns, downloads, values kept."""

import re
from typing import Literal

from sparring_plugins.web.grammar.conditions.quantities import read_comparison
from sparring_plugins.web.grammar.everyday.matches import READERS, Match, check, reader
from sparring_plugins.web.grammar.phrases.numbers import is_amount, read_cardinal, read_ordinal
from sparring_plugins.web.grammar.phrases.patterns import ClausePlan
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.phrases.tokens import Tokens, tokenise
from sparring_plugins.web.step import (
    CellHolds,
    ColumnTotal,
    Compared,
    Comparison,
    Condition,
    Downloaded,
    LeadsTo,
    Matching,
    Measured,
    PageSound,
    Reading,
    Recalled,
    SortedBy,
    Target,
)

_VERBS = re.compile(
    r"^(?:is|are|be|was|were|has|equals?|shows?|reads?|amounts? to|comes? to)\b|\b(?:now|still)\b",
    re.IGNORECASE,
)
_MORE = {"over": ">", "above": ">", "under": "<", "below": "<", "larger than": ">",
         "bigger than": ">", "equal to": "==", "exactly": "==", "": "=="}  # fmt: skip
# "sorted by price, highest first".
_DESCENDING = re.compile(
    r"descending|decreasing|reverse|z to a|z-a"
    r"|(?:newest|latest|highest|largest)(?: (?:price|date|value))? (?:to|first)",
    re.IGNORECASE,
)


def _comparison(match: Match) -> Comparison | None:
    """Return the comparison that a slot's words ask for; None if they ask for none."""
    words = " ".join(_VERBS.sub("", match.slots.get("compared") or "").split()).lower()
    words = _VERBS.sub("", words).strip()
    if words in _MORE:
        return _MORE[words]  # type: ignore[return-value]
    tokens: Tokens = tokenise(f"{words} 1")
    compared = read_comparison(tokens)
    return compared[0] if compared else None


def _number(match: Match, slot: str) -> str | None:
    """Return a slot as a number or an amount, as it is written."""
    text = match.text(slot)
    if is_amount(text):
        return text
    tokens = tokenise(text)
    number = read_cardinal(tokens[0]) if len(tokens) == 1 else None
    return None if number is None else str(number)


def _cell(match: Match, *, row: str = "", row_number: int | None = None) -> Condition | None:
    comparison, value = _comparison(match) if match.has("compared") else "==", match.text("value")
    column, is_quoted = match.text("column"), match.is_quoted("value")
    # "the price of 'Tea' in the first row" names a place within a cell, which is no column
    if comparison is None or re.search(r"\b(?:of|in|and|or|with)\b", column):
        return None
    # "the number of the row is exactly 3" counts rows, and no row is called "the"
    if row.casefold() in _NO_NAMES or column.casefold() in _NO_COLUMNS:
        return None
    if not is_amount(value) and (not is_quoted or comparison != "=="):
        return None
    if not is_quoted:
        quoted = match.is_quoted("column")
        target = Target(text=column, quoted=quoted, row=row or None, row_number=row_number)
        return Compared(target=target, comparison=comparison, number=value)
    return CellHolds(
        column=column, row=row, row_number=row_number, text=value, comparison=comparison
    )


_NO_NAMES = frozenset({"the", "a", "an", "each", "every", "this", "all", "table", "page"})
_NO_COLUMNS = frozenset({"number", "count", "amount", "there", "position", "it", "text"})


@check
def cell(match: Match) -> Condition | None:
    """Read ``'Age' in the row of 'Bob' is '4'``."""
    return _cell(match, row=match.text("row"))


@check
def nth_cell(match: Match) -> Condition | None:
    """Read ``'Name' in the last row is 'Zoe'``."""
    tokens = tokenise(match.text("nth"))
    place = read_ordinal(tokens[0]) if tokens else None
    return _cell(match, row_number=place) if place else None


_TOTALS: dict[str, Literal["sum", "average", "smallest", "largest"]] = {
    "sum": "sum", "total": "sum", "totals": "sum", "add up": "sum", "adds up": "sum",
    "sum up": "sum", "sums up": "sum", "average": "average", "averages": "average",
    "mean": "average", "smallest": "smallest", "lowest": "smallest", "minimum": "smallest",
    "largest": "largest", "highest": "largest", "maximum": "largest",
}  # fmt: skip


@check
def column_total(match: Match) -> Condition | None:
    """Read ``the sum of the column 'Price' is 12.50``."""
    number = _number(match, "value")
    comparison = _comparison(match) if match.has("compared") else "=="
    # "the total of 'Order 12' is 5" is an amount in a row, and no sum of a column
    said = " ".join((match.slots.get("of") or "").lower().split())
    is_column = re.search(r"\b(?:column|values?)\b", match.denoted) is not None
    if said == "total" and not is_column:
        return None
    if number is None or comparison is None:
        return None
    return ColumnTotal(
        column=match.text("column"), of=_TOTALS[said], comparison=comparison, number=number
    )


@check
def sorted_by(match: Match) -> Condition | None:
    """Read ``the rows are sorted by price in descending order``."""
    order = f"{match.slots.get('order') or ''} {match.slots.get('order2') or ''}"
    column = match.text("column")
    if re.search(r"\b(?:and|then|or)\b", column) and not match.is_quoted("column"):
        return None
    return SortedBy(column=column, descending=_DESCENDING.search(order) is not None)


def _target(match: Match, role: str | None = None) -> Target | None:
    targets = read_targets(match.tokens("target"))
    if not targets:
        return None
    target = targets[0]
    return target.model_copy(update={"role": role}) if role and not target.role else target


@check
def leads_to(match: Match) -> Condition | None:
    """Read ``the link 'Terms' leads to '/terms'``."""
    target, address = _target(match, "link"), match.text("address")
    if target is None or not re.search(r"[/:.@#?]", address):
        return None
    return LeadsTo(target=target, address=address)


@check
def matching(match: Match) -> Condition | None:
    """Read ``a text matching 'Order [0-9]+' is displayed``."""
    target = _target(match) if match.has("target") else None
    return Matching(pattern=match.text("pattern"), target=target)


@check
def measured(match: Match) -> Condition | None:
    """Read ``there are 12 kg of seeds left``."""
    number, comparison = _number(match, "value"), _comparison(match)
    if match.has("compared") and comparison is None:
        lead = match.slots["compared"].strip().lower()
        comparison = "==" if lead == "only" else None
    if number is None or comparison is None or match.is_quoted("words"):
        return None
    unit = match.slots["unit"].lower()
    return Measured(words=match.text("words"), comparison=comparison, number=number, unit=unit)


@check
def downloaded(match: Match) -> Condition | None:
    """Read ``the downloaded file contains 'Bob'``."""
    rows = _number(match, "rows") if match.has("rows") else None
    return Downloaded(
        name=match.text("name") if match.has("name") else "",
        text=match.text("text") if match.has("text") else "",
        rows=int(rows) if rows and rows.isdigit() else None,
    )


@check
def page_sound(match: Match) -> Condition | None:
    """Read ``all images are loaded``, ``there are no errors in the console``."""
    return PageSound(part="images" if match.has("images") else "console")


_OF_THE_PAGE = frozenset({"url", "title", "address", "page", "page title"})


@check
def recalled(match: Match) -> Condition | None:
    """Read ``the total is now T plus 5``, ``the total is the same as before``."""
    target = _target(match)
    if target is None or not target.text or target.text.casefold() in _OF_THE_PAGE:
        return None
    name = match.text("name") if match.has("name") else ""
    if match.has("plus"):
        number = float((_number(match, "plus") or "nan").lstrip("$€£").replace(",", ""))
        less = re.match(r"minus|-|decreas|fall|fell|drop|gone down|went down", match.slots["sign"])
        return Recalled(target=target, name=name, plus=-number if less else number)
    if match.has("same"):
        changed = match.slots["same"].lower().startswith("changed")
        return Recalled(target=target, name=name, comparison="!=" if changed else "==")
    comparison = _comparison(match)
    words = " ".join((match.slots.get("compared") or "").split()).lower()
    if comparison is None or words in ("is", "are", "has", "was", "were"):
        return None  # "the total is before the tax" speaks of an order
    return Recalled(target=target, name=name, comparison=comparison)


@reader
def within(match: Match) -> ClausePlan | None:
    """Read ``'Saved' appears within 10 seconds``."""
    clauses = match.read_clauses(f"Assert that {match.source('check')}")
    seconds = _number(match, "seconds")
    if not clauses or seconds is None or len(clauses) != 1 or len(clauses[0]) != 1:
        return None
    readings = clauses[0][0]
    if any(r.action != "assert" or r.value for r in readings):
        return None
    return (tuple(r.model_copy(update={"value": seconds}) for r in readings),)


@reader
def wait(match: Match) -> ClausePlan | None:
    """Read ``Wait until a text matching 'x' appears``: what only these forms read."""
    clauses = match.read_clauses(f"Assert that {match.source('check')}")
    if not clauses or len(clauses) != 1 or len(clauses[0]) != 1:
        return None
    reading = clauses[0][0][0]
    if reading.condition is None or reading.condition.kind not in _ONLY_HERE:
        return None
    seconds = _number(match, "seconds") if match.has("seconds") else None
    return ((Reading(action="wait", condition=reading.condition, value=seconds),),)


_ONLY_HERE = frozenset({"cell_holds", "column_total", "sorted_by", "leads_to", "matching",
                        "measured", "downloaded", "page_sound", "recalled"})  # fmt: skip
READERS["wait"] = wait
