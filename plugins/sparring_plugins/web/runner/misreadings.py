"""Why a strict reading may say something else than its sentence means, though it decides.

"The page says that no room was found" may be a message, "its price" any price, and "the title" a
field: what is decided so is left to the weak readings.
"""

import re
from collections.abc import Iterator, Sequence

from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.sentences import mask
from sparring_plugins.web.grammar.free.words import FREE, plain
from sparring_plugins.web.grammar.steps import iter_targets
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.weak.checks.count_readings import shows_a_part
from sparring_plugins.web.pages.weak.page.page_content import page_content
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import (
    AllOf,
    AnyOf,
    Condition,
    FieldHolds,
    Not,
    PageIs,
    Reading,
    Step,
    Target,
)

# "its price" points at something named before; a target without words would be anything.
_ITS = re.compile(r"\b(?:its|their|his|her)\b", re.I)
_REPORTED_DENIAL = re.compile(
    # from the first verb on only: what follows a later one follows it, too
    rf"^(?>[\s\S]*?\b(?:{'|'.join(sorted(FREE.saying))})\b)"
    r".*\b(?:no|not|never|nothing|cannot|isn't|aren't|n't)\b",
    re.I,
)


def doubt_misreading(step: Step, strict: Judged, view: PageView) -> str:
    """Return why what a strict reading decides may not be what the sentence means, or ""."""
    if strict.truth is None:
        return ""
    if strict.truth is False and _stands_elsewhere(step, strict, view):
        return "but it stands elsewhere on the page, which may be what the sentence calls so"
    if _HAS_BEEN_SEEN.search(mask(step.text)[0]):
        return "but that it has been seen may be what the page should say of it"
    if _has_another_title(step, view):
        return "but something on the page is called title, too"
    denials = [r for r in step.readings if r.condition is not None and r.condition.kind == "not"]
    # "the page says that no room was found with the name 'X'": a message that denies something
    if denials and _REPORTED_DENIAL.search(mask(step.text)[0]):
        return "but what is said may be the denial itself"
    return _doubt_target([t for reading in step.readings for t in iter_targets(reading)], step.text)


#: "'Oak' is not listed", "Oak is gone from the results": said of all pages of a list
_OF_LIST = re.compile(
    r"\b(?:lists?|listed|tables?|results?|gone|missing|removed|deleted|disappeared|vanished"
    r"|no longer|any ?more|any longer|filtered out|exists?)\b",
    re.I,
)
_OF_VIEW = re.compile(r"\b(?:pages?|screen|here|view|messages?|fields?)\b", re.I)
_UNSEEN = re.compile(r"can't be read (?:anywhere|any more)|was listed, and is no longer")
_TOTAL = re.compile(r"\d\s?(?:-|–|to)\s?\d+ of (\d+)")


def doubt_part_of_list(
    step: Step, judged: Judged, view: PageView, before: Sequence[PageView]
) -> Judged:
    """Return *don't know* if a thing is missed of which another page of the list may have a row.

    Where the number of all rows has fallen since, a thing that was in view before is gone.
    """
    sentence = mask(step.text)[0]
    if judged.truth is None or not _UNSEEN.search(judged.reason):
        return judged
    if not _OF_LIST.search(sentence) or _OF_VIEW.search(sentence):
        return judged
    content = page_content(view)
    if not shows_a_part(content) or _has_fewer_rows(view, before):
        return judged
    reason = f"{judged.reason}; but the list has further pages, which may have it"
    return judged.model_copy(update={"truth": None, "reason": reason})


def _has_fewer_rows(view: PageView, before: Sequence[PageView]) -> bool:
    totals = [_TOTAL.findall(page_content(v).text) for v in (view, *before[-1:-7:-1])]
    now, earlier = totals[0], [int(n) for found in totals[1:] for n in found]
    return len(now) == 1 and bool(earlier) and int(now[0]) < max(earlier)


def drop_joined_names(
    step: Step,
    strict: Judged,
    view: PageView,
    before: Sequence[PageView],
    acts: Sequence[GuiAction],
) -> tuple[Step, Judged]:
    """Return a step without the readings that take "A and B" for one name, and its judgement.

    "The columns Size and Wood are there" names two, unless the page shows 'Size and Wood'.
    """
    if strict.truth is not None or len(step.readings) < 2:
        return step, strict
    shown = page_content(view).text
    kept = tuple(r for r in step.readings if not _joins_names(r, shown))
    if not 0 < len(kept) < len(step.readings):
        return step, strict
    answers = [holds(r.condition, view, acts, before) for r in kept if r.condition is not None]
    if not answers or len({answer.truth for answer in answers}) > 1:
        return step, strict
    return step.model_copy(update={"readings": kept}), answers[0]


