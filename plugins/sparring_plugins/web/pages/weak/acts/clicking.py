"""Plans for clicks: which control the words of an intent mean, and what leads to it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.looser import thing_of
from sparring_plugins.web.grammar.free.places import read_places, split_places, split_way
from sparring_plugins.web.grammar.free.sentences import confirms
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, word_similarity
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
)
from sparring_plugins.web.pages.opposites import contradicts
from sparring_plugins.web.pages.text_fit import bare, plain
from sparring_plugins.web.pages.weak.acts.clickables import (
    calls_off,
    closer_of,
    closes_another,
    has_a_name,
    has_verb,
    is_root,
    makes_new,
    only_takes_clicks,
    shows_sign,
)
from sparring_plugins.web.pages.weak.acts.folded_menus import find_opener, hidden_controls
from sparring_plugins.web.pages.weak.acts.form_plans import option_meant
from sparring_plugins.web.pages.weak.acts.left_out import (
    counts_instead,
    find_condition,
    leaves_out,
    why_left_out,
)
from sparring_plugins.web.pages.weak.acts.pointing import PointingPlans
from sparring_plugins.web.pages.weak.acts.whole_sentence import makes_something
from sparring_plugins.web.pages.weak.page.choosing import (
    EDGES,
    MARGIN,
    TOPMOST,
    Choice,
    WeakPlan,
    is_button,
    is_called,
    only_draws,
)
from sparring_plugins.web.pages.weak.page.naming import (
    Phrase,
    phrase_of,
    proper_words,
    ranked,
)
from sparring_plugins.web.pages.weak.page.places import most_specific

#: "Accept the rules" ticks a box; most other verbs never do.
_AGREEING = frozenset({"accept", "agree", "enable", "mark", "activate"})
_PICKING = frozenset({"choose", "select", "pick", "click"})
_PARTS_OF_ROWS = frozenset({"row", "cell", "gridcell", "rowheader", "listitem", "generic", "text"})
_SWITCHING = frozenset({"switch", "turn", "move", "change", "return"})
#: "Press it" and "Finish" carry out a form, as what submits does.
_CARRYING_OUT = FREE.submitters | {"click", "press", "hit", "tap", "push", "finish", "accept"}


#: Pages that are turned to reach the last one: a click is tried three times at most.
_MOST_PAGES = 2
_WAY_NOUNS = re.compile(r"^(?:the|your|my|our) |(?<!\s)\s+(?:menu|section|box|area|tab)$", re.I)
#: "the row Oak": the noun says only what kind of thing it is.
_WITHOUT_NOUN = re.compile(r"^(?:the )?[a-z]+ (?=\S)")


_BACK_TO = re.compile(r"(?:back |again )?(?:to|from|into)\b", re.I)


class ClickPlans(PointingPlans):
    """Plans for what is clicked on."""

    def _click(self, intent: Intent) -> WeakPlan:
        verb = (intent.said or "click").split()[0]
        if not content(intent.words) and not intent.quoted:
            return self._click_capital(intent) or self._click_unnamed(intent, verb)
        if same := self._click_same(intent):
            return same
        if drawn := self._click_sign(intent) or self._fold(intent):
            return drawn
        if special := self._move(intent) or self._choose_in_list(intent) or self._owned(intent):
            return special
        if intent.quoted and (plan := self._click_quoted(intent, verb)):
            return plan
        if intent.quoted and verb not in FREE.going:
            intent = self._as_verb(intent, verb)
        return self._click_chosen(intent, verb)

    def _click_chosen(self, intent: Intent, verb: str) -> WeakPlan:
        """Return a click on what is chosen, or a way to it."""
        named = thing_of(intent) if verb in FREE.opening or verb in FREE.going else ""
        if named and (thing := self._find_by_name(named, intent.context)):
            return self._act("click", thing, f"{in_words(thing)} is called so (weak reading)")
        chosen, reason, candidates = self._choose_control(intent, verb)
        if chosen is not None and counts_instead(intent, chosen, self.surroundings):
            return WeakPlan((), why_left_out(chosen), candidates)
        if not intent.quoted and (condition := find_condition(intent.words, chosen)):
            return WeakPlan((), f"it depends on what follows '{condition}'", candidates)
        if way := self._unfold_exactly(intent, chosen) or self._go_another_way(intent, chosen):
            return way
        if chosen is None:
            return WeakPlan((), reason, candidates)
        if ticked := self._tick_row_of(chosen, intent):
            return ticked
        action = "check" if is_a_box(chosen) and intent.said in _AGREEING else "click"
        return self._act(action, chosen, reason, candidates=candidates)

    def _click_quoted(self, intent: Intent, verb: str) -> WeakPlan | None:
        """Return what a verb means for a quotation that is a name, an option, or nowhere at all."""
        if verb in FREE.going:
            exact = self._find_by_name(intent.words, intent.context)
            if exact and (ticked := self._tick_row_of(exact, intent)):
                return ticked
            return self._act("click", exact, f"{in_words(exact)} is called so") if exact else None
        if option := self._carry_out_option(intent, verb):
            return option
        if self._shows(intent.words):
            return None
        # "Add a bill 'Ferry'" is no click on what adds something else
        return WeakPlan(reason=f"nothing on the page is called '{intent.words}'")

    def _shows(self, words: str) -> bool:
        """Return whether a text stands somewhere on the page, or in a field of it."""
        wanted = plain(words)
        return any(
            wanted in plain(text)
            for e in self.layout.snapshot.elements
            for text in (e.name, e.text, e.value or "", e.title)
            if text
        )

    def _carry_out_option(self, intent: Intent, verb: str) -> WeakPlan | None:
        """Choose an option of a list and press the button beside it: "Run the action 'Move'"."""
        wanted = plain(intent.words)
        lists = [
            e for e in self._elements(lambda e: bool(e.options))
            if any(plain(o.label) == wanted for o in e.options)
        ]  # fmt: skip
        if len(lists) != 1:
            return None
        form = self.layout.form_of(lists[0])
        buttons = [b for b in self._elements(is_button) if self.layout.form_of(b) == form]
        doing = [b for b in buttons if has_verb(b, verb)]
        if form is None or len(doing) != 1:
            return None
        label = next(o.label for o in lists[0].options if plain(o.label) == wanted)
        chosen = self._act("select", lists[0], "it offers it", label)
        done = self._act("click", doing[0], f"{in_words(doing[0])} has the verb")
        return WeakPlan((*chosen.acts, *done.acts), "the option, and the button beside it")

    def _click_capital(self, intent: Intent) -> WeakPlan | None:
        """Click on a name of words that say nothing elsewhere: "Look at More"."""
        if not intent.words[:1].isupper():
            return None
        named = self._find_by_name(intent.words, intent.context)
        return self._act("click", named, f"{in_words(named)} is called so") if named else None

    def _click_unnamed(self, intent: Intent, verb: str) -> WeakPlan:
        """Return a click for words that name nothing: "Submit it", "Show all of them"."""
        everything = "all" in split_words(intent.words) and self._find_by_name("all", "")
        if everything:
            return self._act("click", everything, f"{in_words(everything)} is called so")
        if again := self._click_again(verb):
            return again
        return self._submit(intent) if verb in FREE.submitters else self._on_it(intent, verb)

    def _choose_in_list(self, intent: Intent) -> WeakPlan | None:
        if intent.said not in _PICKING or intent.quoted:
            return None
        choice = option_meant(intent.words, self._elements(lambda e: bool(e.options)))
        if choice is not None and not choice[1]:
            return WeakPlan(reason=f"{in_words(choice[0])} does not offer '{intent.words}'")
        reason = f"{in_words(choice[0])} offers it" if choice else ""
        return self._act("select", choice[0], reason, choice[1]) if choice else None

    def _by_detour(self, intent: Intent) -> WeakPlan | None:
        """Return how a control is reached that cannot be clicked on as the page is."""
        other = self._choice_called(intent.words) or self._log_in(intent)
        other = other or self.reveal(intent) or self._confirm(intent) or self._unfold_menu(intent)
        return other or self._follow_way(intent) or self._pick_in_row(intent)

    def _unfold_menu(self, intent: Intent) -> WeakPlan | None:
        """Return the only sign that opens a menu: a plus for "Expand the round menu"."""
        named = proper_words(intent.words)
        is_name = len(named) > 1 or any(word[:1].isupper() for word in intent.words.split())
        if intent.quoted or is_name or "menu" not in split_words(intent.words):
            return None  # the menu of Oak is not that of anything else
        signs = self._elements(lambda e: takes_clicks(e) and shows_sign(e))
        rest = self._distinct(signs)
        if len(rest) != 1:
            return None
        return self._act("click", rest[0], f"{in_words(rest[0])} opens a menu (weak reading)")

    def _log_in(self, intent: Intent) -> WeakPlan | None:
        """Return the only button of the form just filled in: 'Enter' for "press login"."""
        filled = self.task.acts and self.task.acts[-1].action in ("fill", "type", "check")
        if intent.quoted or not filled or plain(intent.words) not in FREE.log_in:
            return None
        form = self._last_form()
        own = [b for b in self._elements(is_button) if self.layout.form_of(b) == form]
        if len(own) != 1:
            return None
        return self._act("click", own[0], "the form's only button (weak reading)")

    def _confirm(self, intent: Intent) -> WeakPlan | None:
        """Return the only button of an open dialog that does not call it off: "Confirm it".

        A page that only asks is as good as a dialog.
        """
        if intent.said not in ("confirm", "accept") or intent.quoted:
            return None
        rest = self._distinct(self._answers(intent))
        if len(rest) != 1:
            return None
        return self._act("click", rest[0], f"{in_words(rest[0])} confirms (weak reading)")

    def _answers(self, intent: Intent) -> list[Element]:
        """Return the buttons that agree to what is asked, in the dialog or on the page."""
        dialogs = [e for e in self.layout.snapshot.elements if e.role in TOPMOST and e.visible]
        buttons = [b for b in self._elements(is_button) if not contradicts(intent.said, b)]
        if dialogs:
            buttons = [b for b in buttons if self.layout.holds(dialogs[-1], b)]
        elif self._elements(takes_text) or not confirms(f"{intent.said} {intent.words}"):
            return []
        return [b for b in buttons if not calls_off(b)]

    def _tick_row_of(self, chosen: Element, intent: Intent) -> WeakPlan | None:
        """Return a tick for "Select 'Oak'" in a table whose rows have a box each."""
        return self._pick_in_row(intent) if chosen.role in _PARTS_OF_ROWS else None

    def _pick_in_row(self, intent: Intent) -> WeakPlan | None:
        """Return "Select the row Oak" as a tick of the only box in that row."""
        if intent.said not in _PICKING or intent.said == "click":
            return None
        words = intent.words if intent.quoted else _WITHOUT_NOUN.sub("", intent.words)
        named = intent.model_copy(update={"words": words})
        box = self._box_in_row(named, self._elements(is_a_box))
        return self._act("check", box, "the only box in its row (weak reading)") if box else None

    def _choose_control(self, intent: Intent, verb: str) -> Choice:
        """Choose what is clicked on: by its name, without the place, or by what it does."""
        clickable = self._doing(intent)
        choice = self._choose_meant(intent, clickable)
        if choice[0] is None and intent.context:  # the place may have words of the tester's
            bare_phrase = phrase_of(intent.words, "", intent.said, quoted=intent.quoted)
            meant = [e for e in clickable if not contradicts(f"{verb} {intent.words}", e)]
            choice = self._choose(bare_phrase, meant, enough=0.7)
        # "Return the ladder" goes nowhere, as "return to the list" does
        goes = verb in FREE.going and not (verb == "return" and not _BACK_TO.match(intent.words))
        by_deed = not goes and not intent.quoted and self._has_doer(verb)
        if choice[0] is None and by_deed:
            # "Remove the lamp from the basket": what removes, in the row of the lamp
            choice = self._choose_meant(self._as_verb(intent, verb), clickable)
            headings = self._elements(lambda e: e.role == "heading")
            if choice[0] and leaves_out(intent, choice[0], self.surroundings, headings):
                choice = None, why_left_out(choice[0]), choice[2]
        if choice[0] is None and (drawn := self._only_drawn(intent, clickable)):
            return drawn, f"{in_words(drawn)} is the only one without a name (weak reading)", ()
        return choice

    def _only_drawn(self, intent: Intent, clickable: Sequence[Element]) -> Element | None:
        """Return the only control of the main part that is drawn: "Click on the plus"."""
        name = split_places(intent.words)[0]
        if intent.quoted or not only_draws(name):
            return None
        nameless = [e for e in clickable if not has_a_name(e) and not is_a_box(e)]
        main = [e for e in nameless if not any(h.role in EDGES for h in self.layout.above(e))]
        # beside a table, each of whose rows has such a control, the one outside of them
        buttons = [e for e in nameless if e.role == "button" and not e.row]
        if len(main) != 1 and len(buttons) == 1:
            return buttons[0]
        rest = self._distinct(main)
        return rest[0] if len(rest) == 1 else None

    def _has_doer(self, verb: str) -> bool:
        return any(has_verb(e, verb) for e in self._elements(takes_clicks))

    def _on_it(self, intent: Intent, verb: str) -> WeakPlan:
        """Return "edit it" as a click on what edits, nearest to what was spoken of before."""
        focus = self.neighbourhood.focus_name
        doing = [e for e in self._doing(intent) if not contradicts(verb, e)]
        if verb in _SWITCHING:  # "Switch it off" goes nowhere
            doing = [e for e in doing if has_verb(e, verb)]
        anchored = bool(self.neighbourhood.anchors("it"))
        near = self.neighbourhood.nearest(doing, ("it",)) if anchored else doing
        chosen = self._prefer(near)
        if chosen is not None and content(verb):
            return self._act("click", chosen, f"{in_words(chosen)} for '{focus}' (weak reading)")
        if content(verb) and verb not in _CARRYING_OUT and self._button_said(intent) is None:
            # "Turn them back on" sends no form
            return WeakPlan(reason=f"nothing says what to {verb}")
        return self._submit(intent)

    def _as_verb(self, intent: Intent, verb: str) -> Intent:
        """Return "Remove 'Milk'" as a click on what removes, in the place of 'Milk'.

        It does not click on the name.
        """
        context = f"{intent.words} in {intent.context}" if intent.context else intent.words
        return intent.model_copy(
            update={"quoted": False, "context": context, "words": verb, "said": verb}
        )

    def _doing(self, intent: Intent) -> list[Element]:
        """Return what takes clicks and does what the verb says.

        "Add the lamp to the basket" needs something that adds, not the link 'Lamp'; "Open the
        lamp" leads somewhere, which no box and no text field does.
        """
        clickable = self._elements(only_takes_clicks)
        verb = intent.said.split()[0] if intent.said else ""
        if intent.said in FREE.opening:
            said = f"{intent.words} {intent.context}"
            return [e for e in clickable if not is_a_box(e) and not makes_new(e, said)]
        if not verb or verb in FREE.going or intent.quoted:
            return clickable
        boxes = [e for e in clickable if is_a_box(e)] if intent.said in _AGREEING else []
        return [e for e in clickable if has_verb(e, verb)] or boxes

    def reveal(self, intent: Intent) -> WeakPlan | None:
        """Return a pointing at the card or row whose control is hidden until one points there."""
        if self.again:
            return None
        verb = intent.said.split()[0] if intent.said else "click"
        if intent.quoted and verb not in FREE.going:
            intent = self._as_verb(intent, verb)
        if way := self._open_way(intent):
            return way
        hidden = hidden_controls(self.layout)
        if intent.said in FREE.opening:  # "Open order 12" ticks no box of its row
            hidden = [e for e in hidden if not is_a_box(e)]
        chosen, _, _ = self._choose_meant(intent, hidden, enough=0.6)
        if chosen is None:
            return None
        return self._unfold(chosen) or self._point_at_holder(chosen)

    def _point_at_holder(self, hidden: Element) -> WeakPlan | None:
        for holder in self.layout.above(hidden):
            if holder.visible and holder.role in VOCABULARY.groups:
                plan = self._act("hover", holder, f"{in_words(hidden)} is hidden in it")
                return replace(plan, again=True)
        return None

    def _unfold(self, hidden: Element) -> WeakPlan | None:
        """Return a click on what opens the menu with a hidden control."""
        clickable = [e for e in self._elements(takes_clicks) if not takes_text(e)]
        opener = find_opener(hidden, clickable, self.layout)
        if opener is None:
            return None
        return self._click_first(opener, f"{in_words(hidden)} lies in what it opens")

    def _unfold_exactly(self, intent: Intent, chosen: Element | None) -> WeakPlan | None:
        """Return what unfolds the only hidden control with just this name.

        "Press Attach print" is no click on the heading 'Attachments', below which it is folded.
        """
        name = bare(re.sub(r"^(?:the|on) ", "", intent.words))
        is_there = chosen is not None and is_called(chosen, name)
        return None if self.again or is_there else self._unfold_called(name)

    def _unfold_called(self, name: str) -> WeakPlan | None:
        """Return what unfolds the only hidden control that is called just so."""
        called = [e for e in hidden_controls(self.layout) if is_called(e, name)]
        return self._unfold(called[0]) if len(called) == 1 else None

    def _follow_way(self, intent: Intent) -> WeakPlan | None:
        """Return a click on what leads to the thing: "Open Books from the Catalogue menu"."""
        way = split_way(intent.words)[1] or intent.context
        if self.again or not proper_words(way) or intent.said not in (*FREE.opening, *_PICKING):
            return None
        doing = [e for e in self._elements(takes_clicks) if not takes_text(e) and not is_a_box(e)]
        step = intent.model_copy(update={"words": way, "context": "", "quoted": False})
        chosen, reason, candidates = self._choose_meant(step, doing, enough=0.7)
        if chosen is None:
            return None
        return self._click_first(chosen, f"leads there: {reason}", candidates)

    def _opener_of_way(self, intent: Intent) -> Element | None:
        """Return the control that is called as what leads to a thing: "under Settings"."""
        name, way = split_way(intent.words)
        if self.again or intent.quoted or not proper_words(way) or not proper_words(name):
            return None
        return self._find_by_name(_WAY_NOUNS.sub("", way), "")

    def _open_way(self, intent: Intent) -> WeakPlan | None:
        opener = self._opener_of_way(intent) if intent.said in FREE.opening else None
        if opener is None:
            return None
        return self._click_first(opener, f"{in_words(opener)} leads there")

    def _go_another_way(self, intent: Intent, chosen: Element | None) -> WeakPlan | None:
        """Return a way to what is not in view: nothing was chosen, or something less than said.

        "Open the users under Settings": 'Account' means the same, but lies elsewhere.
        """
        return self._by_detour(intent) if chosen is None else self._go_by_way(intent, chosen)

    def _go_by_way(self, intent: Intent, chosen: Element) -> WeakPlan | None:
        """Return a click on the menu that is named as the way to something not yet in view."""
        (name, way), opener = split_way(intent.words), self._opener_of_way(intent)
        if opener is None:
            return None
        shown = split_words(chosen.name or chosen.text or chosen.title)
        named = proper_words(name)
        # "the guides under Snippets" are no 'editor guide' elsewhere, whose name says more
        said = [
            o for o in shown if o in FREE.stop or any(word_similarity(w, o) > 0.7 for w in named)
        ]
        is_said = all(any(word_similarity(w, o) >= 0.95 for o in shown) for w in named)
        if is_said and (2 * len(said) > len(shown) or self.neighbourhood.is_near(chosen, (way,))):
            return None
        if opener.id == chosen.id or self.layout.holds(opener, chosen):
            return None
        return self._click_first(opener, f"{in_words(opener)} leads there")

    def _find_by_name(self, words: str, context: str) -> Element | None:
        """Return the one clickable with exactly this name, at the place if there are several."""
        elements = [
            e
            for e in self._elements(takes_clicks)
            if any(bare(t) == bare(words) for t in (e.name, e.text, e.title, e.value or "") if t)
            and not takes_text(e)
        ]
        if len(elements) > 1 and context:
            elements = self.neighbourhood.nearest(elements, read_places(context))
        return self._prefer(elements) if elements else None

    def _choice_called(self, words: str) -> WeakPlan | None:
        """Return the selection of an option of the only list that has it: "Pick walnut"."""
        lists = [e for e in self._elements(offers_choices)
                 if any(plain(o.label) == plain(words) for o in e.options)]  # fmt: skip
        if len(lists) != 1:
            return None
        label = next(o.label for o in lists[0].options if plain(o.label) == plain(words))
        return self._act("select", lists[0], f"the list with '{label}'", label)

    def _box_in_row(self, intent: Intent, boxes: Sequence[Element]) -> Element | None:
        """Return the only box in the row that is named: "Tick the rows 'A' and 'B'"."""
        places = (intent.words, *read_places(intent.context))
        near = [e for e in boxes if e.row and self.neighbourhood.is_near(e, places)]
        rest = self._distinct(self.neighbourhood.nearest(near, places))
        return rest[0] if len(rest) == 1 else None

    def _click_usual_name(self, names: tuple[str, ...], intent: Intent) -> WeakPlan:
        """Click what has one of the usual names: "›" for the next page."""
        for name in names:
            elements = [e for e in self._elements(takes_clicks) if is_called(e, name)]
            if elements:
                chosen = self._prefer(elements) or elements[0]
                return self._act("click", chosen, f"{in_words(chosen)} is a usual name for it")
        pages = [e for e in self._elements(takes_clicks) if e.attributes.get("rel") == intent.verb]
        if pages:
            return self._act("click", pages[0], "by its relation")
        if intent.verb == "last" and (on := self._go_on_to_last(intent)):
            return on
        if not proper_words(intent.words):  # "the last page" is nothing that has a page in it
            return WeakPlan(reason=f"nothing leads to the {intent.words}")
        return self._click(intent.model_copy(update={"verb": "click"}))

    def _go_on_to_last(self, intent: Intent) -> WeakPlan | None:
        """Return one page further, or a wait on the last page. Some lists only have arrows."""
        following = [
            e
            for name in FREE.next_names
            for e in self.layout.snapshot.elements
            if e.visible and takes_clicks(e) and is_called(e, name)
        ]
        enabled = [e for e in following if not e.disabled]
        if following and not enabled:
            return WeakPlan((GuiAction(action="wait", value=0.05),), "it is the last page")
        if not enabled or self.again >= _MOST_PAGES:
            return None
        return self._click_first(enabled[0], f"{in_words(enabled[0])} leads one page further")

    def _turn_to_page(self, intent: Intent) -> WeakPlan:
        """Click on the number of a page: "2", "Page 2", "Go to page 2", and not a cell with a 2."""
        wanted = (intent.value, f"page {intent.value}", f"go to page {intent.value}")
        links = [
            e
            for e in self._elements(takes_clicks)
            if any(is_called(e, name) for name in wanted) and not self._is_in_data_row(e)
        ]
        if not links and intent.value == "1":
            return self._click_usual_name(FREE.first_names, intent)
        if not links:
            return WeakPlan(reason=f"nothing leads to page {intent.value}")
        return self._act("click", self._prefer(links) or links[0], "the number of the page")

    def _home(self, intent: Intent) -> WeakPlan:
        plan = self._click_usual_name(FREE.home_names, intent)
        if plan.acts:
            return plan
        links = [e for e in self._elements(lambda e: e.role == "link") if e.url and is_root(e.url)]
        if links:
            return self._act("click", links[0], f"{in_words(links[0])} leads to the start page")
        return WeakPlan((GuiAction(action="open", value=None),), "the start page of the suite")

    def _logout(self, intent: Intent) -> WeakPlan:
        for name in FREE.log_out:
            elements = [e for e in self._elements(takes_clicks) if is_called(e, name)]
            if elements:
                return self._act("click", elements[0], f"{in_words(elements[0])}")
        hidden = [
            e for name in FREE.log_out for e in hidden_controls(self.layout) if is_called(e, name)
        ]
        unfolding = self._unfold(hidden[0]) if hidden and not self.again else None
        return unfolding or WeakPlan(reason="there is no control to log out with")

    def _submit(self, intent: Intent) -> WeakPlan:
        """Carry out the form: by the button that the words name, else by the form's only one."""
        chosen = self._button_said(intent) if intent.said else None
        if chosen is not None:
            return self._act("click", chosen, f"{in_words(chosen)} has the verb (weak reading)")
        if confirmed := self._confirm(intent):
            return confirmed
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
        if set(content(intent.words)) <= {"form"} and (only := self._only_submit()):
            return self._act("click", only, f"{in_words(only)} is the button of the only form")
        if content(intent.words):
            return self._click_named(intent)
        return WeakPlan(reason="no button of the form is clearly meant")

    def _button_said(self, intent: Intent) -> Element | None:
        """Return the button that has the verb, and best the other words: "Print the label"."""
        if intent.quoted and (exact := self._find_by_name(intent.words, intent.context)):
            return exact
        verb = intent.said.split()[0]
        phrase = phrase_of(f"{intent.said} {intent.words}", intent.context)
        strong = tuple(w for w in phrase.strong if w not in ("instead", "changes", "form"))
        wanted = Phrase(strong or (verb,), phrase.weak)
        named = [
            naming
            for element in self._elements(only_takes_clicks)
            if has_verb(element, verb)
            and not is_a_box(element)
            and not contradicts(f"{intent.said} {intent.words}", element)
            and (naming := self.surroundings.name(wanted, element)).own > 0
        ]
        most = max((naming.score for naming in named), default=0.0)
        return self._prefer([n.element for n in named if n.score >= most - MARGIN])

    def _click_named(self, intent: Intent) -> WeakPlan:
        phrase = phrase_of(intent.words, intent.context, intent.said)
        meant = [e for e in self._elements(takes_clicks) if not contradicts(intent.said, e)]
        chosen, reason, candidates = self._choose(phrase, meant)
        if chosen is None or takes_text(chosen):
            return WeakPlan(reason=reason, candidates=candidates)
        if intent.said in FREE.making and not makes_something(chosen):
            # "Create a new topic" does not watch the topic
            return WeakPlan(reason=f"{in_words(chosen)} makes nothing", candidates=candidates)
        return self._act("click", chosen, reason, candidates=candidates)

    def _close(self, intent: Intent) -> WeakPlan:
        said = f"{intent.said} {intent.words}"
        clickable, phrase = self._elements(takes_clicks), phrase_of(intent.said, "", "")
        whole = [n for n in ranked(phrase, clickable, self.surroundings) if n.own]
        specific = [n.element for n in most_specific(whole, said)]
        chosen = self._prefer(specific) if len(specific) < len(whole) else None
        if chosen is not None:  # "Close all notes": 'close all', not 'close'
            return self._act("click", chosen, "its whole name is said")
        names = ("close", "×", "x", "✕", *sorted(VOCABULARY.close_names), "ok")
        closers = [e for e in clickable if any(is_called(e, name) for name in names)]
        if own := closer_of(intent.words, closers, self.layout):
            return self._act("click", own, "it closes what is headed so (weak reading)")
        plan = self._click_usual_name(names, intent)
        button = self.layout.by_id.get(plan.acts[0].target or "") if plan.acts else None
        if button is not None and closes_another(button, intent.words, self.layout):
            plan = WeakPlan(reason=f"{in_words(button)} closes nothing that is called so")
        return plan if plan.acts else self._click(intent)
