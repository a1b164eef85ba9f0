"""Where a dialog stands."""

from dataclasses import dataclass, field
from enum import StrEnum

from sparring_connectors.alexa.interaction.model import Intent
from sparring_connectors.alexa.slots.resolution import Filled
from sparring_connectors.alexa.slots.values import Reading


class Asking(StrEnum):
    """What the user has been asked for."""

    SLOT = "slot"
    CONFIRM_SLOT = "confirm_slot"
    CONFIRM_INTENT = "confirm_intent"


@dataclass(frozen=True, slots=True)
class Question:
    """What the user has been asked; `slot` is empty for the confirmation of an intent."""

    kind: Asking
    slot: str = ""


@dataclass(slots=True)
class Dialog:
    """An intent whose slots are being collected.

    `by_skill` says that the skill hears of every turn; `asked` is what was asked last.
    """

    intent: Intent
    slots: dict[str, Filled] = field(default_factory=dict[str, Filled])
    confirmation: str = "NONE"
    by_skill: bool = False
    asked: Question | None = None
    turns: int = 0

    def filled(self, name: str) -> Filled:
        """A slot as it stands."""
        return self.slots.get(name) or Filled(name)

    def fill(self, name: str, reading: Reading) -> None:
        """Fill a slot anew; what was confirmed is open again."""
        slot = self.intent.slot(name)
        self.slots[name] = Filled(name, reading.values, is_list=bool(slot and slot.multiple))

    def clear(self, name: str) -> None:
        """Empty a slot."""
        self.slots[name] = Filled(name)

    def confirm(self, name: str, status: str) -> None:
        """Mark a slot as confirmed or denied."""
        known = self.filled(name)
        self.slots[name] = Filled(name, known.values, status, known.is_list)

    def all_slots(self) -> list[Filled]:
        """Every slot of the intent in the model's order, then those the skill made up."""
        names = [slot.name for slot in self.intent.slots]
        return [self.filled(name) for name in dict.fromkeys([*names, *self.slots])]
