"""Sentences that look for something before they act: "Switch between the tabs to find and click".

How a thing is reached is left to the one who looks: the words for it ("between the tabs") are taken
out of the instruction, and the step may look in folded parts and on other tabs.
"""

import re

from sparring_plugins.web.grammar.free.sentences import mask, restore_quotes

_FIND = r"(?:find|locate|look for|discover|spot)"
#: "Switch between the tabs to find and click on X": a hint how X is reached, and no act.
_WAY = re.compile(
    r"^(?:(?:please )?(?:switch|go|look|browse|search|scroll|click|page|step|navigate)"
    r" (?:between|through|around in|in|within|around)|expand|open|unfold|browse|search|navigate)"
    r" (?:(?:all |each of |some of )?(?:the|these|those) )(?:[a-z]+ ){0,2}?"
    r"(?:tabs?|sections?|tree|trees|pages?|panels?|folders?|nodes?|menus?|lists?|accordions?|headings)"
    r"(?: (?:below|above|here))?(?:,? (?:to|and|until you)|[.,;]| in order to) "
    rf"(?={_FIND} )",
    re.I,
)
# "find the lamp and open it": looking for it is part of opening it.
_FIND_AND = re.compile(
    rf"(?P<joint>^|[,.;] |\band |\bthen |\bto ){_FIND} (?:and|then) (?=[a-z]+ )", re.I
)


def drop_seeking(sentence: str) -> str:
    """Return a sentence without the looking that comes before an act on the same thing.

    "Expand the sections below, to find and click on the link 'X'" is "click on the link 'X'".
    """
    text, quotes = mask(sentence.strip())
    shorter = _FIND_AND.sub(lambda match: _joint(match["joint"]), _WAY.sub("", text))
    if not shorter or shorter == text:
        return sentence
    return restore_quotes(shorter[:1].upper() + shorter[1:], quotes)


def _joint(joint: str) -> str:
    return "" if joint.lower() == "to " else joint


def seeks(sentence: str) -> bool:
    """Return whether a sentence says that what it acts on has to be looked for."""
    return drop_seeking(sentence) != sentence
