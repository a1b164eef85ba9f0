"""Read steps: from the text of a line to its steps, each with all its sensible readings."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from sparring_plugins.web.grammar.actions.forms import read_plans
from sparring_plugins.web.grammar.assertions import is_lead, read_assertion, read_wait
from sparring_plugins.web.grammar.canonical import spell, write_sentence
from sparring_plugins.web.grammar.clauses import (
    apply_letter_case,
    find_cuts,
    is_forbidding,
    strip_bullet,
    strip_clause,
)
from sparring_plugins.web.grammar.conditions import read_condition
from sparring_plugins.web.grammar.everyday.dates import is_mark
from sparring_plugins.web.grammar.everyday.sentences import read_everyday, with_dates
from sparring_plugins.web.grammar.free.intents import opens_to_edit, read_intents
from sparring_plugins.web.grammar.free.seeking import drop_seeking
from sparring_plugins.web.grammar.free.sentences import (
    Clause,
    must_check,
    split_sentence,
    to_instruction,
    write_clauses,
)
from sparring_plugins.web.grammar.phrases.patterns import Alternatives, ClausePlan
from sparring_plugins.web.grammar.phrases.tokens import (
    Token,
    Tokens,
    find_quotations,
    has_quotes,
    source_text,
    tokenise,
    trim,
)
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS, base_form, ending_size
from sparring_plugins.web.grammar.unsupported import nearest_form
from sparring_plugins.web.step import AllOf, AnyOf, Condition, Not, Reading, Step, Target

UNCLOSED = "a quote is not closed"
UNQUOTED = "the target is not quoted"
AMBIGUOUS = "can be read in"
UNKNOWN = "is not understood"
NO_FIELD = f"{UNKNOWN}; name the field: Enter tomorrow's date into the field '...'"


def find_problems(readings: tuple[Reading, ...], tokens: Tokens) -> tuple[str, ...]:
    """Return what is doubtful about a step that is understood, for ``sparring lint``."""
    problems: list[str] = []
    for token in tokens:
        if not token.closed:
            problems.append(f"{UNCLOSED}: read as '{token.text}'")
    bare = dict.fromkeys(t.text for t in iter_targets(readings[0]) if t.text and not t.quoted)
    problems += [f"{UNQUOTED}: '{text}'" for text in bare]
    quoted = {token.text for token in tokens if token.quoted}
    value = readings[0].value
    if readings[0].action in ("fill", "type", "append", "select") and value and " " in value:
        problems += [f"the value is not quoted: '{value}'"] if value not in quoted else []
    if len(readings) > 1:
        meanings = "; ".join(f"({n}) {r.explanation}" for n, r in enumerate(readings, 1))
        problems.append(f"{AMBIGUOUS} {len(readings)} ways: {meanings}")
    return tuple(problems)


def explain_unknown(text: str) -> tuple[str, ...]:
    """Return the problem of a text that is not understood."""
    if not text.strip():
        return ("is empty",)
    first = text.split(maxsplit=1)[0].casefold().strip(",")
    if first in ("if", "unless", "otherwise", "else"):
        return (
            f"{UNKNOWN}: only acts depend on a condition: If '...' is displayed, click on '...'",
        )
    return (UNKNOWN,)


def iter_targets(reading: Reading) -> Iterator[Target]:
    """Yield everything on the page that a reading names."""
    for target in (reading.target, reading.destination):
        if target is not None:
            yield target
    if reading.condition is not None:
        yield from _iter_condition_targets(reading.condition)


def _iter_condition_targets(condition: Condition) -> Iterator[Target]:
    match condition:
        case Not():
            yield from _iter_condition_targets(condition.condition)
        case AllOf() | AnyOf():
            for part in condition.conditions:
                yield from _iter_condition_targets(part)
        case _:
            target = getattr(condition, "target", None)
            other = getattr(condition, "other", None)
            yield from (thing for thing in (target, other) if isinstance(thing, Target))


MOST_CHARACTERS = 2_000
"""Longer texts are no steps; nothing is tried on them."""
# The parser's time grows with the cube of a sentence's length.
_MOST_TOKENS = 160
_MOST_READINGS = 6


def read_step(text: str, *, number: int, line: int | None = None) -> Step:
    """Read the text of one step; never raises.

    A sentence that makes several steps has no reading here: `read_steps` gives all of them.
    """
    steps = read_steps(text, number=number, line=line)
    if len(steps) == 1:
        return steps[0]
    problem = (
        f"holds {len(steps)} steps; write each on a line of its own"
        if steps
        else "says nothing to do"
    )
    return Step(number=number, text=text, problems=(problem,), line=line)


def read_steps(text: str, *, number: int = 1, line: int | None = None) -> tuple[Step, ...]:
    """Read a text that may give several steps ("Enter 'x' into the field and press Submit.").

    The steps are numbered from `number`. A text that is not understood is one step without a
    reading; one that asks for nothing ("Select nothing") is none. Each of several has the whole
    `sentence`: who does not understand a part may need the rest of it.
    """
    steps = _read_all(text, number, line)
    if len(steps) < 2:
        return steps
    return tuple(step.model_copy(update={"sentence": text.strip()}) for step in steps)


#: "In the window that opens, tick 'A'": what is on top is looked at first in any case.
_OPENED = re.compile(
    r"^(?:in|from|on) the (?:\w+ )?(?:window|dialog|menu|pop-?up|list|form|overlay|panel|page)"
    r" (?:that|which) (?:now )?(?:open(?:s|ed)|appear(?:s|ed)|comes? up|came up|pops? up|unfolds|"
    r"is shown)(?: now)?,? (?=\S)",
    re.I,
)


def _read_all(text: str, number: int, line: int | None) -> tuple[Step, ...]:
    if len(text) > MOST_CHARACTERS:
        shown = (f"is longer than {MOST_CHARACTERS:,} characters",)
        return (Step(number=number, text=text, problems=shown, line=line),)
    body = drop_seeking(_OPENED.sub("", with_dates(strip_bullet(text))))
    if (whole := read_everyday(body, _read_parts)) is not None:
        return _build_steps(text, body, [(tokenise(body), whole)], number, line)
    if instead := nearest_form(body):
        problem = f"is not understood; the nearest form: {instead}"
        return (Step(number=number, text=text, problems=(problem,), line=line),)
    return _read_by_clauses(text, body, number, line)


def _read_by_clauses(text: str, body: str, number: int, line: int | None) -> tuple[Step, ...]:
    """Read a sentence clause by clause, by the grammar or as free sentences are split."""
    body = to_instruction(body)
    clauses = _read_sentence(body)
    free = split_sentence(body)
    if clauses is not None:
        steps = _build_steps(text, body, clauses, number, line)
        # "Check that the author is set to 'Ada'" sets nothing; "Pick red and add two of them to the
        # basket" is no red that one adds.
        sets = must_check(body) and bool(steps) and not steps[0].asserts
        gapped = any(len(plan) > 1 for _, plan in clauses)
        if _is_misread(steps, free, len(clauses), gapped=gapped):
            return _build_free_steps(text, body, free, number, line)
        quoted = any(has_quotes(tokens) for tokens, _ in clauses)
        if not sets and (len(clauses) >= len(free) or (quoted and not gapped)):
            return steps
    return _build_free_steps(text, body, free, number, line)


def _is_misread(
    steps: Sequence[Step], free: Sequence[Clause], clauses: int, *, gapped: bool
) -> bool:
    """Return whether the grammar took a joint for a part of a name, or names of fields for values.

    "Choose Oak as the wood and send without a date": the field is no 'wood and send'.
    """
    if (gapped or len(free) > clauses) and any(map(_joins_names, steps)):
        return True
    # "Open 'Oak' for editing" is no click on the name, but on what edits it
    if any(opens_to_edit(clause.text) for clause in free):
        return True
    # "The title says 4 rows, showing page 1" and "Open the menu, A and B should be offered"
    if _acts_where_free_checks(steps, free) or any(map(_clicks_on_statement, steps)):
        return True
    nameless = gapped and any(r.target is None for step in steps for r in step.readings)
    return nameless and _chooses_for_fields(free)


def _acts_where_free_checks(steps: Sequence[Step], free: Sequence[Clause]) -> bool:
    checks = bool(free) and all(clause.kind == "check" for clause in free)
    acts = [step.text for step in steps if not step.asserts]
    if checks and steps and steps[0].asserts and any(map(_PARTICIPLE.match, acts)):
        return True
    # "Open the list and check that it is empty" checks something
    leads = any(c.kind == "check" and "check that" in c.text.lower()[:20] for c in free)
    return leads and not any(step.asserts for step in steps)


# "After clicking on 'Save'" is an act before the rest.
_PARTICIPLE = re.compile(r"[a-z]+ing\b")


def _clicks_on_statement(step: Step) -> bool:
    targets = [r.target for r in step.readings if r.action != "assert" and r.target is not None]
    return any(_MODALS.search(target.text) for target in targets)


# An act whose target reads "Total should be 5" is a statement that was misread.
_MODALS = re.compile(r" (?:should|must) (?:be|have|show|contain|not)\b")


def _chooses_for_fields(free: Sequence[Clause]) -> bool:
    """Return whether "choose" names several fields: "Choose the kind Oak and the note 'dry'"."""
    intents = [intent for clause in free for intent in read_intents(clause)]
    return len(intents) > 1 and all(i.verb == "select" and i.words and i.value for i in intents)


def _read_parts(part: str) -> tuple[ClausePlan, ...] | None:
    """Read a part of an everyday sentence; None if it is not understood."""
    if (whole := read_everyday(part, _read_parts)) is not None:
        return (whole,)
    clauses = _read_sentence(part)
    return None if clauses is None else tuple(plan for _, plan in clauses)


def _joins_names(step: Step) -> bool:
    """Return whether a bare name has an "and" in it: "5 stars and the comment" is no field."""
    targets = [r.target for r in step.readings if r.target is not None and not r.target.quoted]
    return any(" and " in target.text for target in targets)


def _read_sentence(body: str) -> list[tuple[Tokens, ClausePlan]] | None:
    for tokens in _tokenise_ways(body):
        if len(tokens) > _MOST_TOKENS:
            return None
        clauses = _read_clauses(tokens)
        if clauses is not None:
            return clauses
    return None


def _build_free_steps(
    text: str, body: str, free: Sequence[Clause], number: int, line: int | None
) -> tuple[Step, ...]:
    """Return a step for each clause: as the grammar reads it, else without a reading."""
    problems = explain_unknown(body)
    if len(free) < 2 or problems != (UNKNOWN,):
        return (Step(number=number, text=text, problems=problems, line=line),)
    steps: list[Step] = []
    for kind, group in groupby(free, lambda clause: clause.kind):
        clauses = list(group)
        parts = [write_clauses([c]) for c in clauses] if kind == "act" else [write_clauses(clauses)]
        for part in parts:
            read = None if opens_to_edit(part) else _read_sentence(part)
            if read is not None and _is_read_as(read, kind):
                steps += _build_steps(part, part, read, number + len(steps), line)
            else:
                steps.append(
                    Step(number=number + len(steps), text=part, problems=problems, line=line)
                )
    return tuple(steps)


def _is_read_as(read: list[tuple[Tokens, ClausePlan]], kind: str) -> bool:
    """Return whether the grammar's reading of a clause acts or checks as the clause does."""
    firsts = [plan[0][0] for _, plan in read if plan]
    # "Copy the text and paste it": nobody types the word "it"
    return len(firsts) == len(read) and all(
        (r.action == "assert") == (kind == "check") and r.value not in _PRONOUNS for r in firsts
    )


