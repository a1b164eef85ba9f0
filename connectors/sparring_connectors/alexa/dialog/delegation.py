"""The next step of a dialog that Alexa leads by the model.

Order of Amazon's documentation: a slot that is filled is validated and then confirmed, one that
is needed and empty is asked for, slot after slot; at last the whole intent is confirmed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparring_connectors.alexa.dialog.state import Asking, Dialog, Question
from sparring_connectors.alexa.dialog.validations import is_valid
from sparring_connectors.alexa.interaction.model import DialogIntent, DialogSlot, InteractionModel
from sparring_connectors.alexa.protocol.ssml import spoken_prompt
from sparring_connectors.alexa.slots.values import SlotReader

Choose = Callable[[Sequence[str]], str]
"""Chooses one of several variations of a prompt."""

_SLOT = re.compile(r"\{\s*(\w+)\s*\}")


@dataclass(frozen=True, slots=True)
class Step:
    """What Alexa asks next and in what words."""

    question: Question
    prompt: str


def next_step(
    dialog: Dialog, model: InteractionModel, reader: SlotReader, choose: Choose
) -> Step | None:
    """The next question of a dialog by the model; None where all is there.

    A value that is not valid, or that the user denied, is emptied.
    """
    plan = model.dialogs.get(dialog.intent.name)
    if plan is None:
        return None
    for slot in plan.slots:
        step = _slot_step(slot, dialog, model, reader, choose)
        if step is not None:
            return step
    if plan.confirmed and dialog.confirmation == "NONE":
        prompt = said(plan.confirmation, dialog, model, choose)
        return Step(Question(Asking.CONFIRM_INTENT), prompt)
    return None


def _slot_step(
    slot: DialogSlot,
    dialog: Dialog,
    model: InteractionModel,
    reader: SlotReader,
    choose: Choose,
) -> Step | None:
    filled = dialog.filled(slot.name)
    if filled.values and filled.confirmation == "DENIED":
        dialog.clear(slot.name)
        filled = dialog.filled(slot.name)
    declared = dialog.intent.slot(slot.name)
    if filled.values and declared is not None:
        for check in slot.validations:
            if not all(is_valid(check, value, declared, reader) for value in filled.values):
                prompt = said(check.prompt, dialog, model, choose)
                dialog.clear(slot.name)
                return Step(Question(Asking.SLOT, slot.name), prompt)
    if not filled.values:
        if not slot.elicited:
            return None
        prompt = said(slot.elicitation, dialog, model, choose)
        return Step(Question(Asking.SLOT, slot.name), prompt)
    if slot.confirmed and filled.confirmation == "NONE":
        prompt = said(slot.confirmation, dialog, model, choose)
        return Step(Question(Asking.CONFIRM_SLOT, slot.name), prompt)
    return None


def said(prompt: str, dialog: Dialog, model: InteractionModel, choose: Choose) -> str:
    """A prompt of the model in words, with the values of slots put in; empty if there is none."""
    variations = model.prompts.get(prompt, ())
    if not variations:
        return ""
    values = {name.lower(): " and ".join(item.values) for name, item in dialog.slots.items()}
    spoken = spoken_prompt(choose(variations))
    return _SLOT.sub(lambda match: values.get(match[1].lower(), match[0]), spoken)


def needs_dialog(plan: DialogIntent) -> bool:
    """Whether a dialog model has anything to ask."""
    return plan.confirmed or any(
        slot.elicited or slot.confirmed or slot.validations for slot in plan.slots
    )
