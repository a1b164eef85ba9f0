"""Selecting: options of native lists, and lists that pages make themselves."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from sparring.model.page import Element, PageSnapshot
from sparring.model.talk import GuiAction
from sparring_connectors.browser.acting import (
    Outcome,
    Refused,
    Target,
    limit_ms,
    refusal,
    target_of,
)
from sparring_connectors.browser.entering import control_of
from sparring_connectors.browser.pointing import press_on

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession

_OPTIONS = """(select) => [...select.options].map((option, index) => ({
  label: option.label.replace(/\\s+/g, ' ').trim(), value: option.value, index,
  selected: option.selected,
  disabled: option.disabled || option.matches('optgroup[disabled] > option'),
}))"""
_ITEMS = frozenset({
    "option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem", "listitem", "radio",
    "gridcell", "link", "button", "generic",
})  # fmt: skip
_LISTS = frozenset({"listbox", "menu", "tree", "option", "menuitem", "treeitem"})
_BEST = ("option", "menuitemradio", "menuitemcheckbox", "menuitem", "treeitem", "radio")


async def select(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Select an option by its label (or value); several where the value is a list.

    In a list of several choices one more is selected, as by a click with the Control key; a
    value that is a list says all that are to be selected.
    """
    wanted = _wanted(session, act)
    target = await target_of(session, act)
    if target.about["tag"] == "option":
        return await _own_option(session, target, act)
    control = await control_of(target, "select", "list")
    is_native = await control.evaluate("(element) => element.localName === 'select'")
    if not is_native:
        return await _two_steps(session, target, act, wanted)
    options = await control.evaluate(_OPTIONS)
    places = [_place_of(one, options, act) for one in wanted]
    if not isinstance(act.value, list) and await control.evaluate("(list) => list.multiple"):
        places = [n for n, one in enumerate(options) if one["selected"] or n in places]
    try:
        await control.select_option(index=places, timeout=limit_ms(session))
    except PlaywrightError as err:
        raise refusal(err, act.action) from None
    return Outcome(hit=True)


def _wanted(session: "BrowserSession", act: GuiAction) -> list[str]:
    given = act.value if isinstance(act.value, list) else [act.value]
    texts = [session.variables.filled(str(one)) for one in given if one is not None]
    if not texts and act.target is None:
        raise Refused("invalid", "select needs the label of an option as its value")
    return texts


async def _own_option(session: "BrowserSession", target: Target, act: GuiAction) -> Outcome:
    """The target is an option itself."""
    chosen = await target.handle.evaluate_handle("(option) => option.closest('select')")
    native = chosen.as_element()
    if native is None:
        return await press_on(session, target, act.action)
    place = await target.handle.evaluate("(option) => option.index")
    try:
        await native.select_option(index=place, timeout=limit_ms(session))
    except PlaywrightError as err:
        raise refusal(err, act.action) from None
    return Outcome(hit=True)


def _place_of(wanted: str, options: Sequence[dict[str, object]], act: GuiAction) -> int:
    """Which option is meant: equal labels first, then values, then what only one begins with."""
    for test in _TESTS:
        found = [one for one in options if test(wanted, str(one["label"]), str(one["value"]))]
        enabled = [one for one in found if not one["disabled"]]
        if found and not enabled:
            raise Refused("disabled", f"{act.action}: the option {wanted[:80]!r} is disabled")
        if len({str(one["label"]) for one in enabled}) == 1:
            return int(str(enabled[0]["index"]))
    labels = ", ".join(repr(str(one["label"])[:40]) for one in options[:12])
    raise Refused("no_option", f"{act.action}: no option is {wanted[:80]!r}; there are {labels}")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


_Test = Callable[[str, str, str], bool]


def _fits(wanted: str, label: str, how: Callable[[str, str], bool]) -> bool:
    return bool(_plain(wanted)) and how(_plain(label), _plain(wanted))


