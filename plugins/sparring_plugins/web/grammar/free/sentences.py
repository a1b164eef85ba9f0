"""Whole sentences before any rule splits them: does it act or check, and which clauses has it?

Quotations are replaced by marks (``⟦0⟧``) first, so that no word within one is taken for a verb or
a joint.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sparring_plugins.web.grammar.free.login_sentences import read_login_sentence
from sparring_plugins.web.grammar.free.words import FREE, begins_with
from sparring_plugins.web.grammar.phrases.tokens import find_quotations

Kind = Literal["act", "check"]

# A quoted text, put aside as ⟦0⟧ so that no word in it is read.
_MARK = re.compile("⟦(\\d+)⟧")
_MODAL = re.compile(
    r"\b(?:should|shouldn't|must|mustn't|is|are|was|were|has|isn't|aren't|can't|cannot|does|doesn't)\b"
)
_MUST = re.compile(r"\b(?:should|shouldn't|must|mustn't|ought to)\b")
_VERBS = frozenset(
    phrase for phrases in FREE.acts.values() for phrase in phrases if " " not in phrase
)
_PHRASAL = frozenset(FREE.phrasal) | frozenset(FREE.log_in) | frozenset(FREE.log_out)


@dataclass(frozen=True)
class Clause:
    """A part of a sentence that acts or checks: its text with marks, and the quotations."""

    text: str
    kind: Kind
    quotes: tuple[str, ...]

    def unmask(self, text: str) -> str:
        """Return a part of the text with its quotations, without quotation marks."""
        return _MARK.sub(lambda match: self.quotes[int(match[1])], text).strip()

    @property
    def quoted(self) -> tuple[str, ...]:
        """The quotations of this clause alone, in order."""
        return tuple(self.quotes[int(number)] for number in _MARK.findall(self.text))


def is_mark(word: str) -> bool:
    """Return whether a word stands for a quotation."""
    return _MARK.fullmatch(word.strip(".,;:!?")) is not None


def mask(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text with its quotations replaced by marks, and the quotations."""
    parts: list[str] = []
    quotes: list[str] = []
    at = 0
    for quotation in find_quotations(text):
        parts += [text[at : quotation.start], f"⟦{len(quotes)}⟧"]
        quotes.append(quotation.text)
        at = quotation.end
    parts.append(text[at:])
    return " ".join("".join(parts).split()), tuple(quotes)


def _without_fillers(text: str) -> str:
    """Strip "please", "now", "then" from the front."""
    text = re.sub(r"^(?:try|attempt) to\s+", "", text, flags=re.I)
    for _ in range(4):
        if text.lower().startswith(("and that ", "but that ", "also that ")):
            break
        match = re.match(r"([A-Za-z-]+),?\s+(.+)", text)
        if match is None or match[1].lower() not in FREE.fillers:
            break
        text = match[2]
    return text


def begins_acting(text: str) -> str:
    """Return the verb with which a masked text begins as an instruction does, or ""."""
    low = _without_fillers(text).lower()
    for phrase in _PHRASAL:
        if begins_with(low, (phrase,)):
            return phrase
    first = re.match(r"[a-z-]+", low)
    return first[0] if first and first[0] in _VERBS else ""


def _strip_front(text: str) -> tuple[str, str]:
    """Split "In the sidebar, click X" into the instruction and its place."""
    first, _, _ = text.partition(" ")
    front, comma, rest = text.partition(", ")
    if first.lower() not in FREE.fronts:
        return text, ""
    # "In the row of Oak click on the pencil": without a comma only a verb that is no noun, too
    if match := _FRONT_VERB.match(text):
        return match["rest"], match["front"].strip()
    if comma and begins_acting(rest):
        return rest, front
    return text, ""


# "In the row of Mia click 'Edit'": place first, then the act.
_FRONT_VERB = re.compile(
    r"(?P<front>\w+ (?:(?!that |which |to )[\w'⟦⟧-]+ ){1,7}?)"
    r"(?P<rest>(?:click|press|choose|select|pick|open|tick|untick|type|enter|hit|tap|push|delete"
    r"|remove|edit|write|fill|put|set)\b.*)$",
    re.I | re.S,
)


#: "Check in the footer that ...": the place stands between the verb and what is checked.
_PLACED_LEAD = re.compile(
    r"(?:check|verify|confirm|ensure|assert|validate|see|note) (?:again )?"
    r"(?:in|on|under|at|within|inside|below|above) [^,;:]{1,80}? (?:that|whether|if) "
)


