"""Questions and replies that come again without need, and options that lead nowhere."""

import itertools
import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.candidates import date_spans, find_emails, find_times
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, is_no, is_yes
from sparring_plugins.users.agenda.state.open_form import is_complaint
from sparring_plugins.users.agenda.words.knowledge import says
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    contradiction,
    contradiction_words,
    names_any,
)
from sparring_plugins.users.contradictions.moments import weekdays_of

_RANGE = re.compile(r"\b(\d{1,4})\s?(?:-|–|to|bis|a|à|until|and)\s?(\d{1,4})\b")
"""A range is what is allowed, and none of its ends a limit: "5-10"."""
_WHOLE = re.compile(r"\s*(\d{1,4})\s*\.?\s*")
_ANSWER_WORDS = 6
"""Words of a plain answer at most: "I'd rather ..." may begin a form anew."""
_AGAIN = 2
"""Valid answers to the same words after which a question asked once more is a loop."""


def repeated_questions(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find questions that are put in the same words after valid answers, without a complaint."""
    first = 0
    while first < len(messages):
        last = first
        while last + 1 < len(messages) and _is_same(messages[first], messages[last + 1]):
            last += 1
        if last - first >= _AGAIN and not is_complaint(messages[first].reply):
            answers = messages[first + 1 : last + 1]
            valid = [answer for answer in answers if _is_valid(messages[first], answer.said)]
            if len(valid) >= _AGAIN:
                asked = messages[first]
                text = f'The same question comes again after "{valid[0].said}"'
                later = (valid[-1].index, valid[-1].text)
                yield contradiction("asked_again", text, (asked.index, asked.text), later)
        first = last + 1


def _is_same(message: Message, other: Message) -> bool:
    return bool(message.text) and message.text == other.text and not other.reply.fallback


def _is_valid(asked: Message, said: str) -> bool:
    """Whether what the user said is surely an answer of the kind that the question wants."""
    questions = [question for question in asked.reply.questions if question.kind != "more"]
    # a list of what is on, with "Anything else?" below, asks for none of its items
    if len(questions) != 1 or "?" not in questions[0].text:
        return False
    if has_cue(questions[0].words, "more") or has_cue(questions[0].words, "help"):
        return False
    if has_cue(questions[0].words, "asks_number") and not _RANGE.search(asked.text):
        number = _WHOLE.fullmatch(said)
        limits = [int(match) for match in re.findall(r"\d{1,4}", asked.text)]
        return number is not None and all(0 < int(number[1]) <= limit for limit in limits)
    return is_valid_answer(questions[0], asked.text, said)


def forgotten_answers(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find questions that come again after they were answered and others were asked in between.

    None if anything was confirmed, changed, called off or not understood in between.
    """
    for place, asked in enumerate(messages[:-1]):
        answer = messages[place + 1]
        if not _is_valid(asked, answer.said) or _reopens(answer, asked):
            continue
        for between, message in enumerate(messages[place + 2 :]):
            if _is_break(message, answer):
                break
            same = _only_question(message) == _only_question(asked)
            if same and between:
                text = f'The app asks again what "{answer.said}" has answered'
                places = (answer.index, answer.said), (message.index, message.text)
                yield contradiction("asked_again", text, *places)
                return


def _reopens(answer: Message, asked: Message) -> bool:
    """Whether a reply did not take an answer: a complaint, or the same question once more."""
    reply = answer.reply
    same = _only_question(answer) == _only_question(asked)
    ends = reply.asks("confirm", "more") or not reply.questions
    return is_complaint(reply) or reply.fallback or reply.turns_down or ends or same


def _only_question(message: Message) -> str:
    questions = [question for question in message.reply.questions if question.kind != "more"]
    return questions[0].words if len(questions) == 1 else ""


def _is_break(message: Message, answer: Message) -> bool:
    """Whether a turn may be the reason why a form is asked for again."""
    reply = message.reply
    ends = reply.done or reply.asks("confirm", "more") or not reply.questions
    misses = is_complaint(reply) or reply.fallback or reply.turns_down
    # only plain answers go on with a form: "I'd rather ..." may begin it anew
    talks = "?" in message.said or len(message.said.split()) > _ANSWER_WORDS
    return ends or misses or talks or (folded(message.said) == folded(answer.said))


def is_valid_answer(question: AppQuestion, text: str, said: str) -> bool:
    """Return whether what the user said is surely an answer to a question in a text."""
    words = folded(said)
    if question.options:
        return words in map(folded, question.options) or said.strip() in question.marks
    limits = _RANGE.search(text)
    if limits is not None:
        number = re.fullmatch(r"\s*(\d{1,4})\s*\.?", said)
        return number is not None and int(limits[1]) <= int(number[1]) <= int(limits[2])
    if question.kind in ("confirm", "offer", "fact"):
        return is_yes(words) or is_no(words)
    asks = question.words
    if "e mail" in asks or "email" in asks:
        return bool(find_emails(said))
    if " date" in asks or " day" in asks:
        return any(span.certainty >= 1 for span in date_spans(said))
    if " time" in asks:
        return bool(find_times(said))
    # "Your address?" with "14 Mill Road": a value that shows by its looks what it is
    asked = asked_kinds(asks) & {"address", "email", "phone", "date", "time"}
    return len(asked) == 1 and any(fact.kinds & asked for fact in facts_of((said,)))


def same_replies(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find replies that come word for word after three messages about different things.

    A reply that asks, complains or does not understand may come again: the user has not said yet
    what it wants to know. So may a reply to the same wish in other words. Two messages may be taken
    for one question by an app that understands neither: that is no loop.
    """
    for first, second, message in zip(messages, messages[1:], messages[2:], strict=False):
        alike = _is_same_for_other(first, second) and _is_same_for_other(second, message)
        if not alike or concepts(first.said) & concepts(message.said):
            continue
        text = f'"{message.said}" gets the reply that "{first.said}" got'
        places = (first.index, first.text), (message.index, message.text)
        yield contradiction("stuck", text, *places)


def _is_same_for_other(earlier: Message, message: Message) -> bool:
    """Whether a reply repeats the one before, to a message with which it has nothing to do."""
    reply = message.reply
    if not reply.text or reply.text != earlier.text or not earlier.said:
        return False
    if reply.questions or reply.choices or reply.fallback or is_complaint(reply):
        return False
    if names_any(reply.text, contradiction_words().not_understood):
        return False
    before, now = concepts(earlier.said), concepts(message.said)
    # one answer may be right for two questions, and a list of skills is help
    helps = bool(concepts(reply.text) & now) or says(folded(reply.text), "abilities")
    return bool(before and now) and not before & now and not helps


def dead_ends(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find options that the app offers and, once they are chosen, does not know or have.

    "2. Skye" with "Sorry, we don't sail to Skye."; but "Skye is fully booked" may well be.
    """
    lists = contradiction_words()
    for offer, answer in itertools.pairwise(messages):
        if not answer.text or is_no(folded(answer.said)):
            continue
        unavailable = answer.pressed and names_any(answer.text, lists.unavailable)
        denied = _denies_option(offer, answer)
        if (unavailable or denied) and not answer.reply.done:
            text = f'The app offers "{answer.said}" and then does not have it'
            yield contradiction(
                "dead_end", text, (offer.index, offer.text), (answer.index, answer.text)
            )


def _denies_option(offer: Message, answer: Message) -> bool:
    """Whether the reply to an option says that there is no such thing, now or ever."""
    lists = contradiction_words()
    options = {option for question in offer.reply.questions for option in question.options}
    options |= {choice.label for choice in offer.reply.choices}
    if answer.said not in options or names_any(answer.said, lists.closed):
        return False
    if answer.reply.asks("confirm", "offer", "fact"):
        return False  # a summary repeats the user: "my laptop does not start, urgency high"
    label = answer.said.partition("(")[0].strip()
    return any(
        _comes_right_after(folded(sentence), lists.not_offered, folded(label))
        and not names_any(sentence, (*lists.closed, *lists.exceptions, *lists.temporary))
        and not weekdays_of(sentence)
        for sentence in answer.reply.statements
    )


def _comes_right_after(sentence: str, phrases: Sequence[str], label: str) -> bool:
    """Whether a label stands at most three words after a phrase: "don't sail to Skye"."""
    for phrase in phrases:
        _, phrase_found, rest = f" {sentence} ".partition(f" {folded(phrase)} ")
        lead, named, _ = f" {rest}".partition(f" {label} ")
        if phrase_found and named and len(lead.split()) <= _ANSWER_WORDS // 2:
            return True
    return False
