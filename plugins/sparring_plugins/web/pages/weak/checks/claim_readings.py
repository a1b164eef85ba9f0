"""Readings of what is claimed of things by their amounts, states, buttons and boxes.

"Ida brings 95 guests", "two rooms are step-free", "the Kitchen cannot be booked", "only the waiting
orders can be cancelled", "every order has a Cancel button", "the cheapest room costs £20": what one
thing has is compared with what the others have at the same place, which shows what the page would
say if it were otherwise. What no other thing has either is never denied.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import LIMIT, find_limit, read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    content,
    described,
    split_words,
    stem,
    stems,
)
from sparring_plugins.web.pages.controls import is_a_box
from sparring_plugins.web.pages.predicates import compare
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.claimed_things import (
    Quantity,
    Things,
    ability_of,
    claims_of,
    control_for,
    find_things,
    has_value_below,
    quantity_of,
    varies,
)
from sparring_plugins.web.pages.weak.checks.count_readings import shows_a_part
from sparring_plugins.web.pages.weak.checks.measures import (
    column_called,
    is_called,
    is_money,
    money_column,
    numbers_beside,
)
from sparring_plugins.web.pages.weak.checks.records import Record, Slot
from sparring_plugins.web.pages.weak.page.page_content import PageContent
from sparring_plugins.web.pages.weak.page.times import find_dates, find_times

Truth = bool | None
#: "is done": what a box in front of a line says.
_DONE = frozenset({"done", "ticked", "checked", "completed", "complete", "finished"})
_TO_DO = frozenset({"open", "pending", "unticked", "unchecked", "undone", "outstanding", "todo"})
_TASKS = frozenset(
    {"task", "todo", "item", "point", "thing", "step", "chore", "job", "entry", "box", "them"}
)


def read_claim(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Ida's booking is approved``, ``the Oak Room seats 40``: what is said of one thing."""
    if s.position:
        return None
    text = s.unmask(s.text)
    found = [
        (truth, claim.record)
        for things in find_things(page)
        for claim in claims_of(text, things)
        if (truth := judge_claim(claim.rest, claim.record, things)) is not None
    ]
    if len({truth for truth, _ in found}) != 1:
        return None
    truth, record = found[0]
    shown = " ".join(record.item.text.split())[:80]
    return answer("claim", truth, f"'{shown}' {'shows' if truth else 'does not show'} it")


def judge_claim(rest: str, record: Record, things: Things) -> Truth:
    """Judge what is said of one record; None if it does not show it, nor anything else instead."""
    judges: tuple[Callable[[str, Record, Things], Truth], ...] = (
        _judge_ability, _judge_control, _judge_amount, _judge_time, _judge_date, _judge_done,
        _judge_lack, _judge_state, _judge_said, _judge_value,
    )  # fmt: skip
    rest = _ALSO.sub("", rest)
    for judge in judges:
        if (truth := judge(rest, record, things)) is not None:
            return truth
    return None


#: "is lent as well" says no more than "is lent".
_ALSO = re.compile(r"(?<=\w) (?:as well|too)$")

# What can be done with it


def _judge_ability(rest: str, record: Record, things: Things) -> Truth:
    ability = ability_of(rest)
    able = None if ability is None else is_able(ability.verb, record, things, ability.more)
    if ability is None or able is None:
        return None
    return able is not ability.denies


def is_able(verb: str, record: Record, things: Things, more: str = "") -> Truth:
    """Return whether a record has a button for it that is not greyed out.

    Without such a button it cannot be done if others have one: "Approve" of the waiting ones.
    """
    own = control_for(verb, things.controls_of(record), more)
    if own is not None:
        return not own.disabled
    rest = [r for r in things.records if r is not record]
    others = [control_for(verb, things.controls_of(r), more) for r in rest]
    return False if any(others) else None


_HAS_CONTROL = re.compile(
    r"^(?P<has>has|have|offers?|shows?|does(?:n't| not) (?:have|offer|show))"
    r"(?P<no> no)? (?:an? |the |any )?(?P<name>\S.{0,40}?) (?:button|link|icon|checkbox|box)$",
    re.I,
)


