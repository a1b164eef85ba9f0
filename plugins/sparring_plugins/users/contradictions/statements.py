"""Answers that contradict each other, or that are about something else than what was asked."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from sparring_plugins.language.candidates import find_times
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, vocabulary
from sparring_plugins.users.agenda.state.open_form import is_complaint
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    contradiction,
    contradiction_words,
    names_any,
    option_groups,
)
from sparring_plugins.users.contradictions.moments import clock

_CODE = re.compile(r"\b([A-Z]{1,4})-?(\d{2,6})\b")
"""Letters and digits of one code: "A-123", "BK-77"."""
_TOPIC_WORDS = 3
_CLEAR = 4


# --- Opening hours


@dataclass(frozen=True, slots=True)
class Hours:
    """A sentence that says when something is open, without its times, and the times."""

    frame: str
    times: tuple[str, ...]
    sentence: str
    message: Message


def other_hours(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find two different hours in the same words: "open every day from 8 to 18", then "9 to 17".

    None if the user asked about two different things, such as the museum and its café.
    """
    stated = [hours for message in messages for hours in _hours(message)]
    for before, after in combinations(stated, 2):
        same = _is_same_frame(before.frame, after.frame)
        if not same or before.message.index == after.message.index:
            continue
        if before.times == after.times or _other_topic(before, after):
            continue
        text = f"{' to '.join(before.times)} at first and {' to '.join(after.times)} later"
        places = (before.message.index, before.sentence), (after.message.index, after.sentence)
        yield contradiction("hours", text, *places)


def _hours(message: Message) -> Iterator[Hours]:
    for part in (x for line in message.text.split("\n") for x in sentences(line)):
        spans = find_times(part)
        if not spans or "?" in part or not names_any(part, contradiction_words().opening):
            continue
        frame = part
        for span in reversed(spans):
            frame = f"{frame[: span.start]}#{frame[span.end :]}"
        # what stands before "our office is open" may differ: "If you need to change it, ..."
        clause = folded(frame.rpartition(",")[2] or frame)
        yield Hours(clause, tuple(clock(span.text) for span in spans), part, message)


def _is_same_frame(first: str, second: str) -> bool:
    """Whether two sentences differ at most in the words before the last one of their subject.

    "our office is open every day from # to #" and "the ticket office is open every day from # to
    #", but not "the museum is open ..." and "the museum shop is open ...".
    """
    if first == second:
        return True
    halves = [_halves(frame) for frame in (first, second)]
    if not all(subject for subject, _ in halves) or halves[0][1] != halves[1][1]:
        return False
    (one, _), (other, _) = halves
    small = vocabulary().stop
    names = [{word for word in subject if word not in small} for subject in (one, other)]
    same_noun = one[-1] == other[-1] and one[-1] not in small
    return same_noun and (names[0] <= names[1] or names[1] <= names[0])


def _halves(frame: str) -> tuple[list[str], str]:
    """The words before "is open" and the text from there on."""
    parts = frame.split()
    openings = {word for phrase in contradiction_words().opening for word in folded(phrase).split()}
    place = next((at for at, word in enumerate(parts) if word in openings), 0)
    start = place - 1 if place and parts[place - 1] in vocabulary().stop else place
    return parts[:start], " ".join(parts[start:])


def _other_topic(before: Hours, after: Hours) -> bool:
    """Whether the user asked about two things before two sentences that name neither."""
    subject, _ = _halves(before.frame)
    if subject and subject[-1] not in vocabulary().stop:
        return False
    first, second = (_topic(hours.message.said) for hours in (before, after))
    return bool(first and second) and not first & second


def _topic(said: str) -> frozenset[str]:
    return frozenset(name for name in concepts(said) if not name.startswith("~"))


# --- Another item than the one that was asked about


def other_subjects(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find answers that name another item than the question: another code, another of a list.

    "When is order M-2210 ready?" with "Order M-2214: ready on Saturday", and "What is a ticket to
    Holm?" with "A ticket to Skye is £18.00".
    """
    groups = option_groups(messages)
    for message in messages:
        if "?" not in message.said or not message.reply.statements or is_complaint(message.reply):
            continue
        swapped = _other_code(message) or _other_item(message, groups)
        if swapped is None:
            continue
        text = f"The user asked about {swapped[0]}, and the answer is about {swapped[1]}"
        places = (message.index, message.said), (message.index, message.text)
        yield contradiction("subject", text, *places)


def _other_code(message: Message) -> tuple[str, str] | None:
    """The one code of a question and the other one of the same kind in its answer."""
    asked = {match.group(): match[1] for match in _CODE.finditer(message.said.upper())}
    stated = {match.group(): match[1] for match in _CODE.finditer(message.text)}
    if len(asked) != 1 or len(stated) != 1:
        return None
    ((code, kind),), ((other, other_kind),) = asked.items(), stated.items()
    is_other = kind == other_kind and _plain(code) != _plain(other)
    # "not found, it is a code such as M-1234" is an example
    return (code, other) if is_other and not _is_denial(message.text) else None


def _plain(code: str) -> str:
    return code.replace("-", "")


def _is_denial(text: str) -> bool:
    lists = contradiction_words()
    return names_any(text, (*lists.lacks, *lists.closed, *lists.not_understood))


def _other_item(message: Message, groups: Sequence[tuple[str, ...]]) -> tuple[str, str] | None:
    """The one item of a list that a question names, and the other one that its answer names."""
    if message.reply.menu or _is_denial(message.text):
        return None
    statements = folded(" ".join(message.reply.statements))
    for group in groups:
        labels = [label for label in group if len(label.split()) <= _TOPIC_WORDS]
        asked = [label for label in labels if contains(folded(message.said), folded(label))]
        stated = [label for label in labels if contains(statements, folded(label))]
        if len(asked) == 1 and len(stated) == 1 and asked != stated:
            return asked[0], stated[0]
    return None


# --- Another language


def other_languages(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find the one reply that is in another language than all others and than the user.

    Languages are recognised by their small words, so that a short reply is in none.
    """
    counts = [_small_words(message.text) for message in messages]
    main = _language(sum(counts, Counter[str]()))
    if main is None:
        return
    said = sum((_small_words(message.said) for message in messages), Counter[str]())
    speaking = [
        message for message, count in zip(messages, counts, strict=True) if count[main] >= 3
    ]
    odd = [
        (message, language)
        for message, count in zip(messages, counts, strict=True)
        if (language := _language(count)) is not None
        and language != main
        and count[language] >= max(_CLEAR, 3 * count[main])
        and said[main] > said[language]
    ]
    for message, language in odd if len(speaking) > 2 * len(odd) else ():
        text = f"The reply is in {language}, and the conversation in {main}"
        places = (speaking[0].index, speaking[0].text), (message.index, message.text)
        yield contradiction("language", text, *places)


def _small_words(text: str) -> Counter[str]:
    """How many small words of each language a text has."""
    parts = folded(text).split()
    small = vocabulary().small
    return Counter({name: sum(word in words for word in parts) for name, words in small.items()})


def _language(count: Counter[str]) -> str | None:
    """The language with the most small words, if there are enough and no other has as many."""
    ranked = [*count.most_common(2), ("", 0), ("", 0)]
    (first, most), (_, next_most) = ranked[:2]
    return first if most >= _CLEAR and most > next_most else None