def _joins_names(reading: Reading, shown: str) -> bool:
    texts = [target.text for target in iter_targets(reading) if not target.quoted]
    return any(" and " in text and plain(text) not in shown for text in texts)


def lost_entry(step: Step, strict: Judged, acts: Sequence[GuiAction]) -> bool:
    """Return whether a field holds another text than that which the case has entered into it.

    "The field Berth still holds Long pier" is meant to the letter, as that was typed there before.
    """
    conditions = [reading.condition for reading in step.readings]
    if strict.truth is not False or len(conditions) != 1:
        return False
    condition = conditions[0]
    return isinstance(condition, FieldHolds) and any(
        act.action == "fill"
        and act.value == condition.text
        and bool(act.described)
        and strict.reason.startswith(f"{act.described} holds ")
        for act in acts
    )


_LIES_IN = re.compile(r"nothing that fits lies in '(?P<place>[^']+)'")
#: "The patient has been seen" is no statement about the page, as "can be seen" is.
_HAS_BEEN_SEEN = re.compile(r"\b(?:has|have|had)(?: already| not)? been seen\b", re.I)


def _stands_elsewhere(step: Step, strict: Judged, view: PageView) -> bool:
    """Return whether what is in quotes stands outside the list or table that plain rules look in.

    Pages draw lists as cards or groups: the one with the role of a list may be a menu.
    """
    missed = _LIES_IN.search(strict.reason)
    if missed is None or missed["place"].lower() not in FREE.tables | FREE.places:
        return False
    shown = page_content(view).text
    quoted = mask(step.text)[1]
    return bool(quoted) and all(plain(text) in shown for text in quoted)


def _doubt_target(targets: Sequence[Target], sentence: str) -> str:
    # "'Wren' is in the third row" speaks of a row, and not of the third 'Wren'
    if any(t.ordinal and not t.role for t in targets) and _IN_NTH_ROW.search(sentence):
        return "but the sentence may speak of the place in a list"
    # "a Profile link and a Help link": several things are named
    if any(not t.quoted and _SEVERAL.search(t.text) for t in targets):
        return "but the sentence may name several things"
    if targets and not any(t.text for t in targets) and _ITS.search(sentence):
        return "but the sentence does not name what it speaks of"
    return ""


def _has_another_title(step: Step, view: PageView) -> bool:
    """Return whether "the title" may be a field or a column, and not the title of the page."""
    leaves = [leaf for reading in step.readings for leaf in iter_conditions(reading)]
    titles = [leaf for leaf in leaves if isinstance(leaf, PageIs) and leaf.property == "title"]
    if not titles:
        return False
    if OF_PAGE.search(step.text):  # "the page is headed 'X'" may be a heading
        return not re.search(r"\btitle\b", step.text, re.I)
    return any(plain(f.label).strip(" :*") == "title" for f in page_content(view).facts)


# "the name in the second row": the ordinal is the row's, and not "the second name".
_IN_NTH_ROW = re.compile(
    r"\bin (?:the )?(?:\w+ )?(?:row|line|place|position|entry|item)\b(?! of)", re.I
)
# "the lamp and the chair" are two things, and no name of one.
_SEVERAL = re.compile(r" and (?:an?|the) ", re.I)
OF_PAGE = re.compile(r"\b(?:page|window|browser|tab|site|document)\b", re.I)
"""What has a title of its own: "the title of the page", where "the title" may be a field."""


def conditions_of(reading: Reading) -> tuple[Condition, ...]:
    """Return the conditions of a reading that are not made of others."""
    return tuple(iter_conditions(reading))


def iter_conditions(reading: Reading) -> Iterator[Condition]:
    """Yield the conditions of a reading that are not made of others."""
    conditions = [reading.condition] if reading.condition is not None else []
    while conditions:
        condition = conditions.pop()
        match condition:
            case Not():
                conditions.append(condition.condition)
            case AllOf() | AnyOf():
                conditions += condition.conditions
            case _:
                yield condition


def denies_order(weak: Judged) -> bool:
    """Return whether a place in an order is denied: that "Oak is on top" can be read is no more."""
    return weak.truth is False and weak.reason.endswith("(weak reading: order)")