def _judge_control(rest: str, record: Record, things: Things) -> Truth:
    match = _HAS_CONTROL.match(rest)
    if match is None:
        return None
    denies = bool(match["no"]) or match["has"].lower().startswith("does")
    name = plain(match["name"]).strip("'\"")
    holding = [r for r in things.records if _has_control(name, r, things)]
    if not holding:
        return None
    return (record in holding) is not denies


def _has_control(name: str, record: Record, things: Things) -> bool:
    return any(plain(e.name or e.text) == name for e in things.controls_of(record))


# Amounts

_AMOUNT = re.compile(
    r"^(?:(?:is|are|was|were|has been|have been) (?=[a-z]+ (?:in|by|from|since|for|at) ))?"
    rf"(?:only |just |exactly )?(?:(?P<verb>[a-z]+) )?(?:(?P<limit>{LIMIT}) )?"
    r"(?:(?:with|for|at|of|up to|only|exactly|a total of|to|in|from|since) )*"
    r"(?P<number>[£$€¥]?\d[\d.,]*\s?[£$€¥%]?|[a-z]+)(?: (?P<unit>[a-z][a-z /-]*))?$",
    re.I,
)
_PRICED = frozenset({"cost", "pay", "charg", "bill", "sell", "price", "owe"})


def _judge_amount(rest: str, record: Record, things: Things) -> Truth:
    """Judge "brings 95 guests" by the column of guests, "costs £20 an hour" by the only amount."""
    denied = re.match(r"^(?:does(?:n't| not)|is(?:n't| not)|has(?:n't| not)) ", rest)
    match = _AMOUNT.match(rest[denied.end() :] if denied else rest)
    number = _number_said(match) if match else None
    if match is None or number is None:
        return None
    shown = set(_numbers_meant(match, record, things))
    if match["limit"]:  # "costs no more than £20", which several amounts may do
        comparison, _ = find_limit(f"{match['limit'].lower()} {number:g}")
        truths = {compare(n, comparison, number) for n in shown}
        return (truths.pop() is not bool(denied)) if len(truths) == 1 else None
    if len(shown) != 1 or (shown != {number} and _is_numbered_by(match["unit"] or "", things)):
        return None
    return (shown == {number}) is not bool(denied)


def _is_numbered_by(unit: str, things: Things) -> bool:
    """Return whether no column is headed by just this word: 'Order' numbers "2 orders"."""
    heads = {word for head in things.group.columns for word in split_words(head)}
    said = [word for word in split_words(unit) if word not in FREE.stop][:1]
    return bool(said) and things.group.kind == "table" and said[0] not in heads


def _number_said(match: re.Match[str]) -> float | None:
    said = match["number"].lower()
    priced = stem((match["verb"] or "").lower()) in _PRICED
    if said == "free" or (said == "nothing" and priced):
        return 0.0
    return None if said == "no" else read_number(said.replace(" ", ""))


def _numbers_meant(match: re.Match[str], record: Record, things: Things) -> list[float]:
    verb = (match["verb"] or "").lower()
    unit = [word for word in split_words(match["unit"] or "") if word not in FREE.stop][:1]
    priced = is_money(match["number"]) or stem(verb) in _PRICED
    if things.group.kind == "table":
        column = money_column(things.group) if priced else column_called(unit, things.group)
        if column is None:
            return _numbers_with_unit(unit, record)
        cell = record.item.cells[column][1]
        return _numbers_in([cell if priced else cell.split(" ")[0]])
    if priced:
        return _numbers_in(m for slot in record.slots for m in _MONEY.findall(slot.text))
    beside = numbers_beside(unit, record)
    return beside or numbers_beside([verb] if verb not in FREE.stop else [], record)


def _numbers_with_unit(unit: Sequence[str], record: Record) -> list[float]:
    """Return the numbers of cells like "12 km"."""
    cells = [text.strip().split(" ") for _, text in record.item.cells]
    return _numbers_in(c[0] for c in cells if len(c) == 2 and unit and stem(c[1]) == stem(unit[0]))


_MONEY = re.compile(r"[£$€¥]\s?\d[\d.,]*")


