"""Readings of statements about the value of a label, perhaps in one row."""

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    content,
    split_words,
    stem,
    word_similarity,
)
from sparring_plugins.web.pages.predicates import compare
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import (
    SAME,
    WeakAnswer,
    answer,
    covers,
    is_within,
    literals,
)
from sparring_plugins.web.pages.weak.page.page_content import NOTHING, Fact, PageContent

# "The colour is Red" speaks of what the page has; "the colour field holds Red" of the field itself.
_SPEAKS_OF_FIELD = re.compile(
    r"\b(?:fields?|box|boxes|holds?|held|reads?|set|sets|filled|prefilled|selected|chosen|picked|entered|typed|form|input"
    r"|value|entry|dropdown|list|still|kept|keeps|remembers?)\b"
)
_COSTS = {"costs": "price", "cost": "price", "weighs": "weight", "lasts": "duration"}
_SET_TO = re.compile(rf"^(?:(?:{'|'.join(map(re.escape, FREE.value_fillers))}) )+", re.I)


#: "'Oak' is listed", "Oak is among them": this is no value of anything called so
_SAYS_THERE = re.compile(
    rf"(?:{FREE.is_listed})$"
    r"|\b(?:is|are) (?:still |now |also )?(?:there|among (?:them|these|those))$"
)
_PLACES = re.compile(r"(?:in|at|on|from|by|to|with|for|of|under|behind|near) ", re.I)
_BY_ITSELF = re.compile(
    r"(?<!\s)\s+(?:by itself|on its own|automatically|by default|of its own accord|straight away"
    r"|already)$"
)


