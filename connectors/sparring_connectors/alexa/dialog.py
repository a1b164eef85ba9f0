"""Dialogs that collect slots: state, answers to questions, validation, the next question."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum

from sparring_connectors.alexa.interaction_model import (
    DialogSlot,
    Intent,
    InteractionModel,
    Slot,
    Validation,
)
from sparring_connectors.alexa.nlu import ConsideredIntent, Nlu, NluResult, builtin_intent
from sparring_connectors.alexa.sample_patterns import SampleFit
from sparring_connectors.alexa.slots import (
    FilledSlot,
    SlotReader,
    SlotReading,
    find_entities,
    is_resolved,
)
from sparring_connectors.alexa.ssml import prompt_to_text
from sparring_connectors.alexa.vocabulary import VOCABULARY
from sparring_connectors.alexa.words import HeardWords, split_words, to_heard


class QuestionKind(StrEnum):
    """What the user has been asked for."""

    SLOT = "slot"
    CONFIRM_SLOT = "confirm_slot"
    CONFIRM_INTENT = "confirm_intent"


@dataclass(frozen=True, slots=True)
class DialogQuestion:
    """What the user has been asked; `slot` is empty for the confirmation of an intent."""

    kind: QuestionKind
    slot: str = ""


@dataclass(slots=True)
class Dialog:
    """An intent whose slots are being collected.

    `by_skill` means that the skill gets a request in every turn; `open_question` was asked last.
    """

    intent: Intent
    slots: dict[str, FilledSlot] = field(default_factory=dict[str, FilledSlot])
    confirmation: str = "NONE"
    by_skill: bool = False
    open_question: DialogQuestion | None = None
    turns: int = 0

    def filled(self, name: str) -> FilledSlot:
        """A slot as it stands."""
        return self.slots.get(name) or FilledSlot(name)

    def fill(self, name: str, reading: SlotReading) -> None:
        """Fill a slot anew; what was confirmed is open again."""
        slot = self.intent.slot(name)
        self.slots[name] = FilledSlot(name, reading.values, is_list=bool(slot and slot.multiple))

    def clear(self, name: str) -> None:
        """Empty a slot."""
        self.slots[name] = FilledSlot(name)

    def confirm(self, name: str, status: str) -> None:
        """Mark a slot as confirmed or denied."""
        filled = self.filled(name)
        self.slots[name] = FilledSlot(name, filled.values, status, filled.is_list)

    def all_slots(self) -> list[FilledSlot]:
        """Every slot of the intent in the model's order, then those the skill made up."""
        names = [slot.name for slot in self.intent.slots]
        return [self.filled(name) for name in dict.fromkeys([*names, *self.slots])]


# Answers to the open question of a dialog.

_YES, _NO = "AMAZON.YesIntent", "AMAZON.NoIntent"
# Within a dialog a sample of another intent has to fit nearly wholly; "small" is the slot's value
# first.
_SWITCH = 0.8


