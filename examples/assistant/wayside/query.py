"""From mentions to a query: what is looked for, and which wishes it must meet."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from wayside.lexicon import SURE, Mention
from wayside.places import PRICES, Place

_STARS = re.compile(
    r"\b(\d(?:\.\d)?)(?: or (?:more|better|higher))? stars?\b"
    r"|\brating (?:of )?(?:at least )?(\d(?:\.\d)?)\b"
    r"|\b(?:at least|minimum) (\d\.\d)\b"
)
_AT = re.compile(r"\b(?:at|until|till|by|after) (\d{1,2})(?: (am|pm|o clock|clock))?\b(?! star)")
_NEAR = re.compile(r"\bwithin (\d{1,3}) (?:minute|kilometre|kilometer|km|mile)s?\b")


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for; None or nothing where it does not matter.

    `rivals` are kinds of place that were suggested just as much as `category`.
    """

    category: str | None = None
    rivals: tuple[str, ...] = ()
    food: str | None = None
    price: tuple[str, ...] = ()
    payment: str | None = None
    parking: bool | None = None
    rating: float | None = None
    hour: float | None = None
    radius_km: float | None = None
    sure: bool = False

    def wishes(self) -> dict[str, Any]:
        """The wishes beside the kind of place, as JSON has them."""
        told = {
            "food": self.food,
            "price": list(self.price) or None,
            "payment": self.payment,
            "parking": self.parking,
            "rating": self.rating,
            "hour": self.hour,
            "radius_km": self.radius_km,
        }
        return {name: value for name, value in told.items() if value is not None}

    def after(self, earlier: "Query") -> "Query":
        """This query where it goes on from an earlier one: what it leaves open stays."""
        if self.category is not None and self.category != earlier.category:
            return self
        mine = {name: getattr(self, name) for name in self.__dataclass_fields__}
        kept = {name: value for name, value in mine.items() if value not in (None, (), False)}
        return replace(earlier, **{**kept, "rivals": ()})

    def eased(self) -> "Query":
        """This query without the wish that was offered to be left out, which is the last one."""
        open_: dict[str, Any] = {"price": ()}
        wishes = list(self.wishes())
        return replace(self, **{wishes[-1]: open_.get(wishes[-1])}) if wishes else self

    def meets(self, place: Place) -> bool:
        """Whether a place is what is looked for."""
        return (
            place.category == self.category
            and self.food in (None, place.food)
            and (not self.price or place.price in self.price)
            and (self.payment is None or self.payment in place.payment)
            and (self.parking is None or place.parking >= self.parking)
            and (self.rating is None or (place.rating or 0) >= self.rating)
            and (self.hour is None or place.open_at(self.hour))
            and (self.radius_km is None or place.distance_km <= self.radius_km)
        )


def query_of(words: str, mentions: Iterable[Mention], *, now: float) -> Query:
    """Make the query of what was said; `now` is the hour of the day."""
    by_slot: dict[str, list[Mention]] = defaultdict(list)
    for one in mentions:
        by_slot[one.slot].append(one)
    food = _last(by_slot["food"])
    category, rivals, sure = _category(by_slot["category"], food)
    return Query(
        category=category,
        rivals=rivals,
        sure=sure,
        food=food,
        price=_prices(by_slot["price"]),
        payment=_last(by_slot["payment"]),
        parking=_parking(by_slot["parking"]),
        rating=_rating(words, by_slot["rating"]),
        hour=_hour(words, by_slot["hours"], now),
        radius_km=_radius(words),
    )


def _category(
    mentions: list[Mention], food: str | None
) -> tuple[str | None, tuple[str, ...], bool]:
    scores: dict[str, float] = defaultdict(float)
    for one in mentions:
        if not one.negated:
            scores[one.value] += one.weight
    if food is not None and not any(one.weight >= SURE for one in mentions):
        scores["restaurant"] += SURE / 3
    if not scores:
        return None, (), False
    best = max(scores.values())
    first, *others = [kind for kind, score in scores.items() if score == best]
    return first, tuple(others), best >= SURE


def _last(mentions: list[Mention]) -> Any:
    wanted = [one.value for one in mentions if not one.negated]
    return wanted[-1] if wanted else None


def _prices(mentions: list[Mention]) -> tuple[str, ...]:
    wanted = {one.value for one in mentions if not one.negated}
    refused = {one.value for one in mentions if one.negated}
    if not wanted and refused:
        wanted = set(PRICES)
    return tuple(price for price in PRICES if price in wanted - refused)


def _parking(mentions: list[Mention]) -> bool | None:
    return True if any(not one.negated for one in mentions) else None


def _rating(words: str, mentions: list[Mention]) -> float | None:
    stated = _STARS.search(words)
    if stated:
        number = float(next(group for group in stated.groups() if group))
        return number if number <= 5 else None
    return max((float(one.value) for one in mentions if not one.negated), default=None)


def _hour(words: str, mentions: list[Mention], now: float) -> float | None:
    stated = _AT.search(words)
    if stated and (stated[2] or int(stated[1]) > 5):
        hour = int(stated[1])
        return float(hour + 12 if stated[2] != "am" and hour < 12 else hour)
    named = {"open": now, "late": 23.0, "always": 3.0}
    return next((named[one.value] for one in mentions if not one.negated), None)


def _radius(words: str) -> float | None:
    stated = _NEAR.search(words)
    return float(stated[1]) if stated else None
