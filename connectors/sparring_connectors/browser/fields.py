"""Acts on fields and lists: fill, type, press, check, upload, select."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from playwright.async_api import ElementHandle
from playwright.async_api import Error as PlaywrightError

from sparring.model.page import Element, PageEventKind, PageSnapshot
from sparring.model.talk import GuiAction
from sparring_connectors.browser.context import (
    ActOutcome,
    ActTarget,
    PageContext,
    action_timeout_ms,
    find_target,
    read_text,
)
from sparring_connectors.browser.failures import ActRefused, act_refused, is_over
from sparring_connectors.browser.in_page import call_on
from sparring_connectors.browser.mouse import press_on
from sparring_connectors.browser.widgets import move_slider, pick_date
from sparring_connectors.bundled_data import load_data

_FIELD = "input:not([type=hidden]),textarea,select,[contenteditable]:not([contenteditable=false])"
_BOX = "input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch]"
_CONTROL = call_on("controlOf")
_NUMBER = call_on("idOf")
_FORMED = frozenset({"date", "time", "datetime-local", "month", "week", "number", "color"})
_IN_PARTS = _FORMED - {"number"}
# Key by key a text of 1,000 characters takes seconds; it is put in at once and checked.
_LONG = 1000
_HELD = "(e) => (e.isConnected && typeof e.value === 'string' ? e.value : null)"
_SELECT_ALL = """(e) => {
  if (typeof e.value === 'string') { if (!e.value) return false; e.select(); return true; }
  if (!e.textContent) return false;
  const range = e.ownerDocument.createRange();
  range.selectNodeContents(e);
  const selection = e.ownerDocument.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  return true;
}"""
_TAKES_NO_TYPING = "(e) => e.localName === 'input' && e.readOnly && !e.disabled"
KEYS = load_data(__file__, "keys.yaml", dict[str, str])


async def fill(context: PageContext, act: GuiAction) -> ActOutcome:
    """Put a text into a field in the place of what it holds."""
    target = await find_target(context, act)
    text = read_text(context, act)
    if target.about["role"] == "slider" and target.about["tag"] != "input":
        return await move_slider(context, target, text)
    field = await find_control(target, _FIELD, "field")
    if await field.evaluate(_TAKES_NO_TYPING):
        return await pick_date(context, target, text)
    try:
        await _fill_field(field, text, action_timeout_ms(context))
    except PlaywrightError as err:
        raise _fill_error(err, act) from None
    context.note_typed(field, text)
    if text and target.about["type"] in _FORMED and not await field.input_value():
        raise ActRefused("malformed", f"fill: {text[:40]!r} is not what such a field takes")
    return ActOutcome(hit=True)


async def _fill_field(field: ElementHandle, text: str, limit: float) -> None:
    """Fill a field; once more if the page took the selection away before the text came.

    Playwright selects what a field holds and then inserts the text: a page that puts the cursor
    somewhere in between, as one that has just opened the field may, would keep both.
    """
    before = await field.evaluate(_HELD)
    # a page draws its own slider over the one that it has
    is_slider = await field.evaluate("(e) => e.type === 'range'")
    await field.fill(text, timeout=limit, force=is_slider)
    try:
        held = await field.evaluate(_HELD) if before and text else None
    except PlaywrightError:  # the field, or its page, went away with what was entered
        return
    if held in (f"{before}{text}", f"{text}{before}") and held != text:
        await field.fill(text, timeout=limit)
    if text:  # a page may wait for keys: to suggest names, to derive another field
        with suppress(PlaywrightError):
            await field.dispatch_event("keyup", {"bubbles": True, "key": text[-1]})


def _fill_error(err: PlaywrightError, act: GuiAction) -> ActRefused:
    if re.search(r"Malformed value|Cannot type text into", err.message):
        return ActRefused("malformed", "fill: the field does not take a value of this form")
    if re.search(r"is not an <input>|cannot be filled|not a <select>", err.message):
        return ActRefused("not_editable", f"{act.action}: the target takes no text")
    return act_refused(err, act.action)


async def type_in(context: PageContext, act: GuiAction) -> ActOutcome:
    """Type a text key by key in the place of what a field holds, or into what has the focus."""
    return await _type(context, act, replaces=True)


async def append(context: PageContext, act: GuiAction) -> ActOutcome:
    """Type a text key by key at the end of what a field holds, or into what has the focus."""
    return await _type(context, act, replaces=False)


async def _type(context: PageContext, act: GuiAction, *, replaces: bool) -> ActOutcome:
    text = read_text(context, act)
    keyboard = context.tab.page.keyboard
    if act.target is None:
        await keyboard.type(text)
        return ActOutcome()
    target = await find_target(context, act)
    field = await find_control(target, _FIELD, "field")
    if not await field.is_editable():
        raise ActRefused("readonly", f"{act.action}: the field takes no text")
    try:
        await field.scroll_into_view_if_needed(timeout=action_timeout_ms(context))
        await field.click(timeout=action_timeout_ms(context))
        in_parts = target.about["type"] in _IN_PARTS
        # "2027-05-03": its keys would go into the parts as the browser's language orders them.
        if replaces and in_parts and await _fill_whole(field, text, action_timeout_ms(context)):
            context.note_typed(field, text)
            return ActOutcome(hit=True)
        # Fields for dates and the like have parts, in which typing replaces what is there.
        if replaces and not in_parts and await field.evaluate(_SELECT_ALL):
            pass  # the first key replaces what is selected
        else:
            await keyboard.press("ControlOrMeta+End")
        if len(text) > _LONG:
            await keyboard.insert_text(text)
        else:
            await keyboard.type(text)
    except PlaywrightError as err:
        raise _fill_error(err, act) from None
    context.note_typed(field, text)
    return ActOutcome(hit=True)


async def _fill_whole(field: ElementHandle, text: str, limit: float) -> bool:
    """Fill a field of parts, such as a date; returns false if `text` has another form."""
    try:
        await field.fill(text, timeout=limit)
    except PlaywrightError as err:
        if "Malformed value" not in err.message:
            raise
        return False
    return True


async def press(context: PageContext, act: GuiAction) -> ActOutcome:
    """Press a key or a combination (``Control+A``), on the target or on what has the focus."""
    key = key_name(read_text(context, act))
    try:
        if act.target is None:
            await context.tab.page.keyboard.press(key)
            return ActOutcome()
        target = await find_target(context, act)
        field = await find_control(target, _FIELD, "field")
        await field.press(key, timeout=action_timeout_ms(context))
    except PlaywrightError as err:
        if is_over(err):
            return ActOutcome(hit=True if act.target else None)
        if "Unknown key" in err.message:
            raise ActRefused("invalid", f"there is no key called {act.value!r}") from None
        raise act_refused(err, act.action) from None
    return ActOutcome(hit=True)


def key_name(text: str) -> str:
    """A key's name as Playwright knows it, from how people write it: ``ctrl + a``, ``enter``."""
    if text in ("+", " "):
        return "Space" if text == " " else "+"
    parts = [part.strip() for part in re.split(r"(?<=[^+\s])\s*\+\s*", text.strip())]
    # Some write "ctrl-a".
    if len(parts) == 1 and "-" in text and text.split("-")[0].strip().lower() in KEYS:
        parts = [part.strip() for part in text.split("-", 1)]
    named = [KEYS.get(re.sub(r"(?<!\s)\s*key$", "", part.lower()), part) for part in parts]
    return "+".join(key.upper() if re.fullmatch(r"[fF]\d{1,2}", key) else key for key in named)


