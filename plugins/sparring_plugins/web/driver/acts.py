"""Acts of the driver: those it suggests for a page or an instruction, and those it keeps on disk.

A resolved act says what an instruction acted upon, by fingerprint and not by XPath: one small file
for each instruction and page, in a folder of the script's. A file that cannot be read is a miss
with a reason, and is written anew.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import ValidationError

from sparring.model.base import AppText, Value
from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.controls import (
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
)
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.plans import Plan, Planner
from sparring_plugins.web.roles import Candidate, Navigation, PageTask, Suggestion
from sparring_plugins.web.runner.frozen_steps import FrozenStep, freeze
from sparring_plugins.web.step import Reading, Step

# A table with a thousand rows has a button in each.
_MAX_SUGGESTIONS = 200
#: The score of what a model proposes, because it has none of its own.
_MODEL_SCORE = 0.5
_MAX_BYTES = 1_000_000


def all_acts(view: PageView) -> list[Suggestion]:
    """Return an act for each control of a page that can be used now, in the order of the page."""
    layout = Layout(view.snapshot)
    suggestions = [
        _suggest(_default_act(element), 1.0, "it can be used now", layout)
        for element in view.snapshot.elements
        if _is_control(element) and not _is_within_control(element, layout)
    ]
    return suggestions[:_MAX_SUGGESTIONS]


def acts_for(step: Step, tasks: Sequence[PageTask]) -> list[Suggestion]:
    """Return the acts that plain rules find for an instruction, in any of its readings."""
    suggestions: list[Suggestion] = []
    for task in tasks:
        layout = Layout(task.view.snapshot)
        suggestions += _suggest_plan(Planner(task).plan(), task.reading, layout)
    if not suggestions and tasks and step.reading is None:
        suggestions = _suggest_named(step.text, tasks[0])
    return _distinct(suggestions)


def model_acts(navigation: Navigation, view: PageView) -> list[Suggestion]:
    """Return the acts that a language model proposes."""
    layout = Layout(view.snapshot)
    return [
        _suggest(act, _MODEL_SCORE, navigation.reason, layout, strict=False)
        for act in navigation.acts
    ]


def _suggest(
    act: GuiAction, score: float, reason: str, layout: Layout, *, strict: bool = True
) -> Suggestion:
    """Return a suggestion of an act, with the fingerprints of its elements."""
    act = _with_value(act, layout)
    value = "" if act.value is None else f" {act.value!r}"
    description = f"{act.action} {act.described or ''}{value}".strip()
    frozen = freeze(Step(number=1, text=description), (act,), layout, changes=False)
    return Suggestion(
        description=description,
        act=act,
        score=round(score, 4),
        reason=reason,
        strict=strict,
        identity=frozen.model_dump(mode="json", exclude_defaults=True),
    )


def _with_value(act: GuiAction, layout: Layout) -> GuiAction:
    """Return an act that can be carried out as it is, if it lacks a value.

    A field keeps what it holds, a list takes its next option, and what takes files is opened:
    `Suggestion.with_value` puts the wanted value there.
    """
    element = layout.by_id.get(act.target or "")
    if act.value is not None or element is None:
        return act
    match act.action:
        case "fill" | "type" | "append":
            return act.model_copy(update={"value": element.value or ""})
        case "select":
            usable = [option for option in element.options if not option.disabled]
            others = [option.label for option in usable if not option.selected]
            labels = others or [option.label for option in usable]
            # A list that a page makes itself has no options before it is opened.
            update = {"value": labels[0]} if labels else {"action": "click"}
            return act.model_copy(update=update)
        case "upload":
            return act.model_copy(update={"action": "click"})
        case _:
            return act


def _suggest_plan(plan: Plan, reading: Reading | None, layout: Layout) -> Iterator[Suggestion]:
    """Suggest the acts of a plan, then the same with its other candidates."""
    scores = {candidate.element: candidate.score for candidate in plan.candidates}
    for act in filter(partial(_is_ready, layout), plan.acts):
        yield _suggest(act, scores.get(act.target or "", 1.0), plan.reason, layout)
    planned = {act.target for act in plan.acts}
    action = plan.acts[0].action if plan.acts else reading.action if reading else "click"
    value = plan.acts[0].value if plan.acts else reading.value if reading else None
    for candidate in plan.candidates:
        element = layout.by_id.get(candidate.element)
        if element is not None and element.id not in planned and _is_usable(element):
            act = GuiAction(
                action=action, target=element.id, value=value, described=in_words(element)
            )
            yield _suggest(act, candidate.score, candidate.reason, layout)


def _is_ready(layout: Layout, act: GuiAction) -> bool:
    """Return whether nothing is in the way of an act; a box may hide behind its styled label."""
    target = layout.by_id.get(act.target or "")
    return target is None or not (target.disabled or target.covered)


def _suggest_named(words: str, task: PageTask) -> list[Suggestion]:
    """Suggest what to do with something that is only named: "the login button"."""
    step = read_step(f"Click on {words}", number=1)
    layout = Layout(task.view.snapshot)
    suggestions: list[Suggestion] = []
    for reading in step.readings:
        plan = Planner(task.model_copy(update={"step": step, "reading": reading})).plan()
        candidates = list(plan.candidates)
        candidates += [Candidate(element=i, score=1.0, reason=plan.reason) for i in plan.elements]
        for candidate in candidates:
            element = layout.by_id.get(candidate.element)
            if element is not None and _is_usable(element):
                act = _default_act(element)
                suggestions.append(_suggest(act, candidate.score, candidate.reason, layout))
    return suggestions


def _distinct(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Return each act once, the best first, those that are equally good in their order."""
    best: dict[tuple[object, ...], Suggestion] = {}
    for suggestion in suggestions:
        act = suggestion.act
        key = (act.action, act.target, str(act.value), act.destination)
        if key not in best or best[key].score < suggestion.score:
            best[key] = suggestion
    return sorted(best.values(), key=lambda s: -s.score)[:_MAX_SUGGESTIONS]


