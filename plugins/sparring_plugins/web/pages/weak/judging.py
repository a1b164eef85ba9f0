"""Weak judgement of checks in free sentences: true, false, or don't know, without a model.

Several readings judge each statement on their own: order, count, value of a label, state, what
stands together in one row, message, presence. Only if those that decide agree is there an answer:
a reading that contradicts makes it *don't know*, and so does a denial of what was never named.
"""

from collections.abc import Callable, Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.sentences import Clause, split_sentence
from sparring_plugins.web.grammar.free.statements import Statement, read_statements
from sparring_plugins.web.pages.predicates import all_of
from sparring_plugins.web.pages.weak.answers import WeakAnswer
from sparring_plugins.web.pages.weak.page_content import PageContent
from sparring_plugins.web.pages.weak.readings import READINGS
from sparring_plugins.web.roles import Judged

Reader = Callable[[Statement, PageContent, Sequence[PageView]], WeakAnswer | None]


def judge_freely(sentence: str, view: PageView, before: Sequence[PageView] = ()) -> Judged:
    """Judge a check on `view`; `before` are the pages seen earlier, the latest last."""
    content = PageContent(view)
    statements = [
        statement
        for clause in split_sentence(sentence)
        for statement in read_statements(Clause(clause.text, "check", clause.quotes))
    ]
    judged = [judge_statement(statement, content, before) for statement in statements]
    if not judged:
        return Judged(truth=None, reason="nothing is stated")
    return judged[0] if len(judged) == 1 else all_of(judged)


def judge_statement(
    statement: Statement, content: PageContent, before: Sequence[PageView] = ()
) -> Judged:
    """Judge one statement by all its weak readings."""
    if content.view.snapshot.truncated:
        return Judged(truth=None, reason="the page is too large to be read without gaps")
    answers: list[WeakAnswer] = []
    for rank in READINGS:
        answers = [a for reader in rank if (a := reader(statement, content, before)) is not None]
        if answers:
            break
    facts = tuple(f"{a.reading}: {a.reason}" for a in answers)
    truths = {a.truth for a in answers if a.truth is not None}
    if len(truths) == 1:
        decided = next(a for a in answers if a.truth is not None)
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
