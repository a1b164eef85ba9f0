"""The known form that is nearest to a sentence that is not understood."""

import re
from functools import lru_cache

from rapidfuzz import fuzz

from sparring_plugins.web.grammar.examples import EXAMPLES

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`")
_ENOUGH = 55.0
_LONGEST = 200
_NEGATIONS = frozenset({"not", "no", "neither", "false"})


def nearest_form(text: str) -> str | None:
    """An example of the nearest known form; None where none is near."""
    shape = _shape(text[:_LONGEST])
    if not shape:
        return None
    best = max(_shapes(), key=lambda known: _likeness(shape, known))
    return _shapes()[best] if _likeness(shape, best) >= _ENOUGH else None


def _likeness(shape: str, known: str) -> float:
    """How alike two sentences are, 0 to 100: the verb counts as much as all other words."""
    verb = fuzz.ratio(shape.split(" ", 1)[0], known.split(" ", 1)[0])
    opposite = ("not" in shape.split()) != bool(_NEGATIONS & set(known.split()))
    return 0.5 * verb + 0.5 * fuzz.token_sort_ratio(shape, known) - (10 if opposite else 0)


@lru_cache(maxsize=1)
def _shapes() -> dict[str, str]:
    return {_shape(example): example for example in EXAMPLES}


def _shape(text: str) -> str:
    words = _QUOTED.sub("''", text).casefold().strip(" .").split()
    return " ".join(word for word in words if word not in ("the", "a", "an", "that"))
