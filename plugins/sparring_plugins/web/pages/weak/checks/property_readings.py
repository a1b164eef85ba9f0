"""Readings of statements about a property of one thing, or of all things of a page.

A thing is a row, card or item that one names by a cell or a part of its text; its property is a
cell with a heading: "Ida Falk has the role Editor", "Oak's price is 5", "the lamp is not active".
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    content,
    has_phrase,
    split_words,
    stem,
    stems,
    word_similarity,
)
from sparring_plugins.web.pages.controls import is_a_box
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import (
    SAME,
    WeakAnswer,
    answer,
    covers,
    literals,
)
from sparring_plugins.web.pages.weak.checks.value_readings import same_value
from sparring_plugins.web.pages.weak.page.page_content import Collection, Item, PageContent

_BE = frozenset({"is", "are", "was", "were", "reads", "equals", "shows"})
_HAVE = frozenset({"has", "have", "had", "holds", "carries", "shows", "gets"})
_POSSESSIVE = re.compile(r"^(?:the )?(?P<thing>.+?)(?:'s|s'|’s) (?P<label>[a-z][\w -]*)$", re.I)
_OF = re.compile(
    r"^(?:the )?(?P<label>[a-z][\w -]*?) (?:of|for|in the row of|in the line of) "
    r"(?:the )?(?P<thing>.+)$",
    re.I,
)
_LEAD = re.compile(r"^(?:that )?(?:now |still |again |only |also )*(?:the |an? |as |its )?", re.I)
_JOINT = re.compile(r"^(?:of|is|set to|equal to|at|:)\s+", re.I)
_FRONT = re.compile(r"^(?:(?:in|by|at|on|to|from|as|of|with|the|an?|called|named)\s+){1,3}", re.I)
_MOST_LABEL_WORDS = 4


@dataclass(frozen=True)
class Triple:
    """A thing, the label of its property, and the value that it is said to have.

    It `is_named` if the sentence has the label itself, and no verb made of it: "was ringed by".
    """

    thing: str
    label: str
    value: str
    is_named: bool = True


def read_property(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Ida has the role Editor``, ``Ida's role is Editor``: the cell of that column in her row."""
    heads = {word for table in page.tables for head in table.columns for word in split_words(head)}
    if s.comparison != "==" or _relates(s, heads) or (s.position and not names_column(s, page)):
        return None
    answers = [
        a for table in page.tables for triple in (*_triples(s), *_triples_by_columns(s, table))
        if (a := _judge_triple(s, triple, table)) is not None
    ]  # fmt: skip
    return answers[0] if len({a.truth for a in answers}) == 1 else None


def names_column(s: Statement, page: PageContent) -> bool:
    """Return whether "the last run" is the name of a column, and no place in an order."""
    edges = FREE.first_words | FREE.last_words
    heads = [plain(head) for table in page.tables for head in table.columns]
    return any(set(head.split()) & edges and head in s.low for head in heads)


def _relates(s: Statement, heads: Set[str] = frozenset()) -> bool:
    """Return whether more is said than one property; "since 2023" is one below 'Since'."""
    words = set(split_words(s.low)) - FREE.negations - heads
    return bool(words & (FREE.relating - {"left", "right", "first", "last"}))


def _triples(s: Statement) -> Iterator[Triple]:
    subject, complement = s.unmask(s.subject), s.unmask(s.complement)
    complement = _NOT.sub("", complement)
    if s.verb in _BE:
        for pattern in (_POSSESSIVE, _OF):
            if match := pattern.match(subject):
                yield Triple(match["thing"], match["label"], _LEAD.sub("", complement))
    if s.verb in _HAVE:
        words = _tokens(s, _LEAD)
        # "has 2 books and 4 terms": a number stands before what it counts
        counts = bool(words) and read_number(words[0]) is not None
        for size in range(1, 1 if counts else min(len(words), _MOST_LABEL_WORDS + 1)):
            value = _JOINT.sub("", " ".join(words[size:]))
            yield Triple(_LEAD.sub("", subject), " ".join(words[:size]), value)
        if match := re.match(r"^(?P<value>.+) as (?:the|its|her|his|their|an?) (?P<label>.+)$",
                             complement):  # fmt: skip
            yield Triple(_LEAD.sub("", subject), match["label"], match["value"])


