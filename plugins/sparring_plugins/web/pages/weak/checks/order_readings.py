"""Readings of statements about the order of things: the first row, on top, before another."""

import re
from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    has_phrase,
    split_words,
    stem,
)
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import (
    WeakAnswer,
    answer,
    covers,
    is_within,
    literals,
)
from sparring_plugins.web.pages.weak.checks.measures import find_measures
from sparring_plugins.web.pages.weak.checks.property_readings import names_column
from sparring_plugins.web.pages.weak.checks.records import read_records
from sparring_plugins.web.pages.weak.page.page_content import Collection, Item, PageContent


def read_order(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The first row is X``, ``X is on top``: all of X stands in the n-th row, and in no other."""
    place = s.position
    if not place or names_column(s, page):
        return None
    ahead = re.split(r",? followed by\b", s.text)[0]  # what follows stands in another row
    named = _names_in(literals(s, ahead)) or _name_in_front(s, page)
    if not named:
        return _order_by_words(s, page, place)
    collections = [c for c in page.collections if len(c.data) >= abs(place)]
    holding = [c for c in collections if _has_item(named[0], c)]
    if not holding:
        # in the only table, a quotation that no row has is not in this one
        only = s.quoted and [c.kind for c in collections].count("table") == 1
        reason = f"no row or item has '{named[0]}'"
        return answer("order", False if only else None, reason, denies=s.denies)
    return _judge_place(s, ahead, named, holding, page)


def _name_in_front(s: Statement, page: PageContent) -> tuple[str, ...]:
    """Return the name with which "Oak is the first tree" begins, if a cell or line says just it."""
    subject = s.unmask(s.subject)
    if not re.fullmatch(r"[A-Z][\w'-]*(?: [\w'-]+){0,4}", subject):
        return ()
    lines = {
        plain(line)
        for group in page.collections
        for item in group.items
        for line in (*item.text.split("\n"), *(cell for _, cell in item.cells))
    }
    return (subject,) if plain(subject) in lines else ()


def _judge_place(
    s: Statement,
    ahead: str,
    named: Sequence[str],
    holding: Sequence[Collection],
    page: PageContent,
) -> WeakAnswer:
    """Judge the item at the place: of a table, else of all lists that have the name somewhere."""
    index = s.position - 1 if s.position > 0 else s.position
    largest = max(holding, key=lambda c: (c.kind == "table", len(c.data)))
    item = largest.data[index]
    truth: bool | None = _has_all(named, item.text)
    if _BY_AGE.search(s.low) and (not truth or _has_dates(largest, page)):
        return answer("order", None, "what is newest need not stand first")
    if largest.kind != "table" and any(_has_all(named, c.data[index].text) != truth
                                       for c in holding):  # fmt: skip
        return answer("order", None, "it stands at another place of another list")
    if not truth and largest.kind in ("repeated", "card"):  # a button may be the last part
        return answer("order", None, "it is not sure that nothing stands before it")
    if truth and len(ahead) < len(s.text):
        truth = _is_followed(s, ahead, largest, largest.data.index(item))
    shown = " ".join(item.text.split())[:80]
    return answer("order", truth, f"number {s.position} of {len(largest.data)} is '{shown}'",
                   denies=s.denies)  # fmt: skip


_BY_AGE = re.compile(r"\b(?:newest|latest|most recent)\b")


def _has_dates(group: Collection, page: PageContent) -> bool:
    measures = find_measures(group, read_records(group, page))
    return any(measure.name.endswith("date") for measure in measures)


def _has_all(names: Sequence[str], text: str) -> bool:
    return all(is_within(name, text) or _is_joined(name, text) for name in names)


def _is_joined(name: str, text: str) -> bool:
    """Whether a name stands in a text without a space to its neighbour: "StadtwerkeOven".

    Parts of a row that lie side by side are drawn apart by styles alone.
    """
    if not name[:1].isupper():
        return False
    whole = re.escape(name)
    return re.search(rf"(?<!\w){whole}(?=[A-ZÀ-Þ])|(?<=[a-zß-ÿ\d]){whole}(?!\w)", text) is not None


def _is_followed(s: Statement, ahead: str, collection: Collection, index: int) -> bool | None:
    """Return whether what is "followed by" stands in the next row; None if it is not named."""
    names = _names_in(literals(s, s.text[len(ahead) :]))
    if not names or index + 1 >= len(collection.data):
        return None
    return all(is_within(name, collection.data[index + 1].text) for name in names)


def _names_in(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out single digits: in "the first 2" they count, and name nothing."""
    return tuple(w for w in wanted if not w.isdigit() or len(w) > 1 or len(wanted) == 1)


def _has_item(name: str, collection: Collection) -> bool:
    return any(is_within(name, item.text) for item in collection.items)


def _order_by_words(s: Statement, page: PageContent, place: int) -> WeakAnswer:
    empty = FREE.rows | FREE.first_words | FREE.last_words | FREE.statements | FREE.places
    words = [w for w in s.words if w not in empty]
    for collection in page.collections if words else ():
        items = collection.data
        index = place - 1 if place > 0 else len(items) + place
        words = _without_kind(words, collection)
        fitting = [i for i, item in enumerate(items) if covers(words, item.text)]
        if not 0 <= index < len(items) or not fitting:
            continue
        if fitting == [index] or (index in fitting and _cell_has(items[index], words)):
            return answer("order", True, "it has all the words", denies=s.denies)
        if len(fitting) == 1 and not s.denies:
            return answer("order", False, f"it is number {fitting[0] + 1} that has the words")
    return answer("order", None, "no row with these words is clearly meant")


def _without_kind(words: list[str], collection: Collection) -> list[str]:
    """Return words without what the items are called: "the first comment is by Ida"."""
    names = {stem(word) for name in collection.names for word in split_words(name)}
    return [w for w in words if stem(w) not in names] or words


def _cell_has(item: Item, words: Sequence[str]) -> bool:
    """Return whether a cell is exactly one of the words: "belongs to anna"."""
    cells = {plain(text) for _, text in item.cells}
    return bool(words) and words[-1] in cells


def read_sequence(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``X is above Y``, ``X comes before Y``; also ``in the order X, Y, Z``."""
    if re.search(r"\b(?:ordered|sorted|in the order|in (?:this|that) order)\b", s.low):
        behind = re.split(r"\b(?:ordered|order)\b:?", s.text)[-1]
        in_front = _IN_THIS_ORDER.match(s.text)
        names = LIST_JOINT.split(in_front["names"] if in_front else behind)
        if len(names) > 1 and all(names):
            return _read_listed_order([s.unmask(n) for n in names], page, denies=s.denies)
    if (enclosed := _BETWEEN.search(s.text)) is not None:
        names = [s.unmask(s.subject), s.unmask(enclosed[1]), s.unmask(enclosed[2])]
        return _judge_between(_bare(names), page, denies=s.denies)
    up, down = has_phrase(s.low, FREE.before_phrases), has_phrase(s.low, FREE.after_phrases)
    # "X is on top, followed by Y" is about the first place
    if bool(up) == bool(down) or not s.verb or s.position:
        return None
    first, _, second = s.text.partition(_as_written(s.text, up or down))
    head = re.split(rf"\b{re.escape(s.verb)}\b", first, flags=re.I)[0]
    between = set(split_words(first[len(head) :].lower()))
    if _CARES.search(first):
        return None  # "Ida looks after the garden": who does it
    if not between <= FREE.statements | FREE.stop | FREE.placing:
        return None  # "was ringed before X": what happened earlier, not what stands above
    names = _bare([s.unmask(head), s.unmask(second)])
    near = re.search(r"\b(?:directly|right|immediately|just)$", first.strip().lower())
    return _compare_places(names, page, up=bool(up), near=bool(near), denies=s.denies)


# "The table has Elm, Oak and Yew in this order", "Elm, Oak and Yew are listed in that order"
_IN_THIS_ORDER = re.compile(
    r"^(?:that )?(?:[Tt]he |[Ii]t |[Tt]his )?(?:[a-z]+ ){0,3}?"
    r"(?:(?:has|have|shows?|lists?|contains?|holds?) )?"
    r"(?P<names>(?:⟦\d+⟧|[A-Z\d])[^,]*(?:, [^,]+){0,8}?,? and [^,]+?)"
    r"(?: (?:are|come|appear)(?: listed| shown| displayed)?)? in (?:this|that) order$"
)
# Only the first "between" is tried: no later one has an "and" if it has none.
_BETWEEN = re.compile(r"^(?>[\s\S]*?\bbetween )(.+?) and (.+)$", re.I)
_CARES = re.compile(r"\b(?:look|looks|looked|takes?|named|called) $")
_ARTICLES = re.compile(r"^(?:that )?(?:the|a|an) ", re.I)


#: "order 1013" stands in its row as the number alone.
_NUMBERED = re.compile(r"^[A-Za-z][a-z]+ (?:no\.? |number |#)?(?=\d+$)")


def _bare(names: Sequence[str]) -> list[str]:
    bare = [_ARTICLES.sub("", name.strip()).strip() for name in names]
    return [_NUMBERED.sub("", name) for name in bare]


def _as_written(text: str, phrase: str) -> str:
    match = re.search(rf"(?<![\w'-]){re.escape(phrase)}(?![\w'-])", text, re.I)
    return match[0] if match else phrase


def _places(names: Sequence[str], page: PageContent) -> list[int] | None:
    """Return the places of names in the one list that has each once, or in the page's lines."""
    for collection in page.collections:
        places = [_indices(name, [item.text for item in collection.items]) for name in names]
        if all(len(found) == 1 for found in places) and len({p[0] for p in places}) == len(names):
            return [found[0] for found in places]
    places = [_indices(name, page.visible.blocks) for name in names]
    return [found[0] for found in places] if all(len(found) == 1 for found in places) else None


def _indices(name: str, texts: Sequence[str]) -> list[int]:
    return [i for i, text in enumerate(texts) if name and contains(name, text)]


def _compare_places(
    names: Sequence[str], page: PageContent, *, up: bool, near: bool, denies: bool
) -> WeakAnswer | None:
    if not all(names) or names[1].casefold() in ("it", "this", "that", "them"):
        return None
    places = _places(names, page)
    if places is None:
        # words that no line has are perhaps no names: "the table under Trees"
        known = all(_indices(name, page.visible.blocks) for name in names)
        return answer("sequence", None, "one of the two is not there once") if known else None
    first, second = places
    truth = (first < second) == up and first != second
    if near and truth:
        truth = abs(first - second) == 1
    side = "before" if first < second else "after"
    return answer("sequence", truth, f"'{names[0]}' stands {side} '{names[1]}'", denies=denies)


def _judge_between(names: Sequence[str], page: PageContent, *, denies: bool) -> WeakAnswer | None:
    places = _places(names, page) if all(names) else None
    if places is None:
        return None
    middle, *ends = places
    truth = min(ends) < middle < max(ends)
    return answer("sequence", truth, f"their places are {places}", denies=denies)


def _read_listed_order(names: list[str], page: PageContent, *, denies: bool) -> WeakAnswer:
    for collection in page.collections:
        places = [
            [i for i, item in enumerate(collection.items) if is_within(name, item.text)]
            for name in names
        ]
        if all(len(found) == 1 for found in places):
            order = [found[0] for found in places]
            return answer("sequence", order == sorted(order), f"their places are {order}",
                           denies=denies)  # fmt: skip
    return answer("sequence", None, "they are not all in one list")
