"""A conversation as the checks for contradictions read it: messages, things offered, words."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sparring.model.talk import Listen, Turn, meant_by
from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.language.text import folded, one_line, plain, sentences
from sparring_plugins.language.vocabulary import vocabulary
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.choosing.stated_answers import sending_option
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no, is_yes, read_app_reply
from sparring_plugins.users.agenda.state.open_form import is_complaint

# --- The words that contradictions are recognised by


class Words(BaseModel):
    """The data file.

    `totals` stand beside the sum of an order, `not_added` beside amounts that are no part of it,
    `lacks` and `haves` before what is not ordered and what is, `other_moments` beside a day or hour
    that is not the one agreed on, and `unavailable` in the answer of an option that leads nowhere.
    `counted` are the things that a price is for one of, `reductions` make a total smaller, `units`
    follow the price of one thing, `closed` says that there is nothing on a day unless one of the
    `exceptions` stands beside it, `free` and `thresholds` name what costs nothing from a sum on,
    `breakdowns` is how an app says that it failed unless one of `supposed` stands before it, and
    `not_understood` how it asks for other words. `owned` stand before what belongs to the user,
    and `costing` between a thing and its price. `subtotals` follow the amount of several pieces,
    `added` stand before one that comes on top, `counting` begin the line above a list, `opening`
    are in sentences on opening hours, `cancelling` and `cancelled` speak of an end and state it,
    `addressing` stand before the user's name, `existence` is in what is said of a day that there is
    not, `maximum` stands before the largest number that is allowed, `not_offered` is in what
    says that there is no such thing, `temporary` makes that true of a while only, and
    `unable` is in a proposal of something else, `bounds` before the number of a limit,
    `requesting` in what the user asks for, `recorded` in what has a time of its own: when it was
    noted, and `meant_for` between a thing and the number of people.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    totals: tuple[str, ...]
    not_added: tuple[str, ...]
    lacks: tuple[str, ...]
    haves: tuple[str, ...]
    other_moments: tuple[str, ...]
    unavailable: tuple[str, ...]
    counted: frozenset[str]
    reductions: tuple[str, ...]
    units: tuple[str, ...]
    closed: tuple[str, ...]
    exceptions: tuple[str, ...]
    free: tuple[str, ...]
    thresholds: tuple[str, ...]
    breakdowns: tuple[str, ...]
    supposed: tuple[str, ...]
    not_understood: tuple[str, ...]
    owned: tuple[str, ...]
    costing: tuple[str, ...]
    subtotals: tuple[str, ...]
    added: tuple[str, ...]
    counting: tuple[str, ...]
    opening: tuple[str, ...]
    cancelling: tuple[str, ...]
    cancelled: tuple[str, ...]
    addressing: tuple[str, ...]
    existence: tuple[str, ...]
    maximum: tuple[str, ...]
    not_offered: tuple[str, ...]
    temporary: tuple[str, ...]
    unable: tuple[str, ...]
    bounds: frozenset[str]
    requesting: tuple[str, ...]
    recorded: tuple[str, ...]
    meant_for: tuple[str, ...]


@lru_cache(maxsize=1)
def contradiction_words() -> Words:
    """Return the word lists of the data file."""
    return Words.model_validate(bundled_yaml("sparring_plugins.users.contradictions", "words.yaml"))


def names_any(text: str, phrases: tuple[str, ...]) -> bool:
    """Whether a text has one of some phrases in it as whole words."""
    words = f" {folded(text)} "
    return any(f" {folded(phrase)} " in words for phrase in phrases)


# --- Messages, and what was agreed in them


_QUOTED = 160
"""Characters of a message that a contradiction quotes."""

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
    "reported",
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
        # "I did not get that. Your order is placed when ..." states nothing
        if fallbacks.match(reply.text):
            reply = replace(reply, fallback=True, done=False, statements=())
        messages.append(Message(index, option or said, option is not None, reply))
    return messages


def _option_named(said: str, menu: AppReply | None) -> str | None:
    """The option that a number or the label of a button chooses; None if it is neither."""
    if menu is None:
        return None
    for question in menu.questions:
        # "2" chooses what stands behind it, and is compared by its words
        if said.strip() in question.marks:
            return question.options[question.marks.index(said.strip())]
    labels = [choice.label for choice in menu.choices]
    return next((label for label in labels if folded(label) == folded(said)), None)


