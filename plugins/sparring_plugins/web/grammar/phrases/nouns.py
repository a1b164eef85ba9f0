"""The core of what a step names: ``the second 'Add' button``, ``button ONE``, ``search box``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparring_plugins.web.grammar.words.control_nouns import (
    ACTIVE,
    BOXES,
    CONTROLS,
    FIELDS,
    TEXTS,
    beginning,
    ending,
    role_of,
)
from sparring_plugins.web.grammar.words.numbers import TIMES, cardinal, ordinal
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, trimmed
from sparring_plugins.web.grammar.words.vocabulary import words

DETERMINERS = words(
    "the a an this that these those my your his her its our their some any such said given"
    "following above-mentioned respective corresponding"
)
EVERY = frozenset({"all", "every", "each"})
_WEAK_ADJECTIVES = words(
    "big small large little blue red green yellow orange black white grey gray bold empty"
    "visible available small new current main primary secondary available enabled displayed"
    "clickable corresponding appropriate relevant single radio-style available labelled"
    "labeled entire input"
)
#: Nouns that "first" and "last" belong to: "the first name field" is no first field.
_NAME_WORDS = frozenset({"name", "names", "initial", "names:", "name:"})
_JOINING = words(
    "and or nor but in into on to onto from with is are as then by at not if when unless because "
    "after before until while above below"
)
_MOST_BARE = 14
_MOST_DESCRIBING = 5


@dataclass(frozen=True)
class Noun:
    """What the core says: a text, whether it was quoted, a role, a place in the order."""

    text: str = ""
    quoted: bool = True
    role: str | None = None
    ordinal: int | None = None
    every: bool = False
    both: bool = False
    exact: bool = False
    describing: str = ""

    @property
    def empty(self) -> bool:
        """Whether it names nothing by a text."""
        return not self.text


def said(tokens: Tokens) -> str:
    """What the tokens say, on one line."""
    text, end = "", None
    for token in tokens:
        gap = " " if end is not None and token.start > end else ""
        text += gap + token.text
        end = token.end
    return " ".join(text.split())


def kind_before_name(tokens: Tokens) -> int:
    """How many words say whose name follows: ``user @ada``, ``customer Alice``, ``order 1045``."""
    size = next((n for n, t in enumerate(tokens) if not (t.text.isalpha() and t.text.islower())), 0)
    named = [t.text for t in tokens[size:]]
    return size if all(text[:1].isupper() or text[:1] in "@#" or text[:1].isdigit()
                       for text in named) else 0  # fmt: skip


def owner(text: str) -> str:
    """``Alice's`` row is that of Alice."""
    return text.removesuffix("'s").removesuffix("\u2019s")


def read_nouns(tokens: Tokens) -> tuple[Noun, ...]:
    """The ways in which tokens name something, the likeliest first; empty where they do not."""
    tokens = trimmed(tokens)
    start, rest = _front(tokens)
    if not rest:
        return (replace(start, quoted=True),) if start.ordinal or start.every else ()
    quotes = [n for n, token in enumerate(rest) if token.quoted]
    if len(quotes) > 1:
        return ()
    if quotes:
        some = any(t.low in ("a", "an", "any") for t in tokens[: len(tokens) - len(rest)])
        noun = _quoted(start, rest, quotes[0], some=some)
        return (noun,) if noun else ()
    return _bare(start, rest)


def _front(tokens: Tokens) -> tuple[Noun, Tokens]:
    """What articles, quantities and ordinals at the front say, and the rest."""
    noun, at = Noun(), 0
    while at < len(tokens) and not tokens[at].quoted:
        low = tokens[at].low
        if low in EVERY:
            noun = replace(noun, every=True)
        elif low == "both":
            noun = replace(noun, both=True)
        elif low in ("exact", "exactly"):
            noun = replace(noun, exact=True)
        elif low == "of" and at and tokens[at - 1].low in (*EVERY, "both"):
            pass
        elif low not in DETERMINERS or (len(tokens) == 1 and tokens[0].text[:1].isupper()):
            break
        at += 1
    return _ordered(noun, tokens[at:])


def _ordered(noun: Noun, rest: Tokens) -> tuple[Noun, Tokens]:
    if len(rest) >= 2 and rest[0].low in ("number", "no") and rest[1].low.isdigit():
        return noun, rest
    if len(rest) >= 2 and (place := ordinal(rest[0])) is not None:
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


def _quoted(start: Noun, tokens: Tokens, at: int, *, some: bool = False) -> Noun | None:
    before, after = tokens[:at], tokens[at + 1 :]
    exact = start.exact or any(t.low in ("exact", "exactly") for t in before)
    noun = replace(start, text=tokens[at].text, quoted=True, exact=exact)
    low_after, low_before = [t.low for t in after], [t.low for t in before]
    if low_after in (["widget"], ["element"], ["control"]):
        said_kind = tokens[at].text.casefold().split()[:4]
        control = "textbox" if said_kind == ["text"] else role_of(said_kind)
        if control:  # "a 'button' widget": any will do
            return replace(start, role=control, ordinal=start.ordinal or (1 if some else None))
    size = beginning(low_after, CONTROLS)
    if size and len(after) - size <= 1:
        noun = replace(noun, role=role_of(low_after[:size]))
        return noun if _describes(before) else None
    size = ending(low_before, CONTROLS)
    if size:
        role = role_of(low_before[-size:])
        placed = ordinal(before[-size - 1]) if len(before) > size else None
        noun = replace(noun, role=role, ordinal=placed or noun.ordinal)
        return noun if _follows(after) and _describes(before[:-size]) else None
    if not _describes(before) or not _follows(after):
        return None
    return replace(noun, describing=said(before) if not beginning(low_before, TEXTS) else "")