def read_value(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The price is 10.99``, ``the title field holds X``: the value of a label, or of a row."""
    pair = _label_and_value(s)
    if pair is None or _SAYS_THERE.search(s.low) or _counts_something(s):
        return None
    label_words, value = _name_property(pair, page) if s.comparison == "==" else pair
    facts = _without_names(_facts_for(label_words, page), s)
    facts = facts or _only_amount(label_words, page)
    if not facts and (less := [w for w in label_words if w not in _AMOUNTS]):
        facts = _without_names(
            _facts_for(less, page), s
        )  # "the outstanding sum" stands beside 'Outstanding'
    if not facts:
        return _value_of_longer_label(label_words, value, page, s)
    if len({fact.row for fact in facts}) > 1 and not _same_everywhere(value, facts):
        return WeakAnswer("value", None, "several rows have this label", yields=True)
    return _compare_values(s, value, facts)


def _without_names(facts: Sequence[Fact], s: Statement) -> list[Fact]:
    """Return facts without those whose value the subject has: "Berth 4407 was let to Ida".

    4407 is the name of the berth, and no value that it should have.
    """
    subject = plain(s.unmask(s.subject))
    return [f for f in facts if not is_within(f.value, subject) or plain(f.value) == subject]


def _name_property(
    pair: tuple[tuple[str, ...], str], page: PageContent
) -> tuple[tuple[str, ...], str]:
    """Return "the oak order has the priority 2" as the priority of it, if a label is called so."""
    words, value = pair
    said = value.split()
    labels = {tuple(split_words(fact.label)) for fact in page.facts}
    sizes = [n for n in (3, 2, 1) if n < len(said) and tuple(map(str.lower, said[:n])) in labels]
    rest = " ".join(said[sizes[0] :]) if sizes else ""
    # "more votes than Elm" gives no number of votes
    if not sizes or tuple(words) in labels or _NO_VALUE.match(rest):
        return pair
    return (*words, *(w.lower() for w in said[: sizes[0]])), rest


_NO_VALUE = re.compile(r"(?:than|as|of|in|on|for|with|from|by|and|or)\b", re.I)


_TOLD = re.compile(
    r"(?P<no>(?:does|do|did)(?: not|n't) |no longer )?"
    r"(?:says?|mentions?|shows?|tells?|states?|reads?) "
    r"(?P<what>\S.*?)(?: any ?more| any longer| now| again)?$",
    re.I,
)
#: "that the order is on hold": what is said of it
_SAID_OF = re.compile(
    r"that (?:the |it|this )?[a-z ]*?(?:is|are|was|were|has been) (?P<what>.+)", re.I
)


def read_told(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The state says that it is on hold``, ``the state does not mention the vet``: its value."""
    match = _TOLD.match(f"{s.verb} {s.complement}")
    label = content(s.unmask(s.subject))
    if match is None or not label or s.position or set(label) & FREE.messages:
        return None
    words = _words_told(s.unmask(match["what"]))
    facts = [f for f in _facts_for(label, page) if not f.is_entered]
    if len({plain(f.value) for f in facts}) != 1 or not words:
        return None
    shown = set(map(stem, split_words(facts[0].value)))
    present = {stem(w) in shown for w in words}
    denies, reason = bool(match["no"]), f"{facts[0].label}: {facts[0].value[:60]}"
    if present == {True}:
        return answer("value", True, reason, denies=denies)
    return answer("value", True, reason) if denies and present == {False} else None


def _words_told(what: str) -> tuple[str, ...]:
    """Return the words of a statement without its subject; none if it denies something."""
    if re.search(r"\b(?:not|no|never)\b", what):
        return ()
    said = _SAID_OF.fullmatch(what)
    return content(said["what"] if said else what)


_AMOUNTS = frozenset({"amount", "sum", "figure", "balance", "total"})


def _counts_something(s: Statement) -> bool:
    """Return whether something has so many of a kind: "the comment has 4 likes" is no value."""
    words = s.complement.split()
    counts = len(words) > 1 and read_number(words[0]) is not None and words[1].isalpha()
    return s.verb in ("has", "have", "had") and counts and words[1].endswith("s")


def _value_of_longer_label(
    words: Sequence[str], value: str, page: PageContent, s: Statement
) -> WeakAnswer | None:
    """Judge "the temperature is 4" by the only label that has more: "Temperature (°C)".

    It may mean another thing, so that another value says nothing; a unit may be another one.
    """
    wanted = [stem(word) for word in words]
    number = _amount(plain(value))
    if s.denies or s.comparison != "==" or number is None or read_number(value) is None:
        return None
    facts = [f for f in page.facts if [*map(stem, split_words(f.label))][: len(wanted)] == wanted]
    if len({fact.label for fact in facts}) != 1 or any(fact.is_entered for fact in facts):
        return None
    if {_amount(plain(fact.value)) for fact in facts} != {number}:
        return None
    return answer("value", True, f"{facts[0].label}: {facts[0].value[:60]}")


def _same_everywhere(value: str, facts: Sequence[Fact]) -> bool:
    """Return whether each row has the value: which one is meant does not matter then."""
    return all(same_value(value, fact.value, "==") for fact in facts)


def _compare_values(s: Statement, value: str, facts: Sequence[Fact]) -> WeakAnswer:
    if any(fact.is_entered for fact in facts) and not _SPEAKS_OF_FIELD.search(s.low):
        return answer("value", None, f"the case itself entered what {facts[0].label} holds")
    holding = [f for f in facts if same_value(value, f.value, s.comparison)]
    if holding and len(holding) == len(facts):
        return answer("value", True, f"{facts[0].label}: {facts[0].value[:60]}", denies=s.denies)
    if holding:
        return answer("value", None, "several values have this label")
    if (other := _read_part_of_value(s, value, facts)) is not None:
        return other
    sure = len({plain(f.value) for f in facts}) == 1 and _is_literal(s, value)
    reason = f"{facts[0].label}: {facts[0].value[:60]}"
    return answer("value", False if sure else None, reason, denies=s.denies)


def _read_part_of_value(s: Statement, value: str, facts: Sequence[Fact]) -> WeakAnswer | None:
    """Return the answer for a value that agrees in part with the page; None if no part does."""
    if all(f.value == NOTHING for f in facts) and not _SPEAKS_OF_FIELD.search(s.low):
        return WeakAnswer("value", None, f"the field {facts[0].label} is empty", yields=True)
    if any(contains(f.value, value) for f in facts):
        # "has the number 0155 330": the noun in front of a value is no part of it
        reason = f"{facts[0].label}: {facts[0].value[:60]}"
        kind = plain(value).removesuffix(plain(facts[0].value)).strip()
        is_noun = kind in FREE.identifiers and len(facts) == 1
        return answer("value", True if is_noun else None, reason, denies=s.denies)
    if any(same_value(value.lstrip("-−– "), f.value.lstrip("-−– "), "==") for f in facts):
        reason = f"{facts[0].label}: {facts[0].value[:60]}: whether the sign matters is not said"
        return answer("value", None, reason)
    if _may_be_part(value, facts):
        return WeakAnswer("value", None, "it may stand there otherwise", yields=True)
    return None


def _may_be_part(value: str, facts: Sequence[Fact]) -> bool:
    """Return whether a text has a value in other words: "38 percent" in "3 votes (38%)".

    "was built in 1987" is not denied by '2 seats, built 1987'.
    """
    words = set(content(value))
    if words and any(words <= set(split_words(fact.value)) for fact in facts):
        return True
    numbers = {read_number(n) for f in facts for n in re.findall(r"\d+(?:[.,]\d+)*", f.value)}
    return len(numbers) > 1 and _amount(plain(value)) in numbers


_ITS = re.compile(r"(?:its|their|his|her)\b", re.I)


def _is_literal(s: Statement, value: str) -> bool:
    """Return whether a value is meant to the letter, so that another one shows that it is not so.

    "'Oak' is fine": what is in quotes in the subject says nothing of the value. "The crews are in
    the harbour from 8 to 4" is said of the crews, and is no value.
    """
    # "the state is Felled": a name, which only at the beginning of a sentence would be none
    # "its state" may be that of another thing than the one in view
    is_name = value[:1].isupper() and any(value in name for name in literals(s))
    is_name = is_name and not _ITS.match(s.subject)
    is_exact = is_name or bool(literals(s, value)) or "⟦" in s.complement
    return is_exact and _PLACES.match(value) is None


#: "Ida asks about Friday" gives no label a value; "the field reads X" does.
_TELLING = (FREE.saying | FREE.speaking | {"lists", "list", "asks", "ask"}) - {"reads", "read"}


def _label_and_value(s: Statement) -> tuple[tuple[str, ...], str] | None:
    """Return the words of the label (and the row) and the value."""
    if set(split_words(s.subject.lower())) & FREE.messages or s.low.startswith("the warning"):
        return None
    if not s.verb or s.verb in _TELLING:
        return None
    subject = s.unmask(s.subject)
    kinds = ("field", "value", "column", "cell", "box")
    words = [w for w in content(subject) if w not in kinds and w not in FREE.neutral]
    # "the phone number" stands beside 'Phone'
    words = words[:-1] if len(words) > 1 and words[-1] == "number" else words
    if s.verb in _COSTS:
        words.append(_COSTS[s.verb])
    value = _SET_TO.sub("", s.complement)
    value = re.sub(r"^(?:not |no longer )", "", value)
    value = re.sub(r"^(?:the|a|an)\s+", "", value)
    value = _BY_ITSELF.sub("", value)
    value = re.sub(r"(?<!\s)\s+(?:now|again|anymore|any more|too)$", "", value)
    value = re.sub(r"^(?:more|less|over|under|at least|at most|fewer)\s+(?:than\s+)?", "", value)
    if not words or not value or len(split_words(s.unmask(value))) > 12:
        return None
    return tuple(words), s.unmask(value)


def _facts_for(words: Sequence[str], page: PageContent) -> list[Fact]:
    """Return the facts whose label is named, and whose row has the other words."""
    snapshot = page.view.snapshot
    names = (*page.headings, snapshot.title, urlsplit(snapshot.url).path)
    titles = {stem(w) for name in names for w in split_words(name)}
    scored = [(score, fact) for fact in page.facts if (score := _label_fit(words, fact, titles))]
    best = max((score for score, _ in scored), default=0.0)
    fitting = [replace(fact, element=None) for score, fact in scored if score == best]
    return list(dict.fromkeys(fitting))


def _label_fit(words: Sequence[str], fact: Fact, titles: Container[str] = ()) -> float:
    """Return how well words name a fact: all of its label, and the rest in its row; 0 if not."""
    label = [w for w in split_words(fact.label) if w not in FREE.stop]
    likest = {w: max((word_similarity(w, other) for other in label), default=0.0) for w in words}
    rest = [w for w in words if likest[w] < SAME]
    if not label or len(rest) == len(words) or not covers(label, " ".join(words)):
        return 0.0
    if not _is_in_row(rest, fact.row, titles):
        return 0.0
    return 1.0 + sum(value >= 0.95 for value in likest.values()) + 0.1 * len(rest)


def _is_in_row(rest: Sequence[str], row: str, titles: Container[str]) -> bool:
    if not row:  # "the order has the status Open" on the page of that order
        rest = [w for w in rest if stem(w) not in titles]
    if len(rest) > 1:  # "the number of Wren rings" on the page of rings
        rest = [w for w in rest if stem(w) not in titles] or rest
    return not rest or covers(rest, row)


_MONEY = re.compile(
    # At most 30 digits before the currency: "0.0.0..." has a border of a word at every point.
    r"(?:[£$€]\s?\d[\d.,]*\d|\b\d[\d.,]{0,30}\d\s?(?:[£$€]|EUR|USD|GBP)(?!\w))"
)


def _only_amount(words: Sequence[str], page: PageContent) -> list[Fact]:
    """Return the only amount of money in the main content as the price: it has no label often."""
    if len(words) != 1 or word_similarity(words[0], "price") < SAME:
        return []
    edges = {"banner", "contentinfo", "navigation", "complementary"}
    amounts = {
        amount
        for element in page.elements
        if element.role == "text"
        and not any(holder.role in edges for holder in page.layout.above(element))
        for amount in _MONEY.findall(element.text)
    }
    return [Fact("price", amounts.pop())] if len(amounts) == 1 else []


def same_value(value: str, shown: str, comparison: str) -> bool:
    """Return whether a value equals the one that is shown, or compares with it as asked."""
    wanted, actual = plain(value).strip(" .\"'"), plain(shown)
    number, other = _amount(wanted), _amount(actual)
    if comparison != "==" and number is not None and other is not None:
        return compare(other, comparison, number)  # type: ignore[arg-type]
    if wanted == actual:
        return True
    if number is not None and number == other:
        return _signs(wanted) == _signs(actual)
    if not actual.strip("() ") or actual == "(empty)":
        return wanted in ("empty", "blank")
    parts = LIST_JOINT.split(wanted)
    if len(parts) > 1 and all(part and contains(part, actual) for part in parts):
        return True  # "contains api and ui" of "api, ui"
    return contains(wanted, actual) and len(wanted) > 1


def _signs(text: str) -> bool:
    """Return whether the number of a short text is negative."""
    return re.search(r"(?<![\w.])[-−–][£$€]?\d", text) is not None


def _amount(text: str) -> float | None:
    """Return the only number of a short text: "10.99 €", "3 items"."""
    numbers = re.findall(r"(?<![\w./:-])-?[£$€]?\d+(?:[.,]\d+)*(?![\w/:-])", text)
    return read_number(numbers[0].lstrip("-")) if len(numbers) == 1 else None