def find_lead(low: str) -> str:
    """Return the words in lower case with which a sentence says that it checks, or ""."""
    placed = _PLACED_LEAD.match(low)
    return placed[0].rstrip() if placed else begins_with(low, FREE.check_leads)


def kind_of(text: str) -> Kind:
    """Classify a masked sentence; "Check that ..." never ticks a box."""
    plain_text = _without_fillers(text)
    low = plain_text.lower()
    if find_lead(low) and not confirms(low):
        return "check"
    if _HAVE_DONE.match(low):
        return "act"
    acting, _ = _strip_front(plain_text)
    if not begins_acting(acting):
        states = _states(low) or _begins_naming(low) or _TELLS.match(plain_text)
        return "check" if states else "act"
    return "act" if confirms(low) else _kind_of_verb(acting)


#: "Have 50 rows shown per page" wants it done
_HAVE_DONE = re.compile(
    rf"have (?:only )?(?:\d+|{'|'.join(FREE.numbers)}) [a-z]+ (?:shown|displayed|listed) "
)
#: "Tom Haas sees Dr Abel", "Ida Falk worked 30 hours": what somebody with two names does
_TELLS = re.compile(
    r"(?:[A-Z][\w'.-]*|Dr\.?) [A-Z][\w'.-]*(?: [A-Z][\w'.-]*)? [a-z]+(?:[^s\W]s|ed) (?:\S.*)?$"
    # "Quiet hours apply", "no rows match": things do something
    r"|[A-Z][a-z]+ [a-z]+s (?:apply|match|follow|remain|exist|appear)\b"
)


def _kind_of_verb(acting: str) -> Kind:
    """Classify a sentence that begins with a verb, which may be a noun as well."""
    first, _, rest = acting.lower().partition(" ")
    if first == "check":
        # "Check the box 'News'" acts; "Check the title is 'News'" does not.
        return "check" if _MODAL.search(rest) else "act"
    if _NUMBERED.match(rest):
        return "check"  # "Order 1010 contains 5 items"
    modal = _MUST.search(rest)
    if modal and ", " not in rest[: modal.start()] and " so " not in rest[: modal.start()]:
        return "check"
    finite = _MODAL.search(rest)
    # "Search results are listed", "Sort order is kept": the verb is a noun here.
    if finite and len(rest[: finite.start()].split()) <= 1 and not is_mark(rest.split()[0]):
        return "check" if rest.split()[0] not in FREE.behind_verbs else "act"
    return "act"


_NUMBERED = re.compile(
    rf"(?:no\.? |number )?#?\d[\d-]* (?:{'|'.join(sorted(FREE.statements))}|dates|cannot) ", re.I
)

SURE = re.compile(
    r"that (?:you|i|they|we) "
    r"(?:(?:are|am) (?:really |quite )?sure|(?:do )?(?:really )?(?:want|wish))\b",
    re.I,
)
"""What somebody confirms by a click, and nobody checks: "confirm that you are sure"."""


_SAYING_NOTHING = frozenset(("the", "this", "your", "my", "all", "time", "now", "again", "then"))
#: "Delete it again and accept this time"
_ACCEPTS = re.compile(r"(?:accept|agree)(?: it)?(?: (?:this time|now|then|again))+")


def confirms(text: str) -> bool:
    """Return whether a sentence confirms by a click: "Confirm the deletion", "Confirm with 'Yes'".

    "Confirm the title is 'X'" and "Confirm the total of 5" check.
    """
    words = [word.strip(".,;:!") for word in text.lower().split()]
    if words[:1] != ["confirm"]:
        return bool(_ACCEPTS.fullmatch(" ".join(words)))
    if words[1:2] in (["with"], ["by"], ["using"]) or SURE.match(" ".join(words[1:])):
        return True
    rest = [word for word in words[1:] if word not in _SAYING_NOTHING]
    return len(rest) <= 1 and all(word in FREE.confirmable for word in rest)


def must_check(sentence: str) -> bool:
    """Return whether a sentence surely checks, whatever its verbs: "Check that", "should have"."""
    text = _without_fillers(mask(sentence)[0]).lower()
    if re.match(r"check (?:the|its|their|this) ", text) and kind_of(text) == "check":
        return True  # "Check the third loan is due": a box is ticked, but never is anything
    if lead := find_lead(text):
        return not text[len(lead) :].startswith(" to ")  # "make sure to click" acts
    modal = _MUST.search(text)
    if modal is None or kind_of(text) != "check":
        return False
    # "The user should click on 'Save'" tells the tester what to do
    return begins_acting(text[modal.end() :].strip()) == ""


