"""Where a step says that something lies: in a row, under a heading, in a dialog, next to something.

``the 'Delete' button for Customer 'tutu'``, ``'Add' in the row of 'Groups'``, ``the button in
the dialog box labeled "Cancel"``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sparring_plugins.web.grammar.phrases.nouns import (
    DETERMINERS,
    EVERY,
    kind_before_name,
    owner,
    read_nouns,
    said,
)
from sparring_plugins.web.grammar.words.control_nouns import (
    CONTROLS,
    LANDMARKS,
    NAMED_PLACES,
    PAGE,
    ROWS,
    beginning,
    ending,
    known,
)
from sparring_plugins.web.grammar.words.numbers import ordinal
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, trimmed
from sparring_plugins.web.grammar.words.vocabulary import words

PlaceKind = Literal["name", "row", "region", "page", "nowhere", "nth_row", "every"]

_NAMING = words(
    "labeled labelled named called titled captioned entitled saying reading containing marked"
    "tagged that's"
)
_NAMED_BY = words(
    "text label name title caption value word words term terms id placeholder description"
    "tooltip string heading legend author content data-testid link alt"
)
_IN = words("in within inside on from of at under below beneath underneath into")
_UNDER = words("under below beneath underneath")
_BESIDE = words("beside near alongside opposite by above")
_BESIDE_PHRASES = (
    ("next", "to"), ("adjacent", "to"), ("close", "to"), ("right", "of"), ("left", "of"),
    ("to", "the", "right", "of"), ("to", "the", "left", "of"), ("in", "front", "of"),
    ("on", "the", "right", "of"), ("on", "the", "left", "of"), ("right", "next", "to"),
    ("at", "the", "right", "of"), ("at", "the", "left", "of"), ("following",), ("preceding",),
    ("belonging", "to"), ("associated", "with"), ("corresponding", "to"), ("that", "belongs", "to"),
    ("related", "to"), ("assigned", "to"),
)  # fmt: skip
_CONTENT = words("content contents body text source")
_SIDES = words(
    "top bottom left right middle center centre corner side end beginning start upper lower"
    "hand left-hand right-hand upper-left upper-right"
)
_QUANTITIES = words("all both each one some any none every")
_ROW_LINKS = words(
    "as of for with containing named called where that which contains has having about"
    "showing whose is text to the a an and starting beginning labeled labelled displaying"
    "listing"
)


@dataclass(frozen=True)
class Place:
    """A place: its kind, its words, and what a row's words are called.

    `beside` says that a row is but what stands next to something, or what it is for.
    """

    kind: PlaceKind
    text: str = ""
    called: str | None = None
    number: int | None = None
    quoted: bool = True
    beside: bool = False


def split(tokens: Tokens) -> Iterator[tuple[Tokens, tuple[Place, ...]]]:
    """The core and the places behind it; several ways where a preposition may be of a name."""
    starts = [n for n in range(1, len(tokens)) if _opens(tokens, n)][:12]
    places: list[Place] = []
    ends = [len(tokens)]
    for start in reversed(starts):
        has_core = _has_core(tokens[:start])
        if places and _goes_on(tokens, start, ends[-1]):
            wider = read_place(tokens[start : ends[-2]], has_core=has_core)
            if wider is not None and wider.quoted and not _names_core(tokens, start, ends[-1]):
                places[0] = wider
                ends[-1] = start
                continue
        place = read_place(tokens[start : ends[-1]], has_core=has_core)
        if place is not None:
            places.insert(0, place)
            ends.append(start)
    core = tokens[: ends[-1]]
    yield core, tuple(places)
    lying = any(place.kind not in ("page", "nowhere") for place in places)
    if lying and not any(t.quoted for t in tokens) and not _has_core(core):
        yield tokens, ()


def _goes_on(tokens: Tokens, start: int, end: int) -> bool:
    """Whether a place such as "in the row" needs what follows to be whole."""
    inside = tokens[start + 1 : end]
    words = [t.low for t in inside if t.low not in DETERMINERS]
    return (
        not any(t.quoted for t in inside)
        and end < len(tokens)
        and tokens[end].low not in _IN - {"of"}
        and any(known(tuple(words), among) for among in (ROWS, LANDMARKS, NAMED_PLACES))
    )


def _names_core(tokens: Tokens, start: int, end: int) -> bool:
    """Whether ``labeled "x"`` behind a place names the core, which has no text of its own."""
    naming = tokens[end].low in _NAMING or tokens[end].low in ("with", "that", "which", "whose")
    bare = read_nouns(tokens[:start])
    has_text = any(t.quoted for t in tokens[:start]) or any(noun.text for noun in bare)
    place = [t.low for t in tokens[start + 1 : end] if t.low not in DETERMINERS]
    return naming and not has_text and known(tuple(place), ROWS) is None


def _has_core(tokens: Tokens) -> bool:
    """Whether what stands before a preposition is a whole name: quoted, or with a role."""
    if any(token.quoted for token in tokens):
        return True
    return any(noun.role is not None or noun.ordinal for noun in read_nouns(tokens))


def _opens(tokens: Tokens, at: int) -> bool:
    token = tokens[at]
    if token.kind != "word":
        return token.text == "("
    if token.low == "of" and (ordinal(tokens[at - 1]) or tokens[at - 1].low in _QUANTITIES):
        return False
    if token.low in ("with", "for", "that", "which", "whose", "where", "belonging") or (
        token.low in _NAMING or token.low in _IN or token.low in _BESIDE
    ):
        return True
    return any(_phrase(tokens, at, phrase) for phrase in _BESIDE_PHRASES)


def _phrase(tokens: Tokens, at: int, phrase: tuple[str, ...]) -> bool:
    return tuple(token.low for token in tokens[at : at + len(phrase)]) == phrase


def read_place(tokens: Tokens, *, has_core: bool) -> Place | None:
    """The place that a prepositional phrase names; None where it names none."""
    tokens = [t for t in trimmed(tokens) if t.mark not in ("(", ")")]
    if not tokens:
        return None
    return (
        _naming(tokens, has_core)
        or _beside(tokens, has_core)
        or _where(tokens)
        or _for(tokens, has_core)
        or _in(tokens, has_core)
    )


def _naming(tokens: Tokens, has_core: bool) -> Place | None:
    """``labeled 'x'``, ``with the text 'x'``, ``that says 'x'``, ``whose label is 'x'``."""
    words = [token.low for token in tokens]
    at = _naming_words(words)
    if not at or not (rest := _object(tokens[at:])):
        return None
    quotes = [token for token in rest if token.quoted]
    if len(quotes) == 1 and all(t.kind == "word" for t in rest if not t.quoted):
        return Place("name", quotes[0].text)
    bare = words[0] in _NAMING or words[1:2] in (["text"], ["label"], ["name"])
    if not quotes and bare and has_core:
        return Place("name", said(rest), quoted=False)
    return None


def _naming_words(words: list[str]) -> int:
    """How many words say that a name follows."""
    if words[0] in _NAMING:
        return 1
    at = 1
    if words[0] in ("that", "which") and len(words) > 1:
        if words[1] in ("says", "reads", "contains", "shows", "has", "displays", "say", "include"):
            at = 2
        elif words[1] in ("is", "are") and words[2:3] and words[2] in _NAMING:
            return 3
        else:
            return 0
    elif words[0] == "whose":
        ends = [n for n, w in enumerate(words[:6]) if w in ("is", "says", "reads", "contains")]
        return ends[0] + 1 if ends else 0
    elif words[0] not in ("with", "by", "having"):
        return 0
    return at


def _object(tokens: Tokens) -> list[Token]:
    """What follows, without articles and nouns such as "the text"."""
    rest = list(tokens)
    while rest and (rest[0].low in DETERMINERS or rest[0].low in _NAMED_BY):
        rest.pop(0)
    return rest


def _beside(tokens: Tokens, has_core: bool) -> Place | None:
    for phrase in _BESIDE_PHRASES:
        if _phrase(tokens, 0, phrase):
            return _row(tokens[len(phrase) :], has_core)
    if tokens[0].low in _BESIDE:
        if len(tokens) == 1:
            return Place("nowhere")
        return _row(tokens[1:], has_core)
    return None


def _where(tokens: Tokens) -> Place | None:
    """``where 'Name' is 'x'``, ``whose Name is 'x'``."""
    if tokens[0].low not in ("where", "whose", "with", "that", "which", "having"):
        return None
    quotes = [t for t in tokens if t.quoted]
    others = [t for t in tokens[1:] if not t.quoted and t.low not in _ROW_LINKS and t.low != "has"]
    if any(t.kind == "mark" for t in others) or len(others) > 3:
        return None
    if len(quotes) == 2 and not others:
        return Place("row", quotes[1].text, quotes[0].text)
    if len(quotes) == 1 and others and tokens[0].low in ("where", "whose"):
        return Place("row", quotes[0].text, said(others))
    return None


def _for(tokens: Tokens, has_core: bool) -> Place | None:
    """``for Customer 'x'``: the row of it."""
    quoted = any(t.quoted for t in tokens)
    if tokens[0].low not in ("for", "of") or (tokens[0].low == "of" and not (has_core or quoted)):
        return None
    if _is_page(tokens[1:]):
        return Place("page")
    if tokens[0].low == "of" and _in_place(tokens[1:]):
        return None
    return _row(tokens[1:], has_core)


def _in_place(tokens: Tokens) -> bool:
    words = [t.low for t in tokens if t.low not in DETERMINERS and not t.quoted]
    return bool(
        ending(words, LANDMARKS)
        or beginning(words, ROWS)
        or ending(words, ROWS)
        or ending(words, NAMED_PLACES)
        or beginning(words, NAMED_PLACES)
    )


def _row(tokens: Tokens, has_core: bool) -> Place | None:
    rest = [t for t in tokens if t.low not in DETERMINERS]
    quotes = [token for token in rest if token.quoted]
    if len(quotes) > 1 or not rest or any(t.kind == "mark" for t in rest):
        return None
    if quotes:
        words = [t.low for t in rest]
        size = beginning(words, ROWS)
        other = [t for t in rest[size:] if not t.quoted and t.low not in _ROW_LINKS]
        if len(other) > 4:
            return None
        if known(tuple(t.low for t in other), CONTROLS):
            other = []  # "next to the field 'Name'"
        return Place("row", quotes[0].text, said(other) or None, beside=not size)
    if not has_core or len(rest) > 6:
        return None
    kind = kind_before_name(rest)
    name = owner(said(rest[kind:]))
    return Place("row", name, said(rest[:kind]) or None, quoted=False, beside=True)


def _in(tokens: Tokens, has_core: bool) -> Place | None:
    if tokens[0].low not in _IN:
        return None
    rest = [t for t in tokens[1:] if t.low not in ("same", "very", "currently", "opened", "open")]
    if not rest:
        return Place("nowhere") if tokens[0].low in _UNDER else None
    if _is_page(rest) or _is_side(rest) or _is_own_text([t.low for t in tokens[1:]]):
        return Place("page")
    if rest[0].low in EVERY and len(rest) < 4 and not any(t.quoted for t in rest):
        return Place("every")  # "on all posts", "in each row"
    if rest[0].text.isdigit() and len(rest) > 1:  # "on 2 posts": which ones is not said
        return None
    return _in_row(rest) or _in_region(rest, tokens[0].low, has_core)


def _is_own_text(words: list[str]) -> bool:
    """``in its description``."""
    return len(words) == 2 and words[0] in ("its", "their", "the") and words[1] in (
        "description", "text", "label", "name", "title", "caption", "content", "value", "texts",
    )  # fmt: skip


def _is_page(tokens: Tokens) -> bool:
    words = [t.low for t in tokens if t.low not in DETERMINERS]
    words = [w for w in words if w not in ("content", "contents", "body", "source", "text", "of",
             "current", "whole", "entire", "same", "resulting", "new", "next", "loaded", "visible",
             "main", "displayed")]  # fmt: skip
    if any(token.quoted for token in tokens):
        return False
    if words in (["tab"], ["tab", "or", "window"]) and any(t.low == "new" for t in tokens):
        return True
    if not words:
        return any(t.low in _CONTENT for t in tokens)
    return known(tuple(words), PAGE) is not None


def _is_side(tokens: Tokens) -> bool:
    words = [t.low for t in tokens if t.low not in DETERMINERS]
    if not words or words[0] not in _SIDES or any(token.quoted for token in tokens):
        return False
    rest = [w for w in words if w not in _SIDES and w not in ("of", "the")]
    return not rest or known(tuple(rest), PAGE) is not None


def _in_row(tokens: Tokens) -> Place | None:
    """``the row of 'x'``, ``the 'x' row``, ``the row where 'Name' is 'x'``, ``the third row``."""
    rest = [t for t in tokens if t.low not in DETERMINERS]
    words = [t.low for t in rest]
    size = beginning(words, ROWS)
    quotes = [t for t in rest if t.quoted]
    if size and quotes:
        return _row_of(rest[size:], quotes)
    if size:
        bare = [t for t in rest[size:] if t.low not in _ROW_LINKS]
        return Place("row", said(bare), quoted=False) if bare else None
    size = ending(words, ROWS)
    if not size:
        return None
    return _before_row(rest[:-size], quotes)


def _row_of(rest: Tokens, quotes: list[Token]) -> Place | None:
    if len(quotes) > 2:
        return None
    other = [t for t in rest if not t.quoted and t.low not in _ROW_LINKS and t.kind == "word"]
    called = quotes[0].text if len(quotes) == 2 else said(other) or None
    return Place("row", quotes[-1].text, called)


def _before_row(rest: Tokens, quotes: list[Token]) -> Place | None:
    if len(quotes) == 1:
        other = [t for t in rest if not t.quoted]
        return Place("row", quotes[0].text, said(other) or None)
    nouns = read_nouns([*rest, Token("word", "row", 0, 0, "row")]) if rest else ()
    if nouns and nouns[0].ordinal and not nouns[0].text:
        return Place("nth_row", number=nouns[0].ordinal)
    if rest and not quotes:
        return Place("row", owner(said(rest)), quoted=False)
    return None


_JOINTS = frozenset({"and", "or", ",", ";", "then", "nor", "to", "&"})


def _in_region(tokens: Tokens, word: str, has_core: bool) -> Place | None:
    rest = [t for t in tokens if t.low not in DETERMINERS]
    quotes = [token for token in rest if token.quoted]
    if len(quotes) > 1 or any(not t.quoted and t.low in _JOINTS for t in rest):
        return None
    words = [t.low for t in rest]
    if quotes:
        others = [t.low for t in rest if not t.quoted and t.low not in _ROW_LINKS]
        return Place("region", quotes[0].text) if len(others) <= 4 else None
    if phrase := known(tuple(words), LANDMARKS):
        return Place("region", LANDMARKS[phrase], quoted=False)
    return _bare_region(rest, words, word, has_core)


_NO_PLACES = words(
    "red green blue bold italic italics black white grey gray yellow orange time order full"
    "english general total particular case french german capitals uppercase lowercase upper"
    "lower less more seconds front least most last first time alphabetical sequence turn"
    "detail"
)


def _bare_region(rest: Tokens, words: list[str], word: str, has_core: bool) -> Place | None:
    if any(token.kind == "mark" for token in rest) or len(rest) > 7:
        return None
    for among in (LANDMARKS, NAMED_PLACES):
        size = ending(words, among)
        if 0 < size < len(words):
            return Place("region", said(rest[:-size]), quoted=False)
        size = beginning(words, among)
        if 0 < size < len(words):
            bare = [t for t in rest[size:] if t.low not in _ROW_LINKS]
            return Place("region", said(bare), quoted=False) if bare else None
        if size and has_core:
            return Place("region", said(rest), quoted=False)
    if not words or words[0] in _NO_PLACES:
        return None
    lies = word in ("in", "within", "inside", "under", "below", "on", "from", "beneath")
    return Place("region", said(rest), quoted=False) if has_core and lies else None
