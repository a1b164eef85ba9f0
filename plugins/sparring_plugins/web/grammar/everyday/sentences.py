"""Read everyday sentences by the table `forms.yaml`: as a whole, before the general grammar.

A sentence is written with its quotations as numbers first ("'Age' in the row of 'Bob' is '4'" as
"«0» in the row of «1» is «2»"), without what says only that it is a check, and its denial apart.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, TypeAdapter

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.grammar.everyday import acts, checks
from sparring_plugins.web.grammar.everyday.dates import mark_dates
from sparring_plugins.web.grammar.everyday.matches import CHECKS, READERS, Match, ReadClauses
from sparring_plugins.web.grammar.phrases.patterns import ClausePlan
from sparring_plugins.web.grammar.phrases.tokens import find_quotations

_LONGEST = 500
MODULES = (acts, checks)
"""What registers the readers when it is imported."""
Lines = Annotated[tuple[str, ...], BeforeValidator(str.splitlines)]


@dataclass(frozen=True)
class EverydayForm:
    """A form of sentences: its patterns, the name of what reads them, and examples."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    title: str
    reader: str
    patterns: tuple[str, ...]
    examples: Lines


@dataclass(frozen=True)
class _Table:
    __pydantic_config__ = ConfigDict(extra="forbid")

    fragments: dict[str, str]
    forms: tuple[EverydayForm, ...]


_LEAD = re.compile(
    r"^(?:(?:please|and|then|now|also|finally|next)\s+)*(?:i |we |you |the user |the tester )?"
    r"(?P<lead>(?:check|verify|assert|ensure|make sure|confirm|validate|expect|test|see)s?"
    r"(?:\s+(?:also|again|now))?(?:\s*:|\s+that|\s+if|\s+whether)?\s+)?",
    re.IGNORECASE,
)
# "is not shown" is a denial; "is not equal to 3" is a comparison of its own.
_DENIAL = re.compile(
    r"\b(is|are|was|were|has|have|does|do|did|should|must|will|can)(?:\s+not|n't)\b(?!\s+equal)",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:should|must|shall|will|has to|have to|needs? to|ought to) ", re.I)
# "matches /Order [0-9]+/": a regular expression between slashes.
_PATTERN = re.compile(r"\b(?:pattern|regex|regexp|expression|match(?:es|ing)?)\s+/(?P<re>[^\n]+)/")


def read_everyday(sentence: str, read_clauses: ReadClauses) -> ClausePlan | None:
    """Return the steps of an everyday sentence; None if no form of the table fits."""
    if len(sentence) > _LONGEST:
        return None
    return next(_read_all(sentence, read_clauses), None)


def with_dates(sentence: str) -> str:
    """Return a sentence with its relative dates as marks; unchanged if it has none."""
    quotations = [(q.start, q.end) for q in find_quotations(sentence)]
    return mark_dates(sentence, quotations)


def _read_all(sentence: str, read_clauses: ReadClauses) -> Iterator[ClausePlan]:
    shape, quotations = _shape(sentence)
    if shape is None:
        return
    lead = _LEAD.match(shape)
    bare = shape[lead.end() :] if lead else shape
    plain, denied = _strip_denial(bare)
    is_check = bool(lead and lead["lead"])
    for form, patterns in _compiled():
        checks = form.reader in CHECKS
        if is_check and not checks:
            continue
        words, is_denied = (plain, denied) if checks else (bare, False)
        for pattern in patterns:
            match = pattern.fullmatch(words)
            if match is None:
                continue
            plan = READERS[form.reader](
                Match(match.groupdict(), quotations, read_clauses, is_denied, words)
            )
            if plan is not None:
                yield plan


def _shape(sentence: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the sentence with its quotations as numbers, and these; None if one is not closed."""
    sentence = " ".join(sentence.split())
    if (literal := _PATTERN.search(sentence)) is not None:
        start, end = literal.start("re") - 1, literal.end("re") + 1
        before, _ = _number_quotations(sentence[:start], 0)
        if before is not None and "'" not in sentence[end:]:
            numbered, texts = _number_quotations(sentence[:start], 0)
            return f"{numbered}«{len(texts)}»{sentence[end:].rstrip(' .!')}", (
                *texts,
                literal["re"],
            )
    shape, texts = _number_quotations(sentence, 0)
    return (shape.rstrip(" .!") if shape is not None else None), texts


def _number_quotations(text: str, first: int) -> tuple[str | None, tuple[str, ...]]:
    parts: list[str] = []
    texts: list[str] = []
    at = 0
    for quotation in find_quotations(text):
        if not quotation.closed:
            return None, ()
        parts += [text[at : quotation.start], f"«{first + len(texts)}»"]
        texts.append(quotation.text)
        at = quotation.end
    return "".join((*parts, text[at:])), tuple(texts)


def _strip_denial(words: str) -> tuple[str, bool]:
    """Return a statement without "not" and "should", and whether it is denied."""
    plain, denials = _DENIAL.subn(lambda match: match[1], words, count=1)
    plain, modals = _MODAL.subn("", plain, count=1)
    if modals or denials:
        plain = re.sub(r"\b(?:does|do|did) (?=\w)", "", plain, count=1)
        plain = re.sub(r"\bbe\b", "is", plain, count=1)
    return plain, bool(denials)


_SLOTS = {
    "": r"(?P<{name}>«\d+»|[^«»,;]{{1,60}}?)",
    "quote": r"(?P<{name}>«\d+»)",
    "number": r"(?P<{name}>«\d+»|[-+$€£]?\d[\d.,]*[%€$£]?"
    r"|one|two|three|four|five|six|seven|eight|nine|ten)",
    "words": r"(?P<{name}>[^;]{{1,200}}?)",
    "address": r"(?P<{name}>«\d+»|\S+)",
    "condition": r"(?P<{name}>.{{1,100}}? (?:displayed|shown|visible|present|there|open|appears?))",
}
# "{field:name}" in a form of the table: the place of a name.
_SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
_UNIT = (
    r"(?P<unit>kg|g|mg|t|lb|lbs|oz|km|m|cm|mm|miles?|l|ml|litres?|liters?|gallons?|kwh|kw|w|gb|mb|kb|tb"
    r"|hours?|hrs?|h|minutes?|mins?|seconds?|days?|weeks?|months?|years?|degrees|°c|°f|points?"
    r"|euros?|dollars?|pounds?|kilograms?|grams?|kilometres?|metres?|meters?|tonnes?|pieces|pcs)"
)


@cache
def _table() -> _Table:
    data = bundled_yaml("sparring_plugins.web.grammar.everyday", "forms.yaml")
    return TypeAdapter(_Table).validate_python(data)


def everyday_forms() -> tuple[EverydayForm, ...]:
    """Return the forms of everyday sentences, in the order in which they are tried."""
    return _table().forms


@cache
def _compiled() -> tuple[tuple[EverydayForm, tuple[re.Pattern[str], ...]], ...]:
    return tuple((form, tuple(map(_compile, form.patterns))) for form in everyday_forms())


def _compile(pattern: str) -> re.Pattern[str]:
    fragments = _table().fragments
    order = fragments["order"].replace("?P<order>", "?P<order2>")
    names = {**fragments, "unit": _UNIT, "order2": order}
    # "(?P<unit>" is a group and no fragment
    pattern = re.sub(r"(?<!\?P)<(\w+)>", lambda match: names[match[1]], pattern)
    pattern = _SLOT.sub(lambda match: _SLOTS[match[2] or ""].format(name=match[1]), pattern)
    return re.compile(pattern, re.IGNORECASE)
