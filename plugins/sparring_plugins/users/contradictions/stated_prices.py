"""The same thing with two amounts: a balance, or a price outside and inside of a summary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from sparring_plugins.language.candidates import ValueCandidate
from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    contradiction,
    contradiction_words,
    names_any,
)

_CENT = 0.005
"""Amounts differ from half a cent on: less is rounding."""
_LABEL_WORDS = 7


@dataclass(frozen=True, slots=True)
class StatedAmount:
    """An amount that a sentence gives for what its words before the amount name."""

    number: float
    label: str
    names: frozenset[str]
    message: Message
    sentence: str


def other_amounts(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find two amounts for one thing in the same words: "your balance is £80.00", then £90.00.

    None if something was done between the two, which may have changed it.
    """
    stated = [price for message in messages for price in _stated_amounts(message) if price.names]
    for before, after in combinations(stated, 2):
        same = before.label == after.label and before.message.index != after.message.index
        if not same or abs(before.number - after.number) <= _CENT:
            continue
        if _may_differ(messages, before, after):
            continue
        text = f"{before.label} is {before.number:.2f} at first and {after.number:.2f} later"
        places = (before.message.index, before.sentence), (after.message.index, after.sentence)
        yield contradiction("price", text, *places)


def _stated_amounts(message: Message) -> Iterator[StatedAmount]:
    """What a message says that something of the user's comes to: "your balance is £80.00"."""
    lists = contradiction_words()
    for sentence, span, number in _single_amounts(message):
        label = folded(sentence[: span.start])
        if names_any(label, lists.owned) and len(label.split()) <= _LABEL_WORDS:
            yield StatedAmount(number, _from_owner(label), _things(label), message, sentence)


def _things(text: str) -> frozenset[str]:
    return frozenset(name for name in concepts(text) if not name.startswith("~"))


def _single_amounts(message: Message) -> Iterator[tuple[str, ValueCandidate, float]]:
    """The sentences of a message with one sure amount alone, that neither ask nor hedge."""
    lists = contradiction_words()
    for sentence in (part for line in message.text.split("\n") for part in sentences(line)):
        amounts = find_money(sentence, ranges=False)
        if len(amounts) != 1 or amounts[0].certainty < 1 or "?" in sentence:
            continue
        number = amount(amounts[0].text)
        if number is not None and not names_any(sentence, (*lists.thresholds, *lists.reductions)):
            yield sentence, amounts[0], number


def _from_owner(label: str) -> str:
    """A label from the word that says whose it is on: "hello mr roe your balance is"."""
    words = label.split()
    owned = {word for phrase in contradiction_words().owned for word in folded(phrase).split()}
    place = next((at for at, word in enumerate(words) if word in owned), 0)
    return " ".join(words[place:])


def _may_differ(messages: Sequence[Message], before: StatedAmount, after: StatedAmount) -> bool:
    """Whether what was done or chosen between two messages may have changed an amount."""
    first, last = before.message.index, after.message.index
    between = [message for message in messages if first <= message.index < last]
    changed = any(message.reply.done for message in between)
    paid = any(find_money(message.said, ranges=False) for message in between)
    return changed or paid or _other_subject(messages, before, after)


def _other_subject(messages: Sequence[Message], before: StatedAmount, after: StatedAmount) -> bool:
    """Whether the user gave two different codes or numbers before the two messages."""
    codes: list[set[str]] = []
    for place in (before.message, after.message):
        recent = [m.said for m in messages if place.index - 2 <= m.index <= place.index]
        codes.append(
            {word for said in recent for word in said.split() if any(map(str.isdigit, word))}
        )
    return bool(codes[0] and codes[1]) and codes[0] != codes[1]


def other_costs(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find a summary whose one amount is not what the app says the thing costs.

    "A cleaning costs 85 €." and "Treatment: cleaning ... Costs: 95 €": only if the summary has no
    other amount, nothing was counted, and the app names no other price for anything.
    """
    prices = [price for message in messages for price in _costs(message)]
    for message in messages:
        number = _summary_amount(message)
        if number is None:
            continue
        for price in prices:
            about = price.message.index != message.index and price.names <= concepts(message.text)
            same = abs(price.number - number) <= _CENT
            if not about or same or _is_variable(messages, price, number):
                continue
            text = f"{price.label} costs {price.number:.2f}, and the summary has {number:.2f}"
            places = (price.message.index, price.sentence), (message.index, message.text)
            yield contradiction("price", text, *sorted(places))


def _summary_amount(message: Message) -> float | None:
    """The only amount of a summary, if it is neither reduced nor the price of one of several."""
    lists = contradiction_words()
    amounts = find_money(message.text, ranges=False)
    special = names_any(message.text, (*lists.reductions, *lists.units))
    if not message.reply.asks("confirm") or len(amounts) != 1 or special:
        return None
    return amount(amounts[0].text)


def _costs(message: Message) -> Iterator[StatedAmount]:
    """What a message says that one thing costs, in a sentence of its own."""
    lists = contradiction_words()
    for sentence, span, number in _single_amounts(message):
        label, rest = folded(sentence[: span.start]), sentence[span.end :]
        verb = next((word for word in lists.costing if f" {word} " in f" {label} "), None)
        is_long = len(label.split()) > _LABEL_WORDS or len(rest.split()) > 1
        # "the balance of your account is $843.14" is no price of anything
        owned = names_any(label, lists.owned)
        if verb is None or is_long or owned or names_any(sentence, lists.units):
            continue
        things = f" {label} ".partition(f" {verb} ")[0].strip()
        # "the professional cleaning costs" is about the last of its words: cleaning
        names = _things(things.rpartition(" ")[2]) or _things(things)
        if names:
            yield StatedAmount(number, things, names, message, sentence)


def _is_variable(messages: Sequence[Message], price: StatedAmount, number: float) -> bool:
    """Whether a price may rightly be another one: the app names it, or something was counted."""
    counted = (message.said.strip() for message in messages)
    if any(said.isdigit() and 1 < int(said[:6]) < _MOST_PIECES for said in counted):
        return True
    listed = {
        amount(span.text) or 0.0
        for message in messages
        # the summary, and what was done after it, repeat the amount in question
        if not message.reply.asks("confirm") and not message.reply.done
        for span in find_money(message.text, ranges=False)
    }
    others = listed - {price.number}
    return any(
        abs(other - expected) <= _CENT
        for other in others
        for expected in (number, abs(number - price.number))
    )


_MOST_PIECES = 100
