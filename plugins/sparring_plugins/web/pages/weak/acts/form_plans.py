"""Plans for what most applications have: signing in, searching, sorting."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.words import (
    FREE,
    content,
    described,
    has_phrase,
    split_words,
    stem,
    stems,
    word_similarity,
)
from sparring_plugins.web.pages.controls import (
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
)
from sparring_plugins.web.pages.opposites import contradicts
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.page.choosing import (
    EDGES,
    NAME_OF_ACT,
    Chooser,
    WeakPlan,
    is_button,
    is_called,
)
from sparring_plugins.web.pages.weak.page.naming import Phrase

_SAME_WORD = 0.75


class FormPlans(Chooser):
    """Plans for forms that most applications have."""

    def _password_field(self) -> Element | None:
        fields = [e for e in self._elements(takes_text) if e.input_type == "password"]
        forms: dict[str | None, list[Element]] = {}
        for element in fields:
            forms.setdefault(self.layout.form_of(element), []).append(element)
        # of a form to log in and one to register, that with one password is to log in
        single = [group[0] for group in forms.values() if len(group) == 1]
        if len(single) > 1:
            # a form to create something may have one password, too: the button says which it is
            single = [e for e in single if self._has_login_button(e)]
        if len(single) == 1:
            return single[0]
        return fields[0] if len(forms) == 1 and fields else None

    def _has_login_button(self, password: Element) -> bool:
        form = self.layout.form_of(password)
        buttons = [b for b in self._elements(is_button) if self.layout.form_of(b) == form]
        return any(has_phrase(plain(b.name or b.value or b.text), FREE.log_in) for b in buttons)

    def _fields_before(self, password: Element) -> list[Element]:
        form, place = self.layout.form_of(password), self.layout.order[password.id]
        return [
            e
            for e in self._elements(takes_text)
            if self.layout.form_of(e) == form and self.layout.order[e.id] < place
        ]

    def _credential(self, intent: Intent) -> WeakPlan:
        """Enter the one value that a sentence gives: the secret, unless a user is asked for too."""
        password = self._password_field()
        if password is None:
            return self._go_to_login()
        if any(not field.value for field in self._fields_before(password)):
            return WeakPlan(
                reason=f"whether '{intent.value}' is the user or the password is not said"
            )
        return self._password(intent)

    def _user(self, intent: Intent) -> WeakPlan:
        password = self._password_field()
        if password is None:
            return self._go_to_login()
        before = self._fields_before(password)
        if not before:
            return WeakPlan(reason="there is no field for the user before that for the password")
        return self._act("fill", before[-1], "the field before the password", intent.value)

    def _go_to_login(self) -> WeakPlan:
        if any(e.input_type == "password" for e in self._elements(takes_text)):
            # its button would send an empty form, and seem to have done something
            return WeakPlan(reason="several forms have a field for a password")
        for name in FREE.log_in:
            elements = [e for e in self._elements(takes_clicks) if is_called(e, name)]
            if elements and self.again == 0:
                return self._click_first(elements[0], f"{in_words(elements[0])} leads to the form")
        for element in self._elements(takes_clicks):
            has_name = has_phrase(plain(element.name or element.text), FREE.log_in)
            if has_name and len(split_words(element.name or element.text)) <= 4 and self.again == 0:
                return self._click_first(element, f"{in_words(element)} leads to the form")
        return WeakPlan(reason="there is no field for a password")

    def _password(self, intent: Intent) -> WeakPlan:
        password = self._password_field()
        if password is None:
            return self._go_to_login()
        fill = self._act("fill", password, "the field for the password", intent.value)
        known = self._user_known(password)
        return WeakPlan((*known, *fill.acts), fill.reason)

    def _user_known(self, password: Element) -> tuple[GuiAction, ...]:
        """Enter the last user name again if a failed login has emptied its field."""
        before = self._fields_before(password)
        if not before or before[-1].value:
            return ()
        name = in_words(before[-1])
        values = [a.value for a in self.task.acts if a.action == "fill" and a.described == name]
        if not values or not values[-1]:
            return ()
        return self._act("fill", before[-1], "the last user name", str(values[-1])).acts

    def _enter_login(self, intent: Intent) -> WeakPlan:
        password = self._password_field()
        if password is None:
            return replace(self._go_to_login(), again=False)
        if not self._has_entered(password) and len(content(intent.value)) > 1:
            # its button would send an empty form, and seem to have done something
            return WeakPlan(reason=f"who logs in is not clear from '{intent.value}'")
        form = self.layout.form_of(password)
        buttons = [b for b in self._elements(is_button) if self.layout.form_of(b) == form]
        named = [b for b in buttons if has_phrase(plain(b.name or b.value or b.text), FREE.log_in)]
        submits = [b for b in buttons if b.input_type == "submit" or b.tag == "button"]
        for group in (named, submits, buttons):
            if len(group) == 1:
                return self._act("click", group[0], f"{in_words(group[0])} is the form's button")
        return self._act("press", password, "Enter sends the form", "Enter")

    def _has_entered(self, field: Element) -> bool:
        return bool(field.value) or any(act.target == field.id for act in self.task.acts)

    def _search(self, intent: Intent) -> WeakPlan:
        fields = [e for e in self._elements(takes_text) if is_search(e)]
        if not fields:
            fields = self._elements(lambda e: takes_text(e) and e.role in ("searchbox", "textbox"))
            if len(fields) != 1:
                return self._go_to_search(intent, len(fields))
        main = [e for e in fields if not any(h.role in EDGES for h in self.layout.above(e))]
        chosen = (main or fields)[0]
        fill = self._act("fill", chosen, "the field to search", intent.value).acts
        if (button := self._search_button(chosen)) is not None:
            start = self._act("click", button, "it starts the search").acts
        else:
            start = self._act("press", chosen, "Enter starts the search", "Enter").acts
        return WeakPlan((*fill, *start), f"{in_words(chosen)} is the field to search")

    def _search_button(self, field: Element) -> Element | None:
        """Return the button behind a field that lies in no form: there Enter may do nothing."""
        if self.layout.form_of(field) is not None:
            return None
        place = self.layout.order[field.id]
        behind = [e for e in self._elements(is_button) if e.parent == field.parent]
        behind = [e for e in behind if self.layout.order[e.id] > place][:1]
        return next((e for e in behind if _searches(e)), None)

    def _go_to_search(self, intent: Intent, number: int) -> WeakPlan:
        links = [e for e in self._elements(takes_clicks) if is_called(e, "search")]
        if len(links) == 1 and self.again == 0:
            return self._click_first(links[0], "leads to the search")
        return WeakPlan(reason=f"{number} fields may be that to search")

    def _sort(self, intent: Intent) -> WeakPlan:
        if intent.old and not content(intent.words) and (again := self._last_sorting_control()):
            return self._act("click", again, f"{in_words(again)} has sorted it")
        low = plain(intent.words)
        down, up = has_phrase(low, FREE.descending), has_phrase(low, FREE.ascending)
        for phrase in (down, up):
            low = low.replace(phrase, " ") if phrase else low
        wanted = [w for w in content(low) if w not in ("instead", "order", "direction")]
        if plan := self._sort_by_list(plain(intent.words), wanted):
            return plan
        if header := self._header_of(wanted):
            # "the other way round": the heading was clicked on before, a second click turns it
            plan = self._sort_by_header(header, down=bool(down) and not intent.old)
            return replace(plan, again=False) if intent.old else plan
        return self._sort_by_control(wanted, turned=bool(down or intent.old))

    def _last_sorting_control(self) -> Element | None:
        """Return what was clicked on last in the heading of a column."""
        for act in reversed(self.task.acts):
            element = self.layout.by_id.get(act.target or "") or self._heading_again(act)
            if act.action == "click" and element is not None and element.visible:
                holders = (element, *self.layout.above(element))
                if any(holder.role == "columnheader" for holder in holders):
                    return element
        return None

    def _heading_again(self, act: GuiAction) -> Element | None:
        """Return what was clicked on, on a page that was loaded anew, by the name it had."""
        name = NAME_OF_ACT.search(act.described or "")
        called = (
            self._elements(lambda e: takes_clicks(e) and is_called(e, plain(name[1])))
            if name
            else []
        )
        rest = self._distinct(called)
        return rest[0] if len(rest) == 1 else None

    def _header_of(self, wanted: Sequence[str]) -> Element | None:
        columns = [e for e in self.layout.snapshot.elements if e.role == "columnheader"]
        headers = [e for e in columns if e.visible and covers_words(wanted, e.name or e.text)]
        return headers[0] if len(headers) == 1 else None

    def _sort_by_control(self, wanted: Sequence[str], *, turned: bool) -> WeakPlan:
        """Sort by a link or button: "alphabetically" is not 'in reverse alphabetical order'."""
        clickable = self._elements(takes_clicks)
        if not turned:
            clickable = [e for e in clickable if not _turns_round(e.name or e.text or e.title)]
        named = Phrase(tuple(wanted), (), ("sort",))
        chosen, reason, candidates = self._choose(named, clickable, enough=0.6)
        if chosen is None:
            return WeakPlan(reason=reason, candidates=candidates)
        return self._act("click", chosen, reason, candidates=candidates)

    def _sort_by_list(self, said: str, wanted: Sequence[str]) -> WeakPlan | None:
        for element in self._elements(offers_choices):
            if not element.options or not _sorts(element):
                continue
            if option := _sort_option(element, said, wanted):
                return self._act("select", element, f"{in_words(element)} sorts", option)
        return None

    def _enter_said(self, intent: Intent) -> WeakPlan | None:
        """Enter a quoted text into the only empty field of several lines: "Write the reply 'x'"."""
        words = content(intent.words)
        texts = [e for e in self._elements(takes_text) if e.tag != "input" and not e.value]
        fields = [e for e in texts if not is_search(e)]
        if len(fields) != 1 or len(words) != 1 or words[0] not in _SAID or not intent.quoted:
            return None
        return self._act("fill", fields[0], "the only field for it (weak reading)", intent.value)

    def _only_submit(self) -> Element | None:
        """Return the button of the only form with fields to fill in."""
        filled = {self.layout.form_of(e) for e in self._elements(takes_text)} - {None}
        buttons = [
            b for b in self._elements(is_button)
            if (b.input_type == "submit" or b.tag == "button") and self.layout.form_of(b) in filled
        ]  # fmt: skip
        return buttons[0] if len(buttons) == 1 and len(filled) == 1 else None

    def _narrow(self, intent: Intent, fewest: int = 1) -> WeakPlan | None:
        """Narrow a list by the option, box or button that the sentence names.

        The name of a filter has no more words than the sentence: "the unpaid orders" are those of
        the option 'Unpaid', and not what the link 'Orders' leads to.
        """
        said = stems(intent.words)
        if fewest == 1 and (plan := self._narrow_by_form(said)):
            return plan
        buttons = self._elements(
            lambda e: (
                takes_clicks(e)
                # an item of a list of filters is a row that says no more than its button
                and (not e.row or plain(e.row) == plain(e.name))
                and not (e.options or takes_text(e) or is_a_box(e))
            )
        )
        clickable = [
            e for e in buttons
            if _fits(e.name, said) and len(split_words(_COUNTER.sub("", e.name))) >= fewest
        ]  # fmt: skip
        if len(self._distinct(clickable)) == 1:
            return self._act("click", clickable[0], f"{in_words(clickable[0])} is called so")
        return None

    def _narrow_by_form(self, said: Sequence[str]) -> WeakPlan | None:
        """Narrow a list by an option or a box of a form."""
        if option := self._option_among(said):
            element, label = option
            return self._act("select", element, f"{in_words(element)} offers it", label)
        boxes = [
            e for e in self._elements(is_a_box) if not e.row and _fits(e.label or e.name, said)
        ]
        if len(self._distinct(boxes)) == 1:
            return self._act("check", boxes[0], f"{in_words(boxes[0])} is called so")
        return None

    def _option_among(self, said: Sequence[str]) -> tuple[Element, str] | None:
        """Return the only list with an option whose words all stand in the sentence."""
        options = [
            (said.index(words[0]), element, option.label)
            for element in self._elements(lambda e: bool(e.options) and not e.row)
            for option in element.options
            if (words := stems(option.label)) and set(words) <= set(said)
        ]
        first = min((at for at, _, _ in options), default=0)
        best = [(element, label) for at, element, label in options if at == first]
        return best[0] if len(best) == 1 else None

    def _row_named(self, words: str) -> str:
        """Return the text of the only row with a cell that a number or name is: "order 17"."""
        names = {plain(name) for name in _ROW_NAME.findall(words)}
        rows = {
            e.row for e in self.layout.snapshot.elements
            if e.visible and e.row and names and plain(e.text) in names
        }  # fmt: skip
        return rows.pop() if len(rows) == 1 else ""

    def _enter_in_row(self, intent: Intent, row: str, field: Element | None) -> WeakPlan | None:
        """Return what sets a value in a row; None if the chosen field lies in it.

        "Set order 17 to paid" presses 'Mark as paid' there, and uses no filter above the table.
        """
        if field is not None and (field.row == row or not self._has_controls(row)):
            return None
        inner = [e for e in self._elements(takes_clicks) if e.row == row and not takes_text(e)]
        named = [e for e in inner if covers_words(content(intent.value), e.name or e.text)]
        if len(named) == 1 and not contradicts(intent.value, named[0]):
            return self._act("click", named[0], f"{in_words(named[0])} in its row (weak reading)")
        if field is None or not field.options:
            return None
        return WeakPlan(reason=f"{in_words(field)} lies in no row with '{intent.words}'")

    def _has_controls(self, row: str) -> bool:
        return any(e.row == row for e in self._elements(takes_clicks))

    def _sorting_control(self, header: Element) -> Element:
        """Return the link in a heading, else the only sign there that sorts, else the heading.

        If a sign sorts, a click beside it may choose the column.
        """
        inner = [e for e in self._elements(takes_clicks) if self.layout.holds(header, e)]
        links = [e for e in inner if e.role in ("link", "button") and (e.text or e.name)]
        signs = [e for e in inner if "sort" in e.attributes.get("class", "").lower()]
        return links[0] if links else signs[0] if len(signs) == 1 else header

    def _sort_by_header(self, header: Element, down: bool) -> WeakPlan:
        target = self._sorting_control(header)
        state = header.attributes.get("aria-sort", "")
        plan = self._act("click", target, f"the heading {in_words(header)} sorts")
        if down and self.again == 0 and state != "ascending":
            return replace(plan, again=True)
        if down and self.again == 1 and state == "descending":
            return WeakPlan((GuiAction(action="wait", value=0.05),), "it is sorted so already")
        return plan


_ROW_NAME = re.compile(r"\d[\w-]*|[A-Z][\w'.-]*(?: [\w'.-]+)*")
#: "Write the reply 'x'": the only empty field of several lines takes it, whatever it is called.
_SAID = frozenset({"reply", "comment", "answer", "message", "response", "note", "post"})
_COUNTER = re.compile(r"\W*\d+\W*$")
_FILTER_FILLERS = frozenset(map(stem, ["only", "show", "just", "display", "list"]))


def _turns_round(name: str) -> bool:
    return bool({"reverse", "reversed", "descending"} & set(split_words(name)))


def _fits(name: str, said: Sequence[str]) -> bool:
    """Return whether the sentence has all words of a filter's name, and not just its last noun."""
    words = {w for w in stems(name) if w not in _FILTER_FILLERS and not w.isdigit()}
    return bool(words) and words <= set(said) and (len(said) == 1 or words != {said[-1]})


