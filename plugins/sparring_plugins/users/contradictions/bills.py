"""Bills that are wrong: sums, products, forgotten extras, prices of the list, currencies."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring_plugins.language.candidates import ValueCandidate
from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.replies.app_reply import is_yes
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    Thing,
    confirmations,
    contradiction,
    contradiction_words,
    names_any,
    names_thing,
    priced_things,
)

_CENT = 0.005
"""Amounts differ from half a cent on: less is rounding."""
_TWO = 2
"""Currencies of a conversation in which one may be wrong."""

_LEAST = 2
"""Amounts in another currency from which on the total is the odd one."""
_TIMES = re.compile(r"(?<![\w.,/:-])(\d{1,3})\s?[x×*]\s?$")
"""The count before a price: "3 x £18.00 = £54.00"."""
_COUNTED = re.compile(r"(?<![\w.,/:-])(\d{1,3})\s(?:[^\W\d]+\s){1,4}$")
"""The count before a price that is for each: "2 cakes at $16.50 each"."""
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
    alone = [entry for entry in priced if len(entry[2]) == 1 and not entry[2] & said]
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
    signs = (match.group() for match in _CURRENCY.finditer(text))
    return {_SYMBOLS.get(name, name) for name in signs}


# --- A list with its total, and an extra that the total forgets


# "Two large pizzas: £18" states a price; a long sentence with an amount may be about anything.
_LABEL_WORDS = 5
_PER = re.compile(
    r"\b(?:an?|per|each|every|pro|je|im|por|al|par)\s(day|night|week|month|year|hour|tag|nacht|woche"
    r"|monat|jahr|stunde|d[ií]a|noche|semana|mes|año|hora|jour|nuit|semaine|mois|an|heure)\b",
    re.IGNORECASE,
)
"""What an amount is for, which is no other amount: "£45 a month"."""
# "2 x £9" and "@ £9" are prices of one, not the sum of a line.
_MULTIPLIED = re.compile(r"(?:\d\s?[x×*]\s?|@\s?)$|^\s?(?:[x×*]\s?\d)")


def wrong_sums(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find lists of amounts whose total is another number than their sum."""
    for message in messages:
        lines = [line for line in message.text.split("\n") if line.strip()]
        total = _total_line(lines)
        if total is None:
            continue
        items = _items(lines[:total], _unit_of(lines[total]))
        stated = _only_amount(_PER.sub(" ", lines[total]))
        if stated is None or len(items) < 2:
            continue
        added = sum(number for number, _ in items)
        if abs(added - stated) > _CENT:
            listed = "; ".join(line.strip() for _, line in items)
            text = f"The amounts add up to {added:.2f} and not to {stated:.2f}"
            place = (message.index, listed)
            yield contradiction("sum", text, place, (message.index, lines[total].strip()))


def _total_line(lines: Sequence[str]) -> int | None:
    """The index of the one line that begins with a word for a total and has an amount."""
    words = contradiction_words().totals
    places = [
        index
        for index, line in enumerate(lines)
        if names_any(" ".join(line.split()[:3]), words) and find_money(line)
    ]
    return places[0] if len(places) == 1 else None


def _items(lines: Sequence[str], unit: str) -> list[tuple[float, str]]:
    """The amounts of the lines right above a total; none if one of them is not simply added.

    Amounts for a `unit` are added if the total is for the same one: "£45 a month".
    """
    items: list[tuple[float, str]] = []
    for line in lines:
        if not find_money(line):
            continue
        bare = _PER.sub(" ", line) if unit and _unit_of(line) == unit else line
        number = _only_amount(bare)
        if number is None:
            number = _product_result(line)
        if number is None or names_any(bare, contradiction_words().not_added):
            return []
        items.append((number, line))
    return items


def _only_amount(line: str) -> float | None:
    """The amount of a line that has one alone; None for several, for ranges and for multiples."""
    amounts = find_money(line, ranges=False)
    if len(amounts) != 1 or amounts[0].certainty < 1:
        return None
    span = amounts[0]
    if _MULTIPLIED.search(line[: span.start]) or _MULTIPLIED.match(line[span.end :]):
        return None
    return amount(span.text)


def _product_result(line: str) -> float | None:
    """The result of the one product that a line writes out: "Guests: 3 x £18.00 = £54.00"."""
    written = products(line)
    if len(written) != 1 or written[0][1] is None:
        return None
    return amount(written[0][1].text) if len(find_money(line, ranges=False)) == 2 else None


# --- An extra that was taken, with a price of its own


