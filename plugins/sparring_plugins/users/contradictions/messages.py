"""A conversation as the checks for contradictions read it, and what was agreed in it."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sparring.model.talk import Listen, Turn, meant_by
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.language.text import folded, one_line, plain
from sparring_plugins.users.agenda.app_reply import AppReply, is_no, is_yes, read_app_reply
from sparring_plugins.users.agenda.form_answers import sending_option
from sparring_plugins.users.agenda.open_form import is_complaint

_QUOTED = 160

ContradictionKind = Literal[
    "sum",
    "weekday",
    "agreed",
    "refused_extra",
    "left_out",
    "asked_again",
    "dead_end",
    "other_value",
    "price",
    "product",
    "quantity",
    "limit",
    "change",
    "closed",
    "waiver",
    "breakdown",
    "stuck",
    "list",
    "currency",
    "hours",
    "subject",
    "cancelled",
    "name",
    "no_such_day",
    "language",
]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two places of a conversation that do not go together.

    `turn` and `earlier_turn` are indexes of turns; the quotations are the app's words in them, or
    the user's where the app goes against what it was told.
    """

    kind: ContradictionKind
    message: str
    earlier_turn: int
    earlier: str
    turn: int
    quotation: str

    def __str__(self) -> str:
        places = f'"{self.earlier}" (turn {self.earlier_turn}) and "{self.quotation}"'
        return f"{self.message}: {places} (turn {self.turn})"


def contradiction(
    kind: ContradictionKind, message: str, earlier: tuple[int, str], later: tuple[int, str]
) -> Contradiction:
    """Build a contradiction of two places, with the texts clipped to what is quoted."""
    return Contradiction(
        kind,
        message,
        earlier[0],
        one_line(earlier[1], _QUOTED),
        later[0],
        one_line(later[1], _QUOTED),
    )


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: what the user said (an option in words for its number), and the reply."""

    index: int
    said: str
    pressed: bool
    reply: AppReply

    @property
    def text(self) -> str:
        """The reply as it reads."""
        return self.reply.text


def messages_of(turns: Sequence[Turn], fallbacks: Fallbacks) -> list[Message]:
    """Read the turns of a conversation; a fallback phrase of the app is no statement."""
    messages: list[Message] = []
    for index, turn in enumerate(turns):
        reply = read_app_reply(turn.observation)
        said = "" if isinstance(turn.act, Listen) else plain(meant_by(turn.act))
        menu = messages[-1].reply if messages else None
        option = _option_named(said, menu)
        if fallbacks.match(reply.text):
            reply = replace(reply, fallback=True, done=False, statements=())
        messages.append(Message(index, option or said, option is not None, reply))
    return messages


def _option_named(said: str, menu: AppReply | None) -> str | None:
    """The option that a number or the label of a button chooses; None if it is neither."""
    if menu is None:
        return None
    for question in menu.questions:
        if said.strip() in question.marks:
            return question.options[question.marks.index(said.strip())]
    labels = [choice.label for choice in menu.choices]
    return next((label for label in labels if folded(label) == folded(said)), None)


def confirmations(messages: Sequence[Message]) -> Iterator[tuple[Message, Message]]:
    """The pairs of a read-back that the user said yes to, and the reply to that yes.

    A read-back asks for a yes, or shows a menu whose one entry sends it ("1. Confirm").
    """
    for before, after in itertools.pairwise(messages):
        if not _reads_back(before.reply) or is_complaint(after.reply):
            continue
        sends = _sending_label(before.reply)
        agreed = is_yes(folded(after.said)) or (sends is not None and folded(after.said) == sends)
        if agreed and not is_no(folded(after.said)):
            yield before, after


def _reads_back(reply: AppReply) -> bool:
    return reply.asks("confirm") or _sending_label(reply) is not None or reply.asks("fact", "offer")


def _sending_label(reply: AppReply) -> str | None:
    for question in reply.questions:
        place = sending_option(question.options)
        if place is not None:
            return folded(question.options[place])
    return None
