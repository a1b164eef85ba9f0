"""Frozen steps: what each step of a test case acted upon, kept beside it, and found again.

An element is identified by a fingerprint of its role, name and neighbourhood, not by an XPath. A
frozen step never acts on another element silently. If the page has the element with the same
fingerprint, once, it is taken (*found*). If the element has changed, it is taken only if the
step's own words mean the same element, or no other is similar (*healed*). Otherwise the step is
*lost*, and inconclusive.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import ValidationError
from rapidfuzz import fuzz

from sparring.errors import ConfigurationError, Problem
from sparring.model.base import AppText, Value
from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.controls import in_words
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Navigation
from sparring_plugins.web.step import Step
from sparring_plugins.web.suites.whole_file import write_whole

_ATTRIBUTES = ("id", "name", "data-testid", "data-test", "type")
#: The weight of each similarity; what neither side has does not count.
_WEIGHTS = {
    "role": 3.0, "name": 4.0, "label": 2.0, "text": 1.0, "placeholder": 1.5, "row": 2.0,
    "column": 1.0, "region": 1.5, "before": 1.0, "after": 1.0, "url": 1.0, "tag": 0.5,
    "attributes": 2.0,
}  # fmt: skip


class Fingerprint(Value):
    """What identifies an element on its page. `before` and `after` are the texts around it."""

    role: str
    name: AppText = ""
    tag: str = ""
    label: AppText = ""
    text: AppText = ""
    placeholder: AppText = ""
    row: AppText = ""
    column: AppText = ""
    region: AppText = ""
    before: AppText = ""
    after: AppText = ""
    url: AppText = ""
    attributes: dict[str, AppText] = {}


@dataclass(frozen=True)
class SimilarElement:
    """An element with its similarity to a fingerprint: 1 for equal."""

    element: Element
    score: float


def fingerprint(element: Element, layout: Layout) -> Fingerprint:
    """Return the fingerprint of `element`."""
    before, after = _neighbours(element, layout)
    return Fingerprint(
        role=element.role,
        name=element.name[:200],
        tag=element.tag,
        label=element.label[:200],
        text=element.text[:200] if not element.editable else "",
        placeholder=element.placeholder[:200],
        row=element.row[:200],
        column=element.column[:100],
        region=" / ".join(element.region)[:200],
        before=before[:100],
        after=after[:100],
        url=(element.url or "")[:300],
        attributes={k: v[:100] for k in _ATTRIBUTES if (v := element.attributes.get(k))},
    )


def _neighbours(element: Element, layout: Layout) -> tuple[str, str]:
    elements, here = layout.snapshot.elements, layout.order[element.id]
    before = (text for e in reversed(elements[:here]) if (text := _neighbour_text(e, element)))
    after = (text for e in elements[here + 1 :] if (text := _neighbour_text(e, element)))
    return next(before, ""), next(after, "")


def _neighbour_text(other: Element, element: Element) -> str:
    """Return the text of a neighbour that is neither a part of the element nor around it."""
    words = other.name or (other.text if len(other.text) <= 100 else "")
    own = element.text or element.name
    return words if other.visible and words and words not in own and own not in words else ""


def similarity(wanted: Fingerprint, element: Element, layout: Layout) -> float:
    """Return how similar `element` is to the one with the fingerprint `wanted`, from 0 to 1."""
    actual = fingerprint(element, layout)
    if actual == wanted:
        return 1.0
    total = reached = 0.0
    for key, weight in _WEIGHTS.items():
        left, right = getattr(wanted, key), getattr(actual, key)
        if left or right:
            total += weight
            reached += weight * _value_similarity(left, right)
    return reached / total if total else 0.0


def _value_similarity(left: str | dict[str, str], right: str | dict[str, str]) -> float:
    if isinstance(left, str) or isinstance(right, str):
        left, right = plain(str(left)), plain(str(right))
        return 1.0 if left == right else fuzz.ratio(left, right) / 100 * 0.9
    pairs = set(left.items()), set(right.items())
    return len(pairs[0] & pairs[1]) / max(1, len(pairs[0] | pairs[1]))


def is_twin(wanted: Fingerprint, element: Element, layout: Layout) -> bool:
    """Return whether `element` equals the wanted one in everything but the texts around it."""
    no_neighbours = {"before": "", "after": ""}
    actual = fingerprint(element, layout)
    return actual.model_copy(update=no_neighbours) == wanted.model_copy(update=no_neighbours)


def most_similar(
    wanted: Fingerprint, elements: Sequence[Element], layout: Layout
) -> list[SimilarElement]:
    """Return the visible elements of the wanted role, the most similar first."""
    same_role = [e for e in elements if e.role == wanted.role and e.visible]
    rated = [SimilarElement(e, similarity(wanted, e, layout)) for e in same_role]
    return sorted(rated, key=lambda match: (-match.score, layout.order[match.element.id]))


#: Similarity that is enough if the step's words mean the element.
_ENOUGH_IF_MEANT = 0.6
#: Similarity that is enough without the step's words, and the lead over the next element.
_ENOUGH_ALONE = 0.85
# Two rows whose buttons are alike differ by less: then nothing is healed.
_ENOUGH_LEAD = 0.12


class FrozenAct(Value):
    """An act of a step, with the fingerprints of what it acts upon."""

    action: str
    value: str | None = None
    target: Fingerprint | None = None
    destination: Fingerprint | None = None


class FrozenStep(Value):
    """A step's acts; `changes` means that they had an effect when they were frozen.

    `text` is as in the file, before values are filled in; those are not kept. `by` is who
    translated the sentence of the step, if it is translated.
    """

    text: str
    acts: tuple[FrozenAct, ...]
    changes: bool = False
    by: str = ""


class FrozenFile(Value):
    """All frozen steps of the test cases of one file: by test case, then by the step's number."""

    frozen: Literal[1] = 1
    tests: dict[str, dict[int, FrozenStep]] = {}


