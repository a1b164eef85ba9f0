"""What a clause that acts wants done: intents, which any page may or may not have something for."""

import re
from functools import partial

from sparring_plugins.web.grammar.free.changes import (
    SAYS_THEN,
    read_change,
    read_checked_in,
    read_emptied,
)
from sparring_plugins.web.grammar.free.intent import Intent as Intent
from sparring_plugins.web.grammar.free.intent import Verb as Verb
from sparring_plugins.web.grammar.free.logins import names_both, read_credentials
from sparring_plugins.web.grammar.free.loose_forms import (
    base_of,
    name_user,
    names_thing,
    read_answer,
    read_behind_colon,
    read_choice,
    read_key_as_means,
    read_path,
    read_sorting,
    read_times,
    read_upload,
    read_verbless,
    split_if_asked,
    strip_searched,
    without_example,
    without_way,
)
from sparring_plugins.web.grammar.free.makings import Field, read_making, read_new_form
from sparring_plugins.web.grammar.free.narrowing import read_narrowed
from sparring_plugins.web.grammar.free.page_numbers import AHEAD, read_page
from sparring_plugins.web.grammar.free.rewordings import reword
from sparring_plugins.web.grammar.free.sentences import (
    SURE,
    Clause,
    begins_acting,
    is_mark,
    place_in_front,
)
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    VERBS,
    begins_with,
    split_words,
)
from sparring_plugins.web.grammar.phrases.numbers import read_key

_FIELD_FIRST = FREE.changing - {"edit", "switch"} | {"fill", "give", "fill in"}
_ENTERING = frozenset(FREE.acts["fill"]) | {"fill in", "fill out", "key in", "type in", "set",
             "change", "update", "add", "edit", "put in", "replace", "adjust"}  # fmt: skip
_CHOOSING = frozenset(FREE.acts["select"]) | {"tick", "check"}
# Looks for the digit or the @ ahead: `\S*\d\S*` would try each digit of a long number.
_LITERAL = r"(?:⟦\d+⟧|(?=[^\s\d]*\d|\S[^\s@]*@\S)\S+)"
_ARTICLE = r"(?:the |a |an |its |his |her |their |your |my )?"


def read_intents(clause: Clause) -> tuple[Intent, ...]:
    """Return what a clause wants done, in order; empty if it is no instruction."""
    clause = reword(clause, "acts")
    bare, if_asked = split_if_asked(f" {clause.text}")
    return (*(_read_all(clause) if bare.strip() else ()), *if_asked)


def _read_all(clause: Clause) -> tuple[Intent, ...]:
    text, place = place_in_front(clause.text)
    verb = begins_acting(text)
    if not verb:
        return read_verbless(clause, text)
    rest = _WHICH_IS.sub(" ", _TRAILING.sub("", text[len(verb) :].strip(" ,")))
    rest, _ = split_if_asked(rest)
    rest = _NOT_THAT.sub("", without_way(rest))
    rest = rest if SAYS_THEN.search(rest) else _SO_THAT.sub("", rest)
    confirms = _CONFIRMING.search(rest)
    rest = _WITHOUT.sub("", _CONFIRMING.sub("", rest))
    if verb in FREE.submitters and verb not in FREE.making:
        rest = _SENT_WITHOUT.sub("", rest)
    verb, rest = _read_meant(verb, rest)
    context = clause.unmask(place)
    intents = _read_special(clause, verb, rest, text) or _read_new_form(clause, verb, rest)
    intents = intents or _read_making(clause, verb, rest)
    intents = intents or _read_entries(clause, verb, rest)
    intents = intents or _read_plain(clause, verb, rest)
    if confirms and intents:
        intents = (*intents, Intent(verb="click", said="confirm"))
    times = read_times(rest)
    return tuple(
        intent.model_copy(
            update={
                "context": f"{context} {intent.context}".strip(),
                "said": intent.said or verb,
                "times": times,
            }
        )
        for intent in intents
    )


