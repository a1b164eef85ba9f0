"""Bills that are wrong in themselves: products, sums in prose, prices of the list, currencies."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring_plugins.language.candidates import ValueCandidate
from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.users.contradictions.messages import Contradiction, Message, contradiction
from sparring_plugins.users.contradictions.things import Thing, names_thing, priced_things
from sparring_plugins.users.contradictions.words import contradiction_words, names_any

_CENT = 0.005
_TWO = 2
"""Currencies of a conversation in which one may be wrong."""

_LEAST = 2
_TIMES = re.compile(r"(?<![\w.,/:-])(\d{1,3})\s?[x×*]\s?$")
_COUNTED = re.compile(r"(?<![\w.,/:-])(\d{1,3})\s(?:[^\W\d]+\s){1,4}$")
_RESULT = re.compile(r"\s?(?:[^\W\d]+(?:\s[^\W\d]+)?)?[,;]?\s?=?\s?")
_SYMBOLS = {"£": "GBP", "€": "EUR", "$": "USD"}
_CURRENCY = re.compile(r"[£€$]|\b(?:EUR|GBP|USD|CHF)\b")


@dataclass(frozen=True, slots=True)
class Product:
    """A number of pieces and the price of one, as one line or sentence writes them."""

    count: int
    price: float
    end: int


def products(text: str) -> list[tuple[Product, ValueCandidate | None]]:
    """The products that a line or sentence writes out, each with the amount given as its result.

    "3 x £18.00 = £54.00" and "2 cakes at $16.50 each, $33.00 together"; None if no result follows.
    """
    spans = find_money(text, ranges=False)
    written: list[tuple[Product, ValueCandidate | None]] = []
    for place, span in enumerate(spans):
        lead, price = text[: span.start], amount(span.text)
        is_each = names_any(" ".join(text[span.end :].split()[:2]), contradiction_words().units)
        counted = _TIMES.search(lead) or (_COUNTED.search(lead) if is_each else None)
        if counted is None or price is None:
            continue
        after = spans[place + 1] if place + 1 < len(spans) else None
        gap = "" if after is None else text[span.end : after.start]
        # the result stands right behind: "= £54.00" or "each, $33.00 together"
        follows = after is not None and _RESULT.fullmatch(gap) is not None
        is_result = follows and ("=" in gap or _is_subtotal(text, after))
        written.append((Product(int(counted[1]), price, span.end), after if is_result else None))
    return written


def _is_subtotal(text: str, span: ValueCandidate | None) -> bool:
    """Whether an amount is one for several pieces: "$33.00 together"."""
    if span is None:
        return False
    behind = " ".join(text[span.end :].split()[:2])
    return names_any(behind, contradiction_words().subtotals)


def wrong_multiplications(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find products that are written out with a wrong result: "3 x £18.00 = £58.00"."""
    for message in messages:
        for part in _parts(message.text):
            for product, span in products(part):
                stated = None if span is None else amount(span.text)
                right = product.count * product.price
                if stated is None or abs(right - stated) <= _CENT:
                    continue
                if names_any(part, contradiction_words().reductions):
                    continue
                text = f"{product.count} times {product.price:.2f} is {right:.2f}"
                place = (message.index, part)
                yield contradiction("product", f"{text} and not {stated:.2f}", place, place)


def _parts(text: str) -> list[str]:
    return [part for line in text.split("\n") for part in sentences(line)]


# --- A sum in prose


