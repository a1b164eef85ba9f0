"""Whether a text or a control is displayed: true, false, or don't know, with what shows it.

Exact capitals and whole phrases decide. A weaker match decides too, with a note (`Judged.weak`);
what is not even that, but resembles what is asked for, is *don't know* and never false.
"""

import re

from sparring.model.page import Element
from sparring_plugins.web.pages.controls import (
    in_words,
    is_a,
    offers_choices,
    resembles,
)
from sparring_plugins.web.pages.grounding import ground
from sparring_plugins.web.pages.layout import placed
from sparring_plugins.web.pages.located import explain_located, find_located
from sparring_plugins.web.pages.text_fit import (
    Found,
    Grade,
    Presence,
    bare,
    cased,
    contains,
    occurrences,
    plain,
    presence,
)
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import Target

#: Tags of what a reader of the page sees into as little as a picture.
_OPAQUE = frozenset({"canvas", "object", "embed"})
_LINK_TAGS = frozenset({"a", "area"})
#: Classes that say what an element is drawn as: "btn", "button-primary", "nav-link".
_DRAWN = {
    "button": re.compile(r"\b(?:btn|button)\b", re.IGNORECASE),
    "link": re.compile(r"\b(?:link|anchor)\b", re.IGNORECASE),
    "tab": re.compile(r"\btab\b", re.IGNORECASE),
}


def displayed(target: Target, content: VisibleContent, *, positive: bool) -> Judged:
    """Judge whether a target is displayed; `positive` if the sentence asserts that it is."""
    if target.by:
        return _located_displayed(target, content)
    judge = _element_displayed if _names_element(target) else _text_displayed
    judged = judge(target, content)
    # "Assert that 'Saved' is displayed" also holds for a toast that has gone by now; "is not
    # displayed" is about this moment.
    if judged.truth is not True and positive and (message := content.message_with(target.text)):
        gone = (
            "" if message.gone_s is None else f", gone {message.gone_s - message.at_s:.1f} s later"
        )
        return Judged(
            truth=True, reason=f"'{target.text}' was shown for a while, in a {message.kind}{gone}"
        )
    if judged.truth is False and not target.quoted and (target.text or target.row):
        # "There is no way to pay by card": what is not quoted may be no name at all.
        reason = (
            f"{judged.reason}; but the words are not in quotes, so they may be no text of the "
            f"page: write \"'{target.text or target.row}' is displayed\" if they are"
        )
        return judged.model_copy(update={"truth": None, "reason": reason})
    return judged


def _located_displayed(target: Target, content: VisibleContent) -> Judged:
    """Judge whether an element with an attribute is visible."""
    located = MeantElements.of(target, content).sure
    if target.ordinal is not None:
        number = target.ordinal
        located = located[number - 1 : number] if number > 0 else located[number:][:1]
    reason = explain_located(target, 0) if not located else f"{in_words(located[0])} is visible"
    if not located and not content.complete:
        return Judged(reason=f"{reason}, as far as it was read")
    return Judged(truth=bool(located), reason=reason, elements=tuple(e.id for e in located[:10]))


def _names_element(target: Target) -> bool:
    """Return whether a target is an element of a kind or at a place, and not just a text."""
    has_place = target.row or target.region or target.ordinal or target.row_number
    return target.role not in (None, "text") or not target.text or bool(has_place)


def _text_displayed(target: Target, content: VisibleContent) -> Judged:
    """Judge whether a text can be read, or is the name of an icon or a picture."""
    words = target.text
    if target.exact:
        return _exact_text_displayed(words, content)
    shown = content.shown(words)
    match shown.grade:
        case Grade.SURE:
            readable = (e.id for e in content.view.snapshot.elements if _reads(words, e))
            ids = tuple(dict.fromkeys((*shown.elements, *readable)))[:10]
            return Judged(truth=True, reason=f"'{words}' can be read", elements=ids)
        case Grade.WEAK:
            note = f"'{words}' can be read {shown.note}"
            return Judged(truth=True, reason=note, elements=shown.elements, weak=note)
        case Grade.UNCERTAIN:
            reason = f"'{words}' is there {shown.note}"
            return Judged(truth=None, reason=reason, elements=shown.elements)
        case _:
            return _absent(words, content)


