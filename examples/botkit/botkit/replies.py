"""What a bot answers: messages with buttons."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """Something to press; `value` is what the customer's side sends back for it."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the bot."""

    text: str
    buttons: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """Everything that the bot answers to one message; `ended` closes the conversation."""

    messages: tuple[Message, ...]
    ended: bool = False

    @property
    def text(self) -> str:
        """The messages as one text."""
        return "\n".join(message.text for message in self.messages)


YES_NO = (Shown("Yes", "yes"), Shown("No", "no"))