def is_check(sentence: str) -> bool:
    """Return whether a sentence only checks."""
    return all(clause.kind == "check" for clause in split_sentence(sentence))


# "open the menu and choose red": a second verb may begin another act.
_PERHAPS_ACTS = re.compile(
    r"(?:[,;:–—-]|\band|\bthen|\bbut)\s+(?:then\s+)?(?P<verb>[a-z]+)\b", re.I
)


#: "Only show what is free" wants it done, or says that only that is shown.
_ONLY_ACTS = re.compile(r"(?:only|just) (?P<rest>[a-z]+ .+)", re.I)


def may_act(sentence: str) -> bool:
    """Return whether a sentence that checks may ask for an act, too, somewhere inside it.

    "Ida signs in and opens the list" tells what somebody does.
    """
    text = mask(sentence)[0]
    if (only := _ONLY_ACTS.match(text)) and begins_acting(only["rest"]):
        return True
    rests = [text[match.start("verb") :] for match in _PERHAPS_ACTS.finditer(text)]
    return any(begins_acting(rest) or begins_acting(_in_imperative(rest)) for rest in rests)


def _in_imperative(rest: str) -> str:
    """Return "open the list" for "opens the list"; statements such as "shows" stay."""
    first = rest.partition(" ")[0].lower()
    return rest if first in FREE.statements else _THIRD_PERSON.sub(_imperative_verb, rest, count=1)


def write_clauses(clauses: Sequence[Clause]) -> str:
    """Return clauses as one sentence, with their quotations in double quotes."""
    texts = [_with_quotes(clause) for clause in clauses]
    return ", then ".join(texts) if clauses[0].kind == "act" else ", and ".join(texts)


def _with_quotes(clause: Clause) -> str:
    return _MARK.sub(lambda match: f'"{clause.quotes[int(match[1])]}"', clause.text)


def _begins_naming(low: str) -> bool:
    """Return whether a sentence begins with what it is about: "The barn lies behind the hill".

    Nobody is told so what to do; that its verb is not known does not make it an act.
    """
    first, _, rest = low.partition(" ")
    return first in FREE.naming and bool(rest.strip())


def _states(low: str) -> bool:
    words = [word.strip(".,;:!?") for word in low.split()]
    if words[:1] and words[0] in FREE.orders_to_say:
        return False  # a 'none' on the page does not do "Say 'none' for the reason"
    return any(word in FREE.statements for word in words[:14]) or words[:1] == ["there"]


