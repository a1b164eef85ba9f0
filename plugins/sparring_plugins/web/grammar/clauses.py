"""Split sentences into clauses, and strip what says nothing."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sparring_plugins.web.grammar.assertions import is_lead
from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens, trim, words_in
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS, base_form

# "- Click …", "3) Click …" and "Step 2: Click …", as lists of steps are pasted from other tools.
_BULLET = re.compile(r"\A\s*(?:[-*•–—]\s+|\(?\d{1,3}[.)]\s+|step\s+\d{1,3}\s*[:.)–-]\s*)", re.I)
# "Action: click on 'Save'".
_LABEL = re.compile(r"\A\s*(?:action|step|steps|instruction|task|todo)\s*:\s+", re.I)
# "Next, click on 'Save'" begins with a word for the order; "Next page" does not.
_NEXT = re.compile(r"\A\s*next\s*,\s+(?=(\w+))", re.I)


def strip_bullet(text: str) -> str:
    """Strip the mark or number of a list from the front of a text, and a "next," after it."""
    for pattern in (_BULLET, _LABEL):
        match = pattern.match(text)
        if match and match.end() < len(text):
            text = text[match.end() :]
    # "Next, click on 'Go'" presses no button Next; "Next, Save and Cancel are shown" names three.
    match = _NEXT.match(text)
    if match is not None:
        word = match[1]
        subject = any(word.casefold() == phrase[0] for phrase in WORDS.subjects)
        if subject or (word.islower() and base_form(word) in WORDS.verbs):
            return text[match.end() :]
    return text


def strip_clause(tokens: Tokens) -> Tokens:
    """Return a clause from its verb on, in the base form: without fillers and subjects."""
    tokens = trim(tokens, ".,;:!?-–—…*•")
    for _ in range(6):
        shorter = _strip_front(tokens)
        if len(shorter) == len(tokens):
            break
        tokens = trim(shorter, ".,;:!?")
    if tokens and tokens[0].kind == "word" and (verb := base_form(tokens[0].low)) != tokens[0].low:
        first = tokens[0]
        tokens = [Token(first.kind, first.text, first.start, first.end, verb), *tokens[1:]]
    return _strip_end(tokens)


def is_forbidding(tokens: Tokens) -> bool:
    """Return whether a clause says what not to do."""
    words = [t.low for t in tokens[:3]]
    return words[:2] in (["do", "not"], ["must", "not"]) or words[:1] in (
        ["don't"], ["dont"], ["never"], ["avoid"], ["without"], ["instead"],
    )  # fmt: skip


def _strip_front(tokens: Tokens) -> Tokens:
    if len(tokens) < 2:
        return tokens
    words = tuple(t.low for t in tokens[:6])
    for phrase in WORDS.clause_leads.get(words[0], ()):
        if words[: len(phrase)] == phrase and _is_verb(tokens, len(phrase)):
            return tokens[len(phrase) :]
    if size := _measure_subject(tokens, words):
        return tokens[size:]
    first, second = tokens[0].low, tokens[1]
    if first == "when" and not second.quoted and _has_subject(tokens[1:]):
        return tokens[1:]
    filler = first in WORDS.clause_fillers and (first, second.low) != ("next", "to")
    return tokens[1:] if filler else tokens


def _measure_subject(tokens: Tokens, words: tuple[str, ...]) -> int:
    """Return how many words say who does something; 0 for "I see", which is no action."""
    for subject in WORDS.subjects:
        size = len(subject)
        if words[:size] == subject and _is_verb(tokens, size) and words[size] != "see":
            return size
    return 0


def _is_verb(tokens: Tokens, at: int) -> bool:
    return at < len(tokens) and not tokens[at].quoted and base_form(tokens[at].low) in WORDS.verbs


def _strip_end(tokens: Tokens) -> Tokens:
    words = tuple(t.low if not t.quoted else "" for t in tokens)
    for phrase in WORDS.clause_ends:
        size = len(phrase)
        if (
            len(words) > size + 1
            and words[-size:] == phrase
            and (phrase[0] != "to" or tokens[-size - 1].quoted)
        ):
            return trim(tokens[:-size])
    return tokens


_LINKING = frozenset({"please", "after", "that", "lastly", "now", "next", "finally", "also"})


def find_cuts(tokens: Tokens) -> list[tuple[int, int]]:
    """Return where a clause may end and the next begin, as pairs of indices."""
    cuts: list[tuple[int, int]] = []
    at = 1
    while at < len(tokens):
        end = _skip_joint(tokens, at)
        if end > at:
            if end < len(tokens) and _begins_clause(tokens, at, end):
                cuts.append((at, end))
            at = end
        else:
            at += 1
    return cuts[:24]


def _skip_joint(tokens: Tokens, at: int) -> int:
    """Return the index behind a joint that starts at `at`; `at` if there is none."""
    end = at
    while (
        end < len(tokens)
        and not tokens[end].quoted
        and (
            tokens[end].low in ("and", "then", "afterwards")
            or tokens[end].text in (",", ";", ".", "!", "&", "->", "→", "-", "–", "—")
            or (end > at and tokens[end].low in _LINKING)
            or (tokens[end].low == "to" and tokens[end - 1].mark == "," and end > at)
        )
    ):
        end += 1
    return end


def _begins_clause(tokens: Tokens, at: int, end: int) -> bool:
    """Whether a clause begins at `end`, behind the joint that starts at `at`."""
    first = tokens[end]
    hard = any(t.mark in (".", ";", "!") or t.low == "then" for t in tokens[at:end])
    if is_lead(tokens[end:]):
        return True
    if first.quoted:
        return hard
    if hard and first.text[:1].isupper():
        return True
    if base_form(first.low) not in WORDS.verbs and not _has_subject(tokens[end:]):
        return False
    if tokens[at - 1].low == "drag" and first.low == "drop":
        return False
    name_like = first.text[:1].isupper() and first.low in WORDS.button_like_verbs and not hard
    return not (name_like and tokens[at - 1].text[:1].isupper() and not tokens[at - 1].quoted)


def _has_subject(tokens: Tokens) -> bool:
    plain = strip_clause(tokens[:8])
    return bool(plain) and len(plain) < len(tokens[:8]) and base_form(plain[0].low) in WORDS.verbs


_CHANGES: tuple[tuple[frozenset[str], Callable[[str], str]], ...] = (
    (frozenset({"uppercase", "upper-case", "capitals", "caps"}), str.upper),
    (frozenset({"lowercase", "lower-case"}), str.lower),
)
_TWO_WORDS: dict[tuple[str, str], Callable[[str], str]] = {
    ("upper", "case"): str.upper,
    ("capital", "letters"): str.upper,
    ("lower", "case"): str.lower,
    ("small", "letters"): str.lower,
}
_ENTERING = frozenset({"enter", "type", "write", "input", "put", "fill", "insert", "key"})


def apply_letter_case(clause: Tokens) -> Tokens:
    """Return the clause with ``'ada' in all upper case letters`` as ``'ADA'``."""
    if not clause or base_form(clause[0].low) not in _ENTERING:
        return clause
    for at, token in enumerate(clause):
        following = words_in(clause[at + 1 : at + 6])
        if token.quoted and following[:1] == ["in"]:
            size, change = _read_letter_case(following[1:])
            if change is not None:
                return _apply_change(clause, at, size + 1, change)
    return clause


def _read_letter_case(words: Sequence[str]) -> tuple[int, Callable[[str], str] | None]:
    """Return how many words ask for another letter case, and the change."""
    size = 1 if words[:1] == ["all"] else 0
    rest = words[size:]
    change = _TWO_WORDS.get((rest[0], rest[1])) if len(rest) > 1 else None
    size += 2
    if change is None:
        change = next((how for named, how in _CHANGES if rest and rest[0] in named), None)
        size -= 1
    more = words[size : size + 1]
    return size + (more in (["letters"], ["characters"])), change


def _apply_change(clause: Tokens, at: int, size: int, change: Callable[[str], str]) -> list[Token]:
    value = replace(clause[at], text=change(clause[at].text))
    return [*clause[:at], value, *clause[at + 1 + size :]]
