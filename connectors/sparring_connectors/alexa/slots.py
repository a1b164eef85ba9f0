"""What a slot holds: reading words as values, and resolving values to entities.

Amazon's own lists of values are long and unpublished. A text that is in none of ours can still
fill such a slot, but with less certainty; so the lists decide only between readings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from sparring_connectors.alexa import dates
from sparring_connectors.alexa import words as numbers
from sparring_connectors.alexa.interaction_model import Entity, InteractionModel, Slot, SlotType
from sparring_connectors.alexa.vocabulary import SLOT_VALUES, VOCABULARY
from sparring_connectors.alexa.words import HeardWords, split_words, stem

_LISTS: Mapping[str, frozenset[str]] = {
    **SLOT_VALUES.by_type(),
    "DayOfWeek": frozenset(VOCABULARY.days),
    "Month": frozenset(VOCABULARY.months),
}


def known_values(slot_type: str) -> frozenset[str]:
    """The values known of a built-in list type, in lower case; empty for a type without list."""
    return _LISTS.get(slot_type.removeprefix("AMAZON."), frozenset())


KNOWN = 1.0
"""How sure a reading is whose value is in a list, or has the form of its type."""
OPEN = 0.6
"""How sure a reading of a built-in list type is whose value is not in our part of the list."""
FREE = 0.5
"""How sure a reading is that takes any words."""

# A value of a custom list has a few words; Alexa fills open slots with phrases of about this
# length.
_LONGEST_OPEN = 6
_JOINING = frozenset({"and", "or", "with", "plus", "then", "also"})
_STRUCTURED = frozenset({
    "NUMBER", "FOUR_DIGIT_NUMBER", "Ordinal", "PhoneNumber", "AlphaNumeric",
    "DATE", "TIME", "DURATION",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SlotReading:
    """Words read as values of a slot: as Alexa would send them, and how sure that is."""

    values: tuple[str, ...]
    sure: float

    @property
    def is_known(self) -> bool:
        """Whether the value is in a list, or has the form of its type."""
        return self.sure >= 0.9


@dataclass(slots=True)
class SlotReader:
    """Reads words as slots of one skill: its types, those added in the session, the moment."""

    model: InteractionModel
    now: datetime
    added: Mapping[str, SlotType] = field(default_factory=dict[str, SlotType])
    _index: dict[str, Mapping[tuple[str, ...], float]] = field(
        default_factory=dict[str, Mapping[tuple[str, ...], float]]
    )

    def read(self, slot: Slot, part: HeardWords) -> SlotReading | None:
        """Read words as a value of the slot; `None` if they cannot be one."""
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

    def _one(self, slot_type: str, part: HeardWords) -> SlotReading | None:
        sure = self._values_of_type(slot_type).get(part.words)
        if sure is not None:
            return SlotReading((part.said(),), sure)
        name = slot_type.removeprefix("AMAZON.")
        if slot_type.startswith("AMAZON."):
            if name in _STRUCTURED:
                value = self._read_structured(name, part.words)
                return None if value is None else SlotReading((value,), KNOWN)
            if name == "SearchQuery":
                return SlotReading((part.said(),), FREE)
            return self._from_list(slot_type, part)
        if len(part) > _LONGEST_OPEN:
            return None
        return SlotReading((part.said(),), FREE)

    def _from_list(self, slot_type: str, part: HeardWords) -> SlotReading | None:
        said = part.said()
        if said in known_values(slot_type):
            return SlotReading((said,), KNOWN)
        # Light words alone are no value, however short our list is.
        if len(part) > _LONGEST_OPEN or all(word in VOCABULARY.light_words for word in part.words):
            return None
        return SlotReading((said,), OPEN)

    def _read_structured(self, name: str, words: Sequence[str]) -> str | None:
        match name:
            case "NUMBER":
                return numbers.number_value(words)
            case "FOUR_DIGIT_NUMBER":
                return numbers.four_digit_value(words)
            case "Ordinal":
                return numbers.ordinal_value(words)
            case "PhoneNumber":
                return numbers.phone_value(words)
            case "AlphaNumeric":
                return numbers.alphanumeric_value(words)
            case "DATE":
                return dates.parse_date(words, self.now.date())
            case "TIME":
                return dates.parse_time(words, self.now.time())
            case _:
                return dates.parse_duration(words)

    def _several(self, slot_type: str, part: HeardWords) -> SlotReading | None:
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
        return SlotReading(tuple(values), sure) if values else None

    def _longest(
        self, slot_type: str, part: HeardWords, start: int
    ) -> tuple[int, SlotReading | None]:
        # The longest known value wins, because it may have an "and" in it: "fish and chips".
        for end in range(min(len(part), start + _LONGEST_OPEN), start, -1):
            reading = self._one(slot_type, part.part(start, end))
            if reading is not None and reading.is_known:
                return end, reading
        end = start + 1
        while end < len(part) and part.words[end] not in _JOINING:
            end += 1
        return end, self._one(slot_type, part.part(start, end))

    def _values_of_type(self, slot_type: str) -> Mapping[tuple[str, ...], float]:
        if slot_type not in self._index:
            self._index[slot_type] = _name_index(self.entities(slot_type))
        return self._index[slot_type]


@lru_cache(maxsize=100)
def _name_index(entities: tuple[Entity, ...]) -> Mapping[tuple[str, ...], float]:
    """Return how sure each name of a value is; each conversation reads the same values again."""
    index: dict[tuple[str, ...], float] = {}
    for entity in entities:
        for name in (entity.name, *entity.synonyms):
            words = _split_name(name)
            index[words] = KNOWN
            # "pizzas" is as good as "pizza", but loses to a value that is spelled so.
            if words:
                index.setdefault((*words[:-1], _plural(words[-1])), 0.9)
                index.setdefault((*words[:-1], stem(words[-1])), 0.9)
    index.pop((), None)
    return index


@lru_cache(maxsize=50_000)
def _split_name(name: str) -> tuple[str, ...]:
    """The words of a value's name; each conversation reads a model's thousands of values again."""
    return tuple(split_words(name))


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def find_entities(value: str, entities: Sequence[Entity]) -> list[Entity]:
    """The values of a type that a spoken value means: by name or synonym, in the model's order."""
    words = tuple(split_words(value))
    if not words:
        return []
    exact = [item for item in entities if _is_named(item, words, stemmed=False)]
    return exact or [item for item in entities if _is_named(item, words, stemmed=True)]


