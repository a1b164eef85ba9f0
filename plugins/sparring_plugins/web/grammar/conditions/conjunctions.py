"""Conditions with "and" and "or": "and" binds tighter; what is said once holds for all parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sparring_plugins.web.grammar.conditions.atoms import FALSE, read_atom, seeing_size, starts
from sparring_plugins.web.grammar.conditions.constructors import Conditions, all_of, any_of, negated
from sparring_plugins.web.grammar.conditions.normal_form import normal
from sparring_plugins.web.grammar.conditions.verbs import Verb, verbs
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.words.control_nouns import CONTROLS, ending, singular
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, trimmed
from sparring_plugins.web.roles.step import Condition

_AND = frozenset({"and", "&", "&&", "but", "while", "whereas", ",", ";", "plus"})
_OR = frozenset({"or", "||", "|", "nor", "and/or"})
_QUANTITIES = frozenset(
    {"higher", "lower", "more", "less", "fewer", "equal", "greater", "above", "below", "so"}
)
_MOST_PARTS = 12


@dataclass(frozen=True)
class Part:
    """A part of a condition, and what joins it to the one before."""

    tokens: Tokens
    joint: str = "and"


def read_condition(tokens: Tokens) -> Conditions:
    """The ways to read a condition, the likeliest first; empty where it is none."""
    tokens = trimmed(normal(tokens))
    group = _group(tokens)
    if group is not None:
        return read_condition(group)
    parts = _parts(tokens)
    if len(parts) == 1:
        return _simple(tokens)
    if len(parts) > _MOST_PARTS or _is_cell(parts):
        return ()
    joined = _joined(parts, tokens)
    whole = read_atom(tokens) if not any(t.quoted for t in tokens) else ()
    if whole and _is_singular(tokens):
        return _once((*whole, *joined))
    return _once((*joined, *whole)) if joined else read_atom(tokens)


def _group(tokens: Tokens) -> Tokens | None:
    """What stands between a bracket at the beginning and its partner at the end."""
    if len(tokens) < 3 or tokens[0].mark != "(" or tokens[-1].mark != ")":
        return None
    return tokens[1:-1] if _depths(tokens)[:-1].count(0) == 0 else None


def _depths(tokens: Tokens) -> list[int]:
    """How many brackets are open behind each token."""
    depth, found = 0, list[int]()
    for token in tokens:
        if token.kind == "mark":
            depth += (token.text == "(") - (token.text == ")")
        found.append(depth)
    return found


def _simple(tokens: Tokens) -> Conditions:
    """A condition without joints outside of brackets."""
    tokens = trimmed(tokens)
    for phrase in FALSE:
        if starts(tokens, phrase):
            return negated(_simple(tokens[len(phrase) :]))
    group = _group(tokens)
    return read_condition(group) if group is not None else read_atom(tokens)


def _is_cell(parts: list[Part]) -> bool:
    """Whether a row and a column are named ("in the row of 'a' and the column 'b'")."""
    return any(
        any(t.low == "row" for t in one.tokens) and any(t.low == "column" for t in two.tokens[:2])
        for one, two in pairwise(parts)
    )


def _is_singular(tokens: Tokens) -> bool:
    return any(t.low in ("is", "was", "isn't", "appears", "exists") for t in tokens)


def _once(conditions: Conditions) -> Conditions:
    return tuple(dict.fromkeys(conditions))


def _parts(tokens: Tokens) -> list[Part]:
    found: list[Part] = []
    start, joint = 0, "and"
    depths = _depths(tokens)
    for at, token in enumerate(tokens):
        kind = _joint(tokens, at, token) if depths[at] <= 0 else None
        if kind is None:
            continue
        if at > start:
            found.append(Part(tokens[start:at], joint))
            joint = kind
        elif kind == "or" or joint != "or":
            joint = kind
        start = at + 1
    if start < len(tokens):
        found.append(Part(tokens[start:], joint))
    return _plural(_listed(_without_pairs(found))) or [Part(tokens)]


def _plural(parts: list[Part]) -> list[Part]:
    """In "the links 'a' and 'b'" the second is a link too."""
    found: list[Part] = []
    noun: Tokens = ()
    for part in parts:
        quotes = [n for n, t in enumerate(part.tokens) if t.quoted]
        if noun and quotes[:1] == [0]:
            part = Part([*noun, *part.tokens], part.joint)
        else:
            noun = _plural_noun(part.tokens, quotes)
        found.append(part)
    return found


def _plural_noun(tokens: Tokens, quotes: list[int]) -> Tokens:
    if not quotes or quotes[0] == 0:
        return ()
    words = [t.low for t in tokens[: quotes[0]]]
    size = ending(words, CONTROLS)
    if not size or singular(tuple(words[-size:])) == tuple(words[-size:]):
        return ()
    return tokens[quotes[0] - size : quotes[0]]


def _listed(parts: list[Part]) -> list[Part]:
    """In "a, b or c" the comma is an "or"."""
    joints = [part.joint for part in parts]
    for at in range(len(parts) - 1, 0, -1):
        if joints[at] == "," and at + 1 < len(parts):
            joints[at] = joints[at + 1]
        elif joints[at] == ",":
            joints[at] = "and"
    return [Part(p.tokens, j) for p, j in zip(parts, joints, strict=True)]


def _joint(tokens: Tokens, at: int, token: Token) -> str | None:
    if token.quoted:
        return None
    before = [t.low for t in tokens[max(0, at - 3) : at]]
    after = tokens[at + 1].low if at + 1 < len(tokens) else ""
    if token.low in _OR:
        return None if after in _QUANTITIES else "or"
    if token.text == ",":
        return ","
    if token.low not in _AND or ("between" in before) or (after == "more" and token.low == "and"):
        return None
    return "and"


def _without_pairs(parts: list[Part]) -> list[Part]:
    """Parts without "either" and "both" before them."""
    found: list[Part] = []
    for part in parts:
        tokens = list(part.tokens)
        while (
            tokens
            and tokens[0].low in ("either", "both", "also", "that", "then")
            and len(tokens) > 1
        ):
            tokens = tokens[1:]
        if tokens:
            found.append(Part(tokens, part.joint))
    return found


def _joined(parts: list[Part], tokens: Tokens) -> Conditions:
    neither = parts[0].tokens[0].low in ("neither", "no", "none") and len(parts[0].tokens) > 1
    if neither and (parts[1].joint == "or" or parts[0].tokens[0].low != "no"):
        skipped = 2 if parts[0].tokens[1].low == "of" else 1
        rest = [Part(parts[0].tokens[skipped:]), *parts[1:]]
        found = _resolved(rest)
        return (all_of(_each_negated(found)),) if found else ()
    spread = _spread_negation(parts, tokens)
    if spread:
        return spread
    found = _resolved(parts)
    if not found:
        return ()
    return _grouped(found, [part.joint for part in parts[1:]])


def _each_negated(conditions: Sequence[Conditions]) -> list[Condition]:
    return [negated(ways[:1])[0] for ways in conditions]


def _spread_negation(parts: list[Part], tokens: Tokens) -> Conditions:
    """One "not" for several: ``does not contain 'a' or 'b'``, ``'a' or 'b' is not displayed``."""
    if any(part.joint != "or" for part in parts[1:]):
        return ()
    whole = [verb for part in parts for verb in verbs(part.tokens)[:1]]
    if len(whole) != 1 or not whole[0].negated:
        return ()
    found = _resolved(parts)
    if not found:
        return ()
    firsts = [ways[0] for ways in found]
    neither, either = all_of(firsts), any_of(firsts)
    backward = bool(verbs(parts[0].tokens))
    return (neither,) if backward else (either, neither)


def _resolved(parts: list[Part]) -> list[Conditions]:
    """Every part as a whole condition; empty where one cannot be."""
    found: list[Conditions] = []
    frames = [_frame(part.tokens) for part in parts]
    for at, part in enumerate(parts):
        conditions = _whole(part, frames[at])
        if not conditions:
            conditions = _completed(parts, frames, at)
        if not conditions:
            return []
        found.append(conditions)
    return found


def _whole(part: Part, frame: Verb | None) -> Conditions:
    if frame is not None and frame.start == 0:
        return ()
    return _simple(part.tokens)


def _frame(tokens: Tokens) -> Verb | None:
    """The verb that a part hinges on."""
    found = verbs(tokens, 0)
    if found and found[0].start == 0 and found[0].meaning == "be" and len(found) > 1:
        return found[0]
    return next(
        (v for v in found if v.start > 0 and read_atom(tokens)), found[0] if found else None
    )


def _completed(parts: list[Part], frames: list[Verb | None], at: int) -> Conditions:
    tokens, frame = parts[at].tokens, frames[at]
    for candidate in _completions(parts, frames, at, tokens, frame):
        conditions = read_atom(candidate)
        if conditions:
            return conditions
    return ()


def _completions(
    parts: list[Part], frames: list[Verb | None], at: int, tokens: Tokens, frame: Verb | None
) -> list[list[Token]]:
    found: list[list[Token]] = []
    seeing = seeing_size(parts[0].tokens)
    if at and seeing and frame is None:
        found.append([*parts[0].tokens[:seeing], *tokens])
    before = next((n for n in range(at - 1, -1, -1) if frames[n] and frames[n].start), None)  # type: ignore[union-attr]
    after = next((n for n in range(at + 1, len(parts)) if frames[n]), None)
    if before is not None:
        verb = frames[before]
        assert verb is not None
        whole = list(parts[before].tokens)
        if frame is not None and frame.start == 0:
            found.append([*whole[: verb.start], *tokens])
        elif tokens[0].low == "not":
            said = [t for t in whole[verb.start : verb.end] if t.low != "not"]
            found.append([*whole[: verb.start], *said, *tokens])
        elif frame is not None and frame.end >= len(tokens):
            found.append([*tokens, *whole[verb.end :]])
        found.append([*whole[: verb.end], *tokens])
        if frame is None and read_targets(tokens):
            found.append([*tokens, *whole[verb.start :]])
    if after is not None and frame is None:
        verb = frames[after]
        assert verb is not None
        found.append([*tokens, *parts[after].tokens[verb.start :]])
    return found


def _grouped(found: list[Conditions], joints: list[str]) -> Conditions:
    """With "and" before "or"; where both stand without a hint, the other grouping too."""
    ways = [_tree([conditions[0] for conditions in found], joints)]
    for at, conditions in enumerate(found):
        for other in conditions[1:3]:
            firsts = [c[0] for c in found]
            firsts[at] = other
            ways.append(_tree(firsts, joints))
    if len(set(joints)) > 1:
        ways.append(_loosely([conditions[0] for conditions in found], joints))
    return tuple(ways[:6])


def _tree(conditions: list[Condition], joints: list[str]) -> Condition:
    """Or of ands."""
    groups: list[list[Condition]] = [[conditions[0]]]
    for condition, joint in zip(conditions[1:], joints, strict=True):
        if joint == "or":
            groups.append([condition])
        else:
            groups[-1].append(condition)
    return any_of([all_of(group) for group in groups])


def _loosely(conditions: list[Condition], joints: list[str]) -> Condition:
    """And of ors."""
    groups: list[list[Condition]] = [[conditions[0]]]
    for condition, joint in zip(conditions[1:], joints, strict=True):
        if joint == "and":
            groups.append([condition])
        else:
            groups[-1].append(condition)
    return all_of([any_of(group) for group in groups])