@dataclass(frozen=True, slots=True)
class SlotsFilled:
    """Slots were filled."""

    understood: NluResult


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Yes or no was said to a confirmation."""

    understood: NluResult


@dataclass(frozen=True, slots=True)
class OtherIntent:
    """The words are no answer: they mean another intent, or the same one said anew."""

    understood: NluResult


@dataclass(frozen=True, slots=True)
class Unclear:
    """The words mean nothing here."""

    understood: NluResult


DialogAnswer = SlotsFilled | Confirmed | OtherIntent | Unclear


def read_answer(dialog: Dialog, said: str, nlu: Nlu, reader: SlotReader) -> DialogAnswer:
    """What words mean to the open question; fills and confirms in the dialog."""
    words = to_heard(said)
    question = dialog.open_question
    assert question is not None
    slot = dialog.intent.slot(question.slot) if question.kind is QuestionKind.SLOT else None
    if slot is not None:
        return _read_slot_answer(dialog, slot, words, nlu, reader)
    name = builtin_intent(list(words.words), nlu.model.language)
    if name in (_YES, _NO):
        status = "CONFIRMED" if name == _YES else "DENIED"
        if question.kind is QuestionKind.CONFIRM_SLOT:
            dialog.confirm(question.slot, status)
        else:
            dialog.confirmation = status
        return Confirmed(NluResult(dialog.intent.name, 1.0, "confirmation"))
    return _read_other_intent(words, nlu, reader) or Unclear(NluResult(None, 0.0, "nothing"))


def _read_slot_answer(
    dialog: Dialog, slot: Slot, words: HeardWords, nlu: Nlu, reader: SlotReader
) -> DialogAnswer:
    reading = reader.read(slot, words)
    standard = nlu.standard(words)
    if standard is not None and not (reading is not None and reading.is_known):
        return OtherIntent(
            NluResult(standard, 1.0, "builtin", considered=(ConsideredIntent(standard, 1.0),))
        )
    fit = nlu.fit_answer(words, dialog.intent, slot.name, reader)
    if fit is not None:
        return _fill_slots(dialog, dict(fit.slots), fit.score, fit.sample.text)
    if reading is None or not reading.is_known:
        reading = _read_without_carrier(slot, words, reader, reading)
    if reading is not None and reading.is_known:
        return _fill_slots(dialog, {slot.name: reading}, 1.0)
    # "order fish and chips" is a new request, even if any words could fill the open slot.
    fits = nlu.fits(words, reader)
    if fits and fits[0].exact and fits[0].score >= _SWITCH:
        return _switch_intent(dialog, fits, words, nlu, reader)
    if reading is not None:
        return _fill_slots(dialog, {slot.name: reading}, reading.sure)
    return _read_other_intent(words, nlu, reader) or Unclear(NluResult(None, 0.0, "nothing"))


def _read_without_carrier(
    slot: Slot, words: HeardWords, reader: SlotReader, whole: SlotReading | None
) -> SlotReading | None:
    """Read ``it is five`` as ``five``, unless the whole answer is as good a value."""
    bare = _strip_carrier(words)
    reading = reader.read(slot, bare) if bare is not None else None
    return reading if reading is not None and (whole is None or reading.is_known) else whole


def _fill_slots(
    dialog: Dialog, slots: dict[str, SlotReading], score: float, sample: str = ""
) -> DialogAnswer:
    for name, reading in slots.items():
        dialog.fill(name, reading)
    return SlotsFilled(NluResult(dialog.intent.name, round(score, 4), "slot", slots, sample))


def _switch_intent(
    dialog: Dialog, fits: list[SampleFit], words: HeardWords, nlu: Nlu, reader: SlotReader
) -> DialogAnswer:
    best = fits[0]
    if best.sample.intent == dialog.intent.name and best.slots:
        return _fill_slots(dialog, dict(best.slots), best.score, best.sample.text)
    return OtherIntent(nlu.choose_intent(fits, words))


def _read_other_intent(words: HeardWords, nlu: Nlu, reader: SlotReader) -> DialogAnswer | None:
    """Another intent, if the words are surely meant for one."""
    standard = nlu.standard(words)
    if standard is not None:
        return OtherIntent(
            NluResult(standard, 1.0, "builtin", considered=(ConsideredIntent(standard, 1.0),))
        )
    fits = nlu.fits(words, reader)
    if fits and fits[0].score >= _SWITCH:
        return OtherIntent(nlu.choose_intent(fits, words))
    return None


def _strip_carrier(words: HeardWords) -> HeardWords | None:
    """The words after ``it is``, ``i would like`` and their like."""
    for lead in VOCABULARY.carriers:
        if words.words[: len(lead)] == lead and len(words) > len(lead):
            return words.part(len(lead), len(words))
    return None


# Slot validations of the interaction model.

# A duration as ISO 8601 writes it: "PT90M", "P1DT2H".
_SPAN = re.compile(
    r"([+-]?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$"
)


def is_valid(check: Validation, value: str, slot: Slot, reader: SlotReader) -> bool:
    """Whether a value passes; one that cannot be compared passes, as does an unknown kind."""
    match check.kind:
        case "hasEntityResolutionMatch":
            return is_resolved(value, slot.type, reader)
        case "isInSet":
            return _is_in_set(check, value, slot, reader)
        case "isNotInSet":
            return not _is_in_set(check, value, slot, reader)
        case "isGreaterThan":
            return _compare(value, check.value, reader.now) in (None, 1)
        case "isGreaterThanOrEqualTo":
            return _compare(value, check.value, reader.now) in (None, 0, 1)
        case "isLessThan":
            return _compare(value, check.value, reader.now) in (None, -1)
        case "isLessThanOrEqualTo":
            return _compare(value, check.value, reader.now) in (None, -1, 0)
        case "isInDuration":
            return _is_in_duration(check, value, reader.now) is not False
        case "isNotInDuration":
            return _is_in_duration(check, value, reader.now) is not True
        case _:
            return True


def _is_in_set(check: Validation, value: str, slot: Slot, reader: SlotReader) -> bool:
    """By the words of the value, or the names and ids that it resolves to."""
    entities = find_entities(value, reader.entities(slot.type))
    mine = {tuple(split_words(text)) for text in (value, *(item.name for item in entities))}
    allowed = {tuple(split_words(text)) for text in check.values}
    return bool(mine & allowed) or any(item.id in check.values for item in entities)


def _compare(value: str, limit: str, now: datetime) -> int | None:
    """-1, 0 or 1 as the value is below, at or above the limit; None if that cannot be said."""
    try:
        mine, other = float(value), float(limit)
    except ValueError:
        first, second = _parse_moment(value, now), _parse_moment(limit, now)
        if first is None or second is None:
            return None
        return (first > second) - (first < second)
    return (mine > other) - (mine < other)


def _is_in_duration(check: Validation, value: str, now: datetime) -> bool | None:
    moment = _parse_moment(value, now)
    start, end = _parse_moment(check.start or "P0D", now), _parse_moment(check.end, now)
    if moment is None or start is None:
        return None
    return start <= moment and (end is None or moment <= end)


def _parse_moment(value: str, now: datetime) -> datetime | None:
    """A date, a time of today, or a span seen from now, as a moment."""
    if value == "PRESENT_REF":
        return now
    if match := _SPAN.match(value):
        sign = -1 if match[1] == "-" else 1
        years, months, weeks, days, hours, minutes, seconds = (
            int(part or 0) for part in match.groups()[1:]
        )
        whole = years * 365 + months * 30 + weeks * 7 + days
        start = now if hours or minutes or seconds else datetime.combine(now.date(), now.min.time())
        try:
            return start + sign * timedelta(
                days=whole, hours=hours, minutes=minutes, seconds=seconds
            )
        except OverflowError:
            return None
    try:
        if len(value) == 5 and value[2] == ":":
            return datetime.combine(now.date(), datetime.strptime(value, "%H:%M").time())  # noqa: DTZ007 - a time of day
        return datetime.combine(date.fromisoformat(value), now.min.time())
    except ValueError:
        return None


# The next step of a dialog that Alexa leads by the model.
#
# Order of Amazon's documentation: a slot that is filled is validated and then confirmed, one that
# is needed and empty is asked for, slot after slot; at last the whole intent is confirmed.

Choose = Callable[[Sequence[str]], str]
"""Chooses one of several variations of a prompt."""

_SLOT = re.compile(r"\{\s*(\w+)\s*\}")


@dataclass(frozen=True, slots=True)
class DialogStep:
    """What Alexa asks next and in what words."""

    question: DialogQuestion
    prompt: str


def next_step(
    dialog: Dialog, model: InteractionModel, reader: SlotReader, choose: Choose
) -> DialogStep | None:
    """The next question of a dialog by the model; `None` if everything is there.

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
        prompt = prompt_text(plan.confirmation, dialog, model, choose)
        return DialogStep(DialogQuestion(QuestionKind.CONFIRM_INTENT), prompt)
    return None