def _default_act(element: Element) -> GuiAction:
    action = "click"
    if element.input_type == "file":
        action = "upload"
    elif is_a_box(element):
        action = "uncheck" if element.checked is True and element.role != "radio" else "check"
    elif offers_choices(element) and not takes_text(element):
        action = "select"
    elif takes_text(element):
        action = "fill"
    return GuiAction(action=action, target=element.id, described=in_words(element))


def _is_control(element: Element) -> bool:
    acts = takes_clicks(element) or takes_text(element) or offers_choices(element)
    return acts and _is_usable(element) and element.role not in ("text", "option", "generic")


def _is_usable(element: Element) -> bool:
    return element.visible and not element.disabled and not element.covered


def _is_within_control(element: Element, layout: Layout) -> bool:
    return any(holder.role in ("button", "link") for holder in layout.above(element))


class ResolvedAct(Value):
    """An instruction as it was carried out: the steps in it, by their numbers."""

    resolved: Literal[1] = 1
    instruction: str
    page: AppText
    steps: dict[int, FrozenStep]


@dataclass(frozen=True)
class CachedSteps:
    """The steps that a folder has of an instruction; `missed` says why there are none."""

    steps: dict[int, FrozenStep]
    missed: str = ""


@dataclass(frozen=True)
class ResolvedActs:
    """The resolved acts in a folder."""

    folder: Path

    def load(self, instruction: str, url: str) -> CachedSteps:
        """Return what is kept of an instruction on a page."""
        path = self._path(instruction, url)
        try:
            if path.stat().st_size > _MAX_BYTES:
                return CachedSteps({}, f"{path.name} is too large to be a resolved act")
            act = ResolvedAct.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return CachedSteps({})
        except (OSError, ValidationError) as err:
            return CachedSteps({}, f"{path.name} cannot be read: {_first_line(err)}")
        if (act.instruction, act.page) != (instruction, page_of(url)):
            return CachedSteps({}, f"{path.name} is about {act.instruction!r} on {act.page}")
        return CachedSteps(act.steps)

    def keep(self, instruction: str, url: str, steps: dict[int, FrozenStep]) -> None:
        """Write an act atomically: a reader finds the old file or the new one."""
        path = self._path(instruction, url)
        act = ResolvedAct(instruction=instruction, page=page_of(url), steps=steps)
        data = json.loads(act.model_dump_json(exclude_defaults=True))
        text = json.dumps({"resolved": 1, **data}, indent=1, ensure_ascii=False) + "\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.write_text(text, encoding="utf-8")
        new.replace(path)

    def _path(self, instruction: str, url: str) -> Path:
        words = "-".join(re.findall(r"[a-z0-9]+", instruction.lower()))[:50]
        key = sha256(f"{page_of(url)}\n{instruction}".encode("utf-8", "replace")).hexdigest()
        return self.folder / f"{words or 'act'}-{key[:12]}.json"


def page_of(url: str) -> str:
    """Return the page of an address: without query and fragment, numbers in its path as ``#``.

    ``/orders/17?tab=2`` is the page ``/orders/#``, so that an act is found again on the next order.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url[:200]
    if parts.scheme not in ("http", "https"):
        return f"{parts.scheme}:{parts.path[:200]}"
    path = "/".join("#" if piece.isdecimal() else piece for piece in parts.path.split("/"))
    return f"{parts.scheme}://{parts.netloc}{path}"[:500]


def _first_line(err: Exception) -> str:
    return str(err).splitlines()[0][:200] if str(err) else type(err).__name__
