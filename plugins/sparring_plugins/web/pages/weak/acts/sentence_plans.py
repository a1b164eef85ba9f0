"""Plans for a clause that no form of a sentence reads, or whose thing was not found.

The page decides what the clause means: the values in it go into the fields of the form in view;
else the one control that its words name together is clicked on. Both are weak readings.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.entry_parts import EntryPart, read_entry_parts
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.sentences import Clause
from sparring_plugins.web.grammar.free.words import FREE, split_words
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
    takes_values,
)
from sparring_plugins.web.pages.text_fit import bare, plain
from sparring_plugins.web.pages.weak.acts.form_plans import is_search
from sparring_plugins.web.pages.weak.acts.form_values import Entry, fit_values
from sparring_plugins.web.pages.weak.acts.left_out import find_condition
from sparring_plugins.web.pages.weak.acts.making import MakingPlanner
from sparring_plugins.web.pages.weak.acts.whole_sentence import (
    ENOUGH,
    MARGIN,
    Scored,
    Wanted,
    WholeSentence,
    makes_something,
    own_names,
    read_wanted,
)
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan, at_side
from sparring_plugins.web.roles import Candidate

_ENTERING = frozenset((*FREE.acts["fill"], *FREE.acts["select"], *FREE.entering))
_CHOOSING = frozenset(FREE.acts["select"]) | {"click", "open"}
_MOST_ENTRIES = 12
_STARTING = frozenset({"start", "begin"})
#: The access key behind a name: "Create this page [e]".
_KEY = re.compile(r"(?<!\s)\s*\[\w\]$")
_ENOUGH_HIDDEN = 0.6


class SentencePlanner(MakingPlanner):
    """Plans a whole clause on one view."""

    def plan_clause(self, clause: Clause, *, sends: bool = False) -> WeakPlan:
        """Return the acts that a clause may mean on this page; none without a clear margin.

        `sends` says whether the form of something new is sent when it is filled in.
        """
        verb, parts = read_entry_parts(clause)
        if said := self._say(verb, clause):
            return said
        makes = verb in FREE.making
        chooses = verb in _CHOOSING
        if parts and len(parts) <= _MOST_ENTRIES and (makes or verb in _ENTERING):
            plan = self._enter_all(parts, makes=makes, sends=sends)
            if not plan.acts and makes:
                plan = self._make(clause, verb, parts, sends=sends)
            if plan.acts or not chooses:
                return plan
        return self._click_best(clause, parts if chooses else ())

    def _say(self, verb: str, clause: Clause) -> WeakPlan | None:
        """Return the entry of what is said to a chat: the only empty field takes it, and Enter."""
        if verb not in FREE.addressing or len(clause.quoted) != 1:
            return None
        fields = [e for e in self._elements(takes_text) if not is_search(e) and not e.value]
        if len(fields) != 1 or fields[0].input_type in ("password", "date", "number"):
            return None
        fill = self._act("fill", fields[0], "the only empty field", clause.quoted[0])
        send = self._act("press", fields[0], "Enter sends it", "Enter")
        return WeakPlan((*fill.acts, *send.acts), "the only empty field (weak reading)")

    def _make(
        self, clause: Clause, verb: str, parts: Sequence[EntryPart], *, sends: bool
    ) -> WeakPlan:
        """Return what fills in the form for a new thing, or what opens that form."""
        plan = self._enter_all(_without_thing(parts), makes=True, sends=sends)
        if plan.acts or self.again:
            return plan
        return self._open_form(clause.text, verb, parts[0]) or plan

    def _open_form(self, sentence: str, verb: str, thing: EntryPart) -> WeakPlan | None:
        """Return what opens the form for a new thing: a link "Add a new bill" for a new bill."""
        words = " ".join(thing.words[-1:] if thing.quoted else thing.words)
        opener = self._called_as_it_begins(sentence)
        if opener is None and words:
            opener = self._opener(Intent(verb="form", words=words, said=verb), named_only=True)
        if opener is None:
            return None
        return self._click_first(opener, f"{in_words(opener)} opens its form")

    def _called_as_it_begins(self, sentence: str) -> Element | None:
        """Return the one control whose name a sentence begins with: "Create this page with ..."."""
        begins = f"{plain(sentence)} "
        called = [
            e for e in self._elements(_may_be_clicked)
            if e.name.count(" ") and begins.startswith(f"{plain(_KEY.sub('', e.name))} ")
        ]  # fmt: skip
        longest = max((len(e.name) for e in called), default=0)
        rest = self._distinct([e for e in called if len(e.name) == longest])
        return rest[0] if len(rest) == 1 else None

    def _enter_all(self, parts: Sequence[EntryPart], *, makes: bool, sends: bool) -> WeakPlan:
        """Return the entries of all values in the form that takes them."""
        fitted = self._fitting_forms(parts)
        if len(fitted) != 1:
            several = "several forms take" if fitted else "no form takes"
            return WeakPlan(reason=f"{several} all values of the sentence")
        form, entries = fitted[0]
        acts = tuple(_act_of(entry) for entry in entries)
        reason = f"the form takes each of {len(entries)} values (weak reading)"
        if makes and sends:
            sender = self._sender(form, Intent(verb="finish"))
            if sender is None:
                return WeakPlan(reason="no button of the form is clearly meant")
            acts = (*acts, *self._act("click", sender, "it sends the form").acts)
        return WeakPlan(acts, reason)

    def _fitting_forms(
        self, parts: Sequence[EntryPart]
    ) -> list[tuple[str | None, tuple[Entry, ...]]]:
        """Return the forms that take all values; of several only that of the last act."""
        forms: dict[str | None, list[Element]] = {}
        for field in self._elements(_takes_entry):
            forms.setdefault(self.layout.form_of(field), []).append(field)
        fits = [(form, self._fit(parts, fields, form)) for form, fields in forms.items()]
        fitted = [pair for pair in fits if pair[1]]
        if len(fitted) < 2:
            return fitted
        last = self._last_form()
        return [pair for pair in fitted if pair[0] == last] or fitted

    def _fit(
        self, parts: Sequence[EntryPart], fields: Sequence[Element], form: str | None
    ) -> tuple[Entry, ...]:
        """Return the entries of the parts; words alone may be a control that chooses something."""
        chosen: list[Entry] = []
        rest: list[EntryPart] = []
        for part in parts:
            control = None if part.value else self._control_called(part, form)
            if control is None:
                rest.append(part)
            else:
                chosen.append(Entry(control, "click"))
        if not rest:
            return ()
        entries = fit_values(rest, fields)
        return (*entries, *chosen) if entries else ()

    def _control_called(self, part: EntryPart, form: str | None) -> Element | None:
        wanted = " ".join(part.words)
        called = [
            e for e in self._elements(takes_clicks)
            if not _takes_entry(e) and self.layout.form_of(e) == form
            and any(bare(name) == wanted for name in own_names(e))
        ]  # fmt: skip
        rest = self._distinct(called)
        return rest[0] if len(rest) == 1 else None

    def _click_best(self, clause: Clause, parts: Sequence[EntryPart]) -> WeakPlan:
        """Return a click on the control that has most of the clause, if it has a margin."""
        if condition := find_condition(clause.text):
            return WeakPlan(reason=f"it depends on what follows '{condition}'")
        names = _names_of(clause, parts)
        wanted = replace(read_wanted(clause.unmask(_with_marks(clause))), quotes=names)
        controls = self._elements(_may_be_clicked)
        texts = self._texts_called(names, controls)
        ranked = WholeSentence(self.layout, (*controls, *texts)).rank(wanted)
        candidates = tuple(
            Candidate(element=s.element.id, score=s.score, reason=in_words(s.element))
            for s in ranked[:8]
        )
        best = self._best_of(ranked, wanted)
        if best is None:
            if way := self._uncover(wanted):
                return way
            shown = ", ".join(f"{in_words(s.element)} ({s.score:.2f})" for s in ranked[:3])
            why = f"no control has enough of the sentence: {shown}" if shown else ""
            why = why or "no control has a word of the sentence"
            return WeakPlan(reason=why, candidates=candidates)
        if wanted.verb in FREE.making | _STARTING and not makes_something(best.element):
            # "Start a new topic" does not watch the topic
            return WeakPlan(reason=f"{in_words(best.element)} makes nothing", candidates=candidates)
        action = "check" if is_a_box(best.element) else "click"
        reason = f"{in_words(best.element)} has most of the sentence (weak reading)"
        return self._act(action, best.element, reason, candidates=candidates)

    def _best_of(self, ranked: Sequence[Scored], wanted: Wanted) -> Scored | None:
        """Return the one with a margin; of several in rows, none that takes something away."""
        if not ranked or ranked[0].score < ENOUGH:
            return None
        near = {s.element.id: s for s in ranked if s.score * MARGIN > ranked[0].score}
        rest = self._distinct(at_side([s.element for s in near.values()], wanted.said))
        if len(rest) > 1 and (wanted.kinds & {"tab"} or not _takes_away(rest[0])):
            rest = _outside_rows(rest) or rest  # a row that is meant is named
        return near[rest[0].id] if len(rest) == 1 else None

    def _uncover(self, wanted: Wanted) -> WeakPlan | None:
        """Return what shows a hidden control with most of the sentence: its menu, or its row."""
        if self.again:
            return None
        near = self._hidden_near(wanted)
        ways = [w for s in near if (w := self._unfold(s.element))]
        if not ways and len(near) == 1 and near[0].element.row:
            pointing = self._point_at_holder(near[0].element)
            ways = [pointing] if pointing else []
        targets = {way.acts[0].target for way in ways}
        return ways[0] if len(targets) == 1 else None

    def _hidden_near(self, wanted: Wanted) -> list[Scored]:
        """Return the hidden controls with enough of a sentence; those with its verb, if any."""
        hidden = [e for e in self.layout.snapshot.elements if _is_hidden_control(e)]
        ranked = WholeSentence(self.layout, hidden).rank(wanted)
        near = [s for s in ranked[:6] if s.score >= _ENOUGH_HIDDEN]
        return [s for s in near if _has_verb(s.element, wanted.verb)] or near

    def _texts_called(self, quotes: Sequence[str], controls: Sequence[Element]) -> list[Element]:
        """Return the texts that are called exactly as what is quoted, if no control is."""
        wanted = {bare(quote) for quote in quotes}
        if not wanted or any(bare(name) in wanted for e in controls for name in own_names(e)):
            return []
        return self._elements(lambda e: e.role == "text" and bare(e.text) in wanted)


def _names_of(clause: Clause, parts: Sequence[EntryPart]) -> tuple[str, ...]:
    """Return the texts that a control must be called by: quotations, the only value, or a tab."""
    values = tuple(part.value for part in parts if part.value)
    tab = _NAMED_TAB.search(clause.text)
    names = clause.quoted or (values if len(values) == 1 else ())
    return names or ((tab["name"],) if tab else ())


#: "the Notes tab": what is drawn as a tab may be a text without any role.
_NAMED_TAB = re.compile(r"\b(?:the |on )(?P<name>[A-Z][\w'-]*(?: [\w'-]+){0,2}?) tab\b")


def _with_marks(clause: Clause) -> str:
    """Return the text of a clause without its quotations, which are names of their own."""
    return " ".join(word for word in clause.text.split() if "⟦" not in word)


def _without_thing(parts: Sequence[EntryPart]) -> Sequence[EntryPart]:
    """Return parts without the noun of what is made: "Add the bill 'Ferry', paid by Ida"."""
    first = parts[0]
    return (replace(first, words=first.words[1:]), *parts[1:]) if first.quoted else parts


def _outside_rows(elements: Sequence[Element]) -> list[Element]:
    """Return the elements in no row; an item of a menu is a row that says no more than its link."""
    return [e for e in elements if not e.row or bare(e.row) == bare(e.name)]


def _is_hidden_control(element: Element) -> bool:
    return _may_be_clicked(element) and not element.visible and not element.disabled


def _has_verb(element: Element, verb: str) -> bool:
    shown = {word for name in own_names(element) for word in split_words(name)}
    return verb.partition(" ")[0] in shown


def _takes_away(element: Element) -> bool:
    shown = {word for name in own_names(element) for word in split_words(name)}
    return bool(shown & VOCABULARY.grave)


def _takes_entry(element: Element) -> bool:
    return takes_values(element) or offers_choices(element) or is_a_box(element)


def _may_be_clicked(element: Element) -> bool:
    return takes_clicks(element) and not takes_text(element) and not element.options


def _act_of(entry: Entry) -> GuiAction:
    return GuiAction(
        action=entry.action,
        target=entry.element.id,
        value=entry.value,
        described=in_words(entry.element),
    )
