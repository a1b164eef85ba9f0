"""Steps that a language model carries out and judges, where plain rules do not surely know.

A navigator acts and looks again until nothing is left of the step; half done is not done. Of
assertions, plain rules have the last word only on quoted and wholly parsed conditions.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring.model.verdict import Owner
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.roles import Judged, Navigation, PageTask
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.run_state import Patience
from sparring_plugins.web.runner.weak_steps import is_final
from sparring_plugins.web.step import PageIs, Step

# A model that acts without getting nearer would go on until the case's time is over.
_MOST_ROUNDS = 6
#: How long a page may show nothing at all before a model is asked about it, in seconds.
_EMPTY_PAGE_S = 20.0
# What failed twice in other ways is not done by a third; the reasons are told.
_MOST_FAILURES = 2
_PROPERTY = re.compile(r"\b(?:title|url|address)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ModelHands:
    """What a run lends a navigator: its acts in words, the page now, its acts' effects.

    `navigate` asks the navigators about a task, `carry_out` does what they answer, `task` is the
    task on the page as it is now, given what was tried.
    """

    task: Callable[[tuple[str, ...]], PageTask]
    navigate: Callable[[PageTask], Awaitable[Navigation]]
    carry_out: Callable[[StepRecord, Navigation], Awaitable[StepRecord]]


async def await_content(
    page: Callable[[], PageView],
    new_patience: Callable[[float], Patience],
    wait: Callable[[Patience], Awaitable[None]],
) -> None:
    """Wait until a page shows something: of an empty one a model can only say that it is empty.

    A page that scripts draw is empty for seconds on a busy machine.
    """
    patience = new_patience(_EMPTY_PAGE_S)
    while not any(element.visible for element in page().snapshot.elements):
        if patience.is_over():
            return
        await wait(patience)


async def act_until_done(base: StepRecord, navigation: Navigation, hands: ModelHands) -> StepRecord:
    """Carry out a navigation, and ask for the next one while something is left of the step.

    An act that fails is told to the navigator, which may know another way, once. The record is
    ``done`` only if all acts had their effect and the navigator says that nothing is left.
    """
    tried: list[str] = []
    turns: list[int] = []
    targets: list[str] = []
    failures = 0
    record = base
    for _ in range(_MOST_ROUNDS):
        record = await hands.carry_out(with_navigation(base, navigation), navigation)
        turns += record.turns
        targets += [record.target] if record.target else []
        update = {"turns": tuple(turns), "target": ", ".join(targets)}
        record = record.model_copy(update=update)
        is_done = record.outcome == "done"
        failures += not is_done
        is_hopeless = failures >= _MOST_FAILURES or record.owner is Owner.APP
        if (is_done and not navigation.rest) or (not is_done and is_hopeless):
            return record
        tried += _in_words(navigation.acts, record)
        navigation = await hands.navigate(hands.task(tuple(tried)))
        if navigation.acts:
            continue
        record = with_navigation(record, navigation)
        if navigation.accomplished:
            return record.model_copy(update={"outcome": "done", "reason": ""})
        reason = f"only a part was done ({'; '.join(tried)[:200]}): {navigation.reason}"
        record = record.model_copy(update={"outcome": "inconclusive", "reason": reason})
        return record.model_copy(update={"owner": navigation.owner})
    reason = f"not done after {_MOST_ROUNDS} rounds: {'; '.join(tried)[:300]}"
    return record.model_copy(update={"outcome": "inconclusive", "reason": reason})


def with_navigation(record: StepRecord, navigation: Navigation) -> StepRecord:
    """Return a record with what a navigator answered."""
    judged = Judged(
        truth=bool(navigation.acts) or navigation.accomplished is True,
        reason=navigation.reason,
        facts=navigation.facts,
        strict=navigation.strict,
        weak=navigation.weak,
    )
    return record.model_copy(update={"navigation": judged, "candidates": navigation.candidates})


def readiness_of(navigation: Navigation) -> Judged:
    """Return what a navigator's answer says of readiness: both are one question to a model."""
    truth = True if navigation.acts else navigation.accomplished
    return Judged(
        truth=truth, reason=navigation.reason, facts=navigation.facts, strict=navigation.strict
    )


