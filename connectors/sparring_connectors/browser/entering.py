"""Acts of the keyboard and on fields: fill, type, press, check, upload."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import ElementHandle
from playwright.async_api import Error as PlaywrightError

from sparring.model.page import PageEventKind
from sparring.model.talk import GuiAction
from sparring_connectors.browser.acting import (
    Outcome,
    Refused,
    Target,
    limit_ms,
    refusal,
    target_of,
    text_value,
)
from sparring_connectors.browser.calendars import pick
from sparring_connectors.browser.failures import is_over
from sparring_connectors.browser.in_page import call_on
from sparring_connectors.browser.pointing import press_on
from sparring_connectors.browser.sliding import slide

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession

_FIELD = "input:not([type=hidden]),textarea,select,[contenteditable]:not([contenteditable=false])"
_BOX = "input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch]"
_CONTROL = call_on("controlOf")
_NUMBER = call_on("idOf")
_FORMED = frozenset({"date", "time", "datetime-local", "month", "week", "number", "color"})
_LONG = 1000
_HELD = "(e) => (e.isConnected && typeof e.value === 'string' ? e.value : null)"
_TAKES_NO_TYPING = "(e) => e.localName === 'input' && e.readOnly && !e.disabled"
_KEYS = {
    "enter": "Enter", "return": "Enter", "tab": "Tab", "esc": "Escape", "escape": "Escape",
    "space": "Space", "spacebar": "Space", "backspace": "Backspace", "del": "Delete",
    "delete": "Delete", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "arrowup": "ArrowUp", "arrowdown": "ArrowDown",
    "arrowleft": "ArrowLeft", "arrowright": "ArrowRight", "home": "Home", "end": "End",
    "pageup": "PageUp", "pagedown": "PageDown", "page up": "PageUp", "page down": "PageDown",
    "arrow up": "ArrowUp", "arrow down": "ArrowDown", "arrow left": "ArrowLeft",
    "arrow right": "ArrowRight", "up arrow": "ArrowUp", "down arrow": "ArrowDown",
    "left arrow": "ArrowLeft", "right arrow": "ArrowRight", "insert": "Insert",
    "ctrl": "Control", "control": "Control", "strg": "Control", "alt": "Alt", "option": "Alt",
    "shift": "Shift", "meta": "Meta", "cmd": "Meta", "command": "Meta", "win": "Meta",
}  # fmt: skip


async def fill(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Put a text into a field in the place of what it holds."""
    target = await target_of(session, act)
    text = text_value(session, act)
    if target.about["role"] == "slider" and target.about["tag"] != "input":
        return await slide(session, target, text)
    field = await control_of(target, _FIELD, "field")
    if await field.evaluate(_TAKES_NO_TYPING):
        return await pick(session, target, text)
    try:
        await _put(field, text, limit_ms(session))
    except PlaywrightError as err:
        raise _not_filled(err, act) from None
    session.typed(field, text)
    if text and target.about["type"] in _FORMED and not await field.input_value():
        raise Refused("malformed", f"fill: {text[:40]!r} is not what such a field takes")
    return Outcome(hit=True)


async def _put(field: ElementHandle, text: str, limit: float) -> None:
    """Fill a field; once more where the page took the selection away before the text came.

    Playwright selects what a field holds and then inserts the text: a page that puts the cursor
    somewhere in between, as one that has just opened the field may, would keep both.
    """
    before = await field.evaluate(_HELD)
    await field.fill(text, timeout=limit)
    try:
        held = await field.evaluate(_HELD) if before and text else None
    except PlaywrightError:  # the field, or its page, went away with what was entered
        return
    if held in (f"{before}{text}", f"{text}{before}") and held != text:
        await field.fill(text, timeout=limit)


def _not_filled(err: PlaywrightError, act: GuiAction) -> Refused:
    if re.search(r"Malformed value|Cannot type text into", err.message):
        return Refused("malformed", "fill: the field does not take a value of this form")
    if re.search(r"is not an <input>|cannot be filled|not a <select>", err.message):
        return Refused("not_editable", f"{act.action}: the target takes no text")
    return refusal(err, act.action)


