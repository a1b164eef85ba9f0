"""Steps that go somewhere: open, back, forward, reload, scroll, wait."""

import re

from sparring_plugins.web.grammar.actions.click import listed_clicks
from sparring_plugins.web.grammar.phrases.forms import Match, Plan, form, one
from sparring_plugins.web.grammar.phrases.nouns import DETERMINERS
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.words.addresses import is_address
from sparring_plugins.web.grammar.words.numbers import cardinal, seconds
from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.grammar.words.vocabulary import words

_FILLERS = DETERMINERS | {"at", "with", "on", "named", "called", "of", ":", "under", "to", "again"}


@form(
    "Go back, forward; load again",
    "go|navigate|move|step|return|come [one] [page|step] back|backward|backwards [one_page|a_page]",
    "go_back|navigate_back|return|press|click|hit|use to|on|the|at [the] previous|last page|screen",
    "go_back|back|go_to_the_previous_page|return_to_the_previous_page|go_to_previous_page",
    "go_back|navigate_back to_the_previous_page|one_page|a_page|to_the_last_page|to_previous_page",
    "go_back|navigate_back [in|using|with] the_browser|the_browser_history|browser_history",
    "<press> [on] [the] browser's|browser back [button]",
    "<press> [on] [the] back_button of|in the browser",
    examples=("Go back", "Return to the previous page"),
)
def _back(match: Match) -> Plan:
    del match
    return (one("back"),)


@form(
    "Go forward",
    "go|navigate|move|step [one] [page|step] forward|forwards [one_page|a_page]",
    "forward|go_forward_one_page|go_to_the_next_page_in_the_history",
    "go_forward|navigate_forward [in|using|with] the_browser|the_browser_history|browser_history",
    "<press> [on] [the] browser's|browser forward [button]",
    examples=("Go forward",),
)
def _forward(match: Match) -> Plan:
    del match
    return (one("forward"),)


@form(
    "Load again",
    "reload|refresh|re-load [the|this|current] [current|whole] [page|browser|site|website|it|tab]",
    "load|open the_page|this_page|the_current_page again",
    "<press> f5|refresh|reload [button|key] [in_the_browser|of_the_browser]",
    "do|perform|make a [page] reload|refresh",
    examples=("Reload the page",),
)
def _reload(match: Match) -> Plan | None:
    if match.tokens[0].low in ("click", "tap", "press", "hit", "push") and (
        match.tokens[1].low != "f5" and match.tokens[-1].low != "browser"
    ):
        return None
    return (one("reload"),)


@form(
    "Open an address",
    "<open> [the] [<page>] [at|with_the_url|with_url|with_the_address|called|named|:] {address}",
    "point|direct [the|your] browser to|at [the] [<page>] {address}",
    "enter|type|put|paste [the] [url|address] {address} in|into [the] address_bar|url_bar"
    "|browser's_address_bar|address_field|location_bar|browser",
    examples=(
        "Open the website 'https://shop.example/start'",
        "Go to the website 'https://shop.example'",
        "Visit '/login'",
        "Navigate to https://shop.example/cart",
    ),
)
def _opened(match: Match) -> Plan | None:
    part = [t for t in match.part("address") if t.mark != ":"]
    quotes = [t for t in part if t.quoted]
    if len(quotes) == 1:
        return _named(match, part, quotes[0].text)
    found = [t for t in part if is_address(t.text)]
    if not quotes and len(found) == 1 and _only_fillers(part, found[0].text):
        return (one("open", value=found[0].text),)
    return None


def _only_fillers(part: Tokens, address: str) -> bool:
    return all(
        t.text == address or t.low in _FILLERS or t.low in ("page", "website", "site", "url")
        for t in part
    )


def _named(match: Match, part: Tokens, text: str) -> Plan | None:
    others = [t.low for t in part if not t.quoted and t.low not in _FILLERS]
    pages = {"page", "website", "site", "url", "address", "webpage", "web", "app", "application",
             "browser", "link", "path", "screen", "view", "new", "tab", "in", "window"}  # fmt: skip
    said_page = any(t.low in pages for t in match.tokens if not t.quoted)
    if set(others) - pages:
        return None
    if is_address(text):
        return (one("open", value=text),)
    if "tab" in others or "window" in others:
        return None
    address = text if " " not in text.strip() else None
    if said_page and address and match.tokens[0].low in ("open", "load", "launch", "visit"):
        return (one("open", value=text),)
    clicked = one("click", read_targets([t for t in part if t.quoted]))
    return ((*clicked, *one("open", value=text)) if address else clicked,)