def _in_words(acts: Sequence[GuiAction], record: StepRecord) -> list[str]:
    texts = [
        " ".join(f"{act.action} {act.described or act.target or ''} {act.value or ''}".split())
        for act in acts
    ]
    observed = record.observed
    came = "; ".join(observed.facts[:3]) if observed is not None else ""
    ending = f"done: {came or 'nothing changed'}" if record.outcome == "done" else record.reason
    return [f"{', '.join(texts)} -> {ending}"[:300]]


def is_left_undone(record: StepRecord) -> bool:
    """Return whether plain rules knew a way that led nowhere, so that a model may know another.

    "Unfold the folder 'Drafts'" clicks what is called so, but a sign beside it unfolds it.
    """
    is_open = record.outcome == "inconclusive" and not record.step.by
    return is_open and record.frozen is None and record.owner is not Owner.APP


def tried_in_words(record: StepRecord) -> tuple[str, ...]:
    """Return what was done for a step in vain, as a navigator is told."""
    return (f"{record.target} -> {record.reason}"[:300],) if record.turns else ()


def rest_of_sentence(step: Step, following: Sequence[Step]) -> list[Step]:
    """Return the acts of a step's sentence from that step on, which a model is asked for at once.

    "Choose the type Tea, the size 'big' and the name 'Oolong'" is misread in its parts: nobody
    selects 'big' in the list of types.
    """
    group = [step]
    for other in following:
        same = other.sentence == step.sentence and other.line == step.line
        if not step.sentence or not same or other.by or is_assertion(other):
            break
        group.append(other)
    return group


def sentence_task(
    task: PageTask,
    group: Sequence[Step],
    following: Sequence[Step],
    last: Step | None,
    tried: tuple[str, ...] = (),
) -> PageTask:
    """Return the task of carrying out a group of parts of one sentence, best by the sentence.

    `following` are the steps after the first of the group, `last` is the step before it: the parts
    are named one by one if another part was done already, or if a check comes behind them.
    `tried` is what plain rules did in vain.
    """
    step = group[0]
    later = following[len(group) - 1 :]
    begins = last is None or last.sentence != step.sentence
    ends = not later or later[0].sentence != step.sentence
    is_whole = bool(step.sentence) and begins and ends
    words = step.sentence if is_whole else " and then ".join(part.text for part in group)
    # what is left of the same sentence, such as a check behind its acts, is named by itself
    coming = (p.text if p.sentence == step.sentence else p.sentence or p.text for p in later)
    return task.model_copy(
        update={
            "step": step.model_copy(update={"text": words, "readings": ()}),
            "reading": None,
            "sentence": step.sentence,
            "tried": tried,
            "following": tuple(dict.fromkeys(coming))[:2],
        }
    )


def is_surely_read(step: Step, judged: Judged) -> bool:
    """Return whether plain rules have the last word on an assertion: quoted and wholly parsed.

    "The page is headed 'Prices'" may speak of a heading and not of the title; where rules say
    that nothing is called so, that is no answer.
    """
    if judged.weak or not step.readings:
        return False
    conditions = [r.condition for r in step.readings if isinstance(r.condition, PageIs)]
    if len(conditions) == len(step.readings):
        named = _PROPERTY.search(re.sub(r"(['\"]).*?\1", "", step.text)) is not None
        return named and all(c.text in step.text for c in conditions)
    return is_final(step)


def settle(rules: Judged, model: Judged) -> Judged:
    """Return what comes of an unsure answer of plain rules and that of a model.

    What only rules deny, the model may know better, with its quotation. What only they affirm is
    left open, and so is what a model does not know, if rules deny it.
    """
    if model.truth is None and not rules.truth:
        reasons = "; ".join(text for text in (rules.reason, model.reason) if text)
        return model.model_copy(update={"reason": reasons})
    if rules.truth is None or rules.truth is False:
        return model
    if model.truth is True or (model.truth is None and not rules.weak):
        return rules
    reason = f"plain rules: {rules.reason}; but the model: {model.reason}"
    return model.model_copy(update={"truth": None, "reason": reason})
