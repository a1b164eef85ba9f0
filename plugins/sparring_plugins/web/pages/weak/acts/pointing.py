"""Plans for what a sentence only points at: the same one, it again, the result that was found."""

import re
from abc import abstractmethod
from collections.abc import Sequence

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.intents import Intent, read_intents
from sparring_plugins.web.grammar.free.places import read_places, split_places
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.free.words import (
    FREE,
    VERBS,
    content,
    split_words,
    word_similarity,
)
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    in_words,
    is_a_box,
    takes_clicks,
    takes_text,
)
from sparring_plugins.web.pages.grounding import signs_of
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.acts.form_plans import FormPlans, covers_words
from sparring_plugins.web.pages.weak.page.choosing import EDGES, WeakPlan, is_called

_ORDINALS = {"first": 0, "second": 1, "third": 2, "last": -1}
_SAME = 0.7
_AGAIN = re.compile(r"\b(?:again|once more|(?:a|for the) second time)\b", re.I)
#: "Remove the lamp from the basket" speaks of no box.
_TO_BE_SENT = re.compile(r"^(?:up |in )?(?:to|for|from) (?=the )")
_BELONGS_TO = re.compile(r"\b(?:from|to|into|with|in|of)\b")
_SAME_ONE = re.compile(r"(?:on )?(?:the|that|this) (?:very )?same [a-z][a-z ]{0,40}$", re.I)


#: "her orders", on the page of a person, are those of that page, and not of the main menu
_OWNED = re.compile(r"(?:her|his|its|their) (?P<thing>[a-z][a-z -]{2,30})", re.I)
_MENUS = EDGES | {"menu", "menubar"}
_FOLDING = frozenset({"collapse", "expand", "fold", "unfold"})
_BEFORE_SIGN = re.compile(r"^(?:on )?(?:(?:the|an?|that|this|its|little|small|tiny|big) )+", re.I)
_SIGN_NOUN = re.compile(r" (?:sign|symbol|icon|button|link)$", re.I)
#: Asks a browser to draw a character as a picture or as text.
_VARIATION = re.compile("[\ufe0e\ufe0f]")


