"""Plans: how a step is carried out on a page by plain rules. Readiness and navigator share them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from typing import Literal

from sparring.model.page import Element, PageEventKind, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.everyday.dates import find_date, today, write_date
from sparring_plugins.web.pages.choice import Choice
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    entry_value,
    in_words,
    is_a,
    is_a_box,
    lies_behind_drawing,
    offers_choices,
    takes_clicks,
    takes_text,
    takes_values,
)
from sparring_plugins.web.pages.grounding import Fits, Grounding, ground
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.opposites import contradicts
from sparring_plugins.web.pages.partial_names import check_partial_name
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.words_in_text import aim_at_words, find_words
from sparring_plugins.web.roles import Candidate, PageTask
from sparring_plugins.web.step import Reading, Step, Target

#: Steps that act on the page or the tab as a whole.
_WHOLE_PAGE = frozenset(
    {
        "open",
        "back",
        "forward",
        "reload",
        "wait",
        "switch_tab",
        "close_tab",
        "answer_dialog",
        "new_tab",
        "screenshot",
    }
)
_PARTS_OF_ROWS = frozenset({"row", "cell", "gridcell", "rowheader", "text"})
_ANYWHERE = Target()
_LONGEST_NAME = 200
"""Characters of a text in which a place is looked for."""
#: Kinds whose words mean many things: "node", "entry", "cell".
_LOOSE_KINDS = frozenset({"treeitem", "listitem", "article", "option", "cell", "group", "figure"})
_FEWEST_PARTS = 3
"""From how many texts on something that takes clicks is a board, and no single control."""
_MOST_AROUND_BOX = 3
"""How many parts around a hidden box may be its label, or hold that."""
_ROW = re.compile(r"\b(?:row|line|entry|item|card|record)\b")
#: What a step may call an option of a list that it clicks on.
_CHOICES = (None, "option", "menuitem", "radio", "text")


_DIALOG_WORDS = re.compile(
    r"\b(?:prompt|dialog|dialogue|pop-?up|alert|question|confirmation)\b", re.I
)


def _lies_over(element: Element) -> bool:
    """Return whether an element is a dialog, by its role or by its class."""
    classes = element.attributes.get("class", "").lower().split()
    is_modal = element.role in ("dialog", "alertdialog") or "modal" in classes
    return element.visible and is_modal


def speaks_to_page(step: Step, reading: Reading, view: PageView) -> bool:
    """Return whether "Reply with 'x'" answers no dialog, but is entered into a field of the page.

    None has come up, and an empty field of several lines is in view.
    """
    if reading.action == "close_tab":
        # "Close the window" is that of the page which lies over it
        says_tab = re.search(r"\b(?:tab|browser)\b", step.text, re.I)
        return not says_tab and any(_lies_over(e) for e in view.snapshot.elements)
    if reading.action == "answer_dialog" and reading.value in ("accept", "dismiss"):
        return _is_offered(step, view)
    if reading.action != "answer_dialog" or reading.value is None:
        return False
    if _DIALOG_WORDS.search(step.text) or any(e.kind is PageEventKind.DIALOG for e in view.events):
        return False
    elements = view.snapshot.elements
    return any(e.visible and e.editable and e.tag != "input" and not e.value for e in elements)


def _is_offered(step: Step, view: PageView) -> bool:
    """Return whether a button of the page has the name of an answer: "Answer Cancel".

    No dialog of the browser has come up: the page draws its own.
    """
    if _DIALOG_WORDS.search(step.text) or any(e.kind is PageEventKind.DIALOG for e in view.events):
        return False
    said = {"".join(filter(str.isalnum, word)) for word in step.text.split()[1:]}
    buttons = [e for e in view.snapshot.elements if e.role == "button" and e.visible]
    return any((e.name or e.text).strip() in said for e in buttons)


@dataclass(frozen=True)
class Plan:
    """The acts for a step. `truth` is readiness: true with acts, false, or don't know.

    `tied` are the ids of equal candidates between which nothing on the page decides.
    """

    truth: bool | None
    acts: tuple[GuiAction, ...] = ()
    reason: str = ""
    elements: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    weak: str = ""
    tied: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planner:
    """Plans one step on one view.

    `twins` says what to do if a person, too, cannot tell apart the controls that fit equally well;
    `twin` is the id of the one to take, if that was found out otherwise.
    """

    task: PageTask
    twins: Literal["unsure", "first"] = "unsure"
    twin: str | None = None
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", Layout(self.task.view.snapshot))

    def plan(self) -> Plan:
        """Return the plan for the task's reading; don't know if the grammar has none."""
        reading = self.task.reading
        if reading is None:
            hints = [p for p in self.task.step.problems if p.startswith("is not understood;")]
            why = hints[0] if hints else "is no sentence of the grammar"
            return Plan(None, reason=f"'{self.task.step.text}' {why}")
        if reading.action in _WHOLE_PAGE:
            if speaks_to_page(self.task.step, reading, self.task.view):
                return Plan(None, reason="a field or a window of the page may be meant")
            act = GuiAction(action=reading.action, value=reading.value)
            return Plan(True, (act,), reason=f"{reading.action} needs no target")
        plans: dict[str, Callable[[Reading], Plan]] = {
            "fill": self._fill,
            "type": self._fill,
            "append": self._fill,
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
        grounding = self._ground(target, takes_clicks, prefer=self._prefer_buttons)
        if grounding.unusable is not None and not grounding.unusable.visible and target.text:
            visible = self._ground(_exact(target), _has_words)
            grounding = visible if visible.chosen else grounding
        if grounding.is_empty and target.text:
            # "Click the column header 'year'" selects no option 'year' in a list
            option = self._list_with_option(target.text) if target.role in _CHOICES else None
            if option is not None:
                return self._act("select", option, reading.explanation, value=target.text)
            anything = self._ground(_exact(target), _has_words)
            nothing_to_click = not any(
                e.visible and takes_clicks(e) for e in self.layout.snapshot.elements
            )
            found = nothing_to_click or not anything.is_empty
            grounding = self._within(anything) if found else grounding
        grounding = self._narrow_to_text(grounding, target)
        written = self._click_written(reading.action, grounding, target)
        return written or self._planned_by_name(reading.action, grounding, reading)

    def _click_written(self, action: str, grounding: Grounding, target: Target) -> Plan | None:
        """Return a click on words of a text if no control has them: "Click on the word 'lamp'"."""
        holder = find_words(self.task.step.text, target, self.layout)
        if holder is None or grounding.chosen is not None:
            return None
        reason = f"'{target.text}' is written in {in_words(holder)}"
        return self._act(action, holder, reason, value=target.text)

    def _narrow_to_text(self, grounding: Grounding, target: Target) -> Grounding:
        """Return the text that has the name within a board or drawing that takes all clicks.

        Its middle, on which a click would go, is any other thing: a diagram listens for its nodes.
        """
        chosen = grounding.chosen
        if chosen is None or not target.text or chosen.role not in VOCABULARY.sets["BOARD"]:
            return grounding  # the whole line of an entry of a tree unfolds it, its name is a link
        inner = [
            e for e in self.layout.snapshot.elements
            if e.role == "text" and e.visible and self.layout.holds(chosen, e)
        ]  # fmt: skip
        called = [e for e in inner if plain(e.text) == plain(target.text)]
        if len(called) != 1 or len(inner) < _FEWEST_PARTS:
            return grounding
        reason = f"{in_words(called[0])} within {in_words(chosen)}"
        return replace(grounding, chosen=called[0], reason=reason)

    def _within(self, grounding: Grounding) -> Grounding:
        """Return the only control within a column's heading: the heading itself takes no clicks."""
        chosen = grounding.chosen
        if chosen is None or takes_clicks(chosen) or chosen.role != "columnheader":
            return grounding
        inner = [
            e
            for e in self.layout.snapshot.elements
            if e.visible and takes_clicks(e) and (e.text or e.name) and self.layout.holds(chosen, e)
        ]
        if len(inner) != 1:
            return grounding
        return replace(grounding, chosen=inner[0], reason=f"{in_words(inner[0])} within it")

    def _fill(self, reading: Reading) -> Plan:
        target = reading.target or _ANYWHERE
        grounding = self._ground(target, takes_values, usable=self._is_entry_usable)
        if grounding.is_empty:
            choices = self._ground(target, offers_choices)
            if choices.chosen:
                return self._act("select", choices.chosen, choices.reason, value=reading.value)
        if not target.text and grounding.chosen is None and (focused := self._find_focused()):
            return self._act(reading.action, focused, "the field in focus", value=reading.value)
        return self._build_plan(reading.action, grounding, reading)

    def _select(self, reading: Reading) -> Plan:
        """Select an option of a list; else a radio button, a box or an item with its name."""
        value, target = reading.value or "", reading.target
        grounding = Grounding()
        if target is not None and (target.text or target.role):
            for fits in (_with_option(value), offers_choices):
                grounding = self._ground(target, fits)
                substitute = grounding.unusable and self._substitute(grounding.unusable)
                if substitute:
                    return self._act("select", substitute, "shown in the list's place", value=value)
                if not grounding.is_empty:
                    return self._build_plan("select", grounding, reading)
        return self._select_by_label(reading, value, grounding)

    def _select_by_label(self, reading: Reading, value: str, missing_list: Grounding) -> Plan:
        """Select `value` somewhere on the page, though the step's list was not found."""
        place = reading.target or _ANYWHERE
        option = None if place.text else self._list_with_option(value)
        if option is not None:
            return self._act("select", option, f"the list with '{value}'", value=value)
        item = Target(text=value, row=place.row, region=place.text or place.region)
        boxes = self._ground(item, is_a_box, usable=self._is_box_usable)
        if boxes.chosen:
            return self._act("check", boxes.chosen, boxes.reason)
        if not boxes.is_empty:
            return self._build_plan("check", boxes, reading)
        # "Choose 'Search'" in a menu is not the field 'Search' that lies under the menu
        items = self._ground(item, lambda e: takes_clicks(e) and not takes_text(e))
        if items.is_empty:
            items = self._ground(item, takes_clicks)
        if items.is_empty:
            items = self._ground(_exact(item), _has_words)
        if items.is_empty and place.text:  # the list that is named is missing: take no other
            return self._build_plan("select", missing_list, reading)
        if box := self._box_of_row(items.chosen):
            return self._act("check", box, f"the only box of the row '{value}'")
        return self._build_plan("click", items, reading, value=None)

    def _box_of_row(self, chosen: Element | None) -> Element | None:
        """Return the only box of a row or cell: "Select 'Oak'" in a table with boxes ticks it."""
        if chosen is None or chosen.role not in _PARTS_OF_ROWS:
            return None
        rows = [e for e in (chosen, *self.layout.above(chosen)) if e.role == "row"][:1]
        inside = [e for row in rows for e in self.layout.snapshot.elements
                  if e.role == "checkbox" and self.layout.holds(row, e)]  # fmt: skip
        return inside[0] if len(inside) == 1 and self._is_box_usable(inside[0]) else None

    def _substitute(self, hidden: Element) -> Element | None:
        """Return what a page draws instead of a list that it hides: the next control beside it."""
        if hidden.visible or not hidden.options:
            return None
        index = self.layout.order[hidden.id]
        holders = {holder.id for holder in self.layout.above(hidden)}
        for element in self.layout.snapshot.elements[index + 1 :]:
            if hidden.parent not in {holder.id for holder in self.layout.above(element)}:
                return None
            if element.visible and element.id not in holders and takes_clicks(element):
                return element
        return None

    def _list_with_option(self, label: str) -> Element | None:
        """Return the only visible list that has the option."""
        lists = [
            e
            for e in self.layout.snapshot.elements
            if e.visible and any(plain(o.label) == plain(label) for o in e.options)
        ]
        return lists[0] if len(lists) == 1 else None

    def _box(self, reading: Reading) -> Plan:
        grounding = self._ground(reading.target or _ANYWHERE, is_a_box, usable=self._is_box_usable)
        return self._planned_by_name(reading.action, grounding, reading, value=None)

    def _press(self, reading: Reading) -> Plan:
        target = reading.target
        if target is None or not (target.text or target.role):
            act = GuiAction(action="press", value=reading.value)
            return Plan(True, (act,), reason="the key goes to what is in focus")
        grounding = self._ground(target, lambda e: takes_text(e) or takes_clicks(e))
        return self._build_plan("press", grounding, reading)

    def _scroll(self, reading: Reading) -> Plan:
        target = reading.target
        if target is None or not (target.text or target.role):
            act = GuiAction(action="scroll", value=reading.value)
            return Plan(True, (act,), reason="the page is scrolled")
        grounding = self._ground(target, lambda e: e.role != "document", usable=lambda e: e.visible)
        return self._build_plan("scroll", grounding, reading)

    def _hover(self, reading: Reading) -> Plan:
        grounding = self._ground(
            reading.target or _ANYWHERE,
            lambda e: takes_clicks(e) or bool(e.text) or bool(e.name),
            usable=lambda e: e.visible and not e.covered,
        )
        return self._build_plan("hover", grounding, reading, value=None)

    def _upload(self, reading: Reading) -> Plan:
        files = [e for e in self.layout.snapshot.elements if e.input_type == "file"]
        target = reading.target or _ANYWHERE
        if len(files) == 1 and not files[0].disabled:
            return self._act("upload", files[0], "the only field for files", value=reading.value)
        grounding = self._ground(
            target, lambda e: e.input_type == "file", usable=lambda e: not e.disabled
        )
        return self._build_plan("upload", grounding, reading)

    def _drag(self, reading: Reading) -> Plan:
        start = self._ground(reading.target or _ANYWHERE, _has_words)
        end = self._ground(reading.destination or _ANYWHERE, _has_words)
        if start.chosen is None:
            return self._build_plan("drag", start, reading)
        if end.chosen is None:
            return self._build_plan("drag", end, reading)
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
        preference = prefer or self._prefer_last_form
        choice = Choice(self.layout, self.task.acts)
        target = self._without_absent_kind(target)
        grounding = ground(
            target, self.layout, fits, prefer=preference, usable=usable, choice=choice
        )
        if grounding.chosen is None and self._names_unknown_place(target):
            # "the 'filter' field of the palette", of which the page has one, and no such word
            bare = target.model_copy(update={"region": None, "row": None})
            anywhere = ground(
                bare, self.layout, fits, prefer=preference, usable=usable, choice=choice
            )
            if anywhere.chosen is not None and len(anywhere.candidates) == 1:
                note = f"; no part of the page is known as '{target.region or target.row}'"
                return replace(anywhere, reason=f"{anywhere.reason}{note}")
        return self._take_twin(grounding)

    def _is_box_usable(self, element: Element) -> bool:
        """Return whether a box can be checked: it may be hidden behind its styled label.

        In a dialog that is closed the label is hidden as well.
        """
        size = element.box is not None and min(element.box.width, element.box.height) >= 8
        named = bool(element.label or element.name)
        around = list(islice(self.layout.above(element), _MOST_AROUND_BOX))
        labelled = named and (not around or any(holder.visible for holder in around))
        return not element.disabled and (element.visible or size or labelled)

    def _is_entry_usable(self, element: Element) -> bool:
        """Return whether a field takes a value; a slider may be hidden behind a drawn one."""
        is_shown = element.visible and not (element.disabled or element.covered)
        return is_shown or lies_behind_drawing(element)

    def _without_absent_kind(self, target: Target) -> Target:
        """Return a target without a kind of which the page has nothing: "the node 'Oak'".

        What applications call a node, tile or entry is seldom one as browsers understand it.
        """
        if not target.quoted or not target.text or target.role not in _LOOSE_KINDS:
            return target
        elements = self.layout.snapshot.elements
        is_there = any(e.visible and is_a(e, target.role) for e in elements)
        return target if is_there else target.model_copy(update={"role": None})

    def _names_unknown_place(self, target: Target) -> bool:
        """Return whether a place beside a name in quotes is called so by nothing on the page.

        A thing that is meant by its row is never left out: of "'Delete' in the row of oak" another
        'Delete' would be taken.
        """
        place = target.region or target.row
        if not place or not target.quoted or (target.region and target.row):
            return False
        said = self.task.step.text
        if (
            not re.fullmatch(r"[a-z -]+", place)
            or _ROW.search(said)
            or re.search(rf"[\"'“‘]{re.escape(place)}", said)
        ):
            return False
        wanted = plain(place)
        return not any(
            wanted in plain(text)
            for element in self.layout.snapshot.elements
            if element.visible
            for text in (element.name, element.text[:_LONGEST_NAME])
        )

    def _take_twin(self, grounding: Grounding) -> Grounding:
        tied = {candidate.element: candidate for candidate in grounding.tied}
        if self.twin not in tied:
            return grounding
        chosen = self.layout.by_id[self.twin]
        return replace(grounding, chosen=chosen, tied=(), reason=tied[self.twin].reason)

    def _prefer_buttons(self, element: Element) -> float:
        """Prefer a button to the field beside it that has its name: 'Search'."""
        return self._prefer_last_form(element) + 2.0 * (not takes_text(element))

    def _prefer_last_form(self, element: Element) -> float:
        """Prefer what is in the form that was filled in last: its 'Login', not that of the menu."""
        targets = (self.layout.by_id.get(act.target or "") for act in reversed(self.task.acts))
        filled = (e for e in targets if e and (takes_text(e) or is_a_box(e) or offers_choices(e)))
        last = next(filled, None)
        if last is None:
            return 0.0
        form = self.layout.form_of(last)
        return 1.0 if form is not None and self.layout.form_of(element) == form else 0.0

    def _find_focused(self) -> Element | None:
        focused = [e for e in self.layout.snapshot.elements if e.focused and takes_text(e)]
        return focused[0] if len(focused) == 1 else None

    def _planned_by_name(
        self, action: str, grounding: Grounding, reading: Reading, value: str | None = ""
    ) -> Plan:
        """Return the plan for what was grounded, unless only a part of its name was given."""
        if grounding.chosen is None or grounding.all or reading.target is None:
            return self._build_plan(action, grounding, reading, value)
        opposite = (
            "" if reading.target.quoted else contradicts(self.task.step.text, grounding.chosen)
        )
        if opposite:  # "Show the sidebar" does not mean 'Hide sidebar'
            why = f"{in_words(grounding.chosen)} says the opposite: '{opposite}'"
            return Plan(None, (), why, (grounding.chosen.id,), grounding.candidates)
        partial = check_partial_name(reading.target, grounding, self.layout)
        if partial.refusal:
            ids = tuple(candidate.element for candidate in grounding.candidates)
            return Plan(None, (), partial.refusal, ids, grounding.candidates)
        plan = self._build_plan(action, grounding, reading, value)
        acts = tuple(aim_at_words(act, reading.target, grounding.chosen) for act in plan.acts)
        reason, weak = f"{plan.reason}{partial.note}", partial.note.strip("; ")
        return replace(plan, acts=acts, reason=reason, weak=weak)

    def _build_plan(
        self, action: str, grounding: Grounding, reading: Reading, value: str | None = ""
    ) -> Plan:
        """Return the plan for what was grounded; `value` replaces the reading's if it is not ""."""
        if self.twins == "first":
            grounding = self._choose_first_twin(grounding)
        if grounding.chosen is None:
            meant = grounding.unusable
            ids = (meant.id,) if meant else tuple(tied.element for tied in grounding.tied)
            truth = False if meant else None
            tied = tuple(candidate.element for candidate in grounding.tied)
            return Plan(truth, (), grounding.reason, ids, grounding.candidates, tied=tied)
        sent = reading.value if value == "" else value
        elements = grounding.all or (grounding.chosen,)
        day = find_date(sent, self.task.today or today()) if sent else None
        acts = tuple(
            GuiAction(
                action=action,
                target=element.id,
                value=_date_for(day, element)
                if day
                else entry_value(sent, element)
                if sent
                else sent,
                described=in_words(element),
            )
            for element in elements
        )
        ids = tuple(element.id for element in elements)
        return Plan(True, acts, grounding.reason, ids, grounding.candidates)

    def _choose_first_twin(self, grounding: Grounding) -> Grounding:
        """Choose the first of several elements that look the same; change nothing otherwise."""
        tied = [self.layout.by_id[candidate.element] for candidate in grounding.tied]
        if len({_appearance(element) for element in tied}) != 1:
            return grounding
        reason = f"{in_words(tied[0])}, the first of {len(tied)} that look the same"
        return replace(grounding, chosen=tied[0], tied=(), reason=reason)

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


