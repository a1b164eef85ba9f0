"""The intent that an utterance means, with its score and the runner-up.

The order is Amazon's as far as it is published: standard intents on their own phrases alone, then
the sample utterances word by word, then whatever is nearest to them. Text that is too far from
every sample goes to the fallback intent; a skill without one gets it as its nearest intent.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rapidfuzz import fuzz

from sparring_connectors.alexa.interaction_model import (
    FALLBACK,
    Intent,
    InteractionModel,
    Sensitivity,
    SlotType,
)
from sparring_connectors.alexa.sample_patterns import (
    ReadSlot,
    Sample,
    SampleFit,
    exact_fit,
    near_fit,
    parse_samples,
)
from sparring_connectors.alexa.slots import SlotReader, SlotReading
from sparring_connectors.alexa.vocabulary import STANDARD_INTENTS
from sparring_connectors.alexa.words import HeardWords, split_words, to_heard, without_fillers

_INTENTS_BY_PHRASE: dict[str, dict[tuple[str, ...], str]] = {
    language: {
        tuple(without_fillers(split_words(phrase))): f"AMAZON.{intent}"
        for intent, phrases in intents.items()
        for phrase in phrases
    }
    for language, intents in STANDARD_INTENTS.items()
}


def builtin_intent(words: list[str], language: str) -> str | None:
    """The standard intent whose phrase the words are, whether a skill declares it or not.

    Languages without a table of their own have the English one.
    """
    table = _INTENTS_BY_PHRASE.get(language, _INTENTS_BY_PHRASE["en"])
    return table.get(tuple(words)) or table.get(tuple(without_fillers(words)))


#: Below this score text counts as foreign if the skill declares the fallback intent.
THRESHOLDS = {Sensitivity.LOW: 0.35, Sensitivity.MEDIUM: 0.5, Sensitivity.HIGH: 0.65}
FORCED = 0.15
"""The lowest score at which a skill without fallback intent gets foreign text."""
# What fits no sample goes to the one that looks most alike, below any real fit (Alexa always
# chooses).
_LOOKS_ALIKE = 0.4
_CONSIDERED = 4
#: Standard intents whose phrases no sample utterance takes away.
_FIRM = frozenset({"AMAZON.StopIntent", "AMAZON.CancelIntent", "AMAZON.HelpIntent"})


@dataclass(frozen=True, slots=True)
class ConsideredIntent:
    """An intent that was thought of: its score and the sample that it comes from."""

    intent: str
    score: float
    sample: str = ""


@dataclass(frozen=True, slots=True)
class NluResult:
    """What an utterance means to a skill.

    `how` is ``builtin``, ``sample``, ``near``, ``slot`` (an answer to a question for a slot),
    ``fallback``, ``forced``, or ``nothing`` (then there is no intent). `slots` hold the values by
    slot name, `considered` the intents by score, the best first.
    """

    intent: str | None
    score: float
    how: str
    slots: Mapping[str, SlotReading] = field(default_factory=dict[str, SlotReading])
    sample: str = ""
    considered: tuple[ConsideredIntent, ...] = ()


class Nlu:
    """Understands utterances by one interaction model; keeps no state of a conversation."""

    def __init__(self, model: InteractionModel) -> None:
        self.model = model
        self._samples: list[Sample] = []
        for intent in model.intents.values():
            self._samples += parse_samples(intent, intent.samples, len(self._samples))
        self._answers = _slot_samples(model)
        self._own = {
            sample.literals
            for sample in self._samples
            if len(sample.literals) == len(sample.parts)
            and not model.intents[sample.intent].is_builtin
        }

    def reader(self, now: datetime, added: Mapping[str, SlotType] | None = None) -> SlotReader:
        """A reader of slots for one moment of one session."""
        return SlotReader(self.model, now, added or {})

    def understand(self, said: str, reader: SlotReader) -> NluResult:
        """What a text means, with nothing being asked."""
        words = to_heard(said)
        standard = self.standard(words)
        # "yes" goes to an intent that has it as a sample, "stop" to the standard intent even so.
        if standard is not None and not (standard not in _FIRM and self.is_own(words)):
            return NluResult(
                standard, 1.0, "builtin", considered=(ConsideredIntent(standard, 1.0),)
            )
        return self.choose_intent(self.fits(words, reader), words)

    def is_own(self, words: HeardWords) -> bool:
        """Whether the words are a sample utterance of a custom intent."""
        return words.words in self._own

    def standard(self, words: HeardWords) -> str | None:
        """The standard intent that the words mean, if the skill declares it."""
        name = builtin_intent(list(words.words), self.model.language)
        return name if name is not None and self.model.declares(name) else None

    def fits(self, words: HeardWords, reader: SlotReader) -> list[SampleFit]:
        """How the words fit the best sample of each intent, the best first."""
        if not words.words:
            return []
        best: dict[str, SampleFit] = {}
        reads = _ReadingCache(self.model, words, reader)
        for sample in self._samples:
            fit = exact_fit(sample, words, reads.of(sample.intent))
            if fit is not None:
                _keep_best(best, fit)
        # Only without a perfect fit is the slower alignment worth its time: "tell me facts" is near
        # to "tell me a fact", while "tell me a fact" needs no neighbours.
        if not any(fit.score >= 1 for fit in best.values()):
            for sample in self._samples:
                fit = near_fit(sample, words, reads.of(sample.intent))
                if fit is not None:
                    _keep_best(best, fit)
        return sorted(best.values(), key=lambda fit: fit.rank, reverse=True)

    def fit_answer(
        self, words: HeardWords, intent: Intent, slot: str, reader: SlotReader
    ) -> SampleFit | None:
        """The words as an answer to the question for a slot, by the samples of that slot."""
        reads = _ReadingCache(self.model, words, reader).of(intent.name)
        fits = (
            exact_fit(sample, words, reads)
            for sample in self._answers.get((intent.name, slot), ())
            if not sample.is_bare
        )
        return max((fit for fit in fits if fit), key=lambda fit: fit.rank, default=None)

    def choose_intent(self, fits: list[SampleFit], words: HeardWords) -> NluResult:
        """The intent of the fits, the best first, or what becomes of foreign words."""
        considered = _top_considered(fits)
        threshold = THRESHOLDS[self.model.sensitivity]
        if fits and fits[0].exact and fits[0].score >= min(threshold, 0.5):
            return _from_fit(fits[0], "sample", considered)
        if fits and fits[0].score >= threshold:
            return _from_fit(fits[0], "near", considered)
        if self.model.declares(FALLBACK):
            score = fits[0].score if fits else 0.0
            return NluResult(FALLBACK, round(1 - score, 4), "fallback", considered=considered)
        return self._force(fits, words)

    def _force(self, fits: list[SampleFit], words: HeardWords) -> NluResult:
        """The nearest custom intent, also by how the text looks."""
        own = [fit for fit in fits if not self.model.intents[fit.sample.intent].is_builtin]
        best = {fit.sample.intent: fit for fit in own}
        said = words.said()
        for sample in self._samples:
            if said and not self.model.intents[sample.intent].is_builtin:
                alike = _LOOKS_ALIKE * fuzz.ratio(said, " ".join(sample.literals)) / 100
                if sample.literals:
                    _keep_best(best, SampleFit(sample, alike))
        ranked = sorted(best.values(), key=lambda fit: fit.rank, reverse=True)
        considered = _top_considered(ranked)
        if not ranked or ranked[0].score < FORCED:
            return NluResult(None, 0.0, "nothing", considered=considered)
        return _from_fit(ranked[0], "forced", considered)


def _keep_best(best: dict[str, SampleFit], fit: SampleFit) -> None:
    previous = best.get(fit.sample.intent)
    if previous is None or fit.rank > previous.rank:
        best[fit.sample.intent] = fit


def _from_fit(fit: SampleFit, how: str, considered: tuple[ConsideredIntent, ...]) -> NluResult:
    score = round(fit.score, 4)
    return NluResult(fit.sample.intent, score, how, dict(fit.slots), fit.sample.text, considered)


def _top_considered(fits: Iterable[SampleFit]) -> tuple[ConsideredIntent, ...]:
    listed = [
        ConsideredIntent(fit.sample.intent, round(fit.score, 4), fit.sample.text) for fit in fits
    ]
    return tuple(listed[:_CONSIDERED])


def _slot_samples(model: InteractionModel) -> dict[tuple[str, str], list[Sample]]:
    return {
        (intent.name, slot.name): parse_samples(intent, slot.samples, 0)
        for intent in model.intents.values()
        for slot in intent.slots
        if slot.samples
    }


class _ReadingCache:
    """Readings of parts of one utterance, each made once."""

    def __init__(self, model: InteractionModel, words: HeardWords, reader: SlotReader) -> None:
        self._model = model
        self._words = words
        self._reader = reader
        self._known: dict[tuple[str, bool, int, int], SlotReading | None] = {}

    def of(self, intent: str) -> ReadSlot:
        """How slots of an intent are read; a slot that it does not declare cannot be."""
        declared = self._model.intents[intent]

        def read(name: str, start: int, end: int) -> SlotReading | None:
            slot = declared.slot(name)
            if slot is None:
                return None
            key = (slot.type, slot.multiple, start, end)
            if key not in self._known:
                self._known[key] = self._reader.read(slot, self._words.part(start, end))
            return self._known[key]

        return read
