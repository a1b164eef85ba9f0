"""Which element of a page the words of an intent mean: the best one, if it is clearly that."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.places import read_places, split_places
from sparring_plugins.web.grammar.free.words import FREE, split_words, word_similarity
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    in_words,
    is_a_box,
    is_drawn_box,
    lies_behind_drawing,
    offers_choices,
    takes_text,
)
from sparring_plugins.web.pages.grounding import channels, is_nameless_icon
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.opposites import contradicts
from sparring_plugins.web.pages.text_fit import WITHIN, bare, fit, plain
from sparring_plugins.web.pages.weak.page.naming import (
    KINDS,
    MEASURES,
    Naming,
    Phrase,
    Surroundings,
    phrase_of,
    proper_words,
    ranked,
)
from sparring_plugins.web.pages.weak.page.places import Neighbourhood, most_specific
from sparring_plugins.web.roles import Candidate, PageTask

#: A lower score names nothing; the best must be better than the next by the margin.
_ENOUGH = 0.52
MARGIN = 0.05
#: Of the words that name something, this share must be found on it or around it.
_FOUND = 0.6
#: Of the words of a whole name, this share must stand in the element's own name.
_WHOLE = 0.7
NAME_OF_ACT = re.compile(r"^\w+ '(.+?)'(?: in the row|$)")

#: "the list of plants": no control is a list because it lies near the plants.
_CONTROLS = frozenset({"button", "link", "menu", "icon", "tab", "checkbox", "radio"})
TOPMOST = frozenset({"dialog", "alertdialog"})
EDGES = frozenset({"banner", "contentinfo", "navigation", "complementary"})


Choice = tuple[Element | None, str, tuple[Candidate, ...]]
"""The element that is meant or None, the reason, and the candidates."""


@dataclass(frozen=True)
class WeakPlan:
    """The acts for an intent, and the candidates; with `again` the intent goes on after them."""

    acts: tuple[GuiAction, ...] = ()
    reason: str = ""
    candidates: tuple[Candidate, ...] = ()
    again: bool = False


@dataclass(frozen=True)
class Chooser:
    """Chooses elements on one view. `again` counts how often the same intent was planned before."""

    task: PageTask
    again: int = 0
    layout: Layout = field(init=False)
    surroundings: Surroundings = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", Layout(self.task.view.snapshot))
        object.__setattr__(self, "surroundings", Surroundings(self.layout))

    def _elements(self, fits: Callable[[Element], bool]) -> list[Element]:
        """Return the elements that can be used now; those of the topmost dialog if one is open."""
        usable = [
            e
            for e in self.layout.snapshot.elements
            if fits(e)
            and (
                (e.visible and not e.disabled and not e.covered)
                or lies_behind_drawing(e)
                or is_drawn_box(e)
            )
        ]
        dialogs = [e for e in self.layout.snapshot.elements if e.role in TOPMOST and e.visible]
        if dialogs:
            top = dialogs[-1]
            inside = [e for e in usable if self.layout.holds(top, e)]
            return inside or usable
        return usable

    def _choose(
        self,
        phrase: Phrase,
        elements: Sequence[Element],
        *,
        enough: float = _ENOUGH,
        said: str = "",
    ) -> Choice:
        namings = ranked(phrase, elements, self.surroundings)
        candidates = tuple(
            Candidate(element=n.element.id, score=round(n.score, 3), reason=in_words(n.element))
            for n in namings[:8]
        )
        namings = [n for n in namings if _is_named(n, phrase)]
        if not namings or namings[0].score < enough:
            words = " ".join(phrase.strong)
            return None, f"nothing on the page is clearly called '{words}'", candidates
        best = [n for n in namings if n.score >= namings[0].score - MARGIN]
        best = _at_side(_called_only_so(best, said), said)
        chosen = self._prefer([n.element for n in best])
        if chosen is None:
            names = ", ".join(in_words(n.element) for n in best[:4])
            return None, f"{len(best)} fit about equally well: {names}", candidates
        return chosen, f"{in_words(chosen)} is named best (weak reading)", candidates

    @cached_property
    def neighbourhood(self) -> Neighbourhood:
        """What lies near what, with what was acted upon last for "its row"."""
        acts = [act for act in self.task.acts if act.target]
        focus = self.layout.by_id.get(acts[-1].target or "") if acts else None
        quoted = NAME_OF_ACT.search(acts[-1].described or "") if acts else None
        name = quoted[1] if quoted else ""
        opened = self._opened_by(focus, name) if acts and acts[-1].action == "click" else None
        return Neighbourhood(self.layout, opened or focus, name)

    def _opened_by(self, link: Element | None, name: str) -> Element | None:
        """Return the only heading elsewhere with the name of a link that was clicked on.

        Behind "Open Oak", "edit it" is no edit of the list in which the link 'Oak' still stands.
        """
        if link is None or link.role != "link" or not name:
            return None
        heads = [
            e for e in self.layout.snapshot.elements
            if e.role == "heading" and e.visible and plain(e.name or e.text) == plain(name)
            and not self.layout.holds(e, link)
        ]  # fmt: skip
        return heads[0] if len(heads) == 1 else None

    def _choose_meant(
        self, intent: Intent, elements: Sequence[Element], *, enough: float = _ENOUGH
    ) -> Choice:
        """Choose what an intent names: by its whole name, else by its name and its place."""
        words = intent.words if intent.quoted else MEASURES.sub("", intent.words)
        name, inner = (words, ()) if intent.quoted else split_places(words)
        places = (*inner, *read_places(intent.context))
        meant = [e for e in elements if not contradicts(f"{intent.said} {name}", e)]
        if not intent.quoted and (choice := self._choose_by_whole_name(intent, words, meant)):
            return choice
        if proper_words(name) or intent.quoted:
            fitting = self._named_so(intent, name, meant, enough)
            if fitting:
                return self._decide(fitting, places, f"{intent.said} {intent.words}")
        phrase = phrase_of(intent.words, intent.context, intent.said, quoted=intent.quoted)
        if not intent.quoted and (by_place := self._by_place(intent, name, places, meant)):
            return by_place
        whole = f"{intent.said} {intent.words} {intent.context}"
        choice = self._choose(phrase, meant, enough=enough, said=whole)
        doubt = self._doubt_of(choice[0], intent, name, inner) if choice[0] else ""
        return (None, doubt, choice[2]) if doubt else choice

    def _by_place(
        self, intent: Intent, name: str, places: Sequence[str], elements: Sequence[Element]
    ) -> Choice | None:
        """Choose what has no name, or only that of a choice: by its place, side or group."""
        if places and (nearby := self._of_kind_near(name, places, elements)):
            return nearby, f"{in_words(nearby)} is the only one there (weak reading)", ()
        whole = f"{intent.said} {intent.words} {intent.context}"
        unnamed = not set(proper_words(name)) - _OWN
        if unnamed and (there := self._nameless(whole, elements)):
            return there, f"{in_words(there)} is the only one at that side (weak reading)", ()
        if option := self._of_group(intent.words, elements):
            return option, f"{in_words(option)} is the only such choice (weak reading)", ()
        return None

    def _of_group(self, words: str, elements: Sequence[Element]) -> Element | None:
        """Return the choice of a group: of "the colour red" what is called 'red' below 'Colour'."""
        said = [word for word in split_words(words) if word not in FREE.stop]
        fitting = [e for e in elements if _is_choice_of(said, e)] if len(said) > 1 else []
        rest = self._distinct(fitting)
        return rest[0] if len(rest) == 1 else None

    def _nameless(self, said: str, elements: Sequence[Element]) -> Element | None:
        """Return the control of a kind at a side: "the main menu at the top right".

        A menu that has no name, and of which the page has one, needs no side.
        """
        kinds = (phrase_of(said).kinds or set(split_words(said))) & _CONTROLS
        menus = self._menus(said, elements) if "menu" in kinds else []
        if len(menus) == 1:
            return menus[0]
        of_kind = [e for e in elements if any(_is_of_kind(e, kind) for kind in kinds)]
        there = at_side(self._distinct(of_kind), said)
        return there[0] if len(there) == 1 and len(of_kind) > 1 else None

    def _menus(self, said: str, elements: Sequence[Element]) -> list[Element]:
        """Return the menus without a name; "the user menu" is that in the header, by any name."""
        menus = self._distinct([e for e in elements if _opens_menu(e)])
        if menus or not set(split_words(said)) & _OWN:
            return menus
        return self._distinct([e for e in elements if _opens_at_top(e, self.layout)])

    def _choose_by_whole_name(
        self, intent: Intent, words: str, elements: Sequence[Element]
    ) -> Choice | None:
        """Choose what is called exactly so, or has the name and all places in its own name."""
        name, inner = split_places(words)
        outer = read_places(intent.context)
        exact = _called_exactly(name, elements)
        if chosen := self._prefer(self.neighbourhood.nearest(exact, (*inner, *outer))):
            return chosen, f"{in_words(chosen)} is called so (weak reading)", ()
        # "the table of contents" is a name if all of it stands there
        whole = [e for e in elements if inner and _has_words(words, e)]
        if chosen := self._prefer(self.neighbourhood.nearest(whole, outer)):
            return chosen, f"{in_words(chosen)} has all the words (weak reading)", ()
        return None

    def _named_so(
        self, intent: Intent, name: str, elements: Sequence[Element], enough: float
    ) -> list[Naming]:
        """Return the elements that have the name itself, best first."""
        phrase = phrase_of(name, "", intent.said, quoted=intent.quoted)
        namings = [n for n in ranked(phrase, elements, self.surroundings) if n.own >= _WHOLE]
        return [n for n in namings if n.score >= enough and _is_named(n, phrase)]

    def _doubt_of(self, chosen: Element, intent: Intent, name: str, inner: Sequence[str]) -> str:
        """Return why what is called best by name and place together is not meant, or ""."""
        if intent.quoted:
            return ""
        shown = split_words(chosen.name or chosen.text or chosen.title)
        if intent.said not in FREE.going and _any_like(split_words(intent.said)[:1], shown):
            return ""  # "Add the lamp": what adds need not be called 'lamp'
        if _lacks_capitals(name, shown):
            return f"nothing is called '{name}'"
        if not inner:
            return ""
        if not proper_words(name):
            kinds = phrase_of(intent.words).kinds & {"menu", "icon"}
            is_one = all(_is_of_kind(chosen, kind) for kind in kinds)
            return "" if is_one else f"no {' or '.join(sorted(kinds))} lies there"
        if self.surroundings.name(phrase_of(name, "", intent.said), chosen).own > 0:
            return ""
        # "Set the stock in the row of Elm": the field that holds 'Elm' is only its place
        return f"nothing is called '{name}'; {in_words(chosen)} is its place"

    def _decide(self, namings: Sequence[Naming], places: Sequence[str], said: str) -> Choice:
        """Choose among elements that have the name: the most specific, then the nearest."""
        candidates = tuple(
            Candidate(element=n.element.id, score=round(n.score, 3), reason=in_words(n.element))
            for n in namings[:8]
        )
        best = [n for n in namings if n.score >= namings[0].score - MARGIN]
        best = most_specific(best, said)
        best = _at_side(best, said)
        if "tab" in split_words(said):  # what is repeated in each row is no tab
            best = [n for n in best if not n.element.row] or best
        near = self.neighbourhood.nearest([n.element for n in best], places)
        chosen = self._prefer(near)
        if chosen is None or (len(near) > 1 and _loses_something(chosen, near, self._distinct)):
            names = ", ".join(in_words(element) for element in near[:4])
            return None, f"{len(near)} fit about equally well: {names}", candidates
        return chosen, f"{in_words(chosen)} is named best (weak reading)", candidates

    def _of_kind_near(
        self, name: str, places: Sequence[str], elements: Sequence[Element]
    ) -> Element | None:
        """Return the only nameless control at a place: "the list behind the arrow at the date"."""
        # "behind the little gear next to the price": the gear itself is what is looked for
        where = [place for place in places if not only_draws(place)]
        near = [e for e in elements if self.neighbourhood.is_near(e, where)]
        named = {w for place in where for w in proper_words(place)}
        others = [e for e in near if not named & set(split_words(e.name or e.text))]
        kinds = phrase_of(" ".join((name, *places))).kinds & _CONTROLS
        of_kind = [e for e in others if any(_is_of_kind(e, kind) for kind in kinds)]
        rest = self._distinct(self.neighbourhood.nearest(of_kind, where))
        return rest[0] if len(rest) == 1 else None

    def _prefer(self, elements: Sequence[Element]) -> Element | None:
        """Choose among equals as a tester does; None if even that does not decide.

        One control counts once; then the form just filled in, what is not in header or footer,
        what is in view.
        """
        if not elements:
            return None
        rest = self._distinct(elements)
        last = self._last_form()
        if _are_twins(rest):
            return rest[0]
        rules: tuple[Callable[[Element], bool], ...] = (
            lambda e: last is not None and self.layout.form_of(e) == last,
            lambda e: e.role in VOCABULARY.sets["PRESSED"] or e.editable,
            lambda e: not any(h.role in EDGES for h in self.layout.above(e)),
            lambda e: not e.row,  # a row that was meant would have been named
            lambda e: e.in_viewport,
        )
        for rule in rules:
            if len(rest) > 1:
                rest = [e for e in rest if rule(e)] or rest
        return rest[0] if len(rest) == 1 else None

    def _distinct(self, elements: Sequence[Element]) -> list[Element]:
        kept: list[Element] = []
        for element in elements:
            same = any(
                self.layout.holds(other, element)
                or self.layout.holds(element, other)
                or (element.url and element.url == other.url and not element.url.endswith("#"))
                for other in kept
            )
            if not same:
                kept.append(element)
        return kept

    def _last_form(self) -> str | None:
        """Return the form of the field that was filled in last, if it is still there."""
        for act in reversed(self.task.acts):
            element = self.layout.by_id.get(act.target or "")
            if element and (takes_text(element) or is_a_box(element) or offers_choices(element)):
                return self.layout.form_of(element)
        return None

    def _act(self, action: str, element: Element, reason: str, value: str | None = None,
             candidates: tuple[Candidate, ...] = ()) -> WeakPlan:  # fmt: skip
        act = GuiAction(action=action, target=element.id, value=value, described=in_words(element))
        return WeakPlan((act,), reason, candidates)

    def click(self, element: Element, reason: str) -> WeakPlan:
        """Return a click on an element."""
        return self._act("click", element, reason)

    def _click_first(
        self, element: Element, reason: str, candidates: tuple[Candidate, ...] = ()
    ) -> WeakPlan:
        """Return a click on what leads to the thing, after which the intent is planned again."""
        return replace(self._act("click", element, reason, candidates=candidates), again=True)


def _is_choice_of(said: Sequence[str], element: Element) -> bool:
    """Return whether some of the words are its whole name, and the others those of its group."""
    name = split_words(element.name or element.text)
    rest = [word for word in said if word not in name]
    group = split_words(f"{element.row} {' '.join(element.region)}")
    is_said = bool(name) and bool(rest) and all(word in said for word in name)
    return is_said and all(_any_like((word,), group) for word in rest)


def _opens_menu(element: Element) -> bool:
    """Return whether a button or link is marked as that of a menu, and has no name of its own."""
    marks = " ".join(element.attributes.get(key, "") for key in ("id", "class", "aria-haspopup"))
    is_marked = re.search(r"menu|hamburger|\btrue\b", marks, re.I) is not None
    return is_marked and not element.name and element.role in ("button", "link", "generic")


_OWN = frozenset({"user", "profile", "account", "own", "personal", "member", "my"})


def _opens_at_top(element: Element, layout: Layout) -> bool:
    marks = " ".join(element.attributes.get(key, "") for key in ("class", "aria-haspopup"))
    opens = re.search(r"dropdown|menu|\btrue\b", marks, re.I) is not None
    in_header = any(h.role in ("banner", "navigation") for h in layout.above(element))
    return opens and in_header and element.role in ("button", "link") and not element.editable


_SIDE = re.compile(
    r"\b(?:at|in|on|to|near) the (?:very )?(?:(?P<end>top|upper|bottom|lower)(?:[ -]|$))?"
    r"(?:most )?(?:hand )?(?P<side>left|right)?(?:[ -]hand)?"
    r"(?: (?:corner|side|edge|margin|end))?\b",
    re.I,
)
_FAR_APART = 40
"""Pixels by which something has to lie further to a side than all others to be the one meant."""


def at_side(elements: Sequence[Element], said: str) -> list[Element]:
    """Return what lies furthest where a sentence says: "at the top right"; all if nothing does."""
    match = next((m for m in _SIDE.finditer(said) if m["end"] or m["side"]), None)
    if match is None or len(elements) < 2 or any(e.box is None for e in elements):
        return list(elements)
    rest: Sequence[Element] = elements
    for word in (match["end"], match["side"]):
        if word:
            rest = _furthest(rest, word.lower())
    return list(rest)


def _furthest(elements: Sequence[Element], side: str) -> list[Element]:
    """Return what lies at a side, with what lies hardly less far."""

    def place(element: Element) -> float:
        if element.box is None:
            return 0.0
        coordinate = element.box.x if side in ("left", "right") else element.box.y
        return -coordinate if side in ("left", "top", "upper") else coordinate

    most = max(map(place, elements))
    return [e for e in elements if place(e) > most - _FAR_APART]


def _called_only_so(namings: Sequence[Naming], said: str) -> Sequence[Naming]:
    """Return those whose whole name is said: of "the colour red" the choice 'red', not 'any'."""
    words = set(split_words(said))
    named = [n for n in namings if n.name and set(split_words(n.name)) <= words]
    return named or namings


def _at_side(namings: Sequence[Naming], said: str) -> list[Naming]:
    kept = {e.id for e in at_side([n.element for n in namings], said)}
    return [n for n in namings if n.element.id in kept]


def _are_twins(elements: Sequence[Element]) -> bool:
    """Return whether all are called the same and lie in no row: as in the header and a message.

    What has no name is no twin: four tiles that only their class names are four things.
    """
    names = {plain(e.name or e.text) for e in elements}
    is_one_name = len(names) == 1 and "" not in names
    return len(elements) > 1 and is_one_name and not any(e.row for e in elements)


def _is_named(naming: Naming, phrase: Phrase) -> bool:
    """Return whether enough words were found, and every number among them."""
    if any(word[0].isdigit() for word in naming.missing):
        return False
    shown = split_words(naming.name)
    own_name = split_words(naming.element.name or naming.element.text)
    numbers, letters = _numbers_and_words(phrase.strong)
    # "the id 8": the link '7' in a row that has an 8 somewhere is another one
    if numbers and any(_is_number(words) and not _any_like(numbers, words) for words in
                       (shown, own_name)):  # fmt: skip
        return False
    if numbers and _is_number(own_name):
        return True
    # "Buy 1 in oak" does not mean "1 star": a number alone names nothing, nor does a place
    own = _any_like(letters, shown) if letters else naming.own > 0
    if naming.element.name and not own and not _any_like(phrase.verb, shown):
        return False
    return 1 - len(naming.missing) / max(1, len(phrase.strong)) >= _FOUND


def _lacks_capitals(name: str, shown: Sequence[str]) -> bool:
    """Return whether a proper name is only shared in part: "Plank Editor" is no 'Sound Editor'."""
    capitals = [word for word in re.findall(r"\w+", name) if word[0].isupper()]
    return len(capitals) > 1 and not all(_any_like((word.lower(),), shown) for word in capitals)


def _numbers_and_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    numbers = [word for word in words if word[0].isdigit()]
    return numbers, [word for word in words if word not in numbers]


def _is_number(words: Sequence[str]) -> bool:
    return bool(words) and all(word[0].isdigit() for word in words)


_DRAWINGS = frozenset({"plus", "minus", "tick", "heart", "house", "bell", "clip", "dots"})


def only_draws(place: str) -> bool:
    """Return whether a place is called by a sign alone: "the little gear"."""
    words = proper_words(place)
    return bool(words) and all(KINDS.get(word) == "icon" or word in _DRAWINGS for word in words)


_ARTICLE = re.compile(r"^(?:to |on )?(?:the |a |an )?", re.I)


def _called_exactly(name: str, elements: Sequence[Element]) -> list[Element]:
    """Return what is called so but for its kind: "the More tab", whose name says nothing else."""
    words = plain(_ARTICLE.sub("", name)).split()
    names = {" ".join(words)}
    if len(words) > 1:
        names |= {" ".join(words[:-1])} if words[-1] in KINDS else set()
        names |= {" ".join(words[1:])} if words[0] in KINDS else set()
    called = [e for e in elements if bare(e.name or e.text) in names - {""}]
    # "the More tab": the tab 'More', not the button 'more'
    cased = [e for e in called if (e.name or e.text).strip() in name]
    return cased or called


def _has_words(words: str, element: Element) -> bool:
    wanted = _ARTICLE.sub("", words)
    return any(fit(wanted, text) >= WITHIN for text in (element.name, element.title) if text)


def _is_of_kind(element: Element, kind: str) -> bool:
    if kind == "menu":
        pops = bool(element.attributes.get("aria-haspopup")) or element.expanded is not None
        return pops or not element.name or "menu" in element.attributes.get("class", "")
    if kind == "icon":  # what has a name is called by it: 'Edit' for "the pencil"
        return not (element.name or element.text or element.title)
    return element.role == kind or element.role in VOCABULARY.families.get(kind, ())


def _loses_something(
    chosen: Element, near: Sequence[Element], distinct: Callable[..., list[Element]]
) -> bool:
    """Return whether the choice is one of several that take something away: none is as good."""
    words = set(split_words(chosen.name or chosen.text or chosen.title))
    return bool(words & VOCABULARY.grave) and len({e.row for e in distinct(near)}) > 1


def _any_like(words: Sequence[str], shown: Sequence[str]) -> bool:
    return any(word_similarity(word, other) >= 0.7 for word in words for other in shown)


def is_called(element: Element, name: str) -> bool:
    """Return whether a text of it is exactly the plain `name`."""
    texts = (element.name, element.text, element.title, element.value or "",
             element.alternative, element.attributes.get("aria-label", ""))  # fmt: skip
    if any(plain(text) == name or bare(text) == name for text in texts if text):
        return True
    # an arrow with the class 'next-page' has no other name
    return is_nameless_icon(element) and any(
        plain(text) == name for text, _, channel in channels(element) if channel == "class"
    )


def is_button(element: Element) -> bool:
    """Return whether it is pressed like a button."""
    return element.role == "button" or element.input_type in ("submit", "image", "button")
