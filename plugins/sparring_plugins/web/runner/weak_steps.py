"""Steps that plain rules do not understand, carried out and judged by weak readings.

A weak reading is a guess on the page at hand: the element that the words name best, the statement
that several readings agree on. It is used only where no strict reading decides and the suite names
no agent that asks a model.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.looser import loosen, split_choices, split_deed
from sparring_plugins.web.grammar.free.pronouns import (
    drop_possessive,
    name_last,
    name_pronoun,
    points_to_last,
)
from sparring_plugins.web.grammar.free.seeking import seeks
from sparring_plugins.web.grammar.free.sentences import mask, may_act, split_sentence
from sparring_plugins.web.grammar.free.words import FREE, content, plain, split_words
from sparring_plugins.web.grammar.steps import iter_targets
from sparring_plugins.web.grammar.unsupported import nearest_form
from sparring_plugins.web.pages.weak.acts.acting import WeakPlanner, adds
from sparring_plugins.web.pages.weak.acts.finding import MOST_MOVES, Seeker
from sparring_plugins.web.pages.weak.acts.making import MakingPlanner
from sparring_plugins.web.pages.weak.checks.judging import is_about_part, judge_freely
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan
from sparring_plugins.web.pages.weak.page.page_content import page_content
from sparring_plugins.web.roles import Judged, Navigation, PageTask
from sparring_plugins.web.runner.login_steps import login_part, read_all_intents
from sparring_plugins.web.runner.misreadings import (
    OF_PAGE,
    denies_order,
    doubt_misreading,
    doubt_part_of_list,
    drop_joined_names,
    iter_conditions,
    lost_entry,
)
from sparring_plugins.web.runner.overlays import has_dialog
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.run_state import Patience
from sparring_plugins.web.step import (
    Not,
    PageIs,
    Reading,
    Step,
    Target,
)

# A field that shows up after the first act is found in the second try.
MOST_TRIES = 3


@dataclass(frozen=True)
class Hands:
    """What a run lends to carry out a step: its view of the page, its patience, its acts."""

    task: Callable[[], PageTask]
    patience: Callable[[], Patience]
    wait: Callable[[Patience], Awaitable[None]]
    carry_out: Callable[[StepRecord, Navigation], Awaitable[StepRecord]]
    following: Sequence[Step] = ()
    earlier: Sequence[str] = ()


def may_be_weak(step: Step) -> bool:
    """Return whether a step may be read weakly: what is quoted and understood means itself.

    "Click on 'Delete'" never clicks on "Delete account" because nothing is called 'Delete'. Nor is
    a translated sentence: its steps mean themselves.
    """
    if step.by or nearest_form(step.text):
        return False
    if login_part(step):
        return True
    targets = [t for reading in step.readings for t in iter_targets(reading)]
    return not any(target.quoted and target.text for target in targets)


def is_bare_submit(step: Step) -> bool:
    """Return whether a step only says "submit", or adds a text: a form is filled in and sent."""
    intents = read_all_intents(step.text)
    bare = all((i.verb == "submit" and not i.quoted and _is_short(i)) or adds(i) for i in intents)
    return bool(intents) and bare and may_be_weak(step)


def _is_short(intent: Intent) -> bool:
    """Return whether little is named: "Submit the new entry" is no button 'submit' elsewhere."""
    return not content(intent.words) or intent.said == "submit"


def names_exactly(step: Step) -> bool:
    """Return whether a step clicks on names in quotes, at places that may be called otherwise."""
    if step.by:
        return False
    intents = read_all_intents(step.text)
    exact = ("click", "submit", "check", "uncheck", "open")
    return bool(intents) and all(
        (i.quoted and i.verb in exact)
        or i.verb in ("replace", "select")
        # "Enter 'x'" names no field: the one in use takes it
        or (i.verb == "fill" and i.quoted and not i.words)
        # "Search for 'x'": a part of it was done in a field that has no name
        or (i.verb == "press" and step.sentence not in ("", step.text))
        for i in intents
    )


def may_hide_act(step: Step) -> bool:
    """Return whether a check that no rule reads may ask for an act somewhere inside it."""
    return not step.readings and may_act(step.text)


# "count the rows" begins with a verb and its object; "the rows count" does not.
_INSTRUCTION = re.compile(
    r"(?P<verb>[a-z]+) (?:the|an?|all|every|each|this|that|these|those|my|your|its?|them) ", re.I
)


def only_checks(step: Step) -> bool:
    """Return whether a step asserts, and is no instruction whose verb is not known.

    "Resize the column so that it is wider, then press Save": Save is not pressed for half of it.
    """
    if step.readings or not is_assertion(step):
        return is_assertion(step)
    match = _INSTRUCTION.match(mask(step.text)[0])
    leads = {lead.split()[0] for lead in FREE.check_leads}
    known = leads | FREE.stop | FREE.fronts | FREE.relations | FREE.statements
    return match is None or match["verb"].lower() in known


def may_be_revealed(readiness: Judged) -> bool:
    """Return whether plain rules don't know, or know a control that is only hidden for now."""
    return readiness.truth is None or (
        readiness.truth is False
        and (readiness.reason.endswith("is hidden") or _lacks_kind(readiness.reason))
    )


