"""Readings of statements about entries: one that says something, the first ones, a state, a place.

An entry is a row, a list item or a card. Most of these readings only confirm: a page may write what
a tester means in other words.
"""

import re
from collections.abc import Iterator, Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    content,
    split_words,
    stem,
    stems,
    word_similarity,
)
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer, covers
from sparring_plugins.web.pages.weak.checks.property_readings import find_item, has_value, in_part
from sparring_plugins.web.pages.weak.page.page_content import (
    Collection,
    Item,
    PageContent,
    page_content,
)

_MOST_WORDS = 60
#: From here on, a word of the page may be what a tester means.
_ALIKE = 0.7
_ENTRY = re.compile(
    r"\b(?:has|have|contains?|lists?|shows?|includes?|gets|got) (?:an?|one|the) (?:new |further )?"
    r"(?:entry|row|line|record|item|event|post|card)\b(?P<said>.+)$",
    re.I,
)
_THERE = re.compile(
    r"^there (?:is|exists) (?:an?|one) (?:new |further )?"
    r"(?:entry|row|line|record|item|event|post|card)\b(?P<said>.+)$",
    re.I,
)
_MENTIONS = re.compile(
    r"\b(?:mentions?|records?|notes?|logs?|shows?|tells?) that (?P<said>.+)$", re.I
)
#: How an entry and what it says are joined: "an entry by Ida reading 'sold'".
_JOINING = frozenset({"reading", "saying", "by", "says", "about", "whose", "that", "which"})


