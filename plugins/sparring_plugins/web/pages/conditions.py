"""Whether a condition holds on a page: true, false, or don't know, with the elements that show it.

False is as final as true: the text is not there, the box is not checked. Don't know is for what
plain rules cannot see: a word that is only part of another, two fields that may be meant, a page
too large for its snapshot. Only such questions are worth asking a language model.
"""

from sparring.model.page import Element, PageView
from sparring_plugins.web.pages.controls import in_words, is_a
from sparring_plugins.web.pages.layout import VisibleContent, placed, sentences_with
from sparring_plugins.web.pages.predicates import (
    all_of,
    any_of,
    between,
    compared,
    field_holds,
    in_state,
    negated,
)
from sparring_plugins.web.pages.text_fit import Found, bare, contains, occurrences, plain
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import (
    AllOf,
    AnyOf,
    Compared,
    Condition,
    Counted,
    Displayed,
    FieldHolds,
    InState,
    Not,
    PageIs,
    Target,
)


def holds(condition: Condition, view: PageView) -> Judged:
    """Judge `condition` on `view`."""
    return _holds(condition, VisibleContent(view), positive=True)


def _holds(condition: Condition, content: VisibleContent, *, positive: bool) -> Judged:
    match condition:
        case Not():
            return negated(_holds(condition.condition, content, positive=not positive))
        case AllOf():
            return all_of(_holds(c, content, positive=positive) for c in condition.conditions)
        case AnyOf():
            return any_of(_holds(c, content, positive=positive) for c in condition.conditions)
        case Displayed():
            return _displayed(condition.target, content, positive=positive)
        case Counted():
            return _counted(condition, content)
        case InState():
            return in_state(condition, content.layout)
        case FieldHolds():
            return field_holds(condition, content.layout)
        case PageIs():
            return _page_is(condition, content)
        case Compared():
            return compared(condition, content)


def _displayed(target: Target, content: VisibleContent, *, positive: bool) -> Judged:
    judge = _element_displayed if _names_element(target) else _text_displayed
    judged = judge(target, content)
    # "Assert that 'Saved' is displayed" also holds for a toast that has gone by now; "is not
    # displayed" is about this moment.
    if judged.truth is False and positive and (message := content.message_with(target.text)):
        gone = (
            "" if message.gone_s is None else f", gone {message.gone_s - message.at_s:.1f} s later"
        )
        return Judged(
            truth=True, reason=f"'{target.text}' was shown for a while, in a {message.kind}{gone}"
        )
    return judged


def _names_element(target: Target) -> bool:
    """Return whether a target is an element of a kind or at a place, and not just a text."""
    has_place = target.row or target.region or target.ordinal
    return target.role not in (None, "text") or not target.text or bool(has_place)


def _text_displayed(target: Target, content: VisibleContent) -> Judged:
    """Judge whether a text can be read, or is the name of an icon or a picture."""
    words = target.text
    if target.exact:
        return _exact_text_displayed(words, content)
    readable = tuple(e for e in content.view.snapshot.elements if e.visible and _reads(words, e))
    ids = tuple(e.id for e in readable[:10])
    if content.count(words).sure:
        return Judged(truth=True, reason=f"'{words}' can be read", elements=ids)
    for element, name in content.named:
        if contains(words, name):
            return Judged(
                truth=True, reason=f"{in_words(element)} is visible", elements=(element.id,)
            )
    if content.count(words).possible:
        return Judged(
            truth=None, reason=f"'{words}' is there only as a part of a longer word", elements=ids
        )
    return _absent(words, content)


def _exact_text_displayed(words: str, content: VisibleContent) -> Judged:
    texts = [*content.blocks, *(text for _, text in content.held)]
    elements = tuple(
        e for e in content.view.snapshot.elements if e.visible and plain(e.text) == plain(words)
    )
    if elements or any(plain(text) == plain(words) for text in texts):
        ids = tuple(e.id for e in elements[:10])
        return Judged(truth=True, reason=f"exactly '{words}' can be read", elements=ids)
    return _absent(words, content, "exactly ")


def _reads(words: str, element: Element) -> bool:
    return any(contains(words, text) for text in (element.text, element.name, element.value or ""))


def _absent(words: str, content: VisibleContent, how: str = "") -> Judged:
    if not content.complete:
        omitted = content.view.snapshot.truncated
        return Judged(
            truth=None, reason=f"'{words}' was not found, but {omitted} elements were left out"
        )
    hidden = [e for e in content.view.snapshot.elements if not e.visible and _reads(words, e)]
    if hidden:
        ids = tuple(e.id for e in hidden[:10])
        return Judged(truth=False, reason=f"'{words}' is there, but hidden", elements=ids)
    pictures = [e for e in content.view.snapshot.elements if _is_drawing(e)]
    if pictures:
        return Judged(
            truth=None,
            reason=f"{how}'{words}' can't be read in the text; there is a drawing that may show it",
            elements=tuple(e.id for e in pictures[:10]),
        )
    return Judged(truth=False, reason=f"{how}'{words}' can't be read anywhere on the page")