def _lacks_kind(reason: str) -> bool:
    """Return whether a page has nothing of the kind that plain rules look for."""
    return reason.startswith("there is no ") and reason.endswith(" on the page")


async def act_weakly(step: Step, base: StepRecord, hands: Hands) -> StepRecord:
    """Carry out all that a step wants, in order; half done is inconclusive.

    Where plain rules know the control, but it is hidden, a row or card is pointed at first.
    """
    head, deed = split_deed(step.text, hands.task().view)
    intents = list(login_part(step)) or [
        intent for intent in (*read_all_intents(head), *deed) for _ in range(intent.times)
    ]
    intents = without_early_sending(intents, hands.following)
    if not intents:
        return base
    if unread := find_unread(step.text, intents):
        return base.model_copy(update={"reason": f"it is not clear what to do with '{unread}'"})
    intents = [part for i in intents for part in split_choices(i, hands.task().view)]
    intents[0] = _name_it(intents[0], hands.earlier)
    record = base
    if base.readiness is not None and base.readiness.truth is False:
        return await _act_on_hidden(intents, base, hands)
    for index, intent in enumerate(intents):
        last = record
        record = await _carry_out_intent(intent, base, hands, exact=not may_be_weak(step))
        if intent.optional and is_unasked(record, hands.task().view):
            record = last
        if record.outcome != "done":
            return _half_done(record, last, index, len(intents)) if index else record
    return record


def _half_done(record: StepRecord, last: StepRecord, index: int, number: int) -> StepRecord:
    """Return the record of a step whose first parts were done, so that it is not begun anew."""
    reason = f"only {index} of {number} parts were done: {record.reason}"
    update = {"reason": reason, "turns": record.turns or last.turns}
    return record.model_copy(update=update)


def find_unread(text: str, intents: Sequence[Intent]) -> str:
    """Return a quotation that no intent has, or "": only half of the sentence would be done."""
    held = "\n".join(f"{i.words}\n{i.value}\n{i.context}\n{i.old}" for i in intents)
    return next((quote for quote in mask(text)[1] if quote.strip(" .,") not in held), "")


def is_unasked(record: StepRecord, view: PageView) -> bool:
    """Return whether an act that is only done "if asked" could not be done, as nothing asks.

    A dialog that is open asks, and its button was not found: then the step is not done.
    """
    return record.outcome == "inconclusive" and not has_dialog(view)


async def _act_on_hidden(intents: Sequence[Intent], base: StepRecord, hands: Hands) -> StepRecord:
    """Carry out an intent on what is hidden: show it first, or look for it if that is asked for."""
    if len(intents) != 1:
        return base
    step, record = base.step, base
    if reveal := _find_way(intents, hands):
        record = await hands.carry_out(base, Navigation(acts=reveal.acts, reason=reveal.reason))
        if record.outcome != "done":
            return base
        record = await _carry_out_intent(intents[0], base, hands, exact=False, first=1)
    if not record.turns and seeks(step.sentence or step.text):
        # pointing at a tree shows nothing of a branch that is folded
        return await _carry_out_intent(intents[0], base, hands, exact=not may_be_weak(step))
    return record