_TESTS: tuple[_Test, ...] = (
    lambda wanted, label, value: label == wanted,
    lambda wanted, label, value: _plain(label) == _plain(wanted),
    lambda wanted, label, value: value == wanted,
    lambda wanted, label, value: _fits(wanted, label, str.startswith),
    lambda wanted, label, value: _fits(wanted, label, str.__contains__),
)


async def _two_steps(
    session: "BrowserSession", target: Target, act: GuiAction, wanted: Sequence[str]
) -> Outcome:
    """Open a list that the page makes itself, and choose among what has come into sight."""
    if not wanted:
        return await press_on(session, target, act.action)
    outcome = Outcome(hit=True)
    for text in wanted:
        before = await session.snapshot()
        option = (
            _option(text, _items_of(before, target.id), act) if _is_open(before, target) else None
        )
        if option is None:
            await press_on(session, target, act.action)
            option = await _appearing(session, target, text, before, act)
        chosen = await target_of(session, act, option.id)
        outcome = await press_on(session, chosen, act.action)
        await session.settle()
    return outcome


def _is_open(snapshot: PageSnapshot, target: Target) -> bool:
    """Whether a list is open already: it says so, or its items come next on the page."""
    element = snapshot.element(target.id)
    if element is None or element.role == "listbox" or element.expanded is not None:
        return element is not None and element.expanded is not False
    place = next(n for n, one in enumerate(snapshot.elements) if one.id == element.id)
    following = (
        one
        for one in snapshot.elements[place + 1 :]
        if one.role != "text" and one.visible and one.parent != element.id
    )
    after = next(following, None)
    return after is not None and after.role in _LISTS


def _items_of(snapshot: PageSnapshot, identifier: str) -> list[Element]:
    inside = {identifier}
    for one in snapshot.elements:
        if one.parent in inside:
            inside.add(one.id)
    items = [one for one in snapshot.elements if one.role in _BEST and one.visible]
    own = [one for one in items if one.id in inside]
    return own or [one for one in items if one.role == "option"]


async def _appearing(
    session: "BrowserSession", target: Target, text: str, before: PageSnapshot, act: GuiAction
) -> Element:
    """The item with a text among those that came into sight; typed for where that filters."""
    await session.settle()
    after = await session.snapshot()
    option = _option(text, _new_items(before, after), act)
    editable = after.element(target.id)
    if option is None and editable is not None and editable.editable:
        await target.handle.fill(text, timeout=limit_ms(session))
        await session.settle()
        after = await session.snapshot()
        option = _option(text, _new_items(before, after), act)
    if option is None:
        shown = ", ".join(
            repr((one.name or one.text)[:40]) for one in _new_items(before, after)[:12]
        )
        what = f"there are {shown}" if shown else "no list opened"
        raise Refused("no_option", f"{act.action}: no option is {text[:80]!r}; {what}")
    return option


def _new_items(before: PageSnapshot, after: PageSnapshot) -> list[Element]:
    """What can be seen and chosen now and could not before, options of lists first."""
    seen = {one.id for one in before.elements if one.visible}
    fresh = [one for one in after.elements if one.visible and one.id not in seen]
    items = [one for one in fresh if one.role in _ITEMS or one.role == "text"]
    ranked = [one for one in items if one.role in _BEST]
    rest = [one for one in items if one.role not in _BEST]
    return [*ranked, *sorted(rest, key=lambda one: (not one.interactive, one.role == "text"))]


def _option(wanted: str, items: Iterable[Element], act: GuiAction) -> Element | None:
    given = list(items)
    for test in _TESTS:
        found = [one for one in given if test(wanted, one.name or one.text, one.value or "")]
        best = [one for one in found if one.role in _BEST] or found
        enabled = [one for one in best if not one.disabled]
        if best and not enabled:
            raise Refused("disabled", f"{act.action}: the option {wanted[:80]!r} is disabled")
        if enabled:
            return enabled[0]
    return None
