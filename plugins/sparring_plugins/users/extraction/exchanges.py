"""A conversation as exchanges: what the user said and what the app answered."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sparring.model.talk import Listen, Turn, meant_by
from sparring_plugins.language.stems import concepts
from sparring_plugins.language.text import folded, plain, sentences
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.extraction.media import in_words

_REPEATS = 3
_SHORT = 45
_ERROR = re.compile(
    r"\s{0,8}(?:[\w.]{0,40}(?:error|exception)|traceback)\b\s?[:!(\[\d]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn as texts; `informative` is False where the answer says nothing of the matter.

    `asked` is what the user meant: without its typing errors and remarks.
    """

    index: int
    asked: str
    said: str
    informative: bool

    @property
    def asked_concepts(self) -> frozenset[str]:
        """The concepts of what the user said."""
        return concepts(self.asked)


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """The turns that have an answer with text, or with described pictures, files or cards.

    An answer that does not understand, asks to repeat, or was given three times to different
    words is not informative.
    """
    said = [plain(in_words(turn.observation)) if turn.observation else "" for turn in turns]
    asked = [plain(meant_by(turn.act)) for turn in turns]
    different: Counter[str] = Counter()
    for question, answer in {(folded(a), b) for a, b in zip(asked, said, strict=True)}:
        different[answer] += bool(question)
    return [
        Exchange(index, asked[index], text, different[text] < _REPEATS and tells(text))
        for index, text in enumerate(said)
        if text or isinstance(turns[index].act, Listen)
    ]


def tells(text: str) -> bool:
    """Whether a plain answer says something besides that it did not understand or broke."""
    if _ERROR.match(text):
        return False
    words = folded(text)
    if not words:
        return bool(text.strip())
    if not has_cue(words, "fallback"):
        return True
    rest = [one for one in statements(text) if not has_cue(folded(one), "fallback")]
    kept = [one for one in rest if not has_cue(folded(one), "sorry")]
    return len(folded(" ".join(kept)).split()) > _SHORT


def statements(text: str) -> list[str]:
    """The sentences of a plain text that ask nothing."""
    return [one for one in sentences(text) if not one.rstrip("\"')*_ ").endswith("?")]
