"""Readings of checks that say what a page writes, in its own words, and of what was just entered.

A tester often copies the page: "It says 3 of 4 seats are taken" of the line "3 of 4 seats taken".
"""

import re
from collections.abc import Iterator, Sequence

from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, stem, stems
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.page.page_content import (
    RECENT_PAGES,
    PageContent,
    page_content,
)

_WORD = re.compile(r"[^\W_]+(?:['’.:,/-][^\W_]+)*%?|[€$£]")
_FEWEST_WORDS = 4
_FEWEST_WITH_DIGITS = 3
_LONGEST = 60
#: Words that pages leave out: "3 of 4 seats taken".
_LEFT_OUT = frozenset(
    {"the", "a", "an", "is", "are", "was", "were", "be", "been", "has", "have", "now", "still"}
    | {"also", "already", "that"}
)
#: "When the import is finished, you get a mail" does not say that it is finished.
_CONDITIONS = frozenset({"if", "when", "whenever", "until", "unless", "once", "before", "whether",
                         "after", "while", "please", "cannot", "never", "not"})  # fmt: skip
_SAYS = re.compile(
    rf"^.{{1,60}}?\b(?:{'|'.join(sorted(FREE.saying | FREE.speaking))})(?: that)?:? (?=\S)", re.I
)
_SAID_TO = re.compile(
    r"^.{1,60}? (?:is|are) (?:said|reported|shown) (?:to be|as|that) (?=\S)", re.I
)


def read_as_written(s: Statement, page: PageContent) -> WeakAnswer | None:
    """``The office is open from 8:00 to 16:00``: a line of the page says it with these words."""
    for said in _texts_said(s):
        words = _words_of(said)
        fewest = _FEWEST_WITH_DIGITS if any(w[0].isdigit() for w in words) else _FEWEST_WORDS
        if not fewest <= len(words) <= _LONGEST or not any(w[0].isalpha() for w in words):
            continue
        for line in page.visible.sentences:
            if _writes(line, words) and plain(line) not in page.offered:
                return answer("as written", True, f"the page says '{line[:80]}'")
    return None


def _texts_said(s: Statement) -> Iterator[str]:
    """Yield what a statement states, and what it says that the page says."""
    yield s.unmask(s.text)
    if says := _SAYS.match(s.text):
        yield s.unmask(s.text[says.end() :])


def _words_of(text: str) -> tuple[str, ...]:
    return tuple(w for w in _WORD.findall(plain(text)) if w not in _LEFT_OUT)


def _writes(line: str, words: Sequence[str]) -> bool:
    """Return whether a line has the words one behind the other, and under no condition."""
    shown = _words_of(line)
    if line.rstrip().endswith("?") or len(shown) < len(words):
        return False
    for start in range(len(shown) - len(words) + 1):
        if tuple(shown[start : start + len(words)]) == tuple(words):
            return not _CONDITIONS & set(shown[:start])
    return False


# What was entered

_NEW_SHOWN = re.compile(
    r"^(?:that )?(?:the|its|his|her|their|my) new (?P<what>[a-z]+(?: [a-z]+)?) (?:is|are) "
    r"(?:now |also )?(?:shown|displayed|visible|listed|there|in the (?:list|table))$"
    r"|^(?:that )?(?:the |this |a )?(?:[a-z]+ ){1,3}(?:now )?"
    r"(?:shows?|displays?|has|contains?|lists?)"
    r" (?:now )?(?:the|its|his|her) new (?P<thing>[a-z]+(?: [a-z]+)?)$",
    re.I,
)
_FIELD = re.compile(r"'(?P<name>[^']+)'")
#: "The new sentence is displayed": whatever was typed last.
_ANY_TEXT = frozenset(
    map(stem, ["sentence", "text", "words", "line", "value", "paragraph", "remark", "content"])
)


def read_entered(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The new title is shown``: what the case put into the field *Title* can be read."""
    match = _NEW_SHOWN.match(s.text)
    if match is None or s.denies or s.quoted:
        return None
    what = match["what"] or match["thing"]
    value = _value_entered(what, page.acts)
    if not value or not contains(value, page.text):
        return None
    # what all pages before showed, too, is not there because it was entered
    if before and all(contains(value, page_content(view).text) for view in before[-RECENT_PAGES:]):
        return None
    return answer("entered", True, f"'{value[:80]}', which was entered, can be read")


def _value_entered(what: str, acts: Sequence[GuiAction]) -> str:
    """Return the last text that was put into a field with the name; "" if there is none."""
    wanted = set(stems(what))
    for act in reversed(acts):
        value = act.value
        if act.action not in ("fill", "append", "type") or not isinstance(value, str):
            continue
        if not value.strip() or "%" in value:
            continue
        named = _FIELD.search(act.described or "")
        is_text = wanted <= _ANY_TEXT and (" " in value.strip() or "value" in wanted)
        if is_text or (named and wanted <= set(stems(named["name"]))):
            return value.strip()
    return ""


# Quotations that came with the last act

_ANSWERS = re.compile(
    r"^(?:that )?(?:it|i|we|you|this|(?:the|this) (?:app|application|page|site|system|form|dialog"
    r"|server|program|wizard|window|screen|attempt|entry|input|upload))"
    r" (?:(?:must|should|will|is|gets?|be) ){0,2}"
    r"(?!(?:not|no|never|only|still)\b)(?:[a-z]+ ){1,4}(?:with|by|as|:)"
    r"(?: (?:the|an?) (?:message|text|error|words?|notice|hint))? ⟦\d+⟧$",
    re.I,
)
_STARTS = re.compile(
    r"^(?:that )?(?:the|its) (?:last |latest |newest |next |first )?"
    r"(?:answer|reply|response|message|text|note|notice|line|error|output|hint)"
    r" (?:now )?(?P<how>starts|begins|ends|closes) (?:with|in) ⟦\d+⟧$",
    re.I,
)


def read_answered(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The app refuses it with 'X'``: of a quotation that came with the last act."""
    starts = _STARTS.match(s.text)
    if not (starts or _ANSWERS.match(s.text)) or len(s.quoted) != 1 or not before:
        return None
    quoted, earlier = s.quoted[0], page_content(before[-1], page.acts)
    if contains(quoted, earlier.text) or not contains(quoted, page.text):
        return None
    if starts is None:
        return answer("answered", True, f"'{quoted}' came with the last act")
    is_front = starts["how"] in ("starts", "begins")
    said = plain(quoted)
    lines = [plain(line) for line in page.visible.blocks]
    if any(x.startswith(said) if is_front else x.endswith(said) for x in lines):
        return answer("answered", True, f"a text {starts['how']} with '{quoted}'")
    return None
