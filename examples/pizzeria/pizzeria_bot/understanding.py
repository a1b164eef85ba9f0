"""From a customer's words to what they mention: keywords and patterns, nothing clever."""

import re
import unicodedata
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, time

from pizzeria_bot import vocabulary as words
from pizzeria_bot.menu import BOOKING_YEAR, MONTHS
from pizzeria_bot.vocabulary import Kind, Topic
from pizzeria_bot.weak_spots import WeakSpot

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_PHONE = re.compile(r"(?<![\w-])\+?\(?\d(?:[ ()-]{0,2}\d){6,14}(?!\d)")
_HOUR = re.compile(r"\b(\d{1,2})(?:[:.h](\d{2}))?\s?(am|pm|h)?\b")
_ISO_DAY = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_NAMED_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of| de)? ([a-z]{3,10})(?:,? (\d{4}))?\b")
_US_DAY = re.compile(r"\b([a-z]{3,10}) (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b")
_PEOPLE = re.compile(r"\b(\w+) (?:people|persons?|guests|of us|personas)\b|\btable for (\w+)\b")
_OTHER_DRINK = re.compile(r"\b(?:cans?|bottles?|glass(?:es)?|latas?) (?:of|de) ([a-z]+)")
_SPANISH_MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_ABOUT_THE_MENU = words.LISTS | {Topic.PRICES}
_MONTHS = {name.casefold(): n for n, name in enumerate(MONTHS, 1)} | {
    name: n for n, name in enumerate(_SPANISH_MONTHS.split(), 1)
}