@dataclass(frozen=True)
class Thawed:
    """A frozen step's acts on the page as it is now, or why there are none."""

    state: Literal["found", "healed", "lost"]
    acts: tuple[GuiAction, ...] = ()
    reason: str = ""


def freeze(step: Step, acts: tuple[GuiAction, ...], layout: Layout, *, changes: bool) -> FrozenStep:
    """Return what is kept of a step that was carried out by `acts` on the page `layout`.

    A value that the file has as a name (``%name%``, ``${NAME}``) is left out: it may be a secret.
    """
    return FrozenStep(
        text=step.written or step.text,
        changes=changes,
        by=step.by,
        acts=tuple(
            FrozenAct(
                action=act.action,
                value=None if act.value is None or step.written else str(act.value),
                target=_fingerprint_of(act.target, layout),
                destination=_fingerprint_of(act.destination, layout),
            )
            for act in acts
        ),
    )


def filled_in(frozen: Mapping[int, FrozenStep], steps: Sequence[Step]) -> dict[int, FrozenStep]:
    """Return the frozen steps that belong to `steps`, with the values that these have.

    A step is looked for under its number, else by its text: a translation moves those after it.
    """
    # "Click on 'Next'" of two pages is two elements: only a text that is there once is looked up
    texts = Counter(step.text for step in frozen.values())
    by_text = {step.text: step for step in frozen.values() if texts[step.text] == 1}
    filled: dict[int, FrozenStep] = {}
    for step in steps:
        text = step.written or step.text
        kept = frozen.get(step.number)
        kept = kept if kept is not None and kept.text == text else by_text.get(text)
        if kept is None:
            continue
        value = step.reading.value if step.written and step.reading else None
        acts = tuple(
            act if act.value is not None else act.model_copy(update={"value": value})
            for act in kept.acts
        )
        filled[step.number] = kept.model_copy(update={"text": step.text, "acts": acts})
    return filled


def _fingerprint_of(identifier: str | None, layout: Layout) -> Fingerprint | None:
    element = layout.by_id.get(identifier or "")
    return fingerprint(element, layout) if element else None


