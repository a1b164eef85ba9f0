"""What the app repeats of the user's answers, and confirmations that go against it."""

import itertools
import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.candidates import find_emails
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.replies.app_reply import is_no, is_yes
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    confirmations,
    contradiction,
    contradiction_words,
    named_things,
    names_any,
    option_groups,
)

_AND = re.compile(
    r"(?:(?<!\s)\s+)?[,;]\s*|(?<!\s)\s+(?:and|y|e|und|et|as well as|plus)\s+", re.IGNORECASE
)
_THING = 3
"""Words of a thing that an answer lists."""


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
    # a yes to two questions at once says nothing of either
    if len(asked) != 1 or asked[0].kind not in ("offer", "fact", "confirm"):
        return None
    said = folded(answer.said)
    yes, no = is_yes(said), is_no(said)
    names = frozenset(name for name in concepts(asked[0].text) if not name.startswith("~"))
    # "yes, but only for the first night" decides something else
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
        # "breakfast: yes" and "breakfast: none"
        if colon and names & concepts(label) and len(label.split()) <= 4:
            first = " ".join(folded(value).split()[:1])
            verdicts |= {False} if is_no(first) else {True} if is_yes(first) else set()
            continue
        parts = folded(line).split()
        places = [place for place, word in enumerate(parts) if names & concepts(word)]
        if not places:
            continue
        # "with breakfast", "without any breakfast": the word that decides stands close by
        lead = " ".join(parts[max(0, places[0] - 2) : places[0]])
        if names_any(lead, lists.lacks):
            verdicts.add(False)
        elif names_any(lead, lists.haves):
            verdicts.add(True)
    # "with breakfast, no breakfast on Sunday" says both
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
    # a read-back with none of the things is a short one, and need not list any
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
    # a part that the app has not named may be anything: "ham, olives and be quick"
    return things if len(things) == len(parts) else []


# --- Confirmations that go against the read-back: cancelled, another option, an extra, a name


_CAPITAL = r"[A-ZÀ-Þ][\w'’-]+"
_NAME = re.compile(rf"{_CAPITAL}(?:\s{_CAPITAL}){{1,3}}")
_MOST_CUT = 3
"""Letters that a name may lack at its end: "Paula Jimen" of "Paula Jimenez"."""
_SHORTEST = 3


def _statements(message: Message) -> str:
    return "\n".join(message.reply.statements)


def _closing(messages: Sequence[Message]) -> Iterator[tuple[Message, Message]]:
    """The read-backs that were said yes to, with what closes the matter, and no next question."""
    for before, after in confirmations(messages):
        reply = after.reply
        # a reply with a question of its own has not confirmed yet
        if before.reply.asks("confirm") and not reply.asks("confirm", "open", "select"):
            yield before, after