@lru_cache(maxsize=2_000)
def split_sentence(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence, each with its kind, in order."""
    masked, quotes = mask(sentence.strip().rstrip("."))
    text = _as_instruction(_CONTRACTED.sub(r"\1 is", masked))
    text = _SECRET_IS.sub(r"\g<login> with \g<secret> ", text)
    dash = _DASH.search(text)
    if dash and begins_acting(text) and _must_be(text[dash.end() :]):
        text = (
            f"{text[: dash.start()]}, {text[dash.end() :]}"  # "Search for oak - it must be found"
        )
    kind = kind_of(text)
    pieces = _split_checks(text) if kind == "check" else _split_acts(text)
    if len(pieces) > 1:
        pieces = [piece for piece in pieces if not _LEAVES_REST.fullmatch(piece)]
        pieces = _enter_stated_values(pieces)
    return tuple(Clause(piece, kind_of(piece), quotes) for piece in pieces)


_DASH = re.compile(r"(?<!\s)\s+[-–—]\s+")
# "Open the menu, then press 'Save' - the note is shown".
_JOINT = re.compile(
    r"(?:(?<!\s)\s+)?[,;.]\s+(?:and\s+|but\s+)?(?:then\s+)?"
    r"|(?<!\s)\s+(?:(?:and|but)\s+(?:then\s+)?|then\s+)"
    r"|(?:(?<!\s)\s+[-–—]|:)\s+(?:now\s+|then\s+)?",
    re.I,
)
# "the name should be Mia" in a list of what to fill in.
_FIELD_IS = re.compile(
    r"(?:the|its|his|her|their) (?P<field>[a-z][a-z -]{0,40}?) (?:is|should be|shall be|becomes)"
    r" (?P<value>⟦\d+⟧|[\w@.+-]+)$",
    re.I,
)
_FILLING = FREE.making | {
    *FREE.acts["fill"], *FREE.acts["select"], "fill in", "fill out", "edit", "change", "set",
}  # fmt: skip


def _enter_stated_values(pieces: list[str]) -> list[str]:
    """Return "add a boat; set the price to 5; save" for "add a boat; the price is 5; save".

    The value that is stated of a field before the form is sent is entered; behind the last act it
    is checked.
    """
    kinds = [kind_of(piece) for piece in pieces]
    rewritten: list[str] = []
    for index, piece in enumerate(pieces):
        match = _FIELD_IS.fullmatch(piece) if kinds[index] == "check" else None
        fills = index and begins_acting(pieces[index - 1]) in _FILLING
        if match and fills and "act" in kinds[index + 1 :]:
            kinds[index] = "act"
            piece = f"set the {match['field']} to {match['value']}"
        rewritten.append(piece)
    return rewritten


#: "Enter the name and leave the rest alone": nothing is done for the second part.
_LEAVES_REST = re.compile(
    r"(?:leave|keep) (?:(?:all )?the (?:rest|others?|remaining|other (?:fields|boxes|ones|values))"
    r"|everything else|all else)(?: fields)?(?: alone| unchanged| untouched| empty| blank"
    r"| as (?:it|they) (?:is|are|was|were))?",
    re.I,
)
#: "There's a hint", "it's empty"; "Ida's list" is none.
_CONTRACTED = re.compile(r"\b(there|it|that|what|here|everything|nothing)['’]s\b", re.I)
# "When the user clicks on …" and "Given a visitor opens …", as Gherkin writes acts.
_BY_SOMEBODY = re.compile(
    r"(?:(?:given|when|then|and|if) )?(?:that )?"
    r"(?:(?:(?:the|an?) )?(?:user|visitor|customer|tester|administrator|admin|member|person)"
    r"(?: (?P<name>(?!then|now|also|should|can)[\w.-]+)(?= \w+s\b))?|i|we|you|he|she|they"
    r"|(?P<person>(?-i:[A-Z])[a-z]+)(?= \w+s\b))"
    r" (?:then |now |also |should |can )?"
    r"(?P<act>(?P<verb>[a-z]+?)(?P<s>e?s)? \S.*)$",
    re.I | re.S,
)
#: "Given I am on the page 'Members'": an address is opened by the grammar itself.
_ARRIVED = re.compile(
    r"(?:given|assuming|suppose) (?:that )?(?:i am|we are|(?:the )?user is) (?:now |already )?"
    r"(?:on|at|in) (?P<place>(?:the|my|your) (?!https?:|/|⟦\d+⟧$).+)$",
    re.I,
)
#: "Log in; the code is 4711": what the secret is, and no check of it.
_SECRET_IS = re.compile(
    r"^(?P<login>(?:log|sign) (?:in|on)\b[^,;:–—-]*?)\s*(?:[,;:]|\s[-–—])\s+(?:and )?"
    r"(?P<secret>(?:the |your |my )?(?:[a-z]+ )?(?:password|passphrase|pin|code|secret)) is ",
    re.I,
)
# "opens the menu and clicks": the verbs are read without their "s".
_THIRD_PERSON = re.compile(r"(?P<joint>(?:^|\band |\bthen |, ))(?P<verb>[a-z]+?)(?P<s>e?s)(?= )")


#: "Raise the slider 'Width' to 40" sets it, and "Increase the number of guests to 2".
_RESIZED = re.compile(
    r"(?:please )?(?:increase|decrease|raise|lower|reduce|turn (?:up|down)) (?P<field>\S.{0,80}?)"
    r" to (?P<value>⟦\d+⟧|[-+]?[$€£]?\d[\d.,]*\S{0,3})\.?",
    re.I,
)


#: "Only show overdue orders"
_ONLY_SHOW = re.compile(
    r"only (?:show|display|list|view) (?P<what>(?!.*\b(?:is|are|should)\b)\S.*)$", re.I
)


def _as_instruction(text: str) -> str:
    """Return "Enter X and press Go" for "When the user enters X and presses Go".

    "Given I am logged in as Ida with the password X" is an instruction to log in: a case starts
    with nobody logged in. What merely has a capital ("Status changes to Done") may be no person:
    only a verb with an object is taken for that person's act.
    """
    if login := read_login_sentence(text, begins_acting):
        return login
    if arrived := _ARRIVED.match(text):
        return f"Go to {arrived['place']}"
    if only := _ONLY_SHOW.match(text):
        return f"Show only {only['what']}"
    if resized := _RESIZED.fullmatch(text):
        return f"Set {resized['field']} to {resized['value']}"
    match = _BY_SOMEBODY.match(text)
    if match is None or match["verb"].lower() in _WITHOUT_OBJECT:
        return text
    first, second = text.split()[0].lower(), match["act"].split()[1]
    if first in FREE.numbers or second.lower() in FREE.statements:
        return text  # "Three books are left": no verb, but what is there
    if match["s"]:
        return _imperative_of(match) or text
    return match["act"] if begins_acting(match["act"]) and not find_lead(text.lower()) else text


def _imperative_of(match: re.Match[str]) -> str:
    """Return "press Go" for "Ida presses Go"; "" if no known verb stands in the third person."""
    act = match["act"]
    plain_act = _THIRD_PERSON.sub(_imperative_verb, act)
    log_in = begins_with(plain_act, FREE.log_in)
    if plain_act == act or (match["person"] and not (log_in or _OBJECT.match(act.split()[1]))):
        return ""
    if match["person"] and match["person"].lower() in _VERBS:
        return ""  # "Tick orders 1014 and 1011": nobody is called Tick
    if match["name"] and log_in and " as " not in plain_act:
        return f"{log_in} as {match['name']}{plain_act[len(log_in) :]}"
    return plain_act


def to_instruction(sentence: str) -> str:
    """Return the instruction in a sentence about somebody's acts; any other sentence as it is.

    "The user enters 'Ida' as the name" is "enter 'Ida' as the name".
    """
    text, quotes = mask(sentence.strip())
    instruction = _as_instruction(text)
    if instruction == text:
        return sentence
    return restore_quotes(instruction, quotes)


def restore_quotes(text: str, quotes: Sequence[str]) -> str:
    """Return a masked text with its quotations in quotation marks again."""
    quoted = [f"'{q}'" if '"' in q else f'"{q}"' for q in quotes]
    return _MARK.sub(lambda match: quoted[int(match[1])], text)


_OBJECT = re.compile(r"(?:the|an?|his|her|their|its|it|them|all|both|every|each)$|⟦\d+⟧|\d")
#: "I see", "we expect", "you are": these check.
_WITHOUT_OBJECT = frozenset({"see", "expect", "find", "get", "am", "are", "is", "have", "has"})


def _imperative_verb(match: re.Match[str]) -> str:
    """Return "press" for "presses": the verb of an instruction, if there is one."""
    verb, ending = match["verb"].lower(), match["s"]
    forms = (verb, f"{verb}{ending[:-1]}")
    base = next((form for form in forms if form in _VERBS), "")
    return f"{match['joint']}{base}" if base else match[0]


# "click the first tab, then the second tab" leaves the verb out.
_ELLIPSIS = re.compile(
    r"^(?P<verb>[a-z]+(?: (?:on|to))?) (?P<first>.+? (?P<kind>tab|button|link|menu|icon|section))"
    r",? (?:and )?then (?P<second>the .+? (?P=kind)\b.*)$",
    re.I,
)


#: "Go to the tab Tools and there to Import": the verb holds for both.
_THERE = re.compile(
    r"^(?P<verb>[a-z]+(?: (?:on|to))?) (?P<first>[^,]+?),? and (?:from )?there (?P<way>to|on|open) "
    r"(?P<second>.+)$",
    re.I,
)


def _split_acts(text: str) -> list[str]:
    if there := _THERE.match(text):
        return [f"{there['verb']} {there['first']}", f"click on {there['second']}"]
    if (both := _ELLIPSIS.match(text)) and not begins_acting(both["second"]):
        # "Open the More tab and then the Tags tab": the verb holds for both
        text = f"{both['verb']} {both['first']}, then {both['verb'].lower()} {both['second']}"
    pieces: list[str] = []
    start = 0
    low = _without_fillers(text).lower()
    front = _strip_front(text)
    at_least = len(text) - len(front[0]) if front[1] else 0
    for joint in _JOINT.finditer(text):
        if joint.start() < at_least or joint.start() <= start:
            continue
        if all(w.strip(",.").lower() in FREE.fillers for w in text[start : joint.start()].split()):
            continue  # "First, click on ..."
        if _parts(joint[0], text[joint.end() :], behind_login=begins_with(low, FREE.log_in) != ""):
            pieces.append(text[start : joint.start()])
            start = joint.end()
    pieces.append(text[start:])
    return [piece.strip(" ,;.") for piece in pieces if piece.strip(" ,;.")]


def _parts(joint: str, rest: str, *, behind_login: bool = False) -> bool:
    """Return whether a joint parts two clauses: an act or a check begins behind it."""
    # "Log in as mary (x), open order 6": no credential is made of a verb and more words
    if behind_login and _ACTS_FURTHER.match(rest) and begins_acting(rest):
        return True
    sign = joint.strip()[:1]
    if sign in (":", "-", "–", "—"):  # "Reload: the total is still 4"
        return bool(find_lead(rest.lower())) or _asserts(rest)
    hard = "then" in joint or sign in (";", ".")
    leads = find_lead(_without_fillers(rest).lower())
    states = sign in (",", ";", ".") and (_must_be(rest) or _asserts(rest))
    return bool(leads) or states or _begins_clause(rest, hard=hard)


_ACTS_FURTHER = re.compile(r"(?:open|go|visit|view|show|choose|select|click|press) [\w#'⟦]", re.I)
_SUBJECT = re.compile(
    r"(?:the|an?|no|it|there|this|that|its|both|all|each|every|nothing|only|now|we|you|they"
    r"|⟦\d+⟧|[A-Z][\w'-]*) ",
)
_STATING = re.compile(rf"(?<!that )(?<!which )(?<!who )\b(?:{'|'.join(sorted(FREE.stating))})\b")


def _asserts(rest: str) -> bool:
    """Return whether a statement begins here: "Open the menu, a tooltip says 'Help'"."""
    words = _JOINT.split(rest, maxsplit=1)[0]
    if begins_acting(rest) or _SUBJECT.match(rest) is None:
        return False
    stated = _STATING.search(words)
    return stated is not None and 0 < len(words[: stated.start()].split()) <= 8


def _must_be(rest: str) -> bool:
    """Return whether a statement begins here: "Reload the page, the total must be 4"."""
    words = rest.split(", ", 1)[0]
    return _MUST.search(words) is not None and not begins_acting(rest)


def _begins_clause(rest: str, *, hard: bool) -> bool:
    """Return whether an instruction begins here: "and press Go", not "and order number"."""
    plain_rest = _without_fillers(rest)
    verb = begins_acting(plain_rest)
    if not verb:
        return False
    if plain_rest[0].isupper() and not hard:
        return False  # "Click Save and Continue": one name
    if hard or " " in verb:
        return True
    following = plain_rest[len(verb) :].split()
    if not following:
        return True
    word = following[0].strip(".,;:!?")
    return (
        word.lower() in FREE.behind_verbs
        or is_mark(word)
        or word[:1].isupper()
        or word[:1].isdigit()
        or verb in ("press", "click", "choose", "select", "pick", "tick", "enter", "type", "hit")
    )


# "If a question comes, answer it": the act refers to what the condition names.
_ACTS_ON_IT = re.compile(
    r"[a-z]+ (?:it|this|them|that)$|(?:click|press|answer|cancel|dismiss|accept|tick|untick)\b",
    re.I,
)


def _split_checks(text: str) -> list[str]:
    """Split a check only where another begins: "…, and check that …"."""
    pieces: list[str] = []
    start = 0
    for joint in _JOINT.finditer(text):
        lead = find_lead(_without_fillers(text[joint.end() :]).lower())
        short = len(text[start : joint.start()].split()) <= 2  # "verify and confirm that"
        rest = text[joint.end() :]
        # "Make sure the box is empty, then tick it", "A dialog asks 'Sure?', cancel it"
        acts = _begins_clause(rest, hard="then" in joint[0].lower()) and (
            "then" in joint[0].lower() or _ACTS_ON_IT.match(rest) is not None
        )
        leads = bool(lead) and not lead.startswith("see") and not short
        if joint.start() > start and (leads or acts):
            pieces.append(text[start : joint.start()])
            start = joint.end()
    pieces.append(text[start:])
    return [piece.strip(" ,;.") for piece in pieces if piece.strip(" ,;.")]


def strip_lead(clause: Clause) -> str:
    """Return the masked statement of a check without "check that"."""
    text = _without_fillers(clause.text)
    if kind_of(text) == "check":  # "Check the title is 'News'"
        text = re.sub(r"^check (?=(?:the|its|their|this) )", "", text, flags=re.I)
    for _ in range(2):
        lead = find_lead(text.lower())
        if not lead:
            break
        text = _without_fillers(text[len(lead) :].strip(" ,:"))
    return text


def place_in_front(text: str) -> tuple[str, str]:
    """Split an instruction and the place in front of it: "Below the list, press Go"."""
    return _strip_front(_without_fillers(text))
