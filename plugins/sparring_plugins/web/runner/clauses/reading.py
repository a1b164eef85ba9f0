"""Read a sentence as clauses that belong together, by the table `forms.yaml`.

Nothing of a sentence may be left over: what the table does not know is left to other readings.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, TypeAdapter

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.grammar.phrases.tokens import find_quotations

# A pasted paragraph is no instruction, and clauses are tried at each of its words.
_LONGEST = 400
# "Find X, open it, press Y and …": with more parts the ways to split a sentence multiply.
_MOST_CLAUSES = 6
Lines = Annotated[tuple[str, ...], BeforeValidator(str.splitlines)]


@dataclass(frozen=True)
class Form:
    """Patterns of a clause, the act that carries it out, and sentences that have it.

    `needs` is what an earlier clause must have given: a thing that was found, or a value.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    act: str
    patterns: tuple[str, ...]
    examples: Lines
    needs: str = ""
    ordinary: bool = False


@dataclass(frozen=True)
class _Table:
    __pydantic_config__ = ConfigDict(extra="forbid")

    fragments: dict[str, str]
    forms: tuple[Form, ...]
    synonyms: dict[str, frozenset[str]]
    numbers: dict[str, int]


@dataclass(frozen=True)
class Clause:
    """A part of a sentence: its act and the texts of its slots, without quotes."""

    act: str
    slots: Mapping[str, str]

    def text(self, slot: str) -> str:
        """Return the text of a slot, empty if the clause has none."""
        return self.slots.get(slot, "")

    def is_quoted(self, slot: str) -> bool:
        """Return whether the text of a slot stood in quotes."""
        return f"{slot} quoted" in self.slots


_SLOTS = {
    "name": r"(?P<name>«\d+»|@?[A-Z][\w.@-]*(?: [A-Z][\w.-]*){0,3}|@[\w.-]+)",
    "to": r"(?P<to>«\d+»|@?[A-Z][\w@.-]*(?: [A-Z][\w.-]*){0,2}|[\w.]+@[\w.]+)",
    "text": r"(?P<text>«\d+»)",
    "phrase": r"(?P<name>«\d+»|[^«»,;:]{2,40}?)",
    "words": r"(?P<words>[^«»;:]{10,120}?)",
}
_SLOT = re.compile(r"\{(\w+)\}")
_JOINT = r"(?:[.;]? *,? *(?:\band then\b|\bthen\b|\band\b|;|,|\.)+ +|\.?$| +(?=hit|press|click))"
# A quoted text, put aside as «0» so that no word in it is read.
_MARK = re.compile(r"«(\d+)»")


@cache
def table() -> _Table:
    """Return the table of clauses, synonyms and numbers."""
    data = bundled_yaml("sparring_plugins.web.runner.clauses", "forms.yaml")
    return TypeAdapter(_Table).validate_python(data)


@cache
def _compiled() -> tuple[tuple[Form, re.Pattern[str]], ...]:
    return tuple((form, _compile(text)) for form in table().forms for text in form.patterns)


def _compile(pattern: str) -> re.Pattern[str]:
    fragments = table().fragments
    for _ in range(3):  # a fragment may have another one
        pattern = re.sub(r"(?<!\?P)<(\w+)>", lambda m: fragments[m[1]], pattern)
    # "(?-i:...)": only names need their capitals
    pattern = _SLOT.sub(lambda m: f"(?-i:{_SLOTS[m[1]]})", pattern)
    return re.compile(rf"{pattern}(?:{_JOINT})", re.IGNORECASE)


def read_clauses(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence; empty if something of it is not known."""
    if len(sentence) > _LONGEST:
        return ()
    marked, quotations = _mark_quotations(" ".join(sentence.split()))
    for forms in _split(re.sub(r"^(?:please|now|then) ", "", marked, flags=re.I), 0):
        if all(form.ordinary for form, _ in forms) or not _is_complete(forms):
            continue
        return tuple(_clause(form, match, quotations) for form, match in forms)
    return ()


def _split(text: str, depth: int) -> Iterator[list[tuple[Form, re.Match[str]]]]:
    if not text:
        yield []
        return
    if depth >= _MOST_CLAUSES:
        return
    for form, pattern in _compiled():
        match = pattern.match(text)
        if match is not None and match.end():
            for rest in _split(text[match.end() :], depth + 1):
                yield [(form, match), *rest]


def _is_complete(forms: list[tuple[Form, re.Match[str]]]) -> bool:
    """Return whether each clause has what it needs: "paste it" without a copy is no such clause."""
    gives = {"find": "find", "copy": "value", "find_word": "value", "solve": "value"}
    given: set[str] = set()
    for form, match in forms:
        if form.needs and form.needs not in given:
            return False
        if form.act == "delete" and not match.groupdict().get("name") and "find" not in given:
            return False
        given.add(gives.get(form.act, ""))
    return True


def _mark_quotations(sentence: str) -> tuple[str, tuple[str, ...]]:
    parts: list[str] = []
    texts: list[str] = []
    at = 0
    for quotation in find_quotations(sentence):
        if not quotation.closed:
            return "«?»", ()
        parts += [sentence[at : quotation.start], f"«{len(texts)}»"]
        texts.append(quotation.text)
        at = quotation.end
    return "".join((*parts, sentence[at:])), tuple(texts)


def _clause(form: Form, match: re.Match[str], quotations: tuple[str, ...]) -> Clause:
    slots: dict[str, str] = {}
    for slot, words in match.groupdict().items():
        if not words:
            continue
        mark = _MARK.search(words)
        slots[slot] = quotations[int(mark[1])] if mark else words.strip(" ,.")
        if mark:
            slots[f"{slot} quoted"] = "yes"
    return Clause(form.act, slots)
