"""Read what a step names on a page: a noun, and the places that it lies in.

``the 'Delete' button for Member 'Moss'``, ``'Add' in the row of 'Groups'``, ``the button in
the dialog box labeled "Cancel"``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from sparring_plugins.web.grammar.phrases.locators import read_located
from sparring_plugins.web.grammar.phrases.nouns import (
    EVERY,
    Noun,
    content_words,
    count_kind_words,
    join_text,
    read_nouns,
    strip_possessive,
    without_determiners,
)
from sparring_plugins.web.grammar.phrases.numbers import read_ordinal
from sparring_plugins.web.grammar.phrases.tokens import (
    Token,
    Tokens,
    has_quotes,
    quotes_in,
    trim,
)
from sparring_plugins.web.grammar.phrases.vocabulary import (
    BOXES,
    FIELDS,
    WORDS,
    beginning_size,
    ending_size,
    lookup,
)
from sparring_plugins.web.step import Target

PlaceKind = Literal["name", "row", "region", "page", "nowhere", "nth_row", "every"]

_UNDER = frozenset({"under", "below", "beneath", "underneath"})
_BESIDE = frozenset({"beside", "near", "alongside", "opposite", "by", "above"})
_CONTENT = frozenset({"content", "contents", "body", "text", "source"})
_QUANTITIES = frozenset({"all", "both", "each", "one", "some", "any", "none", "every"})


@dataclass(frozen=True)
class TargetPlace:
    """A place: its kind, its words, and what a row's words are called.

    `beside` says that a row is but what stands next to something, or what it is for.
    """

    kind: PlaceKind
    text: str = ""
    called: str | None = None
    number: int | None = None
    quoted: bool = True
    beside: bool = False


def split_places(tokens: Tokens) -> Iterator[tuple[Tokens, tuple[TargetPlace, ...]]]:
    """Split off the places behind the noun; in several ways if a preposition may be in a name."""
    starts = [n for n in range(1, len(tokens)) if _opens_place(tokens, n)][:12]
    places: list[TargetPlace] = []
    ends = [len(tokens)]
    for start in reversed(starts):
        has_core = _has_core(tokens[:start])
        if places and _needs_more(tokens, start, ends[-1]):
            wider = read_place(tokens[start : ends[-2]], has_core=has_core)
            if _is_wider(wider) and not _names_core(tokens, start, ends[-1]):
                places[0] = cast("TargetPlace", wider)
                ends[-1] = start
                continue
        place = read_place(tokens[start : ends[-1]], has_core=has_core)
        if place is not None:
            places.insert(0, place)
            ends.append(start)
    core = tokens[: ends[-1]]
    yield core, tuple(places)
    lying = any(place.kind not in ("page", "nowhere") for place in places)
    if lying and not has_quotes(tokens) and not _has_core(core):
        yield tokens, ()


def _is_wider(place: TargetPlace | None) -> bool:
    """Return whether a longer place is meant: "in the row for Tilda" is hers."""
    return place is not None and (place.quoted or place.kind == "row")


def _needs_more(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a place such as "in the row" is incomplete without what follows."""
    inside = tokens[start + 1 : end]
    words = [t.low for t in inside if t.low not in WORDS.determiners]
    return (
        not has_quotes(inside)
        and end < len(tokens)
        and tokens[end].low not in WORDS.place_prepositions - {"of"}
        and any(
            lookup(tuple(words), among)
            for among in (WORDS.rows, WORDS.landmarks, WORDS.named_places)
        )
    )


def _names_core(tokens: Tokens, start: int, end: int) -> bool:
    """Whether ``labeled "x"`` behind a place names the core, which has no text of its own."""
    naming = tokens[end].low in WORDS.naming or tokens[end].low in (
        "with",
        "that",
        "which",
        "whose",
    )
    bare = read_nouns(tokens[:start])
    has_text = has_quotes(tokens[:start]) or any(noun.text for noun in bare)
    place = [t.low for t in tokens[start + 1 : end] if t.low not in WORDS.determiners]
    return naming and not has_text and lookup(tuple(place), WORDS.rows) is None


