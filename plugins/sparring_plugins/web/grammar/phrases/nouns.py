"""Read nouns: ``the second 'Add' button``, ``button ONE``, ``search box``."""

from dataclasses import dataclass, replace

from sparring_plugins.web.grammar.phrases.numbers import TIMES, read_cardinal, read_ordinal
from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens, trim
from sparring_plugins.web.grammar.phrases.vocabulary import (
    ACTIVE,
    FIELDS,
    WORDS,
    beginning_size,
    ending_size,
    role_of,
)

EVERY = frozenset({"all", "every", "each"})


def without_determiners(tokens: Tokens) -> list[Token]:
    """Return tokens without articles and other determiners."""
    return [token for token in tokens if token.low not in WORDS.determiners]


def content_words(tokens: Tokens) -> list[str]:
    """Return the words that are neither quoted nor determiners, in lower case."""
    return [t.low for t in tokens if not t.quoted and t.low not in WORDS.determiners]


#: Nouns that "first" and "last" belong to: "the first name field" is no first field.
_NAME_WORDS = frozenset({"name", "names", "initial", "names:", "name:"})
_MOST_BARE = 14
_MOST_DESCRIBING = 5


@dataclass(frozen=True)
class Noun:
    """A text, whether it was quoted, a role, a place in the order."""

    text: str = ""
    quoted: bool = True
    role: str | None = None
    ordinal: int | None = None
    every: bool = False
    exact: bool = False


def join_text(tokens: Tokens) -> str:
    """Join the tokens on one line, with blanks only where the sentence has some."""
    text, end = "", None
    for token in tokens:
        gap = " " if end is not None and token.start > end else ""
        text += gap + token.text
        end = token.end
    return " ".join(text.split())


def count_kind_words(tokens: Tokens) -> int:
    """Count the words before a name: ``user @ada``, ``customer Alice``, ``order 1045``."""
    size = next((n for n, t in enumerate(tokens) if not (t.text.isalpha() and t.text.islower())), 0)
    named = [t.text for t in tokens[size:]]
    return size if all(text[:1].isupper() or text[:1] in "@#" or text[:1].isdigit()
                       for text in named) else 0  # fmt: skip


def strip_possessive(text: str) -> str:
    """Strip the 's of ``Alice's`` row."""
    return text.removesuffix("'s").removesuffix("\u2019s")


def read_nouns(tokens: Tokens) -> tuple[Noun, ...]:
    """Return the readings of tokens as nouns, the likeliest first; empty if there are none."""
    tokens = trim(tokens)
    start, rest = _read_front(tokens)
    if not rest:
        return (replace(start, quoted=True),) if start.ordinal or start.every else ()
    quotes = [n for n, token in enumerate(rest) if token.quoted]
    if len(quotes) > 1:
        return ()
    if quotes:
        some = any(t.low in ("a", "an", "any") for t in tokens[: len(tokens) - len(rest)])
        noun = _read_quoted(start, rest, quotes[0], some=some)
        return (noun,) if noun else ()
    return _read_bare(start, rest)


def _read_front(tokens: Tokens) -> tuple[Noun, Tokens]:
    """Return what articles, quantities and ordinals at the front say, and the rest."""
    noun, at = Noun(), 0
    while at < len(tokens) and not tokens[at].quoted:
        low = tokens[at].low
        if low in EVERY:
            noun = replace(noun, every=True)
        elif low == "both":
            pass
        elif low in ("exact", "exactly"):
            noun = replace(noun, exact=True)
        elif low == "of" and at and tokens[at - 1].low in (*EVERY, "both"):
            pass
        elif low not in WORDS.determiners or (len(tokens) == 1 and tokens[0].text[:1].isupper()):
            break
        at += 1
    return _read_ordinal_front(noun, tokens[at:])


def _read_ordinal_front(noun: Noun, rest: Tokens) -> tuple[Noun, Tokens]:
    if len(rest) >= 2 and rest[0].low in ("number", "no") and rest[1].low.isdigit():
        return noun, rest
    if len(rest) >= 2 and (place := read_ordinal(rest[0])) is not None:
        if rest[1].low in _NAME_WORDS:
            return noun, rest
        if rest[1].low == "last" and place > 0:
            return replace(noun, ordinal=-place), rest[2:]
        if rest[1].low == "to" and len(rest) > 3 and rest[2].low == "last":
            return replace(noun, ordinal=-place), rest[3:]
        more = rest[1:]
        while more and more[0].low in ("of", "the", "one"):
            more = more[1:]
        return replace(noun, ordinal=place), more
    return noun, rest


def _read_quoted(start: Noun, tokens: Tokens, at: int, *, some: bool = False) -> Noun | None:
    before, after = tokens[:at], tokens[at + 1 :]
    if control := _widget_role(tokens[at], after):
        return replace(start, role=control, ordinal=start.ordinal or (1 if some else None))
    words_before, words_after = [t.low for t in before], [t.low for t in after]
    exact = start.exact or not {"exact", "exactly"}.isdisjoint(words_before)
    noun = replace(start, text=tokens[at].text, quoted=True, exact=exact)
    size = beginning_size(words_after, WORDS.controls)
    if size and len(after) - size <= 1:
        return replace(noun, role=role_of(words_after[:size])) if _is_description(before) else None
    size = ending_size(words_before, WORDS.controls)
    if size:
        place = read_ordinal(before[-size - 1]) if len(before) > size else None
        noun = replace(noun, role=role_of(words_before[-size:]), ordinal=place or noun.ordinal)
        before = before[:-size]
    return noun if _is_description(before) and _is_noun_behind(after) else None