def cancelled_orders(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find a yes to a read-back that is answered with a cancellation that nobody spoke of."""
    lists = contradiction_words()
    for before, after in _closing(messages):
        earlier = [m.said for m in messages if m.index <= after.index]
        # "You wish to cancel TD-204. Do you confirm?" is answered rightly
        if names_any(" ".join((*earlier, before.text)), lists.cancelling):
            continue
        for sentence in after.reply.statements:
            unreal = names_any(sentence, (*lists.supposed, *lists.other_moments))
            if names_any(sentence, lists.cancelled) and not unreal:
                text = f'The user said "{after.said}", and the app has cancelled it'
                places = (before.index, before.text), (after.index, sentence)
                yield contradiction("cancelled", text, *places)
                break


def denied_in_confirmation(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find confirmations that deny an extra of the read-back, or add one that it denies."""
    for before, after in _closing(messages):
        for offer, answer in itertools.pairwise(messages):
            wanted = decision(offer, answer) if answer.index <= before.index else None
            if wanted is None:
                continue
            agreed = read_statement(before.text, wanted[1])
            stated = read_statement(_statements(after), wanted[1])
            if agreed is None or stated is None or agreed is stated:
                continue
            text = "The confirmation says the opposite of the read-back"
            places = (before.index, before.text), (after.index, _statements(after))
            yield contradiction("refused_extra", text, *places)
            break


def other_choice_confirmed(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find confirmations with another item of a list than the one in the read-back.

    "2 carrot cakes ... Is everything correct?" with a yes, and "Wonderful! 2 black forest cakes".
    """
    for before, after in _closing(messages):
        stated = _statements(after)
        for group in option_groups([m for m in messages if m.index < before.index]):
            agreed, became = named_things(before.text, group), named_things(stated, group)
            # two labels in one text may be the choice and a remark on another item
            if len(agreed) == 1 and len(became) == 1 and agreed != became:
                text = f'The user agreed to "{agreed[0]}", and the confirmation has "{became[0]}"'
                places = (before.index, before.text), (after.index, stated)
                yield contradiction("other_value", text, *places)
                break


# --- Names


def other_names(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find names of somebody else, and names that were cut: "Helen Rourke", "Thank you, Ann Lee".

    Only if the app has asked for the name and was given one of at least two words.
    """
    for asked, answer in itertools.pairwise(messages):
        given = _given_name(asked, answer)
        if given is None:
            continue
        for message in messages[answer.index :]:
            other = _other_name(messages, message, given)
            if other is not None:
                text = f"The user's name is {given}, and the app has {other}"
                places = (answer.index, answer.said), (message.index, message.text)
                yield contradiction("name", text, *places)
                break


def _given_name(asked: Message, answer: Message) -> str | None:
    """The name of at least two words that answers a question for one."""
    questions = [question for question in asked.reply.questions if question.kind != "more"]
    if len(questions) != 1 or "name" not in asked_kinds(questions[0].words):
        return None
    said = answer.said.strip(" .!")
    # "my sister, Ann Lee" is no answer that could be compared
    return said if _NAME.fullmatch(said) else None


def _other_name(messages: Sequence[Message], message: Message, given: str) -> str | None:
    """Another name by which a message addresses the user, or the given one with its end cut."""
    text = _bare(message.text)
    if contains(folded(text), folded(given)):
        return None
    for sentence in (x for line in text.split("\n") for x in sentences(line)):
        cut = _cut_name(sentence, given)
        if cut is not None:
            return cut
        addressed = _addressed(sentence)
        earlier = " ".join(f"{m.said} {_bare(m.text)}" for m in messages if m.index < message.index)
        # the name of a guide that the app has introduced is nobody's mistake
        known = f"{folded(earlier)} {folded(message.said)}".split()
        if addressed and not set(folded(addressed).split()) & {*known, *folded(given).split()}:
            return addressed
    return None


def _bare(text: str) -> str:
    """A text without its e-mail addresses, which may have the user's name in them."""
    for span in reversed(find_emails(text)):
        text = f"{text[: span.start]}@{text[span.end :]}"
    return text


def _addressed(sentence: str) -> str | None:
    """The name of two words or more right after a greeting or thanks: "Thank you, Ann Lee."."""
    for phrase in contradiction_words().addressing:
        lead = re.match(rf"\W*{re.escape(phrase)}[,!]?\s+", sentence, re.IGNORECASE)
        name = None if lead is None else _NAME.match(sentence, lead.end())
        if name is not None and re.match(r"\s*[.,!:]|\s*$", sentence[name.end() :]):
            return name.group()
    return None


def _cut_name(sentence: str, given: str) -> str | None:
    """The given name without the end of its last word: "Paula Jimen" of "Paula Jimenez"."""
    words = given.split()
    first, last = " ".join(words[:-1]), words[-1]
    for size in range(max(_SHORTEST, len(last) - _MOST_CUT), len(last)):
        cut = f"{first} {last[:size]}"
        if re.search(rf"(?<!\w){re.escape(cut)}(?![\w'’.-]*\w)", sentence):
            return cut
    return None
