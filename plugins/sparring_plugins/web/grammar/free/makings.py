"""Sentences that make a new thing and say what it is like: "Add a shelf called Oak with 4 boards".

They are several acts: reach the form, fill in its fields, send it.
"""

import re
from collections.abc import Callable, Sequence

from sparring_plugins.web.grammar.free.sentences import is_mark
from sparring_plugins.web.grammar.free.words import FREE

#: A field's words (empty for the name of the thing) and the masked value; None leaves it empty.
Field = tuple[str, str | None]
ReadField = Callable[[str], Field | None]

_THING = re.compile(
    r"(?P<article>a|an|another|one more|the)\s+(?:(?:new|further|second|third|fresh)\s+)?"
    r"(?P<thing>[a-z][a-z-]*(?: [a-z][a-z-]*){0,3}?)"
    # what follows: its name, or what it has
    r"(?:,? (?P<joint>called|named|titled|entitled|labelled|with|without|having|whose)\s+"
    r"|\s+(?=⟦|[A-Z]))(?P<rest>.+)$",
    re.S,
)
_PREPOSITIONS = frozenset(
    {"of", "for", "in", "on", "to", "by", "from", "at", "as", "the", "a", "an", "its"}
)
# "create one with the name Mia".
_IT = re.compile(r"(?:it|one)\s+with\s+(?P<rest>.+)$", re.S)
_NAMING = frozenset({"called", "named", "titled", "entitled", "labelled"})
_JOINT = re.compile(
    r"(?:(?<!\s)\s+)?,\s*(?:(?:and|with)\s+){0,2}|(?<!\s)\s+(?:and(?: with)?|with|by)\s+"
)
# "colour red" in a list of fields: a label, then its value.
_BARE_PAIR = re.compile(r"(?:the |a |an )?([a-z-]+(?: [a-z-]+)?) ([a-z][\w.-]*)$")
# "add a row with only a name": the rest stays empty.
_ONLY_WITH = re.compile(r",?(?<!\s)\s+(?:but |and )?(?:only |just )?with\s+")
_EMPTY = re.compile(r"(?:an? )?empty (.+)$|(?:a |an |any )(.+)$")


def read_making(verb: str, rest: str, read_field: ReadField) -> tuple[str, list[Field]] | None:
    """Return the thing that is made and its fields; None if the sentence makes nothing.

    `read_field` reads one part, "the price 5", without the verb.
    """
    if verb not in FREE.making:
        return None
    if match := _IT.match(rest):
        fields = _read_fields("with", match["rest"], read_field)
        return ("", fields) if fields else None
    match = _THING.match(rest)
    # "Register the birth of Ida": Ida is no name of a birth
    if match is None or match["thing"].split()[-1] in _PREPOSITIONS:
        return None
    fields = _read_fields(match["joint"] or "called", match["rest"], read_field)
    # "Add the task 'Buy milk'": an entry for the field that is called so
    only_named = fields is not None and len(fields) == 1 and not match["joint"]
    if fields is None or (only_named and verb == "add"):
        return None
    return match["thing"], fields


def _read_fields(joint: str, rest: str, read_field: ReadField) -> list[Field] | None:
    """Return all fields; None if a part of the sentence says something else."""
    if joint == "without":
        # "without a name, only with the city Oslo"
        empty, _, others = _ONLY_WITH.sub("\n", rest, count=1).partition("\n")
        match = _EMPTY.match(empty)
        filled = _read_fields("with", others, read_field) if others else []
        if match is None or "⟦" in empty or filled is None:
            return None
        return [((match[1] or match[2]), None), *filled]
    names: list[Field] = []
    if joint in _NAMING:
        value, rest = _split_name(rest, read_field)
        if "⟦" in value and not is_mark(value):
            return None
        names = [("", value)]
    fields = [_read_part(part, read_field) for part in _split(rest, read_field)]
    return None if None in fields else [*names, *(f for f in fields if f)]


def _split_name(rest: str, read_field: ReadField) -> tuple[str, str]:
    """Return the name and the fields behind it: "Salt and Pepper with 4 boards"."""
    for joint in _JOINT.finditer(rest):
        part = _first_part(rest[joint.end() :])
        if read_field(part) or _read_pair(part):
            return rest[: joint.start()], rest[joint.end() :]
    return rest, ""


def _first_part(rest: str) -> str:
    return _JOINT.split(rest, maxsplit=1)[0]


def _read_part(part: str, read_field: ReadField) -> Field | None:
    empty = re.match(r"an? empty (.+)$", part)
    return (empty[1], None) if empty else _read_pair(part) or read_field(part)


def _read_pair(part: str) -> Field | None:
    """Read "the owner sam": the last word is the value."""
    match = _BARE_PAIR.match(part)
    return (match[1], match[2]) if match else None


def _split(rest: str, read_field: ReadField) -> Sequence[str]:
    """Return the parts of a list of fields; "and" within a value joins nothing."""
    if not rest:
        return ()
    joints = list(_JOINT.finditer(rest))
    starts = [0, *(m.end() for m in joints)]
    ends = [*(m.start() for m in joints), len(rest)]
    spans: list[tuple[int, int]] = []
    for start, end in zip(starts, ends, strict=True):
        if spans and _read_part(rest[start:end], read_field) is None:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return [rest[start:end] for start, end in spans]


#: "Open the form for a new boat", "Go to the page to add boats": what makes one leads there.
_NEW_FORM = re.compile(
    r"(?:to |on )?(?:the |an? )?(?:form|dialog|page|screen|window|mask|view) (?:for |to )"
    r"(?:(?:(?:add|enter|create|make|creating|adding|entering|making) )(?:an? |the )?(?:new )?"
    r"|(?:an? |the )?new )(?P<thing>[a-z][a-z -]{1,40})$",
    re.I,
)


def read_new_form(rest: str) -> str:
    """Return the thing that a form makes which is to be opened; empty if it is no such form."""
    match = _NEW_FORM.match(rest)
    return match["thing"] if match else ""
