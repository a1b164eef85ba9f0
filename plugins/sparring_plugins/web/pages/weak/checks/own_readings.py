"""Readings of what is said of the one thing that a page is about: by its fields, boxes and facts.

"The hall opens at 8:30" of the field 'Opening time', "Jo Hill is the caretaker" of the list
'Caretaker', "the kitchen is included" of the box 'Kitchen included', "quiet hours do not apply" of
the box 'Quiet hours apply'.
"""

import re
from collections.abc import Iterator, Sequence

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
from sparring_plugins.web.pages.controls import is_a_box
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import SAME, WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.value_readings import same_value
from sparring_plugins.web.pages.weak.page.page_content import Fact, PageContent
from sparring_plugins.web.pages.weak.page.times import find_times

_NAME = r"(?:⟦\d+⟧|[A-Z][\w'.-]*(?: [A-Z][\w'.-]*){0,3})"
_IS_THE = re.compile(
    rf"^(?:that )?(?P<value>{_NAME}) (?:is|acts as|serves as|works as)(?P<no> not| no longer)?"
    r"(?: now| still| also)? (?:the|its|our) (?P<label>[a-z][a-z -]{1,40})$"
)
#: "The hall opens at 8:30", "the Oak Room seats 40": the verb is what the label says
_DOES = re.compile(
    r"^(?:that )?(?P<thing>(?:the |its |this |our )\S.{0,40}?|it|⟦\d+⟧|[A-Z]\S*(?: \S+){0,3}?) "
    r"(?P<verb>[a-z]+s) (?:(?:at|on|for|in|from|to|by|with|until|up to|exactly|only|now) )*"
    r"(?P<value>⟦\d+⟧|[£$€]?\d\S*(?: [a-z%€£$.]+)?|[A-Z]\S*(?: \S+){0,3})$"
)


#: "£514.50 is outstanding"
_AMOUNT_IS = re.compile(
    r"^(?:that )?(?P<value>[£$€]\d[\d.,]*|\d[\d.,]* ?(?:[£$€%]|pounds|euros?|dollars|percent))"
    r" (?:is|are)(?: still| now)? (?P<label>[a-z]+(?: [a-z]+)?)$"
)


