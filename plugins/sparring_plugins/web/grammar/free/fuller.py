"""Checks that leave something out, said in full: "A has three books and B two", "A stays"."""

import re

from sparring_plugins.web.grammar.free.words import FREE, LIST_JOINT

_NUMBER = r"(?:\d+|no|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_NAME = r"(?:⟦\d+⟧|[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,4})"
#: "five messages by now": when it is so says nothing about what is seen
_WHEN = re.compile(
    r"(?<=\w) (?:by now|by then|at the moment|for now|right now|at this point|from now on|yet)$",
    re.I,
)
# "the draft stays in place while …" states that it is still there.
_STAYS = re.compile(
    rf"(?P<name>{_NAME}) (?:(?:should |must )?(?:stays?|remains?)|still (?:is|are|stands?|exists?))"
    r"(?: there| in place| on the (?:page|list))?(?=$|,? (?:while|and|but) )"
)
# "the old title is back" states that it is there again.
_BACK = re.compile(r"(?<=[\w⟧]) (is|are|(?:should|must) be) (?:now )?back(?: again)?$", re.I)
#: "The price is 5 instead of 3": what it is, is said in front
_INSTEAD = re.compile(
    r"(?<=[\w⟧]),? (?:instead|rather than|and no longer)(?: of)? [^,]{1,60}$", re.I
)
#: "The country shown is Spain": of what is on the page all is shown
_SHOWN = re.compile(
    r"^((?:that )?(?:the|its) [a-z]+(?: [a-z]+)?) (?:shown|displayed|given|stated|printed)"
    r"(?= (?:is|are|should be|must be) )",
    re.I,
)
#: "Four people are in the list of members": the list says what they are
_IN_LIST_OF = re.compile(
    rf"^(?P<number>{_NUMBER}) (?:people|persons|entries|items|things|names|rows|lines|ones) are"
    r" (?:now |still )?(?:in|on) the (?:list|table) of (?P<noun>[a-z]+)$",
    re.I,
)
#: "The result is the boat 'Oak'": it is listed, whatever it is called there
_RESULT_IS = re.compile(
    r"^(?:that )?the (?:only )?(?:result|hit|match)(?: found)? is (?:(?:the|a|an) [a-z]+ )?"
    r"(?P<name>⟦\d+⟧)$",
    re.I,
)
#: "The total went down to 5", "The heading changed to 'Oak'": what it is now
_BECAME = re.compile(
    rf"(?<=[\w⟧]) (?:has |have |is |are )?(?:now )?(?:{'|'.join(sorted(FREE.becoming))})"
    r"(?: (?:up|down|back))? to (?:be )?(?=⟦\d+⟧|[£$€]?\d|only \d)",
    re.I,
)
#: "All four boats are listed" counts them
_ALL_OF = re.compile(rf"^((?:that )?)all (?=(?:of the )?{_NUMBER} [a-z])(?:of the )?", re.I)
#: "Check for a message that Oak was saved"
_EXPECT = re.compile(
    r"^(?:(?:i|we) (?:now |then )?(?:expect|want|get|see|should (?:see|get)) )?(?:an? |the )"
    r"(?:[a-z]+ )?(?P<kind>message|error|warning|notice|notification|confirmation)"
    r"(?: message)? (?:that|saying(?: that)?) (?P<said>.+)$",
    re.I,
)
#: "There is nothing in the basket", "The basket contains nothing"
_NOTHING_IN = re.compile(
    r"^(?P<lead>(?:that )?)(?:there is nothing (?:left )?in (?:the |my |your )(?=[^,;]*$)"
    r"|nothing is (?:left )?in (?:the |my |your )(?=[^,;]*$))(?P<place>[a-z][a-z -]{1,30})$",
    re.I,
)
# "a red message" is a message: what is red is not read.
_LOOKING = re.compile(
    r"\b(?:green|red|yellow|blue|orange|grey|short|small|big)"
    r" (?=(?:message|error|warning|notice|notification|banner|box)\b)",
    re.I,
)


def say_in_full(text: str) -> str:
    """Return a check in the plainest words for the same, with what it leaves out."""
    text = _LOOKING.sub("", _WHEN.sub("", text))
    text = _EXPECT.sub(r"the \g<kind> says that \g<said>", text)
    text = _BECAME.sub(" is now ", _ALL_OF.sub(r"\1", text))
    text = _RESULT_IS.sub(r"\g<name> is listed", _SHOWN.sub(r"\1", text))
    text = _NOTHING_IN.sub(r"\g<lead>the \g<place> is empty", text)
    text = _IN_LIST_OF.sub(r"there are \g<number> \g<noun>", text)
    text = _BACK.sub(r" \1 displayed", text)
    text = _INSTEAD.sub("", text)
    return _STAYS.sub(r"\g<name> is displayed", text)


