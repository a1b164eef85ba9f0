"""Forms of acts that testers use without naming a verb, a field or a control exactly."""

import re
from collections.abc import Callable

from sparring_plugins.web.grammar.free.intent import Intent, Verb
from sparring_plugins.web.grammar.free.sentences import Clause, is_mark
from sparring_plugins.web.grammar.free.words import FREE, LIST_JOINT, content, split_words
from sparring_plugins.web.grammar.phrases.numbers import read_key


def read_verbless(clause: Clause, text: str) -> tuple[Intent, ...]:
    """Read "Name Ida, city Oslo, code 4711": fields with their values, and no verb at all."""
    parts = LIST_JOINT.split(text)
    pairs = [_FIELD_AND_VALUE.fullmatch(part.strip()) for part in parts]
    found = [pair for pair in pairs if pair]
    if clause.kind != "act" or len(found) < 2 or len(found) != len(parts):
        return ()
    return tuple(
        Intent(
            verb="fill",
            words=pair["field"].lower(),
            value=clause.unmask(pair["value"]),
            said="enter",
            quoted=is_mark(pair["value"]),
        )
        for pair in found
    )


# "name Mia, age: 7".
_FIELD_AND_VALUE = re.compile(
    r"(?:the |and )?(?P<field>[A-Za-z][a-z-]*(?: [a-z-]+)?):? (?P<value>⟦\d+⟧|[\w@.+-]+)"
)


#: "Type this into the query box: select 1": what stands behind the colon is typed as it is.
_BEHIND_COLON = re.compile(
    r"(?:(?:this|that|the following)(?: [a-z]+)? )?(?:into|in|to|as|for) "
    r"(?:the |its |your )?(?P<field>[^:⟦]{1,60}): (?P<value>\S.*)$",
    re.I | re.S,
)


def read_behind_colon(clause: Clause, verb: str, rest: str, *, enters: bool) -> tuple[Intent, ...]:
    """Read "Type this into the note box: buy 3 oaks"; `enters` says whether the verb enters."""
    match = _BEHIND_COLON.match(rest) if enters else None
    if match is None:
        return ()
    words, value = clause.unmask(match["field"]), clause.unmask(match["value"])
    return (Intent(verb="fill", words=words, value=value, quoted=True),)