#: "Delete it" is left as it is: the thing is in view, and what deletes it has no name of its own.
_CLICKING_IT = frozenset(
    {"tick", "check", "untick", "uncheck", "click", "press", "hit", "tap", "choose", "select"}
)


def _find_way(intents: Sequence[Intent], hands: Hands) -> WeakPlan | None:
    """Return what shows a hidden control: pointing at its row, or the menu that has it."""
    (intent,) = intents
    planner = MakingPlanner(hands.task(), 0)
    if way := planner.reveal(intent):
        return way
    plan = planner.plan(intent)
    return plan if plan.acts and plan.again else None


#: "Open that mail" behind a sentence about it
_THAT_ONE = re.compile(r"(?:that|this) [a-z]+(?: [a-z]+)?|it", re.I)


def _name_it(intent: Intent, earlier: Sequence[str]) -> Intent:
    """Return "tick the box Read" for "tick it" behind a sentence about that box."""
    that_one = intent.verb == "open" and _THAT_ONE.fullmatch(intent.words) is not None
    clicks_it = intent.said in _CLICKING_IT and points_to_last(intent.words)
    if not (clicks_it or that_one):
        return intent
    name = name_last(earlier)
    return intent.model_copy(update={"words": name}) if name else intent


_GOING_ON = frozenset(
    {"fill", "append", "select", "check", "uncheck", "submit", "upload", "clear", "replace"}
)


def without_early_sending(intents: list[Intent], following: Sequence[Step]) -> list[Intent]:
    """Return intents without the sending of a form that a later part fills in or sends itself.

    "Create a shelf with the width 90", and then "Set its colour to red", "Save it".
    """
    later: list[Intent] = []
    if following and not is_assertion(following[0]):
        later = read_all_intents(following[0].text)
    kept: list[Intent] = []
    for index, intent in enumerate(intents):
        behind = (*intents[index + 1 :], *later)[:1]
        if intent.verb != "finish" or not any(map(_goes_on, behind)):
            kept.append(intent)
    return kept


def goes_on_with_form(following: Sequence[Step]) -> bool:
    """Return whether the next step fills in or sends the form that is in view."""
    if not following or is_assertion(following[0]):
        return False
    return any(map(_goes_on, read_all_intents(following[0].text)[:1]))


def _goes_on(intent: Intent) -> bool:
    """Return whether an intent works on the form in view: it fills in or sends it."""
    named = split_words(intent.words)[:1] if intent.verb == "click" else ()
    sends = intent.said in FREE.submitters or any(word in FREE.submitters for word in named)
    return intent.verb in _GOING_ON or (intent.verb == "click" and sends)


async def _carry_out_intent(
    intent: Intent, base: StepRecord, hands: Hands, *, exact: bool, first: int = 0
) -> StepRecord:
    record = base
    sought: tuple[str, ...] = ()
    for again in range(first, MOST_TRIES):
        plan = await _await_plan(intent, hands, again, exact=exact)
        if not plan.acts and not again:
            intent, plan = await _plan_loosely(intent, plan, base, hands, exact=exact)
        if not plan.acts and not again:
            plan, sought = await _seek(intent, base, hands, exact=exact)
        if not plan.acts:
            reason = f"{plan.reason}; {'; '.join(sought)}" if sought else plan.reason
            update = {"reason": reason, "candidates": plan.candidates, "turns": record.turns}
            return base.model_copy(update=update)
        facts = (*sought, *(f"{c.score:.2f} {c.reason}" for c in plan.candidates[:4]))
        navigation = Navigation(
            acts=plan.acts, candidates=plan.candidates, reason=plan.reason, facts=facts
        )
        record = await hands.carry_out(base, navigation)
        if record.outcome != "done" or not plan.again:
            return record
    return record