def _date_for(day: date, element: Element) -> str:
    """Write a date as a field takes it: its own kind, or as its placeholder or label says."""
    if element.input_type in ("date", "datetime-local", "month", "week"):
        written = {"datetime-local": "%Y-%m-%dT00:00", "month": "%Y-%m", "week": "%G-W%V"}
        return day.strftime(written.get(element.input_type, "%Y-%m-%d"))
    pattern = element.attributes.get("pattern", "")
    hints = (element.placeholder, element.title, element.description, element.label)
    return write_date(day, *hints, element.adjacent, pattern)


def _appearance(element: Element) -> tuple[object, ...]:
    """Return all by which a person tells a control from another one, except its position."""
    texts = (element.name, element.text, element.label, element.value, element.placeholder)
    places = (element.row, element.column, element.region, element.adjacent)
    return (element.role, *texts, *places, element.url)


def _exact(target: Target) -> Target:
    """Ask for the whole text: "Click on 'x'" does not mean "Click on the x to close it"."""
    return target.model_copy(update={"exact": True})


def _has_words(element: Element) -> bool:
    """Return whether it has a text or a name: anything that can be seen may take a click."""
    return element.role != "document" and bool(element.text or element.name)


def _with_option(label: str) -> Fits:
    """Return a test for lists with this option."""
    return lambda element: any(plain(option.label) == plain(label) for option in element.options)
