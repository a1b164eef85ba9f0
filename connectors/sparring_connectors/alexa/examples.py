"""Example utterances of a skill, from its interaction model: samples with their slots filled.

They let a tester reach every intent that a skill declares, with each of its slots, with words that
no slot type knows, and as a request that opens the skill ("ask NAME to ...").
"""

import re
from collections.abc import Iterator, Sequence

from sparring_connectors.alexa.interaction_model import FALLBACK, Intent, InteractionModel, Slot
from sparring_connectors.alexa.slots import known_values
from sparring_connectors.alexa.vocabulary import STANDARD_INTENTS, VOCABULARY
from sparring_connectors.bundled_data import load_data

MOST_OF_INTENT = 4
"""Utterances of one intent; further samples differ in words alone."""

MOST_VALUES = 8
"""Values of one slot type that are said, spread over the whole list."""

MOST_ANSWERS = 4
"""Values of a slot that are said when the skill asks for it."""

MOST = 400
"""Utterances of one skill."""

_PLACE = re.compile(r"\{(?:[^{}|]*\|)?\s*([^{}|]+?)\s*\}")
_FOREIGN = "foreign"
_NUMBER = "AMAZON.NUMBER"
_WEEKDAYS = "weekdays"
#: Said in English by every tester anyway, or without words of their own.
_LEFT_OUT = frozenset({"AMAZON.HelpIntent", "AMAZON.StopIntent", "AMAZON.CancelIntent"})


ExampleValues = dict[str, dict[str, tuple[str, ...]]]
"""Schema of ``example_values.yaml``: values by language and slot type."""

_EXAMPLES = load_data(__file__, "example_values.yaml", ExampleValues)


def _example_values(language: str, name: str) -> tuple[str, ...]:
    """Return the values of a type in a language, else the English ones."""
    own = _EXAMPLES.get(language, {}).get(name)
    return own if own is not None else _EXAMPLES["en"].get(name, ())


def example_utterances(model: InteractionModel) -> tuple[tuple[str, str], ...]:
    """Return pairs of an intent and words for it, one for each combination of slots first.

    After these come pairs whose part is ``Intent.slot=value``: one for words that the slot's type
    does not know (``Intent.slot=?``), and one for each of some values that it does. An intent that
    no sample names without its slots has a pair ``Intent.=`` of words without any.
    """
    maker = _UtteranceMaker(model)
    intents = model.intents.values()
    by_intent = [list(maker.of_intent(intent)) for intent in intents]
    kinds = [maker.count_of_kinds(intent) for intent in intents]
    variants = [pair for intent in intents for pair in maker.variants(intent)]
    odd = [(part, words) for part, words in variants if part.endswith("=?")]
    odd += [(part, words) for part, words in variants if part.endswith(".=")]
    # What a handler may fail at comes before what differs in words alone.
    return tuple(
        dict.fromkeys(
            [
                *_in_turn([of[:kind] for of, kind in zip(by_intent, kinds, strict=True)]),
                *odd,
                *_in_turn([of[kind:] for of, kind in zip(by_intent, kinds, strict=True)]),
                *variants,
            ]
        )
    )[:MOST]


