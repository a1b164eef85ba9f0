"""Translated sentences: the canonical steps that stand beside a sentence, and how one is read.

``means`` beside a sentence is what it became. A translation belongs to the sentence and to the
start page that it was made for: if either changes, it is stale, and the sentence is read anew.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from sparring_plugins.output.lint_findings import How
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.canonical import write_sentence
from sparring_plugins.web.grammar.examples import nearest_form
from sparring_plugins.web.grammar.free.intents import read_intents
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.free.statements import read_statements
from sparring_plugins.web.grammar.steps import UNQUOTED, iter_targets, read_steps
from sparring_plugins.web.step import AllOf, Reading, Step
from sparring_plugins.web.suites.case import SentencePlace, fill_step, fill_text

#: How the problem of a step begins whose translation is out of date.
STALE = "was changed since it was translated"
#: How the problem of a step begins that a person should look at.
REVIEW = "is to be reviewed"


class Translated(BaseModel):
    """Who translated a sentence, and a digest of what it was translated from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    by: str = Field(min_length=1, max_length=200, description="who translated it")
    of: str = Field(
        pattern="^[0-9a-f]{8}$", description="digest of the sentence and its start page"
    )


@dataclass(frozen=True)
class Translation:
    """What stands beside a sentence: canonical sentences, and where they are from.

    `written` are the same before environment variables are filled in.
    """

    means: tuple[str, ...]
    by: str = ""
    of: str = ""
    review: str = ""
    written: tuple[str, ...] = ()

    def is_fresh(self, sentence: str, starts: Sequence[str | None]) -> bool:
        """Return whether it belongs to a sentence; what a person wrote has no digest."""
        return not self.of or self.of == digest(sentence, starts)


@dataclass(frozen=True)
class ReadSentence:
    """A sentence of a file: the steps that the grammar makes of it, and those that are played.

    `faults` are what is wrong with its translation, by the place in ``means``.
    """

    own: tuple[Step, ...]
    played: tuple[Step, ...]
    faults: tuple[tuple[int, str], ...] = ()
    text: str = ""
    translation: Translation | None = None
    is_stale: bool = False

    def place(self, at: tuple[str | int, ...], starts: Iterable[str | None]) -> SentencePlace:
        """Return it with the place that it has in its file."""
        notes = self.translation or Translation(())
        return SentencePlace(
            at=at, text=self.text, own=self.own, played=self.played, of=digest(self.text, starts),
            by=notes.by, is_stale=self.is_stale, review=notes.review,
        )  # fmt: skip


def digest(sentence: str, starts: Iterable[str | None]) -> str:
    """Return the digest of a sentence as it is written, and of the start page.

    Of addresses only what comes after the host counts, which differs from machine to machine.
    """
    paths = [_path(start) for start in starts if start]
    text = "\n".join((" ".join(sentence.split()), *paths))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _path(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    return f"{parts.path or '/'}?{parts.query}".removesuffix("?") if parts.netloc else address


def read_sentence(
    text: str,
    translation: Translation | None,
    values: Mapping[str, str],
    *,
    number: int,
    line: int | None,
    is_fresh: bool = True,
) -> ReadSentence:
    """Read a sentence with its translation; `number` is that of its first step."""
    filled = fill_text(text, values, safe_only=True)
    own = tuple(fill_step(s, values) for s in read_steps(filled, number=number, line=line))
    if translation is None or not translation.means:
        return ReadSentence(own, own)
    if not is_fresh:
        problem = f"{STALE}, so it is read anew: translate it again with 'sparring translate'"
        marked = own[0].model_copy(update={"problems": (*own[0].problems, problem)})
        return ReadSentence(own, (marked, *own[1:]))
    read: list[Step] = []
    faults: list[tuple[int, str]] = []
    for index, meant in enumerate(translation.means):
        step = fill_step(_read_meant(fill_text(meant, values, safe_only=True)), values)
        if fault := canonical_fault(step):
            faults.append((index, fault))
        written = translation.written[index] if index < len(translation.written) else meant
        read.append(step.model_copy(update={"written": written if written != step.text else ""}))
    joined = _join_checks(read) if not faults else []
    sentence = fill_step(own[0].model_copy(update={"text": text, "readings": ()}), values).text
    review = (f"{REVIEW}: {translation.review}",) if translation.review else ()
    update = {"line": line, "sentence": sentence, "by": translation.by or "a person"}
    played = [
        step.model_copy(update={**update, "number": number + n, "problems": review})
        for n, step in enumerate(joined)
    ]
    return ReadSentence(own, tuple(played), tuple(faults))


def _read_meant(text: str) -> Step:
    steps = read_steps(text, number=1)
    if len(steps) == 1:
        return steps[0]
    problem = f"holds {len(steps)} steps: write an item for each"
    return Step(number=1, text=text, problems=(problem,))


def canonical_fault(step: Step) -> str | None:
    """Return why a step is no canonical sentence: it has one reading, with its names in quotes."""
    if not step.readings:
        nearest = nearest_form(step.text)
        hint = f"; the nearest known form is: {nearest}" if nearest else ""
        return f"{step.problems[0] if step.problems else 'is not understood'}{hint}"
    if len(step.readings) > 1:
        meanings = " or ".join(f"'{reading.explanation}'" for reading in step.readings)
        return f"can be read as {meanings}: write the one that is meant"
    reading = next(iter(step.readings))
    bare = [t.text for t in iter_targets(reading) if t.text and not t.quoted]
    return f"names '{bare[0]}' without quotes" if bare else None


def _join_checks(steps: Sequence[Step]) -> list[Step]:
    """Join neighbouring checks to one, so that a sentence that is false has one verdict."""
    joined: list[Step] = []
    for step in steps:
        last = joined[-1] if joined else None
        if last is None or not (step.asserts and last.asserts):
            joined.append(step)
            continue
        reading, previous = step.readings[0], last.readings[0]
        if reading.condition is None or previous.condition is None:
            joined.append(step)
            continue
        before = previous.condition
        parts = before.conditions if isinstance(before, AllOf) else (before,)
        both = Reading(action="assert", condition=AllOf(conditions=(*parts, reading.condition)))
        text = write_sentence(both)
        readings = (both.model_copy(update={"explanation": text}),)
        joined[-1] = last.model_copy(update={"text": text, "readings": readings, "written": ""})
    return joined


def how_read(step: Step) -> How:
    """Return how surely a step is read without seeing a page."""
    if step.by:
        return "translated"
    if _is_exact(step):
        return "exact"
    if step.readings:
        return "weak"
    clauses = split_sentence(step.text[:500])
    if is_assertion(step):
        return "weak" if any(s for c in clauses for s in read_statements(c)) else "unread"
    return "weak" if any(i for c in clauses for i in read_intents(c)) else "unread"


def _is_exact(step: Step) -> bool:
    """Return whether a step has one reading, with all its names in quotes."""
    if len(step.readings) != 1 or any(p.startswith(UNQUOTED) for p in step.problems):
        return False
    return all(target.quoted or not target.text for target in iter_targets(step.readings[0]))
