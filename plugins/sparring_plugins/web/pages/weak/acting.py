"""How an intent is carried out on a page without a model: the element that its words name best.

Every choice is weak: it is made only if one candidate is clearly the best, and the others are kept
as its alternatives.
"""

from collections.abc import Callable

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.words import FREE, content, likeness, split_words
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    in_words,
    is_a_box,
    native_value,
    offers_choices,
    takes_clicks,
    takes_text,
    takes_values,
)
from sparring_plugins.web.pages.text_fit import bare, fit, plain

#: A lower score names nothing; the best must be better than the next by the margin.
from sparring_plugins.web.pages.weak.choosing import EDGES, MARGIN, WeakPlan, is_button, is_called
from sparring_plugins.web.pages.weak.form_plans import FormPlans, covers_words
from sparring_plugins.web.pages.weak.naming import Phrase, phrase_of
from sparring_plugins.web.roles import Candidate

#: Verbs that put something somewhere: a button may do it.
_PUTTING = frozenset({"put", "add", "place", "choose", "select", "pick", "give"})


class WeakPlanner(FormPlans):
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
            "enter_login": self._enter_login,
            "logout": self._logout,
            "search": self._search,
            "sort": self._sort,
            "filter": self._filter,
            "upload": self._upload,
            "clear": self._clear,
            "next": lambda i: self._named(FREE.next_names, i),
            "previous": lambda i: self._named(FREE.previous_names, i),
            "last": lambda i: self._named(FREE.last_names, i),
            "first": lambda i: self._named(FREE.first_names, i),
            "home": self._home,
            "submit": self._submit,
            "close": self._close,
            "drag": self._drag,
            "hover": self._hover,
            "open": self._click,
        }
        if intent.verb in ("back", "reload", "press"):
            act = GuiAction(action=intent.verb, value=intent.value or None)
            return WeakPlan((act,), intent.verb)
        return plans.get(intent.verb, self._click)(intent)

    def plan_exactly(self, intent: Intent) -> WeakPlan:
        """Return a click on the one control that has exactly the quoted name, wherever it is."""
        goes = intent.said.split()[0] in FREE.going
        exact = self._called(intent.words, intent.context) if goes else None
        if exact is None:
            return WeakPlan(reason=f"nothing else is called '{intent.words}'")
        return self._act("click", exact, f"{in_words(exact)} is called so")

    # Clicking

    def _click(self, intent: Intent) -> WeakPlan:
        words = intent.words
        if not content(words):
            return self._submit(intent)
        verb = intent.said.split()[0] if intent.said else "click"
        if intent.quoted and verb not in FREE.going:
            # "Remove 'Milk'" removes what is called so, and does not click on its name
            intent = intent.model_copy(
                update={"quoted": False, "context": f"{words} {intent.context}", "words": verb}
            )
            words = verb
        elif intent.quoted and (exact := self._called(words, intent.context)):
            return self._act("click", exact, f"{in_words(exact)} is called so")
        phrase = phrase_of(words, intent.context, intent.said, quoted=intent.quoted)
        clickable = self._doing(intent)
        chosen, reason, candidates = self._choose(phrase, clickable)
        if chosen is None and intent.context:  # the place may be described in words of the tester's
            bare_phrase = phrase_of(words, "", intent.said, quoted=intent.quoted)
            chosen, reason, candidates = self._choose(bare_phrase, clickable, enough=0.7)
        if chosen is None:
            if is_choice := self._choice_called(words):
                return is_choice
            return WeakPlan(reason=reason, candidates=candidates)
        if chosen.options or takes_text(chosen):
            return WeakPlan(reason=f"{in_words(chosen)} takes a value", candidates=candidates)
        if is_a_box(chosen) and intent.said in ("accept", "agree", "enable", "mark", "activate"):
            return self._act("check", chosen, reason, candidates=candidates)
        return self._act("click", chosen, reason, candidates=candidates)

    def _doing(self, intent: Intent) -> list[Element]:
        """Return what takes clicks and does what the verb says.

        "Add the lamp to the basket" needs something that adds, not the link 'Lamp'.
        """
        clickable = self._elements(takes_clicks)
        verb = intent.said.split()[0] if intent.said else ""
        if not verb or verb in FREE.going or intent.quoted:
            return clickable
        doing = [e for e in clickable if _has_verb(e, verb)]
        return doing or [e for e in clickable if is_a_box(e)]

    def _called(self, words: str, context: str) -> Element | None:
        """Return the one clickable with exactly this name, at the place if there are several."""
        elements = [
            e
            for e in self._elements(takes_clicks)
            if any(bare(t) == bare(words) for t in (e.name, e.text, e.title, e.value or "") if t)
            and not takes_text(e)
        ]
        if len(elements) > 1 and content(context):
            wanted = phrase_of(context).strong
            shares = {e.id: sum(any(likeness(w, o) >= 0.7 for o in self.surroundings.words(e))
                                for w in wanted) for e in elements}  # fmt: skip
            most = max(shares.values())
            elements = [e for e in elements if shares[e.id] == most]
        return self._prefer(elements) if elements else None

    def _choice_called(self, words: str) -> WeakPlan | None:
        """Return the selection of an option of the only list that has it: "Pick walnut"."""
        lists = [e for e in self._elements(offers_choices)
                 if any(plain(o.label) == plain(words) for o in e.options)]  # fmt: skip
        if len(lists) != 1:
            return None
        label = next(o.label for o in lists[0].options if plain(o.label) == plain(words))
        return self._act("select", lists[0], f"the list with '{label}'", label)

    def _named(self, names: tuple[str, ...], intent: Intent) -> WeakPlan:
        """Click what has one of the usual names: "›" for the next page."""
        for name in names:
            elements = [e for e in self._elements(takes_clicks) if is_called(e, name)]
            if elements:
                chosen = self._prefer(elements) or elements[0]
                return self._act("click", chosen, f"{in_words(chosen)} is a usual name for it")
        pages = [e for e in self._elements(takes_clicks) if e.attributes.get("rel") == intent.verb]
        if pages:
            return self._act("click", pages[0], "by its relation")
        return self._click(intent.model_copy(update={"verb": "click"}))

    def _home(self, intent: Intent) -> WeakPlan:
        plan = self._named(FREE.home_names, intent)
        if plan.acts:
            return plan
        links = [e for e in self._elements(lambda e: e.role == "link") if e.url and _is_root(e.url)]
        if links:
            return self._act("click", links[0], f"{in_words(links[0])} leads to the start page")
        return WeakPlan((GuiAction(action="open", value=None),), "the start page of the suite")

    def _logout(self, intent: Intent) -> WeakPlan:
        for name in FREE.log_out:
            elements = [e for e in self._elements(takes_clicks) if is_called(e, name)]
            if elements:
                return self._act("click", elements[0], f"{in_words(elements[0])}")
        return WeakPlan(reason="there is no control to log out with")

    def _submit(self, intent: Intent) -> WeakPlan:
        """Carry out the form: by the button that the words name, else by the form's only one."""
        chosen = self._button_said(intent) if intent.said else None
        if chosen is not None:
            return self._act("click", chosen, f"{in_words(chosen)} has the verb (weak reading)")
        form = self._last_form()
        own = [
            b
            for b in self._elements(is_button)
            if form is not None and self.layout.form_of(b) == form
        ]
        submits = [b for b in own if b.input_type in ("submit", "image") or b.tag == "button"]
        for group in (submits, own):
            if len(group) == 1:
                button = in_words(group[0])
                return self._act("click", group[0], f"{button} is the button of the form")
        if content(intent.words):
            return self._click_named(intent)
        return WeakPlan(reason="no button of the form is clearly meant")

    def _button_said(self, intent: Intent) -> Element | None:
        """Return the button that has the verb, and best the other words: "Run the query"."""
        if intent.quoted and (exact := self._called(intent.words, intent.context)):
            return exact
        verb = intent.said.split()[0]
        phrase = phrase_of(f"{intent.said} {intent.words}", intent.context)
        strong = tuple(w for w in phrase.strong if w not in ("instead", "changes", "form"))
        wanted = Phrase(strong or (verb,), phrase.weak)
        named = [
            naming
            for element in self._elements(takes_clicks)
            if _has_verb(element, verb)
            and (naming := self.surroundings.name(wanted, element)).own > 0
        ]
        most = max((naming.score for naming in named), default=0.0)
        return self._prefer([n.element for n in named if n.score >= most - MARGIN])

    def _click_named(self, intent: Intent) -> WeakPlan:
        phrase = phrase_of(intent.words, intent.context, intent.said)
        chosen, reason, candidates = self._choose(phrase, self._elements(takes_clicks))
        if chosen is None or takes_text(chosen):
            return WeakPlan(reason=reason, candidates=candidates)
        return self._act("click", chosen, reason, candidates=candidates)

    def _close(self, intent: Intent) -> WeakPlan:
        plan = self._named(("close", "×", "x", "✕", *sorted(VOCABULARY.close_names), "ok"), intent)
        return plan if plan.acts else self._click(intent)

    # Values

    def _field(self, intent: Intent, fits: Callable[[Element], bool]) -> tuple[
        Element | None, str, tuple[Candidate, ...]]:  # fmt: skip
        fields = self._elements(fits)
        if not content(intent.words):
            only = self._only_field(fields)
            return only, "the only field" if only else "several fields may be meant", ()
        phrase = phrase_of(intent.words, intent.context)
        chosen, reason, candidates = self._choose(phrase, fields, enough=0.5)
        if chosen is None and intent.context:
            chosen, reason, candidates = self._choose(phrase_of(intent.words), fields, enough=0.5)
        return chosen, reason, candidates

    def _only_field(self, fields: list[Element]) -> Element | None:
        """Return the field that is meant without a name: that of before, or the only one."""
        used = [act.target for act in self.task.acts if act.action in ("fill", "type")]
        same = [e for e in fields if used and e.id == used[-1]]
        form = self._last_form()
        inner = [e for e in fields if form is not None and self.layout.form_of(e) == form]
        main = [e for e in fields if not any(h.role in EDGES for h in self.layout.above(e))]
        groups = (same, inner, main, fields)
        return next((group[0] for group in groups if len(group) == 1), None)

    def _enter(self, intent: Intent) -> WeakPlan:
        """Put a value into a field, or choose it in a list or among boxes."""
        chosen, reason, candidates = self._field(
            intent, lambda e: takes_values(e) or offers_choices(e)
        )
        if chosen is not None and chosen.options:
            option = _option(chosen, intent.value)
            if option is None:
                return WeakPlan(reason=f"{in_words(chosen)} does not offer '{intent.value}'")
            return self._act("select", chosen, reason, option, candidates)
        if chosen is not None and not _refuses(chosen, intent):
            if takes_values(chosen) and not _is_widget(chosen):
                value = native_value(intent.value, chosen.input_type)
                fill = self._act("fill", chosen, reason, value, candidates)
                if not adds(intent):
                    return fill
                enter = self._act("press", chosen, "Enter adds it", "Enter")
                return WeakPlan((*fill.acts, *enter.acts), reason, candidates)
            return self._act("select", chosen, reason, intent.value, candidates)
        return self._choose_value(intent, reason, candidates)

    def _choose_value(
        self, intent: Intent, reason: str, candidates: tuple[Candidate, ...]
    ) -> WeakPlan:
        """Choose a value that no field takes: a box, an option, or a button that adds it."""
        if box := self._box_called(intent.value, intent.words):
            return self._act("check", box, f"{in_words(box)} is called so", candidates=candidates)
        if choice := self._choice_called(intent.value):
            return choice
        wanted = intent.model_copy(
            update={"verb": "click", "words": f"{intent.value} {intent.words}", "value": "",
                    "quoted": False}
        )  # fmt: skip
        # "Put the lamp into the basket": no field is called so; a button adds it
        clicked = self._click(wanted)
        if clicked.acts and intent.said in _PUTTING:
            return clicked
        return WeakPlan(reason=reason, candidates=candidates)

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
        phrase = phrase_of(intent.words, intent.context, quoted=intent.quoted)
        chosen, reason, candidates = self._choose(phrase, boxes, enough=0.45)
        if chosen is None and len(boxes) == 1 and not phrase.strong:
            chosen, reason = boxes[0], "the only box"
        if chosen is None:
            return WeakPlan(reason=reason, candidates=candidates)
        return self._act(intent.verb, chosen, reason, candidates=candidates)

    def _clear(self, intent: Intent) -> WeakPlan:
        chosen, reason, candidates = self._field(intent, takes_text)
        if chosen is None:
            return WeakPlan(reason=reason, candidates=candidates)
        return self._act("fill", chosen, reason, "", candidates)

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
        chosen, reason, candidates = self._choose(phrase_of(intent.words), seen)
        if chosen is None:
            return WeakPlan(reason=reason, candidates=candidates)
        return self._act("hover", chosen, reason, candidates=candidates)

    def _filter(self, intent: Intent) -> WeakPlan:
        if not intent.words:
            return WeakPlan(reason="it is not clear what to filter by")
        chosen, reason, candidates = self._field(
            intent, lambda e: takes_values(e) or offers_choices(e)
        )
        if chosen is not None and chosen.options and (option := _option(chosen, intent.value)):
            return self._act("select", chosen, reason, option, candidates)
        if chosen is not None and takes_text(chosen):
            fill = self._act("fill", chosen, reason, intent.value).acts
            press = self._act("press", chosen, reason, "Enter").acts
            return WeakPlan((*fill, *press), reason, candidates)
        wanted = intent.model_copy(
            update={"verb": "click", "words": intent.value, "context": intent.words}
        )
        return self._click(wanted)


def adds(intent: Intent) -> bool:
    """Return whether a text is entered and sent: "Add the task 'Buy milk'"."""
    return intent.said == "add" and intent.verb == "fill" and intent.quoted


def _has_verb(element: Element, verb: str) -> bool:
    texts = (element.name, element.value or "", element.title, element.attributes.get("class", ""),
             element.attributes.get("data-testid", ""))  # fmt: skip
    return any(
        likeness(verb, word) >= 0.75
        for text in texts
        for word in split_words(text.replace("-", " "))[:8]
    ) and not takes_text(element)


def _is_widget(element: Element) -> bool:
    """Return whether it is a list made of plain elements, from which one selects."""
    return element.role in VOCABULARY.sets["LIST"] and not takes_text(element)


def _refuses(element: Element, intent: Intent) -> bool:
    """Return whether a field would not take the value: no number, or no text at all."""
    if element.role == "spinbutton" or element.input_type == "number":
        return not any(char.isdigit() for char in intent.value)
    return intent.described and takes_text(element)


def _is_root(url: str) -> bool:
    path = url.split("://", 1)[-1].partition("/")[2]
    return path in ("", "index.html")


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
