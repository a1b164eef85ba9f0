"""Acts that change a value: "Rename the hall to Oak", "Make Ida the caretaker".

Each names a field by its noun and gives the new value; that the page has no such field is found out
when the act is planned.
"""

import re

from sparring_plugins.web.grammar.free.intent import Intent
from sparring_plugins.web.grammar.free.loose_forms import read_naming
from sparring_plugins.web.grammar.free.sentences import Clause, is_mark
from sparring_plugins.web.grammar.free.words import FREE

_NAME = r"(?:⟦\d+⟧|[A-Z][\w'.-]*(?: [A-Z][\w'.-]*){0,3})"
_VALUE = r"(?:⟦\d+⟧|[£$€]?\d\S*(?: [a-z%]+)?|[A-Z][\w'.-]*(?: [\w'.-]+){0,3})"
# "rename the draft to Summer".
_RENAMED = re.compile(r"(?P<thing>\S.{0,60}?) (?:to|into|as) (?P<name>\S.*)$", re.S)
#: "Make Lea Ott the caretaker", "Appoint Lea Ott as caretaker"
_APPOINTED = re.compile(
    rf"(?P<value>{_NAME}) (?:(?:as|to be)(?: the| a| an| its| our)?|the|its|our) "
    r"(?P<field>[a-z][a-z -]{1,40})$"
)
#: "Make the deposit 30"
_MADE = re.compile(
    rf"(?:the|its|his|her|their) (?P<field>[a-z][a-z-]*(?: [a-z-]+){{0,3}}?) (?P<value>{_VALUE})$"
)
#: "Give the hall 150 seats", "Give Ida the role Editor"
_GIVEN = re.compile(rf"(?P<to>it|them|(?:the|this) [a-z][a-z -]{{0,30}}?|{_NAME}) (?P<rest>\S.*)$")
# "with the colour red and 3 seats": a label before its value, or a number before its unit.
_ENTRY = re.compile(
    rf"(?:(?:the|an?|its) (?P<field>[a-z][a-z-]*(?: [a-z-]+){{0,2}}?) (?:of )?(?P<value>{_VALUE})"
    r"|(?P<number>\d[\d.,]*) (?P<unit>[a-z]+(?: [a-z]+)?)"
    rf"|(?P<first>{_NAME}) (?:as|for) (?:the|its|a|an) (?P<behind>[a-z][a-z -]{{1,40}}))$"
)
#: "Move the opening time to 9:00": a time, a date or a number, and no list to drag it to.
_MOVED = re.compile(
    r"(?:the |its |his |her |their )(?P<field>[a-z][a-z -]{0,40}?) (?:to|until) "
    r"(?P<value>⟦\d+⟧|[£$€]?\d\S*(?: \S+){0,2})$"
)


#: "Reply with 'x'", "Comment 'x' on the topic"
_REPLIED = re.compile(
    r"(?:(?:to|on) (?:it|the [a-z]+) )?(?:with |by writing |by saying )?(?P<value>⟦\d+⟧)"
    r"(?: (?:on|to|under|below) .{1,60})?$"
)
#: "Leave a comment saying 'x'"
_LEFT = re.compile(
    r"(?:the|an?|your|my) (?:short |new )?(?:comment|reply|message|answer|note|response)"
    r"(?:,? (?:saying|that says|reading|with the (?:text|words|message)|text))?:? "
    r"(?P<value>⟦\d+⟧)(?: (?:on|to|under|in|below) .{1,60})?$",
    re.I,
)
_REPLYING = frozenset({"reply", "answer", "comment", "respond", "post"})
_LEAVING = frozenset({"leave", "post", "send", "make"})


