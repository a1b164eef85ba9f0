"""A reading of what is said of one of several things, by the values that all of them have."""

import re
from collections.abc import Iterator, Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    content,
    has_phrase,
    split_words,
    stem,
    stems,
)
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer, is_within, literals
from sparring_plugins.web.pages.weak.checks.records import Record, find_record, read_records
from sparring_plugins.web.pages.weak.page.page_content import Collection, PageContent

_JOINTS = re.compile(
    r"(?<!\s)\s+(?:by|to|in|on|at|from|until|till|since|under|with|as|for|into|of|through)\s+"
    r"|^(?:by|to|in|on|at|from|until|till|since|under|with|as|for|into|of|through)\s+",
    re.I,
)
_LEAD = re.compile(
    r"^(?:(?:now|still|already|also|again|currently|the|an?|its|her|his|their|been|being|be)\s+)+",
    re.I,
)
#: Words that say more than that a thing has a value, or which of several it has.
_NO_RELATION = FREE.relating - {
    "after", "before", "above", "below", "first", "last", "second", "third", "left", "right",
    "until", "since", "under", "inside", "within", "like", "by", "each", "both",
}  # fmt: skip
_LONGEST_SUBJECT = 9
_MODAL = frozenset({"can", "can't", "cannot", "could", "may"})
_OPPOSITES = (
    ("true", "false"), ("yes", "no"), ("on", "off"), ("enabled", "disabled"),
    ("active", "inactive"), ("open", "closed"), ("online", "offline"), ("public", "private"),
    ("published", "draft"), ("paid", "unpaid"), ("read", "unread"), ("available", "unavailable"),
)  # fmt: skip