def _has_core(tokens: Tokens) -> bool:
    """Whether what stands before a preposition is a whole name: quoted, or with a role."""
    if has_quotes(tokens):
        return True
    return any(noun.role is not None or noun.ordinal for noun in read_nouns(tokens))


def _opens_place(tokens: Tokens, at: int) -> bool:
    token = tokens[at]
    if token.kind != "word":
        return token.text == "("
    if token.low == "of" and (read_ordinal(tokens[at - 1]) or tokens[at - 1].low in _QUANTITIES):
        return False
    if token.low in ("with", "for", "that", "which", "whose", "where", "belonging") or (
        token.low in WORDS.naming or token.low in WORDS.place_prepositions or token.low in _BESIDE
    ):
        return True
    return any(_matches_phrase(tokens, at, phrase) for phrase in WORDS.beside.get(token.low, ()))


def _matches_phrase(tokens: Tokens, at: int, phrase: tuple[str, ...]) -> bool:
    return tuple(token.low for token in tokens[at : at + len(phrase)]) == phrase


def read_place(tokens: Tokens, *, has_core: bool) -> TargetPlace | None:
    """Return the place that a prepositional phrase names, or `None`."""
    tokens = [t for t in trim(tokens) if t.mark not in ("(", ")")]
    if not tokens:
        return None
    return (
        _read_naming(tokens, has_core)
        or _read_beside(tokens, has_core)
        or _read_where(tokens)
        or _read_for(tokens, has_core)
        or _read_in(tokens, has_core)
    )


def _read_naming(tokens: Tokens, has_core: bool) -> TargetPlace | None:
    """``labeled 'x'``, ``with the text 'x'``, ``that says 'x'``, ``whose label is 'x'``."""
    words = [token.low for token in tokens]
    at = _count_naming_words(words)
    if not at or not (rest := _strip_noun(tokens[at:])):
        return None
    quotes = quotes_in(rest)
    if len(quotes) == 1 and all(t.kind == "word" for t in rest if not t.quoted):
        return TargetPlace("name", quotes[0].text)
    bare = words[0] in WORDS.naming or words[1:2] in (["text"], ["label"], ["name"])
    if not quotes and bare and has_core:
        return TargetPlace("name", join_text(rest), quoted=False)
    return None


def _count_naming_words(words: list[str]) -> int:
    """Return how many words announce a name."""
    if words[0] in WORDS.naming:
        return 1
    at = 1
    if words[0] in ("that", "which") and len(words) > 1:
        if words[1] in ("says", "reads", "contains", "shows", "has", "displays", "say", "include"):
            at = 2
        elif words[1] in ("is", "are") and words[2:3] and words[2] in WORDS.naming:
            return 3
        else:
            return 0
    elif words[0] == "whose":
        ends = [n for n, w in enumerate(words[:6]) if w in ("is", "says", "reads", "contains")]
        return ends[0] + 1 if ends else 0
    elif words[0] not in ("with", "by", "having"):
        return 0
    return at


def _strip_noun(tokens: Tokens) -> list[Token]:
    """Strip articles and nouns such as "the text" from the front."""
    rest = list(tokens)
    while rest and (rest[0].low in WORDS.determiners or rest[0].low in WORDS.named_by):
        rest.pop(0)
    return rest


def _read_beside(tokens: Tokens, has_core: bool) -> TargetPlace | None:
    for phrase in WORDS.beside.get(tokens[0].low, ()):
        if _matches_phrase(tokens, 0, phrase):
            return _read_row_beside(tokens[len(phrase) :], has_core)
    if tokens[0].low in _BESIDE:
        if len(tokens) == 1:
            return TargetPlace("nowhere")
        return _read_row_beside(tokens[1:], has_core)
    return None


