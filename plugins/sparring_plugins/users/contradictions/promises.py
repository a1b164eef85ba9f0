"""What the app said of its prices, limits and days, and does not keep to."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring_plugins.language.candidates import ValueCandidate, date_spans
from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.replies.app_reply import is_no
from sparring_plugins.users.agenda.state.open_form import is_complaint
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    confirmations,
    contradiction,
    contradiction_words,
    names_any,
)
from sparring_plugins.users.contradictions.moments import weekdays_of

_CENT = 0.005
"""Prices differ from half a cent on: less is rounding."""
_LABEL_WORDS = 4
_LIMITS = re.compile(
    r"\b(?P<low>\d{1,4})\s?(?:-|\u2013|to|bis|a|à|until|y)\s?(?P<high>\d{1,4})\b(?!\s?[./:]\d)"
)
"""The least and the most that are allowed: "How many days (1 to 9)?"."""
_CLAUSE_END = re.compile(r"[,;:]\s+")
_NUMBER = re.compile(r"(?<![\w.,/:-])(\d{1,4})(?![\w/:-]|[.,]\d)")
_BARE_NUMBER = re.compile(r"\s*(\d{1,4})\s*\.?\s*(?:[^\W\d]+\s*)?[.!]?")


# --- The price of one piece, one day, one hour


@dataclass(frozen=True, slots=True)
class UnitPrice:
    """What one of something costs, with the words that name the thing."""

    number: float
    names: frozenset[str]
    label: str
    place: Message


def other_prices(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs with another price a unit than the list has for the same thing.

    "Kayak: $30.00 a day" in the list, and "a kayak for 2 days at $35.00 a day" in the read-back.
    """
    listed = list(_unit_prices(messages))
    for before, _ in confirmations(messages):
        stated = [span for span in _unit_amounts(before.text) if span > 0]
        names = concepts(before.text)
        prices = [
            price
            for price in listed
            if price.place.index < before.index and price.names and price.names <= names
        ]
        labels = {price.names for price in prices}
        if len(stated) != 1 or len(labels) != 1:
            continue
        if all(abs(price.number - stated[0]) > _CENT for price in prices):
            price = prices[-1]
            text = f"{price.label} costs {price.number:.2f} in the list and {stated[0]:.2f} here"
            places = (price.place.index, price.place.text), (before.index, before.text)
            yield contradiction("price", text, *places)


def _unit_prices(messages: Sequence[Message]) -> Iterator[UnitPrice]:
    """The things that the app names with a price for one of them: "Kayak: $30.00 a day"."""
    for message in messages:
        for text in re.split(r"[\n;]|,\s(?!\d)|\.\s", message.text):
            spans = find_money(text, ranges=False)
            if len(spans) != 1:
                continue
            label = text[: spans[0].start].strip(" :-\u2013(*\u2022")
            number = amount(spans[0].text)
            is_total = names_any(label, contradiction_words().totals)
            if number is None or is_total or not 0 < len(label.split()) <= _LABEL_WORDS:
                continue
            if names_any(_words_after(text, spans[0].end), contradiction_words().units):
                yield UnitPrice(number, concepts(label), label, message)


def _unit_amounts(text: str) -> Iterator[float]:
    for span in find_money(text, ranges=False):
        number = amount(span.text)
        if number is not None and names_any(
            _words_after(text, span.end), contradiction_words().units
        ):
            yield number


def _words_after(text: str, end: int) -> str:
    """The two words after an amount."""
    return " ".join(text[end:].split()[:2])


# --- A limit that the app names with its question


