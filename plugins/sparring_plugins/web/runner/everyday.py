"""What everyday sentences need beyond one page: values kept, conditions of acts, frames, marks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from sparring.model.page import PageView
from sparring_plugins.language.quantities import first_number
from sparring_plugins.web.grammar.everyday.dates import find_date, today, write_forms
from sparring_plugins.web.grammar.steps import iter_targets
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.located import find_located, selector_of
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.pages.predicates import number_of
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.run_state import Views
from sparring_plugins.web.runner.weak_steps import Hands
from sparring_plugins.web.step import (
    AnyOf,
    Compared,
    Condition,
    Displayed,
    FieldHolds,
    Not,
    Reading,
    Recalled,
    Step,
    Target,
)

_ALONE: Final = frozenset({"remember", "switch_frame"})


@dataclass
class CaseMemory:
    """What a case keeps from step to step.

    `values` are the texts that were remembered by their names and by what they were read from,
    `frame` the frame that the case has switched to, `marked` the selectors that the page was asked
    for. `decisions` are the conditions of the sentence under way: "if 'a' is shown, click it,
    otherwise ..." is decided once, because the click may take 'a' away.
    """

    today: date | None = None
    values: dict[str, str] = field(default_factory=dict[str, str])
    frame: str | None = None
    marked: set[str] = field(default_factory=set[str])
    decisions: dict[Condition, bool] = field(default_factory=dict[Condition, bool])
    last_step: tuple[str, int] = ("", 0)

    # Marks

    def unmarked(self, step: Step) -> list[str]:
        """Return the selectors that a step names and the page was not asked for yet."""
        targets = [t for reading in step.readings for t in _targets(reading)]
        selectors = [s for target in targets if (s := selector_of(target)) is not None]
        new = [s for s in dict.fromkeys(selectors) if s not in self.marked]
        self.marked.update(new)
        return new

    # Frames

    def narrow(self, view: PageView) -> PageView:
        """Return a view with nothing but the frame that the case is in."""
        if self.frame is None:
            return view
        layout = Layout(view.snapshot)
        frames = [
            e for e in view.snapshot.elements if e.role == "iframe" and self._is_frame(e.id, layout)
        ]
        if len(frames) != 1:
            return view
        inside = tuple(
            e for e in view.snapshot.elements if e is frames[0] or layout.holds(frames[0], e)
        )
        return view.model_copy(
            update={"snapshot": view.snapshot.model_copy(update={"elements": inside})}
        )

    def _is_frame(self, identifier: str, layout: Layout) -> bool:
        element = layout.by_id[identifier]
        names = (
            element.name,
            element.title,
            *(element.attributes.get(n, "") for n in ("name", "id")),
        )
        return any(plain(name) == plain(self.frame or "") for name in names if name)

    def switch(self, reading: Reading, view: PageView) -> Judged:
        """Go into a frame or out of all; true if there is exactly one of that name."""
        kept, self.frame = self.frame, reading.value
        if reading.value is None:
            return Judged(truth=True, reason="back on the whole page")
        layout = Layout(view.snapshot)
        frames = [e for e in view.snapshot.elements if e.role == "iframe"]
        count = sum(self._is_frame(e.id, layout) for e in frames)
        if count == 1:
            return Judged(truth=True, reason=f"the frame '{reading.value}'")
        self.frame = kept
        names = ", ".join(f"'{e.name or e.attributes.get('id', '')}'" for e in frames[:5]) or "none"
        return Judged(reason=f"{count} frames are called '{reading.value}'; there are {names}")

    # Values

    def remember(self, reading: Reading, view: PageView) -> Judged:
        """Keep the number or the text of a target under its name."""
        target = reading.target or Target()
        value = read_value(target, VisibleContent(view))
        if value is None:
            return Judged(reason=f"there is no single value at '{target.text}'")
        for name in ("", plain(target.text), plain(reading.value or "")):
            self.values[name] = value
        return Judged(truth=True, reason=f"'{target.text}' is '{value}'", facts=(value,))

    def resolve(self, step: Step) -> Step:
        """Return a check or a wait with what was remembered, and with dates instead of marks."""
        if not any(reading.condition for reading in step.readings):
            return step
        readings = tuple(
            r.model_copy(update={"condition": self._resolve(r.condition)}) if r.condition else r
            for r in step.readings
        )
        if readings == step.readings:
            return step
        # What was remembered is known to the case alone: only plain rules decide it.
        update = {"readings": readings, "by": step.by or "memory"}
        return step.model_copy(update=update)

    def _resolve(self, condition: Condition) -> Condition:
        match condition:
            case Not():
                return condition.model_copy(
                    update={"condition": self._resolve(condition.condition)}
                )
            case Recalled():
                return self._recall(condition)
            case Compared() if condition.other and plain(condition.other.text) in self.values:
                value = self.values[plain(condition.other.text)]
                return condition.model_copy(update={"other": None, "number": value})
            case Displayed():
                return self._with_dates(condition, condition.target.text)
            case FieldHolds():
                return self._with_dates(condition, condition.text)
            case _:
                return condition

    def _recall(self, condition: Recalled) -> Condition:
        name = plain(condition.name) or plain(condition.target.text)
        value = self.values.get(name, self.values.get("") if not condition.name else None)
        number = first_number(value) if value is not None else None
        if value is None or (
            number is None and (condition.plus or condition.comparison not in _SAME)
        ):
            return condition
        if number is None:
            shown = Displayed(target=Target(text=value, region=condition.target.region))
            return shown if condition.comparison == "==" else Not(condition=shown)
        wanted = round(number + condition.plus, 6)
        return Compared(
            target=condition.target, comparison=condition.comparison, number=f"{wanted:g}"
            if abs(wanted) < 1e6 else f"{wanted:.2f}",
        )  # fmt: skip

    def _with_dates(self, condition: Displayed | FieldHolds, text: str) -> Condition:
        day = find_date(text, self.today or today())
        if day is None:
            return condition
        if isinstance(condition, FieldHolds):
            ways = [condition.model_copy(update={"text": form}) for form in write_forms(day)]
            return AnyOf(conditions=tuple(ways))
        target = condition.target
        shown = (target.model_copy(update={"text": form}) for form in write_forms(day))
        return AnyOf(conditions=tuple(Displayed(target=t) for t in shown))

    # Conditions of acts

    def begin(self, step: Step) -> None:
        """Forget what was decided, unless the step goes on with the same sentence."""
        sentence, number = self.last_step
        if not step.sentence or (step.sentence, step.number) != (sentence, number + 1):
            self.decisions.clear()
        self.last_step = (step.sentence, step.number)

    def decide(self, condition: Condition, view: PageView, before: tuple[PageView, ...]) -> Judged:
        """Return whether the condition of an act holds; a "not" goes by what was decided."""
        inner = condition.condition if isinstance(condition, Not) else condition
        judged = holds(inner, view, (), before)
        truth = self.decisions.get(inner, judged.truth)
        if truth is not None:
            self.decisions[inner] = truth
            truth = truth is not isinstance(condition, Not)
        return judged.model_copy(update={"truth": truth})


_SAME: Final = ("==", "!=")


def _targets(reading: Reading) -> Iterator[Target]:
    yield from iter_targets(reading)
    if reading.only_if is not None:
        yield from iter_targets(Reading(action="assert", condition=reading.only_if))


async def carry_out_alone(
    base: StepRecord, memory: CaseMemory, views: Views, hands: Hands
) -> StepRecord | None:
    """Remember a value, go into a frame, or skip an act whose condition is not met; else None."""
    memory.begin(base.step)
    reading = base.step.reading
    if reading is not None and reading.only_if is not None:
        return await _skip(base, reading, memory, views, hands)
    if reading is None or reading.action not in _ALONE or views.last is None:
        return None
    patience = hands.patience()
    while (judged := _keep(reading, memory, views)).truth is not True:
        if patience.is_over():
            return base.model_copy(update={"observed": judged, "reason": judged.reason})
        await hands.wait(patience)
    return base.model_copy(update={"outcome": "done", "observed": judged})


def _keep(reading: Reading, memory: CaseMemory, views: Views) -> Judged:
    view = views.last
    if view is None:
        return Judged(reason="there is no page")
    if reading.action == "switch_frame":
        return memory.switch(reading, view)
    return memory.remember(reading, memory.narrow(view))


async def _skip(
    base: StepRecord, reading: Reading, memory: CaseMemory, views: Views, hands: Hands
) -> StepRecord | None:
    """Return that an act is not done because its condition is not met; None if it is.

    If nobody can tell ("the cookie banner", without quotes), the act is done if it can be.
    """
    condition = reading.only_if
    patience = hands.patience()
    while condition is not None:
        task = hands.task()
        judged = memory.decide(condition, task.view, tuple(views.earlier))
        if judged.truth is None:
            ready = Planner(task.model_copy(update={"reading": reading})).plan()
            judged = judged.model_copy(update={"truth": True if ready.truth else None})
        if judged.truth is True:
            return None
        is_decided = isinstance(condition, Not) and condition.condition in memory.decisions
        if is_decided or patience.is_over():
            reason = f"not done, because its condition is not met: {judged.reason}"
            return base.model_copy(update={"outcome": "done", "observed": judged, "reason": reason})
        await hands.wait(patience)
    return None


def read_value(target: Target, content: VisibleContent) -> str | None:
    """Return the number, or else the text, that stands at a target; None if it is not one."""
    if target.by:
        visible = [e for e in content.view.snapshot.elements if e.visible]
        located = find_located(target, visible)
        return (located[0].value or located[0].text) if len(located) == 1 else None
    if (number := number_of(target, content)) is not None:
        return f"{number:.10g}"
    return _named_value(target, content) or _value_after_colon(target, content)


def _named_value(target: Target, content: VisibleContent) -> str | None:
    """Return what the one element of that name, or under that heading, holds or shows."""
    words = plain(target.text)
    named = (
        e
        for e in content.view.snapshot.elements
        if e.visible and words in (plain(e.label), plain(e.name), plain(e.column))
    )
    values = {e.value or e.text for e in named} - {""}
    values = {value for value in values if plain(value) != words}
    return values.pop() if len(values) == 1 else None


def _value_after_colon(target: Target, content: VisibleContent) -> str | None:
    """Return the text behind the name in a line such as ``Status: open``."""
    lines = (line.partition(":") for line in content.blocks)
    values = {value.strip() for name, _, value in lines if contains(target.text, name)} - {""}
    return values.pop() if len(values) == 1 else None
