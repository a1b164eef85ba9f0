"""Read conditions with "and" and "or": "and" binds tighter; what is said once holds for all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sparring_plugins.web.grammar.conditions.predicates import (
    count_seeing_words,
    read_atom,
    starts_with,
)
from sparring_plugins.web.grammar.conditions.quantities import Conditions, all_of, any_of, negate
from sparring_plugins.web.grammar.conditions.verbs import Verb, find_verbs, normalise
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens, has_quotes, trim
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS, ending_size, singular
from sparring_plugins.web.step import Condition

_AND = frozenset({"and", "&", "&&", "but", "while", "whereas", ",", ";", "plus"})
_OR = frozenset({"or", "||", "|", "nor", "and/or"})
_QUANTITIES = frozenset(
    {"higher", "lower", "more", "less", "fewer", "equal", "greater", "above", "below", "so"}
)
_MOST_PARTS = 12


@dataclass(frozen=True)
class ConditionPart:
    """A part of a condition, and what joins it to the one before."""

    tokens: Tokens
    joint: str = "and"


def read_condition(tokens: Tokens) -> Conditions:
    """Return the readings of a condition, the likeliest first; empty if it is none."""
    tokens = trim(normalise(tokens))
    group = _strip_brackets(tokens)
    if group is not None:
        return read_condition(group)
    parts = _split_parts(tokens)
    if len(parts) == 1:
        return _read_simple(tokens)
    if len(parts) > _MOST_PARTS or _is_cell(parts):
        return ()
    joined = _read_parts(parts, tokens)
    whole = read_atom(tokens) if not has_quotes(tokens) else ()
    if whole and _is_singular(tokens):
        return _deduplicate((*whole, *joined))
    return _deduplicate((*joined, *whole)) if joined else read_atom(tokens)


def _strip_brackets(tokens: Tokens) -> Tokens | None:
    """Return the tokens between a first bracket and its partner at the end, or `None`."""
    if len(tokens) < 3 or tokens[0].mark != "(" or tokens[-1].mark != ")":
        return None
    return tokens[1:-1] if _measure_depths(tokens)[:-1].count(0) == 0 else None


def _measure_depths(tokens: Tokens) -> list[int]:
    """Count the brackets that are open behind each token."""
    depth, depths = 0, list[int]()
    for token in tokens:
        if token.kind == "mark":
            depth += (token.text == "(") - (token.text == ")")
        depths.append(depth)
    return depths


def _read_simple(tokens: Tokens) -> Conditions:
    """Read a condition without joints outside of brackets."""
    tokens = trim(tokens)
    for phrase in WORDS.denials:
        if starts_with(tokens, phrase):
            return negate(_read_simple(tokens[len(phrase) :]))
    group = _strip_brackets(tokens)
    return read_condition(group) if group is not None else read_atom(tokens)


def _is_cell(parts: list[ConditionPart]) -> bool:
    """Whether a row and a column are named ("in the row of 'a' and the column 'b'")."""
    return any(
        any(t.low == "row" for t in first.tokens)
        and any(t.low == "column" for t in second.tokens[:2])
        for first, second in pairwise(parts)
    )


def _is_singular(tokens: Tokens) -> bool:
    return any(t.low in ("is", "was", "isn't", "appears", "exists") for t in tokens)


def _deduplicate(conditions: Conditions) -> Conditions:
    return tuple(dict.fromkeys(conditions))


def _split_parts(tokens: Tokens) -> list[ConditionPart]:
    parts: list[ConditionPart] = []
    start, joint = 0, "and"
    depths = _measure_depths(tokens)
    for at, token in enumerate(tokens):
        kind = _read_joint(tokens, at, token) if depths[at] <= 0 else None
        if kind is None:
            continue
        if at > start:
            parts.append(ConditionPart(tokens[start:at], joint))
            joint = kind
        elif kind == "or" or joint != "or":
            joint = kind
        start = at + 1
    if start < len(tokens):
        parts.append(ConditionPart(tokens[start:], joint))
    return _repeat_plural_noun(_resolve_commas(_strip_pairs(parts))) or [ConditionPart(tokens)]


def _repeat_plural_noun(parts: list[ConditionPart]) -> list[ConditionPart]:
    """In "the links 'a' and 'b'" the second is a link too."""
    repeated: list[ConditionPart] = []
    noun: Tokens = ()
    for part in parts:
        quotes = [n for n, t in enumerate(part.tokens) if t.quoted]
        if noun and quotes[:1] == [0]:
            part = ConditionPart([*noun, *part.tokens], part.joint)
        else:
            noun = _plural_noun(part.tokens, quotes)
        repeated.append(part)
    return repeated


def _plural_noun(tokens: Tokens, quotes: list[int]) -> Tokens:
    # In "the list 'Country' has the options 'France' and 'Spain'" the last noun is the one.
    if not quotes or quotes[-1] == 0:
        return ()
    last, before = quotes[-1], quotes[-2] + 1 if len(quotes) > 1 else 0
    words = [t.low for t in tokens[before:last]]
    size = ending_size(words, WORDS.controls)
    if not size or singular(tuple(words[-size:])) == tuple(words[-size:]):
        return ()
    return tokens[last - size : last]


def _resolve_commas(parts: list[ConditionPart]) -> list[ConditionPart]:
    """In "a, b or c" the comma is an "or"."""
    joints = [part.joint for part in parts]
    for at in range(len(parts) - 1, 0, -1):
        if joints[at] == "," and at + 1 < len(parts):
            joints[at] = joints[at + 1]
        elif joints[at] == ",":
            joints[at] = "and"
    return [ConditionPart(p.tokens, j) for p, j in zip(parts, joints, strict=True)]


def _read_joint(tokens: Tokens, at: int, token: Token) -> str | None:
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


def _strip_pairs(parts: list[ConditionPart]) -> list[ConditionPart]:
    """Strip "either" and "both" from the front of the parts."""
    stripped: list[ConditionPart] = []
    for part in parts:
        tokens = list(part.tokens)
        while (
            tokens
            and tokens[0].low in ("either", "both", "also", "that", "then")
            and len(tokens) > 1
        ):
            tokens = tokens[1:]
        if tokens:
            stripped.append(ConditionPart(tokens, part.joint))
    return stripped


def _read_parts(parts: list[ConditionPart], tokens: Tokens) -> Conditions:
    neither = parts[0].tokens[0].low in ("neither", "no", "none") and len(parts[0].tokens) > 1
    if neither and (parts[1].joint == "or" or parts[0].tokens[0].low != "no"):
        skipped = 2 if parts[0].tokens[1].low == "of" else 1
        rest = [ConditionPart(parts[0].tokens[skipped:]), *parts[1:]]
        resolved = _resolve_parts(rest)
        return (all_of(_negate_each(resolved)),) if resolved else ()
    spread = _spread_negation(parts, tokens)
    if spread:
        return spread
    resolved = _resolve_parts(parts)
    if not resolved:
        return ()
    return _group_parts(resolved, [part.joint for part in parts[1:]])


def _negate_each(conditions: Sequence[Conditions]) -> list[Condition]:
    return [negate(readings[:1])[0] for readings in conditions]


def _spread_negation(parts: list[ConditionPart], tokens: Tokens) -> Conditions:
    """One "not" for several: ``does not contain 'a' or 'b'``, ``'a' or 'b' is not displayed``."""
    if any(part.joint != "or" for part in parts[1:]):
        return ()
    whole = [verb for part in parts for verb in find_verbs(part.tokens)[:1]]
    if len(whole) != 1 or not whole[0].negated:
        return ()
    resolved = _resolve_parts(parts)
    if not resolved:
        return ()
    firsts = [readings[0] for readings in resolved]
    neither, either = all_of(firsts), any_of(firsts)
    backward = bool(find_verbs(parts[0].tokens))
    return (neither,) if backward else (either, neither)


def _resolve_parts(parts: list[ConditionPart]) -> list[Conditions]:
    """Read every part as a whole condition; empty if one cannot be."""
    framed = [(part.tokens, _find_frame(part.tokens)) for part in parts]
    resolved: list[Conditions] = []
    for at, (tokens, verb) in enumerate(framed):
        conditions = () if verb is not None and verb.start == 0 else _read_simple(tokens)
        if not conditions:
            candidates = _complete(framed, at)
            conditions = next((reading for c in candidates if (reading := read_atom(c))), ())
        if not conditions:
            return []
        resolved.append(conditions)
    return resolved


def _find_frame(tokens: Tokens) -> Verb | None:
    """The verb that a part hinges on."""
    candidates = find_verbs(tokens, 0)
    if (
        candidates
        and candidates[0].start == 0
        and candidates[0].meaning == "be"
        and len(candidates) > 1
    ):
        return candidates[0]
    return next(
        (v for v in candidates if v.start > 0 and read_atom(tokens)),
        candidates[0] if candidates else None,
    )


def _complete(framed: list[tuple[Tokens, Verb | None]], at: int) -> Iterator[list[Token]]:
    """Complete a part by what the parts beside it say once for all of them."""
    tokens, verb = framed[at]
    first = framed[0][0]
    if at and verb is None and (seeing := count_seeing_words(first)):
        yield [*first[:seeing], *tokens]
    for whole, shared in reversed(framed[:at]):
        if shared is not None and shared.start:
            yield from _complete_from_before(tokens, verb, whole, shared)
            break
    if verb is not None:
        return
    for whole, shared in framed[at + 1 :]:
        if shared is not None:
            yield [*tokens, *whole[shared.start :]]
            break


def _complete_from_before(
    tokens: Tokens, verb: Verb | None, whole: Tokens, shared: Verb
) -> Iterator[list[Token]]:
    """Complete a part by the subject, the verb, or what follows the verb, of a part before it."""
    if verb is not None and verb.start == 0:
        yield [*whole[: shared.start], *tokens]
    elif tokens[0].low == "not":
        verb_words = [t for t in whole[shared.start : shared.end] if t.low != "not"]
        yield [*whole[: shared.start], *verb_words, *tokens]
    elif verb is not None and verb.end >= len(tokens):
        yield [*tokens, *whole[shared.end :]]
    yield [*whole[: shared.end], *tokens]
    if verb is None and read_targets(tokens):
        yield [*tokens, *whole[shared.start :]]


def _group_parts(resolved: list[Conditions], joints: list[str]) -> Conditions:
    """Group with "and" before "or"; if both stand without a hint, also the other way round."""
    groupings = [_and_before_or([conditions[0] for conditions in resolved], joints)]
    for at, conditions in enumerate(resolved):
        for other in conditions[1:3]:
            firsts = [c[0] for c in resolved]
            firsts[at] = other
            groupings.append(_and_before_or(firsts, joints))
    if len(set(joints)) > 1:
        groupings.append(_or_before_and([conditions[0] for conditions in resolved], joints))
    return tuple(groupings[:6])


def _and_before_or(conditions: list[Condition], joints: list[str]) -> Condition:
    """Or of ands."""
    groups: list[list[Condition]] = [[conditions[0]]]
    for condition, joint in zip(conditions[1:], joints, strict=True):
        if joint == "or":
            groups.append([condition])
        else:
            groups[-1].append(condition)
    return any_of([all_of(group) for group in groups])


def _or_before_and(conditions: list[Condition], joints: list[str]) -> Condition:
    """And of ors."""
    groups: list[list[Condition]] = [[conditions[0]]]
    for condition, joint in zip(conditions[1:], joints, strict=True):
        if joint == "and":
            groups.append([condition])
        else:
            groups[-1].append(condition)
    return all_of([any_of(group) for group in groups])