def _exact_text_displayed(words: str, content: VisibleContent) -> Judged:
    texts = [*content.blocks, *(text for _, text in content.held)]
    elements = tuple(
        e
        for e in content.view.snapshot.elements
        if e.visible and not e.editable and plain(e.text) == plain(words)
    )
    if elements or any(plain(text) == plain(words) for text in texts):
        ids = tuple(e.id for e in elements[:10])
        is_cased = any(
            cased(text) == cased(words) for text in (*texts, *(e.text for e in elements))
        )
        weak = "" if is_cased else f"'{words}' can be read in other capitals"
        return Judged(
            truth=True, reason=weak or f"exactly '{words}' can be read", elements=ids, weak=weak
        )
    return _absent(words, content, "exactly ")


def _reads(words: str, element: Element) -> bool:
    if not element.visible or element.editable:
        return False
    return any(contains(words, text) for text in (element.text, element.name, element.value or ""))


def _absent(words: str, content: VisibleContent, how: str = "") -> Judged:
    snapshot = content.view.snapshot
    if not content.complete:
        return Judged(
            truth=None,
            reason=f"'{words}' was not found, but {snapshot.truncated} elements were left out",
        )
    hidden = [e for e in snapshot.elements if not e.visible and _says(words, e)]
    if hidden:
        ids = tuple(e.id for e in hidden[:10])
        return Judged(truth=False, reason=f"'{words}' is there, but hidden", elements=ids)
    pictures = [e for e in snapshot.elements if _is_opaque(e)]
    if pictures:
        return Judged(
            truth=None,
            reason=f"{how}'{words}' can't be read in the text; "
            "there is a drawing that may show it, or an embedded document",
            elements=tuple(e.id for e in pictures[:10]),
        )
    fields = [e for e, value in content.editable_values if contains(words, value)]
    if fields:
        reason = f"'{words}' stands only in the {in_words(fields[0])}, where the case entered it"
        return Judged(truth=False, reason=reason, elements=tuple(e.id for e in fields[:10]))
    return Judged(truth=False, reason=f"{how}'{words}' can't be read anywhere on the page")


def _says(words: str, element: Element) -> bool:
    return any(contains(words, text) for text in (element.text, element.name, element.value or ""))


def _is_opaque(element: Element) -> bool:
    """Return whether it is a large canvas or embedded document that may show any text."""
    if element.tag not in _OPAQUE or not element.visible or element.box is None:
        return False
    area = element.box.width * element.box.height
    if element.tag == "canvas":
        return area > 60_000 and not element.name
    return area > 2_500


def _element_displayed(target: Target, content: VisibleContent) -> Judged:
    """Judge whether a control of a kind, or something at a place, is visible."""
    if target.role == "option" and target.text:
        offered = _option_offered(target, content)
        if offered is not None:
            return offered
    matches = MeantElements.of(target, content)
    name = (target.role or "something") + (f" '{target.text}'" if target.text else "")
    count = abs(target.ordinal) if target.ordinal else 1
    if len(matches.sure) >= count:
        ids = tuple(e.id for e in matches.sure[:10])
        reason = f"{in_words(matches.sure[0])} is visible"
        return Judged(truth=True, reason=reason, elements=ids)
    if len(matches.weak) >= count:
        ids = tuple(e.id for e in matches.weak[:10])
        note = f"{in_words(matches.weak[0])} is visible: the {name} {matches.note}"
        return Judged(truth=True, reason=note, elements=ids, weak=note)
    if len(matches.possible) >= count:
        ids = tuple(e.id for e in matches.possible[:10])
        reason = f"{in_words(matches.possible[0])} may be the {name}"
        return Judged(truth=None, reason=reason, elements=ids)
    return _kind_absent(target, name, matches.why, content)


