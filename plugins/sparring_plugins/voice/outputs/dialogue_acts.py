"""Dialogue acts of an output: what it states and what it requests, sentence by sentence."""

from dataclasses import dataclass
from functools import lru_cache

from sparring.model.talk import Observation
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.voice.outputs.words import (
    MAX_OUTPUT,
    VALUE,
    has_phrase,
    masked_sentences,
    significant,
    unified,
    without_lists,
    words,
)

# "Okay, great" says nothing; "Okay, your order of two pizzas is on its way" does.
_MAX_FILLER_WORDS = 8
# "Goodbye and thanks for playing" ends; a long sentence with "goodbye" in it tells of one.
_MAX_FAREWELL_WORDS = 12
# "Which city, please" asks without a question mark; a long "Which is why …" does not.
_MAX_INDIRECT_QUESTION_WORDS = 12
# "Would you like another fact?" may end any answer; with more words it asks for something.
_MAX_CARRIERS_OF_GENERIC = 4
# "What would you like: tea or coffee" keeps its head; of "So: tea or coffee" nothing would be
# left.
_MIN_HEAD_WORDS = 4


@dataclass(frozen=True, slots=True)
class Request:
    """A sentence that wants something from the user.

    `generic` marks a request that may end any answer, such as "Anything else?". `slots` are the
    kinds of personal details that it asks for. `polar` marks a question for yes or no.
    """

    text: str
    generic: bool
    slots: frozenset[str]
    polar: bool

    @property
    def meaning(self) -> frozenset[str]:
        """The significant words outside of lists, or all of them if a list is all there is."""
        bare = significant(without_lists(_without_options(self.text)))
        return bare or significant(self.text)


@dataclass(frozen=True, slots=True)
class DialogueActs:
    """The statements and requests of an output, with their values masked.

    `frame` is the whole masked text, folded. `confused` means that the app did not understand,
    `broken` that it failed, `farewell` that it takes leave.
    """

    frame: str
    statements: tuple[str, ...]
    requests: tuple[Request, ...]
    confused: bool
    broken: bool
    farewell: bool

    @property
    def specific_requests(self) -> tuple[Request, ...]:
        """The requests that no other output would make."""
        return tuple(request for request in self.requests if not request.generic)


@lru_cache(maxsize=2048)
def dialogue_acts_of(text: str) -> DialogueActs:
    """Read the dialogue acts of an output, of which only a bounded part is looked at."""
    masked = masked_sentences(text)
    pairs = [(sentence, folded(sentence)) for sentence in masked if unified(sentence)]
    requests: list[Request] = []
    statements: list[str] = []
    for sentence, bare in pairs:
        if _is_apology(bare):
            continue
        if _is_request(sentence):
            requests.append(_request(sentence))
        elif not _is_filler(bare) and not _is_farewell(bare):
            statements.append(sentence)
    confused = is_confused(text)
    return DialogueActs(
        frame=" ".join(word for sentence in masked for word in unified(sentence)),
        statements=tuple(statements),
        requests=tuple(requests),
        confused=confused,
        broken=confused and has_phrase(folded(text[:MAX_OUTPUT]), words().broken),
        farewell=not confused and any(_is_farewell(bare) for _, bare in pairs[-2:]),
    )


@lru_cache(maxsize=2048)
def is_confused(text: str) -> bool:
    """Return whether an app says that it did not understand, or could not do what it was told."""
    bare = folded(text[:MAX_OUTPUT])
    if has_phrase(bare, words().confused):
        return True
    return bool(bare) and read_app_reply(Observation(text=text[:MAX_OUTPUT])).fallback


def _request(sentence: str) -> Request:
    bare, parts = folded(sentence), unified(sentence)
    carriers = significant(sentence)
    generic = _is_generic(bare, carriers) or (
        # "What would you like?" has no word of its own, but "Where?" says what it wants
        not carriers and VALUE not in sentence and not words().self_sufficient & set(parts)
    )
    return Request(sentence, generic, frozenset(asked_details(bare)), _is_polar(parts))


def _is_generic(bare: str, carriers: frozenset[str]) -> bool:
    """Return whether a request may end any answer: one of the listed phrases, and little more.

    In other languages than English each word of a phrase is a carrier ("o que você quer fazer").
    """
    phrases = [one for one in words().generic_asks if has_phrase(bare, (one,))]
    few = _MAX_CARRIERS_OF_GENERIC
    return any(len(carriers) <= few or len(carriers - significant(one)) <= 1 for one in phrases)


def _is_request(sentence: str) -> bool:
    if sentence.rstrip(" \"')").endswith("?"):
        return True
    parts = unified(sentence)
    verb = next((at for at, part in enumerate(parts) if part in words().instructing), None)
    if verb is not None and (verb <= 3 or parts[verb] == "you_can"):
        return True
    start = parts[0] if parts else ""
    indirect = start in words().question_words and len(parts) <= _MAX_INDIRECT_QUESTION_WORDS
    return indirect or start in ("want_to", "want")


def _is_polar(parts: tuple[str, ...]) -> bool:
    begins = any(part in words().polar for part in parts[:2])
    return begins and not words().question_words & set(parts[:3])


def _without_options(sentence: str) -> str:
    """Cut the options that a question ends with, after a comma and with "or" or "and" in them."""
    head, comma, tail = sentence.partition(",")
    lists_options = comma and (" or " in tail or " and " in tail)
    return head if lists_options and len(head.split()) >= _MIN_HEAD_WORDS else sentence


def _is_filler(bare: str) -> bool:
    parts = bare.split()
    if len(parts) > _MAX_FILLER_WORDS:
        return False
    return bare.startswith(words().courtesies) or words().fillers.issuperset(parts)


def _is_apology(bare: str) -> bool:
    return has_phrase(bare, words().confused)


def _is_farewell(bare: str) -> bool:
    return has_phrase(bare, words().farewell) and len(bare.split()) <= _MAX_FAREWELL_WORDS
