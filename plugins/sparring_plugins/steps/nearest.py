"""The known form that is nearest to a sentence that is not understood."""

import re
from functools import lru_cache

from rapidfuzz import fuzz, process

from sparring_plugins.steps.examples import EXAMPLES

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`")
_ENOUGH = 55.0
_LONGEST = 200


def nearest_form(text: str) -> str | None:
    """An example of the nearest known form; None where none is near."""
    shape = _shape(text[:_LONGEST])
    if not shape:
        return None
    found = process.extractOne(shape, list(_shapes()), scorer=fuzz.WRatio, score_cutoff=_ENOUGH)
    return _shapes()[found[0]] if found else None


@lru_cache(maxsize=1)
def _shapes() -> dict[str, str]:
    return {_shape(example): example for example in EXAMPLES}


def _shape(text: str) -> str:
    return " ".join(_QUOTED.sub("''", text).casefold().strip(" .").split())