def _in_turn(lists: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return the first of each list, then the second of each, and so on."""
    longest = max(map(len, lists), default=0)
    return [one[at] for at in range(longest) for one in lists if at < len(one)]


def example_openings(model: InteractionModel) -> tuple[str, ...]:
    """Return a request that opens the skill for each of its intents, such as "ask tea to brew"."""
    maker = _UtteranceMaker(model)
    own = [one for one in model.intents.values() if not one.is_builtin]
    left_out = (*_LEFT_OUT, FALLBACK)
    builtin = [one for one in model.intents.values() if one.is_builtin and one.name not in left_out]
    firsts = (next(maker.of_intent(intent), None) for intent in (*own, *builtin))
    return tuple(_opening(model.invocation, pair[1]) for pair in firsts if pair is not None)


def example_answers(model: InteractionModel, intent: str, slot: str) -> tuple[str, ...]:
    """Return answers to a question of a dialog: for a slot of an intent, else yes and no.

    For a slot these are some of its values and, last, those of `unusual_answers`.
    """
    declared = model.intents.get(intent)
    found = declared.slot(slot) if declared is not None and slot else None
    if found is not None:
        return _UtteranceMaker(model).answers(found)
    table = STANDARD_INTENTS.get(model.language, STANDARD_INTENTS["en"])
    return (table["YesIntent"][0], table["NoIntent"][0])


def unusual_answers(model: InteractionModel, intent: str, slot: str) -> tuple[str, ...]:
    """Return answers to a question for a slot at which a handler may fail.

    These are words that the slot's list does not have, and zero for a number: "you weigh 0
    kilograms" divides by it.
    """
    declared = model.intents.get(intent)
    found = declared.slot(slot) if declared is not None and slot else None
    return tuple(_UtteranceMaker(model).unusual(found)) if found is not None else ()


def _opening(name: str, words: str) -> str:
    first = words.split()[0] if words.split() else ""
    return f"ask {name} {words if first in VOCABULARY.question_words else f'to {words}'}"


class _UtteranceMaker:
    """Fills the samples of one model with values."""

    def __init__(self, model: InteractionModel) -> None:
        self._model = model

    def of_intent(self, intent: Intent) -> Iterator[tuple[str, str]]:
        """Yield utterances of an intent, one for each combination of slots first."""
        if intent.name in _LEFT_OUT and self._model.language == "en":
            return
        if intent.name == FALLBACK:
            yield intent.name, self._foreign()
            return
        samples = self._samples(intent)
        # one sample for each combination of slots says more than four that differ in words
        first = _of_each_kind(samples)
        ordered = [*first, *(one for one in samples if one not in first)][:MOST_OF_INTENT]
        for at, sample in enumerate(ordered):
            said = self._filled(intent, sample, at)
            if said:
                yield intent.name, said

    def answers(self, slot: Slot) -> tuple[str, ...]:
        """Return values of a slot, and what a handler may fail at."""
        values = _spread(self._values(slot), MOST_ANSWERS)
        return tuple(dict.fromkeys((*values, *self.unusual(slot))))

    def unusual(self, slot: Slot) -> list[str]:
        """Return words that a slot's own list does not have, or zero for a number."""
        if self._own_values(slot):
            return [self._foreign()]
        return ["0"] if slot.type == _NUMBER else []

    def count_of_kinds(self, intent: Intent) -> int:
        """Return how many of an intent's utterances differ in their slots; these are the first."""
        return min(len(_of_each_kind(self._samples(intent))), MOST_OF_INTENT)

    def _samples(self, intent: Intent) -> list[str]:
        return list(dict.fromkeys((*intent.samples, *self._standard(intent))))

    def variants(self, intent: Intent) -> Iterator[tuple[str, str]]:
        """Yield an utterance for unknown words and for known values of each slot of an own type.

        A date has one for each day of the week: "closed on Sundays" is heard on one of them alone.
        """
        bare = self._without_slots(intent)
        if bare:
            yield f"{intent.name}.=", bare
        for slot in intent.slots:
            sample = next((one for one in intent.samples if slot.name in _slots_in(one)), None)
            values = self._own_values(slot)
            days = self._weekdays(slot)
            if sample is None or intent.is_builtin or not (values or days):
                continue
            for day in days:
                yield (
                    f"{intent.name}.{slot.name}={day}",
                    self._filled(intent, sample, 0, {slot.name: day}),
                )
            if not values:
                continue
            foreign = self._filled(
                intent, _with_words(intent, slot) or sample, 0, {slot.name: self._foreign()}
            )
            yield f"{intent.name}.{slot.name}=?", foreign
            for value in _spread(values, MOST_VALUES):
                said = self._filled(intent, sample, 0, {slot.name: value})
                yield f"{intent.name}.{slot.name}={value}", said

    def _without_slots(self, intent: Intent) -> str:
        """Return a sample with nothing in its places; empty if that is no utterance of its own.

        "I was born on" instead of "I was born on {date}": the prompts of a dialog are only heard
        for what was left out, and a handler that reads a slot without looking fails.
        """
        has_bare = any(not _slots_in(sample) for sample in intent.samples)
        if intent.is_builtin or not intent.slots or has_bare:
            return ""
        fewest = sorted(intent.samples, key=lambda sample: len(_slots_in(sample)))
        bare = (" ".join(_PLACE.sub(" ", sample).split()) for sample in fewest)
        return next((words for words in bare if words), "")

    def _standard(self, intent: Intent) -> Sequence[str]:
        """The phrases that Amazon brings for an intent, in the skill's language."""
        table = STANDARD_INTENTS.get(self._model.language, STANDARD_INTENTS["en"])
        return table.get(intent.name.removeprefix("AMAZON."), ()) if intent.is_builtin else ()

    def _filled(
        self, intent: Intent, sample: str, number: int, given: dict[str, str] | None = None
    ) -> str:
        def value(match: re.Match[str]) -> str:
            slot = next((one for one in intent.slots if one.name.lower() == match[1].lower()), None)
            if slot is None:
                return match[1]
            values = self._values(slot)
            return (given or {}).get(slot.name) or values[number % len(values)]

        return " ".join(_PLACE.sub(value, sample).split())

    def _values(self, slot: Slot) -> Sequence[str]:
        own = self._own_values(slot)
        name = slot.type.removeprefix("AMAZON.")
        listed = _example_values(self._model.language, name)
        return own or listed or sorted(known_values(slot.type))[:MOST_VALUES] or [self._foreign()]

    def _own_values(self, slot: Slot) -> list[str]:
        declared = self._model.types.get(slot.type)
        return [one.name.lower() for one in declared.entities if one.name] if declared else []

    def _weekdays(self, slot: Slot) -> Sequence[str]:
        is_date = slot.type.removeprefix("AMAZON.") == "DATE"
        return _example_values(self._model.language, _WEEKDAYS) if is_date else ()

    def _foreign(self) -> str:
        return _example_values(self._model.language, _FOREIGN)[0]


def _of_each_kind(samples: Sequence[str]) -> list[str]:
    """Return the first sample with each combination of slots."""
    by_slots: dict[frozenset[str], str] = {}
    for one in samples:
        by_slots.setdefault(_slots_in(one), one)
    return list(by_slots.values())


def _with_words(intent: Intent, slot: Slot) -> str:
    """Return a sample with a slot and words around it; empty if each is the slot alone.

    "It is marzipan lighthouse" is still an answer, "marzipan lighthouse" alone goes to the fallback
    intent.
    """
    samples = (one for one in intent.samples if slot.name in _slots_in(one))
    return next((one for one in samples if _PLACE.sub(" ", one).strip()), "")


def _slots_in(sample: str) -> frozenset[str]:
    return frozenset(match[1] for match in _PLACE.finditer(sample))


def _spread(values: Sequence[str], most: int) -> list[str]:
    """Return at most so many values, at even distances."""
    if len(values) <= most:
        return list(values)
    return [values[at * len(values) // most] for at in range(most)]