def read_record(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The barn is let to Ida until 2030-01-02``: its row or card has all of these values.

    It is false if another record has the value at the same place, and this one something else
    there; or if no date or amount of this one is the one that is said.
    """
    if not _says_one_thing(s):
        return None
    values = _values_of(s)
    found = [
        (truth, record)
        for group in page.collections
        if len(group.items) > 1 or group.kind == "table"
        for truth, record in _judge_group(s, values, group, page)
    ]
    if not found or len({truth for truth, _ in found}) != 1:
        return None
    truth, record = found[0]
    if not truth and _is_held_elsewhere(s, values, page):
        return answer("record", None, "another part of the page has it")
    shown = " ".join(record.item.text.split())[:80]
    return answer("record", truth, f"'{shown}' {'has' if truth else 'does not have'} it")


def _is_held_elsewhere(s: Statement, values: Sequence[str], page: PageContent) -> bool:
    """Whether the numbers of a sentence stand on the page, but in no record of the groups.

    "Nils has paid 720.00" may be true of a column of amounts in the middle of the page, whatever
    the list of balances beside it shows for Nils. What another record has at the same place of the
    list is no such number: it belongs to that record.
    """
    written = [value for value in values if re.search(r"\d", value)]
    in_records = [
        record
        for group in page.collections
        for record in read_records(group, page)
        if any(record.holds(value) for value in written)
    ]
    shown = "\n".join(element.text for element in page.elements if element.text)
    return bool(written) and not in_records and any(is_within(v, shown) for v in written)


def _says_one_thing(s: Statement) -> bool:
    """Return whether a property of one thing is all that is said."""
    if s.denies or s.position or s.comparison != "==" or not s.verb or not s.subject:
        return False
    if " and " in s.subject or len(s.subject.split()) > _LONGEST_SUBJECT:
        return False  # "Ada owes Ben and so does Ida": another verb is the first
    if s.verb in _MODAL:
        return False  # "can be approved" is not 'Approved'
    return not (set(split_words(s.low)) & _NO_RELATION or has_phrase(s.low, FREE.absence))


def _judge_group(
    s: Statement, values: Sequence[str], group: Collection, page: PageContent
) -> Iterator[tuple[bool, Record]]:
    record, is_whole, records = _find(s, group, page)
    truth = _judge(s, values, record, records) if record is not None else None
    # what is only named by a part of its text may be something else
    if record is not None and truth is not None and (truth or is_whole):
        yield truth, record


def _find(
    s: Statement, group: Collection, page: PageContent
) -> tuple[Record | None, bool, Sequence[Record]]:
    records = read_records(group, page)
    subject = s.quoted[0] if s.subject.count("⟦") == 1 else s.unmask(s.subject)
    return (*find_record(subject, records), records)


def _values_of(s: Statement) -> tuple[str, ...]:
    """Return the parts of the complement that may be values, without what joins them."""
    parts = [part for piece in LIST_JOINT.split(s.complement) for part in _JOINTS.split(piece)]
    values = (_LEAD.sub("", s.unmask(part)).strip(" .,;") for part in parts if part)
    return tuple(value for value in values if value and value.lower() not in FREE.stop)


def _judge(
    s: Statement, values: Sequence[str], record: Record, records: Sequence[Record]
) -> bool | None:
    found = [v for v in values if record.holds(v) or _is_only_number(v, record)]
    rest = [v for v in values if v not in found]
    if any(_is_contradicted(value, record, records) for value in rest):
        return False
    return _is_sure(s, found, rest, record, records) or None


def _is_sure(
    s: Statement,
    found: Sequence[str],
    missing: Sequence[str],
    record: Record,
    records: Sequence[Record],
) -> bool:
    """Return whether the values that a record has are all that is said of it."""
    specific = {plain(text) for text in literals(s, f"a {s.complement}")}
    sure = [v for v in found if record.named(v) or plain(v) in specific or " " in v]
    rest = [v for v in missing if not _only_relates(v, s, records)]
    if not sure or specific & set(map(plain, rest)):
        return False
    if any(_is_in_other_column(value, s, record) for value in sure):
        return False
    # "has to return her book by ...": two values of one record that both fit are no accident
    return not rest or (len(sure) > 1 and not _names_state(rest, s))


def _is_in_other_column(value: str, s: Statement, record: Record) -> bool:
    """Return whether the sentence names a column, and the value only stands in another one.

    "was edited by Ida" is not shown by her name below 'Author' if there is a column 'Editor'.
    """
    heads = [head for head, _ in record.item.cells]
    said = [stem(word) for word in content(s.complement) if word.isalpha()]
    named = {
        str(index)
        for index, head in enumerate(heads)
        for word in stems(head)
        if len(word) >= _SHORTEST_STEM and any(_is_like(word, other) for other in said)
    }
    holding = {slot.key for slot in record.slots if slot.holds(value)}
    return bool(named) and not named & holding


_SHORTEST_STEM = 4


def _is_like(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return len(short) >= _SHORTEST_STEM and long.startswith(short)


def _is_contradicted(value: str, record: Record, records: Sequence[Record]) -> bool:
    """Return whether this record has something else where others have the value."""
    if shaped := record.of_shape(value):
        return value not in shaped
    if opposite := _has_opposite(value, record):
        return opposite == "other"
    keys = {
        slot.key
        for other in records
        if other is not record
        for slot in other.slots
        if plain(slot.text) == plain(value)
    }
    if len(keys) != 1:
        return False
    own = [slot for slot in record.slots if slot.key in keys]
    return len(own) == 1 and read_number(value) is None


def _is_only_number(value: str, record: Record) -> bool:
    """Return whether "3 boards" is the only whole number of the record, which stands alone."""
    number, _, noun = value.partition(" ")
    wanted = read_number(number) if noun.isalpha() else None
    if record.item.cells:
        return False  # the heading of its column says what a number counts
    shown = [slot.text.strip() for slot in record.slots if slot.text.strip().isdigit()]
    return wanted is not None and len(shown) == 1 and float(shown[0]) == wanted


def _has_opposite(value: str, record: Record) -> str:
    """Return "same" or "other" if the record has one of "yes" and "no" alone; else ""."""
    for pair in _OPPOSITES:
        own = [plain(slot.text) for slot in record.slots if plain(slot.text) in pair]
        if plain(value) in pair and len(own) == 1:
            return "same" if own[0] == plain(value) else "other"
    return ""


def _only_relates(value: str, s: Statement, records: Sequence[Record]) -> bool:
    """Return whether a part is a verb or noun between a thing and its value: "filed", "lent".

    No record has the word, and a preposition stands behind it.
    """
    words = content(value)
    known = any(stem(word) in record.stems for record in records for word in words)
    behind = rf"\b{re.escape(value)} (?:by|to|in|on|at|from|until|under|with|as|for|into|of)\b"
    return not known and len(words) < 2 and re.search(behind, s.unmask(s.complement)) is not None


def _names_state(values: Sequence[str], s: Statement) -> bool:
    """Return whether a part stands at the end by itself: "was lent to Ida and is lost"."""
    return s.unmask(s.complement).strip(" .").endswith(values[-1])
