"""Choice among equal candidates: which of several controls that fit equally well a person means.

Each rule keeps the candidates that it ranks highest, in the order of how much it says: the dialog
on top, the form just filled in, what is nearest to the last act, what stands for the whole page
rather than in one of several alike cards, main content before header and footer, in view before out
of it. What no rule separates stays undecided: several rows with a 'Delete' each are not told apart.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.controls import VOCABULARY
from sparring_plugins.web.pages.layout import DIALOGS, Layout
from sparring_plugins.web.pages.text_fit import plain

#: Parts around a page's content. A menu beside the content is as likely meant as the content.
_AROUND = frozenset({"banner", "contentinfo"})
#: Holders that say nothing on what belongs together, because nearly all of the page lies in them.
_WIDE = frozenset({"document", "main", "banner", "contentinfo", "", "generic"})


class Pick(NamedTuple):
    """The element that was chosen, with why; without one, the candidates that are left."""

    element: Element | None
    left: tuple[Element, ...]
    reason: str = ""


@dataclass(frozen=True)
class Choice:
    """Chooses on one page; `acts` are those of the case so far, the latest last."""

    layout: Layout
    acts: Sequence[GuiAction] = ()

    def pick(self, candidates: Sequence[Element]) -> Pick:
        """Return the candidate that the first rule which separates them prefers."""
        left, reasons = list(candidates), list[str]()
        for words, rank in self._rules(candidates):
            ranks = [rank(element) for element in left]
            best = [e for e, value in zip(left, ranks, strict=True) if value == max(ranks)]
            if len(best) < len(left):
                left = best
                reasons.append(words)
            if len(left) == 1:
                return Pick(left[0], tuple(left), f"the one {' and '.join(reasons)}")
        return Pick(None, tuple(left))

    def _rules(
        self, candidates: Sequence[Element]
    ) -> Iterator[tuple[str, Callable[[Element], float]]]:
        yield "in the dialog on top", self._dialog_rank
        if (last := self._last_target()) is not None:
            yield "nearest to the last act", lambda element: self._nearness(element, last)
        # 'Add to basket' of a product's page, and the same on the cards of products like it.
        if sum(bool(element.row) for element in candidates) > 1:
            yield "outside of all rows", lambda element: not element.row
        yield "in the main content", lambda element: not self._is_around(element)
        # What is lost for ever is not chosen by where the page happens to be scrolled to, and a
        # row of a list is not likelier because the list goes on below the window.
        if not any(element.row or _is_grave(element) for element in candidates):
            yield "in view", lambda element: element.in_viewport

    def _dialog_rank(self, element: Element) -> float:
        """Return how late in the page the dialog around an element stands, 0 if there is none."""
        dialogs = (h for h in self.layout.above(element) if h.role in DIALOGS and h.visible)
        return max((self.layout.order[holder.id] for holder in dialogs), default=0)

    def _last_target(self) -> Element | None:
        """Return what the last act was aimed at, if it is still on the page and can be seen."""
        aimed = [act for act in self.acts if act.target]
        element = self.layout.by_id.get(aimed[-1].target or "") if aimed else None
        return element if element is not None and element.visible else None

    def _nearness(self, element: Element, last: Element) -> float:
        """Return how deep in the page the smallest part lies that holds both; 0 if it is wide."""
        around_last = {holder.id for holder in (last, *self.layout.above(last))}
        above = list(self.layout.above(element))
        for depth, holder in enumerate(above):
            if holder.id in around_last:
                return 0 if holder.role in _WIDE else len(above) - depth
        return 0

    def _is_around(self, element: Element) -> bool:
        return any(holder.role in _AROUND for holder in self.layout.above(element))


def _is_grave(element: Element) -> bool:
    return bool(VOCABULARY.grave & set(plain(element.name or element.text).split()))
