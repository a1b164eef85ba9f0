"""An app's fallback phrases, recognised by similarity."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sparring_plugins.language.text import folded, plain, sentences

LOOKED_AT = 2_000
"""Characters of an answer that are compared with fallback phrases."""

_LEAST_WORDS = 4


@dataclass(slots=True)
class Fallbacks:
    """Recognises an app's fallback phrases.

    An answer is a fallback where it, without markup, case and punctuation, is at least
    `threshold` similar (0 to 1, rapidfuzz's ratio) to one of `phrases`, or has a whole phrase
    or a sentence as similar as 0.9 to the phrase's first one in it.
    """

    phrases: Sequence[str]
    threshold: float
    _known: list[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        texts = [plain(phrase) for phrase in self.phrases]
        self._known = [
            (folded(text), folded(next(iter(sentences(text)), "")))
            for text in texts
            if folded(text)
        ]

    def similarity(self, text: str) -> float:
        """How similar an answer is to the nearest phrase, from 0 to 1."""
        from rapidfuzz import fuzz

        seen = plain(text[: 2 * LOOKED_AT])[:LOOKED_AT]
        answer = folded(seen)
        if not answer:
            return 0.0
        parts = [folded(one) for one in sentences(seen)]
        best = 0.0
        for phrase, opening in self._known:
            best = max(best, fuzz.ratio(answer, phrase) / 100)
            if len(phrase.split()) >= _LEAST_WORDS and f" {phrase} " in f" {answer} ":
                return 1.0
            if len(opening.split()) >= _LEAST_WORDS:
                near = max((fuzz.ratio(part, opening) / 100 for part in parts), default=0.0)
                best = max(best, near if near >= 0.9 else 0.0)
        return best

    def match(self, text: str) -> bool:
        """Whether an answer is a fallback."""
        return bool(self._known) and self.similarity(text) >= self.threshold
