"""Whether a condition holds on a page: true, false, or don't know, with what shows it.

False is as final as true: the text is not there, the box is not checked. Don't know is for what
plain rules cannot see: a word that is only part of another, two fields that may be meant, a page
too large for its snapshot. Only such questions are worth asking a language model.
"""

from collections.abc import Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.pages.amounts import compared
from sparring_plugins.web.pages.control_kinds import in_words, is_a
from sparring_plugins.web.pages.control_states import field_holds, in_state
from sparring_plugins.web.pages.places import placed
from sparring_plugins.web.pages.text_fit import Found, bare, contains, occurrences, plain
from sparring_plugins.web.pages.truth import all_of, any_of, between, negated
from sparring_plugins.web.pages.visible_text import Shown, read_sentences
from sparring_plugins.web.roles.page_agents import Judged
from sparring_plugins.web.roles.step import (
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
    return _holds(condition, Shown(view), positive=True)


def _holds(condition: Condition, shown: Shown, *, positive: bool) -> Judged:
    match condition:
        case Not():
            return negated(_holds(condition.condition, shown, positive=not positive))
        case AllOf():
            return all_of(_holds(one, shown, positive=positive) for one in condition.conditions)
        case AnyOf():
            return any_of(_holds(one, shown, positive=positive) for one in condition.conditions)
        case Displayed():
            return _displayed(condition.target, shown, positive=positive)
        case Counted():
            return _counted(condition, shown)
        case InState():
            return in_state(condition, shown.layout)
        case FieldHolds():
            return field_holds(condition, shown.layout)
        case PageIs():
            return _page_is(condition, shown)
        case Compared():
            return compared(condition, shown)


def _displayed(target: Target, shown: Shown, *, positive: bool) -> Judged:
    judged = _thing(target, shown) if _is_thing(target) else _text(target, shown)
    if judged.truth is False and positive and (message := shown.faded(target.text)):
        gone = (
            "" if message.gone_s is None else f", gone {message.gone_s - message.at_s:.1f} s later"
        )
        return Judged(
            truth=True, reason=f"'{target.text}' was shown for a while, in a {message.kind}{gone}"
        )
    return judged


def _is_thing(target: Target) -> bool:
    placed_somewhere = target.row or target.region or target.ordinal
    return target.role not in (None, "text") or not target.text or bool(placed_somewhere)


def _text(target: Target, shown: Shown) -> Judged:
    """A text without more: it can be read, or is the name of an icon or a picture."""
    words = target.text
    if target.exact:
        return _exactly(words, shown)
    where = tuple(e for e in shown.view.snapshot.elements if e.visible and _reads(words, e))
    ids = tuple(e.id for e in where[:10])
    if shown.count(words).sure:
        return Judged(truth=True, reason=f"'{words}' can be read", elements=ids)
    for element, name in shown.named:
        if contains(words, name):
            return Judged(
                truth=True, reason=f"{in_words(element)} is visible", elements=(element.id,)
            )
    if shown.count(words).possible:
        return Judged(
            truth=None, reason=f"'{words}' is there only as a part of a longer word", elements=ids
        )
    return _absent(words, shown)


def _exactly(words: str, shown: Shown) -> Judged:
    texts = [*shown.blocks, *(text for _, text in shown.held)]
    elements = tuple(
        e for e in shown.view.snapshot.elements if e.visible and plain(e.text) == plain(words)
    )
    if elements or any(plain(text) == plain(words) for text in texts):
        ids = tuple(e.id for e in elements[:10])
        return Judged(truth=True, reason=f"exactly '{words}' can be read", elements=ids)
    return _absent(words, shown, "exactly ")


def _reads(words: str, element: Element) -> bool:
    return any(contains(words, text) for text in (element.text, element.name, element.value or ""))


def _absent(words: str, shown: Shown, how: str = "") -> Judged:
    if not shown.complete:
        left = shown.view.snapshot.truncated
        return Judged(
            truth=None, reason=f"'{words}' was not found, but {left} elements were left out"
        )
    hidden = [e for e in shown.view.snapshot.elements if not e.visible and _reads(words, e)]
    if hidden:
        ids = tuple(e.id for e in hidden[:10])
        return Judged(truth=False, reason=f"'{words}' is there, but hidden", elements=ids)
    pictures = [e for e in shown.view.snapshot.elements if _unreadable(e)]
    if pictures:
        return Judged(
            truth=None,
            reason=f"{how}'{words}' can't be read in the text; there is a drawing that may show it",
            elements=tuple(e.id for e in pictures[:10]),
        )
    return Judged(truth=False, reason=f"{how}'{words}' can't be read anywhere on the page")


def _unreadable(element: Element) -> bool:
    """A large drawing with no text of its own."""
    large = element.box is not None and element.box.width * element.box.height > 60_000
    return element.tag == "canvas" and element.visible and large and not element.name


def _thing(target: Target, shown: Shown) -> Judged:
    """A control of a kind, or something at a place."""
    sure, possible, why = _things(target, shown)
    named = target.role or "something"
    said = f" '{target.text}'" if target.text else ""
    wanted = abs(target.ordinal) if target.ordinal else 1
    if len(sure) >= wanted:
        ids = tuple(e.id for e in sure[:10])
        return Judged(truth=True, reason=f"{in_words(sure[0])} is visible", elements=ids)
    if len(possible) >= wanted:
        ids = tuple(e.id for e in possible[:10])
        reason = f"{in_words(possible[0])} may be the {named}{said}"
        return Judged(truth=None, reason=reason, elements=ids)
    if not shown.complete:
        left = shown.view.snapshot.truncated
        return Judged(truth=None, reason=f"no {named}{said}, but {left} elements were left out")
    return Judged(truth=False, reason=why or f"there is no visible {named}{said}")


def _things(target: Target, shown: Shown) -> tuple[list[Element], list[Element], str]:
    """The visible elements that are surely meant, those that may be, and why none is."""
    kinds = [
        e
        for e in shown.view.snapshot.elements
        if e.visible and (target.role or target.text) and is_a(e, target.role)
    ]
    sure = [e for e in kinds if _called(target, e).sure] if target.text else kinds
    possible = [e for e in kinds if _called(target, e).possible] if target.text else kinds
    if not (target.row or target.region):
        return sure, possible, ""
    kept, why = placed(sure, target, shown.layout)
    maybe, _ = placed(possible, target, shown.layout)
    return list(kept), list(maybe), why


def _called(target: Target, element: Element) -> Found:
    texts = (
        element.name, element.label, element.text, element.alternative, element.title,
        element.placeholder, element.adjacent if element.editable else "",
        (element.value or "") if element.role == "button" else "",
    )  # fmt: skip
    if target.exact:
        same = any(text and bare(text) == bare(target.text) for text in texts)
        return Found(int(same), int(same))
    found = [occurrences(target.text, text) for text in texts if text]
    return Found(
        max((f.sure for f in found), default=0), max((f.possible for f in found), default=0)
    )


def _counted(condition: Counted, shown: Shown) -> Judged:
    target, words = condition.target, condition.target.text
    match condition.unit:
        case "sentence":
            found = read_sentences(shown.sentences, words) if words else _all(shown.sentences)
            what = f"sentences with '{words}'" if words else "sentences"
        case "element":
            sure, possible, _ = _things(target, shown)
            found = Found(len(sure), len(possible))
            what = f"{target.role or 'element'}s" + (f" '{words}'" if words else "")
        case "text":
            found = _texts(target, shown)
            what = f"occurrences of '{words}'"
    most = found.possible if shown.complete else max(found.possible, condition.number) + 1
    truth = between(found.sure, most, condition.comparison, condition.number)
    number = f"{found.sure}" if found.sure == most else f"{found.sure} to {most}"
    reason = f"{number} {what}; asked for {condition.comparison} {condition.number}"
    return Judged(truth=truth, reason=reason)


def _all(texts: Sequence[str]) -> Found:
    return Found(len(texts), len(texts))


def _texts(target: Target, shown: Shown) -> Found:
    if not (target.row or target.region or target.role):
        return shown.count(target.text)
    sure, possible, _ = _things(target, shown)
    return Found(
        sum(_called(target, e).sure for e in sure),
        sum(_called(target, e).possible for e in possible),
    )


def _page_is(condition: PageIs, shown: Shown) -> Judged:
    snapshot = shown.view.snapshot
    there = snapshot.url if condition.property == "url" else snapshot.title
    have, want = plain(there), plain(condition.text)
    match condition.mode:
        case "equals":
            truth = have == want or (
                condition.property == "url" and have.rstrip("/") == want.rstrip("/")
            )
        case "contains":
            truth = want in have
        case "starts":
            truth = have.startswith(want)
        case "ends":
            truth = have.endswith(want) or have.rstrip("/").endswith(want)
    return Judged(truth=truth, reason=f"the page's {condition.property} is '{there}'")
