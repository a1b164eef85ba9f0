"""Confirmations that go against the read-back: cancelled, another option, an extra, a name."""

import itertools
import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.candidates import find_emails
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.users.agenda.known_values import asked_kinds
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    confirmations,
    contradiction,
)
from sparring_plugins.users.contradictions.read_back import decision, read_statement
from sparring_plugins.users.contradictions.things import named_things, option_groups
from sparring_plugins.users.contradictions.words import contradiction_words, names_any

_CAPITAL = r"[A-ZÀ-Þ][\w'’-]+"
_NAME = re.compile(rf"{_CAPITAL}(?:\s{_CAPITAL}){{1,3}}")
_MOST_CUT = 3
_SHORTEST = 3


def _statements(message: Message) -> str:
    return "\n".join(message.reply.statements)


def _closing(messages: Sequence[Message]) -> Iterator[tuple[Message, Message]]:
    """The read-backs that were said yes to, with what closes the matter, and no next question."""
    for before, after in confirmations(messages):
        reply = after.reply
        if before.reply.asks("confirm") and not reply.asks("confirm", "open", "select"):
            yield before, after


def cancelled_orders(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find a yes to a read-back that is answered with a cancellation that nobody spoke of."""
    lists = contradiction_words()
    for before, after in _closing(messages):
        earlier = [m.said for m in messages if m.index <= after.index]
        # "You wish to cancel RX-501. Do you confirm?" is answered rightly
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
