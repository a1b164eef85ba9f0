"""Observe: did the act do what its kind promises? The post-conditions of Algorithm 1.

A text must stand in its field, a box must be checked, an option selected, a page opened. A click
promises nothing but to hit: that nothing changed after it is told, and counts against it where
the same step once had an effect.
"""

import re

from sparring.model.page import Element, PageEventKind, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.language.first_number import first_number
from sparring_plugins.web.pages.changes import (
    address_in_words,
    error_owner,
    evidence,
    server_error,
)
from sparring_plugins.web.pages.control_kinds import in_words
from sparring_plugins.web.pages.native_values import native_value
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles.page_agents import Judged

_NOTHING = "nothing changed on the page"
_SLOW = frozenset({"timeout", "unstable"})
_NUMBER = re.compile(r"[-+]?\W?\d+(?:[.,']\d+)*\W?")
_NO_PAGE = ("chrome-error:", "about:neterror")


def observe(
    act: GuiAction, before: PageView | None, after: PageView, *, effect_expected: bool = False
) -> Judged:
    """Judge what came of `act`.

    True where its post-condition holds, false where it does not or where the target was not hit.
    `effect_expected` says that the same step had an effect in an earlier run.
    """
    changes = evidence(before, after)
    if after.hit is False:
        why = "; ".join(e.text for e in after.events if e.kind == PageEventKind.REFUSED)
        reason = f"the target was not hit: {why}" if why else "the target was not hit"
        return Judged(truth=False, reason=reason, facts=changes)
    if after.snapshot.url.startswith(_NO_PAGE):
        reason = f"after the {act.action} the page can't be loaded"
        return Judged(truth=False, reason=reason, facts=changes, owner=error_owner(after))
    target = _target(act, before)
    judged = _post_condition(act, target, before, after, changes)
    if judged is None:
        judged = _any_change(act, changes, effect_expected=effect_expected)
    return judged.model_copy(update={"facts": changes})


def was_too_slow(after: PageView, changes: tuple[str, ...]) -> bool:
    """Whether an act was not carried out only because the page was not ready, and did nothing."""
    refused = [e.details.get("why") for e in after.events if e.kind == PageEventKind.REFUSED]
    return after.hit is False and not changes and bool(refused) and set(refused) <= _SLOW


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
            return _opened(after, changes)
        case "back" | "forward":
            moved = before is not None and (
                before.snapshot.url != after.snapshot.url
                or before.snapshot.document != after.snapshot.document
            )
            reason = (
                f"now at '{address_in_words(after.snapshot.url)}'"
                if moved
                else "the page stayed the same"
            )
            return Judged(truth=moved, reason=reason)
        case "fill" | "type":
            return _entered(act, target, now)
        case "check" | "uncheck":
            return _checked(act, now)
        case "select":
            return _selected(act, now, changes)
        case "upload":
            done = any(event.kind == PageEventKind.UPLOAD for event in after.events)
            return Judged(
                truth=done or None, reason="the file is in the field" if done else _NOTHING
            )
        case "wait" | "hover" | "scroll" | "listen":
            return Judged(truth=True, reason="; ".join(changes[:4]) or _NOTHING)
        case _:
            return None


def _opened(after: PageView, changes: tuple[str, ...]) -> Judged:
    if error := server_error(after):
        return Judged(truth=False, reason=error, owner=error_owner(after))
    reason = "; ".join(changes[:4]) or f"at '{address_in_words(after.snapshot.url)}'"
    return Judged(truth=True, reason=reason)


def _entered(act: GuiAction, target: Element | None, now: Element | None) -> Judged:
    wanted = str(act.value or "")
    if now is None:
        return Judged(truth=True, reason="the field is no longer on the page")
    if now.value is None and now.role == "slider":
        return Judged(truth=True, reason="the slider was moved to it by keys", elements=(now.id,))
    value = now.value or ""
    if _same_value(wanted, value, contained=act.action == "type"):
        return Judged(truth=True, reason=f"{in_words(now)} holds it", elements=(now.id,))
    if target is not None and now.input_type == "password" and len(value) == len(wanted):
        return Judged(truth=True, reason="the password field holds as many signs")
    held = f"holds '{value[:80]}'" if value else "is empty"
    return Judged(truth=False, reason=f"{in_words(now)} {held} instead", elements=(now.id,))


def _same_value(wanted: str, value: str, *, contained: bool) -> bool:
    """Equal as a person sees it; a field may put blanks, dots and brackets between the signs."""
    if plain(wanted) == plain(value) or (contained and plain(wanted) in plain(value)):
        return True
    if _NUMBER.fullmatch(plain(wanted)) and _NUMBER.fullmatch(plain(value)):
        return first_number(wanted) == first_number(value)  # signs and commas tell numbers apart
    if any(native_value(text, "date") != text for text in (wanted, value)):
        return native_value(wanted, "date") == native_value(value, "date")
    signs, held = (re.sub(r"[\W_]+", "", plain(text)) for text in (wanted, value))
    return bool(signs) and (signs == held or (contained and signs in held))


def _checked(act: GuiAction, now: Element | None) -> Judged:
    if now is None:
        return Judged(truth=None, reason="the box is no longer on the page")
    want = act.action == "check"
    state = now.checked if now.checked is not None else now.selected
    if state is None:
        return Judged(truth=None, reason=f"{in_words(now)} does not say whether it is checked")
    word = "checked" if state else "not checked"
    return Judged(truth=(state is True) == want, reason=f"{in_words(now)} is {word}")


def _selected(act: GuiAction, now: Element | None, changes: tuple[str, ...]) -> Judged:
    wanted = plain(str(act.value or ""))
    if now is None:
        return Judged(truth=True if changes else None, reason="the list is no longer on the page")
    chosen = [option.label for option in now.options if option.selected]
    shown = [*chosen, now.value or "", now.text, now.name]
    if now.options:
        held = any(wanted in (plain(o.label), plain(o.value)) for o in now.options if o.selected)
        held = held or any(wanted in plain(label) for label in chosen)
        said = ", ".join(chosen) or "nothing"
        return Judged(truth=held, reason=f"{in_words(now)} has '{said}' selected")
    if any(wanted in plain(text) for text in shown):
        return Judged(truth=True, reason=f"{in_words(now)} shows it")
    return Judged(truth=None, reason=f"{in_words(now)} does not show what is selected")
