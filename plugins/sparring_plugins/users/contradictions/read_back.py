"""What the app repeats of the user's answers: extras denied, things left out."""

import itertools
import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.app_reply import is_no, is_yes
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    confirmations,
    contradiction,
)
from sparring_plugins.users.contradictions.words import contradiction_words, names_any

_AND = re.compile(
    r"(?:(?<!\s)\s+)?[,;]\s*|(?<!\s)\s+(?:and|y|e|und|et|as well as|plus)\s+", re.IGNORECASE
)
_THING = 3


def denied_extras(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs that deny what the user said yes to, or the other way round.

    "Do you want a towel?" with a yes, and "boat for two hours, no towel" in what was confirmed.
    """
    for before, _ in confirmations(messages):
        for offer, answer in itertools.pairwise(messages):
            if answer.index >= before.index:
                break
            wanted = decision(offer, answer)
            if wanted is None or _is_revised(messages, answer, before, wanted[1]):
                continue
            yes, names = wanted
            stated = read_statement(before.text, names)
            if stated is not None and stated is not yes:
                text = f'The user said "{answer.said}", and the read-back says the opposite'
                yield contradiction(
                    "refused_extra", text, (offer.index, offer.text), (before.index, before.text)
                )


def decision(offer: Message, answer: Message) -> tuple[bool, frozenset[str]] | None:
    """Whether the user took what one question offers, and the names of it; None if unclear."""
    asked = [question for question in offer.reply.questions if question.kind != "more"]
    if len(asked) != 1 or asked[0].kind not in ("offer", "fact", "confirm"):
        return None
    said = folded(answer.said)
    yes, no = is_yes(said), is_no(said)
    names = frozenset(name for name in concepts(asked[0].text) if not name.startswith("~"))
    if yes is no or not names or len(said.split()) > 4 or has_cue(asked[0].words, "confirm"):
        return None
    return yes, names


def _is_revised(
    messages: Sequence[Message], answer: Message, before: Message, names: frozenset[str]
) -> bool:
    """Whether the same thing was spoken of again before the read-back, by the user or the app.

    "You must be 25 to have the van" takes back what the user was offered.
    """
    later = [m for m in messages if answer.index < m.index <= before.index]
    replies = [answer, *later[:-1]]
    return any(names & concepts(message.said) for message in later) or any(
        names & concepts(message.text) for message in replies
    )


def read_statement(text: str, names: frozenset[str]) -> bool | None:
    """Whether a read-back says that something is there; None if it says nothing clear of it.

    What counts is "with breakfast", "no breakfast" and "breakfast: yes".
    """
    lists = contradiction_words()
    verdicts: set[bool] = set()
    for line in re.split(r"[\n,;.]", text):
        label, colon, value = line.partition(":")
        if colon and names & concepts(label) and len(label.split()) <= 4:
            first = " ".join(folded(value).split()[:1])
            verdicts |= {False} if is_no(first) else {True} if is_yes(first) else set()
            continue
        parts = folded(line).split()
        places = [place for place, word in enumerate(parts) if names & concepts(word)]
        if not places:
            continue
        lead = " ".join(parts[max(0, places[0] - 2) : places[0]])
        if names_any(lead, lists.lacks):
            verdicts.add(False)
        elif names_any(lead, lists.haves):
            verdicts.add(True)
    return verdicts.pop() if len(verdicts) == 1 else None


def left_out_things(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs with some, but not all of several things that the user has chosen.

    The things must be named by the app itself in the message before, so that it knows them.
    """
    for before, after in confirmations(messages):
        for listing, answer in itertools.pairwise(messages):
            if answer.index > before.index or answer.index == after.index:
                continue
            lost = _lost_things(messages, listing, answer, before)
            if lost:
                text = f'The read-back leaves out "{" and ".join(lost)}"'
                places = (answer.index, answer.said), (before.index, before.text)
                yield contradiction("left_out", text, *places)


def _lost_things(
    messages: Sequence[Message], listing: Message, answer: Message, before: Message
) -> list[str]:
    """The chosen things that a read-back has not got, if it has others and nothing changed."""
    things = _chosen_things(listing, answer)
    text = folded(before.text)
    lost = [thing for thing in things if not contains(text, thing)]
    later = " ".join(folded(m.said) for m in messages if answer.index < m.index <= before.index)
    changed = any(contains(later, thing) for thing in things)
    return lost if len(things) > 1 and len(lost) < len(things) and not changed else []


def _chosen_things(listing: Message, answer: Message) -> list[str]:
    """The things of the app's message that the user's answer names, at least two in a list."""
    # a label such as "Small locker, $12" is one thing, whatever commas it has
    if answer.pressed or is_no(folded(answer.said)) or is_yes(folded(answer.said)):
        return []
    named = folded(listing.text)
    parts = [folded(part) for part in _AND.split(answer.said) if part.strip()]
    things = [
        part
        for part in parts
        if 0 < len(part.split()) <= _THING and concepts(part) and contains(named, part)
    ]
    return things if len(things) == len(parts) else []
