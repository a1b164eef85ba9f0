"""What a task bot answers, and the players of its profiles."""

from dataclasses import dataclass, field


@dataclass
class Answer:
    """Messages, the labels of buttons, and whether the bot has closed the conversation."""

    messages: list[str]
    buttons: list[str] = field(default_factory=list[str])
    ended: bool = False
