"""The model's answer for the user, and the act that it stands for."""

import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from sparring.model.talk import Act, Choice, Press, Say
from sparring_plugins.language.text import folded, plain
from sparring_plugins.users.model_user.transcript import pressable

_LABEL = re.compile(r"^\s*(?:\*\*)?(?:user|usuario|customer|client|human|me)(?:\*\*)?\s*:\s*", re.I)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_QUOTED = (('"', '"'), ("\u201c", "\u201d"), ("\u00ab", "\u00bb"))


class NextMove(BaseModel):
    """What the user does next."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(description="why, in a few words; nobody else reads it")
    goals_met: list[int] = Field(description="numbers of the wishes that are met by now")
    message: str = Field(description="what the user writes; may be empty")
    choice: str | None = Field(description="label of the offered choice to press, or null")
    leaves: bool = Field(description="whether the user is done and leaves")

    @property
    def text(self) -> str:
        """The message without a label or quotation marks around it."""
        return message_of(self.message)


class Changed(BaseModel):
    """A value that the user changed its mind about."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="the name of the value, as listed")
    value: str = Field(description="what the user wants now instead")


class ChangingMove(NextMove):
    """What a user does next that may change its mind."""

    changed: list[Changed] = Field(
        default_factory=list[Changed],
        description="every listed value that the user has changed its mind about by now",
    )


def message_of(written: str) -> str:
    """A message as it is sent: no label of the speaker, no marks around it, nothing unseen."""
    text = _LABEL.sub("", _CONTROL.sub("", written)).strip()
    for opening, closing in _QUOTED:
        inner = text[1:-1]
        if len(text) > 2 and text[0] == opening and text[-1] == closing and closing not in inner:
            return inner.strip()
    return text


def pressed(move: NextMove, choices: Sequence[Choice]) -> Choice | None:
    """The offered choice that a move names, as a choice or as its whole message."""
    for name in (move.choice or "", "" if move.choice else move.text):
        found = named(name, choices)
        if found is not None:
            return found
    return None


def named(name: str, choices: Sequence[Choice]) -> Choice | None:
    """The choice with a label: exactly, else but for case and punctuation."""
    label = plain(name)
    if not label:
        return None
    offered = pressable(choices)
    exact = [one for one in offered if plain(one.label) == label]
    alike = [one for one in offered if folded(label) and folded(one.label) == folded(label)]
    return next(iter((*exact, *alike)), None)


def act_of(move: NextMove, choices: Sequence[Choice], *, press: bool) -> Act | None:
    """What the user does: press a choice (or type it), say the message; None to leave."""
    choice = pressed(move, choices)
    if choice is not None and press:
        return Press(label=choice.label, value=choice.value)
    text = plain(choice.label) if choice is not None else move.text
    return Say(text=text) if text else None
