"""An interaction model as values (facts: Amazon's interaction model schema)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

FALLBACK = "AMAZON.FallbackIntent"


class Strategy(StrEnum):
    """Who leads a dialog: Alexa alone, or the skill turn by turn."""

    ALWAYS = "ALWAYS"
    SKILL_RESPONSE = "SKILL_RESPONSE"


class Sensitivity(StrEnum):
    """How readily text counts as foreign and goes to the fallback intent."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


@dataclass(frozen=True, slots=True)
class Entity:
    """A value of a slot type: its canonical name, other names for it, its id."""

    name: str
    id: str
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlotType:
    """A slot type of the skill, or a built-in one that the skill extends."""

    name: str
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of an intent; `samples` are what users say when they are asked for it alone."""

    name: str
    type: str = ""
    samples: tuple[str, ...] = ()
    multiple: bool = False


@dataclass(frozen=True, slots=True)
class Intent:
    """An intent with its slots and sample utterances."""

    name: str
    slots: tuple[Slot, ...] = ()
    samples: tuple[str, ...] = ()

    @property
    def is_builtin(self) -> bool:
        """Whether Amazon brings the phrases."""
        return self.name.startswith("AMAZON.")

    def slot(self, name: str) -> Slot | None:
        """The slot of that name."""
        return next((slot for slot in self.slots if slot.name == name), None)


@dataclass(frozen=True, slots=True)
class Validation:
    """What a slot's value must fulfil; `prompt` is asked where it does not."""

    kind: str
    prompt: str = ""
    values: tuple[str, ...] = ()
    value: str = ""
    start: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True)
class DialogSlot:
    """How a slot is asked for, checked and confirmed; prompts are named by id."""

    name: str
    elicited: bool = False
    confirmed: bool = False
    elicitation: str = ""
    confirmation: str = ""
    validations: tuple[Validation, ...] = ()


@dataclass(frozen=True, slots=True)
class DialogIntent:
    """How an intent's slots are collected."""

    name: str
    strategy: Strategy = Strategy.ALWAYS
    confirmed: bool = False
    confirmation: str = ""
    slots: tuple[DialogSlot, ...] = ()

    def slot(self, name: str) -> DialogSlot | None:
        """The slot of that name."""
        return next((slot for slot in self.slots if slot.name == name), None)


@dataclass(frozen=True, slots=True)
class InteractionModel:
    """Everything a skill declares of how it is spoken to, in one locale.

    `notes` are what is odd about the file, for the user.
    """

    locale: str
    invocation: str
    intents: Mapping[str, Intent] = field(default_factory=dict[str, Intent])
    types: Mapping[str, SlotType] = field(default_factory=dict[str, SlotType])
    sensitivity: Sensitivity = Sensitivity.MEDIUM
    dialogs: Mapping[str, DialogIntent] = field(default_factory=dict[str, DialogIntent])
    prompts: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    notes: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        """The language of the locale, such as ``en``."""
        return self.locale.split("-")[0].lower()

    def declares(self, intent: str) -> bool:
        """Whether the skill has the intent."""
        return intent in self.intents