def wrong_prose_sums(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find totals that are not what the sentences before them add up.

    "2 cakes at $16.50 each, $33.00 together, plus $6.00 for the delivery. You pay $33.00 in all."
    Every amount of the message must be the price of one, what they come to, added or the total.
    """
    lists = contradiction_words()
    for message in messages:
        if "\n" in message.text.strip() or names_any(message.text, lists.reductions):
            continue
        sums = _sums(message.text)
        if sums is None:
            continue
        added, stated, place = sums
        if abs(added - stated) > _CENT:
            text = f"The amounts add up to {added:.2f} and not to {stated:.2f}"
            before = (message.index, message.text)
            yield contradiction("sum", text, before, (message.index, place))


def _sums(text: str) -> tuple[float, float, str] | None:
    """What a text adds up, the total that it states, and the sentence of the total."""
    lists = contradiction_words()
    added = 0.0
    subtotals = 0
    total: tuple[float, str] | None = None
    for part in _parts(text):
        spans = find_money(part, ranges=False)
        if len(spans) == 1 and names_any(part, lists.totals):
            number = amount(spans[0].text)
            if number is None or total is not None:
                return None
            total = (number, part)
            continue
        for span in spans:
            number = amount(span.text)
            lead = " ".join(part[: span.start].split()[-1:])
            if number is None:
                return None
            if names_any(lead, lists.added):
                added += number
            elif _is_subtotal(part, span):
                added, subtotals = added + number, subtotals + 1
            elif not names_any(" ".join(part[span.end :].split()[:2]), lists.units):
                return None  # nobody knows what this amount is for
    return (added, *total) if total is not None and subtotals == 1 else None


# --- The price of the list


def other_list_prices(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs that count pieces at another price than the list has for the same thing.

    "1. Holm (£14.50) 2. Skye (£18.00)" in the list, and "to Skye ... 3 x £20.50" in the read-back.
    """
    reductions = contradiction_words().reductions
    if any(names_any(message.text, reductions) for message in messages):
        return
    listed = [thing for message in messages for thing in priced_things(message)]
    for message in messages:
        written = [product for part in _parts(message.text) for product, _ in products(part)]
        thing = _only_thing(message.text, listed)
        if thing is not None and message.reply.asks("confirm") and len(written) == 1:
            yield from _differing(thing, written[0].price, message)


def _only_thing(text: str, listed: Sequence[Thing]) -> Thing | None:
    """The one thing of the lists that a text names; None if it has two prices: sizes, seasons."""
    named = [thing for thing in listed if names_thing(text, thing.label)]
    different = {(folded(thing.label), thing.price) for thing in named}
    return named[0] if len(different) == 1 else None


def _differing(thing: Thing, price: float, message: Message) -> Iterator[Contradiction]:
    if thing.message.index < message.index and abs(thing.price - price) > _CENT:
        text = f"{thing.label} costs {thing.price:.2f} in the list and {price:.2f} here"
        places = (thing.message.index, thing.message.text), (message.index, message.text)
        yield contradiction("price", text, *places)


# --- The currency


def mixed_currencies(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find totals in another currency than all other amounts of the conversation.

    None if the user or another sentence names that currency, as who converts amounts does.
    """
    priced = _priced_sentences(messages)
    if len(set[str]().union(*(currencies for *_, currencies in priced))) != _TWO:
        return
    said = _currencies("\n".join(message.said for message in messages))
    totals = contradiction_words().totals
    alone = [one for one in priced if len(one[2]) == 1 and not one[2] & said]
    for message, part, own in alone:
        if not names_any(part, totals):
            continue
        named = _currencies_elsewhere(priced, part)
        if len(named) < _LEAST or own & set(named):
            continue
        text = f"The total is in {min(own)}, and all other amounts are in {named[0]}"
        place = next(m for m, _, currencies in priced if named[0] in currencies)
        places = (place.index, place.text), (message.index, part)
        yield contradiction("currency", text, *places)


def _currencies_elsewhere(priced: Sequence[tuple[Message, str, set[str]]], part: str) -> list[str]:
    return [currency for _, line, named in priced if line != part for currency in named]


def _priced_sentences(messages: Sequence[Message]) -> list[tuple[Message, str, set[str]]]:
    """The sentences that name a currency, read once: a long conversation has thousands."""
    return [
        (message, part, currencies)
        for message in messages
        for part in _parts(message.text)
        if (currencies := _currencies(part))
    ]


def _currencies(text: str) -> set[str]:
    found = (match.group() for match in _CURRENCY.finditer(text))
    return {_SYMBOLS.get(name, name) for name in found}
