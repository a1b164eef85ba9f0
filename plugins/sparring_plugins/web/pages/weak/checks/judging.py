"""Weak judgement of checks in free sentences: true, false, or don't know, without a model.

Several readings judge each statement on their own: order, count, value of a label, state, what
stands together in one row, message, presence. Only if those that decide agree is there an answer:
a reading that contradicts makes it *don't know*, and so does a denial of what was never named.
"""

import re
from collections.abc import Callable, Sequence

from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.pronouns import drop_reason
from sparring_plugins.web.grammar.free.rewordings import reword
from sparring_plugins.web.grammar.free.sentences import Clause, split_sentence, strip_lead
from sparring_plugins.web.grammar.free.statements import Statement, read_statements
from sparring_plugins.web.grammar.free.words import FREE
from sparring_plugins.web.pages.predicates import all_of
from sparring_plugins.web.pages.weak.checks.account_readings import read_account
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, is_within
from sparring_plugins.web.pages.weak.checks.choices import judge_choices
from sparring_plugins.web.pages.weak.checks.containment import judge_containment
from sparring_plugins.web.pages.weak.checks.here import drop_place
from sparring_plugins.web.pages.weak.checks.only_list import read_only_list
from sparring_plugins.web.pages.weak.checks.part_readings import read_part
from sparring_plugins.web.pages.weak.checks.readings import READINGS
from sparring_plugins.web.pages.weak.checks.state_counts import read_state_count
from sparring_plugins.web.pages.weak.checks.still_there import read_still_there
from sparring_plugins.web.pages.weak.checks.written_readings import read_as_written, read_entered
from sparring_plugins.web.pages.weak.page.known_names import quote_known_names
from sparring_plugins.web.pages.weak.page.page_content import PageContent, page_content
from sparring_plugins.web.pages.weak.page.times import write_times_as
from sparring_plugins.web.roles import Judged

Reader = Callable[[Statement, PageContent, Sequence[PageView]], WeakAnswer | None]


def judge_freely(
    sentence: str,
    view: PageView,
    before: Sequence[PageView] = (),
    acts: Sequence[GuiAction] = (),
) -> Judged:
    """Judge a check on `view`; `before` are the pages seen earlier, the latest last.

    What `acts` entered into a field shows nothing but what that field holds.
    """
    content = page_content(view, acts)
    sentence = write_times_as(drop_reason(sentence), "\n".join(content.text_lines))
    judged: list[Judged] = []
    for clause in split_sentence(sentence):
        check = _as_check(clause)
        # "The heading says 60 rows, showing page 1" is no two statements if the page says it so
        stated = Statement(strip_lead(check), check.quotes)
        statements = read_statements(check)
        if any(judge_placed(s, content) for s in statements):
            judged += [judge_statement(s, content, before) for s in statements]
            continue
        if (whole := _judge_whole(stated, content, before)) is not None:
            judged.append(whole)
            continue
        judged += [judge_statement(s, content, before) for s in statements]
    if not judged:
        return Judged(truth=None, reason="nothing is stated")
    return judged[0] if len(judged) == 1 else all_of(judged)


def _as_check(clause: Clause) -> Clause:
    """Return a clause as a check, in plainer words if there are any with the same meaning."""
    check = Clause(clause.text, "check", clause.quotes)
    plainer = reword(Clause(strip_lead(check), "check", clause.quotes), "checks")
    return check if plainer.text == strip_lead(check) else plainer


def _judge_whole(
    statement: Statement, content: PageContent, before: Sequence[PageView]
) -> Judged | None:
    """Return true for what a page says in just these words, or shows as it was entered."""
    if content.view.snapshot.truncated:
        return None
    written = read_as_written(statement, content) or read_entered(statement, content, before)
    if written is None:
        return None
    reason = f"{written.reason} (weak reading: {written.reading})"
    return Judged(truth=True, facts=(f"{written.reading}: {written.reason}",), reason=reason)


def is_about_part(sentence: str, view: PageView, acts: Sequence[GuiAction] = ()) -> bool:
    """Return whether a statement of a sentence is judged by the part of the page that it names."""
    if view.snapshot.truncated:
        return False
    content = page_content(view, acts)
    return any(
        judge_placed(statement, content)
        for clause in split_sentence(sentence)
        for statement in read_statements(_as_check(clause))
    )


def judge_placed(statement: Statement, content: PageContent) -> Judged | None:
    """Judge what a statement says of a container or of the choices of a list; else None."""
    found = judge_choices(statement, content) or judge_containment(statement, content)
    if found is None:
        return None
    facts = (f"{found.reading}: {found.reason}",)
    return Judged(truth=found.truth, facts=facts, reason=found.reason)


