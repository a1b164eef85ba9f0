"""The places that the assistant knows: made by chance from a seed, always the same ones."""

import csv
import io
import random
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

PAYMENTS = ("cash", "credit card", "contactless", "mobile payment")
PRICES = ("low", "medium", "high")
RATINGS = (3.0, 3.5, 4.0, 4.5, 5.0)

_NUMBERS = {
    "restaurant": 620, "cafe": 330, "supermarket": 110, "bakery": 110, "bar": 130, "hotel": 130,
    "museum": 60, "hospital": 25, "car repair": 60,
}  # fmt: skip
_HOURS = {
    "restaurant": ((11, 22), (12, 23), (17, 24)),
    "cafe": ((7, 18), (8, 19), (9, 22)),
    "supermarket": ((7, 22), (8, 20), (0, 24)),
    "bakery": ((6, 14), (6, 18), (7, 17)),
    "bar": ((17, 24), (18, 24), (16, 23)),
    "hotel": ((0, 24),),
    "museum": ((10, 17), (10, 18), (9, 20)),
    "hospital": ((0, 24),),
    "car repair": ((8, 17), (7, 18), (0, 24)),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A place. `price` and `rating` are None where nobody says them; hours are of the day."""

    id: int
    name: str
    category: str
    food: str | None
    price: str | None
    rating: float | None
    parking: bool
    payment: tuple[str, ...]
    distance_km: float
    address: str
    opens: int
    closes: int

    def shown(self) -> dict[str, Any]:
        """The place as JSON has it."""
        return {**asdict(self), "payment": list(self.payment)}

    def open_at(self, hour: float) -> bool:
        """Whether it is open at an hour of the day."""
        return self.opens <= hour < self.closes


@cache
def all_places(seed: int = 7) -> tuple[Place, ...]:
    """Every place, the nearest first."""
    names = yaml.safe_load((Path(__file__).parent / "names.yaml").read_text(encoding="utf-8"))
    draw = random.Random(seed)
    made = [
        _place(number, category, names, draw)
        for number, category in enumerate(
            kind for kind, many in _NUMBERS.items() for _ in range(many)
        )
    ]
    return tuple(sorted(made, key=lambda place: (place.distance_km, place.id)))


def as_csv() -> str:
    """All places as CSV; several values of one field are separated by semicolons."""
    rows = [place.shown() for place in all_places()]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "payment": ";".join(row["payment"])} for row in rows)
    return out.getvalue()


def _place(number: int, category: str, names: dict[str, Any], draw: random.Random) -> Place:
    rated = category not in ("hospital", "car repair")
    opens, closes = draw.choice(_HOURS[category])
    food = None
    if category in ("restaurant", "cafe"):
        food = draw.choice(list(names["restaurant"]))
    return Place(
        id=number,
        name=_name(category, food, names, draw),
        category=category,
        food=food,
        price=draw.choices(PRICES, (4, 4, 3))[0] if rated and category != "museum" else None,
        rating=draw.choices(RATINGS, (1, 2, 4, 4, 2))[0] if rated else None,
        parking=category == "hospital" or draw.random() < 0.45,
        payment=tuple(one for one in PAYMENTS if draw.random() < 0.5) or ("cash",),
        distance_km=round(draw.uniform(0.2, 14), 1),
        address=f"{draw.randint(1, 120)} {draw.choice(names['streets'])}",
        opens=opens,
        closes=closes,
    )


def _name(category: str, food: str | None, names: dict[str, Any], draw: random.Random) -> str:
    heads = names["restaurant"][food] if category == "restaurant" else names[_key(category)]
    return f"{draw.choice(heads)} {draw.choice(names['owners'])}"


def _key(category: str) -> str:
    return category.replace(" ", "_")