def as_filter(intent: Intent) -> Intent:
    """Return the filter with a field and a value, "category coffee", or with the value alone."""
    words, _, value = intent.words.rpartition(" ")
    return intent.model_copy(update={"verb": "filter", "words": words, "value": value})


def is_search(element: Element) -> bool:
    """Return whether it is a field to search with."""
    if element.role == "searchbox" or element.input_type == "search":
        return True
    texts = (element.name, element.label, element.placeholder, element.title,
             *(element.attributes.get(key, "") for key in ("id", "name", "class")))  # fmt: skip
    words = {word for text in texts for word in split_words(text)}
    return bool(words & {"search", "q", "query", "find", "searching"})


def covers_words(words: Sequence[str], text: str) -> bool:
    """Return whether a text has all words, or what means the same."""
    shown = split_words(text)
    return bool(words) and all(any(word_similarity(w, s) >= 0.75 for s in shown) for w in words)


def option_meant(said: str, lists: Sequence[Element]) -> tuple[Element, str] | None:
    """Return the list and the option of "the size small" or "the small plot".

    The latter is 'Small (20 euros)' of 'Plot size'. The label of the option is empty if the words
    say what it is like, and no option of the only list that has the noun is so, or several are: the
    list itself is not what is meant.
    """
    words = said.removeprefix("the ").split()
    choices = [
        (element, option.label)
        for count in range(1, len(words))
        for element in lists
        if covers_words(words[:count], element.label or element.name)
        for option in element.options
        if plain(option.label) == plain(" ".join(words[count:]))
    ]
    return choices[0] if len(choices) == 1 else _option_described(described(said), lists)