@form(
    "Open the start page",
    "<open> [the|your|our] [browser_and_go_to] home|homepage|home_page|start_page|main_page"
    "|startpage|site|website|application|app|start_url|base_url|web_site|landing_page|front_page"
    "|web_application [again|page]",
    examples=("Open the home page",),
)
def _home(match: Match) -> Plan:
    del match
    return (one("open"),)


@form(
    "Go to a part of the page or a page by its name",
    "<open> [to] {target}",
    "view|see|display|show {target}",
    examples=("Go to 'Checkout'", "Open the menu 'File'", "Open the tab 'Settings'"),
)
def _go_to(match: Match) -> Plan | None:
    part = list(match.part("target"))
    if part and part[-1].low in ("page", "screen", "view", "section") and len(part) > 1:
        part = part[:-1]
    return listed_clicks(part) if match.tokens[0].low != "enter" else None


_WAYS = {"down": "down", "up": "up", "left": "left", "right": "right", "downward": "down",
         "upward": "up", "downwards": "down", "upwards": "up", "bottom": "bottom", "top": "top",
         "end": "bottom", "beginning": "top", "start": "top"}  # fmt: skip
_SCROLLED = words(
    "the a by to of on in page window screen browser a_bit bit little slightly all way this"
    "very pixels pixel px far end completely current view again some more about until whole"
    "it"
)


@form(
    "Scroll",
    "<scroll> {where}",
    "<scroll>",
    examples=("Scroll down", "Scroll to the bottom of the page", "Scroll to 'Reviews'",
              "Scroll down by 300 pixels", "Scroll down in the list 'Cities'"),
)  # fmt: skip
def _scroll(match: Match) -> Plan | None:
    if not match.has("where"):
        return (one("scroll", value="down"),)
    part = match.part("where")
    ways = [_WAYS[t.low] for t in part if t.low in _WAYS and not t.quoted]
    rest = [t for t in part if t.low not in _WAYS and t.low not in _SCROLLED]
    amount = next((cardinal(t) for t in rest if not t.quoted and cardinal(t)), None)
    rest = [t for t in rest if t.quoted or cardinal(t) is None]
    amount = amount or next((_pixels(t.low) for t in rest if _pixels(t.low)), None)
    rest = [t for t in rest if _pixels(t.low) is None]
    ways = [way for way in ways if way in ("bottom", "top")] or ways
    value = f"{ways[0]} {amount}" if ways and amount else ways[0] if ways else None
    if not rest:
        return (one("scroll", value=value),) if value else None
    return _scroll_to(part, ways, value)


def _pixels(low: str) -> int | None:
    match = re.fullmatch(r"(\d{1,6})px", low)
    return int(match[1]) if match else None


_LEADING = words(
    "down up to until till you see the a into view in through over within on all way inside"
    "find reach at left right bottom top of is isn't are be"
)


_TRAILING = words("view into visible is displayed appears comes shown in") | set(_WAYS)


def _scroll_to(part: Tokens, ways: list[str], value: str | None) -> Plan | None:
    start = 0
    within = part[-1].low in _WAYS and not part[-1].quoted
    while start < len(part) - 1 and part[start].low in _LEADING and not part[start].quoted:
        within = within or part[start].low in ("in", "within", "inside", "of", "through")
        start += 1
    end = len(part)
    if within and [t.low for t in part[-3:-1]] == ["to", "the"]:
        end -= 3
    while end > start + 1 and not part[end - 1].quoted and part[end - 1].low in _TRAILING:
        end -= 1
    targets = read_targets(part[start:end])
    if not targets:
        return None
    return (one("scroll", targets, value if within and ways else None),)


@form(
    "Find something",
    "find|locate|look_for|identify|search_for|spot {target}",
    examples=("Find the link 'Reviews' and click on it",),
)
def _found(match: Match) -> Plan | None:
    targets = match.targets()
    more = any(t.low in ("them", "him", "her", "it") for t in match.part("target") if not t.quoted)
    if more:  # "Find the mail by 'x' and reply to them": what is to be done is not understood
        return None
    quoted = bool(targets) and bool(targets[0].text) and targets[0].quoted
    sought = match.tokens[0].low not in ("search", "look") or (
        quoted and targets[0].role is not None
    )
    return (one("scroll", targets),) if quoted and sought else None


@form(
    "Wait for a time",
    "<wait> [for|about] {time} [long|more|before_continuing|before_proceeding]",
    examples=("Wait 2 seconds", "Wait for 500 ms", "Pause for half a second"),
)
def _wait(match: Match) -> Plan | None:
    part = match.part("time")
    if any(t.quoted for t in part) and len(part) > 2:
        return None
    words = tuple(w for t in part for w in (t.text if t.quoted else t.low).split())
    found = seconds(words)
    return (one("wait", value=found),) if found is not None else None
