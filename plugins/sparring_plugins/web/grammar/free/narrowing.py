"""Acts that leave only some of a list: "Show only the unpaid orders", "Narrow it down to paid"."""

import re

from sparring_plugins.web.grammar.free.intent import Intent
from sparring_plugins.web.grammar.free.sentences import Clause
from sparring_plugins.web.grammar.free.words import FREE

_SHOWING = frozenset({"show", "display", "list", "view", "see"})
# "show only the open ones".
_ONLY = re.compile(r"(?:only|just) (?:the |those )?(?P<what>\S.{0,60})$", re.I)
# "narrow the list down to open orders".
_DOWN_TO = re.compile(
    r"(?:(?:the|this|your) [a-z]+(?: [a-z]+)?|it|them|results|down)?(?:^| )(?:down )?"
    r"(?:on|by|to|for) (?:only |just )?(?:the )?(?P<what>[a-z][a-z -]{1,60})$"
)
#: "narrow the grade down to High", but not "the list down to Oslo"
_FIELD_TO = re.compile(
    rf"(?:the|its) (?!(?:{'|'.join(sorted(FREE.tables | FREE.rows))})s?\b)"
    r"(?P<field>[a-z]+(?: (?!down\b)[a-z]+)?) (?:down )?to (?:only |just )?"
    r"(?P<value>⟦\d+⟧|(?-i:[A-Z])[\w-]*)",
    re.I,
)
#: "that are still open", "with the status open"
_RELATIVE = re.compile(r"^(?:those|the ones|ones|everything) (?:that|which|who) (?:is|are) ", re.I)


def read_narrowed(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Return what is to be left of a list; a value in quotes or with "=" is a filter of its own."""
    if verb in FREE.acts["filter"] and (field := _FIELD_TO.fullmatch(rest)):
        words, value = map(clause.unmask, field.group("field", "value"))
        return (Intent(verb="filter", words=words, value=value, said=verb),)
    match = _ONLY.match(rest) if verb in _SHOWING else None
    if match is None and verb in FREE.acts["filter"]:
        match = _DOWN_TO.match(rest)
    if match is None or re.search(r"[=:]|⟦\d+⟧ .*⟦", match["what"]):
        return ()
    what = _RELATIVE.sub("", match["what"])
    return (Intent(verb="narrow", words=clause.unmask(what), said=verb),)
