"""Steps that no reading can carry out: left to what the page has of their whole sentence."""

from collections.abc import Sequence

from sparring_plugins.web.grammar.free.sentences import split_sentence, to_instruction
from sparring_plugins.web.grammar.unsupported import nearest_form
from sparring_plugins.web.pages.weak.acts.sentence_plans import SentencePlanner
from sparring_plugins.web.roles import Navigation
from sparring_plugins.web.runner.login_steps import login_part, read_all_intents
from sparring_plugins.web.runner.model_steps import rest_of_sentence, with_navigation
from sparring_plugins.web.runner.named_places import enter_place
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.weak_steps import (
    MOST_TRIES,
    Hands,
    act_weakly,
    goes_on_with_form,
)
from sparring_plugins.web.step import Step


def is_settled(record: StepRecord) -> bool:
    """Return whether nothing else may be done for a step: it was done, tried or is impossible.

    A step of the strict grammar with a translation, or that logs in, is not read by the page alone.
    """
    readiness = record.readiness
    if record.outcome == "done" or record.turns or record.frozen:
        return True
    if readiness is not None and (readiness.truth is True or _is_disabled(record)):
        return True
    step = record.step
    return bool(step.by or nearest_form(step.text) or login_part(step))


async def act_by_whole_sentence(
    base: StepRecord, hands: Hands
) -> tuple[StepRecord, Sequence[Step]]:
    """Carry out a step by its sentence, or by what the page has of its words.

    Returns the record, inconclusive if it is not clear, and the other steps that are done with it.
    """
    if entered := await enter_place(base, hands):
        return entered, ()
    step, group = base.step, rest_of_sentence(base.step, hands.following)
    parted = step.sentence not in ("", step.text)
    if parted and _begins(step, group, hands) and _says_more(step.sentence, group[1:]):
        # "Choose the file a.txt and describe it as 'A'": plain rules choose 'describe it' in a list
        whole = step.model_copy(update={"text": step.sentence, "readings": ()})
        record = await act_weakly(whole, base.model_copy(update={"step": whole}), hands)
        if record.turns:
            return record.model_copy(update={"step": step}), group[1:]
    return await _act_by_words(base, hands), ()


def _begins(step: Step, group: Sequence[Step], hands: Hands) -> bool:
    """Return whether no part of a step's sentence was done, and all of it is acts."""
    around = (*hands.task().done, *hands.following[len(group) - 1 :])
    return not any(s.sentence == step.sentence and s.line == step.line for s in around)


def _says_more(sentence: str, others: Sequence[Step]) -> bool:
    """Return whether a sentence as a whole asks for more than its other parts do.

    "Polish the bell, then press Save" asks for 'Save' alone if nobody knows how to polish.
    """
    elsewhere = [intent for other in others for intent in read_all_intents(other.text)]
    return any(intent not in elsewhere for intent in read_all_intents(sentence))


async def _act_by_words(base: StepRecord, hands: Hands) -> StepRecord:
    """Carry out a step by what the page has of its words; inconclusive if that is not clear.

    Only a step of one clause: of several, nobody knows which were done before.
    """
    clauses = split_sentence(to_instruction(base.step.text))
    if len(clauses) != 1 or clauses[0].kind != "act":
        return base
    record, sends = base, not goes_on_with_form(hands.following)
    for again in range(MOST_TRIES):
        plan = SentencePlanner(hands.task(), again).plan_clause(clauses[0], sends=sends)
        if not plan.acts:
            reason = f"{base.reason}; {plan.reason}" if base.reason else plan.reason
            update = {"outcome": "inconclusive", "reason": reason, "candidates": plan.candidates}
            return record.model_copy(update=update)
        facts = tuple(f"{c.score:.2f} {c.reason}" for c in plan.candidates[:4])
        navigation = Navigation(
            acts=plan.acts, candidates=plan.candidates, reason=plan.reason, facts=facts
        )
        record = await hands.carry_out(with_navigation(base, navigation), navigation)
        if record.outcome != "done" or not plan.again:
            return record
    return record


def _is_disabled(record: StepRecord) -> bool:
    """Return whether what a step means is known, and cannot be used as the page is."""
    readiness = record.readiness
    denied = readiness is not None and readiness.truth is False
    return denied and record.reason.endswith((" is disabled", " is read-only"))
