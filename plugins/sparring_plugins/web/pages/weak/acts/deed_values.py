"""Which field of a form takes which value of a deed.

A list takes what it offers, a field what its label names, a field for dates a date; a value without
a label goes into the only text field that is left. All numbers and quotations must have a place.
"""

import re
from collections.abc import Sequence

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.deed_parts import DeedPart
from sparring_plugins.web.grammar.free.entry_parts import EntryPart
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, word_similarity
from sparring_plugins.web.pages.controls import (
    entry_value,
    is_a_box,
    native_value,
    offers_choices,
    takes_text,
)
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.acts.form_values import Entry, accepts, label_share, labels_of

_ENOUGH = 0.4
_SAME = 0.75
_LABELLED = 0.6
_TIED = 0.05
_TYPED = 0.25
_DAY = re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th)?")
_DATES = frozenset({"date", "datetime-local"})


def assign_values(
    parts: Sequence[DeedPart], fields: Sequence[Element], *, named: bool = False
) -> tuple[Entry, ...]:
    """Return an entry for each value that has a field; nothing if a number or quotation has none.

    With `named`, a value has to be named by the label of its field, or offered by it.
    """
    entries: dict[str, Entry] = {}
    placed: set[int] = set()
    parts = _with_whole_dates(parts)
    for choose in (_choose_option, _tick_box, _fill_labelled):
        for index, part in enumerate(parts):
            free = [f for f in fields if _key(f) not in entries]
            entry = None if index in placed else choose(part, free)
            if entry is not None:
                entries[_key(entry.element)] = entry
                placed.add(index)
    if not named:
        _fill_rest(parts, fields, entries, placed)
    if any(_must_be_entered(p) for i, p in enumerate(parts) if i not in placed):
        return ()
    order = {f.id: i for i, f in enumerate(fields)}
    return tuple(sorted(entries.values(), key=lambda e: order[e.element.id]))


def _must_be_entered(part: DeedPart) -> bool:
    """Return whether a part has a quotation or a number; a name may only say who is meant."""
    return bool(part.value) and (part.quoted or any(c.isdigit() for c in part.value))


def _key(element: Element) -> str:
    """Return what fields of one question share: the radio buttons of a group are one."""
    group = element.attributes.get("name", "") if element.role == "radio" else ""
    return group or element.id


def _with_whole_dates(parts: Sequence[DeedPart]) -> list[DeedPart]:
    """Return parts in which "the 17th" has the month and year of the date before it."""
    whole: list[DeedPart] = []
    last = ""
    for part in parts:
        is_day = _DAY.fullmatch(part.value) if part.value else None
        if is_day and last and not part.value.isdigit():
            number = int(is_day["day"])
            value = f"{last[:8]}{number:02d}"
            part = DeedPart(part.joint, part.words, value, part.quoted, part.text)
        native = native_value(part.value, "date") if part.value else ""
        if re.fullmatch(r"\d{4}-\d\d-\d\d", native):
            last = native
        whole.append(part)
    return whole


def _choose_option(part: DeedPart, fields: Sequence[Element]) -> Entry | None:
    """Return the choice that a part names: by the label of a list, else in the only list."""
    scored = [_fit_radio(part, f) if f.role == "radio" else _fit_list(part, f) for f in fields]
    found = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
    if not found or (len(found) > 1 and found[0][0] - found[1][0] < _TIED):
        return None
    return found[0][1]


def _fit_radio(part: DeedPart, field: Element) -> tuple[float, Entry | None]:
    names = [text for text in (field.label, field.name) if text]
    score = max((_option_share(part, name) for name in names), default=0.0)
    return score, Entry(field, "check")


def _fit_list(part: DeedPart, field: Element) -> tuple[float, Entry | None]:
    """Return how surely a part chooses in a list, with the choice; 0 if none or several fit."""
    options = [o.label for o in field.options if o.label.strip() and not o.disabled]
    shares = {label: _option_share(part, label) for label in options}
    best = max(shares.values(), default=0.0)
    labels = [label for label, share in shares.items() if share == best]
    if not best or len(labels) != 1:
        return 0.0, None
    own = label_share(part.words, field) if part.words else 0.0
    return best + own, Entry(field, "select", labels[0])


def _option_share(part: DeedPart, label: str) -> float:
    """Return 1 if a part has all words of an option, less if it has some: 'Boris' of two."""
    said = split_words(f"{part.value} {' '.join(part.words)}")
    words = content(label) or split_words(label)
    if part.value and plain(part.value) == plain(label):
        return 1.2
    if part.quoted or not words or native_value(part.value, "date") != part.value:
        return 0.0  # no room '14' for "14 March 2026"
    if _has_all(said, words):
        return 1.0 + 0.01 * len(words)
    is_name = _has_all(words, split_words(part.value)) and not part.value.isdigit()
    return 0.8 if part.value and is_name else 0.0


