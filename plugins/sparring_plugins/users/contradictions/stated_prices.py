"""The same thing with two amounts: a balance, or a price outside and inside of a summary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.contradictions.messages import Contradiction, Message, contradiction
from sparring_plugins.users.contradictions.words import contradiction_words, names_any

_CENT = 0.005
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
    stated = [found for message in messages for found in _stated_amounts(message) if found.names]
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
    """The amounts of sentences that have one alone, with the words before it."""
    lists = contradiction_words()
    for sentence in (part for line in message.text.split("\n") for part in sentences(line)):
        found = find_money(sentence, ranges=False)
        number = amount(found[0].text) if len(found) == 1 else None
        if number is None or found[0].certainty < 1 or "?" in sentence:
            continue
        before = folded(sentence[: found[0].start])
        vague = names_any(sentence, (*lists.thresholds, *lists.reductions))
        if vague or not 0 < len(before.split()) <= _LABEL_WORDS:
            continue
        names = frozenset(name for name in concepts(before) if not name.startswith("~"))
        if names_any(before, lists.owned):
            yield StatedAmount(number, _from_owner(before), names, message, sentence)


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
    lists = contradiction_words()
    prices = [price for message in messages for price in _costs(message)]
    for message in messages:
        if not message.reply.asks("confirm") or names_any(message.text, lists.reductions):
            continue
        found = find_money(message.text, ranges=False)
        number = amount(found[0].text) if len(found) == 1 else None
        if number is None or names_any(message.text, lists.units):
            continue
        named = concepts(message.text)
        for price in prices:
            if price.message.index == message.index or not price.names <= named:
                continue
            if abs(price.number - number) <= _CENT or _is_variable(messages, price, number):
                continue
            text = f"{price.label} costs {price.number:.2f}, and the summary has {number:.2f}"
            places = sorted(
                ((price.message.index, price.sentence), (message.index, message.text)),
                key=lambda place: place[0],
            )
            yield contradiction("price", text, places[0], places[1])


def _costs(message: Message) -> Iterator[StatedAmount]:
    """What a message says that one thing costs, in a sentence of its own."""
    lists = contradiction_words()
    for sentence in (part for line in message.text.split("\n") for part in sentences(line)):
        found = find_money(sentence, ranges=False)
        number = amount(found[0].text) if len(found) == 1 else None
        if number is None or "?" in sentence or found[0].certainty < 1:
            continue
        label, rest = sentence[: found[0].start], sentence[found[0].end :]
        verb = next((w for w in lists.costing if f" {w} " in f" {folded(label)} "), None)
        vague = names_any(sentence, (*lists.thresholds, *lists.reductions, *lists.units))
        if verb is None or vague or len(label.split()) > _LABEL_WORDS or len(rest.split()) > 1:
            continue
        things = f" {folded(label)} ".partition(f" {verb} ")[0]
        names = frozenset(name for name in concepts(things) if not name.startswith("~"))
        # "the professional cleaning costs" is about the last of its words: cleaning
        heads = concepts(things.split()[-1]) if things.split() else names
        if names:
            yield StatedAmount(number, things.strip(), heads or names, message, sentence)


def _is_variable(messages: Sequence[Message], price: StatedAmount, number: float) -> bool:
    """Whether a price may rightly be another one: the app names it, or something was counted."""
    others = [
        amount(span.text)
        for message in messages
        if not message.reply.asks("confirm") and message.reply is not price.message.reply
        for span in find_money(message.text, ranges=False)
    ]
    listed = any(
        other is not None
        and (abs(other - number) <= _CENT or abs(abs(number - price.number) - other) <= _CENT)
        for other in others
        if other != price.number
    )
    is_done = [m for m in messages if m.reply.done]
    repeats = any(
        abs((amount(span.text) or 0.0) - number) <= _CENT
        for message in is_done
        for span in find_money(message.text, ranges=False)
    )
    counted = any(
        message.said.strip().isdigit() and 1 < int(message.said.strip()[:6]) < _MOST_PIECES
        for message in messages
    )
    return (listed and not repeats) or counted


_MOST_PIECES = 100
