"""Looser wordings of an intent, for a page that calls things otherwise than the sentence does."""

import re
from collections.abc import Iterator

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.intents import Intent
from sparring_plugins.web.grammar.free.places import split_places
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    VERBS,
    content,
    plain,
    split_words,
)

_LEAD = re.compile(r"^(?:on |to |at |into )?(?:(?:the|an?|this|that|your|my) )?", re.I)
#: "the topic about slugs", "the page called Rules": the noun only says what kind of thing it is.
_ABOUT = re.compile(
    r"(?:[a-z][\w-]*,? ){1,2}(?:(?:that|which) (?:now )?(?:says|reads|shows)|saying|about"
    r"|concerning|regarding|dealing with|that mentions|called|named|titled|entitled|headed"
    r"|labelled)(?: (?:the|an?))? (?P<name>\S.*)$"
)
#: "the details of Ida": what shows a thing is reached by its name.
_SHOWING = re.compile(
    r"(?:page|view|screen|details?|entry|record|profile|item|detail page)"
    r" (?:of|for)(?: (?:the|an?))? (?P<name>\S.*)$"
)
#: "the job of the City bike", "the bill for Ferry": any noun before a name with a capital
_OF_NAME = re.compile(r"(?P<noun>[a-z][a-z-]+) (?:of|for|by)(?: (?:the|an?))? (?P<name>[A-Z\d].*)$")
#: "the project Oak": a noun before a name with a capital or a digit.
_NOUN_FIRST = re.compile(
    r"(?:(?!(?:of|for|in|on|to|at|by|with|from|and) )[a-z][a-z-]+ ){1,2}(?P<name>[A-Z\d].*)$"
)
#: "the tick to confirm the changes": it may be called by what it does.
_PURPOSE = re.compile(
    r"(?P<name>\S.*?) to (?P<verb>[a-z]+) (?P<thing>(?:the |all |your |it).*)$", re.I
)
#: "otto's profile" is reached by the name.
_PAGE_OF = re.compile(r"(?P<name>\S+)['’]s (?:page|profile|details?|entry|record|account|card)$")
# "from the home page, open the news": the page is opened first.
_FROM_HOME = re.compile(
    r",?(?:^|(?<!\s)\s+)(?:from|on|at|in|via)\s+(?:the |its )?"
    r"(?:front|home|start|main|landing|index) ?page$",
    re.I,
)
#: "Open Oak Plank and Elm Plank": two things, one after the other.
_BOTH = re.compile(
    r"(?P<first>[A-Z][\w'-]*(?: [A-Z\d][\w'-]*)*) and (?P<second>[A-Z][\w'-]*(?: [A-Z\d][\w'-]*)*)$"
)
#: "On its Tools tab choose 'Import'": the tab is opened first.
_WAY = re.compile(
    r"(?:on|in|from|under|at) (?:the|its|your|their) (?P<way>\S.{0,40}?)"
    r" (?P<kind>tab|menu|page|area|section)$",
    re.I,
)
#: "Under Reply, write 'x'": the tab Reply is opened first.
_UNDER = re.compile(r"(?i:under|on|in) (?:the )?(?P<way>[A-Z][\w-]+(?: [A-Z][\w-]+)?)")
#: "the tools (the little hammer)": either may be what it is called.
_ASIDE = re.compile(r"(?P<name>[^()]{2,}?) ?\((?P<other>[^()]{2,60})\)$")
_ACCOUNT = re.compile(
    r"(?:create|open|make|get) (?:(?:an?|the|your|my) )?(?:new )?(?:user )?account$"
)

_CLICKING = frozenset({"click", "open"})


#: "Raise it to 95 and store", "fill in the form, then calculate it"
_DEED = re.compile(
    r"(?P<head>\S.{5,}?),? (?:and then|and|then) (?P<verb>[a-z]+)"
    r"(?: (?:it|this|them|again|everything|the (?:changes|form|result)))*\.?$",
    re.I | re.S,
)


def split_deed(text: str, view: PageView) -> tuple[str, tuple[Intent, ...]]:
    """Return a sentence without a verb at its end that only this page explains, and its act.

    "Store" is no word of testers, but it is what a button in view is called.
    """
    match = _DEED.match(text)
    verb = match["verb"].lower() if match else ""
    if match is None or verb in VERBS | FREE.statements | FREE.submitters:
        return text, ()
    buttons = [e for e in view.snapshot.elements if e.role == "button" and e.visible]
    called = [e.name for e in buttons if plain(e.name) == verb]
    if len(called) != 1:
        return text, ()
    return match["head"], (Intent(verb="click", words=called[0], said="press"),)


def split_choices(intent: Intent, view: PageView) -> tuple[Intent, ...]:
    """Return "Choose Oak and Elm as the woods" as two choices, if nothing is called by both."""
    parts = LIST_JOINT.split(intent.value) if intent.verb == "select" and not intent.quoted else []
    named = len(parts) > 1 and all(part[:1].isupper() for part in parts)
    whole = plain(intent.value)
    texts = (
        f"{e.name} {e.text} {' '.join(o.label for o in e.options)}" for e in view.snapshot.elements
    )
    if not named or any(whole in plain(text) for text in texts):
        return (intent,)
    return tuple(intent.model_copy(update={"value": part}) for part in parts)


