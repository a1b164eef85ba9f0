"""Judging of what lies in a named part: "the table contains 'X'", "'X' is not in the footer".

It is judged inside that part alone. Where the part is not found, or several parts are called so and
differ, nobody knows: it is never judged by the whole page instead.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import LIST_JOINT
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer, is_within
from sparring_plugins.web.pages.weak.checks.containers import (
    KINDS,
    PLACE,
    VERB,
    Inside,
    Place,
    find_containers,
    read_place,
)
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_NOW = r"(?:now|still|also|then|again|already|correctly|currently|both)"
_HAS = re.compile(
    rf"^(?:that )?(?P<place>{PLACE}) (?:{_NOW} )*"
    rf"(?P<no>(?:does|do)(?:n't| not) |no longer )?(?:{_NOW} )*{VERB} "
    r"(?:any ?more )?(?P<what>\S.*?)(?: any ?more| any longer)?$",
    re.I,
)
_HAS_NO = re.compile(r"^(?:no|neither|not) ", re.I)
_IS_IN = re.compile(
    r"^(?:that )?(?:there (?:is|are)(?P<none> no| not)? )?(?P<what>\S.*?) ?"
    r"(?:(?:is|are|was|were)(?P<no>n't| not| no longer| never)?"
    rf"(?: {_NOW})*(?: (?:shown|listed|displayed|visible|present|found|contained|included|there))?"
    r"|(?P<does>(?:does|do)(?:n't| not) |no longer )?(?:appears?|shows? up|stands?))?"
    rf" (?:in|inside|within|on) (?P<place>{PLACE})(?: any ?more| any longer| now)?$",
    re.I,
)
_ROLES = {"link": "link", "button": "button", "column": "columnheader"}
#: "the title 'X' is in the form" speaks of a field, which other readings find.
_NOUN = r"(?:(?:texts?|words?|phrase|entry|entries|items?|links?|buttons?|columns?)\b)"
_QUOTED = re.compile(
    rf"^(?:(?:the|a|an|any) )?(?:(?P<noun>{_NOUN}) (?:called |named |labelled |with )?)?"
    rf"(?P<mark>⟦\d+⟧)(?: (?P<behind>{_NOUN}))?$",
    re.I,
)
_CAPITALISED = r"(?P<name>[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)*)"
#: "The table has no Price column any more"
_COLUMN = re.compile(rf"^(?:the |an? |any )?{_CAPITALISED} column$")
_NAME = re.compile(rf"^(?:the )?{_CAPITALISED}$")
_AMOUNT = re.compile(
    r"^(?:the )?(?:amount |price |total )?(?:of )?(?P<amount>(?P<sign>[£$€¥] ?)?"
    r"(?P<number>\d[\d.,]*)(?P<unit> ?(?:[£$€¥%]|euros?|dollars?|pounds?|francs?|cents?|percent"
    r"|eur|usd|gbp|chf))?)$",
    re.I,
)


@dataclass(frozen=True)
class Wanted:
    """One thing that should lie in a container: its text, how it is written, its kind."""

    text: str
    form: str
    role: str = ""


@dataclass(frozen=True)
class Containment:
    """A statement that some things lie in a container, or that none of them does."""

    place: Place
    wanted: tuple[Wanted, ...]
    denies: bool


def read_containment(s: Statement) -> Containment | None:
    """Return what a statement says to lie in a container; None if it says something else."""
    if s.position:
        return None
    if (match := _HAS.match(s.text)) is not None:
        denies, what = bool(match["no"]), match["what"]
    elif (match := _IS_IN.match(s.text)) is not None:
        denies, what = bool(match["none"] or match["no"] or match["does"]), match["what"]
    else:
        return None
    if (no := _HAS_NO.match(what)) is not None:
        denies, what = True, what[no.end() :]
    place, wanted = read_place(match["place"], s), _read_wanted(what, s, denies=denies)
    if place is None or not wanted:
        return None
    return Containment(place, wanted, denies)


def _read_wanted(what: str, s: Statement, *, denies: bool) -> tuple[Wanted, ...]:
    joint = r" or | nor " if denies else "\0"
    parts = [p for part in LIST_JOINT.split(what) for p in re.split(joint, part)]
    wanted = [_read_one(part.strip(), s) for part in parts if part and part.strip()]
    return () if None in wanted else tuple(w for w in wanted if w is not None)


def _read_one(part: str, s: Statement) -> Wanted | None:
    part = re.sub(r"^both ", "", part)
    if match := _QUOTED.match(part):
        noun = (match["noun"] or match["behind"] or "").lower().rstrip("s")
        return Wanted(s.unmask(match["mark"]), "quoted", _ROLES.get(noun, ""))
    if match := _NAME.match(part):
        return Wanted(match["name"], "name")
    if match := _COLUMN.match(part):
        return Wanted(match["name"], "name", _ROLES["column"])
    if (match := _AMOUNT.match(part)) and (match["sign"] or match["unit"] or "." in part):
        return Wanted(match["amount"], "amount")
    return None


def judge_containment(s: Statement, page: PageContent) -> WeakAnswer | None:
    """Judge by what the container shows; None if the statement speaks of no container."""
    said = read_containment(s)
    if said is None or _is_for_others(said, page):
        return None
    containers = find_containers(said.place, page)
    if not containers:
        return _judge_without(said, page)
    every = [_judge_inside(said, Inside(container, page)) for container in containers]
    judged = [(e, a) for e, a in zip(containers, every, strict=True) if a is not None]
    if not judged or (len(judged) < len(every) and not KINDS[said.place.kind].any):
        return None
    if _may_have_opened(said, judged, page):
        reason = "a menu that an act of the case has opened may have it, without any markup"
        return answer("container", None, reason)
    return _join_answers(said, judged)


def _may_have_opened(
    said: Containment, judged: Sequence[tuple[Element, WeakAnswer]], page: PageContent
) -> bool:
    """Return whether "the menu" may be one that has opened, and no navigation has what is named.

    Many pages draw the menu of a column as a plain box, which no role or class calls a menu.
    """
    if said.place.kind != "menu" or not page.acts:
        return False
    is_missed = all(e.role == "navigation" and a.truth is said.denies for e, a in judged)
    return is_missed and any(contains(w.text, page.text) for w in said.wanted)


def _join_answers(said: Containment, judged: Sequence[tuple[Element, WeakAnswer]]) -> WeakAnswer:
    """Return what is so in all parts that may be meant, or in one of them if any may be meant."""
    answers = [a for _, a in judged]
    if len({a.truth for a in answers}) == 1:
        return answers[0]
    if KINDS[said.place.kind].any:
        return next(a for a in answers if a.truth is not said.denies)
    if said.place.kind == "menu":
        opened = [a for e, a in judged if e.role != "navigation"]
        if opened and all(a.truth is not None and a.truth is not said.denies for a in opened):
            return opened[0]
    reason = f"there are {len(answers)} parts that may be meant by '{said.place.words}'"
    return answer("container", None, f"{reason}, and they differ in this")


def _is_for_others(said: Containment, page: PageContent) -> bool:
    """Return whether a native dialog may be meant, or a name that nobody has written here."""
    if said.place.kind == "dialog" and any(e.kind == "dialog" for e in page.view.events):
        return True
    return any(w.form == "name" and not contains(w.text, page.text) for w in said.wanted)


def _judge_without(said: Containment, page: PageContent) -> WeakAnswer:
    """Judge where no such container is in view: what can't be read anywhere is not in it either."""
    reason = f"there is no {said.place.words} on the page that could be meant"
    shown = [w.text for w in said.wanted if contains(w.text, page.text)]
    if shown or (said.denies and said.place.kind not in ("table", "list")):
        return answer("container", None, reason)
    return answer("container", said.denies, f"'{said.wanted[0].text}' can't be read anywhere")


