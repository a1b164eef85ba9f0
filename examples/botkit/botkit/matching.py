"""Which intent a message shows: the training phrase that shares most with it."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from math import log

from rapidfuzz.distance import OSA

from botkit.definition import Bot, Intent
from botkit.values import find_choice, without_moments
from botkit.words import TOKEN, folded

_EMPTY = frozenset(
    ["a", "an", "the", "i", "you", "your", "my", "me", "please", "is", "are", "do", "does", "to",
     "of", "for", "and", "it", "can", "could"]
)  # fmt: skip
_LIGHT = 0.2
_LONG_ENOUGH = 5
_UNSAID, _BESIDE = 0.5, 0.25
"""How much words count against a fit that only the phrase has, and that only the message has."""


class Matcher:
    """Compares messages with the training phrases of a bot.

    A word counts the more, the fewer intents use it; values of entities count as the entity, and
    a long word with one typing mistake as itself.
    """

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._phrases = [
            (intent, Counter(self._tokens(phrase.replace("{", "<").replace("}", ">"))))
            for intent in bot.intents
            for phrase in intent.phrases
        ]
        self._weights = _weights(bot, self._phrases)

    def best(self, message: str) -> tuple[Intent | None, float]:
        """The intent that fits best, and how well from 0 to 1."""
        said = Counter(self._known(token) for token in self._tokens(message))
        scored = [(self._fit(said, phrase), intent) for intent, phrase in self._phrases]
        score, intent = max(scored, key=lambda one: one[0], default=(0.0, None))
        return intent, score

    def _fit(self, said: Counter[str], phrase: Counter[str]) -> float:
        """The Tversky index of the two, with weighted words."""
        shared = self._weigh(said & phrase)
        against = _UNSAID * self._weigh(phrase - said) + _BESIDE * self._weigh(said - phrase)
        return shared / (shared + against) if shared else 0.0

    def _weigh(self, tokens: Counter[str]) -> float:
        return sum(self._weight(token) * count for token, count in tokens.items())

    def _weight(self, token: str) -> float:
        return _LIGHT if token in _EMPTY else self._weights.get(token, 1.0)

    def _tokens(self, text: str) -> list[str]:
        plain = without_moments(folded(text))
        for name, entity in self._bot.entities.items():
            plain = _masked(plain, name, entity)
        return [_stem(token) for token in TOKEN.findall(plain)]

    def _known(self, token: str) -> str:
        """A word of the training phrases that differs by one slip of the fingers, else itself."""
        if token in self._weights or len(token) < _LONG_ENOUGH:
            return token
        return next(
            (
                known
                for known in self._weights
                if len(known) >= _LONG_ENOUGH and OSA.distance(token, known, score_cutoff=1) <= 1
            ),
            token,
        )


def _weights(bot: Bot, phrases: list[tuple[Intent, Counter[str]]]) -> Mapping[str, float]:
    users: dict[str, set[str]] = {}
    for intent, tokens in phrases:
        for token in tokens:
            users.setdefault(token, set()).add(intent.name)
    most = 1 + log(max(1, len(bot.intents)))
    return {token: (most - log(len(found))) / most for token, found in users.items()}


@lru_cache(maxsize=4096)
def _stem(token: str) -> str:
    if token.startswith("<") or len(token) <= 3:
        return token
    for ending in ("ing", "es", "s", "ed"):
        if token.endswith(ending) and len(token) - len(ending) >= 3:
            return token[: -len(ending)]
    return token.rstrip("e") if len(token) > 4 else token


def _masked(plain: str, name: str, entity: Mapping[str, tuple[str, ...]]) -> str:
    """A folded text with the values of an entity replaced by its name."""
    value = find_choice(plain, entity)
    if value is None:
        return plain
    phrases = sorted((value, *entity[value]), key=len, reverse=True)
    for phrase in phrases:
        words = folded(phrase)
        if words in plain:
            return plain.replace(words, f"<{name}>", 1)
    return plain
