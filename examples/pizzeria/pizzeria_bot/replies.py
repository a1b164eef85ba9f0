"""What the bot answers: messages with buttons and links, and the sentences used everywhere."""

from dataclasses import dataclass

from pizzeria_bot.definition import SHOP, said


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press; `value` is what the customer's side sends back for it."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Link:
    """A page to open; `url` is relative to the server."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the bot."""

    text: str
    buttons: tuple[Button, ...] = ()
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """Everything that the bot answers to one message; `ended` closes the conversation."""

    messages: tuple[Message, ...]
    ended: bool = False

    @property
    def text(self) -> str:
        """The messages as one text."""
        return "\n".join(message.text for message in self.messages)


GREETING = said("greeting")
FALLBACK = said("fallback")
#: What the repaired bot says before it asks a question again, by how often it has.
AGAIN = (
    "Sorry, I did not get that.",
    "Sorry, I still do not understand. A few plain words, or a button, are easiest for me.",
    "I am afraid I am only a simple program. You can also say 'cancel' to start anew.",
)
GOODBYE = said("goodbye")
NOTHING_TO_CANCEL = said("nothing_to_cancel")
WELCOME = said("welcome")

SMALL_TALK = (
    (r"^(hello|hi|hey|good (morning|afternoon|evening)|hola|buenas)\b", "Hello! Nice to see you."),
    (r"\bhow are you\b|\bhow is it going\b|\bque tal\b", "I am fine, thank you, and hungry."),
    (r"\bare you (a )?(bot|robot|human|real|person|chatbot)\b", f"I am the chatbot of {SHOP}."),
    (r"\byour name\b|\bwho are you\b", f"My name is Lucia, like the shop: {SHOP}."),
    (r"\bjoke\b", "I would tell you a joke about pizza, but it is too cheesy."),
    (r"\bweather\b|\bfootball\b|\bpolitics\b", "I only know about pizza, I am afraid."),
    (r"\b(recommend|suggest|favou?rite|best)\b", "Most guests love our Carbonara."),
)
"""Patterns of small talk, and what is answered."""