def _build_steps(
    text: str, body: str, clauses: list[tuple[Tokens, ClausePlan]], number: int, line: int | None
) -> tuple[Step, ...]:
    total = sum(len(plan) for _, plan in clauses)
    steps: list[Step] = []
    last: Target | None = None
    for tokens, plan in clauses:
        for alternatives in plan:
            readings = _explain(_resolve_pronoun(alternatives, last))
            last = readings[0].target or last
            shown = text if total == 1 else (
                source_text(body, tokens) if len(plan) == 1 else readings[0].explanation
            )  # fmt: skip
            problems = find_problems(readings, tokens)
            if all(map(_goes_to_date, readings)):
                readings, problems = (), (NO_FIELD,)
            steps.append(
                Step(number=number + len(steps), text=shown, readings=readings,
                     problems=problems, line=line)
            )  # fmt: skip
    return tuple(steps)


def _goes_to_date(reading: Reading) -> bool:
    """Return whether it goes to a date, as if a page or a button were named like one."""
    if reading.action not in ("click", "open"):
        return False
    name = reading.value if reading.target is None else reading.target.text
    return name is not None and is_mark(name)


_PRONOUNS = frozenset(
    {"it", "them", "this", "that", "that one", "this one", "that button", "that link"}
)


def _resolve_pronoun(alternatives: Alternatives, last: Target | None) -> Alternatives:
    """Read "it" as what the step before was about."""
    target = alternatives[0].target
    if last is None or target is None or target.quoted or target.text.casefold() not in _PRONOUNS:
        return alternatives
    return tuple(r.model_copy(update={"target": last}) for r in alternatives)