async def _plan_loosely(
    intent: Intent, plan: WeakPlan, base: StepRecord, hands: Hands, *, exact: bool
) -> tuple[Intent, WeakPlan]:
    """Return what an intent means by a looser wording, with its plan; both as given if nothing."""
    for *first, last in loosen(intent):
        for intermediate in first:
            way = MakingPlanner(hands.task(), 0).plan(intermediate)
            await hands.carry_out(base, Navigation(acts=way.acts, reason=way.reason))
        if first:
            looser = await _await_plan(last, hands, 0, exact=exact)
        else:
            planner = MakingPlanner(hands.task(), 0)
            looser = planner.plan_exactly(last) if exact else planner.plan(last)
        if looser.acts:
            reason = f"{looser.reason}; read as '{last.words}'"
            return last, replace(looser, reason=reason)
    return intent, plan


async def _seek(
    intent: Intent, base: StepRecord, hands: Hands, *, exact: bool
) -> tuple[WeakPlan, tuple[str, ...]]:
    """Look for a thing with a name elsewhere: on further pages, in folded parts, by a search.

    Returns the plan on the page where it is, or why there is none, and what was tried.
    """
    tried: list[str] = []
    seeker = Seeker(intent, seeks(base.step.sentence or base.step.text))
    plan = WeakPlan(reason="it is nowhere on the page")
    while len(tried) < MOST_MOVES and seeker.is_worth_it():
        move = seeker.next_move(hands.task())
        if move is None:
            break
        record = await hands.carry_out(base, Navigation(acts=move.acts, reason=move.reason))
        tried.append(f"looked for it: {move.reason}")
        if record.outcome != "done":
            continue
        planner = WeakPlanner(hands.task(), 0)
        plan = planner.plan_exactly(intent) if exact else planner.plan(intent)
        if plan.acts:
            break
    return plan, tuple(tried)


async def _await_plan(intent: Intent, hands: Hands, again: int, *, exact: bool) -> WeakPlan:
    patience = hands.patience()
    while True:
        planner = MakingPlanner(hands.task(), again)
        plan = planner.plan_exactly(intent) if exact else planner.plan(intent)
        plan = planner.unfold_first(plan)
        if (plan.acts and not planner.is_unfolding(plan)) or patience.is_over():
            return plan
        await hands.wait(patience)


def judge_with_weak(
    step: Step,
    strict: Judged,
    view: PageView,
    before: Sequence[PageView],
    acts: Sequence[GuiAction] = (),
    earlier: Sequence[str] = (),
) -> Judged:
    """Return the judgement of an assertion: strict if that is final, else what both agree on.

    `earlier` are the sentences before it, which may name what "its" means.
    """
    if step.by:
        return strict
    step, strict = drop_joined_names(step, strict, view, before, acts)
    if is_about_part(step.text, view, acts):
        return judge_freely(step.text, view, before, acts)
    if _is_everyday(step, strict):
        return strict
    if not step.readings and (instead := nearest_form(step.text)):
        reason = f"'{step.text}' is not understood; the nearest form: {instead}"
        return Judged(truth=None, reason=reason)
    judged = _judge_beside(step, strict, view, before, acts, earlier)
    return doubt_part_of_list(step, judged, view, before)


def _judge_beside(
    step: Step,
    strict: Judged,
    view: PageView,
    before: Sequence[PageView],
    acts: Sequence[GuiAction],
    earlier: Sequence[str],
) -> Judged:
    """Return what the strict and the weak readings of an understood sentence come to."""
    if (named := name_pronoun(step.text, earlier)) != step.text:
        texts = _texts_of_pronoun(named, step, view)
        judged = _judge_pronoun(strict, (judge_freely(t, view, before, acts) for t in texts))
        alone = drop_possessive(step.text)
        if judged.truth is not None or alone == step.text:
            return judged
        # another thing's price may stand on the page, so that a different one denies nothing
        other = judge_freely(alone, view, before, acts)
        return other if other.truth else judged
    if doubt := doubt_misreading(step, strict, view):
        strict = strict.model_copy(update={"truth": None, "reason": f"{strict.reason}; {doubt}"})
        return _prefer_weak(strict, judge_freely(step.text, view, before, acts))
    final = _is_final_here(step)
    if final and (strict.truth is not None or _is_plain_text(step.readings)):
        return strict
    weak = judge_freely(step.text, view, before, acts)
    if final:  # what is quoted and cannot be found where it was looked for may stand elsewhere
        # 'the error mentions that "docs" exists': of no part called error, but of a message
        is_doubtful = any(map(_denies_or_compares, step.readings))
        return weak if weak.truth is True and not is_doubtful else strict
    if weak.truth is None and lost_entry(step, strict, acts):
        return strict
    return _agree(step, strict, weak)