@dataclass(frozen=True, slots=True)
class Heard:
    """What was understood of one message; `text` is the message in lower case, without accents."""

    text: str
    pizza: str | None = None
    pizza_quantity: int = 1
    size: str | None = None
    toppings: tuple[str, ...] = ()
    drinks: tuple[tuple[str, int], ...] = ()
    number: int | None = None
    topics: tuple[Topic, ...] = ()
    email: str | None = None
    phone: str | None = None
    day: date | None = None
    hour: time | None = None
    people: int | None = None
    decision: bool | None = None

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether one of the phrases of a pattern of the vocabulary occurs."""
        return bool(pattern.search(self.text))

    @property
    def asks(self) -> bool:
        """Whether a topic is asked about."""
        return bool(self.topics) and self.says(words.QUESTION)

    @property
    def only_asks(self) -> bool:
        """Whether what is mentioned is asked about rather than wished for."""
        mentions = self.pizza or self.size or self.toppings or self.drinks
        about = not mentions or not _ABOUT_THE_MENU.isdisjoint(self.topics)
        return self.asks and about and not self.says(words.WISH)

    @property
    def other_drink(self) -> str | None:
        """A drink that is asked for by its can or bottle and is not on the menu."""
        found = None if self.drinks else _OTHER_DRINK.search(self.text)
        return found[1] if found else None


def understand(message: str, weak: AbstractSet[WeakSpot]) -> Heard:
    """What a message mentions."""
    text = _plain(message)
    email, phone = _first(_EMAIL, text), _first(_PHONE, _ISO_DAY.sub(" ", text))
    rest = text.replace(email or "\0", " ").replace(phone or "\0", " ")
    day, rest = _day(rest)
    numbers = words.NUMBERS if WeakSpot.NUMBER_WORDS in weak else words.MORE_NUMBERS
    menu = _Menu(rest, numbers)
    return Heard(
        text=text,
        pizza=menu.pizza,
        pizza_quantity=menu.pizza_quantity,
        size=menu.size,
        toppings=tuple(menu.toppings),
        drinks=tuple(menu.drinks.items()),
        number=menu.number,
        topics=tuple(topic for topic, shown in words.TOPICS.items() if re.search(shown, text)),
        email=email,
        phone=re.sub(r"[ ()-]", "", phone) if phone else None,
        day=day,
        hour=_hour(rest),
        people=_people(rest, numbers),
        decision=_decision(text, weak),
    )


def _plain(message: str) -> str:
    """Lower case, without accents, control characters and doubled blanks."""
    folded = unicodedata.normalize("NFKD", message.casefold())
    kept = "".join(c for c in folded if not unicodedata.combining(c))
    return " ".join(kept.replace("\u2019", "'").split())


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found[0] if found else None


def _decision(text: str, weak: AbstractSet[WeakSpot]) -> bool | None:
    """Yes, no or neither; a "no" anywhere outweighs every yes."""
    if words.NO.search(text) or (WeakSpot.NO_IN_WORDS in weak and "no" in text):
        return False
    return True if words.YES.search(text) else None


def _day(text: str) -> tuple[date | None, str]:
    """The first day named, and the text without it."""
    for pattern, order in ((_ISO_DAY, "ymd"), (_NAMED_DAY, "dmy"), (_US_DAY, "mdy")):
        for found in pattern.finditer(text):
            part = dict(zip(order, found.groups(), strict=True))
            month = _MONTHS.get(part["m"]) or (int(part["m"]) if part["m"].isdecimal() else 0)
            try:
                day = date(int(part["y"] or BOOKING_YEAR), month, int(part["d"]))
            except ValueError:
                continue
            return day, text.replace(found[0], " ")
    return None, text


def _hour(text: str) -> time | None:
    """The first time of day named with minutes or with am, pm or h."""
    for found in _HOUR.finditer(text):
        hour, minute, half = int(found[1]), int(found[2] or 0), found[3]
        if found[2] is None and half is None:
            continue
        hour = hour % 12 + (12 if half == "pm" else 0) if half in ("am", "pm") else hour
        if hour < 24 and minute < 60:
            return time(hour, minute)
    return None


def _people(text: str, numbers: dict[str, int]) -> int | None:
    found = _PEOPLE.search(text)
    return _number((found[1] or found[2]), numbers) if found else None


def _number(word: str, numbers: dict[str, int]) -> int | None:
    if word.isdecimal():
        return int(word[:6])
    return numbers.get(word)


class _Menu:
    """The items of the menu in a text, each with the number that stands shortly before it."""

    _REACH = 4

    def __init__(self, text: str, numbers: dict[str, int]) -> None:
        self.pizza: str | None = None
        self.pizza_quantity = 1
        self.size: str | None = None
        self.toppings: list[str] = []
        self.drinks: dict[str, int] = {}
        self.number: int | None = None
        self._counted = (1, -self._REACH)
        self._read(re.findall(r"\d+|[a-z']+", text), numbers)

    def _read(self, tokens: list[str], numbers: dict[str, int]) -> None:
        at = 0
        while at < len(tokens):
            length = self._phrase_at(tokens, at)
            if not length:
                self._count(tokens[at], at, numbers)
            at += length or 1

    def _phrase_at(self, tokens: list[str], at: int) -> int:
        """How many words from `at` on are a phrase of the menu."""
        for length in range(min(words.LONGEST, len(tokens) - at), 0, -1):
            found = words.PHRASES.get(tuple(tokens[at : at + length]))
            if found:
                self._mention(*found, at)
                return length
        return 0

    def _count(self, word: str, at: int, numbers: dict[str, int]) -> None:
        number = _number(word, numbers)
        if number is not None:
            self.number = number
        if number is not None or word in words.ARTICLES:
            self._counted = (1 if number is None else number, at)

    def _mention(self, kind: Kind, item: str, at: int) -> None:
        match kind:
            case Kind.PIZZA:
                self.pizza, self.pizza_quantity = item, self._taken(at)
            case Kind.SIZE:
                self.size = item
            case Kind.TOPPING:
                if item not in self.toppings:
                    self.toppings.append(item)
            case Kind.DRINK:
                self.drinks[item] = self._taken(at)

    def _taken(self, at: int) -> int:
        """The number before an item, used up by it; 1 where there is none."""
        number, seen = self._counted
        self._counted = (1, -self._REACH)
        return number if at - seen <= self._REACH else 1