def _explain(alternatives: Alternatives) -> Alternatives:
    unique = list(dict.fromkeys(alternatives))[:_MOST_READINGS]
    return tuple(r.model_copy(update={"explanation": write_sentence(r)}) for r in unique)


def _tokenise_ways(text: str) -> Iterator[Tokens]:
    """Return the tokens; if a quote is unclosed, first as it may have been meant."""
    unclosed = next((q for q in find_quotations(text) if not q.closed), None)
    plain = tokenise(text)
    if unclosed is None:
        yield plain
        return
    places = _find_cut_places(text, unclosed.start)
    nested = any(mark in text[unclosed.start + 1 :] for mark in "'\"“«`‘")
    lead = is_lead(trim(plain))
    before = len([t for t in plain if t.start < unclosed.start])
    if nested or lead or (before <= 2 and len(places) > 0 and _begins_with_entering(plain)):
        yield from (tokenise(text, cut) for cut in places)
        yield plain
    else:
        yield plain
        yield from (tokenise(text, cut) for cut in places)


def _begins_with_entering(tokens: Tokens) -> bool:
    return bool(tokens) and base_form(tokens[0].low) in WORDS.quoting_verbs


def _find_cut_places(text: str, start: int) -> list[int]:
    """Return where an unclosed quotation may have been meant to end: before a word that goes on."""
    places: list[int] = []
    at = text.find(" ", start + 2)
    while at >= 0 and len(places) < 12:
        word = text[at:].split(maxsplit=1)[:1]
        if word and word[0].casefold().strip(",.") in WORDS.words_behind_quotes:
            places.append(at)
        at = text.find(" ", at + 1)
    return places


