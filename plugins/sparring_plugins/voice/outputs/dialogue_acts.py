"""What an output does: what it tells and what it asks, sentence by sentence."""

from dataclasses import dataclass
from functools import lru_cache

from sparring.model.talk import Observation
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.app_reply import read_answer
from sparring_plugins.users.agenda.personal_details import asked_for
from sparring_plugins.voice.outputs.masking import (
    LOOKED_AT,
    VALUE,
    masked_sentences,
    without_lists,
)
from sparring_plugins.voice.outputs.words import has_one, normal, significant, words

_POLAR = frozenset(
    [
        "do",
        "does",
        "did",
        "is",
        "are",
        "was",
        "were",
        "am",
        "can",
        "could",
        "will",
        "would",
        "shall",
        "should",
        "have",
        "has",
        "had",
        "may",
        "might",
        "want",
        "want_to",
        "ready",
    ]
)
_WH = frozenset(["what", "which", "who", "whom", "whose", "where", "when", "why", "how", "what_is"])
_INSTRUCTING = frozenset(
    ["tell", "you_can", "ask", "select", "type", "reply", "answer", "guess", "press"]
)
_TELLING = frozenset(["where", "when", "who", "whose", "why"])
_LONGEST_FILLER = 8
_LEAST_HEAD = 4


@dataclass(frozen=True, slots=True)
class Ask:
    """A sentence that wants something of the user.

    `generic` says that it may end any answer. `slots` are the kinds of particulars it asks for.
    """

    text: str
    generic: bool
    slots: frozenset[str]
    polar: bool

    @property
    def meaning(self) -> frozenset[str]:
        """Its words with a meaning, but for those of lists where others are left."""
        bare = significant(without_lists(_before_options(self.text)))
        return bare or significant(self.text)


@dataclass(frozen=True, slots=True)
class Gist:
    """An output as what it tells and asks, values masked.

    `frame` is the whole masked text, folded. `confused` says that the app did not understand,
    `broken` that it failed, `farewell` that it takes leave.
    """

    frame: str
    tells: tuple[str, ...]
    asks: tuple[Ask, ...]
    confused: bool
    broken: bool
    farewell: bool

    @property
    def specific(self) -> tuple[Ask, ...]:
        """What it asks that no other answer would."""
        return tuple(ask for ask in self.asks if not ask.generic)


@lru_cache(maxsize=2048)
def gist_of(text: str) -> Gist:
    """Read an output; only a bounded part of it is looked at."""
    seen = masked_sentences(text)
    found = [(one, folded(one)) for one in seen if normal(one)]
    confused = is_confused(text)
    asks = tuple(_ask(one) for one, _ in found if _asks(one) and not _apology(one))
    tells = tuple(
        one
        for one, said in found
        if not _asks(one) and not _filler(said) and not _apology(one) and not _leave(said)
    )
    leave = any(_leave(said) for _, said in found[-2:])
    frame = " ".join(word for one in seen for word in normal(one))
    broken = confused and has_one(folded(text[:LOOKED_AT]), words().broken)
    return Gist(frame, tells, asks, confused, broken, leave and not confused)


@lru_cache(maxsize=2048)
def is_confused(text: str) -> bool:
    """Whether an app says that it did not understand, or could not do what it was told."""
    said = folded(text[:LOOKED_AT])
    if has_one(said, words().confused):
        return True
    return bool(said) and read_answer(Observation(text=text[:LOOKED_AT])).fallback


def _ask(sentence: str) -> Ask:
    said = folded(sentence)
    meant = normal(sentence)
    generic = (has_one(said, words().generic_asks) and len(significant(sentence)) <= 4) or (
        not significant(sentence) and VALUE not in sentence and not _TELLING & set(meant)
    )
    return Ask(sentence, generic, frozenset(asked_for(said)), meant[:1] != () and _polar(meant))


def _asks(sentence: str) -> bool:
    if sentence.rstrip(" \"')").endswith("?"):
        return True
    meant = normal(sentence)
    start = meant[0] if meant else ""
    after = next((n for n, one in enumerate(meant) if one in _INSTRUCTING), None)
    instructs = after is not None and (after == 0 or meant[after] == "you_can" or after <= 3)
    return instructs or (start in _WH and len(meant) <= 12) or start in ("want_to", "want")


def _polar(meant: tuple[str, ...]) -> bool:
    return any(word in _POLAR for word in meant[:2]) and not _WH & set(meant[:3])


def _before_options(sentence: str) -> str:
    """A question without the options that it ends with."""
    head, comma, tail = sentence.partition(",")
    listed = comma and (" or " in tail or " and " in tail)
    return head if listed and len(head.split()) >= _LEAST_HEAD else sentence


def _filler(said: str) -> bool:
    found = said.split()
    if len(found) <= _LONGEST_FILLER and said.startswith(words().courtesies):
        return True
    return len(found) <= _LONGEST_FILLER and all(one in words().fillers for one in found)


def _apology(sentence: str) -> bool:
    return has_one(folded(sentence), words().confused)


def _leave(said: str) -> bool:
    return has_one(said, words().farewell) and len(said.split()) <= 12
