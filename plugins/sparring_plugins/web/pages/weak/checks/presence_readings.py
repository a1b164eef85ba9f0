"""Readings of statements that something is there, is not, or that nothing is."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    content,
    has_phrase,
    split_words,
    stem,
    word_similarity,
)
from sparring_plugins.web.pages.controls import in_words, takes_clicks
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.pages.weak.checks.answers import (
    WeakAnswer,
    answer,
    covers,
    literals,
)
from sparring_plugins.web.pages.weak.checks.containers import names_container
from sparring_plugins.web.pages.weak.page.page_content import Collection, PageContent


def read_presence(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``X, Y and Z are listed``: each can be read; a quotation that can't be read is not there."""
    if _says_something_else(s):
        return None
    s = replace(s, text=_AMONG.sub("is listed", s.text))
    missing = [q for q in s.quoted if not _can_be_read(q, page)]
    if missing:
        return _answer_missing(s, missing[0], page)
    if names_container(s):
        return None  # that it can be read somewhere does not show that it lies in the table
    if not all(contains(q, page.text) for q in s.quoted):
        return None  # what a field holds was perhaps typed by the case itself
    if s.quoted and not _words_left(s) and not s.numbers:
        return answer("presence", True, f"{' and '.join(s.quoted)} can be read")
    names = _split_enumeration(s)
    if len(names) > 1 and all(_is_named(name, page) for name in names):
        return answer("presence", True, "each of them can be read")
    return None


def _says_something_else(s: Statement) -> bool:
    """Return whether it does not help that something can be read.

    "The page says that Oak does not exist", "the tab is called 'Oak'": Oak on the page is neither.
    """
    if s.denies or _of_address(s) or set(split_words(s.low)) & FREE.negations:
        return True
    if _WAS_DONE.match(f"{s.verb} {s.complement}") and s.quoted:
        return not set(map(stem, split_words(s.complement))) & _MADE
    of_tab = {"tab", "window", "browser", "title"} & set(split_words(s.subject))
    return bool(of_tab) and s.verb in _BE


#: "'Oak' has already been felled" is so or not wherever 'Oak' can be read.
_WAS_DONE = re.compile(r"(?:has|have|had) (?:already |just |now |since )?been [a-z]+", re.I)
_MADE = frozenset(map(stem, FREE.making | FREE.showing | FREE.appearing))


def _answer_missing(s: Statement, quotation: str, page: PageContent) -> WeakAnswer:
    if _lies_in_closed_part(s, page):
        return answer("presence", None, "it may be in a tab or section that is not open")
    return answer("presence", False, f"'{quotation}' can't be read anywhere on the page")


def _lies_in_closed_part(s: Statement, page: PageContent) -> bool:
    """Return whether the subject names a part that is not open: "the notes say 'X'".

    Tabs are drawn as links and buttons, too: one is closed if its whole name is the subject.
    """
    words = [w for w in content(re.sub(r"⟦\d+⟧", " ", s.subject)) if w not in FREE.places]
    return bool(words) and any(_may_be_closed(words, e) for e in page.elements)


def _may_be_closed(words: Sequence[str], element: Element) -> bool:
    name = element.name or element.text
    if element.expanded is False or element.role == "tab":
        return not element.selected and covers(words, name)
    return takes_clicks(element) and list(content(name)) == list(words)


# "The Wren" is one of them, is among these
_AMONG = re.compile(
    r"\b(?:is|are) (?:still |now )?(?:one of|among|some of) (?:them|these|those)$", re.I
)
_LISTED = re.compile(FREE.is_listed)
_LISTS = re.compile(FREE.lists_something)