class PointingPlans(FormPlans):
    """Plans for things that were acted upon or found before."""

    @abstractmethod
    def plan(self, intent: Intent) -> WeakPlan:
        """Return the acts that carry an intent out on this page; none if it is not clear."""

    def _owned(self, intent: Intent) -> WeakPlan | None:
        """Return a click on what is called so outside of the menus: "Go to her orders"."""
        match = _OWNED.fullmatch(intent.words)
        if match is None or intent.quoted:
            return None
        called = self._elements(lambda e: takes_clicks(e) and is_called(e, plain(match["thing"])))
        own = [e for e in called if not any(h.role in _MENUS for h in self.layout.above(e))]
        rest = self._distinct([e for e in own if not e.row])
        if len(rest) != 1:
            return None
        return self._act("click", rest[0], f"{in_words(rest[0])} of this page (weak reading)")

    def _include(self, intent: Intent) -> WeakPlan | None:
        """Tick the box 'Kitchen included' for "Include the kitchen", and untick it for "Remove".

        No button is pressed that removes the hall whose form has this box.
        """
        adds_it, said = intent.said in FREE.including, _TO_BE_SENT.sub("", intent.words)
        words = content(said)
        if not (adds_it or intent.said in FREE.excluding) or not words or intent.value:
            return None
        boxes = [e for e in self._elements(is_a_box) if e.role != "radio" and not e.row]
        fitting = [e for e in boxes if _is_its_box(words, e.label or e.name)]
        if len(fitting) != 1 or _BELONGS_TO.search(said):
            return None
        act = "check" if adds_it else "uncheck"
        return self._act(act, fitting[0], f"{in_words(fitting[0])} is its box (weak reading)")

    def _click_same(self, intent: Intent) -> WeakPlan | None:
        """Click on what the last click was on: "Click the same heading again"."""
        if intent.quoted or not _SAME_ONE.match(intent.words):
            return None
        clicks = [act for act in self.task.acts if act.action == "click" and act.target]
        target = self.layout.by_id.get(clicks[-1].target or "") if clicks else None
        if target is None or not target.visible:
            return None
        return self._act("click", target, f"{in_words(target)} was clicked on last")

    def _click_sign(self, intent: Intent) -> WeakPlan | None:
        """Click on a control that is one character, called by a word: "the plus sign"."""
        name, places = split_places(intent.words)
        called = _SIGN_NOUN.sub("", _BEFORE_SIGN.sub("", name.strip())).lower()
        is_sign = called in VOCABULARY.characters or called in VOCABULARY.icons
        clickable = self._elements(takes_clicks)
        if intent.quoted or not is_sign or any(is_called(e, called) for e in clickable):
            return None
        drawn = [e for e in clickable if called in signs_of(e)]
        where = tuple(
            place for place in (*places, *read_places(intent.context))
            if self.neighbourhood.anchors(place)
        )  # fmt: skip
        near = [e for e in drawn if not where or self.neighbourhood.is_near(e, where)]
        chosen = self._prefer(self.neighbourhood.nearest(near, where))
        if chosen is None:
            return None
        return self._act("click", chosen, f"{in_words(chosen)} is drawn so (weak reading)")

    def _fold(self, intent: Intent) -> WeakPlan | None:
        """Click on the sign that folds a thing, and not on the link that the thing is.

        "Collapse the folder Oak": the arrow beside the link 'Oak', which would open it.
        """
        if intent.said.split(" ")[0] not in _FOLDING:
            return None
        name = (re.sub(r"^(?:up|down|out) ", "", intent.words),)
        signs = [
            e for e in self._elements(takes_clicks)
            if e.expanded is not None or _is_drawn_as(e, VOCABULARY.folding)
        ]  # fmt: skip
        near = [e for e in signs if self.neighbourhood.is_near(e, name)]
        rest = self._distinct(self.neighbourhood.nearest(near, name))
        if len(rest) != 1:
            return None
        return self._act("click", rest[0], f"{in_words(rest[0])} folds it (weak reading)")

    def _move(self, intent: Intent) -> WeakPlan | None:
        """Return "Move 'Milk' up" as a click on the arrow or the 'up' in the row of 'Milk'."""
        if intent.said not in ("move", "shift"):
            return None
        said = split_words(f"{intent.words if not intent.quoted else ''} {intent.context}")
        ways = [word for word in said if word in ("up", "down")]
        if len(ways) != 1:
            return None
        names = {ways[0], f"{ways[0]}ward", f"{ways[0]}wards"}
        moving = [
            e for e in self._elements(takes_clicks)
            if names & {*split_words(e.name or e.text), *split_words(e.title)} and not is_a_box(e)
        ]  # fmt: skip
        name = intent.words if intent.quoted else re.sub(r"\b(?:up|down)\b.*", "", intent.words)
        chosen = self._prefer(self.neighbourhood.nearest(moving, (name,)))
        return self._act("click", chosen, f"moves {ways[0]}") if chosen else None

    def _click_again(self, verb: str) -> WeakPlan | None:
        """Click on what an earlier click with the same verb was on: "Delete it again"."""
        if not _AGAIN.search(self.task.step.text):
            return None
        clicks = [act for act in self.task.acts if act.action == "click" and act.described]
        named = [a.described for a in clicks if verb in split_words(a.described)]
        same = [e for e in self._elements(takes_clicks) if named and in_words(e) == named[-1]]
        rest = self._distinct(same)
        if len(rest) != 1:
            return self._do_step_again(verb)
        return self._act("click", rest[0], f"{in_words(rest[0])} was clicked on before")

    def _do_step_again(self, verb: str) -> WeakPlan | None:
        """Plan the last step with the same verb: "Click the delete icon of the note Oak"."""
        steps = (s for s in reversed(self.task.done) if verb in split_words(s.text))
        step = next(steps, None)
        clauses = split_sentence(step.text) if step is not None else ()
        intents = [intent for clause in clauses for intent in read_intents(clause)]
        if len(intents) != 1 or not content(intents[0].words) or _AGAIN.search(intents[0].words):
            return None
        return self.plan(intents[0])

    def _result(self, intent: Intent) -> WeakPlan:
        """Open the only row or the n-th of what was searched for."""
        number = _ORDINALS.get(intent.value, 0)
        rows = [e for e in self.layout.snapshot.elements if self._is_result(e)]
        rows = rows or self._links_found()
        if not rows or (intent.value == "only" and len(rows) != 1) or number >= len(rows):
            return WeakPlan(reason=f"{len(rows)} rows may be the one that was found")
        row = rows[number]
        links = self._elements(lambda e: e.role == "link" and bool(e.text))
        inner = [e for e in links if self.layout.holds(row, e)]
        if not inner and not row.interactive:
            return WeakPlan(reason="the row that was found leads nowhere")
        return self._act("click", inner[0] if inner else row, "what was found")

    def _links_found(self) -> list[Element]:
        """Return the links with a word that was searched for, which came when it was entered."""
        entries = [act for act in self.task.acts if act.action in ("fill", "type") and act.value]
        if not entries:
            return []
        searched = split_words(str(entries[-1].value))
        first = self.task.before[0] if self.task.before else None
        seen = {e.id for e in first.snapshot.elements if e.visible} if first else set[str]()
        links = self._elements(lambda e: e.role == "link" and e.id not in seen)
        return self._distinct([e for e in links if _has_any(searched, e.text or e.name)])

    def _is_result(self, element: Element) -> bool:
        at_edge = any(holder.role in EDGES for holder in self.layout.above(element))
        return element.visible and self._is_data_row(element) and not at_edge

    def _is_in_data_row(self, element: Element) -> bool:
        return any(self._is_data_row(holder) for holder in self.layout.above(element))

    def _is_data_row(self, element: Element) -> bool:
        cells = ("cell", "gridcell")
        return element.role == "row" and any(
            e.parent == element.id and e.role in cells for e in self.layout.snapshot.elements
        )


def _is_drawn_as(element: Element, characters: Sequence[str]) -> bool:
    text = element.name or element.text or element.value or ""
    return _VARIATION.sub("", text).strip() in characters and not takes_text(element)


def _is_its_box(words: Sequence[str], label: str) -> bool:
    """Return whether a label has all words, and no noun beside them: "the news", 'Send me news'.

    "Add a plant" does not tick 'Only thirsty plants', as "Include the kitchen" does 'With kitchen'.
    """
    others = [word for word in content(label) if not _has_any((word,), " ".join(words))]
    known = (*FREE.including, *FREE.excluding, "included", "excluded", "extra")
    return covers_words(words, label) and all(
        word[0].isdigit() or word in VERBS or _has_any((word,), " ".join(known)) for word in others
    )


def _has_any(words: Sequence[str], text: str) -> bool:
    return any(
        word_similarity(word, other) >= _SAME for word in words for other in split_words(text)
    )
