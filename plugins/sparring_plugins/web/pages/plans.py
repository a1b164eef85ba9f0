"""How a step is carried out on a page by plain rules: what readiness and navigator share."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.control_kinds import (
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
    takes_values,
)
from sparring_plugins.web.pages.grounding import Fits, Grounding, ground
from sparring_plugins.web.pages.native_values import native_value
from sparring_plugins.web.pages.places import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles.page_agents import Candidate, PageTask
from sparring_plugins.web.roles.step import Reading, Target

#: Steps that act on the page or the tab as a whole.
_WHOLE_PAGE = frozenset(
    {"open", "back", "forward", "reload", "wait", "switch_tab", "close_tab", "answer_dialog"}
)
_ANYWHERE = Target()


@dataclass(frozen=True)
class Plan:
    """What to do for a step. `truth` is readiness: true with acts, false, or don't know."""

    truth: bool | None
    acts: tuple[GuiAction, ...] = ()
    reason: str = ""
    elements: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Planner:
    """Plans one step on one view.

    `twins` says what to do where the controls that fit equally well can't be told apart by a
    person either.
    """

    task: PageTask
    twins: Literal["unsure", "first"] = "unsure"
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", Layout(self.task.view.snapshot))

    def plan(self) -> Plan:
        """The plan for the task's reading; don't know where the grammar has none."""
        reading = self.task.reading
        if reading is None:
            return Plan(None, reason=f"'{self.task.step.text}' is no sentence of the grammar")
        if reading.action in _WHOLE_PAGE:
            act = GuiAction(action=reading.action, value=reading.value)
            return Plan(True, (act,), reason=f"{reading.action} needs no target")
        plans: dict[str, Callable[[Reading], Plan]] = {
            "fill": self._fill,
            "type": self._fill,
            "select": self._select,
            "check": self._box,
            "uncheck": self._box,
            "press": self._press,
            "scroll": self._scroll,
            "upload": self._upload,
            "drag": self._drag,
            "hover": self._hover,
        }
        return plans.get(reading.action, self._click)(reading)

    # Each kind of action

    def _click(self, reading: Reading) -> Plan:
        target = reading.target or _ANYWHERE
        found = self._ground(target, takes_clicks, prefer=self._pressed_rather)
        if found.unusable is not None and not found.unusable.visible and target.text:
            shown = self._ground(_whole(target), _has_words)
            found = shown if shown.chosen else found
        if _empty(found) and target.text:
            option = self._native_option(target.text)
            if option is not None:
                return self._act("select", option, reading.explanation, value=target.text)
            anything = self._ground(_whole(target), _has_words)
            nothing_to_click = not any(
                e.visible and takes_clicks(e) for e in self.layout.snapshot.elements
            )
            found = anything if nothing_to_click or not _empty(anything) else found
        return self._planned(reading.action, found, reading)

    def _fill(self, reading: Reading) -> Plan:
        target = reading.target or _ANYWHERE
        found = self._ground(target, takes_values)
        if _empty(found):
            other = self._ground(target, offers_choices)
            if other.chosen:
                return self._act("select", other.chosen, other.reason, value=reading.value)
        if not target.text and found.chosen is None and (focused := self._focused()):
            return self._act(reading.action, focused, "the field in focus", value=reading.value)
        return self._planned(reading.action, found, reading)

    def _select(self, reading: Reading) -> Plan:
        """An option of a list; else a radio button, a box or an item so called."""
        value, target = reading.value or "", reading.target
        named_list = bool(target and target.text)
        found = Grounding()
        if target is not None and (target.text or target.role):
            for fits in (_with_option(value), offers_choices):
                found = self._ground(target, fits)
                shown = found.unusable and self._shown_instead(found.unusable)
                if shown:
                    return self._act("select", shown, "shown in the list's place", value=value)
                if found.chosen or found.tied or found.unusable:
                    return self._planned("select", found, reading)
        option = None if named_list else self._native_option(value)
        if option is not None:
            return self._act("select", option, f"the list with '{value}'", value=value)
        place = target or _ANYWHERE
        named = Target(text=value, row=place.row, region=place.text or place.region)
        boxes = self._ground(named, is_a_box, usable=_box_usable)
        if boxes.chosen:
            return self._act("check", boxes.chosen, boxes.reason)
        if boxes.tied or boxes.unusable:
            return self._planned("check", boxes, reading)
        items = self._ground(named, takes_clicks)
        if _empty(items):
            items = self._ground(_whole(named), _has_words)
        if _empty(items) and named_list:  # not in another list: the one that is named is missing
            return self._planned("select", found, reading)
        return self._planned("click", items, reading, value=None)

    def _shown_instead(self, hidden: Element) -> Element | None:
        """What a page draws in the place of a list that it hides: the next control beside it."""
        if hidden.visible or not hidden.options:
            return None
        place = self.layout.order[hidden.id]
        holders = {one.id for one in self.layout.above(hidden)}
        for one in self.layout.snapshot.elements[place + 1 :]:
            if hidden.parent not in {holder.id for holder in self.layout.above(one)}:
                return None
            if one.visible and one.id not in holders and takes_clicks(one):
                return one
        return None

    def _native_option(self, label: str) -> Element | None:
        lists = [
            e
            for e in self.layout.snapshot.elements
            if e.visible and any(plain(o.label) == plain(label) for o in e.options)
        ]
        return lists[0] if len(lists) == 1 else None

    def _box(self, reading: Reading) -> Plan:
        found = self._ground(reading.target or _ANYWHERE, is_a_box, usable=_box_usable)
        return self._planned(reading.action, found, reading, value=None)

    def _press(self, reading: Reading) -> Plan:
        target = reading.target
        if target is None or not (target.text or target.role):
            act = GuiAction(action="press", value=reading.value)
            return Plan(True, (act,), reason="the key goes to what is in focus")
        found = self._ground(target, lambda e: takes_text(e) or takes_clicks(e))
        return self._planned("press", found, reading)

    def _scroll(self, reading: Reading) -> Plan:
        target = reading.target
        if target is None or not (target.text or target.role):
            act = GuiAction(action="scroll", value=reading.value)
            return Plan(True, (act,), reason="the page is scrolled")
        found = self._ground(target, lambda e: e.role != "document", usable=lambda e: e.visible)
        return self._planned("scroll", found, reading)

    def _hover(self, reading: Reading) -> Plan:
        found = self._ground(
            reading.target or _ANYWHERE,
            lambda e: takes_clicks(e) or bool(e.text) or bool(e.name),
            usable=lambda e: e.visible and not e.covered,
        )
        return self._planned("hover", found, reading, value=None)

    def _upload(self, reading: Reading) -> Plan:
        files = [e for e in self.layout.snapshot.elements if e.input_type == "file"]
        target = reading.target or _ANYWHERE
        if len(files) == 1 and not files[0].disabled:
            return self._act("upload", files[0], "the only field for files", value=reading.value)
        found = self._ground(
            target, lambda e: e.input_type == "file", usable=lambda e: not e.disabled
        )
        return self._planned("upload", found, reading)

    def _drag(self, reading: Reading) -> Plan:
        def movable(element: Element) -> bool:
            return bool(element.text or element.name) and element.role != "document"

        start = self._ground(reading.target or _ANYWHERE, movable)
        end = self._ground(reading.destination or _ANYWHERE, movable)
        if start.chosen is None:
            return self._planned("drag", start, reading)
        if end.chosen is None:
            return self._planned("drag", end, reading)
        act = GuiAction(
            action="drag",
            target=start.chosen.id,
            destination=end.chosen.id,
            described=f"{in_words(start.chosen)} to {in_words(end.chosen)}",
        )
        ids = (start.chosen.id, end.chosen.id)
        return Plan(True, (act,), f"{start.reason}; {end.reason}", ids, start.candidates)

    # What they share

    def _ground(
        self,
        target: Target,
        fits: Fits,
        usable: Fits | None = None,
        prefer: Callable[[Element], float] | None = None,
    ) -> Grounding:
        likelier = prefer or self._near_last
        return ground(target, self.layout, fits, prefer=likelier, usable=usable)

    def _pressed_rather(self, element: Element) -> float:
        """A button rather than the field beside it that has its name."""
        return self._near_last(element) + 2.0 * (not takes_text(element))

    def _near_last(self, element: Element) -> float:
        """Something in the form that was filled in just before is likelier meant."""
        known = (self.layout.by_id.get(act.target or "") for act in reversed(self.task.acts))
        filled = (e for e in known if e and (takes_text(e) or is_a_box(e) or offers_choices(e)))
        last = next(filled, None)
        if last is None:
            return 0.0
        form = self.layout.form_of(last)
        return 1.0 if form is not None and self.layout.form_of(element) == form else 0.0

    def _focused(self) -> Element | None:
        focused = [e for e in self.layout.snapshot.elements if e.focused and takes_text(e)]
        return focused[0] if len(focused) == 1 else None

    def _planned(
        self, action: str, found: Grounding, reading: Reading, value: str | None = ""
    ) -> Plan:
        found = self._first_of_twins(found) if self.twins == "first" else found
        if found.chosen is None:
            meant = found.unusable
            ids = (meant.id,) if meant else tuple(one.element for one in found.tied)
            truth = False if meant else None
            return Plan(truth, (), found.reason, ids, found.candidates)
        sent = reading.value if value == "" else value
        acts = tuple(
            GuiAction(
                action=action,
                target=one.id,
                value=native_value(sent, one.input_type) if sent else sent,
                described=in_words(one),
            )
            for one in found.all or (found.chosen,)
        )
        ids = tuple(one.target or "" for one in acts)
        return Plan(True, acts, found.reason, ids, found.candidates)

    def _first_of_twins(self, found: Grounding) -> Grounding:
        """The first of several that look the same; the grounding as it is where they do not."""
        tied = [self.layout.by_id[one.element] for one in found.tied]
        if len({_looks(one) for one in tied}) != 1:
            return found
        reason = f"{in_words(tied[0])}, the first of {len(tied)} that look the same"
        return replace(found, chosen=tied[0], tied=(), reason=reason)

    def _act(
        self,
        action: str,
        element: Element,
        reason: str,
        *,
        value: str | None = None,
    ) -> Plan:
        act = GuiAction(action=action, target=element.id, value=value, described=in_words(element))
        return Plan(True, (act,), reason, (element.id,))


def _empty(found: Grounding) -> bool:
    return found.chosen is None and found.unusable is None and not found.tied


def _looks(element: Element) -> tuple[object, ...]:
    """What a person has to tell a control from another one, but for where it is."""
    said = (element.name, element.text, element.label, element.value, element.placeholder)
    where = (element.row, element.column, element.region, element.adjacent)
    return (element.role, *said, *where, element.url)


def _whole(target: Target) -> Target:
    """Of a text that is no control, the words must be all: a paragraph that has them is not it."""
    return target.model_copy(update={"exact": True})


def _has_words(element: Element) -> bool:
    """Anything that can be seen and is called something may take a click."""
    return element.role != "document" and bool(element.text or element.name)


def _with_option(label: str) -> Fits:
    """Lists with this option."""
    return lambda element: any(plain(option.label) == plain(label) for option in element.options)


def _box_usable(element: Element) -> bool:
    """A box may be hidden behind its styled label, or be a place without looks of its own."""
    size = element.box is not None and min(element.box.width, element.box.height) >= 8
    named = bool(element.label or element.name)
    return not element.disabled and (element.visible or named or size)
