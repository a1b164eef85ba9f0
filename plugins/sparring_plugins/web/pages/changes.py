"""What an act changed on a page, compared element by element: the evidence of observe."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from sparring.model.page import Element, PageEventKind, PageSnapshot, PageView
from sparring.model.verdict import Owner
from sparring_plugins.web.pages.text_fit import plain

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


#: Where a connector takes for a message what may be none, or what it may have been too late for.
_GUESSED = ("brief", "class")
#: What browsers call it when a server hangs up, sends them in circles, or answers no HTTP.
_BY_THE_APP = re.compile(
    r"EMPTY_RESPONSE|CONNECTION_(RESET|CLOSED)|NET_RESET|REDIRECT|INVALID_(HTTP_)?RESPONSE"
    r"|RESPONSE_HEADERS|CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED|DECODING_FAILED"
)
#: Kinds of events whose text is an address or a path, which may be another in every run.
_ADDRESSED = frozenset({PageEventKind.DOCUMENT, PageEventKind.POPUP})


def evidence(before: PageView | None, after: PageView) -> tuple[str, ...]:
    """What is different after an act, in words, each once: empty where nothing is.

    Equal runs give equal words: no time is in them, and of an address no host of this machine
    and no port.
    """
    return tuple(dict.fromkeys(_differences(before, after)))


def address_in_words(url: str) -> str:
    """An address as it stays from run to run: without the port, and without a local host."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return url[:200]
    if parts.scheme not in ("http", "https"):
        return url[:200]
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    path += f"#{parts.fragment}" if parts.fragment else ""
    return (path if host in ("localhost", "127.0.0.1", "::1") else f"{host}{path}")[:200]


def server_error(view: PageView) -> str:
    """What the server or the browser said instead of giving the page; empty where it gave it."""
    for event in view.events:
        main = event.details.get("main") is not False and event.details.get("document", True)
        if event.kind == PageEventKind.HTTP_ERROR and main and event.text == view.snapshot.url:
            status = event.details.get("status")
            return f"the server answered {status} for '{address_in_words(event.text)}'"
    if view.snapshot.url.startswith(("chrome-error:", "about:neterror")):
        return "the page can't be loaded"
    return ""


def error_owner(view: PageView) -> Owner | None:
    """Return who has to act on an error in the place of the page.

    The app if it answered with a server error, hung up or answered what is no page; the
    environment if it could not be reached. `None` for the author of the test case, who named an
    address that is not there, or one that the suite blocks.
    """
    for event in reversed(view.events):
        if event.details.get("main") is False:
            continue
        if event.kind == PageEventKind.HTTP_ERROR and event.text == view.snapshot.url:
            status = event.details.get("status")
            return Owner.APP if isinstance(status, int) and status >= 500 else None
        if event.kind == PageEventKind.REQUEST_FAILED and event.details.get("main") is True:
            said = str(event.details.get("error") or "")
            return Owner.APP if _BY_THE_APP.search(said) else Owner.ENVIRONMENT
    return None


def _differences(before: PageView | None, after: PageView) -> Iterator[str]:
    for event in after.events:
        if event.kind in _EVENTS and event.details.get("source") not in _GUESSED:
            shown = "" if event.kind in _ADDRESSED else " ".join(event.text.split())[:80]
            yield f"{_EVENTS[event.kind]} '{shown}'" if shown else _EVENTS[event.kind]
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
    yield from _by_element(old, new)
    if after.target_changed:
        yield "the target looks different"


def _by_element(old: PageSnapshot, new: PageSnapshot) -> Iterator[str]:
    was: Mapping[str, Element] = {one.id: one for one in old.elements}
    now: Mapping[str, Element] = {one.id: one for one in new.elements}
    for key, element in now.items():
        if key in was:
            yield from _of_one(was[key], element)
    if _texts(old) != _texts(new):
        yield "other text"
    if {k for k, e in was.items() if e.visible} != {k for k, e in now.items() if e.visible}:
        yield "other elements"


def _texts(snapshot: PageSnapshot) -> tuple[str, ...]:
    return tuple(plain(e.text) for e in snapshot.elements if e.visible and e.text)


def _of_one(old: Element, new: Element) -> Iterator[str]:
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