def _slot_step(
    slot: DialogSlot,
    dialog: Dialog,
    model: InteractionModel,
    reader: SlotReader,
    choose: Choose,
) -> DialogStep | None:
    filled = dialog.filled(slot.name)
    if filled.values and filled.confirmation == "DENIED":
        dialog.clear(slot.name)
        filled = dialog.filled(slot.name)
    declared = dialog.intent.slot(slot.name)
    if filled.values and declared is not None:
        for check in slot.validations:
            if not all(is_valid(check, value, declared, reader) for value in filled.values):
                prompt = prompt_text(check.prompt, dialog, model, choose)
                dialog.clear(slot.name)
                return DialogStep(DialogQuestion(QuestionKind.SLOT, slot.name), prompt)
    if not filled.values:
        if not slot.elicited:
            return None
        prompt = prompt_text(slot.elicitation, dialog, model, choose)
        return DialogStep(DialogQuestion(QuestionKind.SLOT, slot.name), prompt)
    if slot.confirmed and filled.confirmation == "NONE":
        prompt = prompt_text(slot.confirmation, dialog, model, choose)
        return DialogStep(DialogQuestion(QuestionKind.CONFIRM_SLOT, slot.name), prompt)
    return None


def prompt_text(prompt: str, dialog: Dialog, model: InteractionModel, choose: Choose) -> str:
    """A prompt of the model in words, with the values of slots put in; empty if there is none."""
    variations = model.prompts.get(prompt, ())
    if not variations:
        return ""
    values = {name.lower(): " and ".join(item.values) for name, item in dialog.slots.items()}
    spoken = prompt_to_text(choose(variations))
    return _SLOT.sub(lambda match: values.get(match[1].lower(), match[0]), spoken)