def _describes(tokens: Tokens) -> bool:
    """Whether tokens beside a quotation are but a few describing words."""
    return len(tokens) <= _MOST_DESCRIBING and all(_is_describing(token) for token in tokens)


def _is_describing(token: Token) -> bool:
    return (
        token.kind == "word"
        and token.low not in _JOINING
        and token.low not in TIMES
        and cardinal(token) is None
    )


def _follows(tokens: Tokens) -> bool:
    """Whether tokens behind a quotation are but a noun: ``the 'Blue shirt' product``."""
    return len(tokens) <= 1 and _describes(tokens) and not any(t.low.endswith("ly") for t in tokens)


_NOT_FIRST = words(
    "to into in on onto with from then and or between by as that which than is are of for at"
    "but through until while where who whose when it's its"
)
_TEXT_ENDS = frozenset({"text", "message", "label", "word", "element"})
_NOT_INSIDE = frozenset({"that", "which", "whose", "starts", "ends", "until", "so"})
_NOT_LAST = words("the a an with of and or that then is are from into by as for than to")


def _is_name(tokens: Tokens) -> bool:
    """Whether unquoted words can be a name: no loose ends such as "with the"."""
    if not tokens or len(tokens) > _MOST_BARE:
        return False
    if any(t.kind == "mark" and t.text in ",;:" for t in tokens[:-1]):
        return False
    if any(t.low in _NOT_INSIDE for t in tokens[1:]):
        return False
    first, last = tokens[0], tokens[-1]
    if first.low in _NOT_FIRST and not (first.text[:1].isupper() and len(tokens) > 1):
        return False
    return last.low not in _NOT_LAST or last.text[:1].isupper()


def _bare(start: Noun, tokens: Tokens) -> tuple[Noun, ...]:
    words = [token.low for token in tokens]
    if not _is_name(tokens) or all(word in _JOINING or word in DETERMINERS for word in words):
        return ()
    size = ending(words, CONTROLS)
    if size == len(words):
        plain = replace(start, role=role_of(words))
        named = replace(start, text="search", quoted=False, role="field")
        return (named, plain) if plain.role == "searchbox" and len(words) > 1 else (plain,)
    if size:
        return _ended(start, tokens, size)
    size = beginning(words, CONTROLS)
    if size:
        return _begun(start, tokens, size)
    size = 1 if words[-1] in _TEXT_ENDS and ending(words, TEXTS) < len(words) else 0
    if words in (["item"], ["items"], ["entry"], ["entries"]):
        return (replace(start, role="listitem"),)
    if 0 < size < len(words) and _is_name(tokens[:-size]):
        return (
            replace(start, text=said(tokens[:-size]), quoted=False),
            replace(start, text=said(tokens), quoted=False),
        )
    return (replace(start, text=said(tokens), quoted=False),)


def _ended(start: Noun, tokens: Tokens, size: int) -> tuple[Noun, ...]:
    """``search box``, ``Contact Form``: a name, and a role behind it."""
    role = role_of([token.low for token in tokens[-size:]])
    name = tokens[:-size]
    strong = [t for t in name if t.low not in _WEAK_ADJECTIVES and t.low not in DETERMINERS]
    whole = replace(start, text=said(tokens), quoted=False)
    if not strong:
        return (replace(start, role=role), replace(whole, role=role, text=said(name)))
    if len(strong) < len(name) and name[0] is not strong[0]:
        name = name[next(n for n, token in enumerate(name) if token in strong) :]
    split = replace(start, text=said(name), quoted=False, role=_kind_of_field(role, name))
    if not _is_name(name) or cardinal(name[-1]) is not None:
        return ()
    title = tokens[-1].text[:1].isupper() and name[-1].text[:1].isupper()
    if not title:
        return (split,)
    return (split, whole) if role in ACTIVE else (whole, split)


def _kind_of_field(role: str | None, name: Tokens) -> str | None:
    if role in FIELDS and role not in ("combobox", "listbox", "slider", "file") and name:
        return "field"
    return role


def _begun(start: Noun, tokens: Tokens, size: int) -> tuple[Noun, ...]:
    """``button ONE``, ``Tab #2``: a role, and a name behind it."""
    role = role_of([token.low for token in tokens[:size]])
    name = tokens[size:]
    if not _is_name(name) and not (name[0].mark == "#" or name[0].low in ("number", "no")):
        return ()
    whole = replace(start, text=said(tokens), quoted=False)
    numbered = said(name).lstrip("#").removeprefix("number ").removeprefix("no. ")
    if numbered.isascii() and numbered.isdigit() and len(numbered) <= 3:
        place = replace(start, role=role, ordinal=int(numbered) or None)
        return (replace(whole, role=role), place)
    if role not in ACTIVE and tokens[0].text[:1].isupper():
        return (whole, replace(start, text=said(name), quoted=False, role=role))
    if tokens[0].text[:1].isupper() and name[0].text[:1].isupper():
        return (replace(start, text=said(name), quoted=False, role=role), whole)
    return (replace(start, text=said(name), quoted=False, role=role),)


def boxed(nouns: Sequence[Noun]) -> bool:
    """Whether they name something to tick."""
    return any(noun.role in BOXES for noun in nouns)