def forgotten_extras(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find totals that are the bare price of the thing though an extra with a price was taken.

    "A child seat is $8.00. Do you need one?" with a yes, "van with child seat, total $60.00", and
    somewhere "Van $60.00": the total has not got the extra in it.
    """
    prices = list(_stated_prices(messages))
    for before, _ in confirmations(messages):
        total = _stated_total(before.text)
        if total is None:
            continue
        for offer, answer in itertools.pairwise(messages):
            extra = _extra_taken(offer, answer)
            if extra is None or answer.index > before.index:
                continue
            price, names = extra
            read_back = concepts(before.text)
            if price <= 0 or not names & read_back or _is_denied(before.text, names):
                continue
            for base, label in prices:
                own = concepts(label) - names
                if abs(base - total) <= _CENT and own and own <= read_back:
                    text = f"The total is the price of {label} alone and leaves out {price:.2f}"
                    yield contradiction(
                        "sum", text, (offer.index, offer.text), (before.index, before.text)
                    )
                    break


def _stated_total(text: str) -> float | None:
    """The one amount in the sentence of a read-back that names a total."""
    for sentence in sentences(text):
        amounts = find_money(sentence, ranges=False)
        if len(amounts) == 1 and names_any(sentence, contradiction_words().totals):
            return amount(amounts[0].text)
    return None


def _is_total_of_unit(text: str) -> bool:
    """Whether a total is that of one day or month: "Total per month: £51", for 3 months."""
    lists = contradiction_words()
    return any(
        names_any(sentence, lists.totals) and _unit_of(sentence)
        for sentence in sentences(text)
        if find_money(sentence)
    )


def _unit_of(line: str) -> str:
    """The unit that the amount of a line is for: "month" of "£45 a month"; empty for none."""
    match = _PER.search(line)
    return match[1].casefold() if match is not None else ""


def _extra_taken(offer: Message, answer: Message) -> tuple[float, frozenset[str]] | None:
    """The price and the names of an extra that the app offered and the user said yes to."""
    questions = [question for question in offer.reply.questions if question.kind != "more"]
    if len(questions) != 1 or not is_yes(folded(answer.said)):
        return None
    amounts = find_money(offer.text, ranges=False)
    if len(amounts) != 1 or _stated_total(offer.text) is not None:
        return None
    number = amount(amounts[0].text)
    names = frozenset(name for name in concepts(questions[0].text) if not name.startswith("~"))
    return (number, names) if number is not None and names else None


def _is_denied(text: str, names: frozenset[str]) -> bool:
    """Whether a text says that there is no such thing."""
    lacks = [folded(word) for word in contradiction_words().lacks]
    words = folded(text).split()
    return any(
        word in lacks and names & concepts(" ".join(words[place + 1 : place + 4]))
        for place, word in enumerate(words)
    )


def _stated_prices(messages: Sequence[Message]) -> Iterator[tuple[float, str]]:
    """The things that the app names with a price right after them: "Tune-up £45.00"."""
    for message in messages:
        texts = [message.text, *(choice.label for choice in message.reply.choices)]
        for text in texts:
            start = 0
            for span in find_money(text, ranges=False):
                label = re.split(r"[,;:.\n(]", text[start : span.start].rstrip(" (:-"))[-1].strip()
                start = span.end
                number = amount(span.text)
                is_total = names_any(label, contradiction_words().totals)
                if number is not None and 0 < len(label.split()) <= _LABEL_WORDS and not is_total:
                    yield number, label


# --- A price for one, a number of them, and a total


def wrong_products(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find read-backs whose total is not the price of one times their number, and extras taken.

    "2 days at $30.00 a day, with dry bag ($4.00). Total: $60.00" has not got the bag in it.
    """
    if _is_reduced(messages):
        return
    offered = [price for price, _ in _stated_prices(messages)]
    for before, _ in confirmations(messages):
        total, product = _stated_total(before.text), _only_product(before.text)
        if total is None or product is None or _is_total_of_unit(before.text):
            continue
        extras = list(_find_extras(messages, before))
        extra = sum(price for price, _ in extras)
        # what is added may be the price of something else that the app has named
        other = round(total - product[0], 2)
        named = any(abs(other - price) <= _CENT for price in offered)
        if abs(other - extra) <= _CENT or (named and (not extras or abs(other) > _CENT)):
            continue
        source = extras[0][1] if extras else before
        more = f" and {extra:.2f}" if extras else ""
        text = f"{product[1]}{more} is {product[0] + extra:.2f} and not {total:.2f}"
        places = (source.index, source.text), (before.index, before.text)
        yield contradiction("product", text, *places)


def _only_product(text: str) -> tuple[float, str] | None:
    """The one number of a text times its one unit price, and how that reads."""
    numbers, prices = _find_counts(text), _find_unit_prices(text)
    if len(numbers) != 1 or len(prices) != 1:
        return None
    return numbers[0] * prices[0], f"{numbers[0]} times {prices[0]:.2f}"


def _find_extras(messages: Sequence[Message], before: Message) -> Iterator[tuple[float, Message]]:
    """The prices of the extras that were taken before a read-back, each with its offer."""
    for offer, answer in itertools.pairwise(messages):
        extra = _extra_taken(offer, answer) if answer.index <= before.index else None
        if extra is not None and extra[0] > 0:
            yield extra[0], offer


def _find_counts(text: str) -> list[int]:
    """The numbers of a text that count days, hours or pieces: "for 3 days"."""
    words = contradiction_words().counted
    return [
        int(match[1])
        for match in re.finditer(r"(?<![\w.,/:-])(\d{1,3})\s([^\W\d]+)", text)
        if folded(match[2]) in words
    ]


def _find_unit_prices(text: str) -> list[float]:
    """The amounts of a text that are the price of one: "$30.00 a day"."""
    units = contradiction_words().units
    return [
        number
        for span in find_money(text, ranges=False)
        if names_any(" ".join(text[span.end :].split()[:2]), units)
        and (number := amount(span.text)) is not None
    ]


def _is_reduced(messages: Sequence[Message]) -> bool:
    """Whether the app speaks of something that makes a total smaller."""
    words = contradiction_words().reductions
    return any(names_any(message.text, words) for message in messages)
