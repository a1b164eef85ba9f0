"""Canonical checks that a sentence was translated to: whether they may stand for it.

A translation must never turn a sentence into one that passes whatever the app does. So it has to
be a canonical sentence, it must be false on some page that resembles this one, and what the
sentence quotes or counts should be in it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from sparring.model.page import Element, PageSnapshot, PageView
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.grammar.assertions import is_lead
from sparring_plugins.web.grammar.canonical import write_sentence
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.sentences import mask
from sparring_plugins.web.grammar.phrases.tokens import tokenise
from sparring_plugins.web.grammar.steps import iter_targets, read_steps
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.text_fit import cased
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import AllOf, Condition, Reading, Step, Target
from sparring_plugins.web.suites.translations import canonical_fault

_LEAD = "Assert that "
# A page with several equal texts has to be told from one with that text once.
_COPIES = 3
_STATES = ("checked", "selected", "expanded", "pressed", "disabled", "required", "invalid")


@dataclass(frozen=True)
class CheckReading:
    """Canonical checks as they are read: a condition that holds if all do, or what is wrong."""

    sentences: tuple[str, ...] = ()
    condition: Condition | None = None
    fault: str = ""


def read_checks(texts: Sequence[str]) -> CheckReading:
    """Read canonical checks, with or without "Assert that" in front."""
    sentences: list[str] = []
    conditions: list[Condition] = []
    for text in texts:
        line = " ".join(text.split()).rstrip(".")
        step = _read(line)
        if step is None or not step.asserts:
            return CheckReading(fault=f"{line!r} is no assertion of the grammar")
        if fault := canonical_fault(step):
            return CheckReading(fault=f"{line!r} {fault}")
        condition = step.readings[0].condition
        if condition is not None:
            conditions.append(condition)
            sentences.append(step.text)
    if not conditions:
        return CheckReading(fault="there is no condition")
    joined = conditions[0] if len(conditions) == 1 else AllOf(conditions=tuple(conditions))
    return CheckReading(tuple(sentences), joined)


def _read(line: str) -> Step | None:
    """Return a line as one step; if it has no lead, that is added."""
    led = (_LEAD + line[:1].lower() + line[1:], _LEAD + line)
    for text in (line, *led) if is_lead(tokenise(line)) else (*led, line):
        steps = read_steps(text, number=1)
        if len(steps) == 1 and steps[0].asserts:
            return steps[0]
    return None


def check_fault(
    condition: Condition, judged: Judged, view: PageView, earlier: Sequence[PageView]
) -> str:
    """Return why a condition may not stand for a sentence; empty if it may.

    A condition that is true now must be false or unknown on some other page: an empty one, one
    seen before, this one without what shows it, or with more of what it names.
    """
    if judged.truth is not True:
        return ""
    others = (*earlier[-5:], *_other_pages(condition, judged, view))
    if any(holds(condition, page).truth is not True for page in others):
        return ""
    return "it holds on every page that was tried, also on an empty one: it can never fail"


def _other_pages(condition: Condition, judged: Judged, view: PageView) -> Iterator[PageView]:
    snapshot = view.snapshot
    yield PageView(snapshot=PageSnapshot(url="about:blank"))
    targets = list(iter_targets(Reading(action="assert", condition=condition)))
    texts = [cased(target.text) for target in targets if target.text]
    shown = set(judged.elements)
    yield _page(
        snapshot,
        [e for e in snapshot.elements if e.id not in shown and not _says_any(e, texts)],
    )
    added = [e for n, t in enumerate(targets) for e in _elements_of(t, n)]
    yield _page(snapshot, [*snapshot.elements, *added])
    yield _page(snapshot, [_other_state(element) for element in snapshot.elements])


def _page(snapshot: PageSnapshot, elements: Sequence[Element]) -> PageView:
    update = {"elements": tuple(elements), "title": "", "url": "about:other"}
    return PageView(snapshot=snapshot.model_copy(update=update))


def _says_any(element: Element, texts: Sequence[str]) -> bool:
    own = cased(" ".join((element.name, element.text, element.label, element.value or "")))
    return any(text in own for text in texts)


def _elements_of(target: Target, number: int) -> Iterator[Element]:
    """Yield elements that a target names, so that what must not be there is there."""
    words = target.text or "something"
    role = "textbox" if target.role in ("field", "input") else target.role or "text"
    for copy in range(_COPIES):
        yield Element(
            id=f"added-{number}-{copy}",
            role=role,
            name="" if role == "text" else words,
            text=words,
            row=target.row or "",
            region=(target.region,) if target.region else (),
            interactive=role != "text",
            editable=role == "textbox",
        )


def _other_state(element: Element) -> Element:
    update: dict[str, object] = {
        name: not value for name in _STATES if isinstance(value := getattr(element, name), bool)
    }
    if element.value is not None:
        update["value"] = f"{element.value}~"
    return element.model_copy(update=update) if update else element


def missing_values(sentence: str, means: Sequence[str]) -> list[str]:
    """Return what a sentence quotes or counts that its translation does not have."""
    plain, quotes = mask(sentence)
    # the field that a tester calls 'priority' may be the list 'Priority'
    meant = cased(" ".join(means)).casefold()
    digits = re.findall(r"\d+(?:[.,]\d+)*", re.sub(r"⟦\d+⟧", " ", plain))
    texts = [*quotes, *digits]
    missing = [text for text in texts if text and cased(text).casefold() not in meant]
    numbers = set(re.findall(r"\d+", meant))
    for word in re.findall(r"[a-z]+", plain.casefold()):
        number = read_number(word)
        # "Quince" is a fruit and the Spanish fifteen: it is there under its own name
        is_there = word in meant or (number is not None and f"{number:g}" in numbers)
        # "the two rows" may be two acts or two checks
        is_there = is_there or number == len(means)
        if number is not None and number > 1 and not is_there:
            missing.append(word)
    return missing


@cache
def _joints() -> re.Pattern[str]:
    joints = bundled_yaml("sparring_plugins.web.translation", "joints.yaml")["joints"]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, joints))})\b", re.IGNORECASE)


def count_clauses(sentence: str) -> int:
    """Return how many things a check says at least, by the words that join its clauses."""
    return 1 + len(_joints().findall(mask(sentence)[0]))


def canonical(condition: Condition) -> str:
    """Return the canonical sentence of a condition."""
    return write_sentence(Reading(action="assert", condition=condition))