def _kind_absent(target: Target, name: str, why: str, content: VisibleContent) -> Judged:
    """Judge what is not there as the kind that is asked for; it may be there as another kind."""
    if not content.complete:
        omitted = content.view.snapshot.truncated
        return Judged(truth=None, reason=f"no {name}, but {omitted} elements were left out")
    if why and (reason := _place_missing(target, content)):
        return Judged(truth=None, reason=reason)
    if target.text and not why and not target.ordinal:
        other = _of_another_kind(target, name, content)
        if other is not None:
            return other
    return Judged(truth=False, reason=why or f"there is no visible {name}")


def _place_missing(target: Target, content: VisibleContent) -> str:
    """Return why nobody knows: the page has no such place, or one that is not marked as such."""
    visible = [e for e in content.view.snapshot.elements if e.visible]
    if target.region:
        region = Target(region=target.region)
        if not placed(visible, region, content.layout)[0]:
            return f"no part of the page is known as '{target.region}'"
    if target.row and content.shown(target.row).grade > Grade.ABSENT:
        row = Target(row=target.row, row_kind=target.row_kind)
        if not placed(visible, row, content.layout)[0]:
            return f"'{target.row}' is there, but in nothing that looks like a row"
    return ""


def _of_another_kind(target: Target, name: str, content: VisibleContent) -> Judged | None:
    """Return a weak match or *don't know* if the words are there as a whole, but another kind.

    Links that are tabs by their role, buttons that are links with the class ``btn``, headings that
    are plain text.
    """
    whole = [
        e
        for e in content.view.snapshot.elements
        if e.visible and any(bare(text) == bare(target.text) for text in _texts(e) if text)
    ]
    drawn = [e for e in whole if _is_drawn_as(e, target.role)]
    if drawn:
        note = f"{in_words(drawn[0])} is visible, which serves as the {name}"
        ids = tuple(e.id for e in drawn[:10])
        return Judged(truth=True, reason=note, elements=ids, weak=note)
    if whole:
        pressed = [e for e in whole if resembles(e, target.role)] or whole
        reason = f"there is {in_words(pressed[0])}, but by its markup it is no {target.role}"
        return Judged(truth=None, reason=reason, elements=tuple(e.id for e in whole[:10]))
    return None


def _is_drawn_as(element: Element, role: str | None) -> bool:
    """Return whether an element is of a kind by its tag or its classes, though not by its role."""
    if role == "link" and element.tag in _LINK_TAGS:
        return True
    drawn = _DRAWN.get(role or "")
    if drawn is None or not resembles(element, role):
        return False
    classes = element.attributes.get("class", "").replace("_", "-")
    return bool(drawn.search(classes))


def _option_offered(target: Target, content: VisibleContent) -> Judged | None:
    """Judge whether a list has an option; `None` if no list that shows its options is meant."""
    place = target.region or target.row
    lists = _lists_at(place, content) if place else _visible_lists(content)
    offered = [
        (presence(target.text, option.label), element, option.label)
        for element in lists
        for option in element.options
        if plain(target.text) == plain(option.label)
    ]
    if offered:
        best, element, label = max(offered, key=lambda option: option[0].grade)
        reason = f"'{label}' is an option of {in_words(element)}"
        weak = f"'{target.text}' is the option '{label}'" if best.grade < Grade.SURE else ""
        return Judged(truth=True, reason=reason, elements=(element.id,), weak=weak)
    # Only of a list that the sentence names can be said that it lacks an option.
    return _not_offered(target, lists[0]) if place and lists else None


def _visible_lists(content: VisibleContent) -> list[Element]:
    return [e for e in content.view.snapshot.elements if e.visible and e.options]


def _lists_at(place: str, content: VisibleContent) -> list[Element]:
    """Return the list that a place names, unless it names none or one without options."""
    grounding = ground(
        Target(text=place), content.layout, offers_choices, usable=lambda e: e.visible
    )
    element = grounding.chosen or grounding.unusable
    return [element] if element is not None and element.options else []