def _numbers_in(texts: Iterable[str]) -> list[float]:
    values = (read_number(text.replace(" ", "")) for text in texts)
    return [value for value in values if value is not None]


#: "starts at 9:30", "has his appointment at 11:00", and not "ends at"
_AT_TIME = re.compile(
    r"^(?P<how>(?:[a-z]+ ){1,4}?)(?:on (?P<day>[A-Z][a-z]+) )?(?:at|for|from) "
    r"(?P<time>\S+(?: [ap]\.?m\.?)?)(?: (?P<more>in .+))?$",
    re.I,
)
_OTHER_TIMES = frozenset(
    {"end", "finishes", "until"} | FREE.negations | FREE.relating
)  # fmt: skip
_ONLY_HEADED = frozenset(
    map(stem, ["ends", "closes", "stops", "leaves", "departs", "arrives", "returns"])
)
"""What is no beginning: only a column of this name has its time."""


def _is_on_day(day: str, record: Record) -> bool:
    """Return whether a record has the day of the week, which may be written in short."""
    return not day or any(plain(day)[:3] in plain(slot.text).split() or contains(day, slot.text)
                          for slot in record.slots)  # fmt: skip


def _time_meant(verb: str, record: Record, things: Things) -> set[int] | None:
    """Return the time in the column that is called as the verb, else the only one there is."""
    headed = [text for head, text in record.item.cells if stem(head.lower()) == verb]
    if len(headed) == 1:
        return {minutes for minutes, _ in find_times(headed[0])}
    if any(len(_times_of(other)) != 1 for other in things.records) or verb in _ONLY_HEADED:
        return None
    return _times_of(record)


def _judge_time(rest: str, record: Record, things: Things) -> Truth:
    """Judge "starts at 9:30" by the only time of day that each record has."""
    match = _AT_TIME.match(rest)
    said = [minutes for minutes, _ in find_times(match["time"])] if match else []
    if match is None or len(said) != 1 or set(match["how"].split()) & _OTHER_TIMES:
        return None
    own = _time_meant(stem(match["how"].split()[0]), record, things)
    if own is None:
        return None
    if own != set(said) or not _is_on_day(match["day"] or "", record):
        return False
    return _judge_value(f"is {match['more']}", record, things) if match["more"] else True


#: "was placed on 2024-04-20", "dates from 2024-04-20"
_ON_DATE = re.compile(
    r"^(?P<how>(?:[a-z]+ ){1,4}?)(?:on|from|since|for|by)? ?(?P<date>\S.{4,20})$", re.I
)


def _judge_date(rest: str, record: Record, things: Things) -> Truth:
    """Judge "was placed on 20 April" by the only date that each record has."""
    match = _ON_DATE.match(rest)
    said = [day for day, _ in find_dates(match["date"])] if match else []
    if match is None or len(said) != 1 or set(match["how"].split()) & _OTHER_TIMES:
        return None
    shown = [
        {day for slot in other.slots for day, _ in find_dates(slot.text)}
        for other in things.records
    ]
    if any(len(days) != 1 for days in shown):
        return None
    (own,) = {day for slot in record.slots for day, _ in find_dates(slot.text)}
    return own == said[0]


_SAID = re.compile(
    r"^(?P<verb>[a-z]+s|wrote|said|asked) (?:whether |if |about |for |that |to )(?P<what>\S.*)$",
    re.I,
)


def _judge_said(rest: str, record: Record, things: Things) -> Truth:
    """Judge "writes that the tubs are broken" by a line of the record with all these words."""
    match = _SAID.match(rest)
    words = content(match["what"]) if match else ()
    if match is None or match["verb"].lower() not in _SAYING or not words:
        return None
    has_all = any(set(words) <= set(split_words(slot.text)) for slot in record.slots)
    negated = set(split_words(match["what"])) & FREE.negations
    return True if has_all and not negated else None


_SAYING = FREE.saying | FREE.speaking | {"asks", "asked", "wants", "reports", "complains"}


def _times_of(record: Record) -> set[int]:
    return {minutes for slot in record.slots for minutes, _ in find_times(slot.text)}


