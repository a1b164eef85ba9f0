"""Readings of statements about the page itself: where one is, what was done, a form to log in."""

import re
from collections.abc import Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, content, split_words, word_similarity
from sparring_plugins.web.pages.controls import takes_clicks, takes_text
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import SAME, WeakAnswer, answer, covers
from sparring_plugins.web.pages.weak.page.naming import KINDS
from sparring_plugins.web.pages.weak.page.page_content import PageContent, page_content

_SOMEBODY = r"(?:we|you|i|one|the (?:user|tester|browser|visitor))"
_WHERE = re.compile(
    rf"^(?:that )?{_SOMEBODY} (?:are|is|am|remains?|stays?|lands?|was|were|be)"
    r"(?P<adverbs>(?: (?:now|still|again|back|taken|brought|sent|redirected))*)"
    r" (?:on|at|in|to) (?P<place>.+)$",
    re.I,
)
_SAME_PAGE = re.compile(
    r"^(?:the )?(?:same |entry |edit |create )?(?:page|form|screen|view|dialog)$", re.I
)
_LOGIN_WORDS = frozenset({"login", "signin", "log", "sign", "logon"})


def read_location(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``We are still on the sign in page``: a heading has it, or the form is as it was.

    It is never false: a page may be called otherwise than the tester calls it.
    """
    match = _WHERE.match(s.text)
    if match is None or s.denies:
        return None
    place = s.unmask(match["place"])
    if "still" in match["adverbs"] and _SAME_PAGE.match(place):
        same = _is_same_form(page, before)
        return answer("location", True, "the form is still in view") if same else None
    if (number := _NUMBERED.fullmatch(place)) and "still" not in match["adverbs"]:
        return _is_page_number(number[1], page)
    words = [w for w in content(place) if w not in FREE.places] or list(s.quoted)
    return _is_page_called(words, page) if words else None


def _is_page_called(words: Sequence[str], page: PageContent) -> WeakAnswer | None:
    if set(words) <= _LOGIN_WORDS and has_login_form(page):
        return answer("location", True, "it asks for a password")
    heading = next((h for h in page.headings if covers(words, h)), None)
    return answer("location", True, f"the page is headed '{heading[:60]}'") if heading else None


def _is_page_number(number: str, page: PageContent) -> WeakAnswer | None:
    shown = {n for line in page.text_lines for n in _PAGE_OF.findall(plain(line))}
    return answer("location", number in shown, "the page says so") if len(shown) == 1 else None


_NUMBERED = re.compile(r"(?:the )?page (\d+)")
_PAGE_OF = re.compile(r"\bpage (\d+) (?:of|/) \d+")
_CURRENT = re.compile(
    r"^(?:that )?(?:the )?(?P<name>\S.{0,40}?)(?: (?:link|tab|entry|item))? is (?:now |still )?"
    r"(?:the )?(?:active|current|selected|highlighted|open)"
    r"(?: (?:one|menu item|item|menu entry|entry|link|tab|page|section|menu)){1,2}"
    r"(?: in the (?:menu|navigation|sidebar|header))?$",
    re.I,
)
_CURRENT_CLASS = re.compile(r"(?:^|[\s_-])(?:active|current|selected)(?:$|[\s_-])")


def read_current(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Reports is the active menu item``: the link or tab of this name is marked as current.

    It is not if another one beside it is marked.
    """
    match = _CURRENT.match(s.unmask(s.text))
    if match is None or s.denies:
        return None
    name = plain(match["name"])
    named = [e for e in page.elements if takes_clicks(e) and plain(e.name or e.text) == name]
    if len(named) != 1:
        return None
    if _is_current(named[0], page):
        return answer("current", True, f"'{match['name']}' is marked as current")
    marked = [e for e in _beside(named[0], page) if _is_current(e, page)]
    if not marked:
        return None
    other = marked[0].name or marked[0].text
    return answer("current", False, f"'{other[:40]}' is marked as current instead")


def _beside(element: Element, page: PageContent) -> list[Element]:
    """Return what can be clicked on in the menu around an element."""
    above = page.layout.above
    menus = {h.id for h in above(element) if h.role in _MENUS}
    return [e for e in page.elements if takes_clicks(e) and menus & {h.id for h in above(e)}]


_MENUS = frozenset({"navigation", "menu", "menubar", "tablist", "list"})


def _is_current(element: Element, page: PageContent) -> bool:
    """Return whether an element, or the list item around it, is marked: by ARIA or by its class."""
    if element.selected or element.attributes.get("aria-current", "false") != "false":
        return True
    holders = [h for h in page.layout.above(element) if h.role == "listitem"][:1]
    classes = (part.attributes.get("class", "") for part in (element, *holders))
    return any(_CURRENT_CLASS.search(names.lower()) for names in classes)


def _is_same_form(page: PageContent, before: Sequence[PageView]) -> bool:
    """Return whether the page of the last act has the address and the fields of this one."""
    fields = _field_names(page.view)
    return bool(before and fields) and any(
        view.snapshot.url == page.view.snapshot.url and fields <= _field_names(view)
        for view in before[-3:]
    )


def _field_names(view: PageView) -> frozenset[str]:
    return frozenset(
        e.attributes.get("name", "") or e.label
        for e in view.snapshot.elements
        if takes_text(e) and e.visible and (e.attributes.get("name") or e.label)
    )


def has_login_form(page: PageContent) -> bool:
    """Return whether a password can be entered, and nothing but who it is of beside it."""
    fields = [e for e in page.elements if takes_text(e)]
    passwords = [e for e in fields if e.input_type == "password"]
    if len(passwords) != 1:
        return False
    form = page.layout.form_of(passwords[0])
    return sum(page.layout.form_of(e) == form for e in fields) <= 3


_LOGIN_FORM = re.compile(
    r"^(?:the |a )?(?:log ?-?in|sign ?-?in|log ?-?on) (?:form|page|box|dialog|screen) "
    r"(?:is|are|appears|comes up|remains|stays)\b(?! (?:not|gone|hidden))",
    re.I,
)
_ASKS_FOR = re.compile(r"\basks? (?:you |me |us )?for (?:the |a |an |your )?(?P<things>.+)$", re.I)


def read_form(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The login form is back``, ``a form asks for user and password``: there are such fields."""
    if s.denies or s.position or s.numbers:
        return None
    if _LOGIN_FORM.match(s.text):
        shown = has_login_form(page)
        return answer("form", True, "it asks for a password") if shown else None
    match = _ASKS_FOR.search(s.text)
    if match is None or s.quoted:
        return None
    labels = [
        " ".join((e.label, e.name, e.placeholder, e.adjacent, e.input_type or ""))
        for e in page.elements
        if takes_text(e)
    ]
    wanted = content(match["things"])
    if wanted and all(any(covers((w,), label) for label in labels) for w in wanted):
        return answer("form", True, "there are fields for all of it")
    return None


_DONE = frozenset(
    {
        "created", "added", "saved", "deleted", "removed", "updated", "changed", "sent",
        "published", "uploaded", "stored", "registered", "renamed", "moved", "copied", "edited",
        "submitted", "archived", "closed", "booked", "cancelled", "ordered",
    }
)  # fmt: skip
_OUTCOME = re.compile(
    r"^(?P<what>.+?) (?:is|are|was|were|has been|have been|got|gets) "
    r"(?P<not>not |never )?(?:successfully |now |also )*(?P<done>[a-z]+ed|sent)$",
    re.I,
)
_NOTHING = re.compile(r"^(?:that )?(?:nothing|no [a-z][\w ]{0,40}?)$", re.I)
_REFUSAL = re.compile(
    r"\b(?:required|invalid|error|errors|must|cannot|can't|missing|fail\w*|did ?n[o']t|do not"
    r"|does not|already|wrong|incorrect)\b"
)


def read_outcome(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The shelf was created``: a message says so; ``nothing was created``: the form was refused.

    Only messages of this page count.
    """
    match = _OUTCOME.match(s.text)
    if match is None or match["done"].lower() not in _DONE or s.position or s.numbers:
        return None
    confirming = [t for t in page.messages if _confirms(match["done"].lower(), t)]
    if _NOTHING.match(match["what"]) or match["not"]:
        return None if confirming else _judge_refusal(page, before)
    names = [w for w in content(s.unmask(match["what"])) if w not in FREE.places]
    for text in confirming:
        if not names or _mentions(names, text):
            return answer("outcome", True, f"the message '{' '.join(text.split())[:80]}'")
    return None


_NO_MESSAGE = re.compile(
    r"^(?:that )?(?:there is|we see|it shows|the page shows) no "
    r"(?:\w+ )?(?:message|error|warning|notice|hint|complaint|text|note) "
    r"(?:that|about|saying(?: that)?|which says(?: that)?) (?P<said>.+)$",
    re.I,
)


def read_no_message(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``There is no message that the session has expired``: no text has even half of these words.

    A text with all of them is the message. Where the page shows any message, it may say the same in
    other words, so that nothing is decided.
    """
    match = _NO_MESSAGE.match(s.text)
    words = content(s.unmask(match["said"])) if match else ()
    if not words:
        return None
    shared = [sum(_mentions([word], line) for word in words) for line in page.text_lines]
    most = max(shared, default=0)
    if most == len(words) > 1:
        return answer("no message", False, "a text has all the words")
    if page.messages or most * 2 >= len(words):
        return None
    return answer("no message", True, "there is no message, and no text has these words")


def _mentions(words: Sequence[str], text: str) -> bool:
    return any(word_similarity(w, other) >= SAME for w in words for other in split_words(text))


def _judge_refusal(page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    refused = any(_REFUSAL.search(plain(text)) for text in page.messages)
    if refused and _is_same_form(page, before):
        return answer("outcome", True, "the form is still there, with an error")
    return None


def _confirms(done: str, message: str) -> bool:
    words = split_words(message)
    is_denied = bool(set(plain(message).split()) & FREE.negations) or "n't" in plain(message)
    return not is_denied and any(word_similarity(done, word) >= SAME for word in words)


_NOUNS = FREE.places | FREE.rows | frozenset(KINDS)
_NO_LONGER = re.compile(
    r"^(?P<name>.+?) (?:is|are|was|were|has|have) (?:now |been )?"
    r"(?:gone|(?:no longer|not|removed|missing)"
    r"(?: (?:listed|shown|displayed|there|visible|any ?more|(?:in|from) the (?:list|table)))*)$",
    re.I,
)


def read_item_absence(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The Elm is no longer listed``: false if a row or item is called so, true if nothing is."""
    match = _NO_LONGER.match(s.text)
    if match is None or s.position:
        return None
    name = re.sub(r"^(?:that )?(?:the |an? )?", "", s.unmask(match["name"]), flags=re.I)
    if name and _is_listed(name, page):
        return answer("item absence", False, f"'{name}' is listed")
    is_code = re.search(r"\d|\w[./_@]\w", name) is not None
    named = is_code or s.quoted or name[:1].isupper()
    if named and name and not contains(name, page.text):
        was = any(contains(name, page_content(view).text) for view in before[-6:])
        return answer("item absence", True, f"'{name}' can't be read any more") if was else None
    return None


def _is_listed(name: str, page: PageContent) -> bool:
    """Return whether a row, item or heading has a name as a text of its own."""
    items = [item for group in page.collections for item in group.items]
    lines = [line for item in items for line in item.text.split("\n")]
    lines += [text for item in items for _, text in item.cells]
    # "the section Recipe": the noun says what it is
    noun, _, bare_name = name.partition(" ")
    names = {plain(name), plain(bare_name) if noun in _NOUNS else plain(name)}
    return any(plain(line) in names for line in (*lines, *page.headings))
