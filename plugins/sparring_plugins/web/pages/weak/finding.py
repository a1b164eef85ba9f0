"""Looking for a thing that is not on the page in view: further pages, folded parts, the search.

Only for a thing with a name of its own ("Open the invoice R-204"): a control such as 'Save' that
is missing is missing.
"""

import re
from dataclasses import dataclass, field

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.places import split_places
from sparring_plugins.web.grammar.free.words import FREE, split_words
from sparring_plugins.web.pages.controls import in_words, takes_clicks, takes_text
from sparring_plugins.web.pages.text_fit import contains
from sparring_plugins.web.pages.weak.acting import WeakPlanner
from sparring_plugins.web.pages.weak.choosing import WeakPlan, is_called
from sparring_plugins.web.roles import PageTask

MOST_MOVES = 10
"""How many further pages, parts and searches one step may try."""
_MOST_FOLDS = 4
_SEEKING = frozenset({"find", "locate", "add", "put", "delete", "remove", "edit"})


@dataclass
class Seeker:
    """Proposes where to look next for what an intent names; remembers what was tried."""

    intent: Intent
    _unfolded: set[str] = field(default_factory=set[str])
    _has_searched: bool = False
    _pages: set[str] = field(default_factory=set[str])

    @property
    def name(self) -> str:
        """What is looked for: "the page of the Oak Plank" is called 'Oak Plank'."""
        name, places = split_places(self.intent.words)
        words = self.intent.words if self.intent.quoted else name
        if not self.intent.quoted and not _is_name(name) and places:
            words = places[0]
        return re.sub(r"^(?:on |to )?(?:(?:the|a|an) )?(?:[a-z]+ (?=[A-Z\d]))?", "", words).strip()

    def is_worth_it(self) -> bool:
        """Return whether a thing is meant that a page may list elsewhere, and no control."""
        opens = self.intent.verb == "open" or self.intent.said in (*FREE.opening, *_SEEKING)
        return opens and self.intent.verb in ("open", "click") and _is_name(self.name)

    def next_move(self, task: PageTask) -> WeakPlan | None:
        """Return the next place to look: a folded part that has it, a page, the search."""
        planner = WeakPlanner(task)
        return self._unfold(planner) or self._turn_page(planner) or self._search(planner)

    def _unfold(self, planner: WeakPlanner) -> WeakPlan | None:
        """Open what is folded and holds the name: a section, a branch of a tree, a tab."""
        elements = planner.layout.snapshot.elements
        hidden = [e for e in elements if _is_hidden_control(e, self.name)]
        if not hidden or len(self._unfolded) >= _MOST_FOLDS:
            return None
        holders = {h.attributes.get("id", "") for e in hidden for h in planner.layout.above(e)}
        openers = [e for e in elements if e.visible and takes_clicks(e)]
        for opener in (e for e in openers if e.id not in self._unfolded):
            if _folds(opener, hidden[0], planner) or _leads_to(opener, holders - {""}):
                self._unfolded.add(opener.id)
                return planner.click(opener, f"{in_words(opener)} holds it")
        return None

    def _turn_page(self, planner: WeakPlanner) -> WeakPlan | None:
        snapshot = planner.layout.snapshot
        if snapshot.digest in self._pages:
            return None  # turning the page changed nothing
        for element in snapshot.elements:
            usable = element.visible and not element.disabled and takes_clicks(element)
            turns = element.attributes.get("rel") == "next" or any(
                is_called(element, name) for name in FREE.next_names
            )
            if usable and turns and not takes_text(element):
                self._pages.add(snapshot.digest)
                return planner.click(element, f"the next page by {in_words(element)}")
        return None

    def _search(self, planner: WeakPlanner) -> WeakPlan | None:
        if self._has_searched:
            return None
        self._has_searched = True
        plan = planner.plan(Intent(verb="search", value=self.name, said="search"))
        return plan if plan.acts and not plan.again else None


def _is_hidden_control(element: Element, name: str) -> bool:
    is_one = takes_clicks(element) and not element.visible
    return is_one and contains(name, element.name or element.text)


def _leads_to(opener: Element, holders: set[str]) -> bool:
    controls = opener.attributes.get("aria-controls", "")
    fragment = (opener.url or "").partition("#")[2]
    return bool({controls, fragment} & holders)


def _is_name(words: str) -> bool:
    """Return whether words are a name: they have a capital or a digit, or are in quotes."""
    named = re.sub(r"^(?:on |to )?(?:(?:the|a|an) )?", "", words)
    return bool(re.search(r"[A-Z]\w|\d", named)) and len(split_words(named)) <= 8


def _folds(opener: Element, hidden: Element, planner: WeakPlanner) -> bool:
    """Return whether a folded control stands just before what is hidden."""
    if opener.expanded is not False and opener.selected is not False:
        return False
    order = planner.layout.order
    between = order[hidden.id] - order[opener.id]
    return 0 < between <= 40