def _read_meant(verb: str, rest: str) -> tuple[str, str]:
    """Return the verb and what it is done to, without the purpose and the way to do it."""
    if only := _ONLY_PURPOSE.match(rest):  # "the button to log out" is called so
        rest = only[1]
    rest = _PURPOSE.sub("", rest) or rest
    verb, rest = read_answer(verb, "" if verb == "confirm" and SURE.match(rest) else rest)
    if verb in FREE.submitters and (by := _BY_BUTTON.match(rest)):
        return "press", by[1]  # "Save it with Create": the button is called so
    # "Open the entry 'X' for editing" edits it
    if verb in FREE.opening and (edited := _TO_EDIT.fullmatch(rest)):
        return "edit", edited[1]
    if verb in ("start", "begin") and re.match(r"(?:an?|another) (?:new )?[a-z]", rest):
        return "create", rest  # "Start a new topic"
    # "Start creating a new entry" creates one; "by clicking its title" says how
    if verb in ("start", "begin") and (doing := re.match(r"(\w+)ing\s+(?=\S)", rest)):
        return _base_verb(doing[1]), rest[doing.end() :]
    return verb, rest


def opens_to_edit(text: str) -> bool:
    """Return whether a clause opens something to edit it: "Open the entry 'X' for editing"."""
    verb, _, rest = text.strip().rstrip(".").partition(" ")
    return verb.lower() in FREE.opening and _TO_EDIT.fullmatch(rest) is not None


#: "assign it to Ida instead of Bo": what it was before is no part of the value.
_NOT_THAT = re.compile(r"(?<=\w),? (?:instead of|rather than|in place of) [^⟦,]{1,60}$", re.I)
#: "so that it can be edited" is what for, and names nothing to act upon.
_SO_THAT = re.compile(
    r",?(?<!\s)\s+(?:so that|in order that|so as to|in order to) .*$", re.I | re.S
)
#: "Delete it, this time confirming": a dialog asks, and is confirmed.
_CONFIRMING = re.compile(
    r",?(?<!\s)\s+(?:(?:after all|really|now)?,? ?(?:and )?(?:this time |then )?"
    r"confirming(?: (?:it|this|that|the \w+))?)$",
    re.I,
)
#: "without entering anything" is what one does not do; "to create a new one" is what for.
_WITHOUT = re.compile(r"(?<!\s)\s+without (?:\w+ing|any)\b.*$", re.I | re.S)
#: "send without a date": what was not entered is no part of a button's name.
_SENT_WITHOUT = re.compile(r"(?:^|(?<!\s)\s+)without (?:the |an? |its )[a-z][\w -]{0,60}$", re.I)
# "the button to add a row" says what the button does.
_ONLY_PURPOSE = re.compile(r"the (?:button|link|icon) (?:to|for|that) ([a-z].{1,60})$", re.I)
_PURPOSE = re.compile(
    r"(?:(?<=\bbutton)|(?<=\blink)|(?<=\bicon)|(?<=\bbin)|(?<=\bsign))\s+(?:in order )?to "
    r"(?!the\b|a\b|an\b|\d|⟦)[a-z]+\b.*$",
    re.I | re.S,
)


_BY_BUTTON = re.compile(
    r"(?:(?:it|this|that|them|everything|the (?:form|changes?|entry|page|new \w+|\w+)) )?"
    r"(?:with|by|using|via|through) (?:(?:press|click|hitt|tapp)ing )?(?:on )?(?:the )?"
    r"(⟦\d+⟧|[A-Z]\w*(?: [\w']+){0,3}?)(?: button| link)?$"
)
_TO_EDIT = re.compile(
    r"(\S.*\S)(?<!\s)\s+(?:for editing|to edit(?: it)?|in edit mode|in (?:the|its) editor)",
    re.I | re.S,
)


#: "the right code, which is 4711": the value behind what it is called.
_WHICH_IS = re.compile(r",? (?:which|that) is (?=⟦\d+⟧$|[\w@.-]+$)")


def _base_verb(part: str) -> str:
    """Return the verb of "creat(ing)", "add(ing)", "edit(ing)"."""
    return next((form for form in (part, part + "e", part[:-1]) if form in VERBS), part)