async def type_in(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Type a text key by key at the end of what a field holds, or into what has the focus."""
    text = text_value(session, act)
    keyboard = session.tab.page.keyboard
    if act.target is None:
        await keyboard.type(text)
        return Outcome()
    target = await target_of(session, act)
    field = await control_of(target, _FIELD, "field")
    if not await field.is_editable():
        raise Refused("readonly", "type: the field takes no text")
    try:
        await field.scroll_into_view_if_needed(timeout=limit_ms(session))
        await field.click(timeout=limit_ms(session))
        await keyboard.press("ControlOrMeta+End")
        if len(text) > _LONG:
            await keyboard.insert_text(text)
        else:
            await keyboard.type(text)
    except PlaywrightError as err:
        raise _not_filled(err, act) from None
    session.typed(field, text)
    return Outcome(hit=True)


async def press(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Press a key or a combination (``Control+A``), on the target or on what has the focus."""
    key = key_of(text_value(session, act))
    try:
        if act.target is None:
            await session.tab.page.keyboard.press(key)
            return Outcome()
        target = await target_of(session, act)
        field = await control_of(target, _FIELD, "field")
        await field.press(key, timeout=limit_ms(session))
    except PlaywrightError as err:
        if is_over(err):
            return Outcome(hit=True if act.target else None)
        if "Unknown key" in err.message:
            raise Refused("invalid", f"there is no key called {act.value!r}") from None
        raise refusal(err, act.action) from None
    return Outcome(hit=True)


def key_of(text: str) -> str:
    """A key's name as Playwright knows it, from how people write it: ``ctrl + a``, ``enter``."""
    if text in ("+", " "):
        return "Space" if text == " " else "+"
    parts = [part.strip() for part in re.split(r"(?<=[^+\s])\s*\+\s*", text.strip())]
    if len(parts) == 1 and "-" in text and text.split("-")[0].strip().lower() in _KEYS:
        parts = [part.strip() for part in text.split("-", 1)]
    named = [_KEYS.get(re.sub(r"\s*key$", "", part.lower()), part) for part in parts]
    return "+".join(key.upper() if re.fullmatch(r"[fF]\d{1,2}", key) else key for key in named)


async def check(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Check a box, a radio button or a switch; nothing is done where it is checked already."""
    return await _set(session, act, wanted=True)


async def uncheck(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Uncheck a box or a switch; nothing is done where it is not checked."""
    return await _set(session, act, wanted=False)


async def _set(session: "BrowserSession", act: GuiAction, *, wanted: bool) -> Outcome:
    target = await target_of(session, act)
    control = await control_of(target, _BOX, "box")
    state = target.about["checked"]
    if control is not target.handle:
        number = await control.evaluate(_NUMBER)
        place = session.documents.number(target.frame, target.token)
        target = await target_of(session, act, f"{place}.{number}")
        state = target.about["checked"]
    if state is None:
        state = target.about["selected"]
    if state is None:
        raise Refused("not_a_box", f"{act.action}: the target can be neither checked nor unchecked")
    if state is wanted:
        return Outcome(hit=True)
    if not wanted and (target.about["type"] == "radio" or target.about["role"] == "radio"):
        raise Refused("not_a_box", "uncheck: a radio button is unchecked by checking another")
    outcome = await press_on(session, target, act.action)
    if state == "mixed" and not wanted:  # the first click checks what is in between
        about = (await target_of(session, act, target.id)).about
        if about["checked"] is True:
            outcome = await press_on(session, target, act.action)
    return outcome


async def upload(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Choose files of the suite's folder in a field for files, or with what opens a dialog."""
    given = act.value if isinstance(act.value, list) else [act.value]
    paths = [_file(session, session.variables.filled(str(name))) for name in given if name]
    if not paths:
        raise Refused("invalid", "upload needs the path of a file as its value")
    target = await target_of(session, act)
    field = await control_of(target, "input[type=file]", "file")
    try:
        is_field = await field.evaluate("(e) => e.localName === 'input' && e.type === 'file'")
        if is_field:
            await field.set_input_files(paths, timeout=limit_ms(session))
        else:
            page = session.tab.page
            async with page.expect_file_chooser(timeout=limit_ms(session)) as waiting:
                await press_on(session, target, act.action)
            await (await waiting.value).set_files(paths)
    except PlaywrightError as err:
        raise refusal(err, act.action) from None
    names = [path.name for path in paths]
    session.happenings.add(PageEventKind.UPLOAD, ", ".join(names), files=list(names))
    return Outcome(hit=True)


def _file(session: "BrowserSession", name: str) -> Path:
    """A file in the suite's folder; raises Refused for any other, whoever names it."""
    folder = session.base_dir.resolve()
    try:
        path = (folder / name).resolve()
        inside = path.is_relative_to(folder) and path.is_file()
    except (OSError, ValueError):
        inside, path = False, folder
    if not inside:
        raise Refused("no_file", f"upload: there is no file {name[:200]!r} in the suite's folder")
    return path


async def control_of(target: Target, wanted: str, known: str) -> ElementHandle:
    """The field or box that a target stands for: its own, its label's, the only one inside.

    `wanted` is a CSS selector; `known` is what `about` calls an element that it matches.
    """
    if target.about[known]:
        return target.handle
    handle = await target.handle.evaluate_handle(_CONTROL, wanted)
    return handle.as_element() or target.handle