def confirmations(messages: Sequence[Message]) -> Iterator[tuple[Message, Message]]:
    """Yield the pairs of a read-back that the user said yes to, and the reply to that yes.

    A read-back asks for a yes, or shows a menu whose one entry sends it ("1. Confirm").
    """
    for before, after in itertools.pairwise(messages):
        if not _reads_back(before.reply) or is_complaint(after.reply):
            continue
        sends = _sending_label(before.reply)
        # "1. Confirm" is a yes by its number or label
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


# --- The things that an app offers: the labels of its lists, with their prices


_LABEL_WORDS = 4
_MARK = re.compile(r"^\s*(?:[-*•]|[\[(]?\d{1,2}[.):\]])\s*")
"""What stands before the label of an item: "1. a small pizza"."""
_PRICE_LEAD = re.compile(r"[\s(:\u2013-]+$")
_STEM = 5
"""Letters of a label's word that a text must have, in any inflection."""
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Thing:
    """One item of a list with its price."""

    label: str
    price: float
    message: Message


def priced_things(message: Message) -> list[Thing]:
    """Return the things of a list that have a price right after them; none if it is no list.

    "1. Holm (£14.50)" in lines of their own, and "We have a sponge for $14.00 and a pie for $9.00".
    A price that is added to another one, or one that begins somewhere, is none: "+£8", "from £8".
    """
    things: list[Thing] = []
    for line in message.text.split("\n"):
        for part in sentences(_MARK.sub("", line)):
            start = 0
            for span in find_money(part, ranges=False):
                lead = _PRICE_LEAD.sub("", part[start : span.start])
                # "Cabins: a log cabin for £80" is about the log cabin
                label = _bare_label(re.split(r"[,;:.(]", lead)[-1])
                start, number = span.end, amount(span.text)
                # "with breakfast +£8" is no price of the cabin
                is_added = part[: span.start].rstrip().endswith("+")
                if number is not None and label and not is_added:
                    things.append(Thing(label, number, message))
    # one price alone is no list to choose from
    return things if len(things) > 1 else []


def _bare_label(text: str) -> str:
    """The words of a label without those around it: "We have a lemon cake for" has "lemon cake"."""
    lists = contradiction_words()
    if names_any(text, (*lists.totals, *lists.not_added)):
        return ""
    small = vocabulary().stop
    parts = text.split()
    while parts and folded(parts[0]) in small:
        parts.pop(0)
    while parts and folded(parts[-1]) in small:
        parts.pop()
    return " ".join(parts) if 0 < len(parts) <= _LABEL_WORDS else ""


def option_groups(messages: Sequence[Message]) -> list[tuple[str, ...]]:
    """Return the lists that the app offers to choose from, as bare labels, without yes and no."""
    groups: dict[tuple[str, ...], None] = {}
    for message in messages:
        labels = [tuple(_label(option) for option in message.reply.menu)]
        labels += [
            tuple(_label(option) for option in question.options)
            for question in message.reply.questions
            if question.kind == "select" and question.marks
        ]
        labels.append(tuple(thing.label for thing in priced_things(message)))
        for group in labels:
            is_polar = any(is_yes(folded(label)) or is_no(folded(label)) for label in group)
            # "S", "M" and "L" are in every other word; such labels cannot be looked up
            if len(group) > 1 and not is_polar and all(len(folded(x)) > 2 for x in group):
                groups.setdefault(group)
    return list(groups)


def _label(option: str) -> str:
    """An option without what stands in brackets behind it: "Holm (£14.50)" is "Holm"."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", option).strip()


def names_thing(text: str, label: str) -> bool:
    """Whether a text has all words of a label in it, in any inflection: "pick it up"."""
    said = folded(text).split()
    stems = [word[:_STEM] for word in folded(label).split() if len(word) >= _SHORTEST]
    return bool(stems) and all(any(word.startswith(stem) for word in said) for stem in stems)


def named_things(text: str, group: Sequence[str]) -> list[str]:
    """Return the labels of a list that a text names."""
    return [label for label in group if names_thing(text, label)]
