"""How an intent is carried out on a page without a model: the element that its words name best.

Every choice is weak: it is made only if one candidate is clearly the best, and the others are kept
as its alternatives.
"""

import re
from collections.abc import Callable, Sequence

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.places import points_back, split_places
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, stem, stems
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    entry_value,
    in_words,
    is_a_box,
    offers_choices,
    takes_text,
    takes_values,
)
from sparring_plugins.web.pages.text_fit import bare, contains, fit, plain
from sparring_plugins.web.pages.weak.acts.drawn_lists import PUTTING, DrawnListPlans
from sparring_plugins.web.pages.weak.acts.field_names import (
    at_place,
    called_in_full,
    called_within,
    holding_old,
    only_described,
)
from sparring_plugins.web.pages.weak.acts.form_plans import as_filter, covers_words, is_search
from sparring_plugins.web.pages.weak.page.choosing import (
    EDGES,
    TOPMOST,
    Choice,
    WeakPlan,
    is_button,
    is_called,
)
from sparring_plugins.web.pages.weak.page.naming import phrase_of, proper_words
from sparring_plugins.web.roles import Candidate

_TYPING = frozenset({"enter", "type", "type in", "fill in", "input", "key in", "insert", "provide"})
_SHOWING = frozenset({"show", "display", "list", "view", "see"})
_TAKEN_BACK = re.compile(r"(?:the |your |my )?(?:current )?(?:search|query|search results|filter)")
_MEASURE = re.compile(r"(\d+(?:[.,]\d+)?) ([a-z]+)")


def _is_only_a_menu(words: str) -> bool:
    return set(split_words(words)) - FREE.stop == {"menu"}