def judge_statement(
    statement: Statement, content: PageContent, before: Sequence[PageView] = ()
) -> Judged:
    """Judge one statement by all its weak readings."""
    if content.view.snapshot.truncated:
        return Judged(truth=None, reason="the page is too large to be read without gaps")
    if (placed := judge_placed(statement, content)) is not None:
        return _judge_beside(placed, statement, content, before)
    if (whole := _judge_whole(statement, content, before)) is not None:
        return whole
    judged = _judge_by_readings(statement, content, before)
    # what another reading leaves open for a reason of its own stays open
    is_unread = judged.truth is None and not judged.facts
    if is_unread and (found := read_part(statement, content)) is not None:
        reason = f"{found.reason} (weak reading: {found.reading})"
        return Judged(truth=found.truth, facts=(f"{found.reading}: {found.reason}",), reason=reason)
    judged = _judge_here(_judge_beside(judged, statement, content, before), statement, content)
    if judged.truth is not None or judged.facts or not _is_about_place(statement):
        return judged
    named = quote_known_names(statement, content, before)
    if named is statement:
        return judged
    again = _judge_by_readings(named, content, before, only=_OF_NAMES)
    return judged if again.truth is None else again


def _judge_here(judged: Judged, statement: Statement, content: PageContent) -> Judged:
    """Judge that something is listed, if the page itself is the place that is named."""
    here = drop_place(statement, content) if judged.truth is None else None
    again = _judge_by_readings(here, content, ()) if here is not None else judged
    return judged if again.truth is None else again


def _judge_beside(
    judged: Judged, statement: Statement, content: PageContent, before: Sequence[PageView]
) -> Judged:
    """Judge by what accounts for all words of a statement, where no other reading decides."""
    if judged.truth is not None:
        return judged
    for read in (read_account, read_state_count, read_still_there, read_only_list):
        found = read(statement, content, before)
        if found is not None and found.truth is not None:
            facts = (f"{found.reading}: {found.reason}",)
            reason = f"{found.reason} (weak reading: {found.reading})"
            return Judged(truth=found.truth, facts=facts, reason=reason)
    return judged


#: What a name without quotes decides: that it is there, or where. "Oak is in stock" is shown by no
#: card that has 'Oak' and "tell me when it is back in stock".
_OF_NAMES = frozenset({"presence", "absence", "item absence", "listing", "order", "only", "item"})
_LISTED = re.compile(rf"{FREE.is_listed}|{FREE.lists_something}|{FREE.not_there}|{FREE.is_there}")
_SHOWING = (FREE.showing | FREE.appearing) - {"has", "have", "headed", "asks", "ask"}


def _is_about_place(statement: Statement) -> bool:
    """Return whether a statement says that something is there, or at which place."""
    is_listed = _LISTED.search(statement.low) is not None
    return is_listed or statement.verb in _SHOWING or bool(statement.position)


def _judge_by_readings(
    statement: Statement,
    content: PageContent,
    before: Sequence[PageView],
    only: frozenset[str] = frozenset(),
) -> Judged:
    answers = _ask_readings(statement, content, before)
    if only:
        answers = [a for a in answers if a.reading in only]
    facts = tuple(f"{a.reading}: {a.reason}" for a in answers)
    truths = {a.truth for a in answers if a.truth is not None}
    if len(truths) == 1:
        decided = next(a for a in answers if a.truth is not None)
        if (
            decided.truth
            and decided.reading in _OF_ONE
            and (odd := _odd_number(statement, content))
        ):
            reason = f"{decided.reason}, but nothing shows {odd}"
            return Judged(truth=None, facts=facts, reason=reason)
        return Judged(
            truth=truths.pop(),
            facts=facts,
            reason=f"{decided.reason} (weak reading: {decided.reading})",
        )
    if truths:
        reason = f"its readings contradict: {'; '.join(facts[:3])}"
        return Judged(truth=None, reason=reason, facts=facts)
    why = answers[0].reason if answers else "no weak reading of it applies"
    return Judged(truth=None, reason=why, facts=facts)


#: Readings that say of one thing what it is, and nothing of a number: "4 hits, first Oak".
_OF_ONE = frozenset({"order", "superlative"})


def _odd_number(statement: Statement, content: PageContent) -> str:
    """Return a number of a statement in digits that the page shows nowhere, or ""."""
    written = re.findall(r"(?<![\w.,⟦])\d+(?:[.,]\d+)?(?![\w⟧])", statement.text)
    return next((n for n in written if not is_within(n, content.text)), "")


def _ask_readings(
    statement: Statement, content: PageContent, before: Sequence[PageView]
) -> list[WeakAnswer]:
    """Return the answers of the first rank that applies, and what later ones decide beside it."""
    answers: list[WeakAnswer] = []
    for rank in READINGS:
        # "The first row is X" is false and X is there all the same: mere presence is asked last.
        if answers and rank is READINGS[-1]:
            break
        more = [a for reader in rank if (a := reader(statement, content, before)) is not None]
        if any(a.truth is not None for a in answers):
            more = [a for a in more if a.truth is not None]
        elif not all(a.yields for a in answers):
            more = []
        answers += more
    return answers
