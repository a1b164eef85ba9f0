"""The recipes that the finder knows: made by chance from a seed, always the same ones."""

import csv
import io
import random
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

MEAT = ("chicken", "beef", "salmon")
INGREDIENTS = (*MEAT, "eggs", "tofu", "lentils", "potatoes", "spinach", "rice", "carrots",
               "peppers", "tomatoes", "beans", "pumpkin")  # fmt: skip
EXTRAS = ("nuts", "mushrooms", "garlic", "onions", "cheese", "cream")
DISHES = {"soup": (15, 60), "salad": (10, 30), "stew": (30, 90), "pasta": (15, 45),
          "curry": (25, 60), "pie": (40, 90), "stir fry": (10, 40)}  # fmt: skip
CUISINES = ("italian", "french", "indian", "mexican", "greek", "thai")
LEVELS = ("easy", "medium", "hard")
_ORIGINS = ("the harbour", "the hills", "my grandmother", "the old mill", "the market",
            "the garden", "the north", "the islands", "the neighbours", "a rainy day")  # fmt: skip
_MANY = 900
_MOST_SERVED = 8


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe; `serves` are the numbers of people that it can be made for."""

    id: int
    name: str
    dish: str
    cuisine: str
    ingredients: tuple[str, ...]
    free_from: tuple[str, ...]
    diets: tuple[str, ...]
    minutes: int
    difficulty: str
    serves: tuple[int, ...]

    def shown(self) -> dict[str, Any]:
        """The recipe as JSON has it."""
        return {
            **asdict(self),
            "ingredients": list(self.ingredients),
            "free_from": list(self.free_from),
            "diets": list(self.diets),
            "serves": list(self.serves),
        }


@cache
def all_recipes(seed: int = 23) -> tuple[Recipe, ...]:
    """Every recipe, the quickest first."""
    draw = random.Random(seed)
    made = [_recipe(number, draw) for number in range(_MANY)]
    return tuple(sorted(made, key=lambda one: (one.minutes, one.id)))


def as_csv() -> str:
    """All recipes as CSV; several values of one field are separated by semicolons."""
    rows = [one.shown() for one in all_recipes()]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, **_joined(row)} for row in rows)
    return out.getvalue()


def _joined(row: dict[str, Any]) -> dict[str, str]:
    lists = ("ingredients", "free_from", "diets", "serves")
    return {name: ";".join(map(str, row[name])) for name in lists}


def _recipe(number: int, draw: random.Random) -> Recipe:
    dish = draw.choice(list(DISHES))
    first = draw.choice(INGREDIENTS[:8])
    beside = draw.sample([one for one in INGREDIENTS[3:] if one != first], draw.randint(2, 4))
    extras = tuple(one for one in EXTRAS if draw.random() < 0.25)
    least, most = DISHES[dish]
    smallest = draw.choice((1, 1, 2))
    return Recipe(
        id=number,
        name=f"{first.capitalize()} {dish} of {draw.choice(_ORIGINS)}",
        dish=dish,
        cuisine=draw.choice(CUISINES),
        ingredients=(first, *beside, *extras),
        free_from=tuple(one for one in EXTRAS if one not in extras),
        diets=_diets(dish, {first, *beside, *extras}),
        minutes=5 * draw.randint(least // 5, most // 5),
        difficulty=draw.choice(LEVELS),
        serves=tuple(range(smallest, draw.randint(4, _MOST_SERVED) + 1)),
    )


def _diets(dish: str, inside: set[str]) -> tuple[str, ...]:
    found: list[str] = []
    if not inside & set(MEAT):
        found.append("vegetarian")
        if not inside & {"eggs", "cheese", "cream"}:
            found.append("vegan")
    if dish not in ("pasta", "pie"):
        found.append("gluten-free")
    return tuple(found)
