"""What words mean while a question of a dialog is open."""

from dataclasses import dataclass

from sparring_connectors.alexa.dialog.state import Asking, Dialog
from sparring_connectors.alexa.interaction.model import Slot
from sparring_connectors.alexa.nlu.builtin_intents import builtin_intent
from sparring_connectors.alexa.nlu.samples import Fit
from sparring_connectors.alexa.nlu.understanding import Considered, Nlu, Understood
from sparring_connectors.alexa.slots.values import Reading, SlotReader
from sparring_connectors.alexa.slots.words import Heard, heard

_YES, _NO = "AMAZON.YesIntent", "AMAZON.NoIntent"
_SWITCH = 0.8
_CARRIERS = (
    ("it", "is"), ("i", "am"), ("it", "would", "be"), ("i", "would", "like"), ("i", "want"),
    ("my", "answer", "is"), ("the", "answer", "is"), ("i", "think", "it", "is"), ("i", "choose"),
    ("i", "pick"), ("make", "it"), ("let", "us", "say"), ("is", "it"), ("i", "will", "take"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filled:
    """Slots were filled."""

    understood: Understood


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Yes or no was said to a confirmation."""

    understood: Understood


@dataclass(frozen=True, slots=True)
class Other:
    """The words are no answer: they mean another intent, or the same one said anew."""

    understood: Understood


@dataclass(frozen=True, slots=True)
class Unclear:
    """The words mean nothing here."""

    understood: Understood


Outcome = Filled | Confirmed | Other | Unclear


def answered(dialog: Dialog, said: str, nlu: Nlu, reader: SlotReader) -> Outcome:
    """What words mean to the open question; fills and confirms in the dialog."""
    words = heard(said)
    question = dialog.asked
    assert question is not None
    slot = dialog.intent.slot(question.slot) if question.kind is Asking.SLOT else None
    if slot is not None:
        return _slot_answer(dialog, slot, words, nlu, reader)
    name = builtin_intent(list(words.words), nlu.model.language)
    if name in (_YES, _NO):
        status = "CONFIRMED" if name == _YES else "DENIED"
        if question.kind is Asking.CONFIRM_SLOT:
            dialog.confirm(question.slot, status)
        else:
            dialog.confirmation = status
        return Confirmed(Understood(dialog.intent.name, 1.0, "confirmation"))
    return _elsewhere(words, nlu, reader) or Unclear(Understood(None, 0.0, "nothing"))


def _slot_answer(dialog: Dialog, slot: Slot, words: Heard, nlu: Nlu, reader: SlotReader) -> Outcome:
    reading = reader.read(slot, words)
    standard = nlu.standard(words)
    if standard is not None and not (reading is not None and reading.is_known):
        return Other(Understood(standard, 1.0, "builtin", considered=(Considered(standard, 1.0),)))
    fit = nlu.answer(words, dialog.intent, slot.name, reader)
    if fit is not None:
        return _filled(dialog, dict(fit.slots), fit.score, fit.sample.text)
    if reading is None or not reading.is_known:
        bare = _without_carrier(words)
        known = reader.read(slot, bare) if bare is not None else None
        reading = known if known is not None and (reading is None or known.is_known) else reading
    if reading is not None and reading.is_known:
        return _filled(dialog, {slot.name: reading}, 1.0)
    fits = nlu.fits(words, reader)
    if fits and fits[0].exact and fits[0].score >= _SWITCH:
        return _switched(dialog, fits, words, nlu, reader)
    if reading is not None:
        return _filled(dialog, {slot.name: reading}, reading.sure)
    return _elsewhere(words, nlu, reader) or Unclear(Understood(None, 0.0, "nothing"))


def _filled(dialog: Dialog, slots: dict[str, Reading], score: float, sample: str = "") -> Outcome:
    for name, reading in slots.items():
        dialog.fill(name, reading)
    return Filled(Understood(dialog.intent.name, round(score, 4), "slot", slots, sample))


def _switched(
    dialog: Dialog, fits: list[Fit], words: Heard, nlu: Nlu, reader: SlotReader
) -> Outcome:
    best = fits[0]
    if best.sample.intent == dialog.intent.name and best.slots:
        return _filled(dialog, dict(best.slots), best.score, best.sample.text)
    return Other(nlu.chosen(fits, words))


def _elsewhere(words: Heard, nlu: Nlu, reader: SlotReader) -> Outcome | None:
    """Another intent, if the words are surely meant for one."""
    standard = nlu.standard(words)
    if standard is not None:
        return Other(Understood(standard, 1.0, "builtin", considered=(Considered(standard, 1.0),)))
    fits = nlu.fits(words, reader)
    if fits and fits[0].score >= _SWITCH:
        return Other(nlu.chosen(fits, words))
    return None


def _without_carrier(words: Heard) -> Heard | None:
    """The words after ``it is``, ``i would like`` and their like."""
    for lead in _CARRIERS:
        if words.words[: len(lead)] == lead and len(words) > len(lead):
            return words.part(len(lead), len(words))
    return None
