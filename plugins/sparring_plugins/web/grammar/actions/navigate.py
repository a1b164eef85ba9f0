"""Steps that go somewhere: open, back, forward, reload, scroll, wait."""

import re

from sparring_plugins.web.grammar.actions.click import click_each
from sparring_plugins.web.grammar.phrases.numbers import is_address, read_cardinal, read_seconds
from sparring_plugins.web.grammar.phrases.patterns import ClausePlan, PatternMatch, reader, readings
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.phrases.tokens import (
    Token,
    Tokens,
    has_quotes,
    quotes_in,
    words_in,
)
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS

_FILLERS = frozenset({"at", "with", "on", "named", "called", "of", ":", "under", "to", "again"})


@reader
def go_back(match: PatternMatch) -> ClausePlan:
    """Read ``Go back``."""
    del match
    return (readings("back"),)


@reader
def go_forward(match: PatternMatch) -> ClausePlan:
    """Read ``Go forward``."""
    del match
    return (readings("forward"),)


@reader
def reload_page(match: PatternMatch) -> ClausePlan | None:
    """Read ``Reload the page``."""
    if match.tokens[0].low in ("click", "tap", "press", "hit", "push") and (
        match.tokens[1].low != "f5" and match.tokens[-1].low != "browser"
    ):
        return None
    return (readings("reload"),)


@reader
def open_address(match: PatternMatch) -> ClausePlan | None:
    """Read ``Open the website 'https://shop.example/start'``."""
    part = [t for t in match.part("address") if t.mark != ":"]
    quotes = quotes_in(part)
    if len(quotes) == 1:
        return _open_quoted(match, part, quotes[0].text)
    addresses = [t.text for t in part if is_address(t.text)]
    if quotes or len(addresses) != 1:
        return None
    others = [t for t in part if t.text != addresses[0] and not _is_filler(t)]
    plain = all(t.low in ("page", "website", "site", "url") for t in others)
    return (readings("open", value=addresses[0]),) if plain else None


def _is_filler(token: Token) -> bool:
    return token.low in WORDS.determiners or token.low in _FILLERS


def _open_quoted(match: PatternMatch, part: Tokens, text: str) -> ClausePlan | None:
    others = {t.low for t in part if not t.quoted and not _is_filler(t)}
    if others - WORDS.page_nouns:
        return None
    if is_address(text):
        return (readings("open", value=text),)
    if others & {"tab", "window"}:
        return None
    one_word = " " not in text.strip()
    page = any(word in WORDS.page_nouns for word in words_in(match.tokens))
    if page and one_word and text and match.tokens[0].low in ("open", "load", "launch", "visit"):
        return (readings("open", value=text),)
    clicked = readings("click", read_targets(quotes_in(part)))
    # "Enter 'lamps'" goes to no address: it is typed, or the name of a way in
    opens = one_word and text and match.tokens[0].low != "enter"
    return ((*clicked, *readings("open", value=text)) if opens else clicked,)


@reader
def open_start_page(match: PatternMatch) -> ClausePlan:
    """Read ``Open the home page``."""
    del match
    return (readings("open"),)


@reader
def go_to_part(match: PatternMatch) -> ClausePlan | None:
    """Read ``Go to 'Checkout'``."""
    part = list(match.part("target"))
    if part and part[-1].low in ("page", "screen", "view", "section") and len(part) > 1:
        part = part[:-1]
    return click_each(part) if match.tokens[0].low != "enter" else None


@reader
def scroll(match: PatternMatch) -> ClausePlan | None:
    """Read ``Scroll down by 300 pixels``, ``Scroll to 'Reviews'``."""
    if not match.has("where"):
        return (readings("scroll", value="down"),)
    part = match.part("where")
    directions = [WORDS.scroll_ways[word] for word in words_in(part) if word in WORDS.scroll_ways]
    rest = [t for t in part if t.low not in WORDS.scroll_ways and t.low not in WORDS.scroll_words]
    amount, rest = _split_scroll_amount(rest)
    directions = [
        direction for direction in directions if direction in ("bottom", "top")
    ] or directions
    value = (
        f"{directions[0]} {amount}"
        if directions and amount
        else directions[0]
        if directions
        else None
    )
    if not rest:
        return (readings("scroll", value=value),) if value else None
    return _scroll_to(part, directions, value)


def _split_scroll_amount(tokens: Tokens) -> tuple[int | None, list[Token]]:
    """How many pixels are said, and the tokens that do not say it."""
    plain = [t for t in tokens if not t.quoted]
    amounts = [*(read_cardinal(t) for t in plain), *(_read_pixels(t.low) for t in plain)]
    others = [
        t for t in tokens if t.quoted or (read_cardinal(t) is None and _read_pixels(t.low) is None)
    ]
    return next((amount for amount in amounts if amount), None), others


def _read_pixels(low: str) -> int | None:
    match = re.fullmatch(r"(\d{1,6})px", low)
    return int(match[1]) if match else None


def _scroll_to(part: Tokens, directions: list[str], value: str | None) -> ClausePlan | None:
    start = 0
    within = part[-1].low in WORDS.scroll_ways and not part[-1].quoted
    while (
        start < len(part) - 1 and part[start].low in WORDS.scroll_leads and not part[start].quoted
    ):
        within = within or part[start].low in ("in", "within", "inside", "of", "through")
        start += 1
    end = len(part)
    if within and [t.low for t in part[-3:-1]] == ["to", "the"]:
        end -= 3
    while end > start + 1 and not part[end - 1].quoted and part[end - 1].low in WORDS.scroll_ends:
        end -= 1
    targets = read_targets(part[start:end])
    if not targets:
        return None
    return (readings("scroll", targets, value if within and directions else None),)


@reader
def find_target(match: PatternMatch) -> ClausePlan | None:
    """Read ``Find the link 'Reviews' and click on it``."""
    targets = match.targets()
    more = any(t.low in ("them", "him", "her", "it") for t in match.part("target") if not t.quoted)
    if more:  # "Find the mail by 'x' and reply to them": what is to be done is not understood
        return None
    quoted = bool(targets) and bool(targets[0].text) and targets[0].quoted
    sought = match.tokens[0].low not in ("search", "look") or (
        quoted and targets[0].role is not None
    )
    return (readings("scroll", targets),) if quoted and sought else None


@reader
def wait_for_time(match: PatternMatch) -> ClausePlan | None:
    """Read ``Wait 2 seconds``."""
    part = match.part("time")
    if has_quotes(part) and len(part) > 2:
        return None
    words = tuple(w for t in part for w in (t.text if t.quoted else t.low).split())
    duration = read_seconds(words)
    return (readings("wait", value=duration),) if duration is not None else None