def _has_all(shown: Sequence[str], words: Sequence[str]) -> bool:
    return all(any(_equal(word, other) for other in shown) for word in words)


def _equal(word: str, other: str) -> bool:
    return word == other or word_similarity(word, other) >= 0.95


def _tick_box(part: DeedPart, fields: Sequence[Element]) -> Entry | None:
    """Return the box that a part names with all of its words: "add a parking space"."""
    said = () if part.quoted else _words_of_box(part)
    if not said:
        return None
    boxes = [f for f in fields if is_a_box(f) and f.role != "radio"]
    named = [f for f in boxes if any(_holds_all(said, split_words(t)) for t in labels_of(f))]
    if len(named) != 1:
        return None
    denied = part.denied or bool(FREE.excluding & set(part.words))
    return Entry(named[0], "uncheck" if denied else "check")


def _words_of_box(part: DeedPart) -> list[str]:
    """Return the words of a part that may name a box, without those that tick or untick it."""
    every = (*part.words, *content(part.value))
    said = [w for w in every if w not in FREE.stop] or list(part.words)
    return [w for w in said if w not in FREE.including | FREE.excluding | FREE.negations]


def _holds_all(words: Sequence[str], shown: Sequence[str]) -> bool:
    return all(any(word_similarity(w, s) >= _SAME for s in shown) for w in words)


def _fill_labelled(part: DeedPart, fields: Sequence[Element]) -> Entry | None:
    if not part.value:
        return None
    scored = [(_fit(part, f), f) for f in fields if _takes(part, f)]
    scored = sorted((s for s in scored if s[0] >= _ENOUGH), key=lambda s: -s[0])
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < 0.05):
        return None
    field = scored[0][1]
    return Entry(field, "fill", entry_value(part.value, field))


def _takes(part: DeedPart, field: Element) -> bool:
    entry = EntryPart(part.words, part.value, part.quoted)
    if field.input_type == "password":
        return label_share(part.words, field) >= _LABELLED
    is_text = not (is_a_box(field) or field.options or offers_choices(field))
    return is_text and takes_text(field) and accepts(entry, field)


def _fit(part: DeedPart, field: Element) -> float:
    words = tuple(w for w in part.words if w not in FREE.stop)
    named = label_share(words, field)
    begins = 0.5 * any(_begins_like(w, s) for w in words for t in labels_of(field)
                       for s in split_words(t))  # fmt: skip
    is_number = part.value.replace(".", "").isdigit()
    typed = _TYPED * ((field.input_type == "number") == is_number and is_number)
    return max(named, begins) + (typed if named or begins else 0.0)


def _begins_like(word: str, other: str) -> bool:
    """Return whether two words begin alike: "departing" and 'Departure'."""
    return min(len(word), len(other)) >= 5 and word[:5] == other[:5]


def _fill_rest(
    parts: Sequence[DeedPart],
    fields: Sequence[Element],
    entries: dict[str, Entry],
    placed: set[int],
) -> None:
    """Give the values that are left to the fields that are left, in order, by their kinds."""
    for index, part in enumerate(parts):
        if index in placed or not part.value:
            continue
        field = _first_free(part, [f for f in fields if _key(f) not in entries])
        if field is not None:
            entries[_key(field)] = Entry(field, "fill", entry_value(part.value, field))
            placed.add(index)
    if not entries:
        _fill_with_words(parts, fields, entries, placed)


def _first_free(part: DeedPart, fields: Sequence[Element]) -> Element | None:
    """Return the first field that takes a value: a date needs one for dates."""
    free = [f for f in fields if _takes(part, f)]
    dated = re.fullmatch(r"\d{4}-\d\d-\d\d", native_value(part.value, "date")) is not None
    fitting = [f for f in free if (f.input_type in _DATES) == dated]
    free = fitting if dated else fitting or free
    # words that no label has may name any of several fields
    is_unclear = bool(part.words) and len(free) > 1 and not part.quoted
    return None if is_unclear or not free else free[0]


def _fill_with_words(
    parts: Sequence[DeedPart],
    fields: Sequence[Element],
    entries: dict[str, Entry],
    placed: set[int],
) -> None:
    """Give words behind "to" or "as" to the only text field: "Rename it to winter plan"."""
    texts = [f for f in fields if takes_text(f) and not f.options and not is_a_box(f)]
    worded = [(i, p) for i, p in enumerate(parts) if p.joint in ("to", "as") and not p.value]
    if len(texts) == 1 and len(worded) == 1 and worded[0][1].text:
        index, part = worded[0]
        entries[_key(texts[0])] = Entry(texts[0], "fill", part.text)
        placed.add(index)