class WeakPlanner(DrawnListPlans):
    """Plans intents on one view."""

    def plan(self, intent: Intent) -> WeakPlan:
        """Return the acts that carry an intent out on this page; none if it is not clear."""
        plans: dict[str, Callable[[Intent], WeakPlan]] = {
            "fill": self._enter,
            "select": self._enter,
            "check": self._tick,
            "uncheck": self._tick,
            "user": self._user,
            "password": self._password,
            "credential": self._credential,
            "enter_login": self._enter_login,
            "logout": self._logout,
            "search": self._search,
            "sort": self._sort,
            "filter": self._filter,
            "narrow": lambda i: self._narrow(i) or self._filter(as_filter(i)),
            "upload": self._upload,
            "clear": self._clear,
            "next": lambda i: self._click_usual_name(FREE.next_names, i),
            "previous": lambda i: self._click_usual_name(FREE.previous_names, i),
            "page": self._turn_to_page,
            "last": lambda i: self._click_usual_name(FREE.last_names, i),
            "first": lambda i: self._click_usual_name(FREE.first_names, i),
            "home": self._home,
            "submit": self._submit,
            "close": self._close,
            "drag": self._drag,
            "replace": self._replace,
            "result": self._result,
            "hover": self._hover,
            "open": self._click,
        }
        if intent.verb in ("click", "open") and intent.said in _TYPING and not intent.quoted:
            return self._enter_behind_label(intent) or self._click_no_label(intent)
        if own := self._click_verb_in_row(intent):
            return own
        if intent.verb in ("back", "reload", "press"):
            act = GuiAction(action=intent.verb, value=intent.value or None)
            return WeakPlan((act,), intent.verb)
        if intent.said in _SHOWING and (
            narrowed := self._select_said(intent.words) or self._narrow(intent, fewest=2)
        ):
            return narrowed  # "Show the boats in repair" by the tab 'In repair'
        if box := self._include(intent):
            return box
        if intent.verb == "select" and _is_only_a_menu(intent.words):
            # "Choose Import from the main menu": a menu is opened, and nothing entered into it
            place = f"in the {intent.words}"
            chosen = {"verb": "click", "words": intent.value, "value": "", "context": place}
            return self._click(intent.model_copy(update=chosen))
        return plans.get(intent.verb, self._click)(intent)

    def plan_exactly(self, intent: Intent) -> WeakPlan:
        """Return a click on the one control that has exactly the quoted name, wherever it is."""
        if intent.verb in ("replace", "fill", "press"):
            return self.plan(intent)
        if intent.verb == "select":
            menu = self._check_in_group(intent) or self._pick_from_menu(
                intent, (intent.words, intent.old)
            )
            return menu or WeakPlan(reason=f"no menu '{intent.words}' offers '{intent.value}'")
        if intent.verb in ("check", "uncheck"):
            boxes = [e for e in self._elements(is_a_box) if not e.disabled]
            box = self._box_in_row(intent, boxes)
            if box is None:
                return WeakPlan(reason=f"no box is clearly that of '{intent.words}'")
            return self._act(intent.verb, box, f"the only box in the row of '{intent.words}'")
        goes = intent.said.split()[0] in FREE.going
        if not goes and (in_row := self._click_in_row(intent)):
            return in_row
        exact = self._find_by_name(intent.words, intent.context) if goes else None
        if exact is None:
            return WeakPlan(reason=f"nothing else is called '{intent.words}'")
        return self._act("click", exact, f"{in_words(exact)} is called so")

    def _click_verb_in_row(self, intent: Intent) -> WeakPlan | None:
        """Return a click on the button that a sentence begins with, in the row of what it names.

        "Extend L-17" presses 'Extend' there: a value alone would go into no field.
        """
        if intent.verb != "fill" or intent.words or not intent.quoted or intent.said in _TYPING:
            return None
        row = self._row_named(intent.value)
        buttons = [
            e for e in self._elements(is_button)
            if row and e.row == row and plain(e.name or e.text) == intent.said
        ]  # fmt: skip
        if len(buttons) != 1:
            return None
        return self._act("click", buttons[0], f"{in_words(buttons[0])} in its row (weak reading)")

    def _click_in_row(self, intent: Intent) -> WeakPlan | None:
        """Return a click on what does so in the row of a name: "Edit 'Oak'" on its 'Edit'."""
        plan = self._click(intent)
        target = self.layout.by_id.get(plan.acts[0].target or "") if plan.acts else None
        if target is None or plan.again or not target.row or not contains(intent.words, target.row):
            return None
        return plan

    def _field(self, intent: Intent, fits: Callable[[Element], bool]) -> tuple[
        Element | None, str, tuple[Candidate, ...]]:  # fmt: skip
        fields = self._elements(fits)
        if not content(intent.words):
            only = self._only_field(fields)
            return only, "the only field" if only else "several fields may be meant", ()
        if (placed := at_place(intent, fields)) is not None:
            return next(iter(placed), None), "the field at that place of its name", ()
        if full := called_in_full(intent.words, fields):
            return full, f"the whole label of {in_words(full)} is said (weak reading)", ()
        if within := called_within(intent.words, fields):
            return within, f"the label of {in_words(within)} ends so (weak reading)", ()
        # what is in quotes is the value
        named = intent.model_copy(update={"quoted": False})
        chosen, reason, candidates = self._choose_meant(named, fields, enough=0.5)
        if chosen is None and (same := holding_old(intent, fields, self.task.acts)):
            return same, f"it holds '{intent.old or same.value}' (weak reading)", candidates
        if chosen is None and intent.context:
            chosen, reason, candidates = self._choose(phrase_of(intent.words), fields, enough=0.5)
        if chosen is None and (described := only_described(intent, fields)):
            return described, "the only field, which has no short name", candidates
        if chosen is not None:
            return chosen, reason, candidates
        return self._unnamed_field(intent, fields, reason, candidates)

    def _unnamed_field(
        self,
        intent: Intent,
        fields: list[Element],
        reason: str,
        candidates: tuple[Candidate, ...],
    ) -> tuple[Element | None, str, tuple[Candidate, ...]]:
        """Return a field that nothing names: the only such one, or that with the form's text."""
        nameless = self._only_nameless(fields) if not intent.context else None
        if nameless is not None:
            return nameless, "the only field without a name (weak reading)", candidates
        if not proper_words(intent.words):
            # "Replace the whole text", "the search term": the form's main field, or that of before
            return self._main_field(fields), "the only field that it may mean", candidates
        asked = self._only_in_dialog(fields)
        return asked, "the only field of the dialog (weak reading)" if asked else reason, candidates

    def _only_in_dialog(self, fields: Sequence[Element]) -> Element | None:
        """Return the only field of an open dialog: 'Rename' for "Change the name to x"."""
        dialogs = [e for e in self.layout.snapshot.elements if e.role in TOPMOST and e.visible]
        inner = [e for e in fields if dialogs and self.layout.holds(dialogs[-1], e)]
        return inner[0] if len(inner) == 1 and takes_text(inner[0]) else None

    def _only_nameless(self, fields: Sequence[Element]) -> Element | None:
        """Return the only field of the main part that has no name: others would have been meant."""
        nameless = [
            e for e in fields
            if takes_text(e) and not is_search(e) and not e.row and not e.value
            and not (e.name or e.label or e.placeholder or e.title or e.adjacent)
            and not any(h.role in EDGES for h in self.layout.above(e))
        ]  # fmt: skip
        return nameless[0] if len(nameless) == 1 else None

    def _enter_behind_label(self, intent: Intent) -> WeakPlan | None:
        """Enter what stands behind a field's label: "Enter the door code sesame"."""
        said = plain(re.sub(r"^(?:the|a|an|your|my|its) ", "", intent.words))
        labels = [
            (len(label), e, said[len(label) + 1 :].strip())
            for e in self._elements(takes_text)
            for text in {plain(t).strip(" :*?") for t in (e.label, e.name, e.placeholder) if t}
            for label in (text, text.removesuffix(" name"))
            if label and said.startswith(f"{label} ")
        ]
        longest = max((size for size, _, _ in labels), default=0)
        fields = {e.id: (e, value) for size, e, value in labels if size == longest}
        if len(fields) != 1:
            return None
        field, value = next(iter(fields.values()))
        # as it is written: passwords have capitals
        written = intent.words[len(intent.words) - len(value) :]
        return self._act("fill", field, f"the value behind the label of {in_words(field)}", written)

    def _click_no_label(self, intent: Intent) -> WeakPlan:
        """Click on a control, and never on the label of a field: nothing would be entered."""
        plan = self._click(intent)
        target = self.layout.by_id.get(plan.acts[0].target or "") if plan.acts else None
        if target is not None and target.role in ("generic", "text", "label"):
            return WeakPlan(reason=f"it is not clear what to enter into {in_words(target)}")
        return plan

    def _main_field(self, fields: Sequence[Element]) -> Element | None:
        """Return the field for the text of a form: its only one of several lines, or the only."""
        used = [act.target for act in self.task.acts if act.action in ("fill", "type")]
        same = [e for e in fields if used and e.id == used[-1]]
        several_lines = [e for e in fields if takes_text(e) and e.tag != "input" and not e.options]
        others = [e for e in fields if not is_search(e)]
        return next((g[0] for g in (several_lines, same, others) if len(g) == 1), None)

    def _only_field(self, fields: list[Element]) -> Element | None:
        """Return the field that is meant without a name: that of before, or the only one."""
        used = [act.target for act in self.task.acts if act.action in ("fill", "type")]
        same = [e for e in fields if (used and e.id == used[-1]) or e.focused]
        groups = (same, self._new_since_last_act(fields), *self._central(fields), fields)
        return next((group[0] for group in groups if len(group) == 1), None)

    def _central(self, fields: list[Element]) -> tuple[list[Element], list[Element]]:
        """Return the fields of the form that was filled in last, and those of the main part."""
        form = self._last_form()
        inner = [e for e in fields if form is not None and self.layout.form_of(e) == form]
        main = [e for e in fields if not any(h.role in EDGES for h in self.layout.above(e))]
        return inner, main

    def _enter(self, intent: Intent) -> WeakPlan:
        """Put a value into a field, or choose it in a list or among boxes."""
        if intent.verb == "select" and not content(intent.words):
            return self._pick(intent)
        opened = self._open_drawn_list(intent) if self.again else None
        if intent.verb == "select" and opened is not None:
            return opened
        return self._enter_into(intent)

    def _enter_into(self, intent: Intent) -> WeakPlan:
        chosen, reason, candidates = self._field(
            intent, lambda e: takes_values(e) or offers_choices(e)
        )
        row = self._row_named(intent.words)
        if row and (in_row := self._enter_in_row(intent, row, chosen)) is not None:
            return in_row
        if chosen is not None and intent.verb == "select" and is_search(chosen):
            chosen = None  # "Select order 17" looks for nothing
        if chosen is not None and (chosen.options or not _refuses(chosen, intent)):
            return self._put_into(intent, chosen, reason, candidates)
        if chosen is None and (other := self._enter_otherwise(intent)) is not None:
            return other
        return self._choose_value(intent, reason, candidates)

    def _put_into(
        self, intent: Intent, field: Element, reason: str, candidates: tuple[Candidate, ...]
    ) -> WeakPlan:
        """Choose a value, or type it, with Enter if it is one more of several: a tag, a guest."""
        if field.options:
            option = _option(field, intent.value)
            if option is None:
                return WeakPlan(reason=f"{in_words(field)} does not offer '{intent.value}'")
            return self._act("select", field, reason, option, candidates)
        if _is_widget(field) or not takes_values(field):
            return self._act("select", field, reason, intent.value, candidates)
        fill = self._act("fill", field, reason, entry_value(intent.value, field), candidates)
        return WeakPlan((*fill.acts, *self._sending(field, intent)), reason, candidates)

    def _sending(self, field: Element, intent: Intent) -> tuple[GuiAction, ...]:
        """Return what adds the text of a field: the button beside it that adds, or Enter."""
        if not adds(intent):
            return ()
        form = self.layout.form_of(field)
        beside = [
            b for b in self._elements(is_button)
            if self.layout.form_of(b) == form and b.row == field.row
            and "add" in split_words(b.name or b.text or b.value or b.title)
        ]  # fmt: skip
        # Enter starts a new line in an area, and does nothing if there is no form
        if len(beside) == 1 and (form is None or field.tag == "textarea"):
            return self.click(beside[0], "it adds the text").acts
        return self._act("press", field, "Enter adds it", "Enter").acts

    def _enter_otherwise(self, intent: Intent) -> WeakPlan | None:
        """Return how a value is entered or chosen if no field has the name."""
        other = self._enter_said(intent) or self._enter_measure(intent)
        other = other or self._check_in_group(intent) or self._open_drawn_list(intent)
        return other or self._pick_from_menu(intent, (intent.words, intent.old))

    def _check_in_group(self, intent: Intent) -> WeakPlan | None:
        """Check the box of a value in the group that is named: "Choose the status 4".

        The heading 'Status' of a table beside the form is no menu that offers it, also while the
        boxes are still coming into view.
        """
        said = set(stems(intent.words))
        boxes = [
            e for e in self.layout.snapshot.elements
            if is_a_box(e) and not e.disabled and is_called(e, plain(intent.value)) and said
            and any(said <= set(stems(t)) for t in (e.attributes.get("name", ""), *e.region[-1:]))
        ]  # fmt: skip
        if intent.verb != "select" or len(boxes) != 1:
            return None
        return self._act("check", boxes[0], f"{in_words(boxes[0])} of '{intent.words}'")

    def _enter_measure(self, intent: Intent) -> WeakPlan | None:
        """Put the number of "Set the pause to 5 minutes" into the field 'Minutes' of the pause."""
        match = _MEASURE.fullmatch(intent.value)
        if match is None or intent.quoted:
            return None
        fields = [e for e in self._elements(takes_values) if is_called(e, match[2])]
        chosen = self._prefer(self.neighbourhood.nearest(fields, (intent.words,)))
        if chosen is None or not self.neighbourhood.is_near(chosen, (intent.words,)):
            return None
        return self._act("fill", chosen, f"the {match[2]} of it (weak reading)", match[1])

    def _pick(self, intent: Intent) -> WeakPlan:
        """Choose something from what is open: "Choose Apples from it" types nothing anywhere."""
        in_group = self._check_in_group(intent)  # "pick read 'yes'": only the group is called so
        if choice := in_group or self._choice_called(intent.value):
            return choice
        return self._click(
            intent.model_copy(update={"verb": "click", "words": intent.value, "value": ""})
        )

    def _choose_value(
        self, intent: Intent, reason: str, candidates: tuple[Candidate, ...]
    ) -> WeakPlan:
        """Choose a value that no field takes: a box, an option, or a button that adds it."""
        lists = self._lists_offering(intent.value)
        meant = [e for e in lists if _shares_a_word(intent.words, e)]
        if len(meant) == 1 and (label := _option(meant[0], intent.value)):
            return self._act("select", meant[0], "it offers it, and has a word of it", label)
        if box := self._box_called(intent.value, intent.words):
            if lists and intent.words and not _shares_a_word(intent.words, box):
                # "pick Oak as the wood": a list and a box are called so, and neither is the wood
                return WeakPlan(reason=f"a list and a box offer '{intent.value}'")
            return self._act("check", box, f"{in_words(box)} is called so", candidates=candidates)
        if choice := self._choice_called(intent.value):
            return choice
        clicked = self._click_putting(intent) if intent.said in PUTTING else WeakPlan()
        if clicked.acts:
            return clicked
        named = intent.model_copy(update={"words": intent.value})
        return self._pick_in_row(named) or WeakPlan(reason=reason, candidates=candidates)

    def _click_putting(self, intent: Intent) -> WeakPlan:
        """Return what puts a thing somewhere: "Put the lamp into the basket" by its button."""
        update = {"verb": "click", "value": "", "quoted": False}
        whole = f"{intent.value} {intent.words}"
        plan = self._click(intent.model_copy(update={**update, "words": whole}))
        if not intent.words or intent.said not in ("put", "add", "place"):
            return plan
        # each thing may have a link 'Put on the list' in its card; what puts it into a basket is
        # often called 'Add', which "put" does not mean elsewhere
        beside = {**update, "context": f"of {intent.value}"}
        for other in (beside, {**update, "words": whole, "said": "add"}, {**beside, "said": "add"}):
            plan = plan if plan.acts else self._click(intent.model_copy(update=other))
        return plan

    def _lists_offering(self, value: str) -> list[Element]:
        lists = self._elements(lambda e: bool(e.options))
        return [e for e in lists if any(plain(o.label) == plain(value) for o in e.options)]

    def _box_called(self, value: str, words: str) -> Element | None:
        """Return the box or radio button with this name: "pick the vegetarian meal"."""
        boxes = [e for e in self.layout.snapshot.elements if is_a_box(e) and not e.disabled]
        exact = [
            e
            for e in boxes
            if any(bare(t) == bare(value) for t in (e.label, e.name, e.adjacent) if t)
        ]
        if len(exact) == 1:
            return exact[0]
        phrase = phrase_of(value, words)
        chosen, _, _ = self._choose(phrase, boxes, enough=0.6)
        return chosen

    def _tick(self, intent: Intent) -> WeakPlan:
        boxes = [e for e in self.layout.snapshot.elements if is_a_box(e) and not e.disabled]
        shown = [e for e in boxes if e.visible] or boxes
        if intent.verb == "uncheck":
            shown = [e for e in shown if e.role != "radio"]
        chosen, reason, candidates = self._choose_box(intent, shown)
        if chosen is None:
            chosen, reason = self._box_in_row(intent, shown), "the only box in the row"
        if chosen is None and len(boxes) == 1 and not proper_words(intent.words):
            chosen, reason = boxes[0], "the only box"
        if chosen is None:
            return WeakPlan(reason=reason, candidates=candidates)
        return self._act(intent.verb, chosen, reason, candidates=candidates)

    def _choose_box(self, intent: Intent, boxes: Sequence[Element]) -> Choice:
        name, places = split_places(intent.words)
        if proper_words(name) or not any(map(points_back, (name, *places))):
            return self._choose_meant(intent, boxes, enough=0.45)
        in_rows = [e for e in boxes if e.row and self._is_in_data_row(e)]
        near = self.neighbourhood.nearest(in_rows or boxes, ("it",))
        return self._prefer(near), "the box beside it", ()

    def _replace(self, intent: Intent) -> WeakPlan:
        """Replace a part of the only text that has it: "Change 'two' to 'three'"."""
        fields = [e for e in self._elements(takes_text) if intent.words in (e.value or "")]
        if len(fields) != 1:
            return WeakPlan(reason=f"{len(fields)} fields have the text '{intent.words}'")
        value = (fields[0].value or "").replace(intent.words, intent.value)
        return self._act("fill", fields[0], f"the only field with '{intent.words}'", value)

    def _clear(self, intent: Intent) -> WeakPlan:
        chosen, reason, candidates = self._field(intent, takes_text)
        if chosen is None:  # "Clear the filters" may be a button
            by_button = self._click(intent.model_copy(update={"verb": "click"}))
            return by_button if by_button.acts else WeakPlan(reason=reason, candidates=candidates)
        clear = self._act("fill", chosen, reason, "", candidates)
        # "Clear the search" takes it back; "Clear the search field" only empties it
        if not is_search(chosen) or not _TAKEN_BACK.fullmatch(plain(intent.words)):
            return clear
        send = self._act("press", chosen, "Enter searches for nothing", "Enter")
        return WeakPlan((*clear.acts, *send.acts), reason, candidates)

    def _upload(self, intent: Intent) -> WeakPlan:
        files = [
            e for e in self.layout.snapshot.elements if e.input_type == "file" and not e.disabled
        ]
        shown = [e for e in files if e.visible] or files
        if len(shown) != 1:
            return WeakPlan(reason=f"{len(shown)} fields take files")
        return self._act("upload", shown[0], "the only field for files", intent.value)

    def _drag(self, intent: Intent) -> WeakPlan:
        ends: list[Element] = []
        for words in (intent.words, intent.value):
            fitting = sorted(
                (e for e in self.layout.snapshot.elements if e.visible and e.role != "document"),
                key=lambda e: -max(fit(words, e.text), fit(words, e.name)),
            )
            if not fitting or max(fit(words, fitting[0].text), fit(words, fitting[0].name)) < 0.9:
                return WeakPlan(reason=f"nothing is called '{words}'")
            ends.append(fitting[0])
        act = GuiAction(action="drag", target=ends[0].id, destination=ends[1].id,
                        described=f"{in_words(ends[0])} to {in_words(ends[1])}")  # fmt: skip
        return WeakPlan((act,), "both are called so")

    def _hover(self, intent: Intent) -> WeakPlan:
        seen = [e for e in self._elements(lambda e: bool(e.text or e.name)) if len(e.text) < 400]
        chosen, reason, candidates = self._choose_meant(intent, seen)
        if chosen is None:
            return WeakPlan(reason=reason, candidates=candidates)
        return self._act("hover", chosen, reason, candidates=candidates)

    def _select_said(self, said: str) -> WeakPlan | None:
        """Return "Show the boats by owner" as 'Owner' in the only list called 'Boats by'."""
        lists = self._elements(lambda e: bool(e.options))
        chosen = [(e, option) for e in lists if (option := _option_said(e, frozenset(stems(said))))]
        if len(chosen) != 1:
            return None
        element, option = chosen[0]
        return self._act("select", element, f"{in_words(element)} offers it", option)

    def _filter_row(self, intent: Intent) -> WeakPlan | None:
        """Fill in a row of a filter: the column in one list, then the value beside it.

        Of several rows, that which is not used yet.
        """
        lists = [
            (e, label)
            for e in self._elements(lambda e: bool(e.options))
            if _unused(e) and (label := _option(e, intent.words))
        ]
        for element, label in lists:
            place = self.layout.order[element.id]
            behind = [
                e
                for e in self._elements(lambda e: takes_text(e) or bool(e.options))
                if place < self.layout.order[e.id] <= place + 60
                and self.layout.form_of(e) == self.layout.form_of(element)
            ][:2]
            values = [e for e in behind if takes_text(e) and not e.value]
            if not values:
                continue
            select = self._act("select", element, f"{in_words(element)} offers it", label).acts
            fill = self._act("fill", values[0], "the value beside it", intent.value).acts
            return WeakPlan((*select, *fill), f"a row of the filter: {in_words(element)}")
        return None

    def _filter(self, intent: Intent) -> WeakPlan:
        if not intent.words:
            plan = self._pick_from_menu(intent, FREE.filter_menus)
            # "Restrict the list to Oslo" by the button 'Oslo' beside it
            plan = plan or self._narrow(intent.model_copy(update={"words": intent.value}))
            return plan or WeakPlan(reason="it is not clear what to filter by")
        if conditions := self._filter_row(intent):
            return conditions
        chosen, reason, candidates = self._field(
            intent, lambda e: takes_values(e) or offers_choices(e)
        )
        if chosen is not None and chosen.options:
            if option := _option(chosen, intent.value):
                return self._act("select", chosen, reason, option, candidates)
            return WeakPlan(reason=f"{in_words(chosen)} does not offer '{intent.value}'")
        if chosen is not None and takes_text(chosen):
            fill = self._act("fill", chosen, reason, intent.value).acts
            press = self._act("press", chosen, reason, "Enter").acts
            return WeakPlan((*fill, *press), reason, candidates)
        wanted = intent.model_copy(
            update={"verb": "click", "words": intent.value, "context": f"under {intent.words}",
                    "said": "choose"}
        )  # fmt: skip
        return self._click(wanted)


