"""What any of the assistants answers, and what it can be asked by."""

from dataclasses import dataclass
from typing import Any, Protocol

MOST_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said, and the same as data."""

    text: str
    data: dict[str, Any]

    def shown(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {"text": self.text, **self.data}


class Assistant(Protocol):
    """One conversation with an assistant."""

    def answer(self, text: str) -> Answer:
        """Answer what somebody says."""
        ...