def _read_where(tokens: Tokens) -> TargetPlace | None:
    """``where 'Name' is 'x'``, ``whose Name is 'x'``."""
    if tokens[0].low not in ("where", "whose", "with", "that", "which", "having"):
        return None
    quotes = quotes_in(tokens)
    others = [
        t for t in tokens[1:] if not t.quoted and t.low not in WORDS.row_links and t.low != "has"
    ]
    if any(t.kind == "mark" for t in others) or len(others) > 3:
        return None
    if len(quotes) == 2 and not others:
        return TargetPlace("row", quotes[1].text, quotes[0].text)
    if len(quotes) == 1 and others and tokens[0].low in ("where", "whose"):
        return TargetPlace("row", quotes[0].text, join_text(others))
    return None


def _read_for(tokens: Tokens, has_core: bool) -> TargetPlace | None:
    """``for Customer 'x'``: the row of it."""
    quoted = has_quotes(tokens)
    if tokens[0].low not in ("for", "of") or (tokens[0].low == "of" and not (has_core or quoted)):
        return None
    if _is_page(tokens[1:]):
        return TargetPlace("page")
    if tokens[0].low == "of" and _names_place(tokens[1:]):
        return None
    return _read_row_beside(tokens[1:], has_core)


def _names_place(tokens: Tokens) -> bool:
    words = content_words(tokens)
    return bool(
        ending_size(words, WORDS.landmarks)
        or beginning_size(words, WORDS.rows)
        or ending_size(words, WORDS.rows)
        or ending_size(words, WORDS.named_places)
        or beginning_size(words, WORDS.named_places)
    )


def _read_row_beside(tokens: Tokens, has_core: bool) -> TargetPlace | None:
    rest = without_determiners(tokens)
    quotes = quotes_in(rest)
    if len(quotes) > 1 or not rest or any(t.kind == "mark" for t in rest):
        return None
    if quotes:
        return _read_quoted_row(rest, quotes[0])
    if not has_core or len(rest) > 6:
        return None
    kind = count_kind_words(rest)
    name = strip_possessive(join_text(rest[kind:]))
    return TargetPlace("row", name, join_text(rest[:kind]) or None, quoted=False, beside=True)


def _read_quoted_row(rest: Tokens, quotation: Token) -> TargetPlace | None:
    """``Customer 'x'``, ``the row of Customer 'x'``."""
    size = beginning_size([t.low for t in rest], WORDS.rows)
    other = [t for t in rest[size:] if not t.quoted and t.low not in WORDS.row_links]
    if len(other) > 4:
        return None
    if lookup(tuple(t.low for t in other), WORDS.controls):
        other = []  # "next to the field 'Name'"
    return TargetPlace("row", quotation.text, join_text(other) or None, beside=not size)


def _read_in(tokens: Tokens, has_core: bool) -> TargetPlace | None:
    if tokens[0].low not in WORDS.place_prepositions:
        return None
    rest = [t for t in tokens[1:] if t.low not in ("same", "very", "currently", "opened", "open")]
    if not rest:
        return TargetPlace("nowhere") if tokens[0].low in _UNDER else None
    if _is_page(rest) or _is_side(rest) or _is_own_text(tokens[1:]):
        return TargetPlace("page")
    if not has_quotes(rest) and len(rest) < 4 and rest[0].low in EVERY:
        return TargetPlace("every")  # "on all posts", "in each row"
    if rest[0].text.isdigit() and len(rest) > 1:
        return None  # "on 2 posts": which ones is not said
    return _read_in_row(rest) or _read_in_region(rest, tokens[0].low, has_core)


_OWN_TEXTS = frozenset(
    {"description", "text", "label", "name", "title", "caption", "content", "value", "texts"}
)


def _is_own_text(tokens: Tokens) -> bool:
    """Whether it is ``its description``."""
    words = [token.low for token in tokens]
    return len(words) == 2 and words[0] in ("its", "their", "the") and words[1] in _OWN_TEXTS


def _is_page(tokens: Tokens) -> bool:
    words = [t.low for t in tokens if t.low not in WORDS.determiners]
    words = [w for w in words if w not in WORDS.page_adjectives]
    if has_quotes(tokens):
        return False
    if words in (["tab"], ["tab", "or", "window"]) and any(t.low == "new" for t in tokens):
        return True
    if not words:
        return any(t.low in _CONTENT for t in tokens)
    return lookup(tuple(words), WORDS.pages) is not None


