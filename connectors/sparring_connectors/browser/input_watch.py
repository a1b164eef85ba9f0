"""What a person does on the pages of a session, for ``sparring record``."""

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any, cast

from playwright.async_api import BrowserContext
from playwright.async_api import Error as PlaywrightError

from sparring_connectors.browser.in_page import Documents

_BINDING = "__sparringInput"
_LARGEST_NOTE = 50_000
_ACTIONS = frozenset(
    {"click", "double_click", "fill", "select", "check", "uncheck", "upload", "press", "assert"}
)

#: Hears the id of an element, the action, the value (None for a secret), and whether it is one.
InputListener = Callable[[str, str, str | None, bool], None]


async def watch_input(
    context: BrowserContext, documents: Documents, listener: InputListener
) -> None:
    """Call `listener` for each act of a person on the pages of a context, also those to come.

    What a page says is not trusted: a note of another form is dropped.
    """

    def hear(source: dict[str, Any], data: object) -> None:
        note = _parse(data)
        if note is None:
            return
        document = documents.number(source["frame"], str(note["token"])[:100])
        value = note.get("value")
        text = value if isinstance(value, str) else None
        listener(f"{document}.{note['number']}", note["action"], text, note.get("secret") is True)

    await context.expose_binding(_BINDING, hear)  # pyright: ignore[reportUnknownMemberType]
    text = (files("sparring_connectors.browser.in_page") / "recorder.js").read_text("utf-8")
    await context.add_init_script(text)
    for page in context.pages:
        for frame in page.frames:
            try:
                await frame.evaluate(text)
            except PlaywrightError:  # it is leaving: its next document has the script
                continue


def _parse(data: object) -> dict[str, Any] | None:
    if not isinstance(data, str) or len(data) > _LARGEST_NOTE:
        return None
    try:
        parsed: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    note = cast("dict[str, Any]", parsed)
    is_known = note.get("action") in _ACTIONS and type(note.get("number")) is int
    return note if is_known and 0 < note["number"] < 10**9 else None
