"""The recipe finder: it reads a wish, looks for recipes, and answers."""

from collections.abc import Sequence
from typing import Any

from studykit.answers import MOST_CHARACTERS, Answer

from kitchen.reading import Wish, read
from kitchen.recipes import Recipe, all_recipes

SHOWN = 3
_DISHES = {"pasta": "pasta dishes", "curry": "curries", "stir fry": "stir fries"}
_FIXED = {
    "shopping": "Sure, I have opened your shopping list. What shall I put on it?",
    "timer": "Of course. How long shall the timer run?",
    "convert": "I can convert that for you. How much of it is it?",
    "chat": "I am very well, thank you! Just tell me what you would like to cook.",
    "thanks": "You are welcome. Enjoy your meal!",
    "unknown": "Sorry, I didn't get that. What would you like to cook?",
}


class RecipeFinder:
    """Answers what somebody would like to cook."""

    def answer(self, text: str) -> Answer:
        """Answer an utterance."""
        wish = read(text[:MOST_CHARACTERS])
        searched = wish.intent == "find" and bool(wish.shown())
        found = [one for one in all_recipes() if meets(one, wish)] if searched else []
        shown = found[:SHOWN]
        return Answer(_said(wish, found, shown), _data(wish, shown, searched=searched))


def meets(recipe: Recipe, wish: Wish) -> bool:
    """Whether a recipe is what is wanted."""
    return (
        wish.dish in (None, recipe.dish)
        and wish.cuisine in (None, recipe.cuisine)
        and set(wish.wanted) <= set(recipe.ingredients)
        and not set(wish.unwanted) & set(recipe.ingredients)
        and (wish.diet is None or wish.diet in recipe.diets)
        and (wish.minutes is None or recipe.minutes <= wish.minutes)
        and (wish.servings is None or wish.servings in recipe.serves)
        and (not wish.difficulty or recipe.difficulty in wish.difficulty)
    )


def _said(wish: Wish, found: Sequence[Recipe], shown: Sequence[Recipe]) -> str:
    if wish.intent != "find":
        return _FIXED[wish.intent]
    if not wish.shown():
        return "What would you like to cook?"
    if not found:
        return f"I could not find any {_wanted(wish)}. Shall I look again with fewer wishes?"
    others = [one.name for one in shown[1:]]
    also = f" There is also {' and '.join(others)}." if others else ""
    many = "one recipe" if len(found) == 1 else f"{len(found)} recipes"
    first = f"The quickest is {shown[0].name}, in {shown[0].minutes} minutes."
    return f"I have {many} for {_wanted(wish)}. {first}{also} Shall I read one to you?"


def _wanted(wish: Wish) -> str:
    """The wish in words, such as ``easy Italian soups with chicken, without nuts``."""
    words = [*wish.difficulty[:1]] if len(wish.difficulty) == 1 else []
    words += [wish.diet] if wish.diet else []
    words += [wish.cuisine.capitalize()] if wish.cuisine else []
    words.append(_DISHES.get(wish.dish, f"{wish.dish}s") if wish.dish else "dishes")
    words += [f"with {' and '.join(wish.wanted)}"] if wish.wanted else []
    words += [f"without {' or '.join(wish.unwanted)}"] if wish.unwanted else []
    words += [f"in {wish.minutes} minutes"] if wish.minutes else []
    words += [f"for {wish.servings}"] if wish.servings else []
    return " ".join(words)


def _data(wish: Wish, shown: Sequence[Recipe], *, searched: bool) -> dict[str, Any]:
    """The structured part of an answer."""
    return {
        "intent": wish.intent,
        "query": wish.shown() if searched else None,
        "items": [one.shown() for one in shown],
    }