# States


def _judge_done(rest: str, record: Record, things: Things) -> Truth:
    """Judge "is ticked off", "is still open" by the only box of the record."""
    wanted = _box_state(rest)
    box = things.box_of(record)
    if wanted is None or box is None or box.checked is None:
        return None
    return box.checked is wanted


_BE = re.compile(
    r"^(?:is|are|was|were|has been|have been|had been|(?:has|have|had)(?=(?:n't| not) been))"
    r"(?P<no>n't| not| no longer)?"
    r"(?: (?:now|still|already|also|again|currently|marked|shown|listed|flagged|as|been|yet))* ",
    re.I,
)


def _box_state(rest: str) -> bool | None:
    match = _BE.match(rest)
    if match is None:
        return None
    words = [w for w in split_words(rest[match.end() :]) if w not in ("off", "yet", "as")]
    if len(words) != 1 or words[0] not in _DONE | _TO_DO:
        return None
    return (words[0] in _DONE) is not bool(match["no"])


_LACKS = re.compile(
    r"^(?:has|have|offers?|shows?|contains?) no (?P<thing>[a-z][a-z -]{1,40})$", re.I
)
_HAS = re.compile(
    r"^(?:has|have|offers?) (?:an? |the |its own )?(?!been |not )(?P<thing>[a-z][a-z -]+)$", re.I
)


def _judge_lack(rest: str, record: Record, things: Things) -> Truth:
    """Judge "has no projector" by what others have: there the page would say it."""
    lack, has = _LACKS.match(rest), _HAS.match(rest)
    match = lack or has
    words = [stem(w) for w in described(match["thing"])] if match else []
    if not words:
        return None
    if (has_value := has_value_below(words, record, things)) is not None:
        return has_value is not bool(lack)
    labelled = [text for label, text in _labelled(record) if stems(label) == tuple(words)]
    if len(labelled) == 1 and labelled[0].strip():  # "Skipper: nobody"
        return (plain(labelled[0]).strip(" .") in _NOBODY) is (lack is not None)
    if _says(words, things.texts_of(record)):
        return lack is None
    others = any(
        _says(words, things.texts_of(other)) for other in things.records if other is not record
    )
    return True if lack is not None and others else None


_NOBODY = frozenset(
    {"nobody", "no one", "none", "no", "nothing", "-", "–", "—", "n/a", "not set", "unassigned"}
)


def _labelled(record: Record) -> list[tuple[str, str]]:
    """Return the labels and values of a record: its cells, and "Skipper: Ada Lund"."""
    lines = [slot.text.partition(":") for slot in record.slots if ": " in slot.text]
    return [*record.item.cells, *((label, text) for label, _, text in lines)]


_NEGATED = re.compile(r"\b(?:no|not|without|never|un|non)\W+$", re.I)


def _says(words: Sequence[str], slots: Sequence[Slot]) -> bool:
    """Return whether one text of a record has all the stems, none of them behind a "not"."""
    for slot in slots:
        shown = stems(slot.text)
        if set(words) <= set(shown):
            at = re.search(rf"\b{re.escape(words[0][:4])}", plain(slot.text))
            return at is None or not _NEGATED.search(plain(slot.text)[: at.start()])
    return False


def _judge_state(rest: str, record: Record, things: Things) -> Truth:
    if (verb := _MISSED.match(rest)) is not None:
        return has_state(verb["state"], record, things)
    match = _BE.match(rest)
    if match is None:
        return None
    truth = has_state(rest[match.end() :], record, things)
    return None if truth is None else truth is not bool(match["no"])


#: "missed his appointment" is the state 'missed'
_MISSED = re.compile(r"^(?P<state>[a-z]+ed) (?:his|her|their|its|the) [a-z]+$")
_HOLDS = re.compile(
    r"^(?P<verb>was [a-z]+ by|(?:[a-z]+s|is|does)(?: (?:in|at|with|from|by|for|to|on|after|as))?)"
    r" (?P<value>.+)$"
)


