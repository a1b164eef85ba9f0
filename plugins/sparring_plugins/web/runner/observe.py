"""Observe: did the act do what its kind promises? The post-conditions of Algorithm 1.

A text must stand in its field, a box must be checked, an option selected, a page opened. A click
promises only to hit its target: if nothing changed after it, the reason says so, which counts
against it if the same step once had an effect. The evidence is what changed on the page, compared
element by element.
"""

import re
from collections.abc import Iterator, Mapping

from sparring.model.page import Element, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.language.quantities import first_number
from sparring_plugins.web.pages.controls import in_words, native_value
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.error_pages import (
    address_in_words,
    error_owner,
    is_browser_error,
    server_error,
)

_STATES = (
    "disabled", "expanded", "pressed", "invalid", "required", "readonly", "visible", "covered",
)  # fmt: skip
_EVENTS = {
    PageEventKind.DOCUMENT: "a new document",
    PageEventKind.MESSAGE: "a message",
    PageEventKind.DIALOG: "a dialog",
    PageEventKind.POPUP: "a new tab",
    PageEventKind.TAB_CLOSED: "a closed tab",
    PageEventKind.DOWNLOAD: "a download",
    PageEventKind.UPLOAD: "an upload",
}


#: Sources of messages that may be none, or that the connector may have been too late for.
_GUESSED = ("brief", "class")
#: Kinds of events whose text is an address or a path, which may differ in every run.
_ADDRESSED = frozenset({PageEventKind.DOCUMENT, PageEventKind.POPUP})


def evidence(before: PageView | None, after: PageView) -> tuple[str, ...]:
    """Return what is different after an act, in words, each once.

    Equal runs give equal words: without times, and with addresses as in `address_in_words`.
    """
    return tuple(dict.fromkeys(_differences(before, after)))


def _differences(before: PageView | None, after: PageView) -> Iterator[str]:
    for event in after.events:
        if event.kind in _EVENTS and event.details.get("source") not in _GUESSED:
            text = "" if event.kind in _ADDRESSED else " ".join(event.text.split())[:80]
            yield f"{_EVENTS[event.kind]} '{text}'" if text else _EVENTS[event.kind]
    if error := server_error(after):
        yield error
    if before is None:
        return
    old, new = before.snapshot, after.snapshot
    if old.document != new.document:
        yield "a new document"
    if old.url != new.url:
        yield f"a new address '{address_in_words(new.url)}'"
    if old.tab != new.tab:
        yield "another tab"
    if old.title != new.title:
        yield "a new title"
    if old.scroll_y != new.scroll_y:
        yield "another scroll position"
    yield from _element_differences(old, new)
    if after.target_changed:
        yield "the target looks different"


def _element_differences(old: PageSnapshot, new: PageSnapshot) -> Iterator[str]:
    was: Mapping[str, Element] = {element.id: element for element in old.elements}
    now: Mapping[str, Element] = {element.id: element for element in new.elements}
    for id_, element in now.items():
        # The connector takes elements that are as they were from the snapshot before.
        if id_ in was and was[id_] is not element:
            yield from _state_differences(was[id_], element)
    if _texts(old) != _texts(new):
        yield "other text"
    if {k for k, e in was.items() if e.visible} != {k for k, e in now.items() if e.visible}:
        yield "other elements"


def _texts(snapshot: PageSnapshot) -> tuple[str, ...]:
    return tuple(plain(e.text) for e in snapshot.elements if e.visible and e.text)


def _state_differences(old: Element, new: Element) -> Iterator[str]:
    if old.value != new.value:
        yield "a field's value"
    if old.checked != new.checked or old.selected != new.selected:
        yield "a box or an option"
    if [o.selected for o in old.options] != [o.selected for o in new.options]:
        yield "a selected option"
    if new.focused and not old.focused:
        yield "the focus"
    for state in _STATES:
        if getattr(old, state) != getattr(new, state):
            yield f"the state '{state}' of an element"


_NOTHING = "nothing changed on the page"
_SLOW = frozenset({"timeout", "unstable"})
_NUMBER = re.compile(r"[-+]?\W?\d+(?:[.,']\d+)*\W?")


def observe(
    act: GuiAction, before: PageView | None, after: PageView, *, effect_expected: bool = False
) -> Judged:
    """Judge the effect of `act`.

    True if its post-condition holds, false if it does not or if the target was not hit.
    `effect_expected` means that the same step had an effect in an earlier run.
    """
    changes = evidence(before, after)
    if after.hit is False:
        why = "; ".join(e.text for e in after.events if e.kind == PageEventKind.REFUSED)
        reason = f"the target was not hit: {why}" if why else "the target was not hit"
        return Judged(truth=False, reason=reason, facts=changes)
    if is_browser_error(after):
        reason = f"after the {act.action} the page can't be loaded"
        return Judged(truth=False, reason=reason, facts=changes, owner=error_owner(after))
    target = _target(act, before)
    judged = _post_condition(act, target, before, after, changes)
    if judged is None:
        judged = _any_change(act, changes, effect_expected=effect_expected)
    return judged.model_copy(update={"facts": changes})


def was_too_slow(after: PageView, changes: tuple[str, ...]) -> bool:
    """Return whether an act was refused only because the page was not ready yet."""
    reasons = [e.details.get("why") for e in after.events if e.kind == PageEventKind.REFUSED]
    return after.hit is False and not changes and bool(reasons) and set(reasons) <= _SLOW


