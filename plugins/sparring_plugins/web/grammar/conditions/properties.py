"""Conditions on the page's address and title."""

from sparring_plugins.web.grammar.conditions.constructors import Conditions
from sparring_plugins.web.grammar.phrases.forms import read_value
from sparring_plugins.web.grammar.words.addresses import is_address
from sparring_plugins.web.grammar.words.control_nouns import PAGE, known
from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import PageIs

_URL = words("url uri address path location href web_address")
_AROUND = words(
    "the current page page's browser browser's window window's tab tab's document document's"
    "of web this site site's website website's its new resulting full actual a application's"
    "in bar for text value application app displayed"
)
_MODES = {"be": "equals", "equal": "equals", "hold": "equals", "contain": "contains",
    "have": "contains",
          "start": "starts", "end": "ends", "show": "contains"}  # fmt: skip


def page_property(tokens: Tokens) -> str | None:
    """``url`` or ``title`` where tokens name that property of the page."""
    words = [t.low for t in tokens if not t.quoted]
    if len(words) < len(tokens) or not words:
        return None
    named = [w for w in words if w in _URL or w == "title"]
    if len(named) != 1 or any(w not in _AROUND and w not in named for w in words):
        return None
    return "title" if named[0] == "title" else "url"


def is_page(tokens: Tokens) -> bool:
    """Whether tokens name the page itself: "the page", "this screen", "the content of the page"."""
    words = [t.low for t in tokens if not t.quoted]
    if len(words) < len(tokens):
        return False
    words = [w for w in words if w not in ("the", "this", "that", "current", "content", "contents",
             "of", "body", "text", "resulting", "source", "a", "new", "displayed", "whole",
             "entire",
             "following", "next", "result")]  # fmt: skip
    return known(tuple(words), PAGE) is not None if words else False


def read_property(which: str, meaning: str, rest: Tokens) -> Conditions:
    """The condition on the page's address or title."""
    mode = _MODES.get(meaning)
    words = [t.low for t in rest if not t.quoted]
    while rest and not rest[0].quoted and rest[0].low in _LEADING:
        mode = _leading_mode(rest[0].low, mode)
        rest = rest[1:]
    value = read_value(rest) if rest else None
    quoted = any(t.quoted for t in rest)
    if value is None or mode is None or "than" in words:
        return ()
    if not quoted and not is_address(value) and (which == "url" or meaning == "have"):
        return ()
    return (PageIs.model_validate({"property": which, "text": value, "mode": mode}),)


_LEADING = words(
    "equal to the same as exactly set with like containing starting ending beginning text"
    "word term string value exact of still now"
)


def _leading_mode(low: str, mode: str | None) -> str | None:
    found = {"containing": "contains", "starting": "starts", "ending": "ends",
        "beginning": "starts",
             "like": "contains"}  # fmt: skip
    return found.get(low, mode)


def read_arrival(rest: Tokens) -> Conditions:
    """``redirected to '/cart'``, ``on the page 'Cart'``: where the browser is."""
    quotes = [t for t in rest if t.quoted]
    if len(quotes) == 1:
        text = quotes[0].text
    else:
        addresses = [t.text for t in rest if is_address(t.text)]
        if quotes or len(addresses) != 1:
            return ()
        text = addresses[0]
    if is_address(text):
        return (PageIs(property="url", text=text),)
    title, url = PageIs(property="title", text=text), PageIs(property="url", text=text)
    return (title, url) if " " not in text else (title,)
