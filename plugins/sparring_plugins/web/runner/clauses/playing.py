"""Carry out a sentence whose parts belong together, clause by clause."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.runner.clauses import found_things, ordered_things, values
from sparring_plugins.web.runner.clauses.page_hands import (
    ClauseNotMet,
    PageHands,
    called,
    only,
)
from sparring_plugins.web.runner.clauses.reading import Clause, read_clauses, table
from sparring_plugins.web.runner.model_steps import rest_of_sentence
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.weak_steps import Hands
from sparring_plugins.web.step import Step

Act = Callable[[PageHands, Clause], Awaitable[None]]


async def submit(page: PageHands, clause: Clause) -> None:
    """Press the button named, or the only one that sends."""
    said = re.sub(r"^(?:the |button )+| button$", "", clause.text("label"), flags=re.I)
    names = (said,) if said else tuple(table().synonyms["send"])
    buttons = [e for e in page.controls() if any(called(e, name) for name in names)]
    # a button and the text in it are one
    inner = {e.parent for e in buttons}
    buttons = [e for e in buttons if e.id not in inner] or buttons
    await page.click(only(buttons, f"buttons '{said or 'submit'}'"), "sends it")


async def set_sliders(page: PageHands, clause: Clause) -> None:
    """Set all sliders, in the order in which they stand."""
    numbers = re.findall(r"-?\d+", clause.text("values"))
    sliders = [e for e in page.visible() if e.role == "slider"]
    if len(sliders) != len(numbers):
        raise ClauseNotMet(
            f"{len(sliders)} sliders are on the page, and {len(numbers)} values given"
        )
    for slider, number in zip(sliders, numbers, strict=True):
        await page.fill(slider, number, "the slider at that place")


ACTS: Mapping[str, Act] = {
    "find": found_things.find,
    "press_in": found_things.press_in,
    "mark": found_things.mark,
    "delete": found_things.delete,
    "in_row": found_things.in_row,
    "for_each": found_things.for_each,
    "reply": found_things.reply,
    "reply_to": found_things.reply,
    "forward": found_things.forward,
    "forward_from": found_things.forward,
    "copy": values.copy,
    "find_word": values.find_word,
    "select_text": values.select_text,
    "solve": values.solve,
    "enter_it": values.enter_it,
    "enter_text_below": values.enter_text_below,
    "enter_value_of": values.enter_value_of,
    "enter_values_by_label": values.enter_values_by_label,
    "scroll_field": values.scroll_field,
    "search_by_fields": values.search_by_fields,
    "click_in_order": ordered_things.click_in_order,
    "sort_by_drag": ordered_things.sort_by_drag,
    "drag_to_place": ordered_things.drag_to_place,
    "choose_extreme": ordered_things.choose_extreme,
    "nth_result": ordered_things.nth_result,
    "set_sliders": set_sliders,
    "submit": submit,
}
"""What carries out a clause, by the names that the table gives."""


async def play_clauses(
    base: StepRecord, hands: Hands, done: Sequence[StepRecord]
) -> tuple[StepRecord, Sequence[Step]] | None:
    """Carry out the sentence of a step, or what is left of it, with all that belongs together.

    Returns the record and the steps that it covers; None if nothing was done because the sentence
    is no such one, or because its first act cannot be carried out.
    """
    step = base.step
    if step.by:
        return None
    group = rest_of_sentence(step, hands.following)
    begins = not any(r.step.sentence == step.sentence and r.step.line == step.line for r in done)
    clauses: tuple[Clause, ...] = ()
    if step.sentence and begins:
        clauses = read_clauses(step.sentence)
    if not clauses:
        group, clauses = [step], read_clauses(step.text)
    if not clauses:
        return None
    page = PageHands(hands, base)
    try:
        for clause in clauses:
            await ACTS[clause.act](page, clause)
    except ClauseNotMet as stop:
        if not page.acts:
            return None
        return _record(page, "inconclusive", str(stop)), ()
    return _record(page, "done", ""), group[1:]


def _record(page: PageHands, outcome: str, reason: str) -> StepRecord:
    described = ", ".join(act.described or act.action for act in page.acts)
    return page.base.model_copy(
        update={
            "outcome": outcome,
            "reason": reason,
            "target": plain(described) and described,
            "turns": tuple(page.turns),
        }
    )