def loosen(intent: Intent) -> Iterator[tuple[Intent, ...]]:
    """Yield what an intent may mean, too, the nearest first; each is a series of intents.

    No wording names less of a thing than the sentence: only the noun that says what kind of thing
    it is, and places of which no page has several, are left out.
    """
    if _ACCOUNT.match(f"{intent.said} {_LEAD.sub('', intent.words)}"):
        yield (Intent(verb="click", words="register", said="click"),)
    yield from _by_part(intent)
    if intent.verb not in _CLICKING:
        return
    yield from _by_way(intent)
    yield from _by_particle(intent)
    if intent.quoted:
        return
    yield from _by_drawing(intent)
    words = _LEAD.sub("", intent.words.strip(), count=1)
    if _leads_home(f"x {words}") and (rest := _FROM_HOME.sub("", words).strip()):
        yield (_HOME, intent.model_copy(update={"words": rest}))
    if intent.said in FREE.opening and (both := _BOTH.match(words)):
        yield tuple(intent.model_copy(update={"words": both[name]}) for name in ("first", "second"))
    for name in _names_in(words, goes=intent.said in FREE.going):
        yield (intent.model_copy(update={"words": name}),)
    if aside := _ASIDE.match(words):
        yield (intent.model_copy(update={"words": aside["name"]}),)
        yield (intent.model_copy(update={"words": aside["other"]}),)
    if purpose := _PURPOSE.match(words):
        yield (intent.model_copy(update={"words": purpose["name"]}),)
        verb, thing = purpose["verb"].lower(), purpose["thing"]
        yield (Intent(verb="click", words=thing, context=intent.context, said=verb),)
    name, places = split_places(words)
    if places and all(map(_is_of_layout, places)) and content(name):
        yield (intent.model_copy(update={"words": name, "context": ""}),)


_HOME = Intent(verb="home", words="home", said="open")


#: "Take the lamp out of the basket", "Throw the changes away", "Bring Heron in"
_PARTICLE = re.compile(
    r"(?P<thing>\S.{0,60}?) (?P<particle>in|out|off|away|up|down|back|over)(?: again)?"
    r"(?P<place>(?: (?:of|from) .+)?)$",
    re.I,
)
_TAKING = frozenset({"take", "throw"})


def _by_particle(intent: Intent) -> Iterator[tuple[Intent, ...]]:
    """Yield what is called by verb and particle, "Take out", in the row of the thing."""
    match = _PARTICLE.match(intent.words)
    if match is None or " " in intent.said:
        return
    side, thing, place = match["particle"].lower(), match["thing"], match["place"]
    words = f"{intent.said} {side}"
    yield (Intent(verb="click", words=words, context=f"for {thing}{place}", said="press"),)
    if intent.said in _TAKING and side in ("out", "off", "away"):
        yield (Intent(verb="click", words=f"{thing}{place}", said="remove"),)


def _by_drawing(intent: Intent) -> Iterator[tuple[Intent, ...]]:
    """Yield what the control behind an icon is called: "the magnifying glass" is a search."""
    words, in_row, row = _LEAD.sub("", intent.words, count=1).partition(" in the row of ")
    words = re.sub(r" (?:icon|symbol|sign)$", "", words, flags=re.I)
    if name := FREE.drawings.get(words.lower()):
        yield (intent.model_copy(update={"words": f"{name}{in_row}{row}"}),)


def _by_part(intent: Intent) -> Iterator[tuple[Intent, ...]]:
    """Yield the tab or part that is named as a place by its name alone, and then the intent."""
    if under := _UNDER.fullmatch(intent.context):
        bare = intent.model_copy(update={"context": ""})
        yield (Intent(verb="click", words=under["way"], said="click"), bare)


def _by_way(intent: Intent) -> Iterator[tuple[Intent, ...]]:
    """Yield the start page, or the tab or menu that is named as a place, and then the intent."""
    bare = intent.model_copy(update={"context": ""})
    if _leads_home(intent.context):
        yield (_HOME, bare)
    elif way := _WAY.match(intent.context):
        # "the main menu" is called by its kind alone
        words = way["way"] if content(way["way"]) else f"{way['way']} {way['kind']}"
        yield (Intent(verb="click", words=words, said="click"), bare)


def _names_in(words: str, *, goes: bool) -> Iterator[str]:
    patterns = (_ABOUT, _SHOWING, _PAGE_OF, _NOUN_FIRST) if goes else (_ABOUT,)
    yield from (match["name"] for pattern in patterns if (match := pattern.match(words)))
    if goes and (name := _thing_in(words)):
        yield name


def thing_of(intent: Intent) -> str:
    """Return the name in "open the job of the City bike", or an empty text."""
    return "" if intent.quoted else _thing_in(_LEAD.sub("", intent.words.strip(), count=1))


def _thing_in(words: str) -> str:
    match = _OF_NAME.match(words)
    # the menu of Oak is not Oak
    return match["name"] if match and match["noun"] not in FREE.places | _KINDS else ""


_KINDS = frozenset(
    word for names in FREE.controls.values() for name in names for word in name.split()
)


def _leads_home(words: str) -> bool:
    return _FROM_HOME.search(f" {words}") is not None


def _is_of_layout(place: str) -> bool:
    """Return whether a place is a part that each page has once: "the menu on the left"."""
    known = FREE.places | FREE.headings | FREE.stop | FREE.tables
    return set(split_words(place)) <= known - FREE.rows - {"first", "last"}
