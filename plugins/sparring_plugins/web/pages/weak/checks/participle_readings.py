"""Readings of what was done to the thing of a page: "it is owned by Ida", "it is called Oak"."""

import re
from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, stem
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer, literals
from sparring_plugins.web.pages.weak.checks.value_readings import same_value
from sparring_plugins.web.pages.weak.page.page_content import Fact, PageContent

_DONE = re.compile(
    r"^(?:is|are|was|were) (?:now |still |also )?(?:not )?"
    r"(?P<done>[a-z]+(?:ed|en|wn|lt|nt|de|ld|id)) (?P<joint>by|in|on|at|to|for|from|as|with) "
    r"(?P<value>⟦\d+⟧|.{1,60})$",
    re.I,
)
_CALLED = re.compile(
    r"^(?P<thing>.{1,60}?) (?:is|was) (?:now |still )?(?:called|named|titled|entitled|headed) "
    r"(?P<name>⟦\d+⟧)$",
    re.I,
)
_SHORTEST_STEM = 3
_LONGEST_LABEL = 3


def read_done(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``It was published in 2014``, ``boat 2 is owned by Ida``: the value of "Published", "Owner".

    The page has to be about the thing: it is a pronoun, or a heading or the address names it.
    """
    match = _DONE.match(f"{s.verb} {s.complement}")
    if match is None or s.comparison != "==" or s.position or not _is_about(s, page):
        return None
    facts = [fact for fact in page.facts if _is_label_of(match["done"], match["joint"], fact)]
    if not facts or len({plain(fact.value) for fact in facts}) > 1 or facts[0].is_entered:
        return None
    value, shown = s.unmask(match["value"]), facts[0].value
    reason = f"{facts[0].label}: {shown[:60]}"
    if contains(value, shown) or same_value(value, shown, "=="):
        return answer("done", True, reason, denies=s.denies)
    # a name or number that is not all of it; words may only describe it
    is_literal = bool(s.quoted) or literals(s, f"a {match['value']}") == (value,)
    return answer("done", False, reason, denies=s.denies) if is_literal else None


def _is_about(s: Statement, page: PageContent) -> bool:
    """Return whether the subject is what the page in view is about."""
    subject = s.unmask(s.subject)
    if subject.lower() in ("it", "this", "he", "she"):
        return True
    title = " ".join((*page.headings, page.view.snapshot.url))
    names = [w for w in content(subject) if w not in FREE.rows | FREE.places]
    named = [w for w in names if w.isdigit()] or names
    shown = set(split_words(re.sub(r"[/_=?&#.-]", " ", title)))
    return bool(named) and all(word in shown for word in named)


def _is_label_of(done: str, joint: str, fact: Fact) -> bool:
    """Return whether a label has the participle or the noun for who did it: "Owned by", "Owner"."""
    words = split_words(fact.label)
    if fact.row or not 0 < len(words) <= _LONGEST_LABEL:
        return False
    root = stem(done)
    is_doer = joint == "by" and list(words)[-1] in (f"{root}er", f"{root}or")
    return len(root) >= _SHORTEST_STEM and (is_doer or root in map(stem, words))


def read_called(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Boat 2 is called 'Wren'``: one heading, row or item has the name and the number."""
    match = _CALLED.match(s.text)
    if match is None or s.denies:
        return None
    name, thing = s.unmask(match["name"]), s.unmask(match["thing"])
    numbers = re.findall(r"\d+", thing)
    if not numbers:
        return None  # "the tab is called 'Wren'" speaks of no thing that a number tells apart
    for text in (*page.headings, *page.groups):
        if contains(name, text) and all(contains(number, text) for number in numbers):
            return answer("called", True, f"'{' '.join(text.split())[:80]}' has the name")
    return None