_NOT = re.compile(r"^(?:not |no longer )")


def _tokens(s: Statement, *leads: re.Pattern[str]) -> list[str]:
    """Return the words of what is said, a quotation as one: 'New (1)' has no label 'New'."""
    text = s.complement
    for lead in (_NOT, *leads):
        text = lead.sub("", text)
    return [s.unmask(word) for word in text.split()]


def _triples_by_columns(s: Statement, table: Collection) -> Iterator[Triple]:
    """Yield "Ida is a member of the group editors", "Elm was planted in 1998" by its headings."""
    words = _tokens(s)
    thing = _LEAD.sub("", s.unmask(s.subject))
    if s.verb not in _BE | _HAVE | {"belongs", "does"}:
        return
    for head in table.columns:
        heads = [w for w in split_words(head) if w not in FREE.stop]
        for at in range(min(len(words) - 1, _MOST_LABEL_WORDS)):
            said = words[at : at + len(heads)]
            if at and read_number(words[at - 1]) is not None:
                continue  # "has 2 books and 4 terms"
            if len(heads) == len(said) and heads and all(map(_is_labelled, said, heads)):
                value = re.sub(r"^(?:in|by|at|on|to|from|as) ", "",
                               " ".join(words[at + len(heads) :]))  # fmt: skip
                is_named = all(
                    word_similarity(w.lower(), h) >= 0.95 for w, h in zip(said, heads, strict=True)
                )
                yield Triple(thing, head, _JOINT.sub("", value), is_named)


def _is_labelled(word: str, head: str) -> bool:
    """Return whether a word is that of a heading, or made of it: "planted" of 'Plant'."""
    short, long = sorted((stem(word.lower()), stem(head)), key=len)
    return word_similarity(word.lower(), head) >= SAME or (
        len(short) >= 5 and long.startswith(short)
    )


def _judge_triple(s: Statement, triple: Triple, table: Collection) -> WeakAnswer | None:
    row, column = find_item(triple.thing, table), _find_column(triple.label, table)
    if row is None or column is None or column >= len(row.cells) or not triple.value:
        return None
    shown, value = row.cells[column][1], _FRONT.sub("", triple.value)
    if contains(_FRONT.sub("", triple.thing), shown):
        return None  # "is a member of ...": the column of its name says nothing of it
    reason = f"{table.columns[column]} of '{_short(row)}': {shown.strip()[:60]}"
    if same_value(value, shown, "=="):
        return answer("property", True, reason, denies=s.denies)
    others = {plain(i.cells[column][1]) for i in table.data if column < len(i.cells)}
    # 'New (1)' has a word of 'New (2)', but another row has just that
    is_another = value in s.quoted and plain(value) in others and not contains(value, shown)
    if _is_perhaps_same(value, shown) and not is_another:
        return None
    is_sure = _is_value(s, triple, value, others, shown)
    return answer("property", False if is_sure else None, reason, denies=s.denies)


def _is_perhaps_same(value: str, shown: str) -> bool:
    """Return whether a cell has a part of a value, or the same number with another sign."""
    if shown.strip().lstrip("-−–+ ") == value.lstrip("-−–+ "):
        return True
    # "at the old Mill" of the cell 'Mill'
    return any(word in split_words(shown) for word in content(value))


def _is_value(s: Statement, triple: Triple, value: str, others: Iterable[str], shown: str) -> bool:
    """Return whether a value is surely one of a column: another cell has it, or it is literal."""
    parts = {part for text in others for part in re.split(r"[,;]\s*", text)}
    is_literal = triple.is_named and bool(literals(s, f"a {value}") or s.quoted)
    are_days = {plain(value), plain(shown)} <= FREE.days
    return plain(value) in parts or is_literal or are_days


def _short(item: Item) -> str:
    return " ".join(item.text.split())[:60]


def find_item(thing: str, group: Collection) -> Item | None:
    """Return the only item that a name means: by a whole cell, else by a part of its text."""
    name = plain(thing).strip(" .\"'")
    if not name:
        return None
    whole = [i for i in group.data if any(plain(text) == name for text in _parts(i))]
    partly = [i for i in group.data if contains(name, i.text)]
    for items in (whole, partly):
        if items:
            return items[0] if len({i.text for i in items}) == 1 else None
    return None