def _judge_value(rest: str, record: Record, things: Things) -> Truth:
    """Judge "sees Dr Abel" by the only place in which some record has just this text."""
    match = _HOLDS.match(rest)
    value = _VALUE_LEAD.sub("", match["value"]) if match else ""
    if match is None or match["verb"] in FREE.relating or len(value) < _SHORTEST_VALUE:
        return None
    if re.search(r"\d", value) or set(split_words(value)) & FREE.negations:
        return None
    texts = things.texts_of(record)
    if any(plain(slot.text) == plain(value) for slot in texts):
        return True
    keys = _places_of(value, things)
    own = [slot for slot in texts if slot.key in keys]
    return False if len(keys) == 1 and "" not in keys and len(own) == 1 else None


def _places_of(value: str, things: Things) -> set[str]:
    """Return in which places some record has just this text."""
    slots = (slot for other in things.records for slot in things.texts_of(other))
    return {slot.key for slot in slots if plain(slot.text) == plain(value)}


_SHORTEST_VALUE = 3
_VALUE_LEAD = re.compile(
    r"^(?:(?:made|built) (?:out )?(?:of|from) )?(?:(?:the|a|an|his|her|its) )?"
)


def has_state(phrase: str, record: Record, things: Things) -> Truth:
    """Return whether a record is "approved", "waiting for approval", "step-free", "on duty".

    It is not if another one says so in a cell or mark of its own, and this one has something else
    there: 'Waiting' instead of 'Approved'; or if the cell below 'On duty' is 'No'.
    """
    words = _state_words(phrase)
    if len(words) > 1 and is_called(words[-1], things.group, things.page.headings):
        words = words[:-1]  # "is a garden tool" in a list of tools
    if not words or re.search(r"\d|[A-Z]", phrase):
        return None
    if (flag := _flag([stem(word) for word in content(phrase)], record)) is not None:
        return flag
    if any(set(words) == set(_state_words(slot.text)) for slot in things.texts_of(record)):
        return True
    if set(split_words(phrase)) & _RELATING:
        # "on duty" is denied by 'On leave' in the column that has 'On duty' elsewhere
        return False if _says_otherwise(words, record, things) else None
    if _says_otherwise(words, record, things) or varies(words, record, things):
        return False
    return _writes(content(phrase), things.texts_of(record)) or None


def _state_words(text: str) -> list[str]:
    """Return the stems of a state; "on duty" and "off duty" differ in a small word."""
    return [stem(w) for w in split_words(text) if w in _PARTICLES or w not in FREE.stop]


_PARTICLES = frozenset(
    {"on", "off", "in", "out", "up", "down", "under", "over", "not", "no", "with", "without",
     "seen"}
)  # fmt: skip


def _writes(words: Sequence[str], slots: Sequence[Slot]) -> bool:
    """Return whether a text has just these words: no shop is open that has 'Opening hours'."""
    stated = (slot for slot in slots if set(words) <= set(split_words(slot.text)))
    return _says([stem(word) for word in words], tuple(stated))


def _flag(words: Sequence[str], record: Record) -> Truth:
    """Return what the cell says whose heading is the state, if it is a yes or a no."""
    heads = [(set(map(stem, content(head))), text) for head, text in record.item.cells]
    cells = [plain(text) for head, text in heads if head == set(words)]
    if len(cells) != 1 or cells[0] not in _YES | _NO:
        return None
    return cells[0] in _YES


_YES, _NO = frozenset({"yes", "true", "✓", "✔", "on"}), frozenset({"no", "false", "✗", "✘", "off"})


def _says_otherwise(words: Sequence[str], record: Record, things: Things) -> bool:
    """Return whether others have the state in one place, and this record something else there."""
    texts = things.texts_of(record)
    keys = _state_keys(words, things)
    own = [slot.text for slot in texts if slot.key in keys] if len(keys) == 1 else []
    if not own and things.grid:
        places = {i for row in things.grid for i, text in enumerate(row)
                  if set(words) == set(_state_words(text))}  # fmt: skip
        own = [texts[i].text for i in places] if len(places) == 1 else []
    return len(own) == 1 and len(own[0].split()) <= _MOST_STATE_WORDS


