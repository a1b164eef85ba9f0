"""What can be done on a page, or for an instruction, as acts that can be given back."""

from collections.abc import Iterator, Sequence

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.control_kinds import (
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
)
from sparring_plugins.web.pages.places import Layout
from sparring_plugins.web.pages.plans import Plan, Planner
from sparring_plugins.web.roles.driver import Suggestion
from sparring_plugins.web.roles.page_agents import Candidate, Navigation, PageTask
from sparring_plugins.web.roles.step import Reading, Step
from sparring_plugins.web.runner.frozen_steps import freeze

_MOST = 200
_OF_A_MODEL = 0.5
"""The score of what a model proposes: it has none of its own."""


def all_acts(view: PageView) -> list[Suggestion]:
    """An act for each control of a page that can be used now, in the order of the page."""
    layout = Layout(view.snapshot)
    found: list[Suggestion] = []
    for element in view.snapshot.elements:
        if _usable(element) and not _within_control(element, layout):
            act = _default_act(element)
            found.append(suggestion(act, 1.0, "it can be used now", layout))
    return found[:_MOST]


def acts_for(step: Step, tasks: Sequence[PageTask]) -> list[Suggestion]:
    """What plain rules make of an instruction, in any of its readings."""
    found: list[Suggestion] = []
    for task in tasks:
        layout = Layout(task.view.snapshot)
        plan = Planner(task).plan()
        found += list(_planned(plan, task.reading, layout))
    if not found and tasks and step.reading is None:
        found = _named(step.text, tasks[0])
    return _distinct(found)


def proposed(navigation: Navigation, view: PageView) -> list[Suggestion]:
    """What a language model proposes."""
    layout = Layout(view.snapshot)
    return [
        suggestion(act, _OF_A_MODEL, navigation.reason, layout, strict=False)
        for act in navigation.acts
    ]


def suggestion(
    act: GuiAction, score: float, reason: str, layout: Layout, *, strict: bool = True
) -> Suggestion:
    """An act with what tells its elements from others."""
    value = "" if act.value is None else f" {act.value!r}"
    described = f"{act.action} {act.described or ''}{value}".strip()
    frozen = freeze(Step(number=1, text=described), (act,), layout, changes=False)
    return Suggestion(
        description=described,
        act=act,
        score=round(score, 4),
        reason=reason,
        strict=strict,
        identity=frozen.model_dump(mode="json", exclude_defaults=True),
    )


def _planned(plan: Plan, reading: Reading | None, layout: Layout) -> Iterator[Suggestion]:
    scores = {one.element: one for one in plan.candidates}
    for act in plan.acts:
        known = scores.get(act.target or "")
        yield suggestion(act, known.score if known else 1.0, plan.reason, layout)
    done = {act.target for act in plan.acts}
    action = plan.acts[0].action if plan.acts else reading.action if reading else "click"
    value = plan.acts[0].value if plan.acts else reading.value if reading else None
    for one in plan.candidates:
        element = layout.by_id.get(one.element)
        if element is not None and one.element not in done and _usable_now(element):
            act = GuiAction(
                action=action, target=one.element, value=value, described=in_words(element)
            )
            yield suggestion(act, one.score, one.reason, layout)


def _named(words: str, task: PageTask) -> list[Suggestion]:
    """Words that only name something ("the login button"): what would be done with it."""
    step = read_step(f"Click on {words}", number=1)
    layout = Layout(task.view.snapshot)
    found: list[Suggestion] = []
    for reading in step.readings:
        plan = Planner(task.model_copy(update={"step": step, "reading": reading})).plan()
        known = list(plan.candidates)
        known += [Candidate(element=i, score=1.0, reason=plan.reason) for i in plan.elements]
        for one in known:
            element = layout.by_id.get(one.element)
            if element is not None and _usable_now(element):
                found.append(suggestion(_default_act(element), one.score, one.reason, layout))
    return found


def _distinct(found: Sequence[Suggestion]) -> list[Suggestion]:
    """Each act once, the best first, those that are equally good as they came."""
    seen: dict[tuple[object, ...], Suggestion] = {}
    for one in found:
        key = (one.act.action, one.act.target, str(one.act.value), one.act.destination)
        if key not in seen or seen[key].score < one.score:
            seen[key] = one
    return sorted(seen.values(), key=lambda one: -one.score)[:_MOST]


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


def _usable(element: Element) -> bool:
    acts = takes_clicks(element) or takes_text(element) or offers_choices(element)
    return acts and _usable_now(element) and element.role not in ("text", "option", "generic")


def _usable_now(element: Element) -> bool:
    return element.visible and not element.disabled and not element.covered


def _within_control(element: Element, layout: Layout) -> bool:
    return any(one.role in ("button", "link") for one in layout.above(element))
