"""What has opened under a heading of its own, and what the tab that is open lists."""

import re
from collections.abc import Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import split_words, stem
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.count_readings import shows_a_part
from sparring_plugins.web.pages.weak.page.choosing import NAME_OF_ACT
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_NAME = (
    r"(?P<name>⟦\d+⟧|(?-i:[A-Z])[\w'-]*(?: (?!(?:has|have|is|are|opens|appears)\b)[\w'-]+){0,5})"
)
_HEADED = re.compile(
    r"(?:that )?(?:there is )?(?:an?|the) (?:new )?[a-z][a-z-]+ (?:headed|titled|entitled) "
    rf"{_NAME} (?:(?:has|have) (?:now )?(?:been )?(?:opened|appeared)|opens|appears"
    r"|is (?:now |still )?(?:open|opened|shown|displayed|there|in view))",
    re.I,
)


def read_headed(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``A panel headed 'Rota' has opened``: a heading says just that, and not more."""
    match = _HEADED.fullmatch(s.text.strip(" ."))
    if match is None or s.denies:
        return None
    name = s.unmask(match["name"])
    if any(plain(heading) == plain(name) for heading in page.headings):
        return answer("headed", True, f"a heading is '{name}'")
    if contains(name, page.text):
        return answer("headed", None, f"'{name}' can be read, but no heading is just that")
    return answer("headed", False, f"'{name}' can't be read anywhere")


_AMONG = re.compile(
    rf"(?:that )?{_NAME} (?:is|are)(?P<no> not|n't| no longer)? (?:now |also |still )?"
    r"(?:(?:among|one of|in|under|listed (?:among|under|in)) (?:the )?(?:list of )?|an? )"
    r"(?P<kind>[\w-]+)(?: as well| too| now| either| any ?more)?",
    re.I,
)


def read_in_tab(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Heron is among the waders``, ``Heron is a wader``: by the list below the open tab 'Waders'.

    Only if all that the tab shows has been loaded: a list with further pages does not deny it.
    """
    match = _AMONG.fullmatch(s.text.strip(" ."))
    if match is None:
        return None
    panel = _panel_of(match["kind"], page)
    if panel is None:
        return None
    name, denies = s.unmask(match["name"]), bool(match["no"])
    lines = {plain(line) for line in panel.text.split("\n")}
    links = {
        plain(e.name or e.text) for e in page.layout.snapshot.elements
        if e.visible and e.role in ("link", "listitem", "cell", "button")
        and page.layout.holds(panel, e)
    }  # fmt: skip
    where = f"below the tab '{match['kind']}'"
    if plain(name) in lines | links:
        return answer("tab", True, f"'{name}' is listed {where}", denies=denies)
    is_part = page.view.snapshot.truncated > 0 or not links or shows_a_part(page)
    if is_part or contains(name, panel.text):
        return answer("tab", None, f"'{name}' is perhaps a part of what is listed {where}")
    return answer("tab", False, f"'{name}' is not listed {where}", denies=denies)


def _panel_of(kind: str, page: PageContent) -> Element | None:
    """Return the panel of the tab that is called so, if that was clicked on last."""
    name = _last_tab(page)
    if not name or _stems(name) != _stems(kind):
        return None
    visible = [e for e in page.layout.snapshot.elements if e.visible]
    tabs = [e for e in visible if e.role == "tab" and e.name == name]
    if len(tabs) != 1:
        return None
    panels = [e for e in visible if e.role == "tabpanel" and e.parent == tabs[0].parent]
    return panels[0] if len(panels) == 1 else None


def _last_tab(page: PageContent) -> str:
    """Return the name of the tab that was clicked on last, "" if the last click was elsewhere."""
    clicks = [act.described or "" for act in page.acts if act.action == "click"]
    last = clicks[-1] if clicks else ""
    named = NAME_OF_ACT.search(last) if last.startswith("tab ") else None
    return named[1] if named else ""


def _stems(name: str) -> list[str]:
    return [stem(word) for word in split_words(name)]