_BUT_NO = re.compile(
    rf"^(?P<first>(?P<names>{_NAME}(?:(?:, (?:and )?| and ){_NAME})*) (?:is|are) (?:now |also )?"
    r"(?P<state>offered|listed|shown|displayed|there|available|visible))"
    rf",? (?:but|and) no (?P<other>{_NAME})(?: (?:is|are))?$"
)
# "Mia and Tom have 2 books each".
_EACH = re.compile(
    rf"^(?:that )?(?P<names>{_NAME}(?:(?:, (?:and )?| and ){_NAME})+) (?:have|has|own|contain) "
    rf"(?P<number>{_NUMBER}) (?P<noun>[a-z]+) each"
    rf"(?:,? and (?P<last>{_NAME}) (?P<other>{_NUMBER}))?$"
)
# "Mia has 2 books and Tom 3": the second leaves verb and noun out.
_ONE_MORE = re.compile(
    rf"^(?:that )?(?P<first>{_NAME}) (?P<verb>has|counts|shows|holds) (?P<number>{_NUMBER})"
    rf" (?P<noun>[a-z]+),? and (?P<last>{_NAME}) (?P<other>{_NUMBER})$"
)


def split_in_full(text: str) -> list[str]:
    """Return the statements of "A and B are offered, but no C" and of "A and B have two rows each".

    Empty for a text of no such form.
    """
    if both := _BOTH_SO.match(text):
        return [both["count"], f"{both['all']} of them are {both['state']}"]
    if first := _FIRST_BEING.match(text):
        return [f"there are {first['count']}", f"the {first['place']} is {first['name']}"]
    if without := _BUT_NO.match(text):
        # names that stand side by side are all meant as the page writes them
        return [without["first"], f"there is no {without['other']} {without['state']}"]
    if each := _EACH.match(text):
        counts = [f"{name} has {each['number']} {each['noun']}" for name in _names(each["names"])]
        more = [f"{each['last']} has {each['other']} {each['noun']}"] if each["last"] else []
        return [*counts, *more]
    if entry := _ENTRY.match(text):
        verb = "has " if entry["with"] else "is "
        return [f"{entry['name']} is listed", f"{entry['name']} {verb}{entry['rest']}"]
    if new := _NEW_AND.match(text):
        return [f"{new['shows']} {part}" for part in (new["new"], new["rest"])]
    if both := _ONE_MORE.match(text):
        noun = both["noun"]
        return [
            f"{both['first']} has {both['number']} {noun}",
            f"{both['last']} has {both['other']} {noun}",
        ]
    return []


#: "Two halls are listed, both free": each of those that are counted is so
_BOTH_SO = re.compile(
    r"^(?P<count>[^,]+ (?:is|are) [^,]+), (?P<all>both|all|none)(?: of (?:them|these))?"
    r" (?:are |is )?(?P<state>[a-z]+(?: [a-z]+)?)$",
    re.I,
)
#: "3 hits, the first being Oak"
_FIRST_BEING = re.compile(
    r"^(?:there are )?(?P<count>\w+ [a-z]+), the (?P<place>first|last)(?: (?:one|of them))? being"
    r" (?P<name>.+)$",
    re.I,
)
_NEW_AND = re.compile(
    r"^(?P<shows>(?:that )?(?:the|this|a) (?:[a-z]+ ){1,3}"
    r"(?:shows?|displays?|has|contains?|lists?))"
    r" (?P<new>the new [a-z]+) and (?P<rest>\S.*)$",
    re.I,
)


#: "The list has a loan 'Oak' taken by Ida", "There is an entry 'Oak' with the state Open"
_ENTRY = re.compile(
    r"^(?:that )?(?:there is|(?:the )?(?:[a-z]+ )?(?:list|table|page|overview|results?|grid) "
    r"(?:now |also )?(?:contains?|has|have|shows?|lists?|includes?)) (?:now )?"
    r"(?:an?|the|one) (?:new )?(?!(?:button|link|field|message|tab|checkbox|icon|heading)\b)"
    r"[a-z]+ (?:called |named |titled )?(?P<name>⟦\d+⟧),? "
    r"(?:(?P<with>with )|which is |that is "
    r"|(?=[a-z]+(?:ed|en|id|de|ld|ught) (?:by|to|for|in|on|at|as)\b))"
    r"(?P<rest>(?!text\b)\S.*)$",
    re.I,
)


def _names(text: str) -> list[str]:
    return [name for name in LIST_JOINT.split(text) if name]
