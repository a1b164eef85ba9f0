"""What the server or the browser shows in the place of a page, and whose fault that is."""

import re
from urllib.parse import urlsplit

from sparring.model.page import PageEventKind, PageView
from sparring.model.verdict import Owner
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.free.statements import read_statements
from sparring_plugins.web.pages.conditions import is_negative
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import Step

#: Browsers' names for a server that hangs up, redirects in circles, or does not speak HTTP.
_BY_THE_APP = re.compile(
    r"EMPTY_RESPONSE|CONNECTION_(RESET|CLOSED)|NET_RESET|REDIRECT|INVALID_(HTTP_)?RESPONSE"
    r"|RESPONSE_HEADERS|CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED|DECODING_FAILED"
)
#: Addresses of the pages that Chromium and Firefox show if nothing could be loaded.
_BROWSER_ERRORS = ("chrome-error:", "about:neterror")


def is_browser_error(view: PageView) -> bool:
    """Return whether the browser shows an error page of its own: the app has no part in it."""
    return view.snapshot.url.startswith(_BROWSER_ERRORS)


def address_in_words(url: str) -> str:
    """Return an address that is equal in every run: without the port, and without a local host."""
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
    """Return what the server or the browser answered instead of a page; empty if it loaded."""
    for event in view.events:
        main = event.details.get("main") is not False and event.details.get("document", True)
        if event.kind == PageEventKind.HTTP_ERROR and main and event.text == view.snapshot.url:
            status = event.details.get("status")
            return f"the server answered {status} for '{address_in_words(event.text)}'"
    if is_browser_error(view):
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
            error = str(event.details.get("error") or "")
            return Owner.APP if _BY_THE_APP.search(error) else Owner.ENVIRONMENT
    return None


def only_denies(sentence: str) -> bool:
    """Return whether all that a sentence states is that something is not there or not so."""
    statements = [s for clause in split_sentence(sentence) for s in read_statements(clause)]
    return bool(statements) and all(statement.denies for statement in statements)


def doubt_error_page(
    step: Step, judged: Judged, error: Judged, view: PageView, *, expected: bool
) -> Judged:
    """Return *don't know* if the answer only follows from an `error` in the place of the page.

    Something may be as absent as expected because the page itself is. The browser's own error page
    shows nothing of the app at all, unless it was the app that hung up: if a link opens another
    site on a machine without a network, no text of the app is missing.
    """
    if is_browser_error(view) and error.owner is not Owner.APP:
        reason = f"{error.reason}: the browser's own error page shows nothing of the app"
        return judged.model_copy(update={"truth": None, "reason": reason, "owner": error.owner})
    condition = step.reading.condition if step.reading else None
    if judged.truth is not expected:
        return judged
    is_denied = condition is not None and is_negative(condition)
    if expected and not is_denied and not only_denies(step.text):
        return judged
    reason = f"{error.reason}: what is not on such a page shows nothing"
    return judged.model_copy(update={"truth": None, "reason": reason, "owner": error.owner})