def _is_drawing(element: Element) -> bool:
    """Return whether it is a large canvas that may show text that cannot be read."""
    large = element.box is not None and element.box.width * element.box.height > 60_000
    return element.tag == "canvas" and element.visible and large and not element.name


def _element_displayed(target: Target, content: VisibleContent) -> Judged:
    """Judge whether a control of a kind, or something at a place, is visible."""
    sure, possible, why = _meant_elements(target, content)
    name = (target.role or "something") + (f" '{target.text}'" if target.text else "")
    count = abs(target.ordinal) if target.ordinal else 1
    if len(sure) >= count:
        ids = tuple(e.id for e in sure[:10])
        return Judged(truth=True, reason=f"{in_words(sure[0])} is visible", elements=ids)
    if len(possible) >= count:
        ids = tuple(e.id for e in possible[:10])
        reason = f"{in_words(possible[0])} may be the {name}"
        return Judged(truth=None, reason=reason, elements=ids)
    if not content.complete:
        omitted = content.view.snapshot.truncated
        return Judged(truth=None, reason=f"no {name}, but {omitted} elements were left out")
    return Judged(truth=False, reason=why or f"there is no visible {name}")


def _meant_elements(
    target: Target, content: VisibleContent
) -> tuple[list[Element], list[Element], str]:
    """Return the visible elements surely meant, those possibly meant, and why there are none."""
    kinds = [
        e
        for e in content.view.snapshot.elements
        if e.visible and (target.role or target.text) and is_a(e, target.role)
    ]
    sure = [e for e in kinds if _count_words(target, e).sure] if target.text else kinds
    possible = [e for e in kinds if _count_words(target, e).possible] if target.text else kinds
    if not (target.row or target.region):
        return sure, possible, ""
    surely_placed, why = placed(sure, target, content.layout)
    possibly_placed, _ = placed(possible, target, content.layout)
    return list(surely_placed), list(possibly_placed), why


def _count_words(target: Target, element: Element) -> Found:
    """Count the target's words in the text of an element that has them most often."""
    texts = (
        element.name, element.label, element.text, element.alternative, element.title,
        element.placeholder, element.adjacent if element.editable else "",
        (element.value or "") if element.role == "button" else "",
    )  # fmt: skip
    if target.exact:
        same = any(text and bare(text) == bare(target.text) for text in texts)
        return Found(int(same), int(same))
    counts = [occurrences(target.text, text) for text in texts if text]
    return Found(
        max((c.sure for c in counts), default=0), max((c.possible for c in counts), default=0)
    )


def _counted(condition: Counted, content: VisibleContent) -> Judged:
    target, words = condition.target, condition.target.text
    match condition.unit:
        case "sentence":
            total = len(content.sentences)
            count = sentences_with(content.sentences, words) if words else Found(total, total)
            unit = f"sentences with '{words}'" if words else "sentences"
        case "element":
            sure, possible, _ = _meant_elements(target, content)
            count = Found(len(sure), len(possible))
            unit = f"{target.role or 'element'}s" + (f" '{words}'" if words else "")
        case "text":
            count = _count_text(target, content)
            unit = f"occurrences of '{words}'"
    most = count.possible if content.complete else max(count.possible, condition.number) + 1
    truth = between(count.sure, most, condition.comparison, condition.number)
    number = f"{count.sure}" if count.sure == most else f"{count.sure} to {most}"
    reason = f"{number} {unit}; asked for {condition.comparison} {condition.number}"
    return Judged(truth=truth, reason=reason)


def _count_text(target: Target, content: VisibleContent) -> Found:
    if not (target.row or target.region or target.role):
        return content.count(target.text)
    sure, possible, _ = _meant_elements(target, content)
    return Found(
        sum(_count_words(target, e).sure for e in sure),
        sum(_count_words(target, e).possible for e in possible),
    )


def _page_is(condition: PageIs, content: VisibleContent) -> Judged:
    snapshot = content.view.snapshot
    actual = snapshot.url if condition.property == "url" else snapshot.title
    text, wanted = plain(actual), plain(condition.text)
    match condition.mode:
        case "equals":
            truth = text == wanted or (
                condition.property == "url" and text.rstrip("/") == wanted.rstrip("/")
            )
        case "contains":
            truth = wanted in text
        case "starts":
            truth = text.startswith(wanted)
        case "ends":
            truth = text.endswith(wanted) or text.rstrip("/").endswith(wanted)
    return Judged(truth=truth, reason=f"the page's {condition.property} is '{actual}'")