def _is_side(tokens: Tokens) -> bool:
    words = [t.low for t in tokens if t.low not in WORDS.determiners]
    if not words or words[0] not in WORDS.sides or has_quotes(tokens):
        return False
    rest = [w for w in words if w not in WORDS.sides and w not in ("of", "the")]
    return not rest or lookup(tuple(rest), WORDS.pages) is not None


def _read_in_row(tokens: Tokens) -> TargetPlace | None:
    """``the row of 'x'``, ``the 'x' row``, ``the row where 'Name' is 'x'``, ``the third row``."""
    rest = without_determiners(tokens)
    words = [t.low for t in rest]
    size = beginning_size(words, WORDS.rows)
    quotes = quotes_in(rest)
    if size and quotes:
        return _read_row_of(rest[size:], quotes)
    if size:
        bare = [t for t in rest[size:] if t.low not in WORDS.row_links]
        return TargetPlace("row", join_text(bare), quoted=False) if bare else None
    size = ending_size(words, WORDS.rows)
    if not size:
        return None
    return _read_named_row(rest[:-size], quotes)


def _read_row_of(rest: Tokens, quotes: list[Token]) -> TargetPlace | None:
    if len(quotes) > 2:
        return None
    other = [t for t in rest if not t.quoted and t.low not in WORDS.row_links and t.kind == "word"]
    called = quotes[0].text if len(quotes) == 2 else join_text(other) or None
    return TargetPlace("row", quotes[-1].text, called)


def _read_named_row(rest: Tokens, quotes: list[Token]) -> TargetPlace | None:
    if len(quotes) == 1:
        other = [t for t in rest if not t.quoted]
        return TargetPlace("row", quotes[0].text, join_text(other) or None)
    nouns = read_nouns([*rest, Token("word", "row", 0, 0, "row")]) if rest else ()
    if nouns and nouns[0].ordinal and not nouns[0].text:
        return TargetPlace("nth_row", number=nouns[0].ordinal)
    if rest and not quotes:
        return TargetPlace("row", strip_possessive(join_text(rest)), quoted=False)
    return None


_JOINTS = frozenset({"and", "or", ",", ";", "then", "nor", "to", "&"})


_LYING = frozenset({"in", "within", "inside", "under", "below", "on", "from", "beneath"})


def _read_in_region(tokens: Tokens, word: str, has_core: bool) -> TargetPlace | None:
    rest = without_determiners(tokens)
    quotes = quotes_in(rest)
    if len(quotes) > 1 or any(not t.quoted and t.low in _JOINTS for t in rest):
        return None
    words = [t.low for t in rest]
    if quotes:
        others = [t.low for t in rest if not t.quoted and t.low not in WORDS.row_links]
        return TargetPlace("region", quotes[0].text) if len(others) <= 4 else None
    if phrase := lookup(tuple(words), WORDS.landmarks):
        return TargetPlace("region", WORDS.landmarks[phrase], quoted=False)
    return _read_bare_region(rest, words, word, has_core)


def _read_bare_region(
    rest: Tokens, words: list[str], preposition: str, has_core: bool
) -> TargetPlace | None:
    if any(token.kind == "mark" for token in rest) or len(rest) > 7:
        return None
    name = _find_name_beside_noun(rest, words)
    if name is not None:
        return TargetPlace("region", join_text(name), quoted=False) if name else None
    if not has_core or not words:
        return None
    lies = words[0] not in WORDS.no_places and preposition in _LYING
    whole = lookup(tuple(words), WORDS.named_places) is not None
    return TargetPlace("region", join_text(rest), quoted=False) if whole or lies else None


def _find_name_beside_noun(rest: Tokens, words: list[str]) -> Tokens | None:
    """``Users`` of ``the Users section`` and ``the section for Users``; `None` without a noun."""
    for among in (WORDS.landmarks, WORDS.named_places):
        size = ending_size(words, among)
        if 0 < size < len(words):
            return rest[:-size]
        size = beginning_size(words, among)
        if 0 < size < len(words):
            return [t for t in rest[size:] if t.low not in WORDS.row_links]
    return None