def in_part(thing: str, item: Item) -> bool:
    """Return whether an item is only found by a part of its text: "Oak" in the row 'Oak bark'."""
    name = plain(thing).strip(" .\"'")
    return not any(plain(text) == name for text in _parts(item))


def _parts(item: Item) -> Iterator[str]:
    yield from (text for _, text in item.cells)
    yield from item.text.split("\n")


def _find_column(label: str, table: Collection) -> int | None:
    """Return the column that a label names: all its words, and no other."""
    wanted = [w for w in content(label) if w not in FREE.neutral] or list(split_words(label))
    values = [_label_similarity(wanted, head) for head in table.columns]
    most = max(values, default=0.0)
    return values.index(most) if most >= SAME and values.count(most) == 1 else None


def _label_similarity(wanted: Sequence[str], head: str) -> float:
    """Return how far each word of both labels means one of the other."""
    words = [w for w in split_words(head) if w not in FREE.stop]
    if not words or not wanted:
        return 0.0
    said = min(max(word_similarity(w, other) for other in words) for w in wanted)
    return min(said, *(max(word_similarity(other, w) for w in wanted) for other in words))


# Yes and no

_STATED = re.compile(
    r"^(?:now |still |also |already |again )*(?P<not>not |no longer )?"
    r"(?:now |still |yet )*(?:an? )?"
    r"(?:(?:marked|flagged|shown|set|listed|ticked|displayed) (?:as )?)?"
    r"(?P<state>[a-z][a-z-]*)(?: (?:any ?more|yet|now|too))?$",
    re.I,
)
_YES = frozenset({"true", "yes", "on", "✓", "✔", "✅", "1", "check", "checked", "ok", "tick"})
_NO = frozenset(
    {"false", "no", "off", "✗", "✘", "❌", "✖", "×", "0", "minus", "times", "cross", "unchecked",
     "remove"}
)  # fmt: skip


