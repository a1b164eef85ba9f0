"""The canonical sentence of an act: the words by which plain rules find the same element again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import cast, get_args

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.canonical import write_sentence
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.pages.grounding import channels, is_nameless_icon
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.roles import PageTask
from sparring_plugins.web.runner.frozen_steps import fingerprint, is_twin
from sparring_plugins.web.step import Reading, Step, StepAction, Target

# A sentence that names a button by a paragraph is not one that a person reviews.
_LONGEST_NAME = 80
# Cells of the row that may tell it from others, words before numbers.
_MOST_CELLS = 8
# Each way to say it is read again by the grammar and tried on the page.
_MOST_TRIALS = 60
#: Acts that happen to an element, too, if they happen to a text in it.
_OVER_PARTS = frozenset({"hover", "click", "double_click", "right_click"})
#: What an element without words may be called by: the column that it heads, its id, its class.
_UNSEEN_CHANNELS = frozenset({"column", "data-testid", "data-test", "id", "name", "class"})
#: Ids with numbers or signs are made anew with each page: "input-4711", ":r3:".
_NUMBERED = re.compile(r"\d{2}|[:/#]")
#: Acts that only look, or that the runner does by itself.
_NO_STEPS = frozenset({"wait", "screenshot", "listen"})


@dataclass(frozen=True)
class ActSentence:
    """An act as a canonical step; `doubt` says why its words alone may not find the element.

    `text` is empty for an element that has nothing by which a sentence could name it.
    """

    text: str
    doubt: str = ""


def act_sentence(act: GuiAction, view: PageView, acts: Sequence[GuiAction]) -> ActSentence | None:
    """Return the sentence of an act on the page before it; None if there is no step for it.

    `acts` are those before, which break ties as they did when the act was chosen.
    """
    if act.action in _NO_STEPS or act.action not in get_args(StepAction):
        return None
    layout = Layout(view.snapshot)
    element = layout.by_id.get(act.target or "")
    if element is None:
        reading = _reading(act, None, None)
        return ActSentence(write_sentence(reading))
    fallback = ""
    for target in _few(_targets(element, layout)):
        for destination in _destinations(act, layout):
            text = write_sentence(_reading(act, target, destination))
            fallback = fallback or text
            if _finds(text, act, view, acts):
                return ActSentence(text)
    twins = [e for e in layout.snapshot.elements if e.visible and _is_like(e, element, layout)]
    doubt = "its words do not name one element of the page; only its fingerprint finds it"
    if len(twins) > 1:
        doubt = f"nothing tells it from {len(twins) - 1} others of the page"
    return ActSentence(fallback, doubt)


def nameable_act(act: GuiAction, view: PageView, words: str) -> GuiAction:
    """Return an act of the mouse on what no sentence can name, on the text that lies in it.

    A card without a name and a role is hovered over by the heading in it that `words`, the
    sentence, speak of: the first text of a box that holds many cards is another card's.
    """
    layout = Layout(view.snapshot)
    element = layout.by_id.get(act.target or "")
    if act.action not in _OVER_PARTS or element is None or _names(element):
        return act
    for part in layout.snapshot.elements:
        is_plain = part.visible and not part.interactive and part.role in ("heading", "text")
        if not (is_plain and any(re.search(rf"\b{re.escape(n)}\b", words) for n in _names(part))):
            continue
        # the text of a link in the card is the link's: an act on it is another one
        holders = (o.id for o in layout.above(part) if o.interactive or o.id == element.id)
        if next(holders, None) == element.id:
            return act.model_copy(update={"target": part.id})
    return act


def _is_like(other: Element, element: Element, layout: Layout) -> bool:
    return is_twin(fingerprint(element, layout), other, layout)


def _few(targets: Iterator[Target]) -> Iterator[Target]:
    return (target for _, target in zip(range(_MOST_TRIALS), targets, strict=False))


def _reading(act: GuiAction, target: Target | None, destination: Target | None) -> Reading:
    return Reading(
        action=cast("StepAction", act.action),
        target=target,
        value=None if act.value is None else str(act.value),
        destination=destination,
    )


def _destinations(act: GuiAction, layout: Layout) -> Iterator[Target | None]:
    element = layout.by_id.get(act.destination or "")
    if element is None:
        yield None
    else:
        yield from _few(_targets(element, layout))


def _targets(element: Element, layout: Layout) -> Iterator[Target]:
    """Yield what the element may be called, the shortest and strictest first."""
    names = _names(element)
    roles = _roles(element)
    for name, role in product(names, roles):
        yield Target(text=name, role=role)
    rows, regions = _cells(element, layout), _regions(element)
    for name, role in product((*names, ""), roles):
        if not name and role is None:
            continue
        yield from (Target(text=name, role=role, row=row) for row in rows)
        yield from (Target(text=name, role=role, region=region) for region in regions)
    for name, role in product((*names, ""), roles):
        ordinal = _ordinal(element, name, layout)
        if ordinal is not None and (name or role):
            yield Target(text=name, role=role, ordinal=ordinal)


def _names(element: Element) -> tuple[str, ...]:
    texts = [element.name, element.label, element.placeholder, element.title, element.alternative]
    texts += [element.adjacent] if element.editable or element.options else [element.text]
    if not any(text.strip() for text in texts):
        unseen = (text for text, _, channel in channels(element) if channel in _UNSEEN_CHANNELS)
        texts = [text for text in unseen if not _NUMBERED.search(text)]
    lines = (" ".join(text.split()) for text in texts)
    return tuple(dict.fromkeys(t for t in lines if t and len(t) <= _LONGEST_NAME))


def _roles(element: Element) -> tuple[str | None, ...]:
    """Return what the element's kind is called in sentences, first the exact role."""
    known = set(WORDS.controls.values())
    roles = [element.role] if element.role in known else []
    if element.editable and not element.options:
        roles.append("field")
    if is_nameless_icon(element) and element.role not in known:
        roles.append("icon")
    return (*dict.fromkeys(roles), None)