def _is_named(entity: Entity, words: tuple[str, ...], *, stemmed: bool) -> bool:
    names = (_split_name(name) for name in (entity.name, *entity.synonyms))
    if not stemmed:
        return words in names
    last = {words[-1], stem(words[-1])}
    return any(
        name and name[:-1] == words[:-1] and last & {name[-1], stem(name[-1])} for name in names
    )


# Entity resolution: which value of a type a spoken value means, as requests tell it.

AUTHORITY = "amzn1.er-authority.echo-sdk"


@dataclass(frozen=True, slots=True)
class FilledSlot:
    """A slot with its values, and whether the user confirmed them; no values: not filled."""

    name: str
    values: tuple[str, ...] = ()
    confirmation: str = "NONE"
    is_list: bool = False


def slot_to_json(
    filled: FilledSlot, slot: Slot | None, reader: SlotReader, app_id: str
) -> dict[str, Any]:
    """A slot as a request has it; without `value` if it is not filled."""
    data: dict[str, Any] = {"name": filled.name, "confirmationStatus": filled.confirmation}
    if not filled.values:
        return data
    data["source"] = "USER"
    values = [_value_json(value, slot, reader, app_id) for value in filled.values]
    if filled.is_list and len(values) > 1:
        data["slotValue"] = {"type": "List", "values": values}
        return data
    data["value"] = filled.values[0]
    if "resolutions" in values[0]:
        data["resolutions"] = values[0]["resolutions"]
    if filled.is_list:
        data["slotValue"] = {"type": "List", "values": values}
    else:
        data["slotValue"] = values[0]
    return data


def _value_json(value: str, slot: Slot | None, reader: SlotReader, app_id: str) -> dict[str, Any]:
    data: dict[str, Any] = {"type": "Simple", "value": value}
    kind = slot.type if slot else ""
    authorities: list[dict[str, Any]] = []
    declared, added = reader.model.types.get(kind), reader.added.get(kind)
    if declared is not None or (kind and not kind.startswith("AMAZON.")):
        entities = declared.entities if declared else ()
        authorities.append(_authority(f"{AUTHORITY}.{app_id}.{kind}", value, entities))
    if added is not None:
        name = f"{AUTHORITY}.dynamic.{app_id}.{kind}"
        authorities.append(_authority(name, value, added.entities))
    if authorities:
        data["resolutions"] = {"resolutionsPerAuthority": authorities}
    return data


def _authority(name: str, value: str, entities: tuple[Entity, ...]) -> dict[str, Any]:
    matches = find_entities(value, entities)
    code = "ER_SUCCESS_MATCH" if matches else "ER_SUCCESS_NO_MATCH"
    data: dict[str, Any] = {"authority": name, "status": {"code": code}}
    if matches:
        data["values"] = [{"value": {"name": item.name, "id": item.id}} for item in matches]
    return data


def is_resolved(value: str, kind: str, reader: SlotReader) -> bool:
    """Whether a spoken value means a value of the type (validation hasEntityResolutionMatch)."""
    return bool(find_entities(value, reader.entities(kind)))