def read_naming(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read "Call it Oak": the field for the name of what is being made."""
    match = re.match(r"(?:it|this|that) (\S.*)$", rest) if verb in ("call", "name") else None
    if match is None:
        return ()
    return (Intent(verb="name", value=clause.unmask(match[1]), quoted=is_mark(match[1])),)


#: "a wrong password like 'x'": what a value is like is no part of its field's name.
_EXAMPLE = re.compile(
    r"(?:(?:the|an?|some|any|your|his|her) )?(?:(?:wrong|incorrect|invalid|bad|false|valid|correct"
    r"|right|new|unknown|different|random|long|short) )?(?P<field>[a-z][a-z -]{1,40}?)"
    r"(?: like|,? such as|,? for example|,? e\.g\.),? (?P<value>⟦\d+⟧|\S+)$",
    re.I,
)


def without_example(part: str) -> str:
    """Return "the password 'x'" for "a wrong password like 'x'"."""
    match = _EXAMPLE.match(part)
    return f"the {match['field']} {match['value']}" if match else part


def name_user(entries: tuple[Intent, ...]) -> tuple[Intent, ...]:
    """Return "tom and the password x" with the user before the password, who has no label."""
    secret = [set(split_words(entry.words)) & FREE.secrets for entry in entries]
    if len(entries) != 2 or not secret[1] or entries[0].words:
        return entries
    return (
        entries[0].model_copy(update={"verb": "user"}),
        entries[1].model_copy(update={"verb": "password"}),
    )


_NAMED_THING = re.compile(
    # "the 'Tools' menu", "the topic 'Rules' from the start page", but not "the menu of 'Oak'"
    r"(?:the |an? |your )?(?:[a-z][\w-]* ){0,2}(?:(?:called|named|titled) )?⟦\d+⟧"
    r"(?: (?:menu|tab|section|link|panel|list|dropdown|page))?"
    r"(?: (?:from|in|on|at|under) (?:the |its )?[a-z][a-z -]{0,40})?$"
)
_PLACING = re.compile(r"\b(?:of|for|in|on|at|from|with|beside|behind|under|above|below) ⟦")


def names_thing(rest: str, base: Verb) -> bool:
    """Return whether what is opened has the quoted name: "the 'Tools' menu"."""
    return base == "open" and bool(_NAMED_THING.match(rest)) and not _PLACING.search(rest)


# "search using the magnifier icon".
_BY_NAMED = re.compile(
    r"(?<!\s)\s+(?:using|via|by means of|with) (?:the )?(?!(?:the|an?|its|this|that) )"
    r"(⟦\d+⟧|[\w-]+(?: [\w-]+){0,3}) (?:button|link|icon)"
    r"(?P<place>(?: (?:above|below|beside|next to|in|at|on|under) .{1,40})?)$"
)
# "search the catalogue for lamps", "search again for lamps".
_SEARCHED = re.compile(
    r"^(?:(?:in )?(?:the|this|all|our) [a-z][a-z -]{1,40}|again|once more),?"
    r"(?: this time| now)? for ",
    re.I,
)
# "open File > Export > PDF": one entry after the other.
_PATH = re.compile(r"(?<!\s)\s+(?:>|→|›|»|->)\s+(?=\S)")


def strip_searched(verb: str, rest: str) -> str:
    """Return "twine" of "Search the shop for twine" and "Search again, this time for twine"."""
    rest = _BY_FIELD.sub("", rest)
    return _SEARCHED.sub("", rest) if verb == "search" else rest


#: "Search for 'twine' using the box at the top": neither the field nor the icon is a part of it
_BY_FIELD = re.compile(
    r",?(?<!\s)\s+(?:using|with|in|into|via|through|by means of) (?:the|its|this) (?:[a-z]+ ){0,2}"
    r"(?:box|field|bar|input|form|search|icon|symbol|button|magnifier|magnifying glass)"
    r"(?: (?:at|in|on|of|above|below|beside|next to) (?:the )?[a-z ]{1,40})?$",
    re.I,
)


#: "the folder oak in the left panel and the folder elm in the right one"
_TWO_PLACES = re.compile(
    r"(?P<a>(?:the )?[^,]{1,60}?) (?P<first>in the [a-z]+ [a-z]+)(?:,| and) "
    r"(?P<b>(?:the )?[^,]{1,60}?) (?P<second>in the [a-z]+ (?:one|[a-z]+))"
)
#: "a guide under Snippets > Guides": what is made, and the way to where it is.
_MADE_AT = re.compile(
    r"(?:an?|another|one more) (?:new )?(?P<thing>[a-z][a-z -]{1,30}?)"
    r" (?:under|in|below|at|via|through) (?P<way>\S.*)"
)


def _read_making_at(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read "Add a guide under Snippets > Guides": the way there, and the form for a new one."""
    match = _MADE_AT.fullmatch(rest) if verb in FREE.making or verb == "add" else None
    parts = [part for part in _PATH.split(match["way"]) if part] if match else []
    if match is None or len(parts) < 2:
        return ()
    way = [Intent(verb="open", words=clause.unmask(part), said="open") for part in parts]
    return (*way, Intent(verb="form", words=clause.unmask(match["thing"])))


def read_path(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read "Open Tools > Import", part by part, and "Sort the boats using the A-Z button"."""
    if way := _read_making_at(clause, verb, rest):
        return way
    if both := _TWO_PLACES.fullmatch(rest) if verb in FREE.opening else None:
        # "... in the right one" is of the same kind as the first
        kind = both["first"].split()[-1]
        places = (both["first"], re.sub(r"\bone$", kind, both["second"]))
        things = zip(both.group("a", "b"), places, strict=True)
        return tuple(Intent(verb="open", words=clause.unmask(f"{t} {p}")) for t, p in things)
    parts = [part for part in _PATH.split(rest) if part]
    if len(parts) > 1 and (verb in FREE.going or verb in FREE.opening):
        return tuple(Intent(verb="open", words=clause.unmask(part)) for part in parts)
    if named := _BY_NAMED.search(rest):
        place = clause.unmask(named["place"])
        return (Intent(verb="click", words=clause.unmask(named[1]), context=place, said="click"),)
    return ()


_ANSWER = re.compile(r"(?:with )?(⟦\d+⟧|OK|Yes|No|Cancel|yes|no|ok|[A-Z]\w+)$")


def read_answer(verb: str, rest: str) -> tuple[str, str]:
    """Return "press Cancel" for "Answer Cancel", and "exclude the news" for "Opt out of the news".

    A dialog that the page draws has a button for the answer.
    """
    if verb == "opt" and rest.startswith("out of "):
        return "exclude", rest.removeprefix("out of ")  # and ticks no box
    answer = _ANSWER.match(rest) if verb == "answer" else None
    return ("press", answer[1]) if answer else (verb, rest)


#: "Close the viewer with Escape", "Leave it by pressing the Delete key": how something is done.
_BY_KEY = re.compile(
    r"(?<!\s)\s+(?:with|via|using|through|by)"
    r"(?P<presses> (?:press|hitt|push|tapp)ing| using)?"
    r" (?:the )?(?P<key>\S+(?: arrow)?)(?P<noun> (?:key|button))?$",
    re.I,
)
#: Keys that no control of a page is called like.
_SURE_KEYS = re.compile(r"Escape|Enter|Tab|F\d{1,2}")


def read_key_as_means(rest: str) -> str:
    """Return the key in "Close the viewer with Escape", which no button is called."""
    match = _BY_KEY.search(rest)
    key = read_key(match["key"].lower()) if match else None
    if match is None or not key:
        return ""
    says_key = bool(match["presses"]) or (match["noun"] or "").strip().lower() == "key"
    return key if says_key or _SURE_KEYS.fullmatch(key) else ""


_TIMES = {"twice": "2", "thrice": "3"}
_MOST_TIMES = 20


#: "Delete it, confirm if asked": a dialog may ask, and is confirmed then.
_IF_ASKED = re.compile(
    r",?(?<!\s)\s+(?:and |then |and then )?(?:confirm|accept|agree|answer yes|say yes)"
    r"(?: (?:it|this|that|the [a-z]+))?,? (?:if|when|in case|should|where) [a-z' ]{0,30}?"
    r"(?:asked|asks|prompted|needed|necessary|required|appears|opens|comes up|pops up)"
    r"(?: to| for it)?$",
    re.I,
)


def split_if_asked(rest: str) -> tuple[str, tuple[Intent, ...]]:
    """Return what is to be done, and the confirmation that a page may ask for, if it is said."""
    match = _IF_ASKED.search(rest)
    if match is None:
        return rest, ()
    confirm = Intent(verb="click", words="the question", said="confirm", optional=True)
    return rest[: match.start()], (confirm,)


def read_times(rest: str) -> int:
    """Read "three more times", "twice"; once if nothing is said."""
    match = re.search(r"\b(twice|thrice)$|\b(\w+) (?:more )?times$", rest.lower())
    if match is None:
        return 1
    digits = _TIMES[match[1]] if match[1] else FREE.numbers.get(match[2], match[2])
    times = int(digits) if digits.isdigit() else 1
    return times if 1 <= times <= _MOST_TIMES else 1


def read_upload(clause: Clause, verb: str, rest: str, *, chooses: bool) -> tuple[Intent, ...]:
    """Read the file that is attached: "Choose the file a.txt"; `chooses` says that it may be."""
    file = re.search(r"(⟦\d+⟧|(?<!\S)\S+\.\w{2,5})", rest)
    has_name = re.search(r"(?<!\S)\S+\.\w{2,5}\b|⟦", rest) is not None
    is_file = chooses and has_name and re.search(r"\bfiles?\b", rest) is not None
    if file is None or not (verb in FREE.acts["upload"] or is_file):
        return ()
    return (Intent(verb="upload", value=clause.unmask(file[1])),)


#: "Choose to pay by card with the name Ida Falk", "Choose 'sell as' with the state used"
_CHOICE = re.compile(
    r"(?:to (?P<deed>[a-z]\w+ .{1,80}?)|(?P<name>⟦\d+⟧))(?:,? with (?P<more>the .+))?$", re.I
)


def read_choice(
    clause: Clause, rest: str, read_entry: Callable[[str], Intent | None]
) -> tuple[Intent, ...]:
    """Read what is chosen, and what is entered beside it; a name alone is left to others."""
    match = _CHOICE.match(rest)
    if match is None or (match["name"] and not match["more"]):
        return ()
    thing = clause.unmask(match["deed"] or match["name"])
    click = Intent(verb="click", words=thing, said="choose", quoted=bool(match["name"]))
    entry = read_entry(match["more"]) if match["more"] else None
    if entry is None and match["more"]:
        # "the state used": of more words nobody knows where the value begins
        words = match["more"].removeprefix("the ").split()
        if len(words) != 2:
            return ()
        entry = Intent(verb="select", words=words[0], value=words[1])
    return (click, entry.model_copy(update={"said": "enter"})) if entry else (click,)


#: "by price", "the titles alphabetically"
_SORTED_BY = re.compile(
    r"\bby\s+(.+)$|^(?:the )?([a-z]+) (?:alphabetically|in alphabetical order|from A to Z)$", re.I
)


def read_sorting(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read what a list is sorted by."""
    match = _SORTED_BY.search(without_way(rest)) if verb in FREE.acts["sort"] else None
    if match is None:
        turns = verb in FREE.acts["sort"] and _ONLY_TURNED.fullmatch(rest)
        return (Intent(verb="sort", old="reversed"),) if turns else ()
    words = match[1] or f"{match[2]}, ascending"
    turned = _TURNED_ROUND.search(words)
    old = "reversed" if turned else ""
    words = _TURNED_ROUND.sub("", words)
    return (Intent(verb="sort", words=clause.unmask(words), old=old),)


#: "with a click on its heading", "with the bin in its row": how it is done, not what
_WAY = re.compile(
    r",?(?<!\s)\s+(?:with|by|through|via) (?:(?:a |one |another )?(?:single )?click(?:ing)?"
    r" (?:on|in) (?:the|its) [a-z][a-z ]{0,40}"
    r"|(?:the|its) (?:(?:little|small|tiny|round) )?(?:[a-z]+ )?(?:icon|button|symbol|sign|arrow"
    r"|link|cross|bin|pencil) (?:in|at|beside|next to|behind|on|of) (?:it|its (?:row|line|card)"
    r"|the (?:row|line|card)))$",
    re.I,
)


def without_way(rest: str) -> str:
    """Return what is acted upon, without the click or the icon that does it."""
    return _WAY.sub("", rest)


#: "by price the other way round": against the order in which the list is now
_TURNED_ROUND = re.compile(
    r",?(?<!\s)\s+(?:the other way (?:round|around)|the other way|in (?:the )?reverse(?: order)?"
    r"|in the opposite (?:order|direction)|backwards)$",
    re.I,
)


#: "Sort the list the other way round": by what it is sorted already
_ONLY_TURNED = re.compile(
    r"(?:(?:it|them|the [a-z]+) )?(?:the other way (?:round|around)|the other way"
    r"|in (?:the )?reverse(?: order)?|in the opposite (?:order|direction)|backwards)",
    re.I,
)


_BASES: dict[str, Verb] = {"hover": "hover", "point": "hover", "close": "close", "dismiss": "close"}


def base_of(verb: str, words: str) -> Verb:
    """Return the verb of an intent for one that is written."""
    if verb in _BASES:
        return _BASES[verb]
    if verb in FREE.opening:
        return "open"
    return "submit" if verb in FREE.submitters and len(content(words)) <= 3 else "click"
