"""Which field of the form in view takes which value of a sentence.

A field takes a value by its label's words beside it, by offering it, or by its type: a date goes
into the field for dates. What is left over goes, in order, into the empty fields that are left.
Nothing is entered unless every value has a field.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.entry_parts import EntryPart
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, word_similarity
from sparring_plugins.web.pages.controls import (
    entry_value,
    is_a_box,
    native_value,
    offers_choices,
    takes_text,
    takes_values,
)
from sparring_plugins.web.pages.text_fit import bare, plain
from sparring_plugins.web.pages.weak.acts.form_plans import is_search

_ENOUGH = 0.5
_MARGIN = 0.1
_LIKE = 0.7
_OFFERED = 0.8
"""What it counts that a list offers a value: no other field may do so."""
_TYPED = 0.6
_LONGEST_LABEL = 60
_DATED = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_NUMERIC = re.compile(r"[-+]?[$€£]?\d[\d.,]*%?")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])|[-_.\[\]]+")


@dataclass(frozen=True)
class Entry:
    """A field, and what is done with it: ``fill``, ``select``, ``check``, ``uncheck``..."""

    element: Element
    action: str
    value: str | None = None


def fit_values(parts: Sequence[EntryPart], fields: Sequence[Element]) -> tuple[Entry, ...]:
    """Return an entry for each part; nothing if a part has no field, or several equally."""
    taken = _fit_surely(parts, fields)
    if taken is None:
        return ()
    left = [index for index in range(len(parts)) if index not in taken]
    used = frozenset(entry.element.id for entry in taken.values())
    rest = _fit_in_order([parts[i] for i in left], fields, used)
    if rest is None:
        return ()
    taken |= dict(zip(left, rest, strict=True))
    return tuple(taken[index] for index in range(len(parts)))


@dataclass(frozen=True)
class _Pair:
    """A part, by its number, with an entry that it may be."""

    index: int
    score: float
    entry: Entry

    def rivals(self, other: "_Pair") -> bool:
        """Return whether the same part may as well be another entry."""
        near = other.score > self.score - _MARGIN
        return other.index == self.index and near and other.entry.element != self.entry.element


def _fit_surely(parts: Sequence[EntryPart], fields: Sequence[Element]) -> dict[int, Entry] | None:
    """Return the entries by the numbers of parts, the surest first; None if one has several."""
    every = [_pair(index, part, field) for index, part in enumerate(parts) for field in fields]
    pairs = sorted((p for p in every if p is not None), key=lambda p: (-p.score, p.index))
    taken: dict[int, Entry] = {}
    used: set[str] = set()
    for pair in pairs:
        if pair.index in taken or pair.entry.element.id in used:
            continue
        free = [other for other in pairs if other.entry.element.id not in used]
        is_twin = any(pair.rivals(other) for other in free)
        if is_twin and not _is_called_better(parts[pair.index], pair.entry.element):
            return None
        taken[pair.index] = pair.entry
        used.add(pair.entry.element.id)
    return taken


def _pair(index: int, part: EntryPart, field: Element) -> _Pair | None:
    score, entry = _fit(part, field)
    return _Pair(index, score, entry) if entry is not None and score >= _ENOUGH else None


def _fit_in_order(
    parts: Sequence[EntryPart], fields: Sequence[Element], used: frozenset[str]
) -> list[Entry] | None:
    """Return the empty fields that are left for values without a label, in their order."""
    if not used and len(parts) == 1:
        return None  # one value alone may go anywhere
    free = [field for field in fields if field.id not in used and _is_empty_text(field)]
    rest: list[Entry] = []
    for part in parts:
        field = _first_that_accepts(part, free)
        if field is None:
            return None
        rest.append(Entry(field, "fill", part.value))
        free.remove(field)
    return rest


def _first_that_accepts(part: EntryPart, free: Sequence[Element]) -> Element | None:
    """Return the first field for a number or a quotation without words of its own."""
    is_number = _NUMERIC.fullmatch(part.value) is not None
    # words that no label has may name a field of another form
    if part.words or not (part.quoted or is_number):
        return None
    able = [field for field in free if accepts(part, field)]
    asking = [f for f in able if is_number and _asks_for(f, FREE.amount_labels)]
    return next(iter(asking or able), None)


def _is_empty_text(field: Element) -> bool:
    is_text = takes_text(field) and not field.options and not is_search(field)
    return is_text and not field.value and not _takes_dates(field)


def _fit(part: EntryPart, field: Element) -> tuple[float, Entry | None]:
    """Return how surely a field is meant by a part of a sentence, and what is done with it."""
    labelled = label_share(part.words, field)
    if is_a_box(field):
        if part.value and bare(part.value) not in {bare(t) for t in labels_of(field)}:
            return 0.0, None
        action = "uncheck" if part.denied else "check"
        return labelled or _OFFERED * bool(part.value), Entry(field, action)
    if field.options:
        return _fit_option(part, field, labelled)
    if not part.value or not accepts(part, field):
        return 0.0, None
    value = entry_value(part.value, field)
    typed = _TYPED * _is_of_type(part.value, field)
    if offers_choices(field) and not takes_text(field):
        return labelled, Entry(field, "select", part.value)
    return (labelled + typed if labelled or typed else 0.0), Entry(field, "fill", value)


def _fit_option(part: EntryPart, field: Element, labelled: float) -> tuple[float, Entry | None]:
    labels = [o.label for o in field.options if not o.disabled and o.label.strip()]
    if part.value:
        offered = [label for label in labels if bare(label) == bare(part.value)]
    else:
        said = set(part.words)
        offered = [label for label in labels if content(label) and set(content(label)) <= said]
        offered = sorted(offered, key=lambda label: -len(label))[:1]
        rest = tuple(w for w in part.words if not offered or w not in content(offered[0]))
        labelled = label_share(rest, field) if rest else 0.0
    if len(offered) != 1:
        return 0.0, None
    return _OFFERED + labelled, Entry(field, "select", offered[0])


def accepts(part: EntryPart, field: Element) -> bool:
    """Return whether a field can hold a value: a field for numbers takes no name."""
    kind = field.input_type or ""
    if kind in ("file", "password", "color") or field.readonly:
        return False
    if kind in ("date", "datetime-local", "month", "week", "time"):
        is_native = native_value(part.value, kind) != part.value
        return is_native or _DATED.fullmatch(part.value) is not None
    if kind == "number" or field.role == "spinbutton":
        return _NUMERIC.fullmatch(part.value) is not None
    if kind in ("email", "url"):
        return ("@" if kind == "email" else "/") in part.value
    return takes_values(field) or offers_choices(field)


def _is_of_type(value: str, field: Element) -> bool:
    """Return whether the type of a field alone says that it takes a value."""
    if _DATED.fullmatch(value):
        return _takes_dates(field)
    if "@" in value:
        return field.input_type == "email"
    return False


def _takes_dates(field: Element) -> bool:
    return field.input_type in ("date", "datetime-local") or _asks_for(field, FREE.date_labels)


def _asks_for(field: Element, words: Collection[str]) -> bool:
    shown = {w for text in labels_of(field) for w in split_words(text)}
    return not shown.isdisjoint(words)


def labels_of(field: Element) -> list[str]:
    """Return the short texts by which a field may be called, also those of its markup."""
    texts = [field.label, field.name, field.placeholder, field.title, field.adjacent]
    if len(field.row) <= _LONGEST_LABEL and not field.options:
        texts.append(field.row)
    texts += [_JOINED.sub(" ", field.attributes.get(key, "")) for key in ("name", "id")]
    return [text for text in texts if text and len(text) <= _LONGEST_LABEL]


def label_share(words: Sequence[str], field: Element) -> float:
    """Return which part of the words of a sentence a label has, if it has the last one."""
    if not words:
        return 0.0
    return max((_share(words, split_words(text)) for text in labels_of(field)), default=0.0)


def _share(words: Sequence[str], shown: Sequence[str]) -> float:
    said = [max((word_similarity(w, s) for s in shown), default=0.0) for w in words]
    found = [value for value in said if value >= _LIKE]
    meaning = [s for s in shown if s not in FREE.stop] or list(shown)
    named = sum(any(word_similarity(w, s) >= _LIKE for w in words) for s in meaning)
    return 0.7 * sum(found) / len(words) + 0.3 * named / max(1, len(meaning))


def _is_called_better(part: EntryPart, field: Element) -> bool:
    return any(plain(text).strip(" :*?") == " ".join(part.words) for text in labels_of(field))