def thaw(frozen: FrozenStep, layout: Layout, now: Navigation) -> Thawed:
    """Find the elements of a frozen step again; `now` is what the step's words mean here."""
    acts: list[GuiAction] = []
    is_healed = False
    for index, frozen_act in enumerate(frozen.acts):
        meant = now.acts[index] if index < len(now.acts) else None
        target = _find(frozen_act.target, meant.target if meant else None, layout)
        destination = _find(frozen_act.destination, meant.destination if meant else None, layout)
        for match in (target, destination):
            if match.lost:
                again = "; translate it again: sparring translate --changed" if frozen.by else ""
                return Thawed("lost", reason=match.lost + again)
            is_healed = is_healed or match.is_healed
        acts.append(
            GuiAction(
                action=frozen_act.action,
                value=frozen_act.value,
                target=target.element.id if target.element else None,
                destination=destination.element.id if destination.element else None,
                described=in_words(target.element) if target.element else None,
            )
        )
    return Thawed("healed" if is_healed else "found", tuple(acts))


@dataclass(frozen=True)
class _Search:
    """The element with a fingerprint, or the reason why it is `lost`."""

    element: Element | None = None
    is_healed: bool = False
    lost: str = ""


def _find(wanted: Fingerprint | None, meant: str | None, layout: Layout) -> _Search:
    """Find the element with a fingerprint; `meant` is the id of the one that the words mean."""
    if wanted is None:
        return _Search()
    rated = most_similar(wanted, layout.snapshot.elements, layout)
    same = [match.element for match in rated if match.score >= 1.0]
    if len(same) == 1:
        # The texts around an element change first: they don't tell it from its twins.
        same = [match.element for match in rated if is_twin(wanted, match.element, layout)]
    name = f"the frozen {wanted.role} '{wanted.name or wanted.label}'"
    if same:
        chosen = same if len(same) == 1 else [e for e in same if e.id == meant]
        return _Search(chosen[0]) if chosen else _Search(lost=f"{name} is there {len(same)} times")
    if not rated:
        return _Search(lost=f"{name} is not on the page, nor any other {wanted.role}")
    best = rated[0]
    if _is_enough(best, rated, meant):
        return _Search(best.element, is_healed=True)
    nearest = f"the likest is {in_words(best.element)} ({best.score:.2f})"
    return _Search(lost=f"{name} is not on the page any more; {nearest}")


def _is_enough(best: SimilarElement, rated: Sequence[SimilarElement], meant: str | None) -> bool:
    if meant is not None:
        return best.element.id == meant and best.score >= _ENOUGH_IF_MEANT
    leads = len(rated) == 1 or best.score - rated[1].score >= _ENOUGH_LEAD
    return best.score >= _ENOUGH_ALONE and leads


@dataclass
class FrozenFiles:
    """The frozen steps beside the files of test cases: read once, written at the end.

    ``shop.yaml`` has ``shop.frozen.json`` beside it.
    """

    files: dict[Path, FrozenFile] = field(default_factory=dict[Path, FrozenFile])
    changed: set[Path] = field(default_factory=set[Path])

    def of(self, source: Path, test: str) -> Mapping[int, FrozenStep]:
        """Return the frozen steps of a test case, by their numbers."""
        return self._file(source).tests.get(test, {})

    def keep(self, source: Path, test: str, steps: Mapping[int, FrozenStep]) -> None:
        """Replace the frozen steps of a test case."""
        file = self._file(source)
        if file.tests.get(test) == dict(steps):
            return
        tests = {**file.tests, test: dict(steps)}
        self.files[source] = file.model_copy(update={"tests": tests})
        self.changed.add(source)

    def write(self) -> None:
        """Write the files that have changed."""
        for source in sorted(self.changed):
            text = self.files[source].model_dump_json(indent=1, exclude_defaults=True)
            data = {"frozen": 1, **json.loads(text)}
            path = frozen_path(source)
            write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        self.changed.clear()

    def _file(self, source: Path) -> FrozenFile:
        if source not in self.files:
            self.files[source] = _read(frozen_path(source))
        return self.files[source]


def frozen_path(source: Path) -> Path:
    """Return the file with the frozen steps of the test cases in `source`."""
    return source.with_name(f"{source.stem}.frozen.json")


def _read(path: Path) -> FrozenFile:
    try:
        return FrozenFile.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return FrozenFile()
    except (OSError, ValidationError) as err:
        raise ConfigurationError(
            Problem(f"is no file of frozen steps ({err}); remove it to freeze anew", file=str(path))
        ) from err