# At most four, so that a thousand times "again" is not read from each of them on.
_TRAILING = re.compile(
    r"(?:(?:^|,?(?<!\s)\s+)(?:instead|again|this time|(?:in )?the same way|once more|once again"
    r"|as well|too|after all|now|already)){1,4}$",
    re.I,
)


def _read_special(clause: Clause, verb: str, rest: str, text: str) -> tuple[Intent, ...]:
    """Read what most applications have: signing in, searching, sorting, turning pages, keys."""
    low = text.lower()
    if verb in FREE.log_out:
        return (Intent(verb="logout", words=verb),)
    if verb in FREE.log_in or begins_with(low, ("try to log in", "try to sign in")):
        return read_login(clause, rest)
    if verb in ("try", "use") and names_both(rest):
        return read_login(clause, rest)  # "Try the user name ada with the password x"
    if key := _read_key(clause, verb, rest):
        return (Intent(verb="press", value=key),)
    if searched := _read_search(clause, verb, rest):
        return searched
    if way := read_path(clause, verb, rest):
        return way
    if sorting := read_sorting(clause, verb, rest):
        return sorting
    return _read_turning(verb, low)


def _read_search(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    if verb not in FREE.acts["search"]:
        return ()
    wanted = strip_searched(verb, re.sub(r"^for\s+", "", rest))
    # "Search for products with the title 'Twine'": a field of the search form is named
    if named := re.search(rf"\bwith {_ARTICLE}([\w -]{{1,100}}?) ({_LITERAL})$", wanted):
        words, value = clause.unmask(named[1]), clause.unmask(named[2])
        return (Intent(verb="fill", words=words, value=value), Intent(verb="submit"))
    wanted = re.sub(r"^(?:the )?(?:word|term|text|words)\s+", "", wanted)
    if wanted:
        return (Intent(verb="search", value=clause.unmask(wanted)),)
    return ()


def _read_turning(verb: str, low: str) -> tuple[Intent, ...]:
    named = split_words(low)
    goes = verb in FREE.going or verb in ("go to", "go back", "move", "turn", "continue")
    if not goes or len(named) > 8:
        return ()
    if turning := read_page(low, named):
        return (turning,)
    if low in ("go back", "go back to the previous page", "return to the previous page"):
        return (Intent(verb="back"),)
    if match := AHEAD.search(low):
        side = "next" if match[3] in ("ahead", "forward", "forwards", "on") else "previous"
        times = int(FREE.numbers.get(match[1], match[1])) if match[1] not in ("a", "an") else 1
        return (Intent(verb="click", words=f"{side} {match[2].removesuffix('s')}"),) * times
    if verb == "reload" or low.startswith(("refresh the page", "reload")):
        return (Intent(verb="reload"),)
    return ()


def _read_key(clause: Clause, verb: str, rest: str) -> str:
    if verb not in ("press", "hit", "push", "tap"):
        return read_key_as_means(clause.unmask(rest)) if "⟦" not in rest else ""
    words = re.sub(r"^(?:the )|(?<!\s)\s+key$", "", clause.unmask(rest))
    return read_key(words.lower()) or ""


def read_login(clause: Clause, rest: str) -> tuple[Intent, ...]:
    """Read who logs in with what; a mere "log in" too."""
    given = read_credentials(rest)
    entries: tuple[tuple[Verb, str], ...] = (
        ("user", given.user),
        ("password", given.secret),
        ("credential", given.only),
    )
    intents = [Intent(verb=verb, value=clause.unmask(value)) for verb, value in entries if value]
    unread = "" if intents else clause.unmask(rest)
    return (*intents, Intent(verb="enter_login", words="log in", value=unread))


def _read_entries(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read values for fields: "the title 'x' and the priority high", "4 as the quantity"."""
    special = _read_other_entries(clause, verb, rest) or _read_replacement(clause, verb, rest)
    special = special or read_behind_colon(clause, verb, rest, enters=verb in _ENTERING)
    if verb == "replace":  # "Replace the text by 'x'"
        rest = re.sub(r"(?<!\s)\s+by (?=⟦|\S+$)", " with ", rest)
    if special := special or read_change(clause, verb, rest):
        return special
    if verb not in _ENTERING and verb not in _CHOOSING:
        return ()
    read = partial(_read_entry, clause, "enter")
    if verb in _CHOOSING and (choice := read_choice(clause, rest, read)):
        return choice
    if verb == "edit" and not _GIVES_VALUE.search(rest):
        return ()  # "Edit the page 'Rules'" opens it
    rest = re.sub(r"^only\s+(?=\S)", "", rest)  # "Fill in only the colour red"
    entries = _read_list_of_entries(clause, verb, rest)
    return _add_sending(entries) if verb == "add" else entries


_GIVES_VALUE = re.compile(r"\b(?:to|with|into|as)\b|[=:]")


def _read_list_of_entries(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Return all entries of a list; none if a part of it is no entry."""
    parts = [without_example(part) for part in _split_entries(rest)]
    entries = [_read_entry(clause, verb, part) for part in parts]
    return name_user(tuple(entry for entry in entries if entry)) if all(entries) else ()


#: A form of one field is sent; what is filled in further is sent later.
_SENT = Intent(verb="finish", value="if it is clear")


def _add_sending(entries: tuple[Intent, ...]) -> tuple[Intent, ...]:
    """Return the entries, with the sending of the form if it is one name: "Add the member Ida"."""
    if len(entries) != 1 or entries[0].quoted or entries[0].described:
        return entries
    is_name = bool(entries[0].words) and entries[0].value[:1].isupper()
    return (*entries, _SENT) if is_name and entries[0].verb == "fill" else entries


def _read_new_form(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    thing = read_new_form(rest) if verb in FREE.opening or verb in FREE.going else ""
    return (Intent(verb="form", words=clause.unmask(thing)),) if thing else ()


def _read_making(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read "Create a shelf called Oak with the width 90": a form, its fields, and sending it."""

    def read_field(part: str) -> Field | None:
        entry = _read_entry(clause, "enter", part)
        return (entry.words, entry.value) if entry and entry.words and not entry.described else None

    making = read_making(verb, rest, read_field)
    if making is None:
        return ()
    thing, fields = making
    entries: list[Intent] = []
    for words, value in fields:
        kind: Verb = "leave" if value is None else "fill" if words else "name"
        text = clause.unmask(value or "")
        # what is entered is no one-line form of its own that "add" would send at once
        entries.append(
            Intent(verb=kind, words=words or thing, value=text, said="enter", quoted="⟦" in rest)
        )
    labels = "\n".join(words for words, _ in fields if words)
    form = Intent(verb="form", words=thing, value=labels)
    return (form, *entries, Intent(verb="finish", words=thing))


def _read_other_entries(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read files to upload, fields to clear, filters, and boxes to tick."""
    if upload := read_upload(clause, verb, rest, chooses=verb in _CHOOSING):
        return upload
    if verb == "assign" and (match := re.match(r"(?:it|this|the \w+) to (.+)$", rest)):
        return (Intent(verb="fill", words="assigned", value=clause.unmask(match[1])),)
    if cleared := _read_cleared(clause, verb, rest):
        return cleared
    if special := read_narrowed(clause, verb, rest) or read_checked_in(clause, verb, rest):
        return special
    if verb in FREE.acts["filter"] and (match := re.search(r"\b(?:on|by|to|for)\s+(.+)$", rest)):
        return _read_filter(clause, match[1])
    # "Add a second filter size = XL" filters too
    if verb == "add" and (
        match := re.match(r"(?:an?|another)(?: \w+)? filter (?:on )?(.+)$", rest)
    ):
        return _read_filter(clause, match[1])
    ticks: dict[str, Verb] = {"tick": "check", "check": "check", "untick": "uncheck",
                              "uncheck": "uncheck", "unmark": "uncheck", "deselect": "uncheck",
                              "unselect": "uncheck"}  # fmt: skip
    if verb not in ticks:
        return ()
    return tuple(_read_tick(clause, ticks[verb], part) for part in _split_list(rest))


def _read_tick(clause: Clause, verb: Verb, part: str) -> Intent:
    """Read "the 'Milk' row": the name is in quotes, the rest says what has it."""
    marks = [word for word in part.split() if is_mark(word)]
    if len(marks) != 1:
        return Intent(verb=verb, words=clause.unmask(part))
    context = clause.unmask(part.replace(marks[0], " "))
    context = "" if context in ("the", "a") else context
    return Intent(verb=verb, words=clause.unmask(marks[0]), context=context, quoted=True)


def _read_cleared(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read fields to clear, and fields to leave as empty as they are."""
    if verb == "leave" and _LEFT_EMPTY.match(rest):
        return (Intent(verb="leave", words=clause.unmask(_LEFT_EMPTY.sub(r"\1", rest))),)
    if emptied := read_emptied(clause, verb, rest):
        return emptied
    if verb in FREE.acts["clear"] and verb != "empty":
        return (Intent(verb="clear", words=clause.unmask(rest)),)
    return ()


_LEFT_EMPTY = re.compile(
    r"(?:the )?(.{1,60}?)(?: fields?| box(?:es)?)? (?:empty|blank|unfilled|as (?:it is|they are))$",
    re.I,
)
_REPLACED = re.compile(r"(⟦\d+⟧)(?P<place>\s+in .{1,80}?)?\s+(?:with|by|to|into)\s+(⟦\d+⟧)$", re.I)
_INSTEAD = re.compile(r".*?(⟦\d+⟧)\s+(?:instead of|rather than)\s+(⟦\d+⟧)$", re.I | re.S)
_IT_WITH = re.compile(rf"(?:it|that|this|them) (?:with|by) ({_LITERAL}|\S*[:/._]\S*)$", re.I)
_INTO_BOX = re.compile(
    rf"(.+?)(?<!\s)\s++(?:using|with|via|in|into|through)\s++"
    rf"{_ARTICLE}(⟦\d+⟧\s+)(?:box|field|input)\b.*$",
    re.I,
)


#: "Switch the view from List to Board": what it was before is no part of its name.
_FROM_TO = re.compile(
    r"(?P<thing>(?:the |its |their )?[a-z][a-z -]{0,40}?) from (?P<old>⟦\d+⟧|[\w-]+(?: [\w-]+)?)"
    r" to (?P<new>⟦\d+⟧|[\w-]+(?: [\w-]+){0,2})$"
)
_SWITCHING = frozenset({"change", "switch", "set", "adjust", "update", "edit"})


def _read_replacement(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read "Change 'two' to 'three'", which edits a text, and "Open 4 with the 'Go to' box"."""
    if verb in _SWITCHING and (switched := _FROM_TO.match(rest)):
        words, old, new = map(clause.unmask, switched.group("thing", "old", "new"))
        return (Intent(verb="select", words=words, value=new, old=old, quoted="⟦" in rest),)
    if verb in ("replace", "overwrite") and (other := _IT_WITH.match(rest)):
        # the field that was filled in before: no page calls one 'it'
        value, quoted = clause.unmask(other[1]), "⟦" in rest
        return (Intent(verb="fill", value=value, said="enter", quoted=quoted),)
    if verb in ("change", "replace", "edit", "correct", "update"):
        swapped = _INSTEAD.match(rest)
        if swapped is not None:
            old, new = swapped[2], swapped[1]
        elif (match := _REPLACED.match(rest)) is not None:
            old, new = match[1], match[3]
        else:
            return ()
        return (Intent(verb="replace", words=clause.unmask(old), value=clause.unmask(new)),)
    if verb in FREE.opening and (match := _INTO_BOX.match(rest)):
        wanted = clause.unmask(match[1]).split()[-1]
        box = Intent(verb="fill", words=clause.unmask(match[2]), value=wanted)
        return (box, Intent(verb="press", value="Enter"))
    return ()


def _read_filter(clause: Clause, rest: str) -> tuple[Intent, ...]:
    """Read "genre = Novel", "category Coffee", "the real name 'Holm'"."""
    match = re.match(
        rf"{_ARTICLE}(.+?)(?<!\s)\s*+(?:=|:|\bis\b|\bto\b|\bequals\b)\s*+(.+)$", rest
    ) or re.match(rf"{_ARTICLE}(.+?) (\S+)$", rest)
    if match is None:
        return (Intent(verb="filter", value=clause.unmask(rest)),)
    return (Intent(verb="filter", words=clause.unmask(match[1]), value=clause.unmask(match[2])),)


def _split_list(rest: str) -> list[str]:
    parts = LIST_JOINT.split(rest)
    # "Tick the 'A' and 'B' boxes", "orders 12 and 14": only such names are sure to be several
    sure = all("⟦" in part or re.search(r"(?:^| )\d+$", part) for part in parts)
    return parts if len(parts) > 1 and sure else [rest]


_ENTRY_JOINT = re.compile(
    r"(?:(?<!\s)\s+)?,\s*(?:and\s+)?"
    r"|(?<!\s)\s+and\s+(?=the |a |an |its |⟦|\d|[a-z-]+ (?:to|as|with) )"
)


def _split_entries(rest: str) -> list[str]:
    """Split "the title X, 5 stars and the comment Y"; a part without a value goes on."""
    # "Ida Falk as the name and Oslo as the city"; "Salt and Pepper as the name" is one value
    pairs = LIST_JOINT.split(rest)
    if len(pairs) > 1 and all(_VALUE_AS_FIELD.fullmatch(pair) for pair in pairs):
        return pairs
    return [part for part in _ENTRY_JOINT.split(rest) if part]


_VALUE_AS_FIELD = re.compile(
    # "Gina as first name": without an article a field has small letters
    r"\S.{0,80}? (?:(?:as|into|for) (?:the|its|his|her|their|a|an) [^,]{1,60}"
    r"|as [a-z][a-z -]{1,40})"
)


def _read_entry(clause: Clause, verb: str, part: str) -> Intent | None:
    """Read one value and its field; None if the part has no value."""
    choosing = verb in _CHOOSING and verb not in ("set", "change", "put")
    part = re.sub(r"^(?:in|it|out)\s+(?=\S)", "", part)
    forms = [_value_first, _field_first, _literal_last]
    if verb in _FIELD_FIRST:
        forms = [_field_first, _value_first, _literal_last]
    for form in forms:
        entry = form(part)
        if entry is not None and entry[1] and entry[0].lower() not in ("the", "a", "an"):
            field, value = entry
            described = bool(re.match(r"(?:the|a|an|your|his|her|their|some|any)\s", value))
            value = re.sub(r"^(?:the|a|an)\s+", "", value)
            return Intent(
                verb="select" if choosing else "fill",
                words=clause.unmask(field),
                value=clause.unmask(value),
                quoted=is_mark(value),
                described=described,
            )
    if is_mark(part) or re.fullmatch(_LITERAL, part):
        text = clause.unmask(part)
        if choosing:
            return Intent(verb="click", words=text, quoted=True)
        return Intent(verb="fill", value=text, quoted=True)
    # "type lighthouse": what is typed needs no quotes if the sentence names no field
    if verb in _TYPING and _BARE_VALUE.fullmatch(part):
        return Intent(verb="fill", value=part)
    return None


_TYPING = frozenset({"type", "type in", "enter", "key in", "write"})
_BARE_VALUE = re.compile(
    r"(?!(?:the|an?|this|your|my|any|some|all|its)\b)[\w'-]+(?: [\w'-]+)?", re.I
)


def _value_first(part: str) -> tuple[str, str] | None:
    """``X into the field F``, ``X as the F``."""
    match = re.match(
        rf"(?P<v>.+?)(?<!\s)\s++(?:into|in to|in|as|for|on|from|under|to)\s++{_ARTICLE}(?P<f>.+)$",
        part,
    )
    if match is None:
        return None
    value = re.sub(r"^(?:the (?:text|word|value|number|words)|the (?=⟦))\s*", "", match["v"])
    return match["f"], value


def _field_first(part: str) -> tuple[str, str] | None:
    """``the F to X``, ``F with X``, ``F = X``."""
    match = re.match(
        rf"{_ARTICLE}(?P<f>.+?)(?<!\s)\s*+(?:\bto\b|\bwith\b|=|(?<!\d):(?=\s|⟦)|\binto\b)\s*+(?P<v>.+)$",
        part,
    )
    return (match["f"], match["v"]) if match else None


def _literal_last(part: str) -> tuple[str, str] | None:
    """``the title 'X'``, ``5 stars``, ``the theme Dark``, ``the name Ida Falk``."""
    if match := re.match(rf"{_ARTICLE}(?P<f>[^⟦]+?)(?<!\s)\s++(?P<v>{_LITERAL})$", part):
        return match["f"], match["v"]
    if (match := re.match(r"(\w+)\s+([a-z]+)$", part)) and (
        match[1].isdigit() or match[1] in FREE.numbers
    ):
        return match[2], match[1]
    if match := re.match(
        rf"{_ARTICLE}(?P<f>[a-z][\w-]*(?: [a-z][\w-]*){{0,2}}?)\s+(?P<v>[A-Z].*)$", part
    ):
        return match["f"], match["v"]
    return None


#: "the order that was found", "the first result": what was searched for, without its name.
_RESULT = re.compile(
    r"(?:on )?(?:the|that|this) (?:(only|first|last|second|third) )?(?:search )?"
    r"(?:(?:result|hit|match|search result)"
    r"|[a-z]+ (?:that|which) (?:was|is) (?:found|left|listed))$",
    re.I,
)
_DRAGGED = re.compile(
    # "the card 'A' from 'To do' to 'Done'"
    r"(.+?)(?<!\s)\s++(?:from .{1,80}? )?(?:to|onto|into)\s+(.+)",
    re.S,
)


def _read_plain(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read any other instruction: something is clicked that the words name."""
    words = clause.unmask(rest)
    quotes = [part for part in rest.split() if is_mark(part)]
    if special := _read_described(clause, verb, rest):
        return special
    if verb == "drag" and (match := _DRAGGED.match(rest)):
        return (Intent(verb="drag", words=clause.unmask(match[1]), value=clause.unmask(match[2])),)
    if quotes and (by := _BY_CONTROL.search(rest)):
        # "Leave the club via 'Sign off' below": what is in quotes is the control
        control, place = clause.unmask(by["control"]), by["place"].strip()
        return (Intent(verb="click", words=control, context=place, said="click", quoted=True),)
    base = base_of(verb, words)
    if len(quotes) == 1 and (base in ("click", "submit") or names_thing(rest, base)):
        context = clause.unmask(rest.replace(quotes[0], " "))
        return (Intent(verb=base, words=clause.unmask(quotes[0]), context=context, quoted=True),)
    return (Intent(verb=base, words=words),)


_BY_CONTROL = re.compile(
    r"(?<=\w) (?:via|through|using|by means of|with the (?:button|link)) (?P<control>⟦\d+⟧)"
    r"(?P<place>(?: (?:in|on|at|of|below|above|under) [^⟦]+)?)$",
    re.I,
)


_ITS_NAME = re.compile(r"(?:on )?(?:its|the) (?:title|heading|header|name|caption|label)$", re.I)


def _read_described(clause: Clause, verb: str, rest: str) -> tuple[Intent, ...]:
    """Read a result without a name, a name in brackets, and "by clicking" on something."""
    goes = verb in FREE.opening or verb in ("click", "press", "select", "choose", "pick", "follow")
    if goes and (result := _RESULT.match(rest)):
        return (Intent(verb="result", words=clause.unmask(rest), value=result[1] or "only"),)
    if bracket := re.match(r"(?:the )?(\([^()⟦]{1,40}\))(?:\s+(.*))?$", rest):
        # "Click (more) behind the heading": in brackets as on the page
        return (Intent(verb="click", words=bracket[1], context=bracket[2] or "", quoted=True),)
    if by := re.search(r"(?<!\s)\s+by (?:click|press|tapp|hitt|push)ing (?:on )?(.+)$", rest):
        place = clause.unmask(rest[: by.start()])
        if _ITS_NAME.match(by[1]):
            return (Intent(verb="click", words=place),)
        return (Intent(verb="click", words=clause.unmask(by[1]), context=f"of {place}"),)
    return ()