def _read_clauses(tokens: Tokens) -> list[tuple[Tokens, ClausePlan]] | None:
    """Split a sentence into clauses that can all be read; `None` if it cannot be."""
    tokens = trim(tokens, ".,;:!?-–—…*•")
    places = [(0, 0), *find_cuts(tokens), (len(tokens), len(tokens))]
    plans_from: dict[int, list[tuple[Tokens, ClausePlan]] | None] = {len(places) - 1: []}
    for start in range(len(places) - 2, -1, -1):
        plans_from[start] = None
        for end in range(start + 1, min(len(places), start + 6)):
            following = plans_from[end]
            if following is None:
                continue
            part = tokens[places[start][1] : places[end][0]]
            plan = read_clause(part)
            if plan is not None:
                plans_from[start] = [(part, plan), *following]
                break
    return plans_from[0]


def read_clause(tokens: Tokens) -> ClausePlan | None:
    """Return the steps of one clause; `None` if it is not understood."""
    tokens = trim(tokens, ".,;:!?-–—…*•")
    if not tokens:
        return None
    everyday = read_everyday(spell(tokens), _read_parts)
    if everyday is not None:
        return everyday
    fronted = _read_fronted(tokens)
    if fronted is not None:
        return fronted
    clause = strip_clause(tokens)
    if not clause or is_forbidding(clause):
        return None
    clause = apply_letter_case(clause)
    plan = _read_plain_clause(tokens, clause)
    if plan is None:
        plan = _read_by_doing(clause)
    return _read_gapped(clause) if plan is None else plan


def _read_plain_clause(tokens: Tokens, clause: Tokens) -> ClausePlan | None:
    if is_lead(clause):
        return read_assertion(clause)
    waiting = read_wait(clause)
    if waiting is not None and not _waits_for_time(clause):
        return waiting
    if clause[0].low in ("check", "see", "test", "confirm"):
        asserted = read_assertion(clause)
        if asserted is not None:
            return asserted
    arrival = _read_arrival_step(tokens)
    if arrival is not None:
        return arrival
    for candidate in _strip_purpose(clause):
        for plan in read_plans(candidate):
            return plan
    return waiting or read_assertion(tokens) or read_assertion(clause)


def _waits_for_time(clause: Tokens) -> bool:
    return next(
        (True for plan in read_plans(clause) if plan and plan[0][0].action == "wait"), False
    )


def _read_arrival_step(tokens: Tokens) -> ClausePlan | None:
    """``Given I am on 'https://...'``: open it."""
    if tokens[0].low not in ("given", "starting", "beginning"):
        return None
    conditions = read_condition(tokens[1:])
    for condition in conditions:
        if condition.kind == "page_is" and condition.property == "url":
            return ((Reading(action="open", value=condition.text),),)
    return None


