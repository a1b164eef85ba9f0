"""Looking for a thing that is not on the page in view: further pages, folded parts, the search.

Only for a thing with a name of its own ("Open the invoice R-204"): a control such as 'Save' that
is missing is missing.
"""

import re
from dataclasses import dataclass, field

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.places import split_places
from sparring_plugins.web.grammar.free.words import FREE, split_words, stem, stems
from sparring_plugins.web.pages.controls import in_words, takes_clicks, takes_text
from sparring_plugins.web.pages.text_fit import contains
from sparring_plugins.web.pages.weak.acts.acting import WeakPlanner
from sparring_plugins.web.pages.weak.acts.form_plans import is_search
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan, is_called
from sparring_plugins.web.roles import PageTask

MOST_MOVES = 10
"""How many further pages, parts and searches one step may try."""
_MOST_FOLDS = 4
_CONTROLS = (("tab",), ("menu",), ("button",), ("link",), ("icon",))
_COUNT_BEHIND = re.compile(r"\s*\(?\d+\)?$")
_SEEKING = frozenset({"find", "locate", "add", "put", "delete", "remove", "edit"})


@dataclass
class Seeker:
    """Proposes where to look next for what an intent names; remembers what was tried.

    `insists` says that the sentence asks to look for it, whatever kind of thing it is.
    """

    intent: Intent
    insists: bool = False
    _unfolded: set[str] = field(default_factory=set[str])
    _has_searched: bool = False
    _has_listed: bool = False
    _turned: int = 1
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
        if self.intent.said in FREE.making and self.intent.quoted:
            return False  # "Add a bill 'Ferry'": there is none yet
        if self.insists and self.intent.verb in ("open", "click") and self.name:
            return True
        opens = self.intent.verb == "open" or self.intent.said in (*FREE.opening, *_SEEKING)
        return opens and self.intent.verb in ("open", "click") and _is_name(self.name)

    def next_move(self, task: PageTask) -> WeakPlan | None:
        """Return the next place to look: a folded part that has it, a page, the search."""
        planner = WeakPlanner(task)
        move = self._unfold(planner) or self._open_list(planner)
        # "Open the Chart tab": no tab is on a further page of a list
        if move is None and not self._names_control:
            move = self._turn_page(planner) or self._search(planner)
        return move or self._try_fold(planner)

    @property
    def _names_control(self) -> bool:
        """Whether the noun behind the name says that it is a control of the page itself."""
        return not self.intent.quoted and split_words(self.intent.words)[-1:] in _CONTROLS

    def _try_fold(self, planner: WeakPlanner) -> WeakPlan | None:
        """Open the next folded part or tab: pages may fill it only when it is opened."""
        if not self.insists:
            return None
        for element in planner.layout.snapshot.elements:
            folded = element.expanded is False or (
                element.role == "tab" and element.selected is not True
            )
            usable = element.visible and not element.disabled and takes_clicks(element)
            if usable and (folded or _is_fold(element)) and element.id not in self._unfolded:
                self._unfolded.add(element.id)
                return planner.click(element, f"{in_words(element)} may hold it")
        return None

    def _open_list(self, planner: WeakPlanner) -> WeakPlan | None:
        """Open the list of such things: that of 'Boats' for "open the boat Wren"."""
        nouns = self._nouns
        if self._has_listed or not nouns:
            return None
        self._has_listed = True
        lists = [
            e
            for e in planner.layout.snapshot.elements
            if e.visible and not e.disabled and takes_clicks(e) and not takes_text(e)
            and stems(_COUNT_BEHIND.sub("", e.name or e.text)) in nouns
        ]  # fmt: skip
        names = {e.url or e.id for e in lists}
        if len(names) != 1:
            return None
        return planner.click(lists[0], f"the list of such things by {in_words(lists[0])}")

    @property
    def _nouns(self) -> frozenset[tuple[str, ...]]:
        """The nouns before the name, as stems: "the boat", "the hire boat"."""
        text = f"{self.intent.context} {self.intent.words}"
        before = text[: text.find(self.name)] if self.name in text else self.intent.context
        words = [w for w in split_words(before) if w not in FREE.stop | FREE.places | FREE.rows]
        return frozenset(tuple(map(stem, words[-size:])) for size in (1, 2) if len(words) >= size)

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
        return self._turn_by_number(planner)

    def _turn_by_number(self, planner: WeakPlanner) -> WeakPlan | None:
        """Turn to the next page by its number, where a list of pages has nothing else."""
        wanted = str(self._turned + 1)
        elements = planner.layout.snapshot.elements
        numbers = [e for e in elements if e.visible and (e.name or e.text).strip().isdigit()]
        turning = [e for e in numbers if takes_clicks(e) and (e.name or e.text).strip() == wanted]
        # a page number has its own address, and the page in view stands beside it
        if len(turning) != 1 or not re.search(r"\bp(?:age|g)?\b", turning[0].url or "", re.I):
            return None
        self._turned += 1
        self._pages.add(planner.layout.snapshot.digest)
        return planner.click(turning[0], f"page {wanted} by its number")

    def _search(self, planner: WeakPlanner) -> WeakPlan | None:
        if self._has_searched:
            return None
        self._has_searched = True
        plan = planner.plan(Intent(verb="search", value=self.name, said="search"))
        if not plan.acts or plan.again:
            return None
        # the only field of a page may be one that adds what is entered: that is no place to look
        field = planner.layout.by_id.get(plan.acts[0].target or "")
        return plan if field is not None and is_search(field) else None


def _is_hidden_control(element: Element, name: str) -> bool:
    is_one = takes_clicks(element) and not element.visible
    return is_one and contains(name, element.name or element.text)


def _is_fold(element: Element) -> bool:
    """Return whether the classes of an element call it a fold, a branch or a tab."""
    return bool(_FOLD_CLASS.search(element.attributes.get("class", "")))


#: "accordion-header", "tree-node"; a "toggle" may be a switch that changes something.
_FOLD_CLASS = re.compile(r"(?<![a-z])(?:accordion|collaps|expand|hitarea|tree-?node|tabs?-)", re.I)


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
