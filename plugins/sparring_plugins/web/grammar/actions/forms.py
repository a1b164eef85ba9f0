"""The forms of actions: the table `forms.yaml`, and the plans that its readers make of a clause."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, TypeAdapter

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.grammar.actions import choose, click, desktop, enter, navigate
from sparring_plugins.web.grammar.phrases.patterns import (
    READERS,
    ClausePlan,
    PatternMatch,
    compile_pattern,
    find_matches,
)
from sparring_plugins.web.grammar.phrases.tokens import Tokens
from sparring_plugins.web.step import Reading

MODULES = (desktop, navigate, enter, choose, click)
"""What registers the readers when it is imported."""

_MOST_MATCHES = 40

Lines = Annotated[tuple[str, ...], BeforeValidator(str.splitlines)]


@dataclass(frozen=True)
class Form:
    """A form of sentences: its patterns, what reads them, examples for the reference."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    title: str
    reader: str
    patterns: Lines
    examples: Lines

    def __post_init__(self) -> None:
        if self.reader not in READERS:
            raise ValueError(f"no function {self.reader!r} is registered as a reader")

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The words that a clause of this form begins with; empty if it may begin with any."""
        first_words: set[str] = set()
        for pattern in self.patterns:
            for item in compile_pattern(pattern):
                if item.slot:
                    return frozenset()
                first_words.update(phrase[0] for phrase in item.phrases)
                if not item.optional:
                    break
        return frozenset(first_words)

    def plan(self, tokens: Tokens, words: tuple[str, ...]) -> ClausePlan | None:
        """Return the plan of the first match that the reader understands."""
        read = READERS[self.reader]
        for pattern in self.patterns:
            for number, spans in enumerate(find_matches(pattern, words)):
                if number >= _MOST_MATCHES:
                    break
                plan = read(PatternMatch(tokens, spans))
                # "Select 'Bob' 'Intro' in the table" names nothing that can be clicked on
                if plan is not None and all(plan):
                    return plan
        return None


@cache
def forms() -> tuple[Form, ...]:
    """The forms in the order in which they are tried; read once."""
    return TypeAdapter(tuple[Form, ...]).validate_python(
        bundled_yaml("sparring_plugins.web.grammar.actions", "forms.yaml")
    )


def read_plans(tokens: Tokens) -> Iterator[ClausePlan]:
    """What the forms make of a clause, in their order."""
    words = tuple(token.low for token in tokens)
    if not words:
        return
    for form in forms():
        if form.first_words and words[0] not in form.first_words:
            continue
        plan = form.plan(tokens, words)
        if plan is not None:
            yield tuple(tuple(map(_with_ordinal, alternatives)) for alternatives in plan)


def _with_ordinal(reading: Reading) -> Reading:
    """Return an act in the n-th row as one on the n-th of its kind: lists have rows, too."""
    target = reading.target
    if target is None or target.row_number is None:
        return reading
    ordinal = target.ordinal or target.row_number
    counted = target.model_copy(update={"ordinal": ordinal, "row_number": None})
    return reading.model_copy(update={"target": counted})
