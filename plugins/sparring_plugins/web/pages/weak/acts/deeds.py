"""Plans for a deed on a thing: find its control, open what it lies in, fill in what comes up.

"Share the folder Plans with Ada, read only" may be a button *Share* in the row of Plans, in the
menu of that row, or on the page of Plans, and a form that comes up behind it. No wording is known
here: the control is the one whose name the sentence has, the form takes the values that are left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.deed_parts import Deed, DeedPart
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, word_similarity
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
    takes_values,
)
from sparring_plugins.web.pages.layout import DIALOGS, Layout
from sparring_plugins.web.pages.opposites import contradicts
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.acts.deed_values import assign_values
from sparring_plugins.web.pages.weak.acts.form_plans import is_search
from sparring_plugins.web.pages.weak.acts.form_values import Entry
from sparring_plugins.web.pages.weak.acts.records_named import NamedRecord, RecordFinder
from sparring_plugins.web.pages.weak.acts.returning import return_to
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan
from sparring_plugins.web.roles import PageTask

_SAME = 0.75
_MOST_CARRIERS = 3
_MANY = 2
_EXACT = 0.95
_HALF = 0.5
_WAYS = frozenset({"link", "tab", "menuitem"})
_BACK = frozenset({"the", "a", "an", "back", "page", "my", "your", "again", "now", "new", "all"})
_MOST_BARE = 2
"""How many words the sentence may lack beside a verb: 'Close ticket' of "Close 1040"."""


@dataclass
class DeedState:
    """What was done for a deed so far, by the ids of the elements."""

    name: str = ""
    menus: set[str] = field(default_factory=set[str])
    visited: bool = False
    carrier: Element | None = None
    opened: str = ""
    used: set[str] = field(default_factory=set[str])
    seen: frozenset[str] = frozenset()
    done: bool = False

    def know(self, elements: Sequence[Element]) -> None:
        """Keep what is in view, to know what comes up behind an act."""
        self.seen = frozenset(_sign(e) for e in elements)


def _sign(element: Element) -> str:
    """Return what tells an element from others, also if the page draws all anew at each click."""
    name = element.name or element.label or element.text
    return f"{element.role}|{name}|{element.row[:60]}|{element.input_type}"


class DeedPlanner:
    """Plans the next act of a deed on one view."""

    def __init__(self, task: PageTask, deed: Deed, state: DeedState) -> None:
        self.task = task
        self.deed = deed
        self.state = state
        self.layout = Layout(task.view.snapshot)

    @cached_property
    def record(self) -> NamedRecord | None:
        """The row or card that the sentence names, if one is in view."""
        return self.finder.find(self.deed)

    @cached_property
    def finder(self) -> RecordFinder:
        """What finds the records of this view."""
        return RecordFinder(self.layout)

    @cached_property
    def controls(self) -> list[Element]:
        """What can be clicked on; in an open dialog only what it holds."""
        able = [e for e in self._visible() if _may_carry(e)]
        dialogs = [e for e in self._visible() if e.role in DIALOGS]
        if not dialogs:
            return able
        return [e for e in able if any(self.layout.holds(d, e) for d in dialogs)]

    def _visible(self) -> list[Element]:
        return [e for e in self.layout.snapshot.elements if e.visible and not e.disabled]

    def next_acts(self, *, sends: bool) -> WeakPlan:
        """Return the next acts of the deed, which may be its last ones; none if nothing fits."""
        if self.record is not None and not self.state.name:
            self.state.name = self.record.name
        if self.state.opened or self.state.carrier is not None:
            return self._go_on(sends=sends)
        if carried := self._click_carrier():
            return carried
        if self.state.visited and (filled := self._fill_new(sends=sends, named=True)).acts:
            return filled
        if (way := return_to(self.task, self.deed)) is not None:
            self.state.done = True
            return way
        return self._open_menu() or self._open_record() or self._edit()

    def _go_on(self, *, sends: bool) -> WeakPlan:
        """Return what comes behind the control that was clicked on: its form, or another control.

        "Under Safety lock the door": what was clicked on first led to the place alone.
        """
        filled = self._fill_new(sends=sends)
        if filled.acts or self.state.done or self.state.carrier is None:
            return filled
        is_enough = len(self.state.used) >= _MOST_CARRIERS
        return filled if is_enough else self._click_carrier() or filled

    def is_sure(self) -> bool:
        """Return whether the record that is named has the control or a menu, or a form its values.

        "Add a note saying it leaks" fills in the field beside *Add note* before that is pressed.
        """
        carrier = self._carrier()
        if self.record is not None:
            self.state.name = self.record.name
            return carrier is not None or len(self._menus()) == 1 or self._gives_much()
        if carrier is None:
            return False
        whole = len(self._own_words(carrier)) > 1 and self._names_verb(carrier) == 1.0
        return self._fill_beside(carrier) is not None or (whole and self._gives_much())

    def _gives_much(self) -> bool:
        """Return whether there are values enough for a form that is not in view."""
        own = {id(e) for e in self._fields() if self._is_held(e)}
        values = [p for p in self.deed.values_without(self.state.name) if p.value]
        return len(values) >= _MANY and not own

    def enter_here(self) -> WeakPlan:
        """Return entries of all that a sentence names in the form that is in view."""
        if self.deed.verbs[:1] and self.deed.verbs[0] not in FREE.plain_verbs:
            return WeakPlan(reason="it does something else")
        parts = self.deed.values_without("")
        if len(parts) < _MANY and self.deed.verbs:
            return WeakPlan(reason="one value is entered by its field")
        entries = assign_values(parts, self._fields(), named=True)
        if not entries or len(entries) != len(parts):
            return WeakPlan(reason="no form takes all its values")
        return self._enter(entries, None)

    # The control

    def _click_carrier(self) -> WeakPlan | None:
        carrier = self._carrier()
        if carrier is None:
            return None
        ahead = self._fill_beside(carrier)
        if ahead is not None or self._leaves_values(carrier):
            return ahead
        self.state.carrier = carrier
        self.state.used.add(plain(_name(carrier)))
        self.state.know(self._visible())
        return self._click(carrier, "its name is in the sentence")

    def _carrier(self) -> Element | None:
        """Return the one control that the sentence names: by its verb, else by all of its name."""
        able = [e for e in self._in_reach() if not self._is_barred(e)]
        able = [e for e in able if plain(_name(e)) not in self.state.used]
        for fits in (self._names_verb, self._is_named_whole, self._leads_there):
            scored = [(fits(e), e) for e in able]
            best = max((score for score, _ in scored), default=0.0)
            chosen = [e for score, e in scored if score == best and score > 0]
            if chosen:
                return self._one_of(chosen)
        return None

    def _in_reach(self) -> list[Element]:
        """Return the controls of the record that is named, and those of no record.

        What came up behind a menu belongs to the record whose menu it is.
        """
        if self.state.menus:
            return [e for e in self.controls if _sign(e) not in self.state.seen or self._is_held(e)]
        if self.record is not None and not self.state.visited:
            return [e for e in self.controls if self._is_held(e)]
        return [e for e in self.controls if not e.row or not self.state.name]

    def _is_held(self, element: Element) -> bool:
        return self.record is not None and self.finder.holds(self.record, element)

    def _one_of(self, elements: Sequence[Element]) -> Element | None:
        inner = [e for e in elements if not any(self.layout.holds(e, o) for o in elements)]
        names = {plain(_name(e)) for e in inner}
        if len(inner) == 1:
            return inner[0]
        # of two copies of a book that can be lent either one will do, but none to be deleted
        is_grave = any(_has(split_words(_name(e)), w) for e in inner for w in VOCABULARY.grave)
        return inner[0] if len(names) == 1 and self._is_held(inner[0]) and not is_grave else None

    def _is_barred(self, element: Element) -> bool:
        """Return whether a control does the opposite, or takes something away unasked."""
        words = split_words(_name(element))
        grave = [w for w in words if w in VOCABULARY.grave]
        asked = all(_has(self.deed.words, w) for w in grave)
        return bool(contradicts(self.deed.text, element)) or not asked

    def _names_verb(self, element: Element) -> float:
        """Return how much of a control's name the sentence has, if its verb is in it."""
        words = self._own_words(element)
        if not words or not any(_has(words[:2], verb) for verb in self.deed.verbs):
            return 0.0
        held = sum(_has(self.deed.words, word) for word in words)
        return held / len(words) if len(words) - held < _MOST_BARE else 0.0

    def _is_named_whole(self, element: Element) -> float:
        """Return the number of words of a control if the sentence has them all.

        One word alone may be any: it has to be a place ("Under Extras, add a cot").
        """
        words = [w for w in self._own_words(element) if w not in FREE.stop or w == "new"]
        if not words or not all(_has(self.deed.words, word) for word in words):
            return 0.0
        place = self.deed.parts[0] if self.deed.parts else None
        is_place = place is not None and place.joint in ("under", "in", "on")
        named = plain(place.value) if place is not None and is_place else ""
        if len(words) == 1 and named != plain(words[0]):
            return 0.0
        return float(len(words))

    def _leads_there(self, element: Element) -> float:
        """Return how much of a link's name is where a sentence goes to.

        "Go back to the register of boats": words that say nothing elsewhere are a name here.
        """
        goes = bool(self.deed.verbs) and self.deed.verbs[0] in FREE.leading
        words = split_words(_name(element))
        if not goes or not words or element.row or element.role not in _WAYS:
            return 0.0
        said = [w for part in self.deed.parts for w in (*part.words, *split_words(part.value))]
        nouns = [w for w in said if w not in FREE.leading and w not in _BACK]
        held = sum(any(word_similarity(n, w) >= _EXACT for n in nouns) for w in words)
        return held / len(words) if held / len(words) >= _HALF else 0.0

    def _own_words(self, element: Element) -> tuple[str, ...]:
        """Return the words of a control's name without those of the record: 'Edit boat Wren'."""
        named = set(split_words(self.state.name))
        return tuple(w for w in split_words(_name(element)) if w not in named)

    # What it lies in

    def _open_menu(self) -> WeakPlan | None:
        """Return a click on the menu of the record that is named."""
        if self.record is None or self.state.visited or self.state.menus:
            return None
        held = self._menus()
        if len(held) != 1:
            return None
        self.state.menus.add(held[0].id)
        self.state.know(self._visible())
        return self._click(held[0], f"it is the menu of '{self.state.name}'")

    def _menus(self) -> list[Element]:
        held = [e for e in self.controls if self._is_held(e) and _is_menu(e)]
        return [e for e in held if not any(self.layout.holds(e, other) for other in held)]

    def _open_record(self) -> WeakPlan | None:
        """Return a click on the name of the record, which leads to its own page."""
        if self.record is None or self.state.visited or self.state.menus:
            return None
        text = self.record.text
        links = [e for e in self.controls if e.role == "link" and self._is_held(e)]
        named = [e for e in links if plain(e.text or e.name) == plain(text.text)] or links
        around = [h for h in (text, *self.layout.above(text)) if h in self.controls][:1]
        chosen = named[:1] if len(named) == 1 else around
        if not chosen:
            return None
        self.state.visited = True
        self.state.know(self._visible())
        return self._click(chosen[0], f"it opens '{self.state.name}'")

    def _edit(self) -> WeakPlan:
        """Return a click on the only control that edits, if a value is to be changed."""
        able = [e for e in self._in_reach() if any(_has((w,), v) for w in self._own_words(e)[:1]
                for v in FREE.editing)]  # fmt: skip
        if len(able) != 1 or not any(p.value or p.joint == "to" for p in self._parts()):
            return WeakPlan(reason="no control carries it out")
        self.state.carrier = able[0]
        self.state.know(self._visible())
        return self._click(able[0], "what is there is changed by it")

    # The values

    def _parts(self) -> tuple[DeedPart, ...]:
        used = self.state.name
        if self.state.carrier is not None:
            used = f"{used} {_name(self.state.carrier)}"
        used = f"{used} {self.state.opened} {' '.join(self.state.used)}"
        return self.deed.values_without(used)

    def _fill_beside(self, carrier: Element) -> WeakPlan | None:
        """Return entries in the form that a button sends, and the click: 'Add note'."""
        form = self.layout.form_of(carrier)
        fields = [e for e in self._fields() if form and self.layout.form_of(e) == form]
        if not fields:
            return None
        parts = self._parts_beside(carrier)
        entries = assign_values(parts, fields)
        if not entries:
            return None
        self.state.done = True
        return self._enter(entries, carrier)

    def _parts_beside(self, carrier: Element) -> tuple[DeedPart, ...]:
        """Return the values that are left beside a control, and what was clicked on before it."""
        used = " ".join((self.state.name, _name(carrier), *sorted(self.state.used)))
        return self.deed.values_without(used)

    def _leaves_values(self, carrier: Element) -> bool:
        """Return whether a button would send the form beside it without a value of the sentence."""
        form = self.layout.form_of(carrier)
        sent = {self.layout.form_of(e) for e in self.controls if e.role == "button" and not e.row}
        forms = {form} if form else {self.layout.form_of(e) for e in self._fields()} - sent
        fields = [e for e in self._fields() if takes_text(e) and self.layout.form_of(e) in forms]
        parts = self._parts_beside(carrier)
        return bool(fields) and any(p.value or p.joint in ("to", "as", "with") for p in parts)

    def _fill_new(self, *, sends: bool, named: bool = False) -> WeakPlan:
        """Return entries of the values in the form that came up, and what sends it.

        With `named`, labels have to say which field takes a value: it may be any form of a page.
        """
        parts, new = self._parts(), self._new_fields()
        entries = assign_values(parts, new, named=named) if new else ()
        if not entries:
            self.state.done = not any(p.value for p in parts) and self._is_carried()
            return WeakPlan(reason="no form that came up takes its values")
        button = self._sender([e.element for e in entries]) if sends else None
        if sends and button is None:
            return WeakPlan(reason="no button of the form is clearly meant")
        self.state.done = True
        return self._enter(entries, button)

    def _new_fields(self) -> list[Element]:
        """Return the fields of an open dialog, else those that have come up."""
        dialogs = [e for e in self._visible() if e.role in DIALOGS]
        fields = self._fields()
        inside = [e for e in fields if any(self.layout.holds(d, e) for d in dialogs)]
        return inside or [e for e in fields if _sign(e) not in self.state.seen]

    def _is_carried(self) -> bool:
        """Return whether what was clicked on has a verb of the sentence, or its words."""
        carrier = self.state.carrier
        if carrier is None:
            return False
        has_verb = not self.deed.verbs or self._names_verb(carrier) > 0.0
        return has_verb or self._is_named_whole(carrier) > 1 or self._leads_there(carrier) > 0

    def _fields(self) -> list[Element]:
        return [
            e for e in self._visible()
            if (takes_values(e) or offers_choices(e) or is_a_box(e)) and not is_search(e)
            and not e.readonly
        ]  # fmt: skip

    def _sender(self, fields: Sequence[Element]) -> Element | None:
        """Return the button that sends the form of some fields: named like the deed, else Save."""
        said = plain(_name(self.state.carrier)) if self.state.carrier else ""
        buttons = self._buttons_near(fields)
        buttons = [e for e in buttons if plain(_name(e)) == said or not self._is_barred(e)]
        ways: tuple[Callable[[Element], bool], ...] = (
            lambda e: plain(_name(e)) == said,
            lambda e: self._names_verb(e) > 0.0,
            lambda e: _has_word(split_words(_name(e)), FREE.sending),
            lambda e: not _has_word(split_words(_name(e)), _LEAVING),
        )
        groups = ([e for e in buttons if sends(e)] for sends in ways)
        return next((group[0] for group in groups if len(group) == 1), None)

    def _buttons_near(self, fields: Sequence[Element]) -> list[Element]:
        """Return the buttons of the form of some fields, best those behind the first field."""
        order = self.layout.order
        first = min(order[f.id] for f in fields)
        near = [e for e in self._near(fields) if e.role == "button"]
        return [e for e in near if order[e.id] > first] or near

    def _near(self, fields: Sequence[Element]) -> list[Element]:
        """Return the controls in the smallest part of the page that has the fields and a button."""
        for holder in self.layout.above(fields[-1]):
            if all(holder is f or self.layout.holds(holder, f) for f in fields):
                held = [e for e in self.controls if self.layout.holds(holder, e)]
                if any(e.role == "button" for e in held):
                    return held
        last = max(self.layout.order[f.id] for f in fields)
        behind = [e for e in self.controls if self.layout.order[e.id] > last and not e.row]
        return [e for e in behind if e.role == "button"][:2]

    def _enter(self, entries: Sequence[Entry], button: Element | None) -> WeakPlan:
        acts = tuple(
            GuiAction(action=e.action, target=e.element.id, value=e.value,
                      described=in_words(e.element)) for e in entries
        )  # fmt: skip
        if button is not None:
            click = GuiAction(action="click", target=button.id, described=in_words(button))
            acts = (*acts, click)
        return WeakPlan(acts, f"the form takes {len(entries)} values (weak reading)")

    def _click(self, element: Element, reason: str) -> WeakPlan:
        act = GuiAction(action="click", target=element.id, described=in_words(element))
        return WeakPlan((act,), f"{in_words(element)}: {reason} (weak reading)", again=True)


_LEAVING = frozenset({"cancel", "close", "dismiss", "back", "abort", "discard", "no", "x", "×"})


def _name(element: Element) -> str:
    return element.name or element.text or element.title or element.value or ""


def _may_carry(element: Element) -> bool:
    is_entry = takes_text(element) or offers_choices(element) or is_a_box(element)
    is_label = element.tag == "label"
    return takes_clicks(element) and not (is_entry or is_label or element.covered)


def _is_menu(element: Element) -> bool:
    """Return whether a control opens the menu of a row: it says so, or has no name at all."""
    pops = element.attributes.get("aria-haspopup", "false") != "false"
    words = content(_name(element)) or split_words(_name(element))
    says = bool(words) and all(word in FREE.row_menus for word in words)
    drawn = not any(c.isalnum() for c in _name(element)) and element.role == "button"
    return pops or element.expanded is not None or says or drawn


def _has(words: Sequence[str], wanted: str) -> bool:
    return any(word_similarity(word, wanted) >= _SAME for word in words)


def _has_word(words: Sequence[str], wanted: frozenset[str]) -> bool:
    return any(word in wanted for word in words)
