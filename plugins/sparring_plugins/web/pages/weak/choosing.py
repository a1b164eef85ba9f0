"""Which element of a page the words of an intent mean: the best one, if it is clearly that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.words import likeness, split_words
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    in_words,
    is_a_box,
    offers_choices,
    takes_text,
)
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import bare, plain
from sparring_plugins.web.pages.weak.naming import Naming, Phrase, Surroundings, ranked
from sparring_plugins.web.roles import Candidate, PageTask

#: A lower score names nothing; the best must be better than the next by the margin.

#: A lower score names nothing; the best must be better than the next by the margin.
_ENOUGH = 0.52
MARGIN = 0.05
#: Of the words that name something, this share must be found on it or around it.
_FOUND = 0.6

_TOPMOST = frozenset({"dialog", "alertdialog"})
EDGES = frozenset({"banner", "contentinfo", "navigation", "complementary"})


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
            if fits(e) and e.visible and not e.disabled and not e.covered
        ]
        dialogs = [e for e in self.layout.snapshot.elements if e.role in _TOPMOST and e.visible]
        if dialogs:
            top = dialogs[-1]
            inside = [e for e in usable if self.layout.holds(top, e)]
            return inside or usable
        return usable

    def _choose(
        self, phrase: Phrase, elements: Sequence[Element], *, enough: float = _ENOUGH
    ) -> tuple[Element | None, str, tuple[Candidate, ...]]:
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
        chosen = self._prefer([n.element for n in best])
        if chosen is None:
            names = ", ".join(in_words(n.element) for n in best[:4])
            return None, f"{len(best)} fit about equally well: {names}", candidates
        return chosen, f"{in_words(chosen)} is named best (weak reading)", candidates

    def _prefer(self, elements: Sequence[Element]) -> Element | None:
        """Choose among equals as a tester does; None if even that does not decide.

        One control counts once; then the form just filled in, what is not in header or footer,
        what is in view.
        """
        rest = self._distinct(elements)
        last = self._last_form()
        if _are_twins(rest):
            return rest[0]
        rules: tuple[Callable[[Element], bool], ...] = (
            lambda e: last is not None and self.layout.form_of(e) == last,
            lambda e: e.role in VOCABULARY.sets["PRESSED"] or e.editable,
            lambda e: not any(h.role in EDGES for h in self.layout.above(e)),
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
                or (element.url and element.url == other.url and "#" not in element.url)
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


def _are_twins(elements: Sequence[Element]) -> bool:
    """Return whether all are called the same and lie in no row: as in the header and a message."""
    names = {plain(e.name or e.text) for e in elements}
    return len(elements) > 1 and len(names) == 1 and not any(e.row for e in elements)


def _is_named(naming: Naming, phrase: Phrase) -> bool:
    """Return whether enough words were found, and every number among them."""
    if any(word[0].isdigit() for word in naming.missing):
        return False
    shown = split_words(naming.name)
    numbers = [word for word in phrase.strong if word[0].isdigit()]
    # "the id 8": the link '7' in a row that has an 8 somewhere is another one
    if numbers and all(word[0].isdigit() for word in shown) and not _any_like(numbers, shown):
        return False
    letters = [word for word in phrase.strong if not word[0].isdigit()]
    # "Buy 1 in oak" does not mean "1 star": a number alone names nothing, nor does a place
    own = _any_like(letters, shown) if letters else naming.own > 0
    if naming.element.name and not own and not _any_like(phrase.verb, shown):
        return False
    return 1 - len(naming.missing) / max(1, len(phrase.strong)) >= _FOUND


def _any_like(words: Sequence[str], shown: Sequence[str]) -> bool:
    return any(likeness(word, other) >= 0.7 for word in words for other in shown)


def is_called(element: Element, name: str) -> bool:
    """Return whether a text of it is exactly the plain `name`."""
    texts = (element.name, element.text, element.title, element.value or "",
             element.alternative, element.attributes.get("aria-label", ""))  # fmt: skip
    return any(plain(text) == name or bare(text) == name for text in texts if text)


def is_button(element: Element) -> bool:
    """Return whether it is pressed like a button."""
    return element.role == "button" or element.input_type in ("submit", "image", "button")