def read_listing(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``An Osprey is listed``, ``the results list the Osprey``: a name that can't be read is not.

    Only names with capitals and codes with digits are meant to the letter without quotes. One is
    listed if a row, card or item has it as a text of its own: "Osprey" of "Osprey nest" is not.
    """
    if s.denies or s.position or s.quoted or s.comparison != "==":
        return None
    name = _name_listed(s)
    if not name and (whole := _whole_name(s)) and _is_an_item(whole, page):
        return answer("listing", True, f"'{whole}' is listed")
    if not name and (lacking := _name_lacking(s, page)):
        return answer("listing", False, f"'{lacking}' can't be read anywhere")
    if name and _ends_listed(s) and _is_shown_alone(name, s, page):
        return answer("listing", True, f"'{name}' is listed")
    if not name or _is_perhaps_there(name, page):
        return None
    return answer("listing", False, f"'{name}' can't be read anywhere")


_SHOWN_ALONE = re.compile(r"\b(?:shown|displayed|visible)\b")


def _is_shown_alone(name: str, s: Statement, page: PageContent) -> bool:
    """Return whether an item is called so; for "is displayed", any line of text."""
    if _is_an_item(name, page):
        return True
    anywhere = _SHOWN_ALONE.search(s.low) is not None
    return anywhere and any(plain(line) == plain(name) for line in page.text_lines)


def _name_lacking(s: Statement, page: PageContent) -> str:
    """Return a name of "the menu with Pages and Images is visible" that nothing shows, or ""."""
    listed = _LISTED.search(s.low)
    if listed is None or not _ends_listed(s) or s.numbers:
        return ""
    names = [n for n in literals(s, f"a {s.text[: listed.start()]}") if len(n) > 2]
    names = [
        n for n in names if n.lower() not in FREE.stop | FREE.naming
    ]  # "The kitchen is listed"
    return next((n for n in names if not _is_perhaps_there(n, page)), "")


def _is_perhaps_there(name: str, page: PageContent) -> bool:
    """Return whether a page shows a name, its digits, or a word that may be one of it."""
    if _can_be_read(name, page) or _digits(name) in _digits(page.text):
        return True
    shown = {word for line in page.text_lines for word in split_words(line)}
    return not re.search(r"\w[./_@]\w", name) and any(
        word_similarity(w, other) >= 0.7 for w in content(name) for other in shown
    )


def _ends_listed(s: Statement) -> bool:
    """Return whether nothing is said behind "is listed" or the name: where, or with what."""
    listed = _LISTED.search(s.low)
    return listed is None or not s.low[listed.end() :].strip(" .")


def _is_an_item(name: str, page: PageContent) -> bool:
    items = [item for group in page.collections for item in group.items]
    lines = [
        line for item in items for line in (*item.text.split("\n"), *(c for _, c in item.cells))
    ]
    return any(plain(line) == plain(name) for line in lines)


def _whole_name(s: Statement) -> str:
    """Return all of what is listed if it is a name of several words: "Oak of the North"."""
    listed = _LISTED.search(s.low)
    part = s.text[: listed.start()].strip() if listed and _ends_listed(s) else ""
    name = re.sub(r"^that ", "", part)
    return name if name[:1].isupper() and " " in name else ""


def _name_listed(s: Statement) -> str:
    """Return the only name that is said to be listed, or ""."""
    listed, lists = _LISTED.search(s.low), _LISTS.match(s.low)
    if listed is not None:
        part = s.text[: listed.start()]
    elif lists is not None:
        part = s.text[lists.end() :]
    else:
        return ""
    whole = re.sub(r"^(?:that )?(?:the |a |an )?", "", part.strip(), flags=re.I)
    if _NAME_OF_WORDS.fullmatch(whole):  # "Tall lamp is listed": all of it is the name
        return whole
    names = [n for n in literals(s, f"a {part}") if n.casefold() not in FREE.days and len(n) > 2]
    if len(names) != 1:
        return ""
    rest = set(content(part)) - set(content(names[0])) - FREE.places - FREE.rows
    # "the ring QX-4471", "the name Ida Falk": nouns before it say what it is
    is_behind = plain(part).endswith(plain(names[0])) and len(rest) <= _MOST_NOUNS
    return names[0] if is_behind or not rest else ""


_MOST_NOUNS = 2
_NAME_OF_WORDS = re.compile(r"[A-Z][a-z][\w'-]*(?: (?!(?:and|or|nor|with|of)\b)[a-z][\w'-]*){1,2}")


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text) or "-"


_ONLY = re.compile(FREE.only_these)
_LISTS_ONLY = re.compile(
    r"^(?i:(?:the )?(?:\w+ )?(?:table|list|page|results?|overview|grid|box)) "
    r"(?i:(?:now |still )?(?:lists?|shows?|contains?|has|have|holds?)) "
    r"(?i:only (?:the )?)(.{1,120})$"
)


def read_only(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Only the Wren is left``: the one table or list of the page has nothing else."""
    match = _ONLY.match(s.text) or _LISTS_ONLY.match(s.text)
    if match is None or s.numbers:
        return None
    names = [s.unmask(_bare_name(name)) for name in LIST_JOINT.split(match[1])]
    every = page.main_tables or page.several
    groups = _groups_with_one(names, every)
    if len(groups) != 1:
        return None
    items = [item.text for item in groups[0].data]
    named = [text for text in items if _has_one(names, text)]
    others = len(items) - len(named)
    # of several tables one may have rows that are no data
    # cards that only stand in rows of their own may be of several kinds: filters, and one note
    is_unsure = others and (len(every) > 1 or groups[0].kind == "card")
    if is_unsure or _lacks_one(names, named):
        return None
    return answer("only", not others, f"{len(items)} are there, {others} of them others")


def _bare_name(name: str) -> str:
    """Return the name in "the boat 'Wren'"; what is not in quotes as it is."""
    marks = re.findall(r"⟦\d+⟧", name)
    return marks[0] if len(marks) == 1 and _NOUN_AND_MARK.fullmatch(name) else name


_NOUN_AND_MARK = re.compile(r"(?:the )?(?:[a-z][\w-]* ){0,2}⟦\d+⟧", re.I)


def _has_one(names: Sequence[str], text: str) -> bool:
    return any(contains(name, text) for name in names)


def _lacks_one(names: Sequence[str], texts: Sequence[str]) -> bool:
    return not all(any(contains(name, text) for text in texts) for name in names)


def _groups_with_one(names: Sequence[str], every: Sequence[Collection]) -> Sequence[Collection]:
    """Return the only group; of several, those that have one of the names."""
    return every if len(every) == 1 else [group for group in every if _has_a(names, group)]


def _has_a(names: Sequence[str], group: Collection) -> bool:
    return any(contains(name, item.text) for name in names for item in group.data)


def _words_left(s: Statement) -> list[str]:
    """Return the words that say more than that something is there."""
    empty = FREE.statements | FREE.messages | FREE.rows | FREE.appearing | FREE.places
    rest = [w for w in s.words if stem(w) not in _SHOWN and w not in empty]
    subject = split_words(s.subject)
    if s.verb in FREE.showing and subject and subject[-1] in _PAGES:
        # "the order page shows 'Oak'": which page it is has no name on it
        rest = [w for w in rest if w not in subject]
    if s.verb in FREE.saying or set(split_words(s.low)) & FREE.saying:
        # "the wiki answers 'Sorry'": who says it has no name on the page
        rest = [w for w in rest if w not in split_words(s.subject) and w not in FREE.saying]
    return rest


_BE = frozenset({"is", "are", "was", "were"})
_PAGES = frozenset({"page", "screen", "view", "site", "window"})
_SHOWN = frozenset(
    stem(w)
    for w in [
        "shown",
        "listed",
        "displayed",
        "visible",
        "there",
        "present",
        "appears",
        "mentioned",
        "offered",
        "found",
        "available",
        "text",
        "words",
        "message",
        "item",
        "items",
        "exist",
        "exists",
        "still",
        "already",
        "result",
        "results",
        "products",
        "product",
        "both",
        "each",
        "header",
        "link",
        "button",
        "page",
        "greets",
        "sidebar",
        "box",
        "them",
        "these",
        "word",
        "new",
        "menu",
        "dialog",
        "label",
    ]
)


def _of_address(s: Statement) -> bool:
    return bool(set(split_words(s.low)) & {"address", "url", "href", "target"})


def read_address(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The address ends in '#top'``: that of the page, if no other thing is named."""
    match = re.match(
        r"^the (?:page )?(?:address|url)(?: of the page)? (?:now )?(?:should )?"
        r"(contains?|ends?|starts?|includes?|is)\b(?: (?:in|with))? (\S+)$", s.low
    )  # fmt: skip
    if match is None:
        return None
    url, text = plain(page.view.snapshot.url), plain(s.unmask(s.text.split()[-1]))
    how = match[1].rstrip("s")
    truth = {"end": url.endswith(text), "start": url.startswith(text), "i": url == text}.get(
        how, text in url
    )
    return answer("address", truth, f"the address is '{url[:80]}'")


def _split_enumeration(s: Statement) -> list[str]:
    """Return the names in "A, B and C are listed" or "lists A, B and C"."""
    behind = has_phrase(s.low, FREE.shown)
    part = s.subject if behind and s.verb in ("is", "are", "should", "must", "exist") else ""
    if not part and s.verb in (
        "lists",
        "list",
        "contains",
        "shows",
        "names",
        "offers",
        "show",
        "contain",
    ):
        part = s.complement
    part = re.sub(r"^(?:both|the|all|the words?|columns?|phases?|entries)\s+", "", part, flags=re.I)
    names = LIST_JOINT.split(part)
    names = [re.sub(r"^(?:the|a|an)\s+", "", n) for n in names if n]
    if (
        len(names) > 1
    ):  # "the keywords api and docs", "the phases Alpha, Beta": a noun stands in front
        first = names[0].split()
        names[0] = (
            first[-1]
            if len(first) > 1 and first[0].islower() and first[-1] != first[0]
            else names[0]
        )
    return [s.unmask(n) for n in names]


def _is_named(name: str, page: PageContent) -> bool:
    if contains(name, page.text) and (len(name) > 3 or name.lower() not in FREE.stop):
        return True
    words = content(name)
    return bool(words) and any(
        covers(words, item.text) for c in page.collections for item in c.items
    )


def _can_be_read(quotation: str, page: PageContent) -> bool:
    if contains(quotation, page.text):
        return True
    attributes = (e.attributes.get("title", "") or e.title or e.alternative for e in page.elements)
    options = (o.label for e in page.elements for o in e.options)
    values = (e.value or "" for e in page.elements)
    return any(
        contains(quotation, text)
        for group in (attributes, options, values)
        for text in group
        if text
    )


def read_absence(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``There is no link X``, ``X is gone``: a name that can't be read, or was there before."""
    if not s.denies or s.position or s.comparison != "==":
        return None  # "no plank costs less than £80" does not miss the text '£80'
    if both := _NEITHER.match(s.text):
        return _absence_of_both(both.groups(), page)
    if not _denies_presence(s):
        return None
    if s.quoted:
        return _quoted_absence(s, page)
    # "two boats are gone" counts; "the text has no figure eight" does not
    if any(number and behind for number, behind in s.numbers):
        return None
    return _phrase_absence(s, page, before)


def _absence_of_both(names: Sequence[str], page: PageContent) -> WeakAnswer:
    shown = [name for name in names if _can_be_read(name, page)]
    if shown:
        return answer("absence", None, f"'{shown[0]}' can be read somewhere")
    return answer("absence", True, f"neither {' nor '.join(names)} can be read anywhere")


_NOT_THERE = re.compile(FREE.not_there)
_STATES = tuple(phrase for phrases in FREE.states.values() for phrase in phrases if phrase != "on")


def _denies_presence(s: Statement) -> bool:
    """Return whether it says that something is not there, and not that it is not so.

    "'Send' is disabled as long as nothing is chosen" and "the owner is not Ida" say of what is
    there how it is.
    """
    if has_phrase(s.low, ("as long as", "unless", "until", "while", "if", "when")):
        return False
    if has_phrase(f"{s.verb} {s.complement}".lower(), _STATES):
        return False
    return _NOT_THERE.search(s.low) is not None


def _quoted_absence(s: Statement, page: PageContent) -> WeakAnswer | None:
    if len(s.quoted) != 1:
        return None
    quotation = s.quoted[0]
    rest = [w for w in s.words if stem(w) not in _SHOWN and w not in FREE.places | FREE.rows
            and w not in FREE.statements and stem(w) not in _ABSENT]  # fmt: skip
    if not _can_be_read(quotation, page):
        return answer("absence", True, f"'{quotation}' can't be read anywhere")
    seen = [e for e in page.elements if plain(e.name or e.text) == plain(quotation)]
    if rest or not seen:
        return answer("absence", None, f"'{quotation}' can be read somewhere")
    return answer("absence", False, f"{in_words(seen[0])} is there")


_ABSENT = frozenset(
    stem(w)
    for w in [
        "gone",
        "disappeared",
        "vanished",
        "removed",
        "missing",
        "longer",
        "any",
        "more",
        "absent",
        "hidden",
        "offered",
        "tool",
    ]
)


_HAS_NONE = re.compile(r"(?:has|have|had|got|shows?|gets?|does) (?:no|not)\b")


def _phrase_absence(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """Judge "the help dialog is gone", "no Activity column" by names and by earlier pages."""
    names = literals(s)
    if match := _NO_NAME.match(s.text):  # "no Blue mug is offered": all of the name is looked for
        names = (match[1],)
    elif _HAS_NONE.match(f"{s.verb} {s.complement}"):
        return None  # "Ida's note has no likes" does not say that there is no note
    elif _NAME_OF_SUBJECT.fullmatch(s.subject) and not _PRONOUNS & set(split_words(s.subject)):
        names = (s.subject,)
    if len(names) == 1 and not names[0][0].isdigit():
        if not _can_be_read(names[0], page):
            return answer("absence", True, f"'{names[0]}' can't be read anywhere")
        return answer("absence", None, f"'{names[0]}' can be read somewhere")
    # "no rows are left" counts them
    counts = any(behind for _, behind in s.numbers)
    return None if counts else _judge_vanished(s, page, before)


def _judge_vanished(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """Judge "the help dialog is gone" by what could be read on earlier pages."""
    words = [w for w in s.words if stem(w) not in _ABSENT and stem(w) not in _SHOWN
             and w not in FREE.statements and w not in FREE.absence]  # fmt: skip
    if not words:
        return None
    was = [line for view in before[-6:] for line in VisibleContent(view).blocks]
    if _one_covers(words, was) and not _one_covers(words, page.text_lines):
        return answer("absence", True, "it could be read before, and can't be now")
    return None


_NEITHER = re.compile(
    r"^(?i:neither )([A-Z][\w'-]*(?: [\w'-]+){0,4}?) nor ([A-Z][\w'-]*(?: [\w'-]+){0,4}?)"
    r" (?:is|are|appears?|can be|should be|must be|remains?)\b"
)
#: "Red Kite is not shown": a name of several words with which the sentence begins
_NAME_OF_SUBJECT = re.compile(
    rf"(?!(?i:{'|'.join(sorted(FREE.naming | FREE.stop))})\b)[A-Z][\w'-]*(?: [\w'-]+){{1,5}}"
)
_PRONOUNS = frozenset({"it", "they", "them", "he", "she", "we", "you", "i", "and", "or"})
_NO_NAME = re.compile(
    r"^(?:there (?:is|are) )?no ([A-Z][\w'-]*(?: [\w'-]+){0,4}?)"
    r"(?= (?:is|are|can|may|must|should|any|here|offered|listed|shown|left)\b|$)"
)


def _one_covers(words: Sequence[str], lines: Sequence[str]) -> bool:
    return any(covers(words, line) for line in lines)


def read_empty(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Nothing was found``, ``the cart is empty``, ``there are no entries``: the page says so."""
    low = s.low
    nothing = re.search(FREE.asks_nothing, low)
    empty = re.search(
        r"\b(?:is|are|be|as) (?:still |now |again |not |no longer |reported as |reported ){0,4}"
        r"empty\b",
        low,
    )
    if not (nothing or empty) or s.quoted:
        return None
    if nothing and not empty and re.search(r"\bnot (?:say|show|report)\b", low):
        return None
    denies = bool(empty) and bool(re.search(r"\b(?:not|no longer|never)\b|n't\b", low))
    if empty and (numbered := _counted_in_heading(s, page)) is not None:
        return answer("empty", numbered == 0, f"{numbered} are counted", denies=denies)
    for line in page.text_lines:
        shown = plain(line)
        says = re.search(FREE.says_nothing, shown)
        if says and len(shown.split()) <= 30:
            return answer("empty", True, f"the page says '{shown[:60]}'", denies=denies)
    return None


#: 'Read books (0)': how many there are, behind what they are called
_COUNTED_HEADING = re.compile(r"(?P<name>\S.{0,60}?)\s*\((?P<number>\d{1,6})\)")


def _counted_in_heading(s: Statement, page: PageContent) -> int | None:
    """Return the number behind the only line that names the subject: "the list of read books"."""
    words = [w for w in split_words(s.subject) if w not in FREE.tables | FREE.places | _JOINING]
    matches = [m for line in page.visible.blocks if (m := _COUNTED_HEADING.fullmatch(line.strip()))]
    named = {
        int(m["number"]) for m in matches
        if words and sorted(map(stem, words)) == sorted(map(stem, split_words(m["name"])))
    }  # fmt: skip
    return named.pop() if len(named) == 1 else None


_JOINING = frozenset({"the", "a", "an", "of", "with", "for", "all", "my", "that", "this"})