def _not_offered(target: Target, element: Element) -> Judged:
    """Judge a list without the option: a longer label with its words leaves it unknown."""
    near = [o.label for o in element.options if occurrences(target.text, o.label).possible]
    if near:
        return Judged(truth=None, reason=f"{in_words(element)} has only '{near[0]}'")
    return Judged(truth=False, reason=f"{in_words(element)} has no option '{target.text}'")


class MeantElements:
    """The visible elements that a target surely, weakly or possibly means."""

    def __init__(self) -> None:
        self.sure: list[Element] = []
        self.weak: list[Element] = []
        self.possible: list[Element] = []
        self.note = ""
        self.why = ""

    @classmethod
    def of(cls, target: Target, content: VisibleContent) -> "MeantElements":
        """Grade the elements of a page; each list includes the one before."""
        matches = cls()
        if target.by:
            shown = [e for e in content.view.snapshot.elements if e.visible]
            located = find_located(target, shown)
            matches.sure = matches.weak = matches.possible = located
            return matches
        kinds = [
            e
            for e in content.view.snapshot.elements
            if e.visible and (target.role or target.text) and is_a(e, target.role)
        ]
        if target.text:
            matches._grade(target, kinds)
        else:
            matches.sure = matches.weak = matches.possible = kinds
        if target.row or target.region or target.row_number:
            matches._keep_placed(target, content)
        return matches

    def _grade(self, target: Target, kinds: list[Element]) -> None:
        for element in kinds:
            graded = grade_words(target, element)
            if graded.grade is Grade.SURE:
                self.sure.append(element)
            if graded.grade >= Grade.WEAK:
                self.note = self.note or graded.note
                self.weak.append(element)
            if graded.grade >= Grade.UNCERTAIN:
                self.possible.append(element)

    def _keep_placed(self, target: Target, content: VisibleContent) -> None:
        """Keep only the elements in the row or region that the target names."""
        possible, self.why = placed(self.possible, target, content.layout)
        if not self.possible:
            self.why = self.why or f"there is no visible '{target.text}'"
            return
        ids = {e.id for e in possible}
        sure, _ = placed(self.sure, target, content.layout)
        weak, _ = placed(self.weak, target, content.layout)
        self.sure, self.weak = list(sure), [e for e in weak if e.id in ids]
        self.possible = list(possible)


def _texts(element: Element) -> tuple[str, ...]:
    return (
        element.name, element.label, element.text, element.alternative, element.title,
        element.placeholder, element.adjacent if element.editable else "",
        (element.value or "") if element.role == "button" else "",
    )  # fmt: skip


def grade_words(target: Target, element: Element) -> Presence:
    """Grade the target's words in the texts that an element is called by."""
    texts = [text for text in _texts(element) if text]
    if element.editable and target.role is None:
        texts = [text for text in texts if text != element.text]
    if target.exact:
        texts = [text for text in texts if bare(text) == bare(target.text)]
    best = Presence(Grade.ABSENT)
    for text in texts:
        graded = presence(target.text, text)
        if graded.grade is Grade.SURE and "\n" in text:
            graded = _within_a_line(target.text, text)
        if graded.grade > best.grade:
            best = graded
    return best


def _within_a_line(words: str, text: str) -> Presence:
    """Grade a phrase in a text of several blocks, where it may stand over their border."""
    if any(presence(words, line).grade is Grade.SURE for line in text.split("\n")):
        return Presence(Grade.SURE)
    return Presence(Grade.WEAK, "over several lines")


def count_words(target: Target, element: Element) -> Found:
    """Count the target's words in the text of an element that has them most often."""
    texts = _texts(element)
    if target.exact:
        same = any(text and bare(text) == bare(target.text) for text in texts)
        return Found(int(same), int(same))
    counts = [occurrences(target.text, text) for text in texts if text]
    return Found(
        max((c.sure for c in counts), default=0), max((c.possible for c in counts), default=0)
    )