def read_entry(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The log has an entry by Ida reading 'sold'``: one row or item has all of it."""
    match = _ENTRY.search(s.text) or _THERE.match(s.text) or _MENTIONS.search(s.text)
    if match is None or s.denies or s.position or s.comparison != "==":
        return None
    if name := _FOR_NAME.fullmatch(match["said"]):  # "an entry for Ida": the name as it is written
        return _find_entry([name[1]], [], page) or _judge_unknown(name[1], page)
    quoted = [q for q in s.quoted if q in s.unmask(match["said"])]
    words = [w for w in content(re.sub(r"⟦\d+⟧", " ", match["said"])) if w not in _SAYING_LITTLE]
    return _find_entry(quoted, words, page) if quoted or len(words) > 1 else None


_SAYING_LITTLE = FREE.statements | FREE.rows | FREE.places | FREE.saying | _JOINING


def _find_entry(
    quoted: Sequence[str], words: Sequence[str], page: PageContent
) -> WeakAnswer | None:
    for item in _items(page):
        if len(item.words) <= _MOST_WORDS and _says(item.text, quoted, words):
            return answer("entry", True, f"'{_short(item)}' has all of it")
    return None


def _judge_unknown(name: str, page: PageContent) -> WeakAnswer | None:
    is_unknown = _is_unknown(name, page)
    return answer("entry", False, f"'{name}' can't be read anywhere") if is_unknown else None


_FOR_NAME = re.compile(
    r" (?:for|about|of|on|from|by) ((?:[A-Z][\w'-]*|\d+)(?: [A-Z][\w'-]*| \d+)*)"
)


def _is_unknown(name: str, page: PageContent) -> bool:
    """Return whether a word with a capital of "April 2031" is nowhere on the page."""
    shown = {word for line in page.text_lines for word in split_words(line)}
    capitals = [word.lower() for word in name.split() if word[0].isupper()]
    unknown = (
        not any(word_similarity(word, other) >= _ALIKE for other in shown) for word in capitals
    )
    return not contains(name, page.text) and any(unknown)


def _says(text: str, quoted: Sequence[str], words: Sequence[str]) -> bool:
    return all(contains(q, text) for q in quoted) and (not words or covers(words, text))


def _items(page: PageContent) -> Iterator[Item]:
    for collection in page.collections:
        yield from collection.items


def _short(item: Item) -> str:
    return " ".join(item.text.split())[:80]


# Questions

_ASKED = re.compile(
    r"\b(?:asked|asks|question|prompted)\b.{0,30}?\b(?:whether|if) (?P<what>.+)$", re.I
)


def read_question(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``We are asked whether we really want to leave``: a text of the page asks just this."""
    match = _ASKED.search(s.text)
    if match is None or s.denies:
        return None
    words = [w for w in content(s.unmask(match["what"])) if w not in _ASKING]
    texts = (*page.messages, *page.visible.sentences, *page.text_lines)
    questions = [t for t in texts if t.rstrip().endswith("?") and len(t.split()) <= _MOST_WORDS]
    for text in questions:
        if words and covers(words, text):
            return answer("question", True, f"it asks '{' '.join(text.split())[:80]}'")
    return None


#: "whether we really want to leave" may be asked as "Are you sure that you want to leave?".
_ASKING = frozenset({"really", "want", "wants", "wish", "truly", "like", "sure"})


# The first ones

_FIRST = re.compile(
    r"^(?:that )?the (?P<end>first|last|top|bottom|topmost) (?P<number>\d{1,2}|[a-z]+) "
    r"(?P<things>[a-z][\w -]{0,40}?)$",
    re.I,
)


def read_first_ones(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The first two tasks are done``: so many rows at that end have the value."""
    match = _FIRST.match(s.subject)
    groups = page.main_tables or page.several
    if match is None or s.denies or len(groups) != 1 or s.verb not in ("are", "were", "have"):
        return None
    number, items = read_number(match["number"]), groups[0].data
    words = [w for w in content(s.unmask(s.complement)) if w not in FREE.statements]
    if number is None or not 1 <= number < len(items) or not words:
        return None
    size = int(number)
    chosen = items[:size] if match["end"].lower() in ("first", "top", "topmost") else items[-size:]
    if not any(has_value(words, item) for item in items):
        return None  # it is called otherwise on this page
    having = sum(has_value(words, item) for item in chosen)
    return answer("first ones", having == size, f"{having} of {size} have '{' '.join(words)}'")


# States of one entry

_STATE = re.compile(
    r"^(?:now |still |already |also )*(?:been |become )?(?P<state>[a-z][\w-]*(?: [a-z][\w-]*)?)"
    r"(?: (?:now|already|too))?$",
    re.I,
)
_LONGEST_STATE = 3


def read_entry_state(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The ferry has arrived``: a short text of its own row or card is just this word.

    It is false only if another entry of the same kind has the word at the same place, and this one
    another word there.
    """
    match = _STATE.match(s.unmask(s.complement))
    if match is None or s.denies or s.position or s.verb not in _BEING or s.numbers:
        return None
    thing = re.sub(r"^(?:that )?(?:the |an? )?", "", s.unmask(s.subject), flags=re.I)
    wanted = stems(match["state"])
    truths = {
        truth
        for group in page.collections
        if (truth := _has_state(thing, wanted, group)) is not None
    }
    if len(truths) != 1:
        return None
    truth = truths.pop()
    return answer("entry state", truth, f"'{thing}' is {'' if truth else 'not '}{match['state']}")


_BEING = frozenset({"is", "was", "has"})


def _has_state(thing: str, wanted: tuple[str, ...], group: Collection) -> bool | None:
    item = find_item(thing, group)
    if item is None or len(item.words) > _MOST_WORDS:
        return None
    own = dict(enumerate(_places(item)))
    if any(stems(text) == wanted for text in own.values() if not contains(thing, text)):
        return True
    if group.kind != "table" or in_part(thing, item):
        return None
    columns = {
        at
        for other in group.data
        for at, text in enumerate(_places(other))
        if stems(text) == wanted
    }
    values = [own.get(at, "") for at in columns]
    is_other = len(values) == 1 and 0 < len(split_words(values[0])) <= _LONGEST_STATE
    return False if is_other else None


def _places(item: Item) -> list[str]:
    return [text for _, text in item.cells] or item.text.split("\n")


# What was listed before

_NAME = r"(?:the |an? )?(?P<name>[A-Za-z][\w' -]{1,60}?)"
_HAS_STILL = re.compile(
    r"^(?:that )?(?:the |this )?(?:\w+ )?(?:table|list|page|results?|grid|overview) "
    rf"(?:still |now |also )?(?:contains?|shows?|lists?|has|have|includes?) {_NAME}$",
    re.I,
)
_IS_STILL = re.compile(
    rf"^(?:that )?{_NAME} (?:is|are) (?:still |now |again |also )*"
    r"(?:listed|shown|displayed|there|visible|in the (?:list|table|overview|results))$",
    re.I,
)
_CAME_UP = re.compile(
    rf"^(?:that )?{_NAME} (?:has |have )?"
    r"(?:appeared|appears?|turned up|turns up|shows? up|showed up|came up|comes up) (?:now )?"
    r"in the (?:list|table|overview|results|menu|sidebar)\b.*$",
    re.I,
)
_MOST_NAME_WORDS = 4


def read_known_entry(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The list still has the ferry``: a word of the page before, which is no longer there.

    That the page used the word itself shows that it is its own word, and not the tester's.
    """
    match = _HAS_STILL.match(s.text) or _IS_STILL.match(s.text) or _CAME_UP.match(s.text)
    if match is None or s.denies or s.position or s.numbers or s.quoted:
        return None
    words = _words_of_name(match["name"])
    if not words:
        return None
    # "Oak" is not listed by a row 'Oak bark'
    parts = (text for item in _items(page) for text in _places(item))
    if any(words == frozenset(stems(text)) - _STOP for text in parts):
        return answer("known entry", True, f"an entry has '{match['name']}'")
    if _was_listed(words, before) and not words & set(stems(page.text)):
        return answer("known entry", False, f"'{match['name']}' was listed, and is no longer")
    return None


def _words_of_name(name: str) -> frozenset[str]:
    """Return the stems of a name; none if it is long or general: "each row"."""
    words = frozenset(map(stem, content(name)))
    names_one = len(words) <= _MOST_NAME_WORDS and not words & _GENERAL
    return words if names_one and not _OF_SEVERAL.match(name) else frozenset()


def _was_listed(words: frozenset[str], before: Sequence[PageView]) -> bool:
    earlier = (item for view in before[-6:] for item in _items(page_content(view)))
    return any(words <= set(stems(item.text)) for item in earlier)


_OF_SEVERAL = re.compile(r"(?:only|no|all|every|each|both) ", re.I)


_STOP = frozenset(map(stem, FREE.stop))
_GENERAL = frozenset(stem(w) for w in FREE.rows | FREE.places | FREE.tables | FREE.messages)


# Where something lies

_LIES = re.compile(
    r"^(?P<what>.+?) (?:is|sits|lies|stands|appears|hangs|belongs)(?: now| still)?"
    r"(?: (?:listed|shown|filed|placed|located|seated))? (?:in|at|on|under|below|within|inside|to) "
    r"(?:the )?(?:(?:group|section|part|list|column|lane|heading|board) )?(?P<where>.+)$",
    re.I,
)


def read_place(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Elm lies under Trees``: what is called so has this heading above it."""
    match = _LIES.match(s.text)
    if match is None or s.denies or s.position or s.numbers:
        return None
    what = plain(re.sub(r"^(?:that )?(?:the |an? )?", "", s.unmask(match["what"]), flags=re.I))
    where = plain(s.unmask(match["where"]))
    if where not in set(map(plain, page.headings)) or not what:
        return None
    regions = [set(map(plain, e.region)) for e in page.elements if plain(e.text or e.name) == what]
    if regions and all(where in region for region in regions):
        return answer("place", True, f"'{what}' has the heading '{where}' above it")
    return None


# What a card says of itself without a heading

_OF = r"(?:the )?(?P<label>[a-z][\w -]{0,40}?) (?:of|for|on|in) (?:the )?(?P<thing>.+?)"
_VALUES = (
    re.compile(
        rf"^(?:that )?{_OF} (?:is|reads|says|shows) (?:now |still )?(?P<value>⟦\d+⟧)$", re.I
    ),
    re.compile(
        r"^(?:that )?(?:the )?(?P<thing>[^⟦]+?|⟦\d+⟧) (?:has|have|shows|carries) the "
        r"(?P<label>[a-z][\w -]{0,40}?) (?P<value>⟦\d+⟧)$",
        re.I,
    ),
    re.compile(
        r"^(?:that )?.{0,40}?\b(?:lists?|shows?|has|contains?) (?:the )?"
        r"(?P<thing>⟦\d+⟧|[A-Z][^⟦]*?) with the (?P<label>[a-z][\w -]{0,40}?) (?P<value>⟦\d+⟧)$"
    ),
)


def read_card_value(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The motto of the Rowers is 'Pull!'``: their card has a line that is just this.

    Cards rarely say what a line is, so that another line shows nothing.
    """
    match = next((m for pattern in _VALUES if (m := pattern.match(s.text))), None)
    if match is None or s.denies or s.position:
        return None
    thing, value = s.unmask(match["thing"]), plain(s.unmask(match["value"]))
    for group in page.collections:
        item = find_item(thing, group) if group.kind != "table" else None
        lines = item.text.split("\n") if item and len(item.words) <= _MOST_WORDS else []
        if item and any(plain(line) == value for line in lines):
            return answer("card value", True, f"'{_short(item)}' has a line '{value}'")
    return None
