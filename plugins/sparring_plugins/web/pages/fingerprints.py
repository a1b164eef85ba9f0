"""Who an element is, so that it can be found again: role, name and neighbourhood, not an XPath."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from sparring.model.base import AppText, Value
from sparring.model.page import Element
from sparring_plugins.web.pages.places import Layout
from sparring_plugins.web.pages.text_fit import plain

_KEPT = ("id", "name", "data-testid", "data-test", "type")
#: How much each likeness counts; what neither side has does not count.
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
class Likeness:
    """An element and how like a fingerprint it is: 1 for equal."""

    element: Element
    score: float


def fingerprint(element: Element, layout: Layout) -> Fingerprint:
    """The fingerprint of `element`."""
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
        attributes={k: v[:100] for k in _KEPT if (v := element.attributes.get(k))},
    )


def _neighbours(element: Element, layout: Layout) -> tuple[str, str]:
    elements, here = layout.snapshot.elements, layout.order[element.id]
    before = (t for one in reversed(elements[:here]) if (t := _words(one, element)))
    after = (t for one in elements[here + 1 :] if (t := _words(one, element)))
    return next(before, ""), next(after, "")


def _words(other: Element, element: Element) -> str:
    """The words of a neighbour that is not a part of the element or around it."""
    words = other.name or (other.text if len(other.text) <= 100 else "")
    own = element.text or element.name
    return words if other.visible and words and words not in own and own not in words else ""


def likeness(wanted: Fingerprint, element: Element, layout: Layout) -> float:
    """How like `element` is to the one with the fingerprint `wanted`, from 0 to 1."""
    found = fingerprint(element, layout)
    if found == wanted:
        return 1.0
    total = got = 0.0
    for key, weight in _WEIGHTS.items():
        one, other = getattr(wanted, key), getattr(found, key)
        if not one and not other:
            continue
        total += weight
        got += weight * _alike(one, other)
    return got / total if total else 0.0


def _alike(one: str | dict[str, str], other: str | dict[str, str]) -> float:
    if isinstance(one, str) or isinstance(other, str):
        one, other = plain(str(one)), plain(str(other))
        return 1.0 if one == other else fuzz.ratio(one, other) / 100 * 0.9
    pairs = set(one.items()), set(other.items())
    return len(pairs[0] & pairs[1]) / max(1, len(pairs[0] | pairs[1]))


def is_twin(wanted: Fingerprint, element: Element, layout: Layout) -> bool:
    """Whether `element` is the wanted one in everything but the texts around it."""
    nowhere = {"before": "", "after": ""}
    found = fingerprint(element, layout)
    return found.model_copy(update=nowhere) == wanted.model_copy(update=nowhere)


def alike(wanted: Fingerprint, elements: Sequence[Element], layout: Layout) -> list[Likeness]:
    """Elements of the wanted role, the likest first."""
    same = [e for e in elements if e.role == wanted.role and e.visible]
    rated = [Likeness(e, likeness(wanted, e, layout)) for e in same]
    return sorted(rated, key=lambda one: (-one.score, layout.order[one.element.id]))
