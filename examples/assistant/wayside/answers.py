"""What the assistant says: short spoken sentences with the places it has found."""

from collections.abc import Sequence
from typing import Any

from wayside.places import Place
from wayside.query import Query
from wayside.understanding import Understood

_KINDS = {
    "restaurant": "restaurants", "cafe": "cafes", "bakery": "bakeries", "bar": "bars",
    "supermarket": "supermarkets", "hotel": "hotels", "museum": "museums",
    "hospital": "hospitals", "car repair": "car repair shops",
}  # fmt: skip
_PRICES = {"low": "cheap", "medium": "mid-priced", "high": "upscale"}
_PAYING = {
    "cash": "in cash",
    "credit card": "by credit card",
    "contactless": "contactless",
    "mobile payment": "by mobile payment",
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SMALLTALK = "I'm doing well, thank you for asking."
_FIXED = {
    "smalltalk": f"{_SMALLTALK} I can look for places on your way whenever you like.",
    "thanks": "You're welcome. Tell me whenever you need anything else.",
    "greeting": "Hello! Where would you like to go?",
    "complaint": "I'm sorry about that. What would you like me to look for?",
    "call": "Sure. Whom would you like to call?",
    "navigation": "I've opened the map for you. Which address shall I set?",
    "vehicle": "Everything looks fine with the car: 340 kilometres of range, tyre pressure normal.",
    "unknown": "Sorry, I didn't get that. Could you say it another way?",
}
_FOREIGN = {
    "de": "Entschuldigung, das habe ich leider nicht verstanden. Wohin möchten Sie fahren?",
    "fr": "Excusez-moi, je n'ai pas bien compris. Où voulez-vous aller ?",
    "es": "Perdone, no le he entendido bien. ¿Adónde quiere ir?",
    "it": "Mi scusi, non ho capito bene. Dove vuole andare?",
}


def answer_of(understood: Understood, found: Sequence[Place], shown: Sequence[Place]) -> str:
    """What to say of an utterance: `found` meet the query, `shown` are those to tell of."""
    if understood.language in _FOREIGN:
        return _FOREIGN[understood.language]
    match understood.intent:
        case "search" if understood.query.category is None:
            return "What kind of place are you looking for?"
        case "search" if understood.query.rivals:
            return _which(understood.query)
        case "search":
            return _social(understood) + _search(understood.query, found, shown)
        case "place":
            return _place(understood.name or "", shown)
        case intent:
            return _FIXED[intent]


def _social(understood: Understood) -> str:
    return f"{_SMALLTALK} " if "smalltalk" in understood.social else ""


def _which(query: Query) -> str:
    kinds = [one for one in (query.category, *query.rivals) if one][:3]
    return f"Would you like {' or '.join(map(_a, kinds))}?"


def _search(query: Query, found: Sequence[Place], shown: Sequence[Place]) -> str:
    if not found:
        last = _last_wish(query)
        offer = f" Shall I look again without {last}?" if last else " Shall I look further away?"
        return f"I couldn't find any {_wanted(query, many=True)} around here.{offer}"
    first = shown[0]
    if len(found) == 1:
        head = f"There is one {_wanted(query, many=False)} nearby: {_told(first)}."
        return f"{head}{_extras(first, query)} Shall I take you there?"
    many = _NUMBERS[len(found)] if len(found) < len(_NUMBERS) else "several"
    rest = [f"{place.name}, {_far(place)}" for place in shown[1:]]
    head = f"I found {many} {_wanted(query, many=True)}. The closest is {_told(first)}."
    others = f"There is also {' and '.join(rest)}."
    return f"{head}{_extras(first, query)} {others} Where shall I take you?"


def _wanted(query: Query, *, many: bool) -> str:
    """The query in words, such as ``cheap Italian restaurants with parking``."""
    assert query.category is not None
    words = [_PRICES[one] for one in query.price[:1]] if len(query.price) == 1 else []
    if query.food:
        words.append(query.food.capitalize() if query.food != "vegetarian" else query.food)
    words.append(_KINDS[query.category] if many else query.category)
    more = "" if query.rating == 5 else " or more"
    has = [
        *(["parking"] if query.parking else []),
        *([f"{query.rating:g} stars{more}"] if query.rating else []),
    ]
    words += [f"with {' and '.join(has)}"] if has else []
    words += [f"where you can pay {_PAYING[query.payment]}"] if query.payment else []
    words += [f"open at {_clock(query.hour)}"] if query.hour is not None else []
    return " ".join(words)


def _last_wish(query: Query) -> str | None:
    names = {"hour": "the opening hours", "radius_km": "the distance", "food": "the cuisine"}
    wishes = list(query.wishes())
    return names.get(wishes[-1], f"the {wishes[-1]}") if wishes else None


def _told(place: Place) -> str:
    stars = f", rated {place.rating:g} stars" if place.rating is not None else ""
    return f"{place.name} on {place.address.split(' ', 1)[1]}, {_far(place)} away{stars}"


def _far(place: Place) -> str:
    if place.distance_km < 1:
        return f"{place.distance_km * 1000:.0f} metres"
    return f"{place.distance_km:g} kilometre{'' if place.distance_km == 1 else 's'}"


def _extras(place: Place, query: Query) -> str:
    told = []
    if query.payment and query.payment in place.payment:
        told.append(f"accepts {query.payment.replace('contactless', 'contactless payment')}")
    if query.parking and place.parking:
        told.append("has parking")
    if not told and place.closes < 24:
        told.append(f"is open until {_clock(place.closes)}")
    return f" It {' and '.join(told)}." if told else ""


def _place(name: str, shown: Sequence[Place]) -> str:
    if shown:
        return f"{_told(shown[0])}. I've started the route."
    return f"I couldn't find a place called {name}. Could you spell it for me?"


def _a(kind: str) -> str:
    return f"a {kind}"


def _clock(hour: float | None) -> str:
    whole, minutes = divmod(round((hour or 0) * 60), 60)
    return f"{whole % 24}:{minutes:02d}"


def data_of(understood: Understood, shown: Sequence[Place]) -> dict[str, Any]:
    """The structured part of an answer."""
    query = understood.query
    understood_as = {"category": query.category, **query.wishes()}
    return {
        "intent": understood.intent,
        "language": understood.language,
        "query": understood_as if understood.intent == "search" else None,
        "items": [place.shown() for place in shown],
    }