def _option_said(field: Element, said: frozenset[str]) -> str:
    """Return the only option whose words are said beside the label of its list, or ""."""
    name = field.label or field.name
    label = frozenset(stems(name))
    if not content(name) or not label <= said:
        return ""
    offered = [o.label for o in field.options if o.label.strip() and not o.disabled]
    fitting = [o for o in offered if set() < set(stems(o)) - label <= said]
    return fitting[0] if len(fitting) == 1 else ""


def _shares_a_word(words: str, element: Element) -> bool:
    """Return whether "the person who pays" and the label 'Who pays?' have a word in common."""
    label = " ".join((element.label, element.name, element.adjacent, *element.region[-1:]))
    return bool(set(map(stem, content(words))) & set(map(stem, content(label))))


def _unused(element: Element) -> bool:
    """Return whether a list still shows its first choice."""
    return not element.options or element.options[0].selected or not element.value


def adds(intent: Intent) -> bool:
    """Return whether a text is entered and sent: "Add the task 'Buy milk'"."""
    return intent.said == "add" and intent.verb == "fill" and intent.quoted


def _is_widget(element: Element) -> bool:
    """Return whether it is a list made of plain elements, from which one selects."""
    return element.role in VOCABULARY.sets["LIST"] and not takes_text(element)


def _refuses(element: Element, intent: Intent) -> bool:
    """Return whether a field would not take the value: no number, or no text at all."""
    if element.role == "spinbutton" or element.input_type == "number":
        return not any(char.isdigit() for char in intent.value)
    return intent.described and takes_text(element)


def _option(element: Element, value: str) -> str | None:
    """Return the label of the option that a value names: its own, or the only one with it."""
    labels = [option.label for option in element.options if not option.disabled]
    for label in labels:
        if bare(label) == bare(value) or plain(label) == plain(value):
            return label
    whole = [label for label in labels if fit(value, label) >= 0.7]
    if len(whole) == 1:
        return whole[0]
    wanted = content(value) or split_words(value)
    fitting = [label for label in labels if covers_words(wanted, label)]
    return fitting[0] if len(fitting) == 1 else None