def read_own_value(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The hall opens at 8:30``, ``Jo Hill is the caretaker``: of the only such label."""
    if s.position or s.comparison != "==":
        return None
    if match := _IS_THE.match(s.text):
        return _judge_fact(s.unmask(match["value"]), match["label"], page, denies=bool(match["no"]))
    if match := _IS_OF.match(s.text):
        return _judge_of(s, match, page)
    if match := _AMOUNT_IS.match(s.text):
        return _judge_fact(match["value"], match["label"], page)
    match = _DOES.match(s.text)
    if match is None or s.denies or match["verb"] in FREE.statements - {"starts", "ends", "costs"}:
        return None
    if not _is_of_page(s.unmask(match["thing"]), page):
        return None
    return _judge_fact(s.unmask(match["value"]), match["verb"], page)


_IS_OF = re.compile(
    rf"^(?:that )?(?P<value>{_NAME}) is(?P<no> not| no longer)?(?: now| still)? the "
    r"(?P<label>[a-z]+(?: [a-z]+)?) (?:of|for|on) (?:the )?(?P<thing>\S.{1,60})$"
)


def _judge_of(s: Statement, match: re.Match[str], page: PageContent) -> WeakAnswer | None:
    """Judge "Ada Lund is the skipper of the Heron" by the label in the row or card of the thing."""
    label, thing = stem(match["label"]), s.unmask(match["thing"])
    facts = {
        plain(f.value) for f in page.facts
        if f.row and not f.is_entered and contains(thing, f.row) and stem(plain(f.label)) == label
    }  # fmt: skip
    if len(facts) != 1:
        return None
    value, shown = plain(s.unmask(match["value"])), facts.pop()
    return answer("own value", value == shown, f"{match['label']}: {shown[:60]}",
                  denies=bool(match["no"]))  # fmt: skip


def _is_of_page(thing: str, page: PageContent) -> bool:
    """Return whether a thing is what the page is about: a heading has it, or it is no other."""
    words = [stem(w) for w in content(thing)]
    if not words:
        return True
    titles = {stem(w) for heading in page.headings for w in split_words(heading)}
    titles |= {stem(w) for fact in page.facts if not fact.row for w in split_words(fact.label)}
    named = re.search(r"[A-Z]", thing) is not None
    values = {plain(fact.value) for fact in page.facts if not fact.row}
    return set(words) <= titles or (named and plain(thing) in values)


def _judge_fact(value: str, label: str, page: PageContent, *, denies: bool = False) -> (
    WeakAnswer | None
):  # fmt: skip
    facts = list(_facts_called(label, page))
    if not facts or len({plain(fact.value) for fact in facts}) != 1:
        return None
    if any(fact.is_entered for fact in facts):
        return None
    shown = facts[0].value
    reason = f"{facts[0].label}: {shown[:60]}"
    if _is_same(value, shown):
        return answer("own value", True, reason, denies=denies)
    is_exact = re.search(r"[A-Z\d]", value) is not None and bool(shown.strip())
    return answer("own value", False if is_exact else None, reason, denies=denies)


def _is_same(value: str, shown: str) -> bool:
    said, there = [m for m, _ in find_times(value)], [m for m, _ in find_times(shown)]
    if said and there:
        return said == there
    return same_value(value, shown, "==") or same_value(shown, value, "==")


def _facts_called(label: str, page: PageContent) -> Iterator[Fact]:
    """Yield the facts of no row whose label is just this: 'Opening time' of "opens"."""
    wanted = [stem(word) for word in split_words(label) if word not in FREE.label_fillers]
    for fact in page.facts:
        words = [w for w in split_words(fact.label) if w not in FREE.label_fillers]
        if fact.row or not wanted or len(words) != len(wanted):
            continue
        if all(
            stem(w) == other or word_similarity(w, other) >= SAME
            for w, other in zip(words, wanted, strict=True)
        ):
            yield fact


# Boxes and choices

_DENIED = re.compile(r"\b(?:is|are|do|does|has|have|was|were)(?: not|n't)\b|\bno longer\b", re.I)
_SAYS_ON = frozenset({"ticked", "checked", "selected", "on", "enabled", "set", "chosen", "marked"})
_FORMS = re.compile(
    r"\b(?:is|are|do|does|has|have|was|were|been|be|not|now|still|also|longer)\b|n't"
)


def read_own_box(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The kitchen is included``: the box whose label says just this, but for "is" and "not"."""
    if s.quoted or s.numbers or s.position:
        return None
    said = _bare_words(s.text)
    boxes = _boxes_called(said, page)
    if len(boxes) != 1 or len(said) < _FEWEST_WORDS or said & _SAYS_ON:
        return None
    label = boxes[0].label or boxes[0].name
    denied = (_DENIED.search(s.text) is not None) != (_DENIED.search(label) is not None)
    truth = (boxes[0].checked is True) is not denied
    return answer("own box", truth, f"'{label[:60]}' is {'' if boxes[0].checked else 'not '}ticked")


_FEWEST_WORDS = 2


def _boxes_called(said: frozenset[str], page: PageContent) -> list[Element]:
    boxes = [e for e in page.elements if is_a_box(e) and not e.row and e.checked in (True, False)]
    return [e for e in boxes if any(_bare_words(t) == said for t in (e.label, e.name) if t)]


def _bare_words(text: str) -> frozenset[str]:
    words = split_words(_FORMS.sub(" ", plain(text).removeprefix("that ")))
    return frozenset(stem(w) for w in words if w not in ("the", "a", "an", "that"))


_IS_ONE = re.compile(
    r"^(?:that )?(?:the |its )?(?P<group>[a-z][a-z -]{1,40}) (?:is|are)(?P<no> not| no longer)?"
    r"(?: now| still)?(?: set to| switched to| selected as)?"
    r" (?P<value>⟦\d+⟧|[\w-]+(?: [\w-]+){0,2})$",
    re.I,
)


def read_own_choice(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The heating is gas``: which button of the group 'Heating' is chosen."""
    match = _IS_ONE.match(s.text)
    if match is None or s.position:
        return None
    value = plain(s.unmask(match["value"]))
    radios = _radios_of(match["group"], page)
    named = [e for e in radios if plain(e.label or e.name) == value]
    if len(named) != 1 or sum(e.checked is True for e in radios) != 1:
        return None
    chosen = next(e for e in radios if e.checked is True)
    return answer("own choice", named[0] is chosen, f"'{chosen.label or chosen.name}' is chosen",
                  denies=bool(match["no"]))  # fmt: skip


def _radios_of(group: str, page: PageContent) -> list[Element]:
    wanted = {stem(w) for w in content(group)}
    radios = [e for e in page.elements if wanted and e.role == "radio" and not e.row]
    return [e for e in radios if wanted == {stem(w) for w in content(_group_of(e, page))}]


def _group_of(radio: Element, page: PageContent) -> str:
    holders = (h.name for h in page.layout.above(radio) if h.role in ("group", "radiogroup"))
    return next((name for name in holders if name), radio.region[-1] if radio.region else "")


# Sums

_TOGETHER = re.compile(
    r"^(?:that )?(?:the |all )?(?:[a-z]+ ){1,3}?(?:together |altogether )?"
    r"(?:is|are|has|have|make|makes|come to|comes to|[a-z]+s?) (?P<number>[£$€]?\d[\d.,]*|[a-z]+) "
    r"(?P<noun>[a-z]+)(?P<all> (?:altogether|in total|in all|together|combined|overall))$"
)


def read_sum(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The volunteers work 70 hours altogether``: the sum of the column 'Hours'."""
    match = _TOGETHER.match(s.text)
    number = read_number(match["number"]) if match else None
    if match is None or number is None or s.denies or s.comparison != "==":
        return None
    sums = [
        total for table in page.main_tables for index, head in enumerate(table.columns)
        if stem(match["noun"]) in {stem(w) for w in split_words(head)}
        and (total := _sum_of([i.cells[index][1] for i in table.data if index < len(i.cells)]))
        is not None
    ]  # fmt: skip
    if len(sums) != 1:
        return None
    return answer(
        "sum", abs(sums[0] - number) < _EXACT, f"the {match['noun']} add up to {sums[0]:g}"
    )


_EXACT = 0.005


def _sum_of(texts: Sequence[str]) -> float | None:
    numbers = [read_number(text.strip().split(" ")[0]) for text in texts if text.strip()]
    known = [n for n in numbers if n is not None]
    return sum(known) if known and len(known) == len(numbers) else None