def machine_wait(view: PageView | None) -> float:
    """Return the share of a late act's time in which this machine's processes waited, from 0 to 1.

    The connector records it if the system counts it.
    """
    events = view.events if view is not None else ()
    waits = [e.details.get("machine_waited") for e in events if e.kind == PageEventKind.REFUSED]
    return max((wait for wait in waits if isinstance(wait, int | float)), default=0.0)


def _target(act: GuiAction, view: PageView | None) -> Element | None:
    if act.target is None or view is None:
        return None
    return view.snapshot.element(act.target)


def _any_change(act: GuiAction, changes: tuple[str, ...], *, effect_expected: bool) -> Judged:
    if changes:
        return Judged(truth=True, reason="; ".join(changes[:4]))
    if effect_expected:
        return Judged(truth=False, reason=f"{_NOTHING}, though this step once changed it")
    return Judged(truth=True, reason=f"{_NOTHING}, which a {act.action} may do")


def _post_condition(
    act: GuiAction,
    target: Element | None,
    before: PageView | None,
    after: PageView,
    changes: tuple[str, ...],
) -> Judged | None:
    now = after.snapshot.element(act.target) if act.target else None
    match act.action:
        case "open" | "reload":
            return _check_opening(after, changes)
        case "back" | "forward":
            return _check_navigation(before, after)
        case "fill" | "type" | "append":
            return _check_entry(act, target, now)
        case "check" | "uncheck":
            return _check_ticking(act, now)
        case "select":
            return _check_selection(act, now, changes)
        case "upload":
            uploaded = any(event.kind == PageEventKind.UPLOAD for event in after.events)
            return Judged(
                truth=uploaded or None, reason="the file is in the field" if uploaded else _NOTHING
            )
        case "wait" | "hover" | "scroll" | "select_text" | "listen":
            return Judged(truth=True, reason="; ".join(changes[:4]) or _NOTHING)
        case _:
            return None


def _check_navigation(before: PageView | None, after: PageView) -> Judged:
    new = after.snapshot
    old = before.snapshot if before else None
    moved = old is not None and (old.url != new.url or old.document != new.document)
    reason = f"now at '{address_in_words(new.url)}'" if moved else "the page stayed the same"
    return Judged(truth=moved, reason=reason)


def _check_opening(after: PageView, changes: tuple[str, ...]) -> Judged:
    if error := server_error(after):
        return Judged(truth=False, reason=error, owner=error_owner(after))
    reason = "; ".join(changes[:4]) or f"at '{address_in_words(after.snapshot.url)}'"
    return Judged(truth=True, reason=reason)


def _check_entry(act: GuiAction, target: Element | None, now: Element | None) -> Judged:
    wanted = str(act.value or "")
    if now is None:
        return Judged(truth=True, reason="the field is no longer on the page")
    if now.value is None and now.role == "slider":
        return Judged(truth=True, reason="the slider was moved to it by keys", elements=(now.id,))
    value = now.value or ""
    if _same_value(wanted, value, ending=act.action == "append"):
        return Judged(truth=True, reason=f"{in_words(now)} holds it", elements=(now.id,))
    if target is not None and now.input_type == "password" and len(value) == len(wanted):
        return Judged(truth=True, reason="the password field holds as many signs")
    held = f"holds '{value[:80]}'" if value else "is empty"
    return Judged(truth=False, reason=f"{in_words(now)} {held} instead", elements=(now.id,))


def _same_value(wanted: str, value: str, *, ending: bool) -> bool:
    """Compare whole values as a person does; after "append", the end of what the field holds.

    A field may put spaces, dots and brackets between characters.
    """
    if plain(wanted) == plain(value) or (ending and plain(value).endswith(plain(wanted))):
        return True
    if _NUMBER.fullmatch(plain(wanted)) and _NUMBER.fullmatch(plain(value)):
        # In numbers the signs matter: "-5" is not "5", "1.50" is not "150".
        return first_number(wanted) == first_number(value)
    if any(native_value(text, "date") != text for text in (wanted, value)):
        return native_value(wanted, "date") == native_value(value, "date")
    letters, held = (re.sub(r"[\W_]+", "", plain(text)) for text in (wanted, value))
    return bool(letters) and (letters == held or (ending and held.endswith(letters)))


def _check_ticking(act: GuiAction, now: Element | None) -> Judged:
    if now is None:
        return Judged(truth=None, reason="the box is no longer on the page")
    state = now.checked if now.checked is not None else now.selected
    if state is None:
        return Judged(truth=None, reason=f"{in_words(now)} does not say whether it is checked")
    word = "checked" if state else "not checked"
    expected = act.action == "check"
    return Judged(truth=(state is True) == expected, reason=f"{in_words(now)} is {word}")


def _check_selection(act: GuiAction, now: Element | None, changes: tuple[str, ...]) -> Judged:
    wanted = plain(str(act.value or ""))
    if now is None:
        return Judged(truth=True if changes else None, reason="the list is no longer on the page")
    if now.options:
        selected = [option for option in now.options if option.selected]
        is_selected = any(wanted in plain(o.label) or wanted == plain(o.value) for o in selected)
        labels = ", ".join(option.label for option in selected) or "nothing"
        return Judged(truth=is_selected, reason=f"{in_words(now)} has '{labels}' selected")
    if any(wanted in plain(text) for text in (now.value or "", now.text, now.name)):
        return Judged(truth=True, reason=f"{in_words(now)} shows it")
    return Judged(truth=None, reason=f"{in_words(now)} does not show what is selected")
