"""Which kind of thing somebody says: a search, small talk, thanks ..."""

from collections import defaultdict
from collections.abc import Iterable

from wayside.lexicon import SURE, Mention
from wayside.query import Query

_WEIGHTS = {
    "request": 1.5,
    "smalltalk": 1.5,
    "thanks": 1.0,
    "greeting": 0.5,
    "complaint": 1.0,
    "call": 2.0,
    "navigation": 2.0,
    "vehicle": 2.0,
}
_WISHES = 0.5


def intent_of(mentions: Iterable[Mention], query: Query) -> str:
    """The intent with the most to say for it; a search where nothing says more."""
    scores: dict[str, float] = defaultdict(float)
    for one in mentions:
        if one.slot == "acts":
            scores[one.value] += _WEIGHTS[one.value]
    search = scores.pop("request", 0.0) + _WISHES * len(query.wishes())
    if query.category is not None:
        search += SURE if query.sure else SURE / 2
    scores["search"] = search
    best = max(scores, key=lambda intent: (scores[intent], intent == "search"))
    return best if scores[best] > 0 else "unknown"