def _is_final_here(step: Step) -> bool:
    """Return whether plain rules decide alone: all is quoted, in a part that can be found."""
    return bool(step.readings) and is_final(step) and not _lies_in_pronoun(step)


def _lies_in_pronoun(step: Step) -> bool:
    """Return whether plain rules look in a part called "it": no page calls a part of it so."""
    targets = (target for reading in step.readings for target in iter_targets(reading))
    return any(
        (target.region or "").lower() in ("it", "this", "that", "they") for target in targets
    )


def _texts_of_pronoun(named: str, step: Step, view: PageView) -> tuple[str, ...]:
    """Return what a sentence with a pronoun may mean: with the name only if the page shows it."""
    added = set(mask(named)[1]) - set(mask(step.text)[1])
    shown = page_content(view).text
    return (named, step.text) if all(plain(name) in shown for name in added) else (step.text,)


def _judge_pronoun(strict: Judged, weak: Iterable[Judged]) -> Judged:
    """Return what the weak readings say, with the name first; plain rules alone never deny.

    They take "its price" for the first price of the page.
    """
    for judged in weak:
        if judged.truth is not None:
            return judged
    return strict if strict.truth else strict.model_copy(update={"truth": None})


def _is_everyday(step: Step, strict: Judged) -> bool:
    """Return whether plain rules read a sentence as a whole, so that no weak reading is better.

    "The link 'Plots' leads to '/plots'": '/plots' is no text that should be on the page.
    """
    conditions = [r.condition for r in step.readings if r.condition is not None]
    inner = [c.condition if isinstance(c, Not) else c for c in conditions]
    if not inner or not all(c.kind in _WHOLE | _PERHAPS_WEAK for c in inner):
        return False
    return strict.truth is not None or all(c.kind in _WHOLE for c in inner)


_WHOLE = frozenset({"leads_to", "downloaded", "page_sound", "recalled", "column_total"})
#: What plain rules find in tables alone; cards and lists are left to weak readings.
_PERHAPS_WEAK = frozenset({"matching", "cell_holds", "sorted_by", "measured"})


def _prefer_weak(strict: Judged, weak: Judged) -> Judged:
    return weak if weak.truth is not None else strict


def _agree(step: Step, strict: Judged, weak: Judged) -> Judged:
    """Return what a strict reading without quotes and the weak ones agree on."""
    if strict.truth is None or not step.readings:
        return weak if weak.truth is not None or not step.readings else strict
    if weak.truth == strict.truth:
        return strict
    if weak.truth is not None and _counts_kinds(step.readings):
        return weak  # "28 rows are found": what the page says, and not the rows of this part
    if weak.truth is None:
        return _doubt_bare(step, strict)
    if (weak.truth or denies_order(weak)) and _is_meant_loosely(step):
        return weak
    reason = f"{strict.reason}; but also: {weak.reason}"
    return strict.model_copy(update={"truth": None, "reason": reason})


def _doubt_bare(step: Step, strict: Judged) -> Judged:
    """Return what a strict reading says, unless it is in doubt because nothing is quoted."""
    # an address that can be read needs no quotes; one that can't may be shown in part
    bare = _counts_kinds(step.readings) or _has_bare_target(step, addresses=not strict.truth)
    doubtful = strict.truth is False or any(map(_is_doubtful, step.readings))
    if not (bare and doubtful):
        return strict
    reason = f"{strict.reason}; but the sentence does not quote what it means"
    return strict.model_copy(update={"truth": None, "reason": reason})


def _is_meant_loosely(step: Step) -> bool:
    """Return whether a sentence has words that no page writes so, or speaks of "the title".

    "The title should be Oak" may be a heading; the title of the page has more around it.
    """
    leaves = [leaf for reading in step.readings for leaf in iter_conditions(reading)]
    if leaves and all(isinstance(leaf, PageIs) for leaf in leaves):
        return True
    return all(_seeks_bare_text(reading, step) for reading in step.readings)