def read_flag(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The lamp is marked as sold``: what the column 'Sold' holds in its row, a yes or a no."""
    match = _STATED.match(s.complement)
    if s.verb not in ("is", "are", "was") or match is None or s.position or s.quoted[1:]:
        return None
    answers: list[WeakAnswer] = []
    for table in page.tables:
        thing = _LEAD.sub("", s.unmask(s.subject))
        row, column = find_item(thing, table), _find_column(match["state"], table)
        if row is None or column is None:
            continue
        flag = _flag(row, column, page)
        if flag is not None:
            reason = f"{table.columns[column]} of '{_short(row)}' is {'yes' if flag else 'no'}"
            answers.append(answer("flag", flag, reason, denies=bool(match["not"])))
    return answers[0] if len({a.truth for a in answers}) == 1 else None


def _flag(row: Item, column: int, page: PageContent) -> bool | None:
    """Return whether a cell says yes: by its text, the box in it, or the name of its icon."""
    cells = page.cells_of(row)
    if column >= len(cells):
        return None
    inner = [e for e in page.elements if page.layout.holds(cells[column], e)]
    boxes = [e for e in inner if is_a_box(e)]
    if len(boxes) == 1:
        return None if boxes[0].checked == "mixed" else boxes[0].checked
    words = {word for e in (cells[column], *inner) for word in _drawn_words(e)}
    says_yes, says_no = bool(words & _YES), bool(words & _NO)
    return None if says_yes == says_no else says_yes


def _drawn_words(element: Element) -> Iterator[str]:
    texts = (element.text, element.name, element.alternative, element.title)
    for text in texts:
        if text and len(text) < 40:
            yield from (plain(text), *plain(text).split())
    yield from re.split(r"[\s_-]+", element.attributes.get("class", "").lower())


# All of them

_EVERY = re.compile(
    r"^(?:that )?(?P<how>all|every|each|both|none|no)\b(?: of)?(?: the| them| these| those| one)?"
    r"(?: \w+)? ?(?P<things>[a-z][\w -]*?)?$",
    re.I,
)


def read_every(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Both users are admins``: each row of the only table has the value, in one column."""
    match, groups = _EVERY.match(s.subject), _groups_of_all(page)
    if match is None or s.verb not in _BE | _HAVE or len(groups) != 1 or s.numbers:
        return None
    denies = match["how"].lower() in ("no", "none")
    # "not all of them" and "all are not" say different things
    words = [] if s.denies and not denies else _said_of_each(s)
    having = [i for i in groups[0].data if words and has_value(words, i)]
    if len(groups[0].data) < 2 or not having:  # it may be called otherwise on this page
        return None
    return _answer_every(groups[0], len(having), " ".join(words), denies=denies)


def _groups_of_all(page: PageContent) -> tuple[Collection, ...]:
    """Return the tables of a page, else its lists and cards, else parts that look alike."""
    alike = tuple(c for c in page.lists if c.kind == "repeated" and len(c.items) > 1)
    return page.main_tables or page.several or alike


def _answer_every(group: Collection, having: int, said: str, *, denies: bool) -> WeakAnswer:
    every = len(group.data)
    truth: bool | None = False if denies else having == every
    if not truth and group.kind == "repeated":
        truth = None  # what only looks alike may be something else
    return answer("every", truth, f"{having} of {every} have '{said}'")


def _said_of_each(s: Statement) -> list[str]:
    if has_phrase(s.low, FREE.absence):
        return []
    words = [w for w in content(s.unmask(s.complement)) if w not in FREE.statements]
    return [w for w in words if not _only_links(w, s.low)]


def _only_links(word: str, low: str) -> bool:
    """Return whether a participle only links a thing and its property: "was made by"."""
    return re.search(rf"\b{re.escape(word)} (?:by|at|in|on|from|to|with)\b", low) is not None


def has_value(words: Sequence[str], item: Item) -> bool:
    """Return whether a cell or line of `item` is just `words`, or has them without a denial."""
    wanted = tuple(map(stem, words))
    for text in _parts(item):
        if stems(text) == wanted:
            return True
        near = set(plain(text).split())
        if covers(words, text) and len(near) <= len(words) + 4 and not near & FREE.negations:
            return True
    return False


# What is said of a thing by several of its cells


def read_row_words(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``/tickets is a permanent redirect to Visit us``: its row has all words but the page's."""
    said = s.unmask(s.complement)
    words = _words_beside_titles(said, page)
    if not words or s.denies or not _says_one_thing(s):
        return None
    subject = s.unmask(s.subject)
    quoted = [q for q in s.quoted if q in said]
    for table in page.tables:
        item = find_item(_LEAD.sub("", subject), table)
        rest = " ".join(t for _, t in item.cells if not contains(subject, t)) if item else ""
        rest = _without_controls(rest, item, page) if item else ""
        if item and _has_all(words, rest) and all(contains(q, rest) for q in quoted):
            return answer("row words", True, f"the row '{_short(item)}' has all of it")
    return None


def _without_controls(text: str, item: Item, page: PageContent) -> str:
    """Return the text of a row without its buttons: 'Pause checks' does not show "is paused"."""
    row = page.layout.by_id.get(item.element or "")
    buttons = [e for e in page.elements if row and e.role == "button" and page.layout.holds(row, e)]
    for name in {name for e in buttons for name in (e.name, e.text, e.title) if name.strip()}:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text, flags=re.I)
    return text


def _has_all(words: Sequence[str], text: str) -> bool:
    """Return whether a text has all the words; no shop is "open" that has 'Opening hours'."""
    if len(words) > 1:
        return covers(words, text)
    said = split_words(text)
    return covers(words, " ".join(w for w in said if w == words[0] or not w.endswith("ing")))


def _says_one_thing(s: Statement) -> bool:
    """Return whether a property is all that is said; numbers are compared by value and sign."""
    plainly = s.verb in _BE | _BELONGS and not s.position and s.comparison == "=="
    return plainly and not _relates(s) and not re.search(r"\d", s.complement)


_BELONGS = frozenset({"belongs", "goes", "leads", "points", "has"})


def _words_beside_titles(said: str, page: PageContent) -> list[str]:
    """Return what names something, but what the headings of the page say of all its rows."""
    titles = {stem(w) for heading in page.headings for w in split_words(heading)}
    kept = [w for w in content(said) if w not in FREE.rows | FREE.statements]
    return [w for w in kept if stem(w) not in titles]