def _option_described(words: Sequence[str], lists: Sequence[Element]) -> tuple[Element, str] | None:
    if len(words) < 2:
        return None
    choices = [
        (element, option.label)
        for element in lists
        for option in element.options
        if not option.disabled
        and covers_words(words[:1], option.label)
        and covers_words(words[1:], f"{option.label} {element.label or element.name}")
    ]
    if len(choices) == 1:
        return choices[0]
    named = [e for e in lists if covers_words(words[1:], e.label or e.name)]
    is_described = words[0] in FREE.describing
    return (named[0], "") if len(named) == 1 and is_described else None


def _sorts(element: Element) -> bool:
    texts = " ".join((element.name, element.label, element.adjacent,
                      element.attributes.get("name", ""),
                      element.attributes.get("id", "")))  # fmt: skip
    named = {
        word_similarity(word, "sort") or word_similarity(word, "order")
        for word in split_words(texts)
    }
    ordered = any(
        "low to high" in plain(o.label) or "newest" in plain(o.label) for o in element.options
    )
    return bool(named - {0.0}) or ordered


def _sort_option(element: Element, said: str, wanted: Sequence[str]) -> str | None:
    labels = [option.label for option in element.options]
    for label in labels:
        if plain(label) == said:
            return label
    fitting = [label for label in labels if covers_words(wanted, label)]
    if len(fitting) > 1:
        down = has_phrase(said, FREE.descending)
        phrases = FREE.descending if down else FREE.ascending
        fitting = [label for label in fitting if has_phrase(plain(label), phrases)] or fitting
    return fitting[0] if len(fitting) == 1 else None


def _searches(element: Element) -> bool:
    """Return whether a button is called by a word for searching, or by a sign for it."""
    words = split_words(element.name or element.text or element.title)
    return any(word_similarity(word, "search") >= _SAME_WORD or word == "go" for word in words)