def _read_said(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read what is said to somebody: entered into the only field for it, and sent."""
    match = _REPLIED.match(rest) if verb in _REPLYING else None
    match = match or (_LEFT.match(rest) if verb in _LEAVING else None)
    if match is None:
        return ()
    value = clause.unmask(match["value"])
    say = Intent(verb="say", value=value, said=verb, quoted=True)
    return (say, Intent(verb="finish", words=verb))


def read_change(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Return what an act changes; empty if it has none of these forms."""
    if verb == "rename":
        return _read_renamed(clause, rest)
    if rewritten := _read_rewritten(clause, verb, rest):
        return rewritten
    if verb == "switch" and (match := _SWITCHED.match(rest)):
        words, value = clause.unmask(match["thing"]), clause.unmask(match["new"])
        return (Intent(verb="select", words=words, value=value, quoted=is_mark(match["new"])),)
    if named := read_naming(clause, verb, rest):
        return named
    if verb in FREE.appointing and (match := _APPOINTED.match(rest)):
        return (_entry(clause, match["field"], match["value"]),)
    if verb == "make" and (match := _MADE.match(rest)):
        return (_entry(clause, match["field"], match["value"]),)
    if verb in FREE.moving and (match := _MOVED.match(rest)):
        return (_entry(clause, match["field"], match["value"]),)
    if said := _read_said(clause, verb, rest):
        return said
    return _read_given(clause, rest) if verb == "give" else _read_described(clause, verb, rest)


#: "Describe it as 'broken'": the field is called by the noun
_DESCRIBED = re.compile(rf"(?:it|this|them|the [a-z]+)(?: (?:as|with|by))? (?P<value>{_VALUE})$")
#: "Switch the display to Source"
_SWITCHED = re.compile(
    r"(?:the |its )(?P<thing>[a-z][a-z -]{0,40}?) to "
    r"(?P<new>⟦\d+⟧|(?!the\b)[\w-]+(?: [\w-]+){0,2})$"
)
#: "Edit the new comment so that it says 'x'"
_REWRITTEN = re.compile(
    r"(?P<thing>\S.{0,60}?),? (?:so that (?:it|this)|to make it|and make it) "
    r"(?:now )?(?:says?|reads?|contains?|is) (?P<value>⟦\d+⟧)(?: (?:instead|now))?$"
)
_EDITING = frozenset({"edit", "change", "correct", "update", "alter", "amend", "modify", "revise"})


#: "so that it says 'x'" is what is entered, and no purpose.
SAYS_THEN = re.compile(r"\bso that (?:it|this) (?:now )?(?:says|reads|contains|is) ⟦")


def _read_rewritten(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read what a text is to say: it is opened to be edited, rewritten and sent."""
    match = _REWRITTEN.match(rest) if verb in _EDITING else None
    if match is None:
        return ()
    value = clause.unmask(match["value"])
    return (
        Intent(verb="click", words=clause.unmask(match["thing"]), said="edit"),
        Intent(verb="fill", words="the whole text", value=value, said="enter", quoted=True),
        Intent(verb="finish", words="edit"),
    )


def _read_described(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    match = _DESCRIBED.match(rest) if verb == "describe" else None
    return (_entry(clause, "description", match["value"]),) if match else ()


def _read_renamed(clause: Clause, rest: str) -> tuple[Intent, ...]:
    """Read what something is to be called: its field is 'Name', or 'Name of the hall'."""
    match = _RENAMED.match(rest)
    if match is None:
        return ()
    thing = match["thing"]
    named = re.fullmatch(_NAME, thing) is not None
    words = "name" if named or thing in ("it", "this", "that") else f"name of {thing}"
    old = clause.unmask(thing) if named else ""
    entry = _entry(clause, words, match["name"])
    return (entry.model_copy(update={"verb": "rename", "old": old}),)


def _read_given(clause: Clause, rest: str) -> tuple[Intent, ...]:
    given = _GIVEN.match(rest)
    match = _ENTRY.match(given["rest"]) if given else None
    if given is None or match is None:
        return ()
    field = match["field"] or match["unit"] or match["behind"]
    value = match["value"] or match["number"] or match["first"]
    entry = _entry(clause, field, value)
    named = re.fullmatch(_NAME, given["to"]) is not None
    context = f"for {clause.unmask(given['to'])}" if named else ""
    return (entry.model_copy(update={"context": context}),)


def _entry(clause: Clause, field: str, value: str) -> Intent:
    words, text = clause.unmask(field), clause.unmask(value)
    return Intent(verb="fill", words=words, value=text, said="set", quoted=is_mark(value))


#: "Check in Nina Roth", "Check the parcel out": no box is ticked, but a button 'Check in' pressed
_CHECKED = re.compile(
    rf"(?:(?P<before>in|out) (?P<thing>{_NAME}|the \S.{{1,40}})"
    rf"|(?P<other>{_NAME}|the \S.{{1,40}}?) (?P<behind>in|out))$"
)


def read_checked_in(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read who or what is checked in or out: the button of this name that belongs to it."""
    match = _CHECKED.match(rest) if verb == "check" else None
    if match is None:
        return ()
    side, thing = match["before"] or match["behind"], match["thing"] or match["other"]
    return (
        Intent(verb="click", words=f"check {side}", context=f"for {clause.unmask(thing)}",
               said="press"),
    )  # fmt: skip


_EMPTYING = frozenset({*FREE.acts["clear"], "delete", "remove", "wipe"})
#: "Delete what is in the notes"
_HELD = re.compile(
    r"(?:what(?:ever)? is|everything|anything|(?:all )?the (?:text|contents?|value|entry)) "
    r"(?:written )?(?:in|of|from) (?P<field>(?:the |its )?\S.{0,60})$",
    re.I,
)


def read_emptied(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read which field is emptied without being called a field."""
    match = _HELD.match(rest) if verb in _EMPTYING else None
    return (Intent(verb="clear", words=clause.unmask(match["field"])),) if match else ()
