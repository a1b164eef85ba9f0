"""Plans for making a new thing: reach its form, fill in its fields, send it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, word_similarity
from sparring_plugins.web.pages.controls import (
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
    takes_values,
)
from sparring_plugins.web.pages.weak.acts.acting import WeakPlanner
from sparring_plugins.web.pages.weak.acts.form_plans import is_search
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan, is_button

#: What the field for a thing's name is called; the thing itself stands for "".
_NAMES = ("name", "title", "", "summary", "subject", "label")
_SENDING = frozenset({"save", "submit", "send", "ok", "done", "create", "add", "register"})
#: "Save and add another", "Save and continue" send the form, and show another one.
_GOING_ON = frozenset({"another", "continue", "again"})
#: "Save changes", "Add now": what stands beside the verb and names nothing else.
_NEUTRAL = ("changes", "form", "entry", "item", "now")
_MOST_OPENERS = 2
_EVERYTHING = frozenset({"everything", "all", "it", "them", "form", "fields", "the", "of", "whole"})


class MakingPlanner(WeakPlanner):
    """Plans the parts of "Create a shelf called Oak with the width 90" as well."""

    def plan(self, intent: Intent) -> WeakPlan:
        """Return the acts that carry an intent out on this page; none if it is not clear."""
        match intent.verb:
            case "form":
                return self._reach_form(intent)
            case "name":
                return self._enter_name(intent)
            case "leave":
                return self._leave_empty(intent)
            case "finish":
                return self._send(intent)
            case "say":
                return self._say_here(intent)
            case "rename":
                return self._rename(intent)
            case _:
                return super().plan(intent)

    def _reach_form(self, intent: Intent) -> WeakPlan:
        """Return what leads to the form; a wait if it is in view."""
        named = self._opener(intent, named_only=True) if not (self.again or intent.value) else None
        if named is not None:  # another form with one field may be in view
            return self._click_first(named, "makes a new one")
        if self._form_in_view(intent):
            return WeakPlan((GuiAction(action="wait", value=0.05),), "its form is in view")
        if self.again and not intent.words and self._main_field(self._elements(_takes_entries)):
            # "Create it with the text 'x'": the editor that came has one field, without a name
            return WeakPlan((GuiAction(action="wait", value=0.05),), "its form is in view")
        if self.again >= _MOST_OPENERS:
            return WeakPlan(reason=f"no form to make a new '{intent.words}' came up")
        opener = self._opener(intent) or self._way_to(intent)
        if opener is None:
            return WeakPlan(reason=f"nothing on the page makes a new '{intent.words}'")
        return self._click_first(opener, "leads to its form")

    def _form_in_view(self, intent: Intent) -> bool:
        labels = [label for label in intent.value.split("\n") if label]
        if not labels:
            return self._name_field(intent.words) is not None
        fields = [self._named_field(label) for label in labels]
        forms = {self.layout.form_of(field) for field in fields if field is not None}
        if None not in fields and len(forms) == 1:
            return self._sender(forms.pop(), intent) is not None
        # two forms may ask for a password: that to log in, and that to register
        making = self._making_forms(intent)
        return len(making) == 1 and all(self._named_field(label, making[0]) for label in labels)

    def _making_forms(self, intent: Intent) -> list[str | None]:
        """Return the forms with fields and a button that only says that it makes the thing."""
        buttons = [b for b in self._elements(_sends_only) if self._makes(b, intent)]
        forms = dict.fromkeys(self.layout.form_of(button) for button in buttons)
        return [form for form in forms if form is not None and self._entries_of(form)]

    def _makes(self, button: Element, intent: Intent) -> bool:
        thing = (*content(intent.words), *_NEUTRAL)
        return _only_says(_shown(button), {*FREE.making, "register"}, thing)

    def _named_field(self, label: str, form: str | None = None) -> Element | None:
        def fits(element: Element) -> bool:
            inside = form is None or self.layout.form_of(element) == form
            return inside and _takes_entries(element)

        field, _, _ = self._field(Intent(verb="fill", words=label, said="enter"), fits)
        return field

    def _name_field(self, thing: str) -> Element | None:
        """Return the field for the name: it is called so, or the only one of a form that makes."""
        texts = [e for e in self._elements(_takes_entries) if takes_text(e)]
        by_form: dict[str | None, list[Element]] = {}
        for element in texts:
            by_form.setdefault(self.layout.form_of(element), []).append(element)
        making = Intent(verb="finish", words=thing)
        forms = [fields for form, fields in by_form.items() if self._sender(form, making)]
        if len(forms) > 1:
            forms = [by_form[f] for f in self._making_forms(making) if f in by_form]
        if len(forms) != 1:
            return None
        last_form = forms[0]
        for name in _NAMES:
            chosen = self._choose_meant(
                Intent(verb="fill", words=name or thing, said="enter"), last_form, enough=0.6
            )[0]
            if chosen is not None:
                return chosen
        return last_form[0] if len(last_form) == 1 else None

    def _enter_name(self, intent: Intent) -> WeakPlan:
        field = self._name_field(intent.words)
        if field is None:
            return WeakPlan(reason=f"no field is clearly that for the name of '{intent.words}'")
        return self._act("fill", field, "the field for its name (weak reading)", intent.value)

    def _say_here(self, intent: Intent) -> WeakPlan:
        """Enter what is said into the only empty field for it, best one of several lines."""
        fields = [
            e for e in self._elements(takes_text)
            if not is_search(e) and not e.value and (e.input_type or "text") in ("text", "textarea")
        ]  # fmt: skip
        long = [e for e in fields if e.tag != "input"]
        for group in (long, fields):
            if len(group) == 1:
                return self._act("fill", group[0], "the only field for it", intent.value)
        return WeakPlan(reason=f"{len(fields)} fields may take what is said")

    def _rename(self, intent: Intent) -> WeakPlan:
        """Enter a new name: into the field in view, else into that behind a button of its row."""
        entry = self._enter(intent.model_copy(update={"verb": "fill"}))
        fields = [self.layout.by_id.get(act.target or "") for act in entry.acts]
        if fields and all(field is not None and takes_text(field) for field in fields):
            return entry
        if self.again and (field := self._name_field("")):
            return self._act("fill", field, "the field for its name (weak reading)", intent.value)
        if self.again or not intent.old:
            return WeakPlan(reason="no field is clearly that for the name")
        for said in ("rename", "edit"):
            click = Intent(verb="click", words=intent.old, said=said, quoted=True)
            plan = self._click_in_row(click)
            if plan is not None and plan.acts:
                return replace(plan, again=True)
        return WeakPlan(reason=f"nothing renames '{intent.old}'")

    def _leave_empty(self, intent: Intent) -> WeakPlan:
        if set(split_words(intent.words)) <= _EVERYTHING:
            held = [e for e in self._elements(takes_text) if e.value and not is_search(e)]
            if held and any(act.action in ("fill", "type") for act in self.task.acts):
                return WeakPlan(reason=f"{in_words(held[0])} holds a text already")
            return WeakPlan((GuiAction(action="wait", value=0.05),), "nothing is entered")
        field = self._named_field(intent.words)
        if field is None or not takes_text(field):
            return WeakPlan(reason=f"no field is clearly called '{intent.words}'")
        return self._act("fill", field, "it is left empty", "")

    def _send(self, intent: Intent) -> WeakPlan:
        """Send the form that was filled in: by its button, or by Enter if it has none."""
        form = self._last_form()
        if intent.value and len(self._entries_of(form)) != 1:
            return WeakPlan((GuiAction(action="wait", value=0.05),), "it is sent later")
        if (button := self._sender(form, intent)) is not None:
            return self._act("click", button, f"{in_words(button)} sends the form (weak reading)")
        used = self.layout.by_id.get(self.task.acts[-1].target or "") if self.task.acts else None
        buttons = [b for b in self._elements(is_button) if self.layout.form_of(b) == form]
        if used is not None and used.tag == "input" and not (form and buttons):
            return self._act("press", used, "Enter adds it", "Enter")
        if intent.value:  # "Add the member Ida" may be one of several fields to fill in
            return WeakPlan((GuiAction(action="wait", value=0.05),), "it is sent later")
        return WeakPlan(reason="no button of the form is clearly meant")

    def _entries_of(self, form: str | None) -> list[Element]:
        return [e for e in self._elements(_takes_entries) if self.layout.form_of(e) == form]

    def _sender(self, form: str | None, intent: Intent) -> Element | None:
        """Return the button that sends a form: it says no more than that something is made."""
        buttons = [b for b in self._elements(_sends_only) if self.layout.form_of(b) == form]
        thing = content(intent.words)
        named = [
            b
            for b in buttons
            if _only_says(_shown(b), {*FREE.making, *_SENDING}, (*thing, *_NEUTRAL))
        ]
        making = [b for b in named if _has_any(_shown(b), FREE.making)]
        submits = [b for b in buttons if b.input_type == "submit" and form is not None]
        of_thing = [b for b in making if _has_any(_shown(b), thing)]
        for group in (of_thing, making, named, submits):
            rest = self._distinct(group)
            if len(rest) == 1 and not _has_any(_shown(rest[0]), ("search", "filter", "go")):
                return rest[0]
        return None

    def _opener(self, intent: Intent, *, named_only: bool = False) -> Element | None:
        """Return what is called "New shelf", or "New" alone where nothing else is made."""
        openers = [e for e in self._elements(takes_clicks) if self._may_open(e)]
        thing = content(intent.words)
        named = [e for e in openers if thing and _has_all(_shown(e), thing)]
        exact = [e for e in named if _only_says(_shown(e), FREE.making, thing)]
        bare = [e for e in openers if _only_says(_shown(e), {*FREE.making, "plus"}, ("page",))]
        for group in (exact,) if named_only else (exact, named, bare):
            if (chosen := self._prefer(group)) is not None:
                return chosen
        return None

    def _may_open(self, element: Element) -> bool:
        """Return whether a control begins with a verb that makes something, and sends no form."""
        if takes_text(element) or element.options or is_a_box(element):
            return False
        return _has_any(_shown(element)[:2], FREE.making) and not self._sends_other_form(element)

    def _sends_other_form(self, element: Element) -> bool:
        form = self.layout.form_of(element)
        fields = [e for e in self._elements(_takes_entries) if takes_text(e)]
        return form is not None and any(self.layout.form_of(e) == form for e in fields)

    def _way_to(self, intent: Intent) -> Element | None:
        """Return the link that has the thing's name alone: "Shelves" leads to what makes one."""
        thing = content(intent.words)
        links = [e for e in self._elements(takes_clicks) if e.role in ("link", "tab", "menuitem")]
        named = [
            e for e in links if thing and len(content(_name(e))) == len(thing)
            and all(_has_any(_shown(e), (w,), 0.95) for w in thing)
        ]  # fmt: skip
        return self._prefer(named) if self.again == 0 else None

    # Parts that are folded

    def unfold_first(self, plan: WeakPlan) -> WeakPlan:
        """Return what unfolds the part in which the first control of a plan is hidden, if any."""
        target = self._folded_target(plan)
        return (self._unfold(target) or plan) if target is not None and not self.again else plan

    def is_unfolding(self, plan: WeakPlan) -> bool:
        """Return whether the control of a plan is still hidden after its part was opened."""
        return bool(self.again) and self._folded_target(plan) is not None

    def _folded_target(self, plan: WeakPlan) -> Element | None:
        """Return the control of a plan if the part around it is hidden, too.

        A box that a drawing hides lies in a part that is shown.
        """
        target = self.layout.by_id.get(plan.acts[0].target or "") if plan.acts else None
        if target is None or target.visible or plan.acts[0].action == "upload":
            return None
        holder = next(iter(self.layout.above(target)), None)
        return target if holder is not None and not holder.visible else None