async def check(context: PageContext, act: GuiAction) -> ActOutcome:
    """Check a box, a radio button or a switch; nothing is done if it is checked already."""
    return await _set_checked(context, act, wanted=True)


async def uncheck(context: PageContext, act: GuiAction) -> ActOutcome:
    """Uncheck a box or a switch; nothing is done if it is not checked."""
    return await _set_checked(context, act, wanted=False)


async def _set_checked(context: PageContext, act: GuiAction, *, wanted: bool) -> ActOutcome:
    target = await find_target(context, act)
    control = await find_control(target, _BOX, "box")
    state = target.about["checked"]
    if control is not target.handle:
        number = await control.evaluate(_NUMBER)
        place = context.documents.number(target.frame, target.token)
        target = await find_target(context, act, f"{place}.{number}")
        state = target.about["checked"]
    if state is None:
        state = target.about["selected"]
    if state is None:
        raise ActRefused(
            "not_a_box", f"{act.action}: the target can be neither checked nor unchecked"
        )
    if state is wanted:
        return ActOutcome(hit=True)
    if not wanted and (target.about["type"] == "radio" or target.about["role"] == "radio"):
        raise ActRefused("not_a_box", "uncheck: a radio button is unchecked by checking another")
    outcome = await press_on(context, target, act.action)
    if state == "mixed" and not wanted:  # the first click checks what is in between
        about = (await find_target(context, act, target.id)).about
        if about["checked"] is True:
            outcome = await press_on(context, target, act.action)
    return outcome