_BLANKS = frozenset({"box", "blank", "space", "form field", "boxes", "blanks"})


def read_targets(tokens: Tokens, role: str | None = None) -> tuple[Target, ...]:
    """Return the readings of tokens as targets, the likeliest first; empty if there are none.

    `role` is the role of a target whose noun says none.
    """
    tokens = trim(tokens)
    while len(tokens) > 1 and tokens[-1].low in WORDS.trailing_adverbs:
        tokens = trim(tokens[:-1])
    if (located := read_located(tokens)) is not None:
        return (located,)
    targets: dict[Target, None] = {}
    for core, places in split_places(tokens):
        for noun in read_nouns(core):
            target = _build_target(noun, places)
            if target is not None:
                if role == "field" and not target.quoted and target.text in _BLANKS:
                    target = target.model_copy(update={"text": "", "quoted": True})
                target = target if target.role or not role else with_role(target, role)
                targets[target] = None
    return tuple(targets)


def with_role(target: Target, role: str) -> Target:
    """Return `target` as a control of a role."""
    return target.model_copy(update={"role": role})


def with_default_role(targets: tuple[Target, ...], role: str) -> tuple[Target, ...]:
    """Return `targets`, those without a role as controls of `role`."""
    return tuple(t if t.role or t.by else with_role(t, role) for t in targets)


def names_both(tokens: Tokens) -> bool:
    """Whether tokens name two ("both text fields")."""
    return any(token.low == "both" for token in trim(tokens)[:2])


def _build_target(noun: Noun, places: tuple[TargetPlace, ...]) -> Target | None:
    fields: dict[str, object] = {
        "text": noun.text, "quoted": noun.quoted, "role": noun.role, "ordinal": noun.ordinal,
        "exact": noun.exact, "every": noun.every,
    }  # fmt: skip
    for place in places:
        if not _apply_place(place, noun, fields):
            return None
    target = Target.model_validate(fields)
    meant = target.text or target.role or target.ordinal or target.every
    return target if meant else None


def _apply_place(place: TargetPlace, noun: Noun, fields: dict[str, object]) -> bool:
    match place.kind:
        case "name":
            if fields["text"] and not (noun.role is None and not noun.quoted):
                return fields["text"] == place.text
            if noun.text or noun.role == "listitem":
                fields["role"] = None
            fields |= {"text": place.text, "quoted": place.quoted}
        case "row" if _is_its_label(noun, place, fields):
            fields |= {"text": place.text, "quoted": place.quoted}
        case "row":
            fields |= _row(place, fields)
        case "region" if fields.get("region") is None:
            fields["region"] = place.text
        case "region":
            pass
        case "every":
            fields["every"] = True
        case "nth_row":
            fields |= _nth_row(place, fields)
        case _:
            pass
    return True


def _row(place: TargetPlace, fields: dict[str, object]) -> dict[str, object]:
    """Return the row; what has no text of its own is quoted only if its row is.

    "A button for adding a new bill" names no row: that none is called 'adding a new bill' does not
    make it false.
    """
    row: dict[str, object] = {"row": place.text, "row_kind": place.called}
    return row if fields["text"] or place.quoted else {**row, "quoted": False}


def _nth_row(place: TargetPlace, fields: dict[str, object]) -> dict[str, object]:
    """Return the row of what is quoted, and the place of anything else among its kind."""
    if fields["text"] and fields["quoted"]:
        return {"row_number": place.number}
    return {"ordinal": fields["ordinal"] or place.number}


def _is_its_label(noun: Noun, place: TargetPlace, fields: dict[str, object]) -> bool:
    """Return whether a box or field without a text is named by what stands beside it."""
    return (
        place.beside and not fields["text"] and not place.called and noun.role in (BOXES | FIELDS)
    )


def bare_text(tokens: Tokens) -> str:
    """The text of unquoted tokens."""
    return join_text(trim(tokens))
