"""Values of a program in what an app says: "The total is NaN", "Welcome undefined"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Nobody writes these to be heard, but "null and void" is a phrase, and "None" alone or in "None of
# them" a word; "Welcome None" is Python's. Of the others:
# - code: "It takes PT5M", "on 2027-W10" are how requests write a duration and a week;
# - list: "at position [1]" is how Python writes a list.
# "Thank you for choosing ." has nothing where a name should be; it is not heard, only written.
_UNFILLED = re.compile(
    r"\b(?:undefined|NaN|Invalid Date|null(?! and void))\b|\[object \w+\]"
    r"|\$?\{\{?\s*[A-Za-z_][\w.]*\s*\}\}?|%[sd]\b"
    r"|(?P<none>(?<=[a-z,] )None\b(?! of)(?! the))"
    r"|(?P<code>\bP(?:\d+[YMWD])+\b|\bPT(?:\d+[HMS])+\b|\b\d{4}-W\d{2}\b|\bXXXX-\d{2}\b)"
    r"|(?P<list>\[(?:'[^'\]]{0,60}'|\d+)(?:, (?:'[^'\]]{0,60}'|\d+)){0,99}\]|\{'\w+':)"
)
_BLANK = re.compile(
    r"\b(?:for|to|of|is|at|on|in|with|by|from|your|my|an?|the|are|was|for \w+ing) [.](?=\s|$)"
)
# "Here is your list:" is followed by nothing.
_EMPTY_LIST = re.compile(
    r"\b(?:here (?:is|are|s)|these are|this is|following|list|tasks|items|results|you have)"
    r"(?: \w+){0,9}:\s*[.\"']?\s*$",
    re.IGNORECASE,
)
_FORMS = {"code": "machine-readable date", "list": "list"}
_AROUND = 80


@dataclass(frozen=True, slots=True)
class UnfilledValue:
    """A value of the program: its form, what it is in words, and the text around it."""

    form: str
    what: str
    quotation: str


def unfilled_values(output: str, written: str, said: str, runtime: str) -> Iterator[UnfilledValue]:
    """Yield the values of the program in an output, one of each form.

    "Reserved on null, the total is NaN" has two. What the user said may be said again. Only a
    program in Python (`runtime`) means no value by "None". `written` is the output as the app wrote
    it.
    """
    forms: set[str] = set()
    for match in _UNFILLED.finditer(output):
        kind = match.lastgroup or ""
        form = _FORMS.get(kind, match[0])
        if form in forms or match[0] in said or (kind == "none" and runtime != "python"):
            continue
        forms.add(form)
        yield UnfilledValue(form, f"'{match[0]}', a value of the program", _around(output, match))
    blank = _BLANK.search(written or output) or _EMPTY_LIST.search(output)
    if blank is not None:
        what = f"nothing after '{blank[0].rstrip(' .:')}'"
        yield UnfilledValue("nothing", what, _around(written or output, blank))


def _around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - _AROUND) : match.end() + _AROUND].strip()
