"""Plans for lists and menus that are drawn: opened first, then chosen from."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.words import content, split_words, stem
from sparring_plugins.web.pages.controls import VOCABULARY, in_words, takes_clicks, takes_text
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.acts.clicking import ClickPlans
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan, is_called

_CAPTION_ABOVE = 40
"""Pixels from the top of a caption to that of its list."""
_CAPTION_BESIDE = 24
"""Pixels between the left edges of both."""
#: Verbs that put something somewhere: a button may do it.
PUTTING = frozenset({"put", "add", "place", "choose", "select", "pick", "give"})


class DrawnListPlans(ClickPlans):
    """Plans for choices in what is no native list, or lies under its own placeholder."""

    def _open_drawn_list(self, intent: Intent) -> WeakPlan | None:
        """Open a list whose native field is hidden in what is drawn for it, then pick from it."""
        if self.again:
            clickable = self._elements(takes_clicks)
            options = [e for e in clickable if _is_option(e, intent.value)] or self._distinct(
                [
                    e
                    for e in self._new_since_last_act(clickable)
                    if is_called(e, plain(intent.value))
                ]
            )
            return self._act("click", options[0], "it offers it") if len(options) == 1 else None
        holders = self._drawn_lists()
        lists = [self._with_caption(self.layout.by_id[key]) for key in holders]
        named = intent.model_copy(update={"quoted": False})
        chosen, reason, candidates = self._choose_meant(named, lists, enough=0.5)
        chosen = chosen or _only_in_row(lists, intent.words)
        if chosen is None:
            return None
        plan = self._act("click", holders[chosen.id], f"opens it: {reason}", candidates=candidates)
        return replace(plan, again=True)

    def _new_since_last_act(self, fields: list[Element]) -> list[Element]:
        """Return fields that the last act brought: "I have a code" was clicked, and one came."""
        earlier = self.task.before[-1].snapshot if self.task.before else None
        seen = {e.id for e in earlier.elements if e.visible} if earlier else set[str]()
        return [e for e in fields if seen and e.id not in seen]

    def _pick_from_menu(self, intent: Intent, names: Sequence[str]) -> WeakPlan | None:
        """Open the menu that has one of the names, then click on what has come up.

        "Choose Archive under 'More'": 'More' is a button, and no list.
        """
        if intent.verb not in ("select", "filter"):
            return None
        clickable = [e for e in self._elements(takes_clicks) if not takes_text(e)]
        if self.again:
            items = [
                e for e in self._new_since_last_act(clickable) if is_called(e, plain(intent.value))
            ]
            if len(self._distinct(items)) != 1:
                return None
            return self._act("click", items[0], "the menu that was opened offers it")
        for name in names:
            openers = [e for e in clickable if is_called(e, plain(name)) and not e.options]
            if name and (opener := self._prefer(openers)) is not None:
                return self._click_first(opener, f"{in_words(opener)} may offer it (weak reading)")
        return self._unfold_called(plain(intent.value))  # "Choose Profile in the menu of Ida"

    def _with_caption(self, field: Element) -> Element:
        """Return a list with the nearest text above it as its label, if it has none of its own."""
        box = field.box
        if field.label or field.name or box is None:
            return field
        above = [
            (box.y - e.box.y, e.text) for e in self.layout.snapshot.elements
            if e.role == "text" and e.visible and e.box and not e.row
            and 0 < box.y - e.box.y <= _CAPTION_ABOVE and abs(e.box.x - box.x) <= _CAPTION_BESIDE
        ]  # fmt: skip
        caption = min(above, default=(0.0, ""))[1]
        return field.model_copy(update={"label": caption, "name": caption}) if caption else field

    def _drawn_lists(self) -> dict[str, Element]:
        """Return what is drawn for the lists that are hidden, by the ids of these.

        Over a list in view lies its placeholder: what is beside it, or that text, takes
        the click.
        """
        lists = [e for e in self.layout.snapshot.elements if e.role in VOCABULARY.sets["LIST"]]
        hidden = [e for e in lists if not e.visible and not e.options]
        holders = {e.id: next(self.layout.above(e), e) for e in hidden}
        drawn = {key: h for key, h in holders.items() if h.visible and h.interactive}
        for field in lists:
            if _lies_under_text(field) and (beside := self._beside(field)):
                drawn[field.id] = beside[0]
        return drawn

    def _beside(self, field: Element) -> list[Element]:
        """Return what takes clicks in the row of a list, or the text there; the first is best."""
        usable = self._elements(lambda e: e.interactive or e.role == "text")
        beside = [e for e in usable if field.row and e.row == field.row and e.id != field.id]
        return sorted(beside, key=lambda e: not e.interactive)

    def _choose_in_list(self, intent: Intent) -> WeakPlan | None:
        opened = self._choose_of_drawn(intent) if self.again else None
        return opened or super()._choose_in_list(intent)

    def _by_detour(self, intent: Intent) -> WeakPlan | None:
        return super()._by_detour(intent) or self._choose_of_drawn(intent)

    def _choose_of_drawn(self, intent: Intent) -> WeakPlan | None:
        """Return "Choose the walnut wood" as 'walnut' in the list drawn as 'All woods'."""
        if intent.quoted or intent.said not in PUTTING:
            return None
        words = re.sub(r"^(?:the|an?) ", "", intent.words).split()
        for key in self._drawn_lists():
            element = self.layout.by_id[key]
            shown = {
                stem(word) for text in (element.name, element.label, element.adjacent)
                for word in split_words(text)
            }  # fmt: skip
            value = [word for word in words if stem(word.lower()) not in shown]
            if 0 < len(value) < len(words):
                name = " ".join(word for word in words if word not in value)
                update = {"verb": "select", "words": name, "value": " ".join(value)}
                return self._open_drawn_list(intent.model_copy(update=update))
        return None


def _lies_under_text(field: Element) -> bool:
    return field.visible and field.covered and not field.options and not field.disabled


def _is_option(element: Element, label: str) -> bool:
    is_one = element.role in ("option", "menuitem", "menuitemradio")
    return is_one and plain(element.name or element.text) == plain(label)


def _only_in_row(elements: Sequence[Element], words: str) -> Element | None:
    """Return the only element in a row that begins with the words: "Rows per page: 5"."""
    said = plain(re.sub(r"^the ", "", words))
    rows = [e for e in elements if e.row and plain(e.row).startswith(said)]
    return rows[0] if len(rows) == 1 and content(said) else None