def ignored_limits(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find numbers that are accepted though the question says that they cannot be.

    "How many days (1 to 9)?" with "12", and "12 days" in what is read back.
    """
    for asked, answer in itertools.pairwise(messages):
        number = _BARE_NUMBER.fullmatch(answer.said)
        limits = _find_limits(asked)
        refused = is_complaint(answer.reply) or answer.reply.fallback or answer.text == asked.text
        if number is None or limits is None or refused:
            continue
        if limits[0] <= int(number[1]) <= limits[1]:
            continue
        for later in messages[answer.index :]:
            if re.search(rf"(?<![\w.,/:-]){number[1]}(?![\w/:-]|[.,]\d)", later.text):
                allowed = f"{limits[0]} to {limits[1]}"
                text = f'The question allows {allowed}, and "{answer.said}" is accepted'
                places = (asked.index, asked.text), (later.index, later.text)
                yield contradiction("limit", text, *places)
                break


def _find_limits(asked: Message) -> tuple[int, int] | None:
    """The range of numbers that the one open question of a message allows, with what is beside it.

    "How many days (1 to 9)?", "For how many guests (at most 6)?", "How many? We bake up to 10."
    """
    questions = [question for question in asked.reply.questions if question.kind != "more"]
    if len(questions) != 1 or questions[0].options:
        return None
    limits = [(int(m["low"]), int(m["high"])) for m in _LIMITS.finditer(questions[0].text)]
    if not limits and has_cue(questions[0].words, "asks_number"):
        limits = [(0, most) for most in _find_maxima(asked.text)]
    return limits[0] if len(limits) == 1 and limits[0][0] < limits[0][1] else None


def _find_maxima(text: str) -> Iterator[int]:
    """The numbers that a text calls the most that is allowed, if it has no other number."""
    if find_money(text, ranges=False):
        return
    numbers = list(_NUMBER.finditer(_without_dates(text)))
    for match in numbers if len(numbers) == 1 else ():
        lead = " ".join(_without_dates(text)[: match.start()].split()[-3:])
        words = f" {folded(lead)} "
        if any(words.endswith(f" {folded(word)} ") for word in contradiction_words().maximum):
            yield int(match[1])


# --- A number that the user gave


def other_quantities(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs with another number of the things than the user gave when it was asked.

    "How many kayaks?" with "3", and "2 kayaks on Friday" in the read-back.
    """
    for before, _ in confirmations(messages):
        counts, chosen = _find_answers(messages[: before.index + 1])
        numbers = set(re.findall(r"(?<![\w.,/:-])\d{1,4}(?![\w/:-]|[.,]\d)", before.text))
        if len(counts) != 1:
            continue  # with two numbers nobody knows which one a third should be
        ((answer, count, names),) = counts.values()
        if _is_refused_number(answer, count):
            continue
        things = frozenset(name for name in names | chosen if not name.startswith("~"))
        other = _find_count(_without_dates(before.text), things)
        if count not in numbers and other is not None and other != count:
            text = f'The user said "{answer.said}", and the read-back has {other}'
            places = (answer.index, answer.said), (before.index, _line_with(before.text, other))
            yield contradiction("quantity", text, *places)


def _is_refused_number(answer: Message, count: str) -> bool:
    """Whether the reply to a number names other numbers: "We can book 1 to 6 at a time."."""
    if answer.reply.asks("confirm"):
        return False  # the read-back follows at once
    stated = " ".join(answer.reply.statements)
    numbers = set(_NUMBER.findall(_without_dates(stated))) - {count}
    return bool(numbers) and not find_money(stated, ranges=False)


def _line_with(text: str, number: str) -> str:
    """The line of a text that has a number in it, which a long read-back would cut off."""
    lines = [line for line in text.split("\n") if number in _NUMBER.findall(_without_dates(line))]
    return lines[0] if len(lines) == 1 else text


def _find_answers(
    messages: Sequence[Message],
) -> tuple[dict[str, tuple[Message, str, frozenset[str]]], frozenset[str]]:
    """The numbers given to questions for one, with what they count, and the options chosen."""
    counts: dict[str, tuple[Message, str, frozenset[str]]] = {}
    chosen: frozenset[str] = frozenset()
    for asked, answer in itertools.pairwise(messages):
        number = _BARE_NUMBER.fullmatch(answer.said)
        if number is None or not int(number[1]):
            chosen |= concepts(answer.said) if answer.pressed else frozenset()
            continue
        questions = [q for q in asked.reply.questions if has_cue(q.words, "asks_number")]
        if len(questions) == 1 and not is_complaint(answer.reply):
            names = concepts(questions[0].text)
            counts[questions[0].words] = (answer, number[1], names)
    return counts, chosen


def _without_dates(text: str) -> str:
    """A text without its dates: "6 March" counts nothing."""
    for span in reversed(date_spans(text)):
        text = f"{text[: span.start]} . {text[span.end :]}"
    return text


def _find_count(text: str, things: frozenset[str]) -> str | None:
    """The one number that stands right before one of some things."""
    numbers = {
        match[1]
        for match in re.finditer(r"(?<![\w.,/:-])(\d{1,4})\s([^\W\d]+)", text)
        if concepts(match[2]) & things
    }
    # "Passengers: 3 x £18.00" counts what its label names
    for match in re.finditer(r"([^\n:;,]{3,30}):\s(\d{1,3})\s?[x×]\s", text):
        numbers |= {match[2]} if concepts(match[1]) & things else set()
    return numbers.pop() if len(numbers) == 1 else None


# --- An answer that replaces an earlier one


def ignored_changes(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs with the first of two answers to one question, and not with the second.

    The app asks again only after the user wanted something changed.
    """
    for before, _ in confirmations(messages):
        for given in _find_replaced(messages[: before.index + 1]):
            old, new = given[0], given[-1]
            if _is_command(old) or _is_command(new):
                continue
            text = folded(before.text)
            keeps = _contains_value(text, old.said) and not _contains_value(text, new.said)
            if keeps and not _contains_value(folded(new.said), old.said):
                message = f'The user changed "{old.said}" to "{new.said}"'
                places = (new.index, new.said), (before.index, before.text)
                yield contradiction("change", message, *places)


def _find_replaced(messages: Sequence[Message]) -> list[list[Message]]:
    """The answers to each question that was answered more than once, without a complaint."""
    answers: dict[str, list[Message]] = {}
    for asked, answer in itertools.pairwise(messages):
        questions = [question for question in asked.reply.questions if question.kind != "more"]
        accepted = not is_complaint(answer.reply) and not answer.reply.fallback
        if len(questions) == 1 and questions[0].words and answer.said and accepted:
            answers.setdefault(questions[0].words, []).append(answer)
    return [given for given in answers.values() if len(given) > 1]


def _is_command(message: Message) -> bool:
    """Whether an answer says yes or no, or is too short or too long to be a value."""
    words = folded(message.said)
    return is_no(words) or len(words) < 3 or len(words.split()) > 6 or not concepts(words)


def _contains_value(text: str, value: str) -> bool:
    return f" {folded(value)} " in f" {text} "


# --- Days on which there is nothing


def closed_days(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs for a weekday on which the app said that the thing is not to be had.

    "The kayaks are all booked on Friday", and later "a kayak, Friday 4 June".
    """
    lists = contradiction_words()
    refusals: list[tuple[Message, str, frozenset[str], str]] = []
    for message in messages:
        for sentence in sentences(message.text):
            days = weekdays_of(sentence)
            denied = names_any(sentence, lists.closed)
            if len(days) != 1 or not denied or names_any(sentence, lists.exceptions):
                continue
            names = frozenset(name for name in concepts(sentence) if not name.startswith("~"))
            refusals.append((message, days[0], names, sentence))
    for before, after in confirmations(messages):
        days = weekdays_of(before.text)
        said = concepts(before.text)
        for message, day, names, sentence in refusals:
            if message.index >= before.index or days != [day] or not names & said:
                continue
            if is_complaint(after.reply) or after.reply.refusal:
                continue
            text = f"The app said that there is none on {day}, and books it"
            yield contradiction(
                "closed", text, (message.index, sentence), (before.index, before.text)
            )


def full_options(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs of an option that its own label says is not to be had.

    "2) 11:15 (fully booked)" in the list, and "Departure: 11:15" in what is confirmed.
    """
    marked = [full for message in messages for full in _full_options(message)]
    for before, after in confirmations(messages):
        if is_complaint(after.reply) or after.reply.refusal or not before.reply.asks("confirm"):
            continue
        for message, label, option in marked:
            booked = _contains_value(folded(before.text), label)
            # "11:15 is full" may have been true of another day
            listings = [m for m in messages if message.index <= m.index < before.index]
            if listings and booked and not any(_offers(listing, label) for listing in listings):
                text = f'The list has "{option}", and the read-back has it all the same'
                places = (message.index, message.text), (before.index, before.text)
                yield contradiction("closed", text, *places)
                break


def _full_options(message: Message) -> Iterator[tuple[Message, str, str]]:
    """The options of a message that are marked as not to be had, without and with the mark."""
    for question in message.reply.questions:
        for option in question.options:
            label, _, note = option.partition("(")
            if label.strip() and names_any(note, contradiction_words().closed):
                yield message, label.strip(), option


def _offers(message: Message, label: str) -> bool:
    """Whether a message offers an option by its bare label."""
    return any(folded(label) in map(folded, q.options) for q in message.reply.questions)


# --- A fee that is waived from a sum on


def unapplied_waivers(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find totals with a fee that the app waives from a sum on, though the order reaches it.

    "Delivery is $5.00 and free from $50.00", "Kayak $60.00" and a total of $65.00.
    """
    lists = contradiction_words()
    said = [
        (message, sentence, find_money(sentence, ranges=False))
        for message in messages
        for sentence in sentences(message.text)
    ]
    for message, sentence, spans in said:
        waived = names_any(sentence, lists.free) and names_any(sentence, lists.thresholds)
        if len(spans) == 2 and waived:
            # the sum that the fee is waived from is no price of anything
            others = [found for _, other, found in said if other != sentence]
            prices = {amount(span.text) for found in others for span in found}
            yield from _charged_fees(messages, (message.index, sentence), spans, prices)


def _charged_fees(
    messages: Sequence[Message],
    place: tuple[int, str],
    spans: Sequence[ValueCandidate],
    prices: set[float | None],
) -> Iterator[Contradiction]:
    """Find read-backs whose total is a price that reaches the sum, and the fee."""
    fee, threshold = amount(spans[0].text), amount(spans[1].text)
    if fee is None or threshold is None or not 0 < fee < threshold:
        return
    for before, _ in confirmations(messages):
        total = _find_total(before.text)
        base = None if total is None else round(total - fee, 2)
        if base is not None and base >= threshold and base in prices:
            text = f"The total has {fee:.2f} in it, which is waived from {threshold:.2f} on"
            yield contradiction("waiver", text, place, (before.index, before.text))


def _find_total(text: str) -> float | None:
    for sentence in re.split(r"[\n.;]\s", text):
        spans = find_money(sentence, ranges=False)
        if spans and names_any(sentence, contradiction_words().totals):
            return amount(spans[-1].text)
    return None


# --- A breakdown that the app reports itself


def breakdowns(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find replies in which the app says that it has broken down."""
    for place, message in enumerate(messages):
        for sentence in sentences(message.text):
            phrases = _find_breakdowns(sentence)
            said = [earlier.said for earlier in messages[: place + 1]] if phrases else []
            # "I have noted: lamp shows internal error" repeats the user's own report
            if all(any(names_any(text, (phrase,)) for text in said) for phrase in phrases):
                continue
            text = "The app says that it has broken down"
            earlier = (message.index, message.said or message.text)
            yield contradiction("breakdown", text, earlier, (message.index, sentence))
            break


def _find_breakdowns(sentence: str) -> list[str]:
    """The phrases by which a sentence states a breakdown, and does not only speak of one.

    Returns:
        the phrases; none for "You can tell us that something went wrong", "if an error occurred",
        "Something went wrong? Call us" and "There was no internal error".
    """
    lists = contradiction_words()
    if not names_any(sentence, lists.breakdowns):
        return []
    clauses = _CLAUSE_END.split(sentence)
    if clauses[-1].rstrip().endswith("?"):
        clauses.pop()  # but "Something went wrong, shall I try again?" states it before it asks
    phrases: list[str] = []
    for clause in clauses:
        text = f" {folded(clause)} "
        for phrase in lists.breakdowns:
            lead, match, _ = text.partition(f" {folded(phrase)} ")
            if match and not _is_unreal(lead):
                phrases.append(phrase)
    return phrases


def _is_unreal(lead: str) -> bool:
    """Whether the words before a statement deny it, or make it a condition, a wish or a meaning."""
    lists = contradiction_words()
    # only the last word may deny: "no" begins a Portuguese sentence as "in the"
    return names_any(" ".join(lead.split()[-1:]), lists.lacks) or names_any(lead, lists.supposed)