def _seeks_bare_text(reading: Reading, step: Step) -> bool:
    """Return whether a reading only looks for words without quotes, wherever they stand."""
    leaves = list(iter_conditions(reading))
    return bool(leaves) and all(
        leaf.kind == "displayed" and _is_bare_text(leaf.target, step) for leaf in leaves
    )


def _is_bare_text(target: Target, step: Step) -> bool:
    """Return whether a text is meant by its words; what a tester calls a heading need be none."""
    bare = not target.quoted or _is_written_barely(target, step)
    return bare and target.role in ("", None, "heading") and not (target.row or target.ordinal)


def is_final(step: Step) -> bool:
    """Return whether all that is meant is quoted: then plain rules have the last word."""
    leaves = [leaf for reading in step.readings for leaf in iter_conditions(reading)]
    if leaves and all(isinstance(leaf, PageIs) for leaf in leaves):
        # "the page is headed 'X'" may be a heading, "the page's title is 'X'" is not
        return not _bare_texts(step) and bool(
            OF_PAGE.search(step.text) and re.search(r"\btitle\b", step.text, re.I)
        )
    targets = [t for reading in step.readings for t in iter_targets(reading)]
    in_quotes = all(t.quoted and t.text and not _is_written_barely(t, step) for t in targets)
    return bool(targets) and in_quotes and not _bare_texts(step)


def _is_written_barely(target: Target, step: Step) -> bool:
    """Return whether a sentence without any quotation has the words of a target.

    The grammar takes "The heading says 60 rows" to the letter, too.
    """
    sentence = step.sentence or step.text
    return not mask(sentence)[1] and plain(target.text) in plain(sentence)


def _is_plain_text(readings: Sequence[Reading]) -> bool:
    """Return whether only quoted text is asserted, of no kind and at no place.

    What plain rules say of it is final also if it is *don't know*: 'Payment failed' over the
    border of two blocks is there for a reader of words, and perhaps for nobody else.
    """
    targets = [t for reading in readings for t in iter_targets(reading)]
    return all(not (t.role or t.row or t.region or t.ordinal or t.row_number) for t in targets)


_ADDRESS = re.compile(r"\w+://\S+|[^\s@]+@[^\s@]+\.\w+")


def _has_bare_target(step: Step, *, addresses: bool) -> bool:
    """Return whether something is meant without quotes; `addresses` counts those of pages, too."""
    targets = [t for reading in step.readings for t in iter_targets(reading)]
    bare = [t.text for t in targets if t.text and (not t.quoted or _is_written_barely(t, step))]
    return any(addresses or not _ADDRESS.fullmatch(t) for t in bare) or _bare_texts(step)


def _bare_texts(step: Step) -> bool:
    """Return whether a page's title or a field's value was read from words without quotes."""
    quoted = {q for clause in split_sentence(step.text) for q in clause.quotes}
    leaves = [leaf for reading in step.readings for leaf in iter_conditions(reading)]
    return any(isinstance(leaf, PageIs) and leaf.text not in quoted for leaf in leaves)


def _counts_kinds(readings: Sequence[Reading]) -> bool:
    """Return whether all of a kind are counted: "two choices" of a list that is not opened."""
    return any(leaf.kind == "counted" for r in readings for leaf in iter_conditions(r))


def _denies_or_compares(reading: Reading) -> bool:
    """Return whether a reading may hold for want of a thing, or of any number beside it."""
    condition = reading.condition
    return condition is None or condition.kind in ("not", "compared")


def _is_doubtful(reading: Reading) -> bool:
    """Return whether a bare reading may hold for another reason than the sentence means.

    What is called nothing on the page is not there; "green tea" may be beside any number; "the
    description is visible" is shown by no tab that is called 'Description'.
    """
    condition = reading.condition
    if condition is None or _denies_or_compares(reading):
        return True
    if condition.kind == "displayed":
        text = condition.target.text
        return " " not in text and text.islower() and not condition.target.role
    return False