def _sends_only(element: Element) -> bool:
    return is_button(element) and not set(_shown(element)) & _GOING_ON


def _takes_entries(element: Element) -> bool:
    entry = takes_values(element) or offers_choices(element)
    return entry and not is_search(element)


def _name(element: Element) -> str:
    return element.name or element.value or element.text or element.title


def _shown(element: Element) -> tuple[str, ...]:
    return split_words(_name(element))


def _has_any(words: Iterable[str], wanted: Iterable[str], enough: float = 0.75) -> bool:
    asked = tuple(wanted)
    return any(word_similarity(word, other) >= enough for word in words for other in asked)


def _has_all(words: Sequence[str], wanted: Iterable[str], enough: float = 0.75) -> bool:
    return all(_has_any(words, (word,), enough) for word in wanted)


def _only_says(words: Sequence[str], verbs: Iterable[str], thing: Sequence[str]) -> bool:
    """Return whether a name has such a verb, and nothing else but the thing."""
    asked = tuple(verbs)
    rest = [w for w in words if w not in FREE.stop or w in FREE.making]
    is_verb = [_has_any((word,), asked, 0.95) for word in rest]
    others = [w for w, verb in zip(rest, is_verb, strict=True) if not verb]
    return any(is_verb) and all(_has_any((word,), thing) for word in others)