def _judge_inside(said: Containment, inside: Inside) -> WeakAnswer | None:
    """Judge by one container; None if the words may be another name than that of a text there."""
    truths: list[bool | None] = []
    for wanted in said.wanted:
        truth, reason = _is_inside(wanted, inside, denies=said.denies)
        if truth is None and not reason:
            return None
        if truth is None:
            where = f"'{wanted.text}' can't be read in the {said.place.words}; {reason}"
            return answer("container", None, where)
        truths.append(truth)
    words = " and ".join(f"'{w.text}'" for w in said.wanted)
    where = f"in the {said.place.words}"
    if all(truths):
        return answer("container", True, f"{words} can be read {where}", denies=said.denies)
    lacking = next(w.text for w, truth in zip(said.wanted, truths, strict=True) if not truth)
    if said.denies and any(truths):
        return answer("container", False, f"one of {words} can be read {where}")
    reason = f"'{lacking}' can't be read {where}"
    return answer("container", False, reason, denies=said.denies)


def _is_inside(wanted: Wanted, inside: Inside, *, denies: bool) -> tuple[bool | None, str]:
    """Return whether one thing is inside, and why that is not known."""
    if wanted.role:
        if inside.has_control(wanted.text, wanted.role):
            return True, ""
        # a text of that name may be drawn as the control
        return (None, "") if inside.shows(wanted.text) else (False, "")
    if wanted.form == "name":
        if inside.shows_alone(wanted.text):
            return True, ""
        # "Oak" of the row 'Oak bark' may be another thing
        return (None, "") if inside.shows(wanted.text) else (False, "")
    if wanted.form == "amount":
        return _has_amount(wanted.text, inside)
    if inside.shows(wanted.text):
        return True, ""
    if not denies and (why := inside.may_hold(wanted.text)):
        return None, why
    return False, ""


def _has_amount(amount: str, inside: Inside) -> tuple[bool | None, str]:
    """Return whether an amount is inside: '15' of "15 euros" without the unit is not sure."""
    if inside.shows(amount):
        return True, ""
    match = _AMOUNT.match(amount)
    number = match["number"] if match else amount
    numbers = [n for text in inside.texts() for n in re.findall(r"\d[\d.,]*", plain(text))]
    if any(is_within(number, text) for text in inside.texts()) or any(
        read_number(n.rstrip(".,")) == read_number(number) for n in numbers
    ):
        return None, "the number is there, but not with this unit"
    return False, ""