_MOST_STATE_WORDS = 4
_RELATING = FREE.relating | {"by", "in", "at", "on", "than", "and", "or", "to", "of", "from"}


def _state_keys(words: Sequence[str], things: Things) -> set[str]:
    """Return the places where records have just these words: the column of states."""
    return {
        slot.key
        for record in things.records
        for slot in things.texts_of(record)
        if slot.key and set(words) == set(_state_words(slot.text))
    }


# Several things


def read_quantity(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Two rooms are step-free``, ``every order has a Cancel button``: of how many it is so."""
    quantity = None if s.position or s.quoted[2:] else quantity_of(s.unmask(s.text))
    if quantity is None:
        return None
    found = [
        a for things in find_things(page) if (a := _judge_quantity(quantity, things)) is not None
    ]
    if len({truth for truth, _ in found}) != 1:
        return None
    truth, reason = found[0]
    if (quantity.kind == "number" or truth) and shows_a_part(page):
        return None  # of the others, on further pages, nothing is known
    return answer("quantity", truth, reason)


def _judge_quantity(q: Quantity, things: Things) -> tuple[bool, str] | None:
    if q.kind == "only":
        return _judge_only(q, things)
    is_called_so = _counts(q, things)
    if not is_called_so and not _may_be_called(q, things):
        return None
    truths = [judge_claim(_singular(q.rest), record, things) for record in things.records]
    known = all(truth is not None for truth in truths)
    number = truths.count(True)
    reason = f"{number} of {len(truths)} have it"
    if q.kind == "number":
        # what a card does not say may be so all the same: fewer than all are then no proof
        if number == q.number:
            return True, reason
        return (False, reason) if known and is_called_so else None
    if not known:
        # one that does not fit is enough: "none of them costs more than £20" beside one of £30
        refuted = number > 0 if q.kind == "none" else False in truths
        return (False, reason) if refuted else None
    return (number == len(truths) if q.kind == "all" else number == 0), reason


def _singular(rest: str) -> str:
    """Return what is said of many as it is said of one: "are open" as "is open"."""
    first, _, behind = rest.partition(" ")
    return f"{ {'are': 'is', 'were': 'was', 'have': 'has'}.get(first.lower(), first) } {behind}"


def _may_be_called(q: Quantity, things: Things) -> bool:
    """Return whether a noun for people that the page does not have may be what the things are.

    "Three helpers are on duty" of a list of names: then only the number that is said shows it.
    """
    nouns = split_words(q.noun) or ("",)
    if q.kind != "number" or nouns[-1] not in FREE.people or not _BE.match(_singular(q.rest)):
        return False
    return stem(nouns[-1]) not in {stem(w) for w in split_words(things.page.text)}


def _counts(q: Quantity, things: Things) -> bool:
    """Return whether the noun is what these things are called; "of them" are those in view."""
    nouns = split_words(q.noun)
    if not nouns or nouns[-1] in _OF_ALL:
        return len(find_things(things.page)) == 1 or things.group in things.page.main_tables
    if any(is_a_box(e) for r in things.records for e in things.controls_of(r)) and (
        _box_state(_singular(q.rest)) is not None
    ):
        return stem(nouns[-1]) in {stem(w) for w in _TASKS} or is_called(
            nouns[-1], things.group, things.page.headings
        )
    return is_called(nouns[-1], things.group, things.page.headings)


_OF_ALL = frozenset({"them", "people", "persons", "ones", "things", "person"})


def _judge_only(q: Quantity, things: Things) -> tuple[bool, str] | None:
    """Judge "only the waiting orders can be approved": these can be, and no others."""
    ability = ability_of(q.rest)
    if ability is None or ability.denies:
        return None
    known = {word for record in things.records for word in record.stems}
    words = [stem(w) for w in content(q.noun) if stem(w) in known]
    if not words:
        return None
    meant = [_says(words, things.texts_of(record)) for record in things.records]
    able = [is_able(ability.verb, record, things, ability.more) for record in things.records]
    if None in able or not any(meant) or not any(able):
        return None
    reason = f"{able.count(True)} of {len(able)} can be, {meant.count(True)} are meant"
    return meant == able, reason