_WHOLE = frozenset({"button", "link", "icon", "tab", "form", "key", "box", "checkbox"})


def _strip_purpose(clause: Tokens) -> Iterator[Tokens]:
    """Strip ``to submit the form`` from the end of a clause if it follows a whole name."""
    loose: list[Tokens] = []
    for at in range(2, len(clause) - 1):
        if clause[at].quoted:
            continue
        doing = not clause[at + 1].quoted and (
            clause[at + 1].low in WORDS.verbs
            or clause[at + 1].low in ("be", "make", "get", "show", "view")
        )
        so_that = [t.low for t in clause[at : at + 2]] in (["so", "that"], ["in", "order"])
        whole = clause[at - 1].quoted or clause[at - 1].low in _WHOLE
        if so_that or (clause[at].low == "to" and doing and whole):
            yield clause[:at]
        elif clause[at].low == "to" and doing:
            loose.append(clause[:at])
    yield clause
    yield from loose


def _read_fronted(tokens: Tokens) -> ClausePlan | None:
    """``In the field 'x', type 'y'``; ``When 'x' is displayed, click on 'y'``."""
    first = tokens[0].low
    if first not in WORDS.fronted_prepositions and first not in (
        "when",
        "once",
        "after",
        "as",
        "if",
    ):
        return None
    for at in range(2, min(len(tokens) - 1, 40)):
        comma = tokens[at].text == "," and not tokens[at].quoted
        if not comma and not (_ends_name(tokens[:at]) and base_form(tokens[at].low) in WORDS.verbs):
            continue
        front, rest = tokens[:at], tokens[at + 1 :] if comma else tokens[at:]
        plan = _move_front(first, front, rest)
        if plan is not None:
            return plan
    return None


def _ends_name(tokens: Tokens) -> bool:
    return tokens[-1].quoted or ending_size([t.low for t in tokens[1:]], WORDS.controls) > 0


def _move_front(first: str, front: Tokens, rest: Tokens) -> ClausePlan | None:
    clause = strip_clause(rest)
    if not clause or clause[0].quoted or base_form(clause[0].low) not in WORDS.verbs:
        return None
    if first in ("when", "once", "after", "as"):
        front = front[1:] if first != "as" else front[3:]
        wait = read_wait(
            [Token("word", "wait", 0, 0, "wait"), Token("word", "until", 0, 0, "until"), *front]
        )
        plan = read_clause(rest) if wait else None
        return (*wait, *plan) if wait and plan else None
    if first == "if":
        return None
    if first == "to" and not has_quotes(front):
        return read_clause(rest)
    plan = next((plan for plan in read_plans([*clause, *front])), None)
    return None if plan and _swallows(plan, front) else plan


def _swallows(plan: ClausePlan, front: Tokens) -> bool:
    """Return whether the place in front was read as a part of a value.

    "Below the list, set the order to title" does not select 'title below the list'.
    """
    place = " ".join(token.text for token in front[1:]).casefold()
    values = [reading.value or "" for alternatives in plan for reading in alternatives]
    return any(len(value) > len(place) and value.casefold().endswith(place) for value in values)


def _read_by_doing(clause: Tokens) -> ClausePlan | None:
    """``Log in by clicking 'Sign in'``: what is done."""
    for at in range(1, len(clause) - 1):
        doing = clause[at + 1]
        if clause[at].low in ("by", "via") and not doing.quoted and doing.low.endswith("ing"):
            return read_clause(clause[at + 1 :])
    return None


def _read_gapped(clause: Tokens) -> ClausePlan | None:
    """``Type 'a' in 'x' and 'b' in 'y'``: the verb holds for both parts."""
    if clause[0].low not in WORDS.verbs:
        return None
    joints = [
        n
        for n, t in enumerate(clause)
        if n > 1 and not t.quoted and (t.low == "and" or t.text == ",")
    ]
    for at in joints[:12]:
        left = _first_plan(clause[:at])
        rest = trim(clause[at + 1 :])
        while rest and rest[0].low in ("and", "then"):
            rest = rest[1:]
        if left is None or not rest or rest[0].low in ("find", "locate"):
            continue
        right = _first_plan([clause[0], *rest]) or _read_gapped([clause[0], *rest])
        if right is not None:
            return (*left, *right)
    return None


def _first_plan(tokens: Sequence[Token]) -> ClausePlan | None:
    return next((plan for plan in read_plans(tokens)), None)