async def upload(context: PageContext, act: GuiAction) -> ActOutcome:
    """Choose files of the suite's folder in a field for files, or with what opens a dialog."""
    values = act.value if isinstance(act.value, list) else [act.value]
    paths = [_suite_file(context, context.variables.fill(str(name))) for name in values if name]
    if not paths:
        raise ActRefused("invalid", "upload needs the path of a file as its value")
    target = await find_target(context, act)
    field = await find_control(target, "input[type=file]", "file")
    try:
        is_field = await field.evaluate("(e) => e.localName === 'input' && e.type === 'file'")
        if is_field:
            await field.set_input_files(paths, timeout=action_timeout_ms(context))
        else:
            page = context.tab.page
            async with page.expect_file_chooser(timeout=action_timeout_ms(context)) as waiting:
                await press_on(context, target, act.action)
            await (await waiting.value).set_files(paths)
    except PlaywrightError as err:
        raise act_refused(err, act.action) from None
    names = [path.name for path in paths]
    context.events.add(PageEventKind.UPLOAD, ", ".join(names), files=list(names))
    return ActOutcome(hit=True)


def _suite_file(context: PageContext, name: str) -> Path:
    """A file in the suite's folder; raises ActRefused for any other, whoever names it."""
    folder = context.base_dir.resolve()
    try:
        path = (folder / name).resolve()
        inside = path.is_relative_to(folder) and path.is_file()
    except (OSError, ValueError):
        inside, path = False, folder
    if not inside:
        raise ActRefused(
            "no_file", f"upload: there is no file {name[:200]!r} in the suite's folder"
        )
    return path


async def find_control(target: ActTarget, wanted: str, known: str) -> ElementHandle:
    """The field or box that a target stands for: its own, its label's, the only one inside.

    `wanted` is a CSS selector; `known` is what `about` calls an element that it matches.
    """
    if target.about[known]:
        return target.handle
    handle = await target.handle.evaluate_handle(_CONTROL, wanted)
    return handle.as_element() or target.handle


# Selecting: options of native lists, and lists that pages make themselves.

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


async def select(context: PageContext, act: GuiAction) -> ActOutcome:
    """Select an option by its label (or value); several if the value is a list.

    In a list of several choices one more is selected, as by a click with the Control key; a
    value that is a list says all that are to be selected.
    """
    wanted = _option_texts(context, act)
    target = await find_target(context, act)
    if target.about["tag"] == "option":
        return await _select_option_element(context, target, act)
    control = await find_control(target, "select", "list")
    is_native = await control.evaluate("(element) => element.localName === 'select'")
    if not is_native:
        return await _choose_from_opened_list(context, target, act, wanted)
    options = await control.evaluate(_OPTIONS)
    places = [_option_index(text, options, act) for text in wanted]
    if not isinstance(act.value, list) and await control.evaluate("(list) => list.multiple"):
        places = [n for n, option in enumerate(options) if option["selected"] or n in places]
    try:
        await control.select_option(index=places, timeout=action_timeout_ms(context))
    except PlaywrightError as err:
        raise act_refused(err, act.action) from None
    return ActOutcome(hit=True)


def _option_texts(context: PageContext, act: GuiAction) -> list[str]:
    values = act.value if isinstance(act.value, list) else [act.value]
    texts = [context.variables.fill(str(value)) for value in values if value is not None]
    if not texts and act.target is None:
        raise ActRefused("invalid", "select needs the label of an option as its value")
    return texts


async def _select_option_element(
    context: PageContext, target: ActTarget, act: GuiAction
) -> ActOutcome:
    """The target is an option itself."""
    chosen = await target.handle.evaluate_handle("(option) => option.closest('select')")
    native = chosen.as_element()
    if native is None:
        return await press_on(context, target, act.action)
    place = await target.handle.evaluate("(option) => option.index")
    try:
        await native.select_option(index=place, timeout=action_timeout_ms(context))
    except PlaywrightError as err:
        raise act_refused(err, act.action) from None
    return ActOutcome(hit=True)


def _option_index(wanted: str, options: Sequence[dict[str, object]], act: GuiAction) -> int:
    """Which option is meant: equal labels first, then values, then what only one begins with."""
    for test in _TESTS:
        matching = [
            option for option in options if test(wanted, str(option["label"]), str(option["value"]))
        ]
        enabled = [option for option in matching if not option["disabled"]]
        if matching and not enabled:
            raise ActRefused("disabled", f"{act.action}: the option {wanted[:80]!r} is disabled")
        if len({str(option["label"]) for option in enabled}) == 1:
            return int(str(enabled[0]["index"]))
    labels = ", ".join(repr(str(option["label"])[:40]) for option in options[:12])
    raise ActRefused("no_option", f"{act.action}: no option is {wanted[:80]!r}; there are {labels}")