def _cells(element: Element, layout: Layout) -> tuple[str, ...]:
    """Return the texts of the element's row that are not its own, as they stand there."""
    if not element.row:
        return ()
    own = set(_names(element))
    cells = [
        " ".join((other.text or other.name).split())
        for other in layout.snapshot.elements
        if other.row == element.row and other.role in ("text", "cell", "rowheader", "gridcell")
    ]
    texts = dict.fromkeys(c for c in cells if c and c not in own and len(c) <= _LONGEST_NAME)
    # A name tells a row better than a number, which another cell may hold, too.
    return tuple(sorted(texts, key=lambda text: text[:1].isdigit())[:_MOST_CELLS])


def _regions(element: Element) -> tuple[str, ...]:
    lines = (" ".join(region.split()) for region in reversed(element.region))
    return tuple(dict.fromkeys(t for t in lines if t and len(t) <= _LONGEST_NAME))[:4]


def _ordinal(element: Element, name: str, layout: Layout) -> int | None:
    """Return the place of an element among those of its kind and name, in reading order."""
    equal = [
        other.id
        for other in layout.snapshot.elements
        if other.visible and other.role == element.role and (not name or name in _names(other))
    ]
    return equal.index(element.id) + 1 if element.id in equal else None


def _finds(text: str, act: GuiAction, view: PageView, acts: Sequence[GuiAction]) -> bool:
    """Return whether a sentence has one reading, and plain rules do the same act by it."""
    steps = read_steps(text, number=1)
    if len(steps) != 1 or len(steps[0].readings) != 1:
        return False
    task = PageTask(step=steps[0], reading=steps[0].reading, view=view, acts=tuple(acts))
    plan = Planner(task).plan()
    if plan.truth is not True or len(plan.acts) != 1 or plan.weak:
        return False
    planned = plan.acts[0]
    wanted = (act.action, act.target, act.destination, str(act.value))
    return (planned.action, planned.target, planned.destination, str(planned.value)) == wanted


def as_step(sentence: str, number: int) -> Step:
    """Return a canonical sentence as a step."""
    return read_steps(sentence, number=number)[0]
