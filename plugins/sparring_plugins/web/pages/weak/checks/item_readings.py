"""Readings of statements about one of several things, and about controls that are there or not."""

import re
from collections.abc import Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    content,
    split_words,
    stem,
    word_similarity,
)
from sparring_plugins.web.pages.controls import takes_clicks, takes_text
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import (
    SAME,
    WeakAnswer,
    answer,
    covers,
    is_within,
    literals,
)
from sparring_plugins.web.pages.weak.page.naming import KINDS
from sparring_plugins.web.pages.weak.page.page_content import Item, PageContent

_MOST_WORDS = 60


def read_item(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Friends is an address book with 4 items``: what the one row or card says of it."""
    only_none = re.search(r"\b(?:has|have|holds|contains) no [a-z]+$", s.low)  # the number 0
    if (s.denies and not only_none) or s.position or s.comparison != "==":
        return None
    item = _item_of(s, page)
    if item is None:
        return None
    answers = [*_amounts_in(s, item), *_cells_in(s, item)]
    if False in answers:
        # "one pound is worth 1.2 francs" of a card with 1.2: which number counts what is not sure
        if any(is_within(n, item.text) for n in literals(s) if re.search(r"\d", n)):
            return None
        return answer("item", False, f"'{_short(item)}' has another value")
    rest = _words_left(s)
    if _has_words(rest, item) and (True in answers or (len(rest) > 1 and literals(s))):
        return answer("item", True, f"'{_short(item)}' has all of it")
    return None


def _has_words(words: Sequence[str], item: Item) -> bool:
    """Return whether an item has all the words, none of them as the label of something."""
    labels = {stem(w) for w in re.findall(r"(?<!\w)(\w+)\s*:", plain(item.text))}
    return not words or (covers(words, item.text) and not labels & {stem(w) for w in words})


def _short(item: Item) -> str:
    return " ".join(item.text.split())[:80]


def _item_of(s: Statement, page: PageContent) -> Item | None:
    """Return the only row, item or card that has what the subject names."""
    names = literals(s, s.subject) or tuple(
        match[0] for match in re.finditer(r"\b[A-Z][\w-]*(?: [A-Z]?[\w-]+)*", s.subject)
    )
    wanted = s.quoted[:1] or names[:1]
    if not wanted or not s.verb:
        return None
    items = [i for c in page.collections for i in c.items if len(i.words) <= _MOST_WORDS]
    holding = {i.text: i for i in items if contains(wanted[0], i.text)}
    return next(iter(holding.values())) if len(holding) == 1 else None


def _amounts_in(s: Statement, item: Item) -> list[bool]:
    """Compare "4 items" with the number that stands before the same noun in the item."""
    answers: list[bool] = []
    for number, behind in s.numbers:
        noun = next(iter(content(behind)), "")
        column = next((text for head, text in item.cells if noun and _is_head(noun, head)), None)
        if column is not None and (value := read_number(column.strip())) is not None:
            # "2 orders" is not said of the column 'Order', which numbers them
            is_count = any(noun in split_words(head) for head, _ in item.cells)
            answers += [value == number] if is_count or value == number else []
            continue
        shown = re.findall(r"(?<!\w)(\w+) ([^\W\d_]+)", plain(item.text))
        values = {read_number(n) for n, word in shown if noun and stem(word) == stem(noun)}
        values.discard(None)
        if len(values) == 1:
            answers.append(values == {number})
    return answers


def _is_head(noun: str, head: str) -> bool:
    words = split_words(head)
    return len(words) == 1 and word_similarity(noun, words[0]) >= 0.95


_WITH = re.compile(r"\bwith (?:the )?([a-z][\w-]*) (?:of )?(⟦\d+⟧|[^\s,]+)$", re.I)


def _cells_in(s: Statement, item: Item) -> list[bool]:
    """Compare "with status open" with the cell of that column."""
    match = _WITH.search(s.text)
    if match is None:
        return []
    cells = [text for head, text in item.cells if _is_head(match[1].lower(), head)]
    return [plain(cells[0]) == plain(s.unmask(match[2]))] if len(cells) == 1 else []


def _words_left(s: Statement) -> list[str]:
    """Return the words of the statement that are neither numbers with nouns nor the cell."""
    text = _WITH.sub(" ", s.complement)
    used = {w for _, behind in s.numbers for w in content(behind)[:1]}
    skipped = FREE.statements | FREE.rows | used | {"unchanged", "collection"}
    return [
        w
        for w in content(re.sub(r"⟦\d+⟧", " ", text))
        if w not in skipped and read_number(w) is None
    ]


_OFFERED = re.compile(
    r"^(?:that )?(?:the |an? )?(?P<choice>.+?) (?P<can>can|may|cannot|can't|can not) "
    r"(?:now |also )?be (?:chosen|selected|picked) (?:as|for|in|from|under) "
    r"(?:the |an? )?(?P<field>[\w -]{2,60})$",
    re.I,
)


def read_choice(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Oak can be chosen as the wood``: the only list that is called so offers it."""
    match = _OFFERED.match(s.text)
    if match is None or s.position:
        return None
    words, wanted = content(match["field"]), plain(s.unmask(match["choice"]))
    lists = [e for e in page.elements if e.options]
    # the label may be a question: 'Which wood?'
    fits = [e for e in lists if _has_a_word(words, " ".join((e.label, e.name, e.adjacent)))]
    if len(fits) != 1:
        offering = [e for e in lists if _offers(e, wanted)]
        fits = lists if len(lists) == 1 else offering
    if len(fits) != 1:
        return None
    is_offered = _offers(fits[0], wanted)
    if not is_offered and any(contains(wanted, o.label) for o in fits[0].options):
        return None  # 'Oak (solid)' is perhaps what is meant by Oak
    denies = match["can"].lower() not in ("can", "may")
    return answer("choice", is_offered, f"looked for '{wanted}' in a list", denies=denies)


def _offers(element: Element, choice: str) -> bool:
    return any(plain(o.label) == choice and not o.disabled for o in element.options)


def _has_a_word(words: Sequence[str], label: str) -> bool:
    return any(word_similarity(w, other) >= SAME for w in words for other in split_words(label))


_NAMED = re.compile(
    r"\b(?P<how>an?|the|no|any|not) "
    r"(?P<name>(?:⟦\d+⟧|[A-Z][\w-]*|\w+_\w+)(?: [A-Za-z][\w-]*){0,2}?) "
    r"(?P<kind>button|link|tab|column|field)\b"
)
_KIND_FIRST = re.compile(
    r"\b(?P<how>an?|the|no|any|not) (?P<kind>button|link|tab|column|field) "
    r"(?:called |named |labelled |labeled |titled )?(?P<name>⟦\d+⟧|\w+_\w+|[A-Z][\w-]*)"
)
_EXISTS = frozenset(
    stem(w)
    for w in [
        "there",
        "shown",
        "displayed",
        "visible",
        "offered",
        "has",
        "have",
        "is",
        "are",
        "must",
        "should",
        "still",
        "now",
        "again",
        "top",
        "appeared",
        "appear",
        "any",
        "more",
        "result",
        "table",
        "form",
        "page",
        "sidebar",
    ]
)


def read_control(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``There is a Logout button``, ``no Activity column``: whether there is one called so."""
    matches = [*_NAMED.finditer(s.text), *_KIND_FIRST.finditer(s.text)]
    if not matches or s.position or any(number for number, _ in s.numbers):
        return None
    rest = s.text
    truths: list[bool | None] = []
    for match in matches:
        rest = rest.replace(match[0], " ")
        denied = match["how"] in ("no", "any", "not") or (len(matches) == 1 and s.denies)
        is_there = _is_there(s.unmask(match["name"]), match["kind"], page)
        truths.append(is_there if not denied or is_there is None else not is_there)
    if _says_more(rest):
        return None
    named = " and ".join(s.unmask(match["name"]) for match in matches)
    if None in truths:
        return answer("control", None, f"'{named}' can be read, but may be no such control")
    return answer("control", all(truths), f"looked for {named}")


def _says_more(rest: str) -> bool:
    if "⟦" in rest:
        return True  # "the field 'Price' contains '9'": that there is such a field is not all
    skipped = FREE.statements | FREE.places | set(KINDS)
    left = [w for w in content(re.sub(r"⟦\d+⟧", " ", rest)) if w not in skipped]
    return any(stem(word) not in _EXISTS for word in left)


def _is_there(name: str, kind: str, page: PageContent) -> bool | None:
    if kind == "column":
        heads = [head for table in page.tables for head in table.columns]
        return any(contains(name, head) for head in heads) if heads else None
    fits = takes_text if kind == "field" else takes_clicks
    called = [e for e in page.elements if fits(e) and _is_called(name, e)]
    if called:  # the link 'reply' may not be what is meant by a Reply button
        return True if any(_is_written_so(name, kind, e) for e in called) else None
    return None if contains(name, page.text) else False


def _is_written_so(name: str, kind: str, element: Element) -> bool:
    return element.role == kind or name in (element.name or element.text or element.label)


def _is_called(name: str, element: Element) -> bool:
    texts = (element.name, element.label, element.text, element.value or "", element.title)
    wanted = split_words(name)
    return (
        any(wanted == split_words(text)[: len(wanted)] for text in texts if text)
        and len(split_words(element.name or element.text or element.label)) <= len(wanted) + 2
    )