def _normalise(text: str) -> str:
    return " ".join(text.split()).casefold()


_Test = Callable[[str, str, str], bool]


def _matches(wanted: str, label: str, how: Callable[[str, str], bool]) -> bool:
    return bool(_normalise(wanted)) and how(_normalise(label), _normalise(wanted))


_TESTS: tuple[_Test, ...] = (
    lambda wanted, label, value: label == wanted,
    lambda wanted, label, value: _normalise(label) == _normalise(wanted),
    lambda wanted, label, value: value == wanted,
    lambda wanted, label, value: _matches(wanted, label, str.startswith),
    lambda wanted, label, value: _matches(wanted, label, str.__contains__),
)


async def _choose_from_opened_list(
    context: PageContext, target: ActTarget, act: GuiAction, wanted: Sequence[str]
) -> ActOutcome:
    """Open a list that the page makes itself, and choose among what has come into sight."""
    if not wanted:
        return await press_on(context, target, act.action)
    outcome = ActOutcome(hit=True)
    for text in wanted:
        before = await context.snapshot()
        option = (
            _best_option(text, _list_items(before, target.id), act)
            if _is_open(before, target)
            else None
        )
        if option is None:
            await press_on(context, target, act.action)
            option = await _appearing_option(context, target, text, before, act)
        chosen = await find_target(context, act, option.id)
        outcome = await press_on(context, chosen, act.action)
        await context.wait_until_stable()
    return outcome


def _is_open(snapshot: PageSnapshot, target: ActTarget) -> bool:
    """Whether a list is open already: it says so, or its items come next on the page."""
    element = snapshot.element(target.id)
    if element is None or element.role == "listbox" or element.expanded is not None:
        return element is not None and element.expanded is not False
    place = next(n for n, other in enumerate(snapshot.elements) if other.id == element.id)
    following = (
        other
        for other in snapshot.elements[place + 1 :]
        if other.role != "text" and other.visible and other.parent != element.id
    )
    after = next(following, None)
    return after is not None and after.role in _LISTS


def _list_items(snapshot: PageSnapshot, identifier: str) -> list[Element]:
    inside = {identifier}
    for element in snapshot.elements:
        if element.parent in inside:
            inside.add(element.id)
    items = [element for element in snapshot.elements if element.role in _BEST and element.visible]
    own = [element for element in items if element.id in inside]
    return own or [element for element in items if element.role == "option"]


async def _appearing_option(
    context: PageContext, target: ActTarget, text: str, before: PageSnapshot, act: GuiAction
) -> Element:
    """The item with a text among those that came into sight; typed for if that filters."""
    await context.wait_until_stable()
    after = await context.snapshot()
    option = _best_option(text, _new_items(before, after), act)
    editable = after.element(target.id)
    if option is None and editable is not None and editable.editable:
        await target.handle.fill(text, timeout=action_timeout_ms(context))
        await context.wait_until_stable()
        after = await context.snapshot()
        option = _best_option(text, _new_items(before, after), act)
    if option is None:
        shown = ", ".join(
            repr((item.name or item.text)[:40]) for item in _new_items(before, after)[:12]
        )
        what = f"there are {shown}" if shown else "no list opened"
        raise ActRefused("no_option", f"{act.action}: no option is {text[:80]!r}; {what}")
    return option


def _new_items(before: PageSnapshot, after: PageSnapshot) -> list[Element]:
    """What can be seen and chosen now and could not before, options of lists first."""
    seen = {element.id for element in before.elements if element.visible}
    fresh = [element for element in after.elements if element.visible and element.id not in seen]
    items = [element for element in fresh if element.role in _ITEMS or element.role == "text"]
    ranked = [element for element in items if element.role in _BEST]
    # Among options of a list and a heading that came with it, the options are meant.
    rest = [element for element in items if element.role not in _BEST]
    return [
        *ranked,
        *sorted(rest, key=lambda element: (not element.interactive, element.role == "text")),
    ]


def _best_option(wanted: str, items: Iterable[Element], act: GuiAction) -> Element | None:
    candidates = list(items)
    for test in _TESTS:
        matching = [
            item for item in candidates if test(wanted, item.name or item.text, item.value or "")
        ]
        best = [item for item in matching if item.role in _BEST] or matching
        enabled = [item for item in best if not item.disabled]
        if best and not enabled:
            raise ActRefused("disabled", f"{act.action}: the option {wanted[:80]!r} is disabled")
        if enabled:
            return enabled[0]
    return None
