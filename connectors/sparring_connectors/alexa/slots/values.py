"""What a slot holds, and how it is told from words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sparring_connectors.alexa.interaction.model import Entity, InteractionModel, Slot, SlotType
from sparring_connectors.alexa.shapes import listed
from sparring_connectors.alexa.slots import calendar, clock, numbers
from sparring_connectors.alexa.slots.lists import known_values
from sparring_connectors.alexa.slots.words import LIGHT, Heard, stem_of, words_of

KNOWN = 1.0
"""How sure a reading is whose value is in a list, or has the form of its type."""
OPEN = 0.6
"""How sure a reading of a built-in list type is whose value is not in our part of the list."""
FREE = 0.5
"""How sure a reading is that takes any words."""

_LONGEST_OPEN = 6
_JOINING = frozenset(listed("and or with plus then also"))
_STRUCTURED = frozenset(
    listed("NUMBER FOUR_DIGIT_NUMBER Ordinal PhoneNumber AlphaNumeric DATE TIME DURATION")
)


@dataclass(frozen=True, slots=True)
class Reading:
    """Words read as values of a slot: as Alexa would send them, and how sure that is."""

    values: tuple[str, ...]
    sure: float

    @property
    def is_known(self) -> bool:
        """Whether the value is in a list, or has the form of its type."""
        return self.sure >= 0.9


def is_structured(slot_type: str) -> bool:
    """Whether values of a type have a form, so that other words cannot fill it."""
    return slot_type.startswith("AMAZON.") and slot_type.removeprefix("AMAZON.") in _STRUCTURED


@dataclass(slots=True)
class SlotReader:
    """Reads words as slots of one skill: its types, those added in the session, the moment."""

    model: InteractionModel
    now: datetime
    added: Mapping[str, SlotType] = field(default_factory=dict[str, SlotType])
    _index: dict[str, dict[tuple[str, ...], float]] = field(
        default_factory=dict[str, dict[tuple[str, ...], float]]
    )

    def read(self, slot: Slot, part: Heard) -> Reading | None:
        """Read words as a value of the slot; None where they cannot be one."""
        if not part.words:
            return None
        if slot.multiple:
            return self._several(slot.type, part)
        return self._one(slot.type, part)

    def entities(self, slot_type: str) -> tuple[Entity, ...]:
        """The values of a type in the model, then those added in the session."""
        declared = self.model.types.get(slot_type)
        added = self.added.get(slot_type)
        return (declared.entities if declared else ()) + (added.entities if added else ())

    def _one(self, slot_type: str, part: Heard) -> Reading | None:
        sure = self._listed(slot_type).get(part.words)
        if sure is not None:
            return Reading((part.said(),), sure)
        name = slot_type.removeprefix("AMAZON.")
        if slot_type.startswith("AMAZON."):
            if name in _STRUCTURED:
                value = self._formed(name, part.words)
                return None if value is None else Reading((value,), KNOWN)
            if name == "SearchQuery":
                return Reading((part.said(),), FREE)
            return self._from_list(slot_type, part)
        if len(part) > _LONGEST_OPEN:
            return None
        return Reading((part.said(),), FREE)

    def _from_list(self, slot_type: str, part: Heard) -> Reading | None:
        said = part.said()
        if said in known_values(slot_type):
            return Reading((said,), KNOWN)
        if len(part) > _LONGEST_OPEN or all(word in LIGHT for word in part.words):
            return None
        return Reading((said,), OPEN)

    def _formed(self, name: str, words: Sequence[str]) -> str | None:
        match name:
            case "NUMBER":
                return numbers.plain_number(words)
            case "FOUR_DIGIT_NUMBER":
                return numbers.four_digits(words)
            case "Ordinal":
                return numbers.ordinal(words)
            case "PhoneNumber":
                return numbers.phone(words)
            case "AlphaNumeric":
                return numbers.alphanumeric(words)
            case "DATE":
                return calendar.spoken_date(words, self.now.date())
            case "TIME":
                return clock.spoken_time(words, self.now.time())
            case _:
                return clock.spoken_duration(words)

    def _several(self, slot_type: str, part: Heard) -> Reading | None:
        """Several values in a row: known ones as long as possible, others between ``and``."""
        values: list[str] = []
        sure = KNOWN
        start = 0
        while start < len(part):
            if part.words[start] in _JOINING and values:
                start += 1
                continue
            end, reading = self._longest(slot_type, part, start)
            if reading is None:
                return None
            values += reading.values
            sure = min(sure, reading.sure)
            start = end
        return Reading(tuple(values), sure) if values else None

    def _longest(self, slot_type: str, part: Heard, start: int) -> tuple[int, Reading | None]:
        for end in range(min(len(part), start + _LONGEST_OPEN), start, -1):
            reading = self._one(slot_type, part.part(start, end))
            if reading is not None and reading.is_known:
                return end, reading
        end = start + 1
        while end < len(part) and part.words[end] not in _JOINING:
            end += 1
        return end, self._one(slot_type, part.part(start, end))

    def _listed(self, slot_type: str) -> dict[tuple[str, ...], float]:
        if slot_type not in self._index:
            index: dict[tuple[str, ...], float] = {}
            for entity in self.entities(slot_type):
                for name in (entity.name, *entity.synonyms):
                    words = words_of(name)
                    index[tuple(words)] = KNOWN
                    if words:
                        index.setdefault((*words[:-1], _plural(words[-1])), 0.9)
                        index.setdefault((*words[:-1], stem_of(words[-1])), 0.9)
            index.pop((), None)
            self._index[slot_type] = index
        return self._index[slot_type]


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def matching_entities(value: str, entities: Sequence[Entity]) -> list[Entity]:
    """The values of a type that a spoken value means: by name or synonym, in the model's order."""
    words = tuple(words_of(value))
    if not words:
        return []
    exact = [item for item in entities if _is_named(item, words, stemmed=False)]
    return exact or [item for item in entities if _is_named(item, words, stemmed=True)]


def _is_named(entity: Entity, words: tuple[str, ...], *, stemmed: bool) -> bool:
    names = (tuple(words_of(name)) for name in (entity.name, *entity.synonyms))
    if not stemmed:
        return words in names
    last = {words[-1], stem_of(words[-1])}
    return any(
        name and name[:-1] == words[:-1] and last & {name[-1], stem_of(name[-1])} for name in names
    )