def _widget_role(quotation: Token, after: Tokens) -> str | None:
    """The role of a control that is quoted by its kind: "a 'button' widget" is any button."""
    if [t.low for t in after] not in (["widget"], ["element"], ["control"]):
        return None
    kind = quotation.text.casefold().split()[:4]
    return "textbox" if kind == ["text"] else role_of(kind)


def _is_description(tokens: Tokens) -> bool:
    """Return whether tokens beside a quotation are only a few describing words."""
    return len(tokens) <= _MOST_DESCRIBING and all(_is_describing(token) for token in tokens)


def _is_describing(token: Token) -> bool:
    return (
        token.kind == "word"
        and token.low not in WORDS.joining_words
        and token.low not in TIMES
        and read_cardinal(token) is None
    )


def _is_noun_behind(tokens: Tokens) -> bool:
    """Return whether tokens behind a quotation are at most one noun: ``the 'Tea' product``."""
    return (
        len(tokens) <= 1
        and _is_description(tokens)
        and not any(t.low.endswith("ly") for t in tokens)
    )


_TEXT_ENDS = frozenset({"text", "message", "label", "word", "element"})
_NOT_INSIDE = frozenset({"that", "which", "whose", "starts", "ends", "until", "so"})


def _is_name(tokens: Tokens) -> bool:
    """Return whether unquoted words can be a name: no loose ends such as "with the"."""
    if not tokens or len(tokens) > _MOST_BARE:
        return False
    if any(t.kind == "mark" and t.text in ",;:" for t in tokens[:-1]):
        return False
    if any(t.low in _NOT_INSIDE for t in tokens[1:]):
        return False
    first, last = tokens[0], tokens[-1]
    if first.low in WORDS.never_first and not (first.text[:1].isupper() and len(tokens) > 1):
        return False
    return last.low not in WORDS.never_last or last.text[:1].isupper()


def _read_bare(start: Noun, tokens: Tokens) -> tuple[Noun, ...]:
    words = [token.low for token in tokens]
    empty = all(word in WORDS.joining_words or word in WORDS.determiners for word in words)
    if empty or not _is_name(tokens):
        return ()
    size = ending_size(words, WORDS.controls)
    if size == len(words):
        plain = replace(start, role=role_of(words))
        named = replace(start, text="search", quoted=False, role="field")
        return (named, plain) if plain.role == "searchbox" and len(words) > 1 else (plain,)
    if size:
        return _read_role_behind(start, tokens, size)
    size = beginning_size(words, WORDS.controls)
    if size:
        return _read_role_before(start, tokens, size)
    return _read_without_role(start, tokens, words)


def _read_without_role(start: Noun, tokens: Tokens, words: list[str]) -> tuple[Noun, ...]:
    """``Vendors``, ``Welcome message``, ``the third item``: a name without a noun for a control."""
    if words in (["item"], ["items"], ["entry"], ["entries"]):
        return (replace(start, role="listitem"),)
    whole = replace(start, text=join_text(tokens), quoted=False)
    about_text = words[-1] in _TEXT_ENDS and ending_size(words, WORDS.texts) < len(words)
    if about_text and len(words) > 1 and _is_name(tokens[:-1]):
        return (replace(start, text=join_text(tokens[:-1]), quoted=False), whole)
    return (whole,)


def _read_role_behind(start: Noun, tokens: Tokens, size: int) -> tuple[Noun, ...]:
    """``search box``, ``Contact Form``: a name, and a role behind it."""
    role = role_of([token.low for token in tokens[-size:]])
    name = tokens[:-size]
    strong = [
        t for t in name if t.low not in WORDS.weak_adjectives and t.low not in WORDS.determiners
    ]
    whole = replace(start, text=join_text(tokens), quoted=False)
    if not strong:
        return (replace(start, role=role), replace(whole, role=role, text=join_text(name)))
    if len(strong) < len(name) and name[0] is not strong[0]:
        name = name[next(n for n, token in enumerate(name) if token in strong) :]
    split = replace(start, text=join_text(name), quoted=False, role=_generalise_field(role, name))
    if not _is_name(name) or read_cardinal(name[-1]) is not None:
        return ()
    # "Contact Form" may be a title: the noun may belong to the name
    title = tokens[-1].text[:1].isupper() and name[-1].text[:1].isupper()
    if not title:
        return (split,)
    return (split, whole) if role in ACTIVE else (whole, split)


def _generalise_field(role: str | None, name: Tokens) -> str | None:
    if role in FIELDS and role not in ("combobox", "listbox", "slider", "file") and name:
        return "field"
    return role


def _read_role_before(start: Noun, tokens: Tokens, size: int) -> tuple[Noun, ...]:
    """``button ONE``, ``Tab #2``: a role, and a name behind it."""
    role = role_of([token.low for token in tokens[:size]])
    name = tokens[size:]
    if not _is_name(name) and not (name[0].mark == "#" or name[0].low in ("number", "no")):
        return ()
    whole = replace(start, text=join_text(tokens), quoted=False)
    numbered = join_text(name).lstrip("#").removeprefix("number ").removeprefix("no. ")
    if numbered.isascii() and numbered.isdigit() and len(numbered) <= 3:
        place = replace(start, role=role, ordinal=int(numbered) or None)
        return (replace(whole, role=role), place)
    if role not in ACTIVE and tokens[0].text[:1].isupper():
        return (whole, replace(start, text=join_text(name), quoted=False, role=role))
    if tokens[0].text[:1].isupper() and name[0].text[:1].isupper():
        return (replace(start, text=join_text(name), quoted=False, role=role), whole)
    return (replace(start, text=join_text(name), quoted=False, role=role),)
